"""All parameters near an estimate of the base parameters that belong to real bodies.

A body exists with these ten parameters if its pseudo-inertia matrix

    P = [[tr(J)/2 1 - J, h], [h', m]]

is positive (Wensing, Kim and Slotine 2018); it is within the machine if its second moment is below mass
times size squared. With quadratic distances from the estimate and from the file that is a semidefinite
programme, solved by Clarabel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.interface.base_parameters import BaseParameters
from linkwork.interface.robot import Array, Robot
from linkwork.robots.parameters import BODY, FreeParameters

THINNEST = 3e-3  # of the machine's size: least radius of gyration
WIDEST = 0.98  # of the machine's size: greatest distance of mass from its frame (RMS)
LIGHTEST = 1e-3  # of the size of the mass in the prior
SIGNS = {"rotor": 1.0, "viscous": 1.0, "coulomb_forward": 1.0, "coulomb_backward": -1.0} | dict.fromkeys(
    ("universal", "prismatic", "spherical", "viscous_start", "viscous_end"), 1.0
)
DUST = 1e-9  # of a parameter's size: changes below are those of the solver
SOLVED = ("Solved", "AlmostSolved")


class Wanted(NamedTuple):
    """The estimate of the base parameters and how sharply the log determines them."""

    estimate: Array
    information: Array


def possible_parameters(
    robot: Robot, free: FreeParameters, base: BaseParameters, wanted: Wanted, sizes: Array
) -> Array:
    """All parameters (p,), possible and as near to the estimate as can be, else near the file's.

    Args:
        sizes: of all parameters, by which their distance from the file is measured.
    """
    import clarabel
    from scipy.sparse import csc_matrix, eye

    own = robot.parameters.values
    scale = free.inverse @ sizes
    # Unknowns x: changes of the free parameters in units of their sizes.
    change = free.matrix * scale
    effect = base.matrix @ change
    missing = wanted.estimate - base.values
    P = effect.T @ wanted.information @ effect + np.eye(len(scale))
    q = -effect.T @ wanted.information @ missing
    # In y = R x all directions, seen and unseen, count alike: the solver would lose the unseen ones. It
    # looks for the way from the best y without constraints, which is short, to the nearest possible one.
    R = np.linalg.cholesky(P).T
    back = np.asarray(np.linalg.inv(R))
    best = -back.T @ q
    G, h, cones = _constraints(robot, change, own, sizes, clarabel)
    G = G @ back
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        eye(len(scale), format="csc"),
        np.zeros(len(scale)),
        csc_matrix(-G),
        h + G @ best,
        cones,
        settings,
    )
    solution = solver.solve()
    if str(solution.status) not in SOLVED:
        raise LinkworkError(
            f"no physically possible parameters were found near the estimate ({solution.status}). Is "
            "the log one of this robot, with efforts in N m and N and the signs of its joints?"
        )
    x = back @ (best + np.array(solution.x))
    x[np.abs(x) < DUST] = 0.0
    return np.asarray(own + change @ x)


def _constraints(
    robot: Robot, change: Array, own: Array, sizes: Array, clarabel: Any
) -> tuple[Array, Array, list[Any]]:
    """G x + h in cones: positive matrices for bodies, right signs for friction."""
    names = robot.parameters.names
    signed = [(k, SIGNS[name.rpartition(".")[2]]) for k, name in enumerate(names) if _has_sign(name)]
    linear = [(np.eye(len(own))[k] * sign / sizes[k], 0.0) for k, sign in signed]
    matrices: list[list[Array]] = []
    sides: list[int] = []
    for k, name in enumerate(names):
        if name.rpartition(".")[2] != BODY[0]:
            continue
        body = np.eye(len(own))[k : k + len(BODY)]
        mass = sizes[k]
        length = float(sizes[k + 1] / mass)
        is_rod = names[k + 2].endswith(f".{BODY[5]}")  # mass, first moment and inertia along a line
        pseudo = _along_line(body) if is_rod else _pseudo_inertia(body)
        n = len(pseudo) - 1
        spread = sum(pseudo[i, i] for i in range(n))
        linear.append((body[0] / mass, -LIGHTEST))
        size = WIDEST * robot.size
        linear.append(((body[0] - spread / size**2) / mass, 0.0))
        for i in range(n):
            pseudo[i, i] = pseudo[i, i] - (THINNEST * robot.size) ** 2 * body[0]
        units = np.array([1 / length] * n + [1.0]) / np.sqrt(mass)
        scales = np.outer(units, units) * np.where(np.eye(n + 1), 1.0, 2**0.5)
        # The upper triangle by columns.
        matrices.append([pseudo[i, j] * scales[i, j] for j in range(n + 1) for i in range(j + 1)])
        sides.append(n + 1)
    rows = np.array([row for row, _ in linear] + [row for matrix in matrices for row in matrix])
    shifts = np.array([shift for _, shift in linear] + [0.0] * sum(map(len, matrices)))
    cones = [clarabel.NonnegativeConeT(len(linear))]
    cones += [clarabel.PSDTriangleConeT(side) for side in sides]
    return rows @ change, rows @ own + shifts, cones


def _has_sign(name: str) -> bool:
    return name.rpartition(".")[2] in SIGNS


def _along_line(body: Array) -> Array:
    """The same of a thin rod, (2, 2, p)."""
    m, x, yy = body[:3]
    return np.array([[yy, x], [x, m]])


def _pseudo_inertia(body: Array) -> Array:
    """(4, 4, p): every element as a linear function of all parameters."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = body
    half = (xx + yy + zz) / 2
    return np.array(
        [
            [half - xx, -xy, -xz, x],
            [-xy, half - yy, -yz, y],
            [-xz, -yz, half - zz, z],
            [x, y, z, m],
        ]
    )
