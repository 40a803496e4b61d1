"""Instants of a simulation: output samples, control samples and the end, whatever their ratio."""

from __future__ import annotations

import numpy as np

from linkwork.checks import positive
from linkwork.errors import InputError
from linkwork.interface.robot import Array
from linkwork.motion.inputs import LARGEST, instants_with_end

# Of a step: what rounding leaves of a multiple.
SLACK = 1e-9
INSTANT = 1e-10  # s: times that differ by less are the same


def check_times(duration: float, step: float, period: float | None) -> float:
    """The step, if it is one, makes no more steps than can be stored, and fits the period."""
    step = positive(step, "step", "s")
    if 0 < duration < 0.999 * step:
        raise InputError(f"the step {step:g} s is longer than the duration {duration:g} s; shorten it.")
    if duration / step > LARGEST:
        what = f"{duration:g} s at steps of {step:g} s are too many"
        raise InputError(f"{what}; allowed are {LARGEST:.0e} steps.")
    if period is not None:
        ratio = period / step
        if ratio < 0.999 or abs(ratio - round(ratio)) > 1e-6 * ratio:
            raise InputError(
                f"the controller's period {period:g} s is not a multiple of the step {step:g} s; "
                f"take step = {period / max(1, round(ratio)):g} s."
            )
    return step


def sample_times(duration: float, step: float) -> Array:
    """As trajectories are sampled, but every rest beyond rounding is a step of its own."""
    return instants_with_end(duration, step, SLACK) if duration > 0 else np.zeros(1)
