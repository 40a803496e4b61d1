"""What a Stewart platform can be asked: docs/platforms.md."""

# %% methods
import numpy as np

import linkwork as lw

hexapod = lw.load("dasgupta1998")
pose, twist, acceleration = hexapod.home, np.zeros(6), np.array([0, 0, 2.0, 0, 0, 1.0])
force = hexapod.inverse_dynamics(pose, twist, acceleration)  # actuator forces
hexapod.forward_dynamics(pose, twist, force)  # and back
hexapod.joint_reactions(pose, twist, acceleration)  # every joint of every leg
share = hexapod.effort_breakdown(pose, twist, acceleration).dynamic_fraction  # of legs and friction
M, h = hexapod.task_space(pose, twist)  # J' F = M a + h
spin = hexapod.leg_kinematics(pose, twist, acceleration).angular_velocity  # with the legs' true spin
energy = hexapod.energy(pose, twist).total

# %% deviations
exact = hexapod.inverse_dynamics(pose, twist, acceleration)
for name in ("no-spin", "moment-along-leg", "upper-inertia-at-base"):
    difference = hexapod.inverse_dynamics(pose, twist, acceleration, deviations=[name]) - exact
    print(f"{name:<24}{abs(difference).max():10.3f} N")

# %% kinematics
lengths = hexapod.leg_lengths(pose)
hexapod.forward_kinematics(lengths, guess=pose)  # Newton from a guess; home if there is none
path = lengths + np.linspace(0, 0.05, 20)[:, None]
hexapod.follow(path, start=pose)  # keeps the branch, reports a singularity on the way
hexapod.motion_from_legs(pose, rates=np.ones(6), accelerations=np.zeros(6))  # twist and acceleration
hexapod.condition_number(pose)  # without units: lengths in hexapod.length_scale
hexapod.condition_number(pose, length_scale=1.0)  # as the papers have it, moments in N m
print(lw.load("simona").check_limits([0, 0, 3.2, 0, 0, 0]))  # which leg breaks which limit
