"""A kernel bound to fixed buffers: no allocation inside a control loop."""

import numpy as np

import linkwork as lw

arm = lw.load("ur5")
loop = arm.kernel("inverse_dynamics").bind()
for step in range(1000):
    t = 1e-3 * step
    loop.q[:] = 0.5 * np.sin(t)
    loop.qd[:] = 0.5 * np.cos(t)
    loop.qdd[:] = -0.5 * np.sin(t)
    if loop():  # True if an input or a result is not finite
        raise SystemExit("sensor fault")
print(loop.tau.round(3))
