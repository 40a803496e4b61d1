import numpy as np

import linkwork as lw

arm = lw.load("puma560")
q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 100_000, arm.n))
tau = arm.inverse_dynamics(q, qd, qdd)  # (100000, 6): which torques does this motion need?
back = arm.forward_dynamics(q, qd, tau)  # how does it move under these torques?
print(tau[0].round(3), "largest error", abs(back - qdd).max())
