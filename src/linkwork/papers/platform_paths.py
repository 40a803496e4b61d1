"""The papers' platform along the papers' paths: forces by every model, and how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from linkwork.interface.loading import load_platform
from linkwork.interface.platform import Platform
from linkwork.interface.results import ForceParts, JointReactions, LegKinematics
from linkwork.interface.robot import Array
from linkwork.motion import paper_path
from linkwork.papers.expressions import evaluated
from linkwork.robots.platform import LegFriction, PlatformModel

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

    def parts(self) -> ForceParts:
        return ForceParts(*evaluated(self.platform, "force_parts", *self.motion))

    def legs(self) -> LegKinematics:
        return LegKinematics(*evaluated(self.platform, "leg_kinematics", *self.motion))

    def reactions(self) -> JointReactions:
        return JointReactions(*evaluated(self.platform, "joint_reactions", *self.motion))

    def condition(self) -> Array:
        return self.platform.condition_number(self.pose)


def run_path(name: str, platform: Platform | None = None, samples: int = SAMPLES) -> PathRun:
    trajectory = paper_path(name)
    time = np.linspace(0.0, trajectory.duration, samples)
    return PathRun(papers_platform() if platform is None else platform, name, time, trajectory.at(time))


def grouped(value: float) -> str:
    """Three digits of a large number, written out: 28 500."""
    return f"{float(f'{value:.3g}'):,.0f}".replace(",", " ")


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


def deviation_rows(names: Sequence[str], slow: PathRun, fast: PathRun) -> list[list[str]]:
    """One deviation at a time on the exact model: largest |dF| on both paths."""
    rows = []
    exact = slow.forces(), fast.forces()
    for name in names:
        found = [
            deviation(run.deviating([name]), truth)
            for run, truth in zip((slow, fast), exact, strict=True)
        ]
        cells = [f"{one.largest:.3g}" for one in found] + [f"{100 * found[1].rms:.2g}"]
        rows.append([DEVIATION_WORDS[name], *cells])
    return rows


DEVIATION_HEADER = (
    "deviation, one at a time on the exact model",
    "slow path: largest error [N]",
    "fast path: largest error [N]",
    "fast path: RMS error [%]",
)
