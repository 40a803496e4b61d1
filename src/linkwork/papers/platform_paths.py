"""The papers' platform along the papers' paths: forces by every model, how far they are apart, and what
the error of a published model costs when it drives the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from linkwork.control import TaskSpaceControl
from linkwork.control.base import FunctionController
from linkwork.core.rotations import inverse, multiply, to_vector
from linkwork.model.families.stewart import LegFriction, PlatformModel
from linkwork.motion import published_path
from linkwork.papers.evaluation import evaluated
from linkwork.robot.loading import load_platform
from linkwork.robot.platform import Platform
from linkwork.robot.results import EffortBreakdown, JointReactions, LegKinematics
from linkwork.robot.robot import Array
from linkwork.simulation import Simulation, SimulationError, simulate

SAMPLES = 61  # every path is sampled at a sixtieth of its duration, 0.1 s or 0.01 s, as in the papers
LEG_TITLES = tuple(f"leg {k}" for k in range(1, 7))


@cache
def papers_platform() -> Platform:
    """The manipulator of both papers, read once: its kernels stay with it."""
    return load_platform("dasgupta1998")


@dataclass(frozen=True)
class PathRun:
    """A path sampled in time on one platform."""

    platform: Platform
    name: str
    time: Array
    motion: tuple[Array, Array, Array]  # pose, twist, acceleration

    @property
    def pose(self) -> Array:
        return self.motion[0]

    def forces(self, formulation: str = "exact", **options: Any) -> Array:
        """Actuator forces (N, 6)."""
        options = {"formulation": formulation, **options}
        return evaluated(self.platform, "inverse_dynamics", *self.motion, **options)[0]

    def deviating(self, names: Sequence[str]) -> Array:
        """Forces of the exact model with the named deviations switched on."""
        return evaluated(self.platform, "inverse_dynamics", *self.motion, deviations=names)[0]

    def parts(self) -> EffortBreakdown:
        return EffortBreakdown(*evaluated(self.platform, "effort_breakdown", *self.motion))

    def legs(self, formulation: str = "exact") -> LegKinematics:
        """True, or as a paper has them: by "dasgupta1998" without spin."""
        options = {"formulation": formulation}
        return LegKinematics(*evaluated(self.platform, "leg_kinematics", *self.motion, **options))

    def reactions(self) -> JointReactions:
        return JointReactions(*evaluated(self.platform, "joint_reactions", *self.motion))

    def condition(self) -> Array:
        return self.platform.condition_number(self.pose, length_scale=1.0)


def run_path(name: str, platform: Platform | None = None, samples: int = SAMPLES) -> PathRun:
    trajectory = published_path(name)
    time = np.linspace(0.0, trajectory.duration, samples)
    return PathRun(papers_platform() if platform is None else platform, name, time, trajectory.at(time))


@dataclass(frozen=True)
class Deviation:
    """How far forces are from the exact ones."""

    largest: float  # [N]
    rms: float  # of the difference over that of the force
    worst: float  # the same ratio at the sample where it is largest


def deviation(forces: Array, exact: Array) -> Deviation:
    difference = forces - exact
    per_sample = np.linalg.norm(difference, axis=1) / np.linalg.norm(exact, axis=1)
    rms = np.linalg.norm(difference) / np.linalg.norm(exact)
    return Deviation(float(np.abs(difference).max()), float(rms), float(per_sample.max()))


@dataclass(frozen=True)
class Peak:
    """The largest magnitude of an array over time."""

    value: float  # with its sign
    leg: int  # from 1
    time: float


def peak(time: Array, values: Array) -> Peak:
    row, leg = np.unravel_index(int(np.abs(values).argmax()), values.shape)
    return Peak(float(values[row, leg]), int(leg) + 1, float(time[row]))


def without_friction(model: PlatformModel) -> PlatformModel:
    """For counting operations as the papers do, who leave friction out."""
    return replace(model, legs=tuple(replace(leg, friction=LegFriction()) for leg in model.legs))


DEVIATION_WORDS = {
    "no-spin": "the leg's spin about its own axis left out, D (6), (9)",
    "moment-along-leg": "the universal joint's moment put along the leg, D (17)-(21)",
    "upper-inertia-at-base": r"\(m_u L^2\) added to the upper part's inertia, D (16)",
    "parallel-axis-lower": "parallel-axis term added to the lower part, P (32)",
    "parallel-axis-upper": "parallel-axis term added to the upper part, P (33)",
    "parallel-axis-platform": "parallel-axis term added to the platform, P (50)",
    "equation-25": "axial angular acceleration as printed, P (25)",
    "dropped-terms": "terms missing from the closed form, P (42)-(43)",
}


def deviation_table(
    names: Sequence[str], slow: PathRun, fast: PathRun
) -> tuple[Sequence[str], list[list[str]]]:
    """One deviation at a time on the exact model: largest |dF| on both paths."""
    header = (
        "deviation, one at a time on the exact model",
        "slow path: largest error [N]",
        "fast path: largest error [N]",
        "fast path: RMS error [%]",
    )
    rows = []
    for name in names:
        one, two = (deviation(run.deviating([name]), run.forces()) for run in (slow, fast))
        row = [f"{one.largest:.3g}", f"{two.largest:.3g}", f"{100 * two.rms:.2g}"]
        rows.append([DEVIATION_WORDS[name], *row])
    return header, rows


TRACKED = 600  # control samples along a path
KP, KV = 400.0, 40.0
LOST = 50e-3  # rad: an error of orientation from which on the platform counts as off its path
FORMULATIONS = ("exact", "dasgupta1998", "pedrammehr2012")


@dataclass(frozen=True)
class Tracking:
    """Largest errors of position [m] and orientation [rad] with feedback; time to LOST without [s]."""

    closed: tuple[float, float]
    lost: float | None  # None: the path ends first


def closed_loop(path: str, formulation: str = "exact", measured: str = "pose") -> Simulation:
    """The exact platform under task-space control by this model, forces held over each sample.

    From measured "legs" the controller finds the pose in the loop.
    """
    platform, motion = papers_platform(), published_path(path)
    step = motion.duration / TRACKED
    law = TaskSpaceControl(
        platform, motion, KP, KV, period=step, measured=measured, formulation=formulation
    )
    return simulate(platform, law, step=step)


def open_loop(path: str, formulation: str) -> Simulation:
    """The exact platform under forces that the model has planned, each for the middle of its sample.

    As far as it comes: without feedback a platform falls into a singular pose sooner or later.
    """
    platform, motion = papers_platform(), published_path(path)
    step = motion.duration / TRACKED
    middles = step * (np.arange(TRACKED + 1) + 0.5)
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
    wanted = published_path(path).at(run.time)[0][:, 3:]
    angle = np.linalg.norm(to_vector(multiply(wanted, inverse(run.position[:, 3:]))), axis=-1)
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


def tracking_table(slow: str, fast: str) -> tuple[Sequence[str], list[list[str]]]:
    """Every model in the controller, on both paths."""
    header = ["model in the controller"]
    for path in ("slow path", "fast path"):
        header += [f"{path}: position [mm]", "orientation [mrad]", "without feedback lost after [s]"]
    rows = []
    for name in FORMULATIONS:
        row = [name]
        for path in (slow, fast):
            found = tracking(path, name)
            row += [f"{1e3 * value:.2g}" for value in found.closed]
            row.append("not lost" if found.lost is None else f"{found.lost:.2g}")
        rows.append(row)
    return header, rows
