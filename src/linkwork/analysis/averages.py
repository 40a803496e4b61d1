"""Averages over time."""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array


def root_mean_square(time: Array, values: Array) -> float:
    """Of values (N,) at increasing times, by trapezia: samples need not be equally far apart."""
    return float(np.sqrt(mean(time, values**2)))


def mean(time: Array, values: Array) -> float:
    """Of values (N,) at increasing times, by trapezia."""
    if len(time) == 1:
        return float(values[0])
    return float((np.diff(time) * (values[1:] + values[:-1]) / 2).sum() / (time[-1] - time[0]))
