"""The loop as it really is: docs/how-to-loop.md."""

# %% lee
import numpy as np

import linkwork as lw

arm = lw.load("puma560-lee")  # in the frames in which Lee gives his angles
motion = lw.Quintic(np.radians([90, 0, 90, 0, 0, 0]), np.radians([45, 30, 0, 45, 60, 90]), 3.0)
law = lw.ComputedTorque(arm, motion, kp=100, kv=20, period=0.01, friction=False)
bit = 4.26e-4  # rad: one step of the paper's 12-bit converter
for words, loop in {
    "ideal": None,
    "12-bit positions, exact velocities": lw.DigitalLoop(resolution=bit),
    "velocities differenced from them": lw.DigitalLoop(resolution=bit, velocity="differenced"),
    "exact sensors, 3 ms of computing": lw.DigitalLoop(delay=3e-3),
    "both": "lee1982",
}.items():
    run = lw.simulate(arm, law, friction=False, loop=loop)
    print(f"{words:<36}{abs(run.error).max() / bit:.2f} bits")

# %% words
for part, words in run.assumptions().items():
    print(f"{part:<21}{words}")

# %% velocity
rough = {"resolution": bit, "delay": 3e-3}
for words, loop in {
    "differenced": lw.DigitalLoop(velocity="differenced", **rough),
    "filtered at 20 Hz": lw.DigitalLoop(velocity="filtered", bandwidth=20, **rough),
    "observer of 5 Hz": lw.DigitalLoop(velocity="observer", bandwidth=5, **rough),
}.items():
    run = lw.simulate(arm, law, friction=False, loop=loop)
    jumps = abs(np.diff(run.effort, axis=0)).max()  # from sample to sample, of any joint
    print(f"{words:<18}{abs(run.error).max() / bit:5.2f} bits, torque jumps up to {jumps:4.1f} N m")

# %% unstable
try:
    lw.simulate(arm, law, friction=False, loop=lw.DigitalLoop(delay=0.1), duration=60)
except lw.SimulationError as error:
    print(error.reason)
    print(error.result)

# %% many
rng = np.random.default_rng(0)
known = lw.ComputedTorque(arm, motion)  # knows the friction, which plants of a rollout have
loads = {"payload": rng.uniform(0, 0.2, 200)}
batch = lw.rollout(arm, known, batch=200, loop="lee1982", variations=loads)
print(batch)
print("worst error of half of them", np.median(batch.largest_error.max(axis=1)).round(4), "rad")

# %% hexapod
hexapod, path = lw.load("dasgupta1998"), lw.published_path("dasgupta-II")
task = lw.TaskSpaceControl(hexapod, path, kp=400, kv=40, period=0.002)
sensors = lw.DigitalLoop(resolution=1e-5, velocity="observer", bandwidth=30, delay=1e-3)
for loop in (None, sensors):  # the pose is found from the legs, as their sensors see them
    print(f"{abs(lw.simulate(hexapod, task, loop=loop).error).max():.1e} m or rad")

# %% gains
full = 100 * np.eye(6)
full[3, 5] = full[5, 3] = 40  # the wrist's joints pull together
print(abs(lw.simulate(arm, lw.ComputedTorque(arm, motion, full, 20), duration=0.5).error).max().round(5))
try:
    lw.ComputedTorque(arm, motion, full, np.diag([20, 20, 20, 20, 0, 20]))
except lw.InputError as error:
    print(error)

# %% integral
sagging = lw.simulate(arm, law, friction=False, payload=1.0).error[-1]
upright = lw.ComputedTorque(arm, motion, 100, 20, 0.01, friction=False, ki=400)
held = lw.simulate(arm, upright, friction=False, payload=1.0, duration=5.0).error[-1]
print(f"{abs(sagging).max():.1e} rad without an integral, {abs(held).max():.1e} rad with one")

# %% wall
reach = motion.at(1.5).q
tip = arm.forward_kinematics(reach)[:3, 3]
toward = arm.jacobian(reach)[:3] @ motion.at(1.5).qd
normal = -toward / np.linalg.norm(toward)
wall = lw.SpringWall(tuple(tip), tuple(normal), stiffness=2e3, damping=50)  # in the way, half way
blind = lw.simulate(arm, law, friction=False, wrench=wall)
feeling = lw.ComputedTorque(arm, motion, 100, 20, 0.01, friction=False, force_feedback=True)
wrist = lw.DigitalLoop(wrist_resolution=0.25, wrist_noise=0.1)
felt = lw.simulate(arm, feeling, friction=False, wrench=wall, loop=wrist)
print(f"error at the end: {abs(blind.error[-1]).max():.3f} rad, {abs(felt.error[-1]).max():.3f} rad")

# %% table
push = lw.WrenchTable([0.5, 0.7, 0.7], [[0] * 6, [20, 0, 0, 0, 0, 0], [0] * 6])  # grows, then lets go
pushed = lw.simulate(arm, law, friction=False, wrench=push)
print("pushed aside by", abs(pushed.error).max().round(4), "rad")

# %% load
carried = [(0.8, 2.0), (2.2, None)]  # 2 kg from 0.8 s to 2.2 s
loaded = lw.simulate(arm, law, friction=False, payload=carried)
for instant in (0.7, 1.5, 3.0):
    print(instant, "s:", abs(loaded.error[loaded.time.searchsorted(instant)]).max().round(5), "rad")

# %% learn
learning = lw.AdaptiveTaskSpaceControl(hexapod, path, kp=400, kv=40)
lw.simulate(hexapod, learning, payload=lw.point_payload(10, (0.05, -0.03, 0)))
print("it weighs", learning.load[0].round(1), "kg, at", learning.center[:2].round(2), "m")
