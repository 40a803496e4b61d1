"""The load at a robot's tool from two logs, one with the load and one without."""

# %% logs
import numpy as np

import linkwork as lw

arm = lw.load_arm("ur5")
carrying = arm.with_payload(2.5, (0.02, 0.0, 0.09), (0.01, 0.01, 0.005))
motion = lw.Excitation(arm.home + 0.4, [1.2] * 6, 0.06, 6, seed=3)
time, (q, qd, qdd) = motion.sample(0.01)
noise = np.random.default_rng(0).normal(size=(2, len(time), 6))
names = [*(f"q{k}" for k in range(1, 7)), *(f"tau{k}" for k in range(1, 7))]
for name, robot, error in (("empty.csv", arm, noise[0]), ("full.csv", carrying, noise[1])):
    tau = robot.inverse_dynamics(q, qd, qdd) + 0.3 * error
    table = np.column_stack([time, q, tau])
    np.savetxt(name, table, delimiter=",", header=",".join(["t", *names]), comments="")

# %% payload
found = lw.identify_payload(arm, "full.csv", unloaded="empty.csv", gain_error=0.02)
low, high = found.interval[0]
print(f"mass: between {low:.1f} and {high:.1f} kg")
print("center of mass:", found.center.round(2) + 0.0)
print("a body that can exist:", found.body.mass > 0, "| robot with it:", found.loaded)
