"""The page on Pedrammehr, Mahboubkhah and Khani (2012)."""

from __future__ import annotations

import numpy as np

from linkwork.papers.panels import BLUE, GREEN, ORANGE, PINK, Series, panels
from linkwork.papers.pedrammehr2012 import findings, sketches
from linkwork.papers.pedrammehr2012.findings import PATHS, Rotation
from linkwork.papers.pedrammehr2012.notes import CONTENTS, MISPRINTS
from linkwork.papers.platform_paths import (
    DEVIATION_HEADER,
    PathRun,
    deviation,
    deviation_rows,
    papers_platform,
    run_path,
)
from linkwork.papers.platform_tracking import HEADER, KP, KV, LOST, times_worse, tracking_rows
from linkwork.papers.reproduction import PRINTED_AND_RIGHT, Progress, Reproduction
from linkwork.papers.timing import machine, microseconds, seconds_per_call

PODS = tuple(f"pod {k}" for k in range(1, 7))
OWN = (
    "parallel-axis-lower",
    "parallel-axis-upper",
    "parallel-axis-platform",
    "equation-25",
    "dropped-terms",
)
DASGUPTA = ("no-spin", "moment-along-leg", "upper-inertia-at-base")


def reproduce(progress: Progress | None = None) -> Reproduction:
    runs = {name: run_path(name) for name in PATHS}
    page = Reproduction(
        "pedrammehr2012",
        "Pedrammehr, Mahboubkhah and Khani (2012), reproduced",
        _summary(runs),
        progress,
    )
    page.text(
        "S. Pedrammehr, M. Mahboubkhah and N. Khani, *Improved dynamic equations for the generally "
        "configured Stewart platform manipulator*, Journal of Mechanical Science and Technology 26, "
        "2012.  Equation and figure numbers are the paper's (P); D stands for Dasgupta and Mruthyunjaya "
        "1998, whose model it improves and whose manipulator it uses. A pod is a leg. Its Paths 2 and 3 "
        "are D's Paths I and II."
    )
    page.table("contents", ("paper", "here"), CONTENTS, "What the paper shows, and where it is.")
    _drawings(page, runs["pedrammehr-2"])
    _rotations(page, runs)
    _forces(page, runs)
    _why(page, runs)
    _tracking(page)
    _times(page, runs)
    page.section("Printed and right")
    changes = [findings.other_mass_centre(name) for name in PATHS[1:]]
    page.text(
        "The sign of the upper part's mass centre matters: with z = -0.08 m as this paper prints it, "
        f"exact forces change by up to {changes[0]:.1f} N on Path 2 and {changes[1]:.1f} N on Path 3."
    )
    page.table("misprints", PRINTED_AND_RIGHT, MISPRINTS, "Found while reproducing the paper.")
    return page


def _summary(runs: dict[str, PathRun]) -> str:
    slow, fast = runs["pedrammehr-2"], runs["pedrammehr-3"]
    own = [deviation(run.forces("pedrammehr2012"), run.forces()) for run in (slow, fast)]
    old = [deviation(run.forces("dasgupta1998"), run.forces()) for run in (slow, fast)]
    apart = np.abs(fast.forces("pedrammehr2012") - fast.forces("dasgupta1998")).max()
    return (
        "The paper corrects two faults of Dasgupta and Mruthyunjaya: it gives the pods their spin and "
        "puts the universal joint's moment where it belongs. Both corrections are right, and on the "
        f"slow Path 2 they bring the largest error from {old[0].largest:.1f} N down to "
        f"{own[0].largest:.2f} N; at rest its forces are exact.\n\n"
        "But it adds a new fault. It moves the inertia of every body by the parallel-axis theorem, "
        "although its equations of moments already contain those terms. Inertia counted twice matters "
        f"when things accelerate: on the fast Path 3 its error is {own[1].largest:.0f} N "
        f"({100 * own[1].rms:.2f} % RMS), no better than the {old[1].largest:.0f} N "
        f"({100 * old[1].rms:.2f} % RMS) of the model it improves. The two models are nearer to each "
        f"other there (at most {apart:.0f} N apart) than either is to the truth."
    )


def _drawings(page: Reproduction, run: PathRun) -> None:
    platform = papers_platform()
    middle = len(run.time) // 2
    page.section("The manipulator")
    page.figure(
        "figure-1",
        sketches.manipulator_figure(platform),
        "The paper's Fig. 1, drawn from its data: frames {W} and {P}, and the vectors of pod 3.",
    )
    page.figure(
        "figure-2",
        sketches.universal_joint_figure(platform),
        "The paper's Fig. 2 with the true directions of pod 3: the joint turns about u, fixed to the "
        "base, and v; c is normal to both, so it is the only direction in which the joint passes a "
        "moment. D puts that moment along n.",
    )
    page.figure(
        "figure-3",
        sketches.pod_figure(run, middle),
        "The paper's Fig. 3: pod 3 cut free in the middle of Path 2, with the computed reactions "
        "(weights drawn eight times, the moment sixty times longer than the forces).",
    )
    page.figure(
        "figure-4",
        sketches.platform_free_figure(run, middle),
        "The paper's Fig. 4: the platform cut free at the same instant, with the computed forces of "
        "all pods, to scale.",
    )


