"""How to design a Stewart platform: docs/how-to-platform.md. Run it in the folder of the examples."""

# %% load
import numpy as np

import linkwork as lw

hexapod = lw.load("my-hexapod.yaml")
print(hexapod)
print("legs at home:", hexapod.leg_lengths(hexapod.home).round(3), "m")

# %% forces
motion = lw.read_motion("lift-and-turn.yaml")
time, state = motion.sample(0.002)
pose, twist, acceleration = state.pose, state.twist, state.acceleration
force = hexapod.inverse_dynamics(pose, twist, acceleration)
print("peaks:", abs(force).max(axis=0).round(1), "N")
back = hexapod.forward_dynamics(pose, twist, force)
print("back to the acceleration within 1e-9:", abs(back - acceleration).max() < 1e-9)

# %% parts
parts = hexapod.effort_breakdown(pose, twist, acceleration)
for name, values in zip(parts._fields, parts, strict=True):
    print(f"{name:<14}", abs(values).max(axis=0).round(1), "N")
cutting = hexapod.inverse_dynamics(pose, twist, acceleration, wrench=[0, 0, -500, 0, 0, 0])
print("with 500 N pressing down:", abs(cutting).max(axis=0).round(1), "N")

# %% reactions
reactions = hexapod.joint_reactions(pose, twist, acceleration)
ball = np.linalg.norm(reactions.spherical_force, axis=-1)
bending = np.linalg.norm(reactions.prismatic_moment, axis=-1)
print(f"spherical joints carry up to {ball.max():.0f} N, sliding guides {bending.max():.2f} N m")

# %% limits
print(hexapod.check_limits(pose, twist, acceleration, time=time))
print(hexapod.check_limits([0.35, 0, 0.75, 0, 0, 0]))

# %% workspace
x, z = np.meshgrid(np.linspace(-0.4, 0.4, 81), np.linspace(0.3, 0.9, 61))
grid = np.zeros((*x.shape, 6))
grid[..., 0], grid[..., 2] = x, z
lengths = hexapod.leg_lengths(grid)
shortest, longest = hexapod.model.legs[0].limits.length
reached = ((shortest <= lengths) & (lengths <= longest)).all(axis=-1)
good = reached & (hexapod.condition_number(grid) < 3)
area = 0.8 * 0.6  # of the grid
print(f"reached: {area * reached.mean():.3f} m^2 of the x-z plane,", end=" ")
print(f"with a condition number below 3: {area * good.mean():.3f} m^2")

# %% singularity
turned = np.zeros((361, 6))
turned[:, 2], turned[:, 5] = 0.6, np.radians(np.linspace(0, 120, 361))
condition = hexapod.condition_number(turned)
print("singular at", np.degrees(turned[condition > 1e10, 5]).round(1), "deg")
holding = abs(hexapod.inverse_dynamics(turned, np.zeros(6), np.zeros(6), errors="nan")).max(axis=-1)
for angle in (0, 30, 60, 80):
    print(f"holding still at {angle:2d} deg takes {holding[3 * angle]:6.0f} N")

# %% lengths
path = hexapod.leg_lengths(pose)  # what the drives measure
found = hexapod.follow(path, start=pose[0])
print("pose from leg lengths within 1e-9:", abs(found - pose).max() < 1e-9)
