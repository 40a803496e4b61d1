"""What a mechanism can do, found in numbers: its freedoms, and which coordinates follow others linearly.

A structural count does not serve: a planar loop has five equations of which two matter. So loops are
closed numerically at random places about home, ranks tell the freedoms, and relations between
coordinates (a platform that keeps its orientation, parallelograms, mimic joints, mirrored halves) are
read off the samples and confirmed at others farther from home.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.mechanics.mechanism.planning.spanning import Spanning
from linkwork.model.geometry import Array
from linkwork.model.mechanism import MechanismModel

SAMPLES = 24
SPREAD = 0.12  # of samples about home [rad, or of the size]
FAR = 0.35  # of those that confirm
CONFIRMING = 3
CLOSED = 1e-12  # residual of a closed loop, of the size
RANK = 1e-7  # singular values below this share of the largest vanish
RESIDUAL = 1e-9  # of a relation
EXACT = 1e-12  # of one whose lengths were not rounded
TWELFTHS = 12


class MobilityError(Exception):
    """A mechanism that does not move as its coordinates say; the text tells what does or does not."""


@dataclass(frozen=True, eq=False)
class ClosedStates:
    """States with all loops closed: coordinates by name, and the places of all bodies (k, n, 3, 4)."""

    values: dict[str, Array]
    places: dict[str, Array]


@dataclass(frozen=True, eq=False)
class Relation:
    """coordinate = sum of ratio * other coordinate, all zero at home; exact: but for rounding."""

    terms: tuple[tuple[str, float], ...]
    exact: bool


@dataclass(frozen=True, eq=False)
class Analysis:
    """A mechanism's samples; `of` raises MobilityError where its coordinates are not right."""

    model: MechanismModel
    spanning: Spanning
    samples: ClosedStates
    confirming: ClosedStates
    far: bool  # whether the confirming states are as far from home as they should be

    @staticmethod
    def of(model: MechanismModel) -> Analysis:
        spanning = Spanning.of(model)
        solver = _Closing(spanning)
        solver.check_mobility(np.zeros(len(spanning.freedoms)), "at home")
        rng = np.random.default_rng(0)
        near = solver.samples(rng, SAMPLES, SPREAD)
        for q in near[:3]:
            solver.check_mobility(q, "near home")
        far = solver.samples(rng, CONFIRMING, FAR)
        return Analysis(
            model, spanning, solver.gathered(near), solver.gathered(far), solver.reach >= SPREAD
        )

    @cached_property
    def scale(self) -> dict[str, float]:
        """Units in which coordinates are compared: radians, or the size of the machine."""
        turns = {freedom.name: freedom.turns for freedom in self.spanning.freedoms}
        turns |= {joint.name: joint.is_revolute for joint in self.model.joints}
        return {name: 1.0 if turns.get(name) else self.model.size for name in self.samples.values}

    def relation(self, name: str, known: list[str]) -> Relation | None:
        """How a coordinate follows at most three known ones linearly; None if it does not."""
        target = self.samples.values[name] / self.scale[name]
        if np.abs(target).max() < RESIDUAL:
            return self._confirmed(name, ())
        usable = [each for each in known if np.abs(self.samples.values[each]).max() > RESIDUAL]
        for count in (1, 2, 3):
            for some in itertools.combinations(usable, count):
                ratios = self._fitted(target, some)
                if ratios is None:
                    continue
                terms = tuple(
                    (each, ratio * self.scale[name] / self.scale[each])
                    for each, ratio in zip(some, ratios, strict=True)
                )
                found = self._confirmed(name, terms) if all(ratio for _, ratio in terms) else None
                if found is not None:
                    return found
        return None

    def _fitted(self, target: Array, some: tuple[str, ...]) -> list[float] | None:
        columns = np.stack([self.samples.values[each] / self.scale[each] for each in some], axis=1)
        ratios = np.linalg.lstsq(columns, target, rcond=None)[0]
        if np.abs(columns @ ratios - target).max() > RESIDUAL:
            return None
        snapped = np.round(ratios * TWELFTHS) / TWELFTHS
        near = np.abs(snapped - ratios) < 1e-7
        return [float(s if close else r) for s, r, close in zip(snapped, ratios, near, strict=True)]

    def _confirmed(self, name: str, terms: tuple[tuple[str, float], ...]) -> Relation | None:
        """The same relation near and far from home."""
        error = 0.0
        for values in (self.samples.values, self.confirming.values):
            total = sum((ratio * values[each] for each, ratio in terms), np.zeros(len(values[name])))
            error = max(error, float(np.abs(values[name] - total).max()) / self.scale[name])
        return Relation(terms, error < EXACT and self.far) if error < 10 * RESIDUAL else None