def _rotation_figure(page: Reproduction, number: int, found: Rotation, words: str, unit: str) -> None:
    true, simplified, difference = found.magnitudes
    series = [
        Series("true (this paper)", true, BLUE),
        Series("simplified, no spin (D)", simplified, ORANGE, "--"),
        Series("their difference", difference, PINK, ":"),
    ]
    page.figure(
        f"figure-{number}",
        panels(found.time, series, PODS, unit),
        f"The paper's Fig. {number}: {words}, magnitudes of the vectors.",
    )


def _rotations(page: Reproduction, runs: dict[str, PathRun]) -> None:
    page.section("Angular velocities and accelerations of the pods")
    first = findings.rotations(runs["pedrammehr-1"])
    second = findings.rotations(runs["pedrammehr-2"])
    page.text(
        "The kinematics of the paper, (12)-(24), are exact once (21) is repaired. The difference to the "
        "simplified model is the spin of a pod about its own axis. The paper finds pods 1, 2 and 6 "
        "alike in angular velocity and pod 3 in angular acceleration on Path 1. The table agrees for "
        "the lengths of the vectors: among the pods that spin at all, those differ least. Pod 4 does "
        "not spin on this path, because the platform moves along the fixed axis of its joint: there "
        "both models agree exactly, and yet the paper does not list it. Its axes u are not printed. "
        "Those taken here are the k of D, whose data it says it uses; that it passes over pod 4 may "
        "mean that its own differ, or only that it lists what is alike and not what is equal. Figures 5 "
        "to 10 rest on this assumption."
    )
    _rotation_figure(page, 5, first[0], "angular velocities on Path 1", "|ω| [rad/s]")
    _rotation_figure(page, 6, first[1], "angular accelerations on Path 1", "|α| [rad/s²]")
    rows = []
    for k in range(6):
        cells: list[object] = [k + 1]
        for found in first:
            true, simplified, _ = found.magnitudes
            gap = np.abs(true - simplified)[:, k].max() / true[:, k].max()
            cells += [f"{100 * gap:.1f}", f"{100 * found.share()[k]:.1f}"]
        rows.append(cells)
    page.table(
        "spin",
        (
            "pod",
            "velocity: difference of lengths [%]",
            "velocity: spin [%]",
            "acceleration: difference of lengths [%]",
            "acceleration: axial part [%]",
        ),
        rows,
        "Path 1, largest differences over the largest true value of each pod.",
    )
    _rotation_figure(page, 7, second[0], "angular velocities on Path 2", "|ω| [rad/s]")
    _rotation_figure(page, 8, second[1], "angular accelerations on Path 2", "|α| [rad/s²]")


def _forces(page: Reproduction, runs: dict[str, PathRun]) -> None:
    page.section("Pod forces")
    page.text(
        "'Improved' is the paper's closed form (41)-(43), (48), (51) with its misprints put right; "
        "'simplified' is D as published. Beside them stands the exact force, which the paper does not "
        "have."
    )
    for number, name in ((9, "pedrammehr-2"), (10, "pedrammehr-3")):
        run = runs[name]
        improved, simplified, exact = (
            run.forces("pedrammehr2012"),
            run.forces("dasgupta1998"),
            run.forces(),
        )
        path = f"Path {name[-1]}"
        series = [
            Series("exact", exact, GREEN, "-", 4.5, 0.4),
            Series("improved (this paper)", improved, BLUE, "-", 1.1),
            Series("simplified (D)", simplified, ORANGE, "--", 1.1),
            Series("improved − simplified", improved - simplified, PINK, ":"),
        ]
        page.figure(
            f"figure-{number}",
            panels(run.time, series, PODS, "force [N]"),
            f"The paper's Fig. {number}: pod forces on {path}, with the exact force added.",
        )
        errors = [
            Series("improved − exact", improved - exact, BLUE),
            Series("simplified − exact", simplified - exact, ORANGE, "--"),
        ]
        page.figure(
            f"errors-{name[-1]}",
            panels(run.time, errors, PODS, "error [N]"),
            f"Not in the paper: errors of both models on {path}. "
            + (
                "The improvement is real here."
                if number == 9
                else "At speed the improved model is off as far as the old one."
            ),
        )
        columns = {"time [s]": run.time}
        for label, values in (("improved", improved), ("simplified", simplified), ("exact", exact)):
            columns.update({f"{label} pod {k + 1} [N]": values[:, k] for k in range(6)})
        page.data(f"path-{name[-1]}", columns)


