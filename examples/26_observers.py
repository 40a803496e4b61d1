"""What acts on a robot from outside, and what it carries, while it moves."""

# %% push
import numpy as np

import linkwork as lw

arm = lw.load("ur5")
start = np.array([0.3, -1.0, 1.2, -0.7, 0.8, 0.2])
line = lw.Quintic(start, start + 0.3, 1.0)
control = lw.ComputedTorque(arm, line, kp=400, kv=40, period=0.001)
observer = lw.MomentumObserver(arm, period=0.001, bandwidth=20)
push = np.array([10.0, 0.0, 20.0, 0.0, 0.0, 0.0])  # acts on the tool, so the arm exerts the opposite
run = lw.simulate(arm, control, duration=2.0, wrench=-push, observer=observer)
print("found:", run.observed["external_wrench"][-1].round(4) + 0.0)

# %% own loop
memory = observer.start()
for position, velocity, effort in zip(run.position[1:], run.velocity[1:], run.effort, strict=False):
    memory, found = observer.update(memory, position, velocity, effort)
print("residual [N m]:", found.residual.round(3))

# %% thresholds
planar = lw.identify(lw.load("planar-2r"), "planar-2r-log").robot
seen = lw.observe(planar, ["planar-2r-log", "planar-2r-new"], bandwidth=5, moments=False)
print("alarms in free motion:", [len(log.alarms) for log in seen.logs])
print("no threshold below what was seen:", bool((seen.thresholds > seen.largest).all()))
weak, _, strong = seen.pushes
print(f"strong pushes are seen: {strong.detected:.0%}, and sooner: {strong.median < weak.median}")

# %% load
finder = lw.PayloadObserver(arm, period=0.001, bandwidth=20, forgetting=0.99)
learning = lw.ComputedTorque(arm, line, kp=400, kv=40, period=0.001, payload_observer=finder)
for law in (control, learning):
    run = lw.simulate(arm, law, payload=0.5)
    error = np.degrees(np.abs(run.error[-1]).max())
    print(f"error at the end: {error:.2f} deg")
print(f"load found: {learning.load[0]:.2f} kg")

# %% c
lw.export(arm, "c", "observers", methods=["momentum_observer", "payload_observer"], order=2)
