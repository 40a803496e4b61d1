"""How to describe a parallel robot: docs/how-to-parallel.md. Run it in the folder of the examples."""

# %% load
import numpy as np

import linkwork as lw

delta = lw.load_parallel("my-delta.yaml")
print(delta)
print("actuators at a pose:", delta.inverse_kinematics([0.1, 0.05, -0.55]).round(4), "rad")

# %% dynamics
motion = lw.Quintic([-0.1, 0, -0.6], [0.1, 0, -0.6], 0.25)
time, (c, cd, cdd) = motion.sample(0.001)
tau = delta.inverse_dynamics(c, cd, cdd)
print("peaks:", abs(tau).max(axis=0).round(2), "N m")
back = delta.forward_dynamics(c, cd, tau)
print("back to the acceleration within 1e-10:", abs(back - cdd).max() < 1e-10)
heavy = delta.with_payload(0.5, [0, 0, -0.05])
print("with 0.5 kg:", abs(heavy.inverse_dynamics(c, cd, cdd)).max(axis=0).round(2), "N m")

# %% singularities
Jx, Jq = delta.jacobians(c)
print("condition number of Jx at most", delta.condition_number(c).max().round(2))
print("lever arms at least", abs(Jq).min().round(3), "m")
try:
    delta.inverse_dynamics([0.9, 0, -0.62], np.zeros(3), np.zeros(3))
except lw.LinkworkError as error:
    print(error)

# %% joints
joints = delta.joints(c, cd, cdd)
print(len(delta.joint_names), "joints, the greatest angle", abs(joints.q).max().round(3), "rad")
force = np.linalg.norm(delta.joint_reactions(c, cd, cdd).closure_force, axis=-1)
print("platform on rods at most", force.max().round(1), "N")
found = delta.forward_kinematics(delta.inverse_kinematics(c))
print("coordinates back within 1e-12:", abs(found - c).max() < 1e-12)

# %% simulate
run = lw.simulate(delta, lw.TaskSpaceControl(delta, motion), duration=0.25)
print(run)
