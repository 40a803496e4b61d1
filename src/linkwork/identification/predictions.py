"""Efforts of a log as they were measured and as robots have them.

Those that no possible robot explains are of another sign, unit or joint than their column says.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import InputError
from linkwork.core.text import number
from linkwork.identification.logs import Log, Places, expected_log
from linkwork.identification.regression import moves
from linkwork.identification.smoothing import MARGIN, smoothed
from linkwork.robot.robot import Array, Robot

WORSE = 2.0  # of what least squares leave: bodies that fit so much worse are others than the data's
NEGLIGIBLE = 1e-3  # of an effort's standard deviation: what a log without noise leaves
UNEXPLAINED = 0.2  # of an effort's standard deviation
NOTHING = 0.8  # of it, in every actuator: positions and efforts do not belong together
ALIKE = 0.8  # correlation of a measured effort with what the file predicts
UNIT = 50.0  # times what the file predicts
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
    motion = smoothed(before, log, bandwidth)
    margin = int(MARGIN / (bandwidth * log.period)) + 1
    inside = slice(margin, len(log.time) - margin)
    part = [values[inside] for values in motion]
    velocity = before.actuator_motion(part[0], part[1]).velocity
    assert velocity is not None
    return Prediction(
        log.source,
        log.time[inside],
        log.effort[inside],
        before.inverse_dynamics(*part),
        after.inverse_dynamics(*part),
        moves(velocity),
    )


def explained(
    robot: Robot, logs: Sequence[Prediction], noise: Array, excused: Collection[str]
) -> tuple[str, ...]:
    """What to say of efforts that stay unexplained in part; an InputError if their cause is plain.

    Args:
        noise: what least squares leave, whose bodies need not be possible.
        excused: actuators with friction that a robot file cannot say.
    """
    measured = np.concatenate([log.measured for log in logs])
    file = np.concatenate([log.before for log in logs])
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
    likeness = np.nan_to_num(np.corrcoef(measured.T, file.T)[: robot.n, robot.n :])
    scales = spread / np.maximum(file.std(axis=0), 1e-300)
    names = robot.efforts.names
    doubtful = [
        k
        for k, name in enumerate(names)
        if name not in excused and (impossible[k] or shares[k] > UNEXPLAINED)
    ]
    reasons = [(k, _reason(robot, k, likeness, float(scales[k]))) for k in doubtful]
    plain = [(k, reason) for k, reason in reasons if reason is not None]
    plain += [(k, IMPOSSIBLE) for k in doubtful if impossible[k]]
    if plain:
        k, reason = plain[0]
        column = Places(source, expected_log(robot), lengths=False).effort(k, names[k])
        raise InputError(f"{source}, {column}: {reason}.")
    return tuple(
        f"{names[k]}: {number(100 * float(shares[k]), 2)} % of its effort stays unexplained; look at "
        "the residuals for a delay between positions and efforts, coarse positions, elasticity, play"
        for k in doubtful
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
            f"actuator on the robot. Turn the sign of the column, or of the {robot.noun} in the file"
        )
    if scale > UNIT and own > ALIKE:
        return (
            f"it is {number(scale, 2)} times what the file predicts; is it in another unit? Then name "
            "the column tau1 [N mm], or write what was measured in N m or N"
        )
    other = int(np.argmax(likeness[k]))
    if likeness[k, other] > ALIKE and likeness[k, other] > own + 0.2 and likeness[other, k] > own:
        return (
            f"it is more like what the file predicts for {robot.efforts.names[other]}; are the columns "
            f"in another order? Name each after its own {robot.noun}"
        )
    return None
