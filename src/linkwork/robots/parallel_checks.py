"""Faults of a parallel robot as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linkwork.robots.parallel import ParallelModel
from linkwork.robots.validation import Found


def model_faults(model: ParallelModel, places: Sequence[int]) -> Iterator[Found]:
    yield from ()
