"""Where a robot's joints, axes, rods and zeros really are, from measured poses of its tool.

Gauss-Newton over the deviations of the geometry, by exact derivatives and solved positions of the
deviating machine. What the measured poses can tell is decided by the singular values of the
identification Jacobian, in units of noise and of what is plausible: a combination is told if its
standard deviation is below the plausible size. Deviations that act only together with others stay at the
file's values, and the others are those combinations. Plausible sizes are also a weak prior, which keeps
what the poses hardly tell from running away, and intervals know how far it holds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import quaternion_of
from linkwork.identification.calibration_fit import CalibrationFit, told_terms
from linkwork.identification.measured_poses import MeasuredPoses, measured_poses
from linkwork.kinematics.assembled import Assembled, rotation_matrix
from linkwork.kinematics.deviations import FRAME, Deviation
from linkwork.kinematics.redrawn import redrawn
from linkwork.model.geometry import Transform
from linkwork.robot.base_parameters import shortened_sum, sum_in_words
from linkwork.robot.robot import Array, Robot


class Noise(NamedTuple):
    """Standard deviations of measured places [m] and, if measured, of angles [rad]."""

    position: float
    angle: float | None


@dataclass(frozen=True, eq=False)
class Calibration:
    """What measured poses tell of a robot's geometry.

    `names` are b combinations of deviations with their `values`, `deviation` (standard) and `interval`
    (b, 2); `matrix` (b, k) leads from all `deviations` to them. `singular_values` are those of the
    identification Jacobian: how many standard deviations of noise a plausible deviation amounts to.
    `before`, `after` (N, 6) are displacements and rotations of the tool that are left, `left_out` those
    of every pose if it is not used itself. `frame` is the frame of measurement in base axes.
    """

    robot: Robot
    measured: MeasuredPoses
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    deviation: Array
    interval: Array
    matrix: Array
    deviations: tuple[Deviation, ...]
    estimate: Array
    singular_values: Array
    noise: Noise
    before: Array
    after: Array
    left_out: Array
    frame: Array
    confidence: float

    @property
    def rank(self) -> int:
        """How many combinations are told."""
        return len(self.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names with their first terms only."""
        return tuple(map(shortened_sum, self.names))

    @cached_property
    def shown(self) -> dict[str, str]:
        """Of every deviation by name: "alone", "in a combination" or "not at all"."""
        words = {}
        for k, each in enumerate(self.deviations):
            row = np.flatnonzero(self._told[:, k])
            alone = len(row) == 1 and np.count_nonzero(self._told[row[0]]) == 1
            words[each.name] = "alone" if alone else "in a combination" if len(row) else "not at all"
        return words

    @property
    def _told(self) -> Array:
        return told_terms(self.matrix, self.deviations, self.robot.size)

    @cached_property
    def calibrated(self) -> Robot:
        """The robot as it was found; its rigid parts must fit together."""
        return redrawn(Assembled(self.robot), self.estimate)

    def __str__(self) -> str:
        before, after = (1e3 * rms(each[:, :3]) for each in (self.before, self.left_out))
        return (
            f"{self.robot.name}: {self.rank} combinations of {len(self.deviations)} deviations from "
            f"{len(self.measured)} poses; error of the tool {before:.4g} mm by the file, {after:.4g} mm "
            "calibrated, at poses that are left out in turn"
        )


@checked
def calibrate(
    robot: Robot,
    measured: Mapping[str, ArrayLike] | str | os.PathLike[str],
    *,
    frame: bool = False,
    columns: Mapping[str, str] | None = None,
    confidence: float = 0.95,
) -> Calibration:
    """The geometry of any robot whose motors hold it, from measured poses of its tool.

    Args:
        measured: a .csv with readings of the motors (as motion files have positions) and places of the
            tool, with orientation if it was measured; or arrays `readings` and `poses`.
        frame: the frame of measurement is not known: it is found from the poses.
        columns: what columns of the .csv are called there.
        confidence: of the intervals, for normal noise that is independent from pose to pose.
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence = {confidence!r}: expected a number between 0 and 1.")
    from scipy.stats import t as student

    machine = Assembled(robot)
    data = measured_poses(robot, measured, columns)
    fit = CalibrationFit.of(machine, data, frame)
    found = fit.solved()
    kept, r = found.kept, fit.measures
    half = student.ppf((1 + confidence) / 2, found.after.size - len(kept)) * found.deviation
    names = tuple(each.name for each in fit.deviations)
    told = told_terms(found.matrix, fit.deviations, robot.size)
    values, estimate = found.values[kept], fit.every(found.values)
    return Calibration(
        robot=robot,
        measured=data,
        names=tuple(sum_in_words(row, names, k) for row, k in zip(told, kept, strict=True)),
        units=tuple(fit.deviations[k].unit for k in kept),
        values=values,
        deviation=found.deviation,
        interval=np.stack([values - half, values + half], axis=1),
        matrix=found.matrix,
        deviations=fit.deviations,
        estimate=estimate,
        singular_values=found.singular_values,
        noise=Noise(float(found.noise[0]), float(found.noise[3]) if r == 6 else None),
        before=found.before,
        after=found.after,
        left_out=found.left_out,
        frame=_frame_pose(machine, fit.frame, estimate),
        confidence=confidence,
    )


def _frame_pose(machine: Assembled, start: Transform, estimate: Array) -> Array:
    """Pose (7,) of the frame of measurement in base axes."""
    owners = [(each.owner, each.kind) for each in machine.deviations]
    shift, turn = (
        estimate[[each == (FRAME, kind) for each in owners]] for kind in ("position", "direction")
    )
    seen = (start @ Transform.of(rotation_matrix(turn), shift)).inverse()
    return np.concatenate([seen.p, quaternion_of(seen.R)])


def rms(rows: Array) -> float:
    """Root of the mean square of the lengths of rows."""
    return float(np.sqrt((rows**2).sum(axis=1).mean()))
