"""Numbers behind the statements of Dasgupta and Mruthyunjaya, computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.stats import spearmanr

from linkwork.kernels import Counts
from linkwork.model.geometry import frozen
from linkwork.motion import published_path
from linkwork.papers.evaluation import evaluated
from linkwork.papers.platform_paths import PathRun, papers_platform, run_path, without_friction
from linkwork.robot.loading import load
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Array

PATHS = ("dasgupta-I", "dasgupta-II", "dasgupta-III")
ROMAN = {name: f"Path {name.split('-')[1]}" for name in PATHS}


@dataclass(frozen=True)
class PathForces:
    """Everything that the paper plots of one path, as published and exact."""

    run: PathRun
    published: Array
    exact: Array
    massless: Array  # F0 of (41), the same in both models

    @property
    def published_fraction(self) -> Array:
        return (self.published - self.massless) / self.published

    @property
    def exact_fraction(self) -> Array:
        return (self.exact - self.massless) / self.exact


def path_forces(name: str, platform: Platform | None = None) -> PathForces:
    run = run_path(name, platform)
    return PathForces(run, run.forces("dasgupta1998"), run.forces(), run.parts().massless)


def sign_changes(function: Callable[[Array], Array], duration: float, samples: int) -> list[float]:
    """Times from 0 on at which a function of times changes its sign, sought between samples."""
    times = np.linspace(0.0, duration, samples)
    signs = np.sign(function(times))
    return [
        float(brentq(lambda t: float(function(np.array([t]))[0]), times[k], times[k + 1], xtol=1e-12))
        for k in np.flatnonzero(signs[1:] != signs[:-1])
    ]


def zero_crossings(path: str, leg: int, formulation: str) -> list[float]:
    """Times at which the total force of a leg (counted from 1) changes its sign."""
    platform, trajectory = papers_platform(), published_path(path)

    def force(times: Array) -> Array:
        options = {"formulation": formulation}
        return evaluated(platform, "inverse_dynamics", *trajectory.at(times), **options)[0][:, leg - 1]

    return sign_changes(force, trajectory.duration, 301)


@dataclass(frozen=True)
class Singularity:
    """Where a path crosses det H = 0, and c of the largest force c / |t - time| beside it."""

    time: float
    growth: float  # [N s]


def singularity(path: str = "dasgupta-III") -> Singularity:
    platform, trajectory = papers_platform(), published_path(path)

    def determinant(times: Array) -> Array:
        return np.linalg.det(platform.jacobian(trajectory.at(times)[0]))

    (time,) = sign_changes(determinant, trajectory.duration, 601)
    beside = 1e-4
    forces = platform.inverse_dynamics(*trajectory.at(np.array([time - beside, time + beside])))
    return Singularity(time, float(beside * np.abs(forces).max(axis=1).mean()))


def light_platform_fractions(mass: float) -> tuple[Array, Array]:
    """Dynamic fractions on Path I with a platform of another mass: as published, and exact."""
    model = papers_platform().model
    light = Platform(replace(model, platform=replace(model.platform, mass=mass)))
    found = path_forces("dasgupta-I", light)
    return np.abs(found.published_fraction), np.abs(found.exact_fraction)


FIRST_AXIS = (-0.8141, 0.2714)  # as printed, third component 0


def first_axes() -> dict[str, tuple[float, float]]:
    """What k_1 of norm 0.858 makes of the published errors: largest ones [N] on Paths I and II.

    It may lack its third component, of either sign, or only its length.
    """
    x, y = FIRST_AXIS
    lost = float(np.sqrt(1 - x * x - y * y))
    model = papers_platform().model
    found = {}
    for words, z in (
        ("normalized", 0.0),
        (rf"\(k_z = +{lost:.3f}\)", lost),
        (rf"\(k_z = -{lost:.3f}\)", -lost),
    ):
        axis = np.array([x, y, z])
        first = replace(model.legs[0], fixed_axis=frozen(axis / np.linalg.norm(axis)))
        other = Platform(replace(model, legs=(first, *model.legs[1:])))
        runs = [run_path(name, other) for name in PATHS[:2]]
        slow, fast = (float(np.abs(r.forces("dasgupta1998") - r.forces()).max()) for r in runs)
        found[words] = slow, fast
    return found


@dataclass(frozen=True)
class ForceAndCondition:
    """Whether a high condition number goes with a high force along a path."""

    condition: Array
    force: Array  # the largest of all legs [N]
    rank_correlation: float


def force_and_condition(run: PathForces) -> ForceAndCondition:
    condition, force = run.run.condition(), np.abs(run.exact).max(axis=1)
    return ForceAndCondition(condition, force, float(spearmanr(condition, force).statistic))


@dataclass(frozen=True)
class IllConditioned:
    """Largest leg forces [N] of poses at rest whose condition number is from 100 to 1000."""

    forces: Array

    def share_from(self, force: float) -> float:
        return float((self.forces >= force).mean())


# Around the three paths: x, y, z [m], roll, pitch, yaw [rad].
LOWEST, HIGHEST = np.array([[-0.5, -0.6, 0.4, -0.6, -0.6, -0.6], [0.9, 1.8, 1.8, 0.6, 0.6, 0.6]])


def forces_of_ill_conditioned_poses(poses: int = 20_000) -> IllConditioned:
    """Of random poses; moments in meters, as the paper has them."""
    platform = papers_platform()
    pose = np.random.default_rng(0).uniform(LOWEST, HIGHEST, (poses, 6))
    condition = np.linalg.cond(platform.jacobian(pose))
    pose = pose[(condition >= 1e2) & (condition < 1e3)]
    still = np.zeros((len(pose), 6))
    return IllConditioned(np.abs(platform.inverse_dynamics(pose, still, still)).max(axis=1))


@dataclass(frozen=True)
class StepsInForce:
    """Largest changes of a leg force within an instant: where blends end, and elsewhere [N]."""

    at_blends: float
    elsewhere: float
    blends: int


def steps_in_force(path: str = "dasgupta-II", instant: float = 1e-5) -> StepsInForce:
    """Before and after every instant of a fine grid; blends end where the acceleration jumps."""
    platform, trajectory = papers_platform(), published_path(path)
    time = np.arange(2 * instant, trajectory.duration - instant, instant)
    motion = trajectory.at(time)
    force = platform.inverse_dynamics(*motion)
    change = np.abs(np.diff(force, axis=0)).max(axis=1)
    jump = np.abs(np.diff(motion[2], axis=0)).max(axis=1)
    blends = jump > 0.1 * jump.max()
    return StepsInForce(float(change[blends].max()), float(change[~blends].max()), int(blends.sum()))


@dataclass(frozen=True)
class PrincipalMoments:
    """Of one body of the appendix, smallest first [kg m^2]; no body exceeds the sum of the others."""

    name: str
    moments: tuple[float, float, float]

    @property
    def fault(self) -> str:
        low, middle, high = self.moments
        if low < 0:
            return "negative moment"
        return "largest above the sum of the others" if high > low + middle else "none"


def principal_moments() -> list[PrincipalMoments]:
    model = papers_platform().model
    leg = model.legs[0]
    bodies = {
        r"platform, \(I_p\)": model.platform,
        r"lower part, \(I_{d0}\)": leg.lower,
        r"upper part, \(I_{u0}\)": leg.upper,
    }
    found = []
    for name, body in bodies.items():
        low, middle, high = np.linalg.eigvalsh(body.inertia)
        found.append(PrincipalMoments(name, (float(low), float(middle), float(high))))
    return found


@dataclass(frozen=True)
class OperationCount:
    """Of one formulation of the papers' platform, friction left out as in 4.5."""

    formulation: str
    traced: Counts
    kernel: Counts
    depth: int


def operation_counts() -> list[OperationCount]:
    platform = Platform(without_friction(papers_platform().model))
    rows = []
    for name in platform.formulations:
        kernel = platform.kernel("inverse_dynamics", formulation=name)
        rows.append(OperationCount(name, kernel.traced_counts, kernel.counts, kernel.depth))
    return rows


def serial_count() -> Counts:
    """Of the PUMA 560, rigid body, by the fastest formulation: the serial arm to compare with."""
    return load("puma560").kernel("inverse_dynamics", friction=False, rotors=False).counts


def all_operations(counts: Counts) -> int:
    """Floating point operations as MATLAB's flops counted them: every operation is one."""
    return counts.flops + counts.divisions + counts.square_roots
