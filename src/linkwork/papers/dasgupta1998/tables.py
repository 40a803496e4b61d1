"""Tables of the page on Dasgupta and Mruthyunjaya; numbers quoted from the paper stand here."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.analysis.general_arm import count_newton_euler_turney, counted
from linkwork.core.rotations import to_angles
from linkwork.core.text import number
from linkwork.mechanics.expressions import SX, cross
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.published import stepwise
from linkwork.mechanics.published.stepwise import PlatformState
from linkwork.motion import published_path
from linkwork.papers.dasgupta1998.findings import (
    PATHS,
    ROMAN,
    PathForces,
    Singularity,
    all_operations,
    force_and_condition,
    forces_of_ill_conditioned_poses,
    light_platform_fractions,
    operation_counts,
    principal_moments,
    serial_count,
    steps_in_force,
    zero_crossings,
)
from linkwork.papers.platform_paths import PathRun, papers_platform, peak, without_friction
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Array


@dataclass(frozen=True)
class Branches:
    """Operations of one leg, of the platform and of the linear system; every operation is one."""

    leg: int
    platform: int
    system: int

    @property
    def total(self) -> int:
        return 6 * self.leg + self.platform + self.system

    @property
    def parallel(self) -> int:
        """With a processor for each of the seven branches, then the system."""
        return max(self.leg, self.platform) + self.system


# Quoted from 4.5, and the serial arm of Fu et al. that it compares with.
PRINTED = Branches(leg=694, platform=273, system=452)
SERIAL = 132 * 6 + 111 * 6 - 4


def branches() -> Branches:
    """The paper's own equations as written here, friction left out as in the paper."""
    model = without_friction(papers_platform().model)
    R, position = SX.sym("R", 3, 3), SX.sym("t", 3)
    twist, acceleration = SX.sym("V", 6), SX.sym("a", 6)
    at = stepwise.geometry(model.legs[0], position, R)
    state = PlatformState(
        model, R, twist, SX.sym("w", 6), SX(ca.DM(model.gravity)), (at,), stepwise.DASGUPTA1998
    )
    K, D, _ = stepwise.leg_force(state, stepwise.leg_motion(state, at, acceleration))
    columns = [SX.sym(f"h{k}", 6) for k in range(6)]
    solved = SX.sym("D", 6) - solve_orthogonal(columns, SX.sym("c", 6))
    return Branches(
        leg=all_operations(counted(K, cross(at.q, K), D, at.s, cross(at.q, at.s))),
        platform=all_operations(counted(stepwise.platform_equations(state, acceleration))),
        system=all_operations(counted(solved)),
    )


Rows = list[list[object]]

FIGURES = [
    ["Fig. 1: the Stewart platform", "drawn from the data; no figure was at hand to compare with"],
    ["Fig. 2: details of one leg", "drawn from the data"],
    ["Fig. 3: typical trajectory for each coordinate", "computed"],
    ["Figs. 4, 5, 6: Path I, forces, condition number, dynamic fractions", "computed"],
    ["Figs. 7, 8: Path II, forces, dynamic fractions", "computed"],
    ["Figs. 9, 10: Path III, forces, condition number", "computed"],
    ["4.5: numbers of floating point operations", "counted"],
    ["Appendix: description of the test manipulator", "robot file `dasgupta1998`, printed below"],
    ["numbered tables", "the paper has none"],
]


def branch_rows() -> Rows:
    """4.5: what can run at the same time, printed and counted."""
    found = branches()
    parts = (
        ("one leg", "leg"),
        ("platform", "platform"),
        ("linear system", "system"),
        ("one processor: 6 legs + platform + system", "total"),
        ("seven processors: one leg + system", "parallel"),
    )
    rows: Rows = [[name, getattr(PRINTED, key), getattr(found, key)] for name, key in parts]
    general = count_newton_euler_turney(6).flops
    rows.append(["serial arm of six joints: Fu et al. (quoted), a general arm traced", SERIAL, general])
    return rows


def inertia_rows() -> Rows:
    return [
        [one.name, ", ".join(f"{x:.3g}" for x in one.moments), one.fault] for one in principal_moments()
    ]


def manipulator_rows(platform: Platform) -> Rows:
    def triple(v: Array) -> str:
        return ", ".join(f"{x:.4g}" for x in v)

    return [
        [k + 1, triple(leg.base_point), triple(leg.fixed_axis), triple(leg.platform_point)]
        for k, leg in enumerate(platform.model.legs)
    ]


def path_rows() -> Rows:
    """Cruising speeds found on the paths themselves, and the blend times that follow by (39)."""
    rows: Rows = []
    for name in PATHS:
        duration = published_path(name).duration
        time = np.linspace(0.0, duration, 401)
        pose = published_path(name).at(time)[0]
        row: list[object] = [ROMAN[name], duration]
        for values in (pose[:, :3], np.array([to_angles(q) for q in pose[:, 3:]])):
            steps = np.linalg.norm(np.diff(values, axis=0), axis=1)
            speed = float(steps.max() / time[1])
            row += [speed, duration - float(np.linalg.norm(values[-1] - values[0])) / speed]
        rows.append(row)
    return rows


def _crossings(formulation: str) -> str:
    times = [zero_crossings("dasgupta-I", leg, formulation)[0] for leg in (5, 6)]
    return f"leg 5 at {times[0]:.2f} s, leg 6 at {times[1]:.2f} s"


def _pair(run: PathForces) -> tuple[Array, Array]:
    return np.abs(run.published_fraction), np.abs(run.exact_fraction)


