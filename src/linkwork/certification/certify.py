"""Certificates: whether every position of a region keeps all limits and meets no singularity."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.certification.areas import Area
from linkwork.certification.boxes import Array, Boxes, joined
from linkwork.certification.certificate import stated, write_certificate
from linkwork.certification.checks import checks_of
from linkwork.certification.enclosed import Demands, Enclosed
from linkwork.certification.region import Ranges, described, region_of
from linkwork.certification.resume import keeping, saved
from linkwork.certification.search import begun, search
from linkwork.certification.tolerances import Given, Tolerances, tolerances_of
from linkwork.core.arguments import not_negative, numbers, positive, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.progress import progress_bar
from linkwork.core.text import number
from linkwork.model.robot_files import robot_digest
from linkwork.motion.trajectory import Trajectory
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Robot

Verdict = Literal["proven", "refuted", "undecided"]
STEPS = 1000  # of the progress bar


@dataclass(frozen=True, eq=False)
class Certification:
    """What is known of a region.

    verdict: "proven" if every position keeps everything in `conditions`, "refuted" if `witness`
    breaks one for sure, else "undecided".
    witness, broken: a position by coordinate names, with numbers of the robot that have tolerances, and
    what it breaks; None unless refuted. Of a path, `time` is when [s].
    undecided_share: of the region's volume, 0 if proven; 1 less the proven share if refuted.
    proven_boxes, undecided_boxes: (N, 2, k), lower and upper ends of `parameters`: the coordinates,
    rotations by roll, pitch and yaw, or how far a path has gone, then numbers with tolerances.
    evaluations, seconds: what it took.
    """

    robot: Robot
    region: dict[str, tuple[float, float]]
    verdict: Verdict
    conditions: tuple[str, ...]
    witness: dict[str, float] | None
    broken: str | None
    undecided_share: float
    proven_boxes: Array
    undecided_boxes: Array
    evaluations: int
    seconds: float
    demands: Demands
    area: Area
    tolerances: Tolerances
    at: Array | None = None  # parameters of the witness

    @property
    def parameters(self) -> tuple[str, ...]:
        """What boxes are made of."""
        own = ("path",) if self.area.moves else tuple(self.region)
        return (*own, *self.tolerances.labels)

    @property
    def time(self) -> float | None:
        """When the witness is passed [s], if the region is a path."""
        return None if self.at is None else self.area.time(self.at)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a certificate (.json), which `linkwork certify --check FILE` checks independently."""
        write_certificate(
            path,
            self.robot.model,
            {
                "region": {name: list(ends) for name, ends in self.region.items()},
                **stated(self.demands, self.area, self.tolerances),
            },
            {
                "conditions": list(self.conditions),
                "verdict": self.verdict,
                "witness": None if self.witness is None else list(self.witness.values()),
                "at": None if self.at is None else self.at.tolist(),
                "broken": self.broken,
            },
            self.proven_boxes,
        )

    def __str__(self) -> str:
        told = f"{self.robot.name}: {self.verdict}"
        if self.witness is not None:
            at = ", ".join(f"{name} {number(value, 9)}" for name, value in self.witness.items())
            when = "" if self.time is None else f" after {number(self.time, 6)} s"
            return f"{told}: not kept: {self.broken}, at {at}{when}"
        if self.verdict == "undecided":
            told += f": {number(100 * self.undecided_share, 3)} % of the region is left open"
        return f"{told} ({len(self.conditions)} conditions, {self.evaluations} boxes)"


