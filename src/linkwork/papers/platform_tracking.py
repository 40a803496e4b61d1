"""What the error of a published model costs when it drives the platform: with feedback, and without."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from linkwork.control import TaskSpaceControl
from linkwork.control.base import FunctionController
from linkwork.motion import paper_path
from linkwork.papers.expressions import evaluated
from linkwork.papers.platform_paths import papers_platform
from linkwork.rotations import rotation_of
from linkwork.simulation import Simulation, SimulationError, simulate

SAMPLES = 600  # control samples along a path
KP, KV = 400.0, 40.0
LOST = 50e-3  # rad: an error of orientation from which on the platform counts as off its path
FORMULATIONS = ("exact", "dasgupta1998", "pedrammehr2012")


@dataclass(frozen=True)
class Tracking:
    """Largest errors of position [m] and orientation [rad] with feedback; time to LOST without [s]."""

    closed: tuple[float, float]
    lost: float | None  # None: the path ends first


def closed_loop(path: str, formulation: str) -> Simulation:
    """The exact platform under task-space control by this model, forces held over each sample."""
    platform, motion = papers_platform(), paper_path(path)
    step = motion.duration / SAMPLES
    law = TaskSpaceControl(
        platform, motion, KP, KV, period=step, measured="pose", formulation=formulation
    )
    return simulate(platform, law, step=step)


def open_loop(path: str, formulation: str) -> Simulation:
    """The exact platform under forces that the model has planned, each for the middle of its sample.

    As far as it comes: without feedback a platform falls into a singular pose sooner or later.
    """
    platform, motion = papers_platform(), paper_path(path)
    step = motion.duration / SAMPLES
    middles = step * (np.arange(SAMPLES + 1) + 0.5)
    wanted = motion.at(np.minimum(middles, motion.duration))
    planned = evaluated(platform, "inverse_dynamics", *wanted, formulation=formulation)[0]
    held = FunctionController(lambda time, state: planned[round(time / step)], step)
    start = tuple(motion.at(0.0)[:2])
    try:
        return simulate(platform, held, duration=motion.duration, start=start, step=step)
    except SimulationError as error:
        return error.result


def lost_after(run: Simulation, path: str) -> float | None:
    """When the orientation is off by LOST."""
    wanted = rotation_of(paper_path(path).at(run.time)[0])
    turn = np.einsum("tij,tkj->tik", wanted, rotation_of(run.position))
    angle = np.arccos(np.clip((np.trace(turn, axis1=1, axis2=2) - 1) / 2, -1, 1))
    off = np.flatnonzero(angle > LOST)
    return float(run.time[off[0]]) if len(off) else None


@cache
def tracking(path: str, formulation: str) -> Tracking:
    run = closed_loop(path, formulation)
    assert run.error is not None
    largest = np.abs(run.error).max(axis=0)
    closed = float(largest[:3].max()), float(largest[3:].max())
    return Tracking(closed, lost_after(open_loop(path, formulation), path))


def times_worse(path: str, formulation: str) -> float:
    """How many times the orientation error under feedback is that with the exact model."""
    return tracking(path, formulation).closed[1] / tracking(path, "exact").closed[1]


HEADER = (
    "model in the controller",
    "slow path: position [mm]",
    "orientation [mrad]",
    "without feedback lost after [s]",
    "fast path: position [mm]",
    "orientation [mrad]",
    "without feedback lost after [s]",
)


def tracking_rows(slow: str, fast: str) -> list[list[object]]:
    rows: list[list[object]] = []
    for name in FORMULATIONS:
        row: list[object] = [name]
        for path in (slow, fast):
            found = tracking(path, name)
            row += [f"{1e3 * value:.2g}" for value in found.closed]
            row.append("not lost" if found.lost is None else f"{found.lost:.2g}")
        rows.append(row)
    return rows
