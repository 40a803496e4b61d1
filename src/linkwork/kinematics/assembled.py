"""Where bodies and tool stand when a machine deviates from its file and its motors hold their readings.

Unknown are the places of all bodies; what joins them gives the equations, in maximal coordinates. The
sensitivity to a deviation is exact, `solved` goes all the way by Newton's method. Where rigid parts
cannot be put together (more constraints than freedoms), the least squares of all gaps are taken: play
or elasticity share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.rotations import from_vector, quaternion_of, rotation_of, to_vector
from linkwork.kinematics import closure_rows as rows_of
from linkwork.kinematics.closure_rows import Rows, Side
from linkwork.kinematics.deviations import (
    FRAME,
    TOOL,
    Deviation,
    DeviationKind,
    Tie,
    acts_as_ball,
    deviations_of,
    drawn,
    tool_of,
)
from linkwork.model.mechanism import BASE, Cylinder, Rod, motor_terms
from linkwork.robot.compiled import Array
from linkwork.robot.limits import of_motors
from linkwork.robot.results import MechanismMotion
from linkwork.robot.robot import Robot

STEPS, NEAR = 40, 1e-12  # of Newton's method: most of them, and the last one beside the machine's size
BLOCK = 4_000_000  # numbers of a matrix at a time
RANK = 1e-9  # of singular values


Sides = dict[tuple[str, bool], Side]


class Placed(NamedTuple):
    """Displacements of bodies from home, the base last: rotations (N, bodies, 3, 3) and ways
    (N, bodies, 3); place (N, 3) and axes (N, 3, 3) of the tool in the frame of measurement."""

    R: Array
    p: Array
    tool: Array
    axes: Array

    def error_from(self, other: Placed) -> Array:
        """(N, 6): displacement and rotation vector of the tool from another position, base axes."""
        turn = self.axes @ np.swapaxes(other.axes, -1, -2)
        return np.concatenate([self.tool - other.tool, rotation_vector(turn)], axis=-1)


class Equation(NamedTuple):
    """Residuals (N, k), and what they feel of both sides of ties and of deviations by their numbers."""

    value: Array
    terms: list[tuple[Rows, Tie]]
    own: list[tuple[int, float]]


@dataclass(frozen=True, eq=False)
class Assembled:
    """The mechanism of a robot as parts that are put together."""

    robot: Robot

    def __post_init__(self) -> None:
        if self.robot.n < self.robot.dof:
            raise InputError(
                f"{self.robot.name} has {self.robot.dof} freedoms and {self.robot.n} motors: what "
                "no motor holds has no position of its own; drive it, or fix it."
            )

    @cached_property
    def deviations(self) -> tuple[Deviation, ...]:
        return deviations_of(self.robot)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.deviations)

    @cached_property
    def bodies(self) -> dict[str, int]:
        return {**{part.name: k for k, part in enumerate(self.robot.mechanism.parts)}, BASE: -1}

    @cached_property
    def _places(self) -> dict[tuple[str, bool, DeviationKind], list[int]]:
        """Which deviations a side has."""
        found: dict[tuple[str, bool, DeviationKind], list[int]] = {}
        for k, each in enumerate(self.deviations):
            found.setdefault((each.owner, each.end, each.kind), []).append(k)
        return found

    # Positions by the file.

    @cached_property
    def zero(self) -> Array:
        """What the motors read where the mechanism is drawn, (n,)."""
        home = np.asarray(self.robot.home, dtype=np.float64)[None]
        read = self.robot.actuator_motion(home).position
        return np.asarray(read[0] - self._motors(home)[0])

    def _motors(self, c: Array) -> Array:
        return of_motors(self.robot, self._motion(c))[0]

    def _motion(self, c: Array) -> MechanismMotion:
        still = np.zeros(self.robot.dof)
        return Robot.joint_motion(self.robot, c, still, still)

    def coordinates(self, readings: Array) -> Array:
        """Coordinates (N, d) of the file's machine at readings of its motors (N, n)."""
        if self.robot.moved_by_motors:
            places = [self.robot.efforts.names.index(name) for name in self.robot.coordinates.names]
            return np.asarray((readings - self.zero)[:, places])
        return np.asarray(self.robot.forward_kinematics(readings))

    def nominal(self, c: Array) -> tuple[Placed, Array]:
        """Where everything is by the file at coordinates (N, d); joints and cylinders (N, k)."""
        found = self._motion(c)
        frames = [part.frame for part in self.robot.mechanism.parts]
        away = np.stack([frame.p for frame in frames])
        R = rotation_of(found.poses.reshape(-1, 7)).reshape(*found.poses.shape[:2], 3, 3)
        R = R @ np.stack([frame.R.T for frame in frames])
        p = found.poses[..., :3] - np.einsum("nbij,bj->nbi", R, away)
        points = self._points  # do not turn
        R[:, points] = np.eye(3)
        p[:, points] = found.poses[:, points, :3] - away[points]
        R = np.concatenate([R, np.broadcast_to(np.eye(3), (len(c), 1, 3, 3))], axis=1)
        p = np.concatenate([p, np.zeros((len(c), 1, 3))], axis=1)
        return self._with_tool(R, p, np.zeros((len(c), len(self.deviations)))), found.q

    @cached_property
    def _points(self) -> list[int]:
        return [k for k, part in enumerate(self.robot.mechanism.parts) if part.point]

    def _with_tool(self, R: Array, p: Array, values: Array) -> Placed:
        body, at, axes = tool_of(self.robot.mechanism)
        k = self.bodies[body]
        at = at + self._vector(values, TOOL, False, "position") @ axes.T
        turn = axes @ rotation_matrix(self._vector(values, TOOL, False, "direction"))
        place = np.einsum("nij,nj->ni", R[:, k], at) + p[:, k]
        frame = rotation_matrix(self._vector(values, FRAME, False, "direction"))
        place = np.einsum("nij,nj->ni", frame, place) + self._vector(values, FRAME, False, "position")
        return Placed(R, p, place, frame @ R[:, k] @ turn)

    def _vector(self, values: Array, owner: str, end: bool, kind: DeviationKind) -> Array:
        """The deviation of a side as a vector (N, 3)."""
        places = self._places.get((owner, end, kind), [])
        axes = np.array([self.deviations[k].axis for k in places]).reshape(-1, 3)
        return np.asarray(values[:, places] @ axes)

    # Equations.

    @cached_property
    def _drawn(self) -> dict[tuple[str, bool], tuple[Array, Array]]:
        """Sides of all ties at home."""
        model = self.robot.mechanism
        return {(tie.name, end): drawn(model, tie, end) for tie in model.ties for end in (False, True)}

    def side(self, tie: Tie, end: bool, here: Placed, values: Array) -> Side:
        """Of a tie, where its body is."""
        k = self.bodies[tie.joins[end]]
        at, axes = self._drawn[tie.name, end]
        at = at + self._vector(values, tie.name, end, "position")
        turned = here.R[:, k]
        if self._places.get((tie.name, end, "direction")):
            turned = turned @ rotation_matrix(self._vector(values, tie.name, end, "direction"))
        place = np.einsum("nij,nj->ni", here.R[:, k], at) + here.p[:, k]
        return Side(place, *np.moveaxis(turned @ axes, -1, 0))

    def _equations(self, sides: Sides, values: Array, q: Array) -> Iterator[Equation]:
        """`q` (N, k) are joints and cylinders by the file, which motors hold."""
        model, size = self.robot.mechanism, self.robot.size
        places = {each.name: k for k, each in enumerate(self.robot.elements)}
        moves: dict[str, tuple[Rows, Tie]] = {}
        for tie in model.ties:
            a, b = sides[tie.name, False], sides[tie.name, True]
            if isinstance(tie, Rod):
                rows, (k,) = rows_of.apart(a, b), self._places[tie.name, False, "length"]
                yield Equation(rows.value - tie.length - values[:, [k]], [(rows, tie)], [(k, -1.0)])
                continue
            for rows in self._locked(tie, a, b, size):
                yield Equation(rows.value, [(rows, tie)], [])
            if tie.name in places:
                moves[tie.name] = _coordinate(tie, a, b, q[:, places[tie.name]]), tie
        for coupling in model.couplings:
            terms = [(moves[name][0].times(ratio), moves[name][1]) for name, ratio in coupling.terms]
            yield Equation(sum(rows.value for rows, _ in terms), terms, [])  # type: ignore[arg-type]
        for motor, ratios in motor_terms(model).items():
            terms = [(moves[name][0].times(ratio), moves[name][1]) for name, ratio in ratios]
            held = sum(ratio * q[:, places[name]] for name, ratio in ratios)
            (k,) = self._places[motor, False, "offset"]
            value = sum(rows.value for rows, _ in terms) - np.asarray(held + values[:, k])[:, None]
            yield Equation(value, terms, [(k, -1.0)])

    def _locked(self, tie: Tie, a: Side, b: Side, size: float) -> Iterator[Rows]:
        """What a joint or a cylinder does not let move; turns times the size of the machine."""
        if isinstance(tie, Cylinder):
            if tie.hinge == "revolute":
                yield rows_of.along(a.n, a, b)
            return
        assert not isinstance(tie, Rod)
        if tie.kind == "prismatic":
            yield rows_of.along(a.u, a, b) + rows_of.along(a.w, a, b)
        else:
            yield rows_of.coincident(a, b)
        if acts_as_ball(self.robot.mechanism, tie):
            return
        if tie.kind == "universal":
            near, far = (self._drawn[tie.name, end][1] for end in (False, True))
            rows = rows_of.aligned(a.n, b.u)
            yield Rows(rows.value - near[:, 2] @ far[:, 0], rows.start, rows.end).times(size)
            return
        yield rows_of.parallel(a, b).times(size)
        if tie.kind in ("prismatic", "fixed"):
            yield rows_of.aligned(a.w, b.u).times(size)

    def _system(
        self, here: Placed, values: Array, q: Array, deviating: bool = False
    ) -> tuple[Array, Array, Array]:
        """Residuals (N, m), their derivatives by motions of all bodies and, if asked, by deviations."""
        bodies = len(self.robot.mechanism.parts)
        residuals, moved, changed = [], [], []
        ties = self.robot.mechanism.ties
        sides = {
            (tie.name, end): self.side(tie, end, here, values) for tie in ties for end in (False, True)
        }
        centers = self._centers(here)
        for value, terms, own in self._equations(sides, values, q):
            by_body = np.zeros((*value.shape, 6 * bodies))
            by_deviation = np.zeros((*value.shape, len(self.deviations) if deviating else 0))
            for rows, tie in terms:
                for end, felt in ((False, rows.start), (True, rows.end)):
                    k = self.bodies[tie.joins[end]]
                    if k >= 0:
                        lever = sides[tie.name, end].at - centers[:, k]
                        by_body[..., 6 * k : 6 * k + 6] += _of_body(felt, lever)
                    halves: tuple[tuple[DeviationKind, Array], ...]
                    halves = ("position", felt[..., :3]), ("direction", felt[..., 3:])
                    for kind, part in halves:
                        own_places = self._places.get((tie.name, end, kind), [])
                        if deviating and own_places:
                            axes = np.array([self.deviations[j].axis for j in own_places])
                            by_deviation[..., own_places] += (part @ here.R[:, k]) @ axes.T
            for k, slope in own if deviating else ():
                by_deviation[..., k] += slope
            residuals.append(value)
            moved.append(by_body)
            changed.append(by_deviation)
        J = np.concatenate(moved, axis=1)[..., self._free]
        return np.concatenate(residuals, axis=1), J, np.concatenate(changed, axis=1)

    def _centers(self, here: Placed) -> Array:
        """Where the frames of the bodies are, (N, bodies, 3)."""
        away = np.stack([part.frame.p for part in self.robot.mechanism.parts])
        return np.einsum("nbij,bj->nbi", here.R[:, :-1], away) + here.p[:, :-1]

    @cached_property
    def _free(self) -> list[int]:
        """Numbers of a motion of all bodies; points do not turn."""
        bodies = range(len(self.robot.mechanism.parts))
        return [6 * k + j for k in bodies for j in range(3 if k in self._points else 6)]

    # Solutions.

    def gaps(self, c: Array, here: Placed | None = None, values: Array | None = None) -> Array:
        """What is left of all equations (N, m): zero of the file's machine, and of any that closes."""
        nominal, q = self.nominal(c)
        own = np.zeros((len(c), len(self.deviations))) if values is None else values
        return self._system(nominal if here is None else here, own, q)[0]

    def sensitivities(
        self, c: Array, values: Array | None = None, here: Placed | None = None
    ) -> tuple[Placed, Array]:
        """Where the tool is by the file at coordinates (N, d), and its displacement and rotation by
        every deviation (N, 6, k), base axes; or of a machine with deviations, where it was solved.
        Of those, turns are taken as small."""
        nominal, q = self.nominal(c)
        if values is None or here is None:
            here, values = nominal, np.zeros((len(c), len(self.deviations)))
        _, J, by_deviation = self._system(here, values, q, deviating=True)
        motion = np.zeros((len(c), 6 * len(self.robot.mechanism.parts), len(self.deviations)))
        motion[:, self._free] = -_solution(J, by_deviation)
        k = self.bodies[tool_of(self.robot.mechanism)[0]]
        frame = rotation_matrix(self._vector(values, FRAME, False, "direction"))
        away = here.tool - self._vector(values, FRAME, False, "position")
        lever = np.einsum("nji,nj->ni", frame, away) - self._centers(here)[:, k]
        turn = motion[:, 6 * k + 3 : 6 * k + 6]
        shift = motion[:, 6 * k : 6 * k + 3] + np.cross(turn, lever[:, :, None], axis=1)
        S = np.concatenate([frame @ shift, frame @ turn], axis=1)
        base = np.broadcast_to(np.eye(3), here.axes.shape)
        for owner, directions in ((TOOL, here.axes), (FRAME, base)):
            S[:, :3, self._places[owner, False, "position"]] += directions
            S[:, 3:, self._places[owner, False, "direction"]] += directions
        around = np.cross(np.eye(3)[None], away[:, None, :])  # rows: e x way
        S[:, :3, self._places[FRAME, False, "direction"]] += np.swapaxes(around, 1, 2)
        return here, S

    def solved(self, c: Array, values: Array, guess: Placed | None = None) -> Placed:
        """Where the tool is with deviations (N, k), at what the motors read at coordinates (N, d) of the
        file's machine; NaN where no position was found. Without a guess it begins there."""
        size = max(1, BLOCK // max(1, (6 * len(self.robot.mechanism.parts)) ** 2))
        parts = []
        for start in range(0, len(values), size):
            rows = slice(start, start + size)
            near = None if guess is None else Placed(*(each[rows] for each in guess))
            parts.append(self._solved(c[rows], values[rows], near))
        return Placed(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _solved(self, c: Array, values: Array, guess: Placed | None) -> Placed:
        here, q = self.nominal(c)
        here = here if guess is None else guess
        size = self.robot.size
        done = np.zeros(len(c), dtype=bool)
        for _ in range(STEPS):
            residual, J, _ = self._system(here, values, q)
            step = np.zeros((len(c), 6 * len(self.robot.mechanism.parts)))
            step[:, self._free] = -_solution(J, residual[..., None])[..., 0]
            step[~np.isfinite(step).all(axis=1)] = 0.0
            here = self._moved(here, step.reshape(len(c), -1, 6))
            done = np.abs(step).max(axis=1) <= NEAR * max(1.0, size)
            if done.all():
                break
        found = self._with_tool(here.R, here.p, values)
        found.tool[~done] = found.axes[~done] = np.nan
        return found

    def _moved(self, here: Placed, step: Array) -> Placed:
        """All bodies after displacements and rotations about their own places."""
        turn = rotation_matrix(step[..., 3:])
        R, p, center = here.R.copy(), here.p.copy(), self._centers(here)
        R[:, :-1] = turn @ here.R[:, :-1]
        away = np.einsum("nbij,nbj->nbi", turn, here.p[:, :-1] - center)
        p[:, :-1] = center + away + step[..., :3]
        return here._replace(R=R, p=p)


def _of_body(felt: Array, lever: Array) -> Array:
    """Of a displacement and rotation of a side, by those of its body about its own place."""
    turn = felt[..., 3:] + np.cross(lever[:, None, :], felt[..., :3])
    return np.concatenate([felt[..., :3], turn], axis=-1)


def _coordinate(tie: Tie, a: Side, b: Side, near: Array) -> Rows:
    """Position of a joint or a cylinder from home."""
    if isinstance(tie, Cylinder):
        rows = rows_of.apart(a, b)
        return Rows(rows.value - tie.length, rows.start, rows.end)
    assert not isinstance(tie, Rod)
    return rows_of.along(a.n, a, b) if tie.kind == "prismatic" else rows_of.turned(a, b, near)


def _solution(J: Array, wanted: Array) -> Array:
    """X (N, u, k) of J X = wanted, in the least squares where nothing else is possible."""
    sizes = np.linalg.svd(J[:1], compute_uv=False)[0]
    if J.shape[1] < J.shape[2] or sizes[-1] <= RANK * sizes[0]:
        return np.asarray(np.linalg.pinv(J, rcond=RANK) @ wanted)
    if J.shape[1] > J.shape[2]:
        turned = np.swapaxes(J, 1, 2)
        J, wanted = turned @ J, turned @ wanted
    return np.asarray(np.linalg.solve(J, wanted))


def rotation_matrix(vectors: Array) -> Array:
    """Of rotation vectors (..., 3)."""
    quaternions = from_vector(vectors)
    return rotation_of(np.concatenate([vectors, quaternions], axis=-1).reshape(-1, 7)).reshape(
        *vectors.shape, 3
    )


def rotation_vector(matrices: Array) -> Array:
    """Of rotation matrices (..., 3, 3); NaN where these are."""
    usable = np.isfinite(matrices).all(axis=(-2, -1))
    found = np.full(matrices.shape[:-1], np.nan)
    found[usable] = to_vector(quaternion_of(matrices[usable])) if usable.any() else 0.0
    return found
