"""Motion, simulation and control: docs/simulation.md."""

# %% motion
import numpy as np

import linkwork as lw

arm = lw.load("puma560")
start, end = np.radians([90, 0, 90, 0, 0, 0]), np.radians([45, 30, 0, 45, 60, 90])
motion = lw.Quintic(start, end, 3.0)
q, qd, qdd = motion.at(np.linspace(0, 3, 7))
path = lw.published_path("dasgupta-I")  # poses: x y z and quaternion w x y z
line = lw.RpyLine(
    [0.1, 0, 0.4, 0, 0, -0.2], [0.3, 0, 0.6, 0, 0, 0.2], duration=6, speed=0.08, turn_rate=0.08
)

# %% simulation
law = lw.ComputedTorque(arm, motion, kp=100, kv=20, period=0.01, friction=False)
run = lw.simulate(arm, law, friction=False)  # Runge-Kutta at 1 ms, torque held over each period
print("largest error", abs(run.error).max(), "rad")
heavy = lw.simulate(arm, law, payload=2.3, friction=False)  # a load that the controller does not know
learning = lw.AdaptiveComputedTorque(arm, motion, friction=False)
lw.simulate(arm, learning, payload=2.3, friction=False)
print("it weighs", learning.load[0].round(2), "kg")

# %% rollout
starts = start + 0.05 * np.random.default_rng(0).normal(size=(200, 6))
loads = np.array([lw.point_payload(mass) for mass in np.linspace(0, 2, 200)])
batch = lw.rollout(arm, law, starts, duration=0.3, variations={"payload": loads})
print("worst", batch.largest_error.max(axis=0))
