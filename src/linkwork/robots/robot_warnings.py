"""What is accepted, but probably not meant."""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.robots.geometry import Array

# Tables round to a few digits, and a product of inertia then leaves a slightly negative moment.
CLEARLY_NEGATIVE = 1e-6


class RobotWarning(UserWarning):
    """A robot description is usable but looks wrong."""


def warn(text: str) -> None:
    warnings.warn(text, RobotWarning, stacklevel=2)


def negative_moment(inertia: Array) -> float | None:
    """The lowest principal moment of inertia if it is clearly below zero, as that of no body is."""
    moments = np.linalg.eigvalsh(inertia)
    return float(moments[0]) if moments[0] < -CLEARLY_NEGATIVE * np.abs(moments).max() else None


def is_impossible(inertia: Array) -> bool:
    """No body has a negative principal moment, or one larger than the other two together."""
    moments = np.linalg.eigvalsh(inertia)
    slack = CLEARLY_NEGATIVE * np.abs(moments).max()
    return bool(moments[0] < -slack or moments[2] > moments[0] + moments[1] + slack)


def warn_if_negative(inertia: Array, link: str) -> None:
    """A negative principal moment of one link; identified models may have one."""
    moment = negative_moment(inertia)
    if moment is not None:
        warn(
            f"link {link!r}: the inertia about the centre of mass has a negative principal moment,"
            f" {moment:.6g} kg m^2; is it given about another point?"
        )
