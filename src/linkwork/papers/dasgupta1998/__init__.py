"""Dasgupta and Mruthyunjaya (1998): their figures and statements, and their platform in closed loop."""

from linkwork.papers.dasgupta1998.closed_loop import closed_loop, closed_loop_figure, planned_forces

__all__ = ["closed_loop", "closed_loop_figure", "planned_forces"]
