"""How to get from a model to a controller: docs/how-to-controller.md."""

# %% law
import numpy as np

import linkwork as lw

arm = lw.load("puma560")
motion = lw.Quintic(np.radians([90, 0, 90, 0, 0, 0]), np.radians([45, 30, 0, 45, 60, 90]), duration=1.5)
kp, kv = lw.pd_gains(bandwidth=5, damping=1)  # errors decay with 5 Hz
law = lw.ComputedTorque(arm, motion, kp, kv, period=0.002)
run = lw.simulate(arm, law)
print(f"kp {kp:g}, kv {kv:g}: largest error {abs(run.error).max():.1e} rad")

# %% reality
for words, options in {
    "12-bit position sensors": {"loop": lw.DigitalLoop(resolution=2 * np.pi / 4096)},
    "torque limits of the robot file": {"loop": lw.DigitalLoop(effort_limits=True)},
    "2 kg that the model does not know": {"payload": 2.0},
    "no friction in the plant": {"friction": False},
}.items():
    worst = abs(lw.simulate(arm, law, **options).error).max()
    print(f"{words:<34}{worst:.1e} rad")

# %% many
rng = np.random.default_rng(0)
batch = 500
variations = {
    "payload": [lw.point_payload(mass) for mass in rng.uniform(0, 2, batch)],
    "mass_scale": rng.normal(1, 0.1, (batch, arm.n)),  # the model is wrong by ten percent
    "friction_scale": rng.uniform(0.5, 1.5, (batch, 1)),
}
many = lw.rollout(arm, law, variations=variations, batch=batch)
worst = np.percentile(many.largest_error.max(axis=-1), [50, 95, 100])
print("error of half, 95 % and all of them below", worst.round(3), "rad; lost:", many.diverged.sum())

# %% learn
learning = lw.AdaptiveComputedTorque(arm, motion)
lw.simulate(arm, learning, payload=2.0)
print(f"the load weighs {learning.load[0]:.2f} kg")
carried = [(0.3, 2.0), (0.9, None)]  # s, kg: picked up and dropped on the way
for law in (lw.AdaptiveComputedTorque(arm, motion), lw.RobustComputedTorque(arm, motion)):
    run = lw.simulate(arm, law, payload=carried)
    worst, last = abs(run.error).max(), abs(run.error[-1]).max()
    print(f"{type(law).__name__:<24}{1e3 * worst:6.1f} mrad, {1e3 * last:.2f} at the end")

# %% bandwidth
space = arm.linearize(np.radians([0, -45, 45, 0, 30, 0]), outputs=["coordinates", "tool"])
print("A", space.A.shape, "B", space.B.shape, "C", space.C.shape, "of", ", ".join(space.outputs[-6:]))
print("discrete:", space.discrete(period=0.002, delay=0.001).A.shape, "with efforts on their way")

law = lw.ComputedTorque(arm, motion, kp, kv, period=0.002)
loop = lw.DigitalLoop(delay=0.001, velocity="differenced")
found = lw.frequency_response(arm, law, loop=loop, stiffness=3e4, feedforward=False)
print("stable:", found.stable.all())
for axis, minus_3db, lag, cross in zip(
    found.axes, found.bandwidth[0], found.phase_limit[0], found.cross_talk[0], strict=True
):
    print(f"{axis:<12} -3 dB at {minus_3db:.2f} Hz, 90 degrees at {lag:.2f} Hz, cross-talk {cross:.3f}")

# %% loop
loop = arm.kernel("inverse_dynamics").bind()  # fixed buffers, no allocation


def control(q, qd, wanted):
    """One sample of computed torque: what a real-time loop calls."""
    loop.q[:] = q
    loop.qd[:] = qd
    loop.qdd[:] = wanted.qdd + kv * (wanted.qd - qd) + kp * (wanted.q - q)
    if loop():  # True if an input or a result is not finite
        raise RuntimeError("sensor fault")
    return loop.tau


start = motion.at(0.0)
print([round(torque, 3) + 0.0 for torque in control(start.q, start.qd, start).tolist()])

# %% clock
import gc
import time


def run(samples, period=1e-3):
    """A loop at 1 kHz: due times from one clock, so that delays do not add up; how many were missed."""
    gc.collect()
    gc.disable()  # a collection takes milliseconds
    missed, due = 0, time.perf_counter()
    try:
        for k in range(samples):
            wanted = motion.at(k * period)
            control(wanted.q, wanted.qd, wanted)  # instead of the motion: what the sensors say
            due += period
            pause = due - time.perf_counter()
            missed += pause < 0
            time.sleep(max(pause, 0.0))
    finally:
        gc.enable()
    return missed


missed = run(300)
print("torques at the end:", [round(torque, 1) + 0.0 for torque in loop.tau.tolist()])

# %% c
from pathlib import Path

kernel = arm.kernel("inverse_dynamics")
Path("inverse_dynamics.c").write_text(kernel.c_source())
print(kernel.name, kernel.casadi.n_in(), "inputs,", kernel.casadi.n_out(), "output")

# %% derivatives
import casadi as ca

q, qd, qdd = (ca.SX.sym(name, arm.n) for name in ("q", "qd", "qdd"))
slope = ca.Function("slope", [q, qd, qdd], [ca.jacobian(kernel.casadi(q, qd, qdd), q)])
print(slope(start.q, start.qd, start.qdd).full()[1].round(2) + 0.0, "N m/rad, second row")
