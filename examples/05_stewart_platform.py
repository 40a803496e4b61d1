"""A Stewart platform: actuator forces exactly and as published, reactions, conditioning."""

import numpy as np

import linkwork as lw

hexapod = lw.load("dasgupta1998")
pose = [0.2, 0, 0.5, 0, 0, 0.1]  # x y z roll pitch yaw; or x y z and a unit quaternion w x y z
twist = [0.5, 0, 0.5, 0, 0, 1]  # linear, then angular, base axes
acceleration = [4, 0, 4, 0, 0, 8]
for name in hexapod.formulations:
    force = hexapod.inverse_dynamics(pose, twist, acceleration, formulation=name)
    print(f"{name:<16}", force.round(1))

parts = hexapod.effort_breakdown(pose, twist, acceleration)
print("legs and friction", (100 * parts.dynamic_fraction).round(), "% of the force")
print("condition number", hexapod.condition_number(pose).round(1))
reactions = hexapod.joint_reactions(pose, twist, acceleration)
print(
    "largest bending moment", np.linalg.norm(reactions.prismatic_moment, axis=-1).max().round(1), "N m"
)
lengths = hexapod.leg_lengths(pose)
print("pose from leg lengths", hexapod.forward_kinematics(lengths).round(6))