class _Closing:
    """Closes loops numerically and judges ranks."""

    def __init__(self, spanning: Spanning) -> None:
        self.spanning = spanning
        self.model = spanning.model
        self.closures, self.values = spanning.functions
        turns = np.array([freedom.turns for freedom in spanning.freedoms])
        self.units = np.where(turns, 1.0, self.model.size)
        self.targets = np.array([self._unit(each.name) for each in self.model.coordinates])
        self.reach = 0.0  # how far from home the last samples went

    def _unit(self, name: str) -> float:
        joints = {joint.name: joint.is_revolute for joint in self.model.joints}
        turns = joints.get(name, name.rpartition(".")[2] in ("roll", "pitch", "yaw"))
        return 1.0 if turns else self.model.size

    def check_mobility(self, q: Array, where: str) -> None:
        """Whether the declared coordinates, and they alone, determine how everything moves."""
        _, J, _, C = (np.array(each) for each in self.closures(q))
        J, C = J * self.units / self.model.size, C * self.units / self.targets[:, None]
        declared, names = len(self.model.coordinates), np.array(self.spanning.names)
        null = _null_space(J)
        count, head = null.shape[1], f"{self.model.name} {where}"
        freely = _null_space(np.vstack([J, C]))
        rows = np.abs(C @ null)
        still = [
            each.name
            for each, row in zip(self.model.coordinates, rows, strict=True)
            if row.size == 0 or row.max() < 1e-7
        ]
        if freely.shape[1]:
            # Of whichever basis; alike ones in the order of the file, whatever rounding says.
            size = np.linalg.norm(freely, axis=1).round(6)
            moving = [str(names[k]) for k in np.argsort(-size, kind="stable") if size[k] > 1e-6]
            text = f"{head}: with the coordinates held, {', '.join(moving)} still move"
            text += f", and {', '.join(still)} cannot move" if still else ""
            raise MobilityError(f"{text}: {_compared(count, declared)}")
        if count < declared:
            if still:
                text = f"{head}: {', '.join(still)} cannot move"
            else:
                together = ", ".join(each.name for each in self.model.coordinates)
                text = f"{head}: {together} depend on each other"
            raise MobilityError(f"{text}: {_compared(count, declared)}")

    def closed(self, c: Array, start: Array) -> Array | None:
        """q with all loops closed at coordinates c, by damped Gauss-Newton; None if it fails."""
        q = start.copy()
        for _ in range(60):
            phi, J, now, C = (np.array(each) for each in self.closures(q))
            error = np.concatenate([phi.ravel() / self.model.size, (now.ravel() - c) / self.targets])
            if not np.isfinite(error).all():
                return None
            if np.abs(error).max() < CLOSED:
                return q
            matrix = np.vstack([J / self.model.size, C / self.targets[:, None]]) * self.units
            step = np.linalg.lstsq(matrix, -error, rcond=RANK)[0]
            q = q + self.units * step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
        return q if np.abs(error).max() < 100 * CLOSED else None

    def samples(self, rng: np.random.Generator, count: int, spread: float) -> list[Array]:
        found: list[Array] = []
        for shrink in itertools.count():
            if shrink > 12 * count:
                raise MobilityError(
                    f"{self.model.name}: its loops cannot be closed about home, which may be singular; "
                    "check the points of its joints, or draw it in another configuration."
                )
            away = rng.uniform(-1, 1, len(self.targets)) * spread * self.targets
            away = away * 0.7 ** (shrink // count)
            q = self.closed(away, np.zeros(len(self.units)))
            if q is not None:
                found.append(q)
            if len(found) == count:
                self.reach = spread * 0.7 ** (shrink // count)
                return found
        raise AssertionError

    def gathered(self, states: list[Array]) -> ClosedStates:
        values, places = [], []
        for q in states:
            value, _, place = (np.array(each) for each in self.values(q))
            values.append(value.ravel())
            places.append(place.reshape(-1, 3, 4))
        table, where = np.array(values), np.array(places)
        names = self.spanning.all_names
        parts = [part.name for part in self.model.parts]
        return ClosedStates(
            {name: table[:, k] for k, name in enumerate(names)},
            {name: where[:, k] for k, name in enumerate(parts)},
        )


def _null_space(matrix: Array) -> Array:
    if matrix.shape[0] == 0:
        return np.eye(matrix.shape[1])
    _, sizes, rows = np.linalg.svd(matrix)
    rank = int((sizes > RANK * max(float(sizes.max(initial=0.0)), 1.0)).sum())
    null: Array = rows[rank:].T
    return null


def _compared(count: int, declared: int) -> str:
    freedoms = f"{count} freedom" + ("" if count == 1 else "s")
    return f"the mechanism has {freedoms}, {declared} {'is' if declared == 1 else 'are'} declared."
