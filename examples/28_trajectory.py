"""A swing of least effort, found by Adam in JAX and by IPOPT."""

# %% problem
import casadi as ca
import jax
import jax.numpy as jnp
import numpy as np
from scipy.interpolate import BSpline

import linkwork as lw
from linkwork.jax import dynamics

jax.config.update("jax_enable_x64", True)
arm = lw.load("planar-2r")
d = dynamics(arm)
start, goal, duration, knots = np.array([0.0, 0.0]), np.array([1.6, -1.0]), 1.0, 9

# Positions are B-splines: their values, rates and accelerations are matrices times the control points,
# of which the first and last three are at rest.
degree, samples = 5, np.linspace(0, duration, 60)
grid = np.concatenate(
    [[0] * degree, np.linspace(0, duration, knots + 6 - degree + 1), [duration] * degree]
)
basis = BSpline(grid, np.eye(knots + 6), degree)
B, Bd, Bdd = (np.nan_to_num(basis.derivative(k)(samples)) if k else basis(samples) for k in range(3))


def points(free):
    return jnp.concatenate([jnp.tile(start, (3, 1)), free, jnp.tile(goal, (3, 1))])


def effort(free):
    """Mean square of the torques."""
    p = points(free)
    return (d.inverse_dynamics(B @ p, Bd @ p, Bdd @ p) ** 2).mean()


straight = start + np.linspace(0, 1, knots)[:, None] * (goal - start)

# %% adam
slope = jax.jit(jax.value_and_grad(effort))
free, m, v = jnp.asarray(straight), 0.0, 0.0
for k in range(1, 1001):
    value, g = slope(free)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    rate = 0.05 * 0.5 * (1 + np.cos(np.pi * k / 1000))
    free = free - rate * (m / (1 - 0.9**k)) / (jnp.sqrt(v / (1 - 0.999**k)) + 1e-12)
by_adam = float(effort(free))

# %% ipopt
kernel = arm.kernel("inverse_dynamics").casadi
x = ca.MX.sym("free", knots, 2)
p = ca.vertcat(np.tile(start, (3, 1)), x, np.tile(goal, (3, 1)))
torques = kernel.map(len(samples))((B @ p).T, (Bd @ p).T, (Bdd @ p).T)
problem = {"x": ca.vec(x), "f": ca.sumsqr(torques) / torques.numel()}
quiet = {"ipopt.print_level": 0, "print_time": False}
solution = ca.nlpsol("solver", "ipopt", problem, quiet)(x0=ca.vec(ca.DM(straight)))

# %% result
print(f"straight line: {float(effort(straight)):.1f} (N m)^2")
print(f"Adam:          {by_adam:.1f} (N m)^2")
print(f"IPOPT:         {float(solution['f']):.1f} (N m)^2")
