"""Motions that tests report on."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analysis.study import Study, study
from linkwork.motion import PoseLine, Quintic, QuinticProfile
from linkwork.robot.arm import Arm

TOO_FAR = PoseLine((0, 0, 0, 0, 0, 0), (0.017, 0.005, 0.004, 0, 0.1, 0.25), QuinticProfile(0.6))


def samples(motion: Any, count: int = 61) -> tuple[Any, Any]:
    times = np.linspace(0.0, motion.duration, count)
    return times, motion.at(times)


def measured(robot: Any, motion: Any, **options: Any) -> Study:
    return study(robot, "a motion", *samples(motion), **options)


def sweep(arm: Arm) -> Quintic:
    """A motion inside the limits of position of any bundled arm."""
    limits = [joint.limits.position or (-1.0, 1.0) for joint in arm.model.joints]
    low, high = np.array(limits).T
    middle, half = (low + high) / 2, np.minimum((high - low) / 2, 1.0)
    return Quintic(middle - 0.8 * half, middle + 0.7 * half, 1.5)
