"""All parameters near an estimate of the base parameters that belong to real bodies.

A body exists with these ten parameters if its pseudo-inertia matrix is positive (Wensing, Kim and
Slotine 2018); it is within the machine if its second moment is below mass times size squared. With
quadratic distances from the estimate and from the file that is a semidefinite program, solved by
Clarabel.

Among bodies that fit the log alike, those like the file's are meant: a pull toward them in the log-det
divergence of pseudo-inertias, which does not depend on units or frames (Lee, Wensing and Park 2020).
What a log cannot show stays at the file's value. The pull is as strong as it can be without a price:
neither residuals nor what the log does show may change by more than little.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.mechanics.bodies import pseudo_inertia
from linkwork.model.mechanism import is_chain, is_tree
from linkwork.model.parameters import BODY, LOAD_FRICTION, STRIBECK, FreeParameters
from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.robot import Array, Robot

LEAST_SHARE = 0.1  # of the whole mass and size, that any body of an arm may have
LEAST_LEG_SHARE = 0.02
STILL = 0.05  # of the greatest velocity or acceleration of all actuators
AT_ENDS = ("universal", "spherical", "viscous_start", "viscous_end")
LEVER = 0.1  # of the machine's size, from friction in a leg's joints to the leg's force
UNDER_LOAD = 0.2  # of what a joint carries, that friction may take
THINNEST = 3e-3  # of the machine's size: least radius of gyration
WIDEST = 0.98  # of the machine's size: greatest distance of mass from its frame (RMS)
LIGHTEST = 1e-3  # of the size of the mass in the prior
SIGNS = {
    "rotor": 1.0,
    "viscous": 1.0,
    "coulomb_forward": 1.0,
    "coulomb_backward": -1.0,
    STRIBECK: 1.0,
    LOAD_FRICTION: 1.0,
} | dict.fromkeys(("universal", "prismatic", "spherical", "viscous_start", "viscous_end"), 1.0)
BEYOND, MARGIN = 1.2, 0.1  # of the size of a link and of the machine's, by which mass may be farther out
PULLS = 10.0 ** np.arange(-3, 4.1, 0.5)  # strengths of the pull toward the file's bodies
MOST_PRICE = 0.003  # of the RMS of residuals
MOST_AWAY = 0.5  # standard errors (RMS) that the pull may move what the log shows
THICKNESS = 0.01  # of the machine's size
ROUNDS = 3  # of the divergence about the last bodies
WEAK = 0.03  # of the prior by sizes, beside the pull: where there are no bodies
DUST = 1e-9  # of a parameter's size: changes below are those of the solver
SOLVED = ("Solved", "AlmostSolved")
NEARLY = 1e-5  # residual of the constraints, at which a solver that got stuck is good enough


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
        if kind == LOAD_FRICTION:
            found.append(UNDER_LOAD)
        elif kind in AT_ENDS:
            found.append(tau * LEVER * robot.size / (v / robot.size))
        else:
            per = {"viscous": v, "prismatic": v, "rotor": a, "stiffness": LEVER * robot.size}
            found.append(tau / per.get(kind, 1.0))
    return np.array(found)


class BaseEstimate(NamedTuple):
    """The estimate of the base parameters and how sharply the log determines them.

    `error` are standard errors of what the log shows, infinite of the rest; `squares` is the weighted
    sum of squared residuals, to which `information` belongs.
    """

    estimate: Array
    information: Array
    error: Array | None = None
    squares: float = 0.0


class Possible(NamedTuple):
    """All parameters of possible bodies; `price` is by what share of the residuals' RMS the pull toward
    the file's bodies costs, `pull` its strength."""

    values: Array
    price: float
    pull: float


def possible_parameters(
    robot: Robot, free: FreeParameters, base: BaseParameters, wanted: BaseEstimate, sizes: Array
) -> Possible:
    """All parameters (p,), possible and as near to the estimate as can be, else near the file's.

    Args:
        sizes: of all parameters, by which the distance from the file is measured where there is no body.
    """
    task = _Task(robot, free, base, wanted, sizes)
    x = task.solved(np.zeros(len(task.scale)), 0.0)
    best, price, pull = x, 0.0, 0.0
    if task.bodies and wanted.error is not None:
        for strength in PULLS:
            try:
                moved = task.pulled(best, strength)
            except (LinkworkError, np.linalg.LinAlgError):
                break  # beyond what the solver's digits allow
            cost = (task.misfit(moved) - task.misfit(x)) / max(wanted.squares, 1e-300)
            away = (base.matrix @ (task.change @ (moved - x))) / wanted.error
            if cost > 2 * MOST_PRICE or np.sqrt((away**2).mean()) > MOST_AWAY:
                break
            best, price, pull = moved, float(np.sqrt(1 + max(cost, 0.0)) - 1), strength
    best[np.abs(best) < DUST] = 0.0
    return Possible(np.asarray(task.own + task.change @ best), price, pull)


