"""When things happen in a digital loop: a sample is read, its effort begins to act, a state is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from linkwork.core.arguments import positive
from linkwork.core.errors import InputError
from linkwork.motion.inputs import LARGEST, instants_with_end
from linkwork.robot.robot import Array
from linkwork.simulation.digital_loop import DigitalLoop

# Of a step: what rounding leaves of a multiple.
SLACK = 1e-9
INSTANT = 1e-10  # s: times that differ by less are the same
KEEP, READ, ACT, CHANGE = range(4)
TOGETHER = 1e-6  # of a step: instants that differ by rounding are one


def check_times(duration: float, step: float, period: float | None) -> float:
    """The step, if it is one, makes no more steps than can be stored, and fits the period."""
    step = positive(step, "step", "s")
    if 0 < duration < 0.999 * step:
        raise InputError(f"the step {step:g} s is longer than the duration {duration:g} s; shorten it.")
    if duration / step > LARGEST:
        what = f"{duration:g} s at steps of {step:g} s are too many"
        raise InputError(f"{what}; expected {LARGEST:.0e} steps.")
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


@dataclass
class Instant:
    """A time at which something happens; samples are numbered from 0."""

    time: float
    kept: bool = False
    read: list[int] = field(default_factory=list)
    act: int | None = None
    change: bool = False


@dataclass(frozen=True, eq=False)
class Schedule:
    """All that happens in a run.

    `samples` are the times at which the computer believes to read, `reads` those at which the robot is
    where it is read.
    """

    samples: Array
    reads: Array
    times: Array
    kinds: Array
    indices: Array
    step: float

    def __iter__(self) -> Iterator[Instant]:
        """The instants in order."""
        edges = np.flatnonzero(np.diff(self.times) > TOGETHER * self.step) + 1
        bounds = [0, *edges.tolist(), len(self.times)]
        for first, last in pairwise(bounds):
            now = Instant(float(self.times[first]))
            for k in range(first, last):
                kind, index = int(self.kinds[k]), int(self.indices[k])
                if kind == KEEP:  # multiples of the step are the exact ones
                    now.kept, now.time = True, float(self.times[k])
                elif kind == READ:
                    now.read.append(index)
                elif kind == ACT:
                    now.act = index
                else:
                    now.change = True
            yield now


def schedule(
    duration: float,
    step: float,
    period: float | None,
    loop: DigitalLoop,
    changes: Sequence[float] = (),
) -> Schedule:
    """Multiples of the step, the end, and between them whatever the loop needs.

    The first sample's effort acts from the beginning: the loop was holding the robot before. `changes`
    are times at which a load or a wrench jumps.
    """
    grid = sample_times(duration, step)
    samples, reads, acts = (np.empty(0) for _ in range(3))
    if period is not None:
        hold = round(period / step) * step
        count = int(np.floor(duration / hold + SLACK)) + 1
        samples = hold * np.arange(count, dtype=np.float64)
        late = np.random.default_rng([loop.seed, 1]).uniform(0.0, loop.jitter, count)
        late[0] = 0.0
        actual = samples + late
        reads = np.maximum(actual - loop.latency, 0.0)
        acts = np.where(np.arange(count) > 0, actual + loop.delay, 0.0)
    parts = (grid, reads, acts, np.array(changes, dtype=np.float64))
    times = np.concatenate(parts)
    kinds = np.repeat([KEEP, READ, ACT, CHANGE], [len(part) for part in parts])
    indices = np.concatenate([np.arange(len(part)) for part in parts])
    order = np.lexsort((indices, times))
    order = order[(times[order] >= 0) & (times[order] <= grid[-1] + TOGETHER * step)]
    return Schedule(samples, reads, times[order], kinds[order], indices[order], step)


def gap(now: float, then: float, step: float) -> float:
    """From one instant to the next: differences of times round, steps do not."""
    h = then - now
    return step if abs(h - step) < TOGETHER * step else h
