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


def warn_if_negative(inertia: Array, link: str) -> None:
    """A principal moment of inertia below zero: no body has one, but identified models may."""
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < -CLEARLY_NEGATIVE * np.abs(moments).max():
        warn(
            f"link {link!r}: the inertia about the centre of mass has a negative principal moment,"
            f" {moments[0]:.6g} kg m^2; is it given about another point?"
        )