@dataclass(frozen=True, eq=False)
class _Pulled:
    """A body of the file: its pseudo-inertia (4, 4), and how unknowns change it (4, 4, f)."""

    file: Array
    change: Array

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of the divergence tr(F^-1 P) - log det P at unknowns."""
        P = self.file + self.change @ x
        root = np.linalg.inv(np.linalg.cholesky(P))
        turned = root @ self.change.transpose(2, 0, 1) @ root.T  # (f, 4, 4)
        flat = turned.reshape(len(turned), -1)
        toward = np.einsum("ij,ijf->f", np.linalg.inv(self.file), self.change)
        return toward - np.einsum("fii->f", turned), flat @ flat.T


class _Task:
    """The program: unknowns x are changes of the free parameters in units of their sizes."""

    def __init__(
        self,
        robot: Robot,
        free: FreeParameters,
        base: BaseParameters,
        wanted: BaseEstimate,
        sizes: Array,
    ) -> None:
        self.robot, self.sizes = robot, sizes
        self.own = robot.parameters.values
        self.scale = free.inverse @ sizes
        self.change = free.matrix * self.scale
        self.effect = base.matrix @ self.change
        missing = wanted.estimate - base.values
        self.q = -self.effect.T @ wanted.information @ missing
        # In y = R x all directions, seen and unseen, count alike: the solver would lose the unseen ones.
        sharpness, directions = np.linalg.eigh(wanted.information)
        self.root = np.sqrt(np.maximum(sharpness, 0.0))[:, None] * directions.T @ self.effect

    def misfit(self, x: Array) -> float:
        """What the squared residuals are above those of the estimate, but for a constant."""
        return float(((self.root @ x) ** 2).sum() + 2 * self.q @ x)

    @cached_property
    def cones(self) -> tuple[Array, Array, list[Any]]:
        import clarabel

        return _constraints(self.robot, self.change, self.own, self.sizes, clarabel)

    @cached_property
    def bodies(self) -> list[_Pulled]:
        """Of the file, as far as it has them, a little thicker: sheets and rods have no volume."""
        found = []
        thick = THICKNESS * self.robot.size
        for k in body_places(self.robot):
            parameters = np.eye(len(self.own))[k : k + len(BODY)]
            P = pseudo_inertia(parameters @ self.own)
            if P[3, 3] <= LIGHTEST * self.sizes[k]:
                continue
            about = P[:3, :3] - np.outer(P[:3, 3], P[:3, 3]) / P[3, 3]
            if np.linalg.eigvalsh(about)[0] < 0:
                continue  # of no body; the constraints alone hold it
            P[:3, :3] += thick**2 * P[3, 3] * np.eye(3)
            change = pseudo_inertia(parameters @ self.change)
            found.append(_Pulled(P, change))
        return found

    def pulled(self, x: Array, strength: float) -> Array:
        """Toward the file's bodies, from x on."""
        for _ in range(ROUNDS):
            x = self.solved(x, strength)
        return x

    def solved(self, x: Array, strength: float) -> Array:
        """Nearest to the estimate, and to the file by the divergence as it is about x."""
        import clarabel
        from scipy.sparse import csc_matrix, eye

        parts = [self.root, WEAK * np.eye(len(x))] if strength else [self.root, np.eye(len(x))]
        q = self.q.copy()
        for body in self.bodies if strength else []:
            gradient, hessian = body.slopes(x)
            sharpness, directions = np.linalg.eigh(strength * hessian)
            parts.append(np.sqrt(np.maximum(sharpness, 0.0))[:, None] * directions.T)
            q += strength * (gradient - hessian @ x)
        R = np.linalg.qr(np.concatenate(parts), mode="r")
        back = np.asarray(np.linalg.inv(R))
        best = -back.T @ q
        G, h, cones = self.cones
        G = G @ back
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        # It looks for the way from the best y without constraints, which is short, to a possible one.
        solver = clarabel.DefaultSolver(
            eye(len(x), format="csc"), np.zeros(len(x)), csc_matrix(-G), h + G @ best, cones, settings
        )
        solution = solver.solve()
        if str(solution.status) not in SOLVED and not solution.r_prim < NEARLY:
            raise LinkworkError(
                f"no physically possible parameters were found near the estimate ({solution.status}). "
                "Is the log one of this robot, with efforts in N m and N and the signs of its joints?"
            )
        return np.asarray(back @ (best + np.array(solution.x)))


def body_places(robot: Robot) -> list[int]:
    """Where the ten parameters of bodies begin, but those of points and rods."""
    names = robot.parameters.names
    points = {part.name for part in robot.mechanism.parts if part.point}
    found = []
    for k, name in enumerate(names):
        owner, _, kind = name.rpartition(".")
        if kind == BODY[0] and owner not in points and names[k + 2].endswith(f".{BODY[2]}"):
            found.append(k)
    return found


def reaches(robot: Robot) -> dict[str, float]:
    """How far from the origin of its frame the mass of a body may be (RMS), by the size of its link."""
    model = robot.mechanism
    most = WIDEST * robot.size
    found = {}
    for part in model.parts:
        at = [joint.at for joint in model.joints if part.name in joint.joins]
        body = part.body
        spread = np.sqrt(np.trace(body.inertia) / 2 / body.mass) if body.mass else 0.0
        ways = [float(np.linalg.norm(point - part.frame.p)) for point in (*at, body.center_of_mass)]
        found[part.name] = min(most, BEYOND * (max(ways) + float(spread)) + MARGIN * robot.size)
    return found


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
    within = reaches(robot) if is_tree(robot.mechanism) else {}
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
        size = within.get(owner, WIDEST * robot.size)
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
