"""Lee, Chung, Mudge and Turney (1982): computed torque on a PUMA arm, its errors and its counts."""

from linkwork.papers.lee1982.figures import error_figure
from linkwork.papers.lee1982.trials import (
    BOUND,
    CONTROLLERS,
    END,
    KP,
    KV,
    PERIOD,
    PROFILES,
    START,
    experiment,
    motion,
)

__all__ = [
    "BOUND",
    "CONTROLLERS",
    "END",
    "KP",
    "KV",
    "PERIOD",
    "PROFILES",
    "START",
    "error_figure",
    "experiment",
    "motion",
]
