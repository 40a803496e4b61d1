"""Joints for a pose of the tool, paths of the tool, all poses of a platform: docs/kinematics.md."""

# %% inverse
import numpy as np

import linkwork as lw

ur5 = lw.load("ur5")
rng = np.random.default_rng(0)
q = rng.uniform(-2, 2, (1000, 6))
poses = ur5.forward_kinematics(q)
found = ur5.inverse_kinematics(poses, guess=q + 0.1)
print(found.converged.all(), found.q.shape, found.error.max() < 1e-11)

# %% beyond reach
far = ur5.inverse_kinematics([2.0, 0, 0.3, 0, 0, 0], mask=[True, True, True, False, False, False])
print(far)

# %% redundant
panda = lw.load("panda")
posture = np.array([0.0, -0.5, 0.3, -2.0, 0.0, 1.6, 0.5])
target = panda.forward_kinematics(posture + 0.1)
near = panda.inverse_kinematics(target, posture + 0.1, posture=posture)

# %% follow
start = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.2])
line = np.repeat(ur5.forward_kinematics(start)[None], 50, axis=0)
line[:, :3, 3] += np.linspace(0, 1, 50)[:, None] * [0.1, 0.2, -0.1]
path = ur5.follow(line, start, time=np.linspace(0, 2, 50))
print(path)

# %% tool
tool = ur5.forward_kinematics(start)
pose = np.concatenate([tool[:3, 3], [0.0, np.pi, 0.0]])
corners = [pose + np.array([x, y, 0, 0, 0, 0]) for x, y in ((0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1))]
motion = lw.CartesianPath(ur5, corners, duration=3.0, blend=0.02)
t, (q, qd, qdd) = motion.sample(0.01)
torque = ur5.inverse_dynamics(q, qd, qdd)

# %% first order
J = ur5.jacobian(start, frame=2)  # of the third link frame
links = ur5.link_motion(start, np.ones(6), np.zeros(6))  # velocities of frames and centers of mass
strength = ur5.manipulability(start)

# %% modes
hexapod = lw.load("dasgupta1998")
modes = hexapod.assembly_modes(hexapod.leg_lengths(hexapod.home))
print(len(modes.poses), "poses;", modes.reason)

# %% plan
one = lw.published_path("dasgupta-I")
plan = hexapod.plan_path(one.start, one.end, clearance=0.01)
forces = hexapod.inverse_dynamics(*lw.PlannedMotion(plan, 6.0).at(np.linspace(0, 6, 601)))

# %% path three
three = lw.published_path("dasgupta-III")
try:
    hexapod.plan_path(three.start, three.end)
except lw.LinkworkError as error:
    print(error)
