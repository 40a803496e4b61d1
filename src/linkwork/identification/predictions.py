"""Efforts of a log as they were measured and as robots have them.

Those that no possible robot explains are of another sign, unit or joint than their column says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import InputError
from linkwork.core.text import number
from linkwork.identification.log_checks import Places
from linkwork.identification.logs import Log, expected_log
from linkwork.identification.regression import moves
from linkwork.identification.smoothing import margin_of, smoothed
from linkwork.robot.robot import Array, Robot

WORSE = 2.0  # of what least squares leave: bodies that fit so much worse are others than the data's
NEGLIGIBLE = 1e-3  # of an effort's standard deviation: what a log without noise leaves
UNEXPLAINED = 0.2  # of an effort's standard deviation
NOTHING = 0.8  # of it, in every actuator: positions and efforts do not belong together
ALIKE = 0.8  # correlation of a measured effort with what the file predicts
CLEARER = 0.2  # more correlation with the prediction for another actuator than with the own one
UNIT = 50.0  # times what the file predicts, or a part of it
OTHER_WEIGHT = 1.8  # times the file's, or a share of it: other masses, or other units of efforts
LEAST_WEIGHT = 0.05  # of an effort's standard deviation: less weight says nothing
STATES = 300
IMPOSSIBLE = (
    "only bodies that cannot exist would have such efforts. Look for a wrong sign, unit or gear ratio, "
    "an offset of an encoder, another direction of gravity, a delay between positions and efforts"
)


@dataclass(frozen=True, eq=False)
class Prediction:
    """A log's efforts as measured, by the file and by the identified robot, (N, n) each.

    RMS count where an actuator moves: nearly at rest (`moving` False) friction has no clear direction.
    """

    source: str
    time: Array
    measured: Array
    before: Array
    after: Array
    moving: NDArray[np.bool_]

    @property
    def rms(self) -> Array:
        """Of what the identified robot leaves, per actuator."""
        return self._rms(self.measured - self.after)

    @property
    def rms_before(self) -> Array:
        """Of what the file's robot leaves, per actuator."""
        return self._rms(self.measured - self.before)

    def _rms(self, wrong: Array) -> Array:
        counts = np.where(self.moving.any(axis=0), self.moving, True)  # all of one that never moves
        return np.asarray(np.sqrt((counts * wrong**2).sum(axis=0) / counts.sum(axis=0)))


def prediction(before: Robot, after: Robot, log: Log, bandwidth: float) -> Prediction:
    """Of the robot of the file and of the identified one, on the same log."""
    found = []
    for part in log.parts:
        margin = margin_of(part, bandwidth)
        if len(part.time) > 2 * margin:
            motion = smoothed(before, part, bandwidth)
            inside = slice(margin, len(part.time) - margin)
            states = [values[inside] for values in motion]
            velocity = before.actuator_motion(states[0], states[1]).velocity
            carried = part.efforts_carried(before, states)
            efforts = [robot.inverse_dynamics(*states) + carried for robot in (before, after)]
            found.append((part.time[inside], part.effort[inside], *efforts, velocity))
    time, measured, by_file, by_found, velocity = (
        np.concatenate(each) for each in zip(*found, strict=True)
    )
    return Prediction(log.source, time, measured, by_file, by_found, moves(before, velocity))


def explained(
    robot: Robot, logs: Sequence[Prediction], noise: Array, telling: bool = True
) -> tuple[str, ...]:
    """What to say of efforts that stay unexplained in part; an InputError if their cause is plain.

    Args:
        noise: what least squares leave, whose bodies need not be possible.
        telling: the logs show most parameters; otherwise bodies that fit badly prove nothing.
    """
    measured = np.concatenate([log.measured for log in logs])
    left = _deviation(np.concatenate([log.measured - log.after for log in logs]), logs)
    spread = measured.std(axis=0)
    shares = left / spread
    impossible = left > np.maximum(WORSE * noise, NEGLIGIBLE * spread)
    source = logs[0].source
    if (shares > NOTHING).all():
        raise InputError(
            f"{source}: efforts do not follow from the motion: {number(100 * float(shares.min()), 2)} % "
            "of them or more stay unexplained everywhere. Were positions and efforts recorded together, "
            "and is this the robot?"
        )
    names = robot.efforts.names
    moved = np.any([log.moving.any(axis=0) for log in logs], axis=0)
    doubtful = [k for k in range(robot.n) if moved[k] and (impossible[k] or shares[k] > UNEXPLAINED)]
    # Also where the fit is good: bodies of a hundredth of the mass explain efforts of another unit.
    plain = plain_reasons(robot, logs, np.flatnonzero(moved).tolist())
    plain += [(k, IMPOSSIBLE) for k in doubtful if impossible[k] and telling]
    if plain:
        raise refused(robot, source, *plain[0])
    return tuple(
        f"{names[k]}: {number(100 * float(shares[k]), 2)} % of its effort stays unexplained; look at "
        "the residuals for a delay between positions and efforts, coarse positions, elasticity, play"
        for k in doubtful
    )