def _why(page: Reproduction, runs: dict[str, PathRun]) -> None:
    slow, fast = runs["pedrammehr-2"], runs["pedrammehr-3"]
    page.section("How far the equations are off, and why")
    rows = []
    for label, one, two in (
        (label, a, b)
        for (label, a), b in zip(
            findings.form_deviations(slow).items(),
            findings.form_deviations(fast).values(),
            strict=True,
        )
    ):
        rows.append([label, *_cells(one.largest, one.rms), *_cells(two.largest, two.rms, two.worst)])
    old = [deviation(run.forces("dasgupta1998"), run.forces()) for run in (slow, fast)]
    rows.append(
        [
            "D as published",
            *_cells(old[0].largest, old[0].rms),
            *_cells(old[1].largest, old[1].rms, old[1].worst),
        ]
    )
    page.table(
        "deviation",
        (
            "model",
            "Path 2: largest [N]",
            "RMS [%]",
            "Path 3: largest [N]",
            "RMS [%]",
            "worst instant [%]",
        ),
        rows,
        "Errors against the exact forces, all pods, at the papers' sampling instants.",
    )
    rest = np.zeros_like(slow.motion[1])
    still = slow.platform.inverse_dynamics(slow.pose, rest, rest)
    at_rest = [
        np.abs(slow.platform.inverse_dynamics(slow.pose, rest, rest, formulation=name) - still).max()
        for name in ("dasgupta1998", "pedrammehr2012")
    ]
    closed, stepwise = (
        findings.asymmetry(findings.published_mass_matrix(slow.platform.home, form))
        for form in ("closed", "step")
    )
    turned = findings.frame_dependence("pedrammehr-3", np.pi / 6, formulation="pedrammehr2012")
    page.text(
        f"- **At rest** along Path 2, D is off by up to {at_rest[0]:.1f} N and this paper by nothing "
        f"({at_rest[1]:.0e} N): the statics are repaired.\n"
        "- **Inertia counted twice.** (32), (33) and (50) add m (r² E − r r') to inertias about the "
        "mass centre, but (31) and (49) contain m r × a, which holds the same term.\n"
        "- **Frames mixed.** As printed, those terms are formed from base components and then turned "
        "once more. So the result depends on how the base frame is drawn: turning it by 30 degrees "
        f"about the vertical changes the forces on Path 3 by up to {turned:.1f} N.\n"
        "- **Terms dropped.** The closed form (42)-(43) leaves out parts of the paper's own (31)-(40). "
        f"Its mass matrix is therefore not symmetric (by {100 * closed:.2g} % of its largest element), "
        f"which that of (31)-(40) is ({stepwise:.0e})."
    )
    page.table(
        "one-at-a-time",
        DEVIATION_HEADER,
        deviation_rows((*OWN, *DASGUPTA), slow, fast),
        "Every deviation of both papers switched on alone in the exact model, frames as printed.",
    )


def _tracking(page: Reproduction) -> None:
    page.section("What the errors cost in tracking")
    slow, fast = (times_worse(path, "pedrammehr2012") for path in ("dasgupta-I", "dasgupta-II"))
    page.text(
        "The paper asks for its equations in feedback linearisation. With them as the model in the "
        r"controller, \(J^T F = M(X)\,[\ddot X_d + K_v\dot e + K_p e] + h\), "
        f"gains {KP:g} and {KV:g}, and the exact platform as the machine, the orientation on the slow "
        f"Path 2 is as good as with the exact model ({slow:.2f} times its error), which shows what the "
        f"repaired statics are worth. On the fast Path 3 it is off {fast:.0f} times as far. Without "
        f"feedback the planned forces lose the path ({1e3 * LOST:g} mrad) sooner than exact ones."
    )
    page.table(
        "tracking",
        HEADER,
        tracking_rows("dasgupta-I", "dasgupta-II"),
        "Largest errors under feedback on Path 2 (slow) and Path 3 (fast), and how long planned forces "
        "alone keep the platform on its path.",
    )


def _times(page: Reproduction, runs: dict[str, PathRun]) -> None:
    page.section("How long it takes")
    samples = sum(len(run.time) for run in runs.values())
    rows: list[list[object]] = [
        ["the paper: MATLAB, Core 2 Duo, 2.5 GHz (quoted)", "1.58 s", "its three paths"]
    ]
    for name in ("pedrammehr2012", "exact"):
        total = sum(
            seconds_per_call(lambda run=run, name=name: run.forces(name))  # type: ignore[misc]
            for run in runs.values()
        )
        rows.append([f"Linkwork, {name}", microseconds(total), f"{samples} samples of the same paths"])
    page.table(
        "times",
        ("what", "time", "for"),
        rows,
        "The paper does not say how finely it samples. The lower lines were measured when this page was "
        f"built ({machine()}) and differ from build to build; everything else on the page does not.",
    )


def _cells(largest: float, *ratios: float) -> list[str]:
    return [f"{largest:.3g}", *[f"{100 * ratio:.3g}" for ratio in ratios]]
