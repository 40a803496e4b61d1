"""Timing as `linkwork bench` does it."""

from linkwork.analysis.speed import repeated, side_by_side

__all__ = ["repeated", "side_by_side"]
