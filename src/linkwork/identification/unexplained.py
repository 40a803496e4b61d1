"""Efforts that no possible robot explains: of another sign, unit or joint than their column says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import NormalDist

import numpy as np

from linkwork.errors import InputError
from linkwork.formatting import number
from linkwork.identification.log_faults import Places
from linkwork.identification.logs import expected_log
from linkwork.identification.predictions import Prediction
from linkwork.interface.robot import Array, Robot

WORSE = 2.0  # of what least squares leave: bodies that fit so much worse are others than the data's
UNEXPLAINED = 0.2  # of an effort's standard deviation
NOTHING = 0.8  # of it, in every actuator: positions and efforts do not belong together
ALIKE = 0.8  # correlation of a measured effort with what the file predicts
UNIT = 50.0  # times what the file predicts
IMPOSSIBLE = (
    "only bodies that cannot exist would have such efforts. Look for a wrong sign, unit or gear ratio, "
    "an offset of an encoder, another direction of gravity, a delay between positions and efforts"
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
    impossible = left > WORSE * noise
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
