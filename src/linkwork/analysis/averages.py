"""Averages over time."""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array


def root_mean_square(time: Array, values: Array) -> float:
    """Of values (N,) at increasing times, by trapezia: samples need not be equally far apart."""
    if len(time) == 1:
        return abs(float(values[0]))
    squares = values**2
    mean = (np.diff(time) * (squares[1:] + squares[:-1]) / 2).sum() / (time[-1] - time[0])
    return float(np.sqrt(mean))
