"""How to design an arm: docs/how-to-arm.md. Run it in the folder of the examples."""

# %% load
import numpy as np

import linkwork as lw

arm = lw.load("feeder.yaml")
print(arm, arm.joint_names)
print("tip at q = 0:", arm.forward_kinematics([0, 0, 0])[:3, 3].round(3), "m")
print("held still, stretched out:", arm.gravity_load([0, 0, 0]).round(1), "N m")

# %% motion
motion = lw.Quintic(np.radians([-60, 20, -60]), np.radians([60, 60, -100]), duration=0.8)
time, state = motion.sample(0.002)
tau = arm.inverse_dynamics(state.q, state.qd, state.qdd)
for k, joint in enumerate(arm.model.joints):
    limits = joint.limits
    print(
        f"{joint.name:<10} torque {abs(tau[:, k]).max():5.1f} of {limits.effort:.0f} N m,"
        f" velocity {abs(state.qd[:, k]).max():.2f} of {limits.velocity:.0f} rad/s"
    )

# %% duration
for duration in (0.6, 0.8, 1.0, 1.2):
    _, trial = lw.Quintic(motion.start, motion.end, duration).sample(0.002)
    torque = abs(arm.inverse_dynamics(trial.q, trial.qd, trial.qdd)).max(axis=0)
    broken = [
        joint.name
        for joint, t, rate in zip(arm.model.joints, torque, abs(trial.qd).max(axis=0), strict=True)
        if t > joint.limits.effort or rate > joint.limits.velocity
    ]
    print(
        f"{duration} s: {torque.round(1)} N m", "breaks limits of " + ", ".join(broken) if broken else ""
    )

# %% load in the hand
rotation = arm.forward_kinematics(state.q)[..., :3, :3]
weight = rotation.swapaxes(-1, -2) @ [0, 0, 2 * 9.81]  # 2 kg to hold up, in the axes of the last link
wrench = np.concatenate([weight, np.zeros_like(weight)], axis=-1)
with_part = arm.inverse_dynamics(state.q, state.qd, state.qdd, tip_wrench=wrench)
print("peaks with the weight of 2 kg:", abs(with_part).max(axis=0).round(1), "N m")

# %% parts
from linkwork.analysis.study import effort_breakdown

for name, values in effort_breakdown(arm, state.q, state.qd, state.qdd).items():
    print(f"{name:<24}", abs(values).max(axis=0).round(1))

# %% reactions
reactions = arm.joint_wrenches(state.q, state.qd, state.qdd)  # (samples, joints, 6)
bending = np.linalg.norm(reactions[:, 1, 3:5], axis=-1)
print(f"the shoulder's bearing carries up to {bending.max():.0f} N m across its axis")

# %% report
from linkwork.analysis.study import study
from linkwork.reports.inverse import inverse_report

found = study(arm, "from tray to belt", time, state)
print(inverse_report(found, "python 09_arm.py").save("feeder.html").name)

# %% urdf
lw.write_robot(arm.model, "feeder.urdf")
again = lw.load("feeder.urdf")
same = again.inverse_dynamics(state.q, state.qd, state.qdd, rotors=False)
print(np.allclose(same, arm.inverse_dynamics(state.q, state.qd, state.qdd, rotors=False)))
