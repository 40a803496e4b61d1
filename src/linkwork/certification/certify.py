"""Certificates: whether every position of a region keeps all limits and meets no singularity."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.certification.boxes import Array, Boxes, joined
from linkwork.certification.certificate import write_certificate
from linkwork.certification.checks import checks_of
from linkwork.certification.enclosed import Demands, Enclosed
from linkwork.certification.region import Ranges, described, region_of
from linkwork.certification.search import search
from linkwork.core.arguments import not_negative, numbers, positive, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.progress import progress_bar
from linkwork.core.text import number
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Robot

Verdict = Literal["proven", "refuted", "undecided"]
STEPS = 1000  # of the progress bar


@dataclass(frozen=True, eq=False)
class Certification:
    """What is known of a region.

    verdict: "proven" if every position keeps everything in `conditions`, "refuted" if `witness`
    breaks one for sure, else "undecided".
    witness, broken: a position by coordinate names, and what it breaks; None unless refuted.
    undecided_share: of the region's volume, 0 if proven; 1 less the proven share if refuted.
    proven_boxes, undecided_boxes: (N, 2, d), lower and upper ends, rotations by roll, pitch and yaw.
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a certificate (.json), which `linkwork certify --check FILE` checks independently."""
        write_certificate(
            path,
            self.robot.model,
            self.region,
            self.demands,
            self.conditions,
            self.verdict,
            self.witness,
            self.broken,
            self.proven_boxes,
        )

    def __str__(self) -> str:
        told = f"{self.robot.name}: {self.verdict}"
        if self.witness is not None:
            at = ", ".join(f"{name} {number(value, 9)}" for name, value in self.witness.items())
            return f"{told}: not kept: {self.broken}, at {at}"
        if self.verdict == "undecided":
            told += f": {number(100 * self.undecided_share, 3)} % of the region is left open"
        return f"{told} ({len(self.conditions)} conditions, {self.evaluations} boxes)"


@checked
def certify(
    robot: Robot,
    region: Ranges | str | os.PathLike[str],
    *,
    condition: float | None = None,
    singularities: bool | None = None,
    leg_diameter: float = 0.0,
    wrench: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    boxes: int = 2_000_000,
    smallest: float = 1e-4,
    progress: bool | None = None,
) -> Certification:
    """Prove that a robot keeps its limits at every position of a region, or find one that does not.

    Proofs are by interval arithmetic on the robot's exact kinematics and statics with outward rounding:
    not samples. Asked are positions of joints and cylinders, cone angles of a platform's joints,
    singularities, and efforts at rest, as far as the robot file has limits.

    Args:
        region: {coordinate: [low, high]}, absolute, in SI units or with units ("10 deg"), or the path
            of a YAML file of this form. Coordinates that are not named stay at home.
        condition: the greatest condition number (`robot.condition_number`).
        singularities: whether the region must be free of singularities. True unless the coordinates
            are the motors, as those of arms, which are asked only with `condition`.
        leg_diameter: [m] of a platform's legs; they must not touch.
        wrench: force and moment on the tool, in its axes, that the actuators hold: (6,), or lowest and
            highest (2, 6).
        acceleration: of the coordinates, from rest, likewise (d,) or (2, d).
        boxes: evaluations at most; what is left then stays undecided.
        smallest: share of the region's width below which boxes are not halved further.
        progress: whether a bar is shown; on a terminal after a second if None.
    """
    by_default = condition is not None or not robot.moved_by_motors
    asked = by_default if singularities is None else singularities
    most = np.inf if condition is None else positive(condition, "condition", "1")
    if most < 1:
        raise InputError(f"condition = {condition!r}: no condition number is below 1.")
    thick = not_negative(leg_diameter, "leg_diameter", "m")
    if thick and not isinstance(robot, Platform):
        raise InputError(f"leg_diameter: {robot.name} is not a Stewart platform.")
    demands = Demands(
        most if asked else None,
        thick,
        _between(wrench, "wrench", 6),
        _between(acceleration, "acceleration", robot.freedoms),
    )
    limit = whole(boxes, "boxes", 1)
    least = positive(smallest, "smallest", "1")
    begun = time.perf_counter()
    area = region_of(robot, region)
    enclosed = Enclosed(robot)
    checks = checks_of(enclosed, demands)
    if not checks:
        raise InputError(
            f"{robot.name} has no limits to certify; add them to its file, or ask for a condition "
            "number."
        )
    weights = np.where(enclosed.scale == 1.0, 1.0 / robot.length_scale, 1.0)
    with progress_bar(STEPS, "proven", progress) as tell:
        found = search(checks, area, weights, limit, least, lambda share: tell(round(STEPS * share)))
    proven, left = (_stacked(parts, area) for parts in (found.proven, found.undecided))
    share = float(sum(part.shares(area).sum() for part in found.undecided))
    if found.witness is not None:
        verdict: Verdict = "refuted"
        share = 1 - float(sum(part.shares(area).sum() for part in found.proven))
    else:
        verdict = "undecided" if found.undecided else "proven"
    names = robot.coordinates.by_angles.names
    witness = None
    if found.witness is not None:
        witness = dict(zip(names, found.witness.tolist(), strict=True))
    return Certification(
        robot=robot,
        region=described(robot, area),
        verdict=verdict,
        conditions=tuple(part for check in checks for part in check.parts),
        witness=witness,
        broken=found.broken,
        undecided_share=share,
        proven_boxes=proven,
        undecided_boxes=left,
        evaluations=found.evaluations,
        seconds=time.perf_counter() - begun,
        demands=demands,
    )


def _stacked(parts: list[Boxes], region: Boxes) -> Array:
    if not parts:
        return np.empty((0, 2, region.low.shape[1]))
    boxes = joined(parts)
    return np.stack([boxes.low, boxes.high], axis=1)


def _between(given: ArrayLike | None, name: str, size: int) -> Array:
    """Lowest and highest values (2, size)."""
    values = np.zeros(size) if given is None else numbers(given, name)
    if values.shape == (size,):
        values = np.stack([values, values])
    if values.shape != (2, size) or (values[0] > values[1]).any():
        raise InputError(
            f"{name} has shape {values.shape}: expected ({size},), or (2, {size}), lowest then highest."
        )
    return values
