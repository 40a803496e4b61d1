"""Derivatives of the dynamics, and a motion of least torque found with them."""

# %% derivatives
import numpy as np

import linkwork as lw

arm = lw.load_arm("puma560")
q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 1000, arm.n))
found = arm.inverse_dynamics_derivatives(q, qd, qdd)  # of the torques: .dq, .dqd, .dqdd
tau = arm.inverse_dynamics(q, qd, qdd)
back = arm.forward_dynamics_derivatives(q, qd, tau)  # of the accelerations: .dq, .dqd, .dtau
print(found.dq.shape, "inverse of each other:", np.allclose(found.dqdd @ back.dtau, np.eye(6)))

# %% regressor
Y = arm.regressor(q, qd, qdd)  # (1000, 6, 90)
print(arm.parameters.names[:4], "...", np.allclose(Y @ arm.parameters.values, tau, rtol=0, atol=1e-12))
lighter = arm.parameters.values.copy()
lighter[arm.parameters.names.index("elbow.m")] *= 0.9
change = arm.with_parameters(lighter).inverse_dynamics(q, qd, qdd) - tau
print("a lighter elbow changes the first torques by", change[0].round(2), "N m")

# %% problem
import casadi as ca

start, end = np.radians([0, -45, 0, 0, 45, 0]), np.radians([90, 20, -60, 45, -30, 60])
duration, n = 1.0, 24
h, limits = duration / n, arm.limits
torque = arm.kernel("inverse_dynamics", friction=False).casadi  # an expression with exact derivatives

opti = ca.Opti()
Q, V, A = (opti.variable(6, n + 1) for _ in range(3))
effort = torque.map(n + 1)(Q, V, A) / ca.DM(limits.effort)  # of the joints' limits
for k in range(n):  # the acceleration is linear between samples
    opti.subject_to(V[:, k + 1] == V[:, k] + h / 2 * (A[:, k] + A[:, k + 1]))
    opti.subject_to(Q[:, k + 1] == Q[:, k] + h * V[:, k] + h**2 / 6 * (2 * A[:, k] + A[:, k + 1]))
opti.subject_to([Q[:, 0] == start, V[:, 0] == 0, Q[:, n] == end, V[:, n] == 0])
opti.subject_to(opti.bounded(-1, ca.vec(effort), 1))
low, high = (ca.repmat(ca.DM(bound), 1, n + 1) for bound in limits.position.T)
opti.subject_to(opti.bounded(0, ca.vec((Q - low) / (high - low)), 1))
opti.minimize(ca.sumsqr(effort))

# %% solution
quintic = lw.Quintic(start, end, duration=duration).at(np.linspace(0, duration, n + 1))
for variable, values in zip((Q, V, A), quintic, strict=True):
    opti.set_initial(variable, values.T)
opti.solver("ipopt", {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
solution = opti.solve()


def root_mean_square(share):
    return float(np.sqrt(np.mean(share**2)))


before = root_mean_square(arm.inverse_dynamics(*quintic, friction=False) / limits.effort)
after = root_mean_square(solution.value(effort))
print(f"torques of the quintic {before:.1%} of the limits, of the best motion {after:.1%} (RMS)")
print(f"{1 - after / before:.0%} less")
