"""Describe any mechanism: docs/how-to-mechanism.md. Run it in the folder of the examples."""

# %% load
import numpy as np

import linkwork as lw

robot = lw.load("my-palletizer.yaml")
print(robot)
print("efforts:", *robot.efforts.names)
print("hold it at home:", robot.gravity_load(robot.home).round(1) + 0.0, "N m")

# %% dynamics
motion = lw.Quintic([0, 0, 0, 0], [1.2, 0.4, 0.2, -1.2], 1.5)
time, (c, cd, cdd) = motion.sample(0.001)
tau = robot.inverse_dynamics(c, cd, cdd)
print("peaks:", abs(tau).max(axis=0).round(0), "N m")
back = robot.forward_dynamics(c, cd, tau)
print("back to the acceleration within 1e-9:", abs(back - cdd).max() < 1e-9)
heavy = robot.with_payload(60, [0, 0, 0.1])
print("with 60 kg more:", abs(heavy.inverse_dynamics(c, cd, cdd)).max(axis=0).round(0), "N m")

# %% joints
moved = robot.joint_motion(c, cd, cdd)
elbow = moved.names.index("elbow")
print(len(moved.names), "joints and cylinders; elbow at the end:", moved.q[-1, elbow].round(3), "rad")
bracket = moved.bodies.index("bracket")
tilt = abs(moved.poses[:, bracket, [4, 5]]).max()
print("the flange stays level within 1e-12:", tilt < 1e-12)
print("stroke of the balancer:", np.ptp(moved.q[:, moved.names.index("balancer")]).round(3), "m")


# %% reactions
found = robot.joint_reactions(c, cd, cdd)
for name in ("swing", "elbow", "link-end", "balancer end"):
    print(f"{name:12} at home:", found.force[0, found.names.index(name)].round(0) + 0.0, "N")

# %% simulate
controller = lw.ComputedTorque(robot, motion)  # knows nothing of the 60 kg
run = lw.simulate(heavy, controller)
print(run)
print("error at the end:", (run.position[-1] - c[-1]).round(4), "rad")

# %% delta
delta = lw.load("my-rod-delta.yaml")
print(delta.efforts.names, "at", delta.home)
down = [0, 0, -0.02]
print("20 mm down turns the motors by", delta.inverse_kinematics(delta.home + down).round(4), "rad")

# %% tilt
table = lw.load("my-tilt-table.yaml")
pose = [0.5, 0.1, -0.15]
actuators = table.inverse_kinematics(pose)
print("turn, and lengths less those at home:", actuators.round(4))
print("efforts at rest:", table.gravity_load(pose).round(2) + 0.0)

# %% lengths
import yaml

with open("my-tilt-table.yaml") as file:
    description = yaml.safe_load(file)
description["coordinates"] = ["turn", "left", "right"]
driven = lw.load(description)
found = driven.body_pose(actuators, "plate") - table.body_pose(pose, "plate")
print("the same pose within 1e-12:", abs(found).max() < 1e-12)

# %% wrist
wrist = lw.load("my-wrist.yaml")
print(wrist.efforts.names)
still = np.zeros(3)
hold = wrist.inverse_dynamics(still, still, still)
for name, cdd in zip(wrist.coordinates.names, 10 * np.eye(3), strict=True):
    print(f"{name:5} at 10:", (wrist.inverse_dynamics(still, still, cdd) - hold).round(3) + 0.0)


# %% pin
def refusal(name, change):
    """The message for a file with a fault."""
    with open(name) as file:
        description = yaml.safe_load(file)
    change(description)
    try:
        lw.load(description)
    except lw.LinkworkError as error:
        print(error)


refusal("my-palletizer.yaml", lambda file: file["joints"].pop("level-2b"))

# %% few
refusal("my-palletizer.yaml", lambda file: file["coordinates"].remove("drive"))

# %% many
refusal("my-rod-delta.yaml", lambda file: file.update(coordinates=[{"plate": ["x", "y", "z", "yaw"]}]))

# %% dependent
refusal("my-palletizer.yaml", lambda file: file["coordinates"].append("wrist"))


# %% balls
def as_body(file):
    """One rod of the Delta written as a body between two balls."""
    (leg,) = file["repeat"]
    rod = leg["rods"].pop("left")
    leg["bodies"]["bar"] = {"mass": 0.12, "from": rod["from"], "to": rod["to"], "radius": 0.004}
    leg["joints"]["upper"] = {"S": None, "joins": ["arm", "bar"], "at": rod["from"]}
    leg["joints"]["lower"] = {"S": None, "joins": ["bar", "plate"], "at": rod["to"]}


refusal("my-rod-delta.yaml", as_body)


# %% names
def misspelled(file):
    file["joints"]["lever-end"]["axis"] = "y"
    file["joints"]["knee"]["motor"] = "maybe"
    file["joints"]["wrist"]["at"] = "O5"


refusal("my-palletizer.yaml", misspelled)

# %% reach
far = [0.9, 0, -0.62]
print(delta.inverse_dynamics(far, np.zeros(3), np.zeros(3), errors="nan"))

# %% nearly
with open("my-palletizer.yaml") as file:
    description = yaml.safe_load(file)
description["points"]["D"] = [0.2004, 0, 1.90]  # 0.4 mm off
nearly = lw.load(description)
print("exact: ", robot.kernel("inverse_dynamics").counts)
print("nearly:", nearly.kernel("inverse_dynamics").counts)

# %% families
for name in ("ur5", "simona", "delta", "palletizer"):
    machine = lw.load(name)
    drawn = machine.mechanism
    parts = {
        "bodies": drawn.parts,
        "joints": drawn.joints,
        "rods": drawn.rods,
        "cylinders": drawn.cylinders,
    }
    counts = [f"{len(found)} {kind}" for kind, found in parts.items() if found]
    print(f"{name:11}{type(machine).__name__:14}{type(machine.model).__name__:15}", ", ".join(counts))

# %% expanded
flexpicker = lw.load("delta")
lw.write_robot(flexpicker.mechanism, "delta-as-mechanism.yaml")
expanded = lw.load("delta-as-mechanism.yaml")
state = flexpicker.random_states(100)
difference = expanded.inverse_dynamics(*state) - flexpicker.inverse_dynamics(*state)
print("the same torques within 1e-12:", abs(difference).max() < 1e-12)
reactions = flexpicker.reactions(*state)  # the same form for every robot
print(reactions.force.shape, *reactions.names[:4], sep=", ")