def _against(run: PathForces) -> str:
    found = force_and_condition(run)
    condition, force = found.condition[[0, -1]], found.force[[0, -1]]
    return (
        f"condition {condition[0]:.1f} to {condition[1]:.1f}, largest force {force[0]:.0f} to "
        f"{force[1]:.0f} N, rank correlation {found.rank_correlation:+.2f}"
    )


def statement_rows(runs: dict[str, PathForces], crossing: Singularity) -> Rows:
    slow, fast, bad = (runs[name] for name in PATHS)
    condition = slow.run.condition()
    fractions, quick = _pair(slow), _pair(fast)
    growth: list[object] = [
        f"median {100 * np.median(a):.1f} to {100 * np.median(b):.1f} %"
        for a, b in zip(fractions, quick, strict=True)
    ]
    steep, poses = steps_in_force(), forces_of_ill_conditioned_poses()
    light = light_platform_fractions(4.0)
    near = bad.run.condition()
    poor = (near >= 1e2) & (near < 1e3)
    published, exact = (np.abs(x).max(axis=1)[poor] for x in (bad.published, bad.exact))
    found = branches()
    model = slow.run.platform.model
    weight = model.platform.mass * float(np.linalg.norm(model.gravity))
    return [
        [f"{PRINTED.total / SERIAL:.2f}"] * 2,
        [f"{PRINTED.parallel} against {SERIAL} (its counts); {found.parallel} (ours)"] * 2,
        [
            f"at most {np.abs(force).max() / weight:.1f} times the weight"
            for force in (slow.published, slow.exact)
        ],
        [f"median {100 * np.median(x):.1f} %" for x in fractions],
        [
            f"{100 * x[:, :4].max():.1f} %, leg {1 + int(x[:, :4].max(axis=0).argmax())}"
            for x in fractions
        ],
        [_crossings("dasgupta1998"), _crossings("exact")],
        [f"at {100 * (x > 0.6).mean():.0f} % of all samples and legs" for x in light],
        [f"{condition.min():.1f} to {condition.max():.1f}, moments in meters"] * 2,
        [
            f"{abs(peak(slow.run.time, a).value):.0f} to {abs(peak(fast.run.time, b).value):.0f} N"
            for a, b in ((slow.published, fast.published), (slow.exact, fast.exact))
        ],
        growth,
        [
            f"up to {steep.at_blends:.0f} N at {steep.blends} ends of blends, elsewhere at most "
            f"{steep.elsewhere:.2f} N in the same 0.01 ms"
        ]
        * 2,
        [
            ", ".join(
                f"{100 * ((x >= 0.2) & (x <= 0.5)).mean():.0f} % within on {ROMAN[run.run.name]}, "
                f"{100 * (x < 0.2).mean():.0f} % below"
                for run, x in ((slow, a), (fast, b))
            )
            for a, b in zip(fractions, quick, strict=True)
        ],
        [f"{words} (speed)" for words in growth],
        [
            f"{number(abs(peak(bad.run.time, x).value), 3)} N at the nearest sample; no bound exists"
            for x in (bad.published, bad.exact)
        ],
        [f"{near.max():.0f} at {bad.run.time[near.argmax()]:.1f} s (t* = {crossing.time:.3f} s)"] * 2,
        [
            f"{number(published.min(), 3)} to {number(published.max(), 3)} N on Path III",
            f"{number(exact.min(), 3)} to {number(exact.max(), 3)} N on Path III; at rest in random "
            f"poses {100 * poses.share_from(1e4):.0f} % need 10 000 N or more, half less than "
            f"{number(float(np.median(poses.forces)), 2)} N",
        ],
        ["see section 6, condition"] * 2,
        [
            f"least condition number at {slow.run.time[condition.argmin()]:.1f} s, least of the largest "
            f"forces at {slow.run.time[np.abs(x).max(axis=1).argmin()]:.1f} s"
            for x in (slow.published, slow.exact)
        ],
        ["a leg with mass off its axis is refused"] * 2,
        [", ".join(f"{ROMAN[name]}: {_against(run)}" for name, run in runs.items())] * 2,
    ]


def count_rows() -> Rows:
    rows: Rows = [
        ["the paper, MATLAB (quoted)", None, None, None, PRINTED.total, None],
        ["serial arm, Fu et al. (quoted)", 132 * 6, 111 * 6 - 4, None, SERIAL, None],
    ]
    for count in operation_counts():
        for name, c, depth in (
            ("as written", count.traced, None),
            ("kernel", count.kernel, count.depth),
        ):
            other = c.divisions + c.square_roots
            label = f"{count.formulation}, {name}"
            rows.append([label, c.multiplications, c.additions, other, all_operations(c), depth])
    puma = serial_count()
    rows.append(
        ["PUMA 560, kernel", puma.multiplications, puma.additions, 0, all_operations(puma), None]
    )
    return rows


REACTIONS = {
    "spherical_force": "spherical joint, force [N]",
    "universal_force": "universal joint, force [N]",
    "universal_moment": "universal joint, moment [N m]",
    "prismatic_force": "prismatic joint, force with the actuator's [N]",
    "prismatic_moment": "prismatic joint, moment about the base point [N m]",
}


def reaction_rows(*runs: PathRun) -> Rows:
    found = [run.reactions() for run in runs]
    rows: Rows = []
    for name, words in REACTIONS.items():
        row: list[object] = [words]
        for run, reactions in zip(runs, found, strict=True):
            top = peak(run.time, np.linalg.norm(getattr(reactions, name), axis=-1))
            row += [top.value, top.leg, f"{top.time:g}"]
        rows.append(row)
    return rows
