"""Timing as `linkwork bench` does it."""

from __future__ import annotations

from collections.abc import Callable

from linkwork.analysis.speed import side_by_side

__all__ = ["repeated", "side_by_side"]


def repeated(call: Callable[[], object], times: int) -> Callable[[], object]:
    """The same call many times over, for calls shorter than the clock."""

    def run() -> None:
        for _ in range(times):
            call()

    return run