@checked
def certify(
    robot: Robot,
    region: Ranges | Trajectory[Any] | str | os.PathLike[str],
    *,
    condition: float | None = None,
    singularities: bool | None = None,
    leg_diameter: float = 0.0,
    wrench: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    tolerances: Given | None = None,
    boxes: int = 2_000_000,
    smallest: float = 1e-4,
    resume: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Certification:
    """Prove that a robot keeps its limits at every position of a region, or find one that does not.

    Proofs are by interval arithmetic on the robot's exact kinematics and statics with outward rounding:
    not samples. Asked are positions of joints and cylinders, cone angles of a platform's joints,
    singularities, and efforts at rest, as far as the robot file has limits. Of a motion, all of it is
    asked, between the samples too, and efforts are those that it needs, without friction.

    Args:
        region: {coordinate: [low, high]}, absolute, in SI units or with units ("10 deg"), or the path
            of a YAML file of this form. Coordinates that are not named stay at home. Beside ranges,
            {"cylinder": {"center": {"x": 0, "y": 0}, "radius": 0.2}} or a "sphere" of three positions;
            instead of them a motion, or {"path": motion or its file, "tube": 0.001, "turn": "0.1 deg"}
            with how far lengths and angles may be from it. What follows may stand in the file, too.
        condition: the greatest condition number (`robot.condition_number`).
        singularities: whether the region must be free of singularities. True unless the coordinates
            are the motors, as those of arms, which are asked only with `condition`.
        leg_diameter: [m] of a platform's legs; they must not touch.
        wrench: force and moment on the tool, in its axes, that the actuators hold: (6,), or lowest and
            highest (2, 6).
        acceleration: of the coordinates, from rest, or beside that of a motion, likewise (d,) or (2, d).
        tolerances: fields of the robot file that are known between bounds only, {"platform.mass": [39,
            41]}, or by how much they may differ, {"legs.base_point": 1e-4}; and {"payload": [0, 10]}
            [kg] at the tool's origin. What is proven holds for all of them together.
        boxes: evaluations at most, those of an earlier search too; what is left then stays undecided.
        smallest: share of the region's width below which boxes are not halved further.
        resume: a file (.npz) that keeps what is known, also after Ctrl-C; the same call goes on from it.
        progress: whether a bar is shown; on a terminal after a second if None.
    """
    started = time.perf_counter()
    area, beside = region_of(robot, region)
    condition = beside.get("condition") if condition is None else condition
    wrench = beside.get("wrench") if wrench is None else wrench
    acceleration = beside.get("acceleration") if acceleration is None else acceleration
    by_default = condition is not None or not robot.moved_by_motors
    asked = by_default if singularities is None else singularities
    most = np.inf if condition is None else positive(condition, "condition", "1")
    if most < 1:
        raise InputError(f"condition = {condition!r}: no condition number is below 1.")
    thick = not_negative(leg_diameter or beside.get("leg_diameter", 0.0), "leg_diameter", "m")
    if thick and not isinstance(robot, Platform):
        raise InputError(f"leg_diameter: {robot.name} is not a Stewart platform.")
    limit = whole(boxes, "boxes", 1)
    least = positive(smallest, "smallest", "1")
    known = tolerances_of(robot, beside.get("tolerances") if tolerances is None else tolerances)
    area = replace(area, fields=known.ends)
    demands = Demands(
        most if asked else None,
        thick,
        load_range(wrench, "wrench", 6),
        load_range(acceleration, "acceleration", robot.dof),
        area.moves,
    )
    enclosed = Enclosed(robot, known)
    checks, closed = checks_of(enclosed, demands), enclosed.loops.closed
    if not checks:
        raise InputError(
            f"{robot.name} has no limits to certify; add them to its file, or ask for a condition "
            "number."
        )
    question = _digest(robot, area, demands, known)
    found = None if resume is None else saved(resume, question, area.whole.low.shape[1])
    if found is None:
        found = begun(checks, area, closed)
    with progress_bar(STEPS, "proven", progress) as tell, keeping(resume, question, found) as between:
        known_share = sum(float(area.shares(part).sum()) for part in found.proven)
        tell(round(STEPS * known_share))
        weights = area.weights(enclosed.weights)
        advance = lambda share: tell(round(STEPS * share))  # noqa: E731
        search(found, checks, area, closed, weights, limit, least, advance, between)
    proven, left = (_stacked(parts, area) for parts in (found.proven, found.open))
    share = min(1.0, float(sum(area.shares(part).sum() for part in found.open)))
    if found.witness is not None:
        verdict: Verdict = "refuted"
        share = max(0.0, 1 - float(sum(area.shares(part).sum() for part in found.proven)))
    else:
        verdict = "undecided" if found.open else "proven"
    ranges = described(robot, area.ranges)
    names = (*ranges, *known.labels)
    witness = None
    if found.witness is not None:
        witness = dict(zip(names, found.witness.tolist(), strict=True))
    return Certification(
        robot=robot,
        region=ranges,
        verdict=verdict,
        conditions=tuple(part for check in checks for part in check.parts),
        witness=witness,
        broken=found.broken,
        undecided_share=share,
        proven_boxes=proven,
        undecided_boxes=left,
        evaluations=found.evaluations,
        seconds=time.perf_counter() - started,
        demands=demands,
        area=area,
        tolerances=known,
        at=found.at,
    )


def _digest(robot: Robot, area: Area, demands: Demands, known: Tolerances) -> str:
    """Of all that is asked."""
    ends = [area.ranges.low.tolist(), area.ranges.high.tolist()]
    asked = [robot_digest(robot.model), ends, stated(demands, area, known)]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def _stacked(parts: list[Boxes], area: Area) -> Array:
    if not parts:
        return np.empty((0, 2, area.whole.low.shape[1]))
    boxes = joined(parts)
    return np.stack([boxes.low, boxes.high], axis=1)


def load_range(given: ArrayLike | None, name: str, size: int) -> Array:
    """Lowest and highest values (2, size)."""
    values = np.zeros(size) if given is None else numbers(given, name)
    if values.shape == (size,):
        values = np.stack([values, values])
    if values.shape != (2, size) or (values[0] > values[1]).any():
        raise InputError(
            f"{name} has shape {values.shape}: expected ({size},), or (2, {size}), lowest then highest."
        )
    return values