def plain_reasons(
    robot: Robot, logs: Sequence[Prediction], asked: Sequence[int]
) -> list[tuple[int, str]]:
    """Actuators whose efforts are none of theirs by what the file predicts, and why."""
    measured = np.concatenate([log.measured for log in logs])
    file = np.concatenate([log.before for log in logs])
    likeness = np.nan_to_num(np.corrcoef(measured.T, file.T)[: robot.n, robot.n :])
    scales = measured.std(axis=0) / np.maximum(file.std(axis=0), 1e-300)
    reasons = [(k, _reason(robot, k, likeness, float(scales[k]))) for k in asked]
    return [(k, reason) for k, reason in reasons if reason is not None]


def refused(robot: Robot, source: str, k: int, reason: str) -> InputError:
    """The error of an effort column."""
    column = Places(source, expected_log(robot), lengths=False).effort(k, robot.efforts.names[k])
    return InputError(f"{source}, {column}: {reason}.")


def weight_note(before: Robot, after: Robot, logs: Sequence[Log]) -> tuple[str, ...]:
    """What to say if the efforts carry another weight than the file's masses have."""
    places = np.concatenate([log.position[:: max(len(log.position) // STATES, 1)] for log in logs])
    file, found = (robot.gravity_load(places).reshape(-1) for robot in (before, after))
    size = float(file @ file)
    if size < (LEAST_WEIGHT * float(np.concatenate([log.effort for log in logs]).std())) ** 2:
        return ()
    ratio = float(file @ found) / size
    if 1 / OTHER_WEIGHT < ratio < OTHER_WEIGHT:
        return ()
    return (
        f"the efforts carry {number(ratio, 2)} times the weight of the file's masses; are they in N m "
        "and N, at the joint? Currents need gains (columns i1 [A] ..., --gains), torques of motors gear "
        "ratios",
    )


def _deviation(residuals: Array, logs: Sequence[Prediction]) -> Array:
    """Standard deviation by the median, which outliers do not move; where actuators move, as `noise`."""
    moving = np.concatenate([log.moving for log in logs])
    counted = np.where(moving.any(axis=0), moving, True)
    sizes = np.nanmedian(np.where(counted, np.abs(residuals), np.nan), axis=0)
    return np.asarray(sizes / NormalDist().inv_cdf(0.75))


def _reason(robot: Robot, k: int, likeness: Array, scale: float) -> str | None:
    """Why effort k is none of this joint, by its likeness to what the file predicts of all of them."""
    own = float(likeness[k, k])
    if own < -ALIKE:
        return (
            f"it runs against what the file predicts (correlation {own:.2f}); efforts are those of the "
            "actuator on the robot. Invert the sign of the column, or of the "
            f"{robot.actuated_element} in the file"
        )
    if own > ALIKE and not 1 / UNIT < scale < UNIT:
        return (
            f"it is {number(scale, 2)} times what the file predicts; is it in another unit? Then name "
            "the column tau1 [N mm], or write what was measured in N m or N"
        )
    other = int(np.argmax(likeness[k]))
    back = float(likeness[other, k] - likeness[other, other])
    if likeness[k, other] > max(ALIKE, own + CLEARER) and back > CLEARER:
        return (
            f"it is more like what the file predicts for {robot.efforts.names[other]}; are the columns "
            f"in another order? Name each after its own {robot.actuated_element}"
        )
    return None
