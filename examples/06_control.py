"""A PUMA under computed torque, with a load it does not know, and with a law that learns the load."""

import numpy as np

import linkwork as lw

arm = lw.load("puma560")
start, end = np.radians([90, 0, 90, 0, 0, 0]), np.radians([45, 30, 0, 45, 60, 90])
motion = lw.Quintic(start, end, duration=3.0)

law = lw.ComputedTorque(arm, motion, kp=100, kv=20, period=0.01)
print("largest error          ", abs(lw.simulate(arm, law).error).max().round(5), "rad")
print("with 2.3 kg in the hand", abs(lw.simulate(arm, law, payload=2.3).error).max().round(5), "rad")

learning = lw.AdaptiveComputedTorque(arm, motion)
run = lw.simulate(arm, learning, payload=2.3)
print(
    "learned load",
    learning.load[0].round(2),
    "kg, error at the end",
    abs(run.error[-1]).max().round(5),
    "rad",
)
