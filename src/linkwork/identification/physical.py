"""All parameters near an estimate of the base parameters that belong to real bodies.

A body exists with these ten parameters if its pseudo-inertia matrix is positive (Wensing, Kim and
Slotine 2018); it is within the machine if its second moment is below mass times size squared. With
quadratic distances from the estimate and from the file that is a semidefinite programme, solved by
Clarabel.

Distances from the file are measured by how large parameters may be: a prior that is wide beside any real
robot. What a log cannot show then stays at the file's value, and what it can show is moved by far less
than its standard error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.mechanics.bodies import pseudo_inertia
from linkwork.model.mechanism import is_chain
from linkwork.model.parameters import BODY, FreeParameters
from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.robot import Array, Robot

LEAST_SHARE = 0.1  # of the whole mass and size, that any body of an arm may have
LEAST_LEG_SHARE = 0.02
STILL = 0.05  # of the greatest velocity or acceleration of all actuators
AT_ENDS = ("universal", "spherical", "viscous_start", "viscous_end")
LEVER = 0.1  # of the machine's size, from friction in a leg's joints to the leg's force
THINNEST = 3e-3  # of the machine's size: least radius of gyration
WIDEST = 0.98  # of the machine's size: greatest distance of mass from its frame (RMS)
LIGHTEST = 1e-3  # of the size of the mass in the prior
SIGNS = {"rotor": 1.0, "viscous": 1.0, "coulomb_forward": 1.0, "coulomb_backward": -1.0} | dict.fromkeys(
    ("universal", "prismatic", "spherical", "viscous_start", "viscous_end"), 1.0
)
DUST = 1e-9  # of a parameter's size: changes below are those of the solver
SOLVED = ("Solved", "AlmostSolved")


def parameter_sizes(robot: Robot, effort: Array, velocity: Array, acceleration: Array) -> Array:
    """One for each of `robot.parameters`.

    Args:
        effort, velocity, acceleration: RMS of each actuator, (n,).
    """
    own = robot.parameters
    masses = {
        name: float(m)
        for name, m in zip(own.names, own.values, strict=True)
        if name.endswith(f".{BODY[0]}")
    }
    lengths = dict.fromkeys(masses, robot.size)
    # A file without masses: as heavy as the efforts can hold.
    total = sum(masses.values()) or float(effort.max()) / 9.81 / min(robot.size, 1.0)
    if is_chain(robot.mechanism):  # whatever is carried farther out is felt here
        beyond = np.cumsum(list(masses.values())[::-1])[::-1]
        shares = 1 - np.arange(len(masses)) / len(masses)
        for name, mass, share in zip(masses, beyond, shares, strict=True):
            masses[name] = max(float(mass), LEAST_SHARE * total)
            lengths[name] = robot.size * max(float(share), LEAST_SHARE)
    else:
        masses = {name: max(mass, LEAST_LEG_SHARE * total) for name, mass in masses.items()}
    actuators = robot.efforts.names
    # One that stands still has friction like the others, not any that is imaginable.
    velocity, acceleration = (
        np.maximum(part, max(STILL * float(part.max()), 1e-6)) for part in (velocity, acceleration)
    )
    found = []
    for name in own.names:
        owner, _, kind = name.rpartition(".")
        if kind in BODY:
            mass, length = masses[f"{owner}.m"], lengths[f"{owner}.m"]
            found.append(mass * length ** (0 if kind == "m" else 1 if kind[0] == "m" else 2))
            continue
        # A joint without a motor: whatever the strongest motor could move.
        k = actuators.index(owner) if owner in actuators else int(np.argmax(effort))
        tau, v, a = effort[k], velocity[k], acceleration[k]
        if kind in AT_ENDS:
            found.append(tau * LEVER * robot.size / (v / robot.size))
        else:
            per = {"viscous": v, "prismatic": v, "rotor": a, "stiffness": LEVER * robot.size}
            found.append(tau / per.get(kind, 1.0))
    return np.array(found)


class BaseEstimate(NamedTuple):
    """The estimate of the base parameters and how sharply the log determines them."""

    estimate: Array
    information: Array


def possible_parameters(
    robot: Robot, free: FreeParameters, base: BaseParameters, wanted: BaseEstimate, sizes: Array
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
    q = -effect.T @ wanted.information @ missing
    # In y = R x all directions, seen and unseen, count alike: the solver would lose the unseen ones. It
    # looks for the way from the best y without constraints, which is short, to the nearest possible one.
    # R'R = effect' information effect + 1, whose 1 would drown in what a sharp log says.
    sharpness, directions = np.linalg.eigh(wanted.information)
    root = np.sqrt(np.maximum(sharpness, 0.0))[:, None] * directions.T
    R = np.linalg.qr(np.concatenate([root @ effect, np.eye(len(scale))]), mode="r")
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
    signs = [SIGNS.get(name.rpartition(".")[2]) for name in names]
    linear = [(np.eye(len(own))[k] * sign / sizes[k], 0.0) for k, sign in enumerate(signs) if sign]
    matrices: list[list[Array]] = []
    sides: list[int] = []
    points = {part.name for part in robot.mechanism.parts if part.point}
    for k, name in enumerate(names):
        owner, _, kind = name.rpartition(".")
        if kind != BODY[0]:
            continue
        body = np.eye(len(own))[k : k + len(BODY)]
        mass = sizes[k]
        length = float(sizes[k + 1] / mass)
        is_rod = names[k + 2].endswith(f".{BODY[5]}")  # mass, first moment and inertia along a line
        pseudo = _along_line(body) if is_rod else pseudo_inertia(body)
        n = len(pseudo) - 1
        spread = sum(pseudo[i, i] for i in range(n))
        linear.append((body[0] / mass, -LIGHTEST))
        if owner in points:
            continue
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


def _along_line(body: Array) -> Array:
    """The same of a thin rod, (2, 2, p)."""
    m, x, yy = body[:3]
    return np.array([[yy, x], [x, m]])
