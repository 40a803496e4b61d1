"""The same torque by every formulation, and what each costs."""

import numpy as np

import linkwork as lw

arm = lw.load("stanford")
q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, arm.n))
for name in arm.formulations:
    tau = arm.inverse_dynamics(q, qd, qdd, formulation=name)
    counts = arm.kernel("inverse_dynamics", formulation=name).counts
    print(f"{name:<24}{counts.multiplications:>6} M {counts.additions:>6} A   {tau.round(4)}")
print(lw.verify(arm))
