"""The page on Pedrammehr, Mahboubkhah and Khani (2012)."""

from __future__ import annotations

import numpy as np

from linkwork.papers.panels import panels
from linkwork.papers.pedrammehr2012 import error_sections, findings, sketches
from linkwork.papers.pedrammehr2012.entries import CLAIMS, ENTRIES, EQUATIONS, SYMBOLS
from linkwork.papers.pedrammehr2012.findings import PATHS, Rotation
from linkwork.papers.platform_paths import PathRun, deviation, papers_platform, run_path
from linkwork.papers.reproduction import Progress, Reproduction

CONTENTS = [
    ["Fig. 1: platform and vectors of a pod", "drawn from the data"],
    ["Fig. 2: kinematic model of the universal joint", "drawn from the data"],
    ["Figs. 3, 4: free body diagrams of a pod and of the platform", "drawn with computed forces"],
    ["Figs. 5, 6: Path 1, angular velocities and accelerations", "computed"],
    ["Figs. 7, 8: Path 2, angular velocities and accelerations", "computed"],
    ["Figs. 9, 10: Paths 2 and 3, pod forces", "computed"],
    [
        "Appendix 2: data of the manipulator and the paths",
        "robots `pedrammehr2012` (as printed) and `dasgupta1998`",
    ],
    ["section 9: 1.58 s of a MATLAB program", "quoted beside times of this machine"],
]


def _statements(page: Reproduction, runs: dict[str, PathRun], turned: float) -> None:
    slow, fast = runs["pedrammehr-2"], runs["pedrammehr-3"]
    changes = [findings.other_mass_center(name) for name in PATHS[1:]]
    alike = [findings.trend(run) for run in (slow, fast)]
    apart = [findings.largest_difference(run) for run in (slow, fast)]
    better = [
        [deviation(run.forces(name), run.forces()).rms for run in (slow, fast)]
        for name in ("pedrammehr2012", "dasgupta1998")
    ]
    spin = findings.rotations(runs["pedrammehr-1"])[0]
    found = [
        "the true motion is that of (12)-(24); differences in the table of spins",
        "pod 4 does not spin on Path 1; its velocities differ by at most "
        f"{spin.magnitudes[2][:, 3].max():.0e} rad/s",
        f"by far on the slow path, hardly on the fast one. Path 2: {100 * better[0][0]:.2g} % RMS "
        f"instead of {100 * better[1][0]:.2g} %; Path 3: {100 * better[0][1]:.3g} % instead of "
        f"{100 * better[1][1]:.3g} %",
        f"correlation of the forces of a pod at least {alike[0]:.4f} on Path 2, {alike[1]:.3f} on "
        f"Path 3; apart by up to {apart[0]:.1f} and {apart[1]:.1f} N",
        f"Path 3: {100 * better[0][1]:.3g} % RMS error after the improvement, "
        f"{100 * better[1][1]:.3g} % before it",
        "a difference of two models does not say which is right",
        "true of the lengths of the vectors with the axes taken here; its own axes are not printed",
        "Paths 2 and 3, as their captions and the sentence before say",
        "[19], as the text before it says",
        "c is not normal to n; its (37) divides by their product",
        "(16) of the other paper does; both count the term twice",
        f"base frame turned by 30 degrees about the vertical: up to {turned:.1f} N on Path 3",
        f"z = -0.08 m of the upper part changes exact forces by up to {changes[0]:.1f} N on Path 2 "
        f"and {changes[1]:.1f} N on Path 3; `pedrammehr2012` has it",
        r"the matrix of \(\times\,l\,n\) has rank 2",
        "D (17) to (21)",
        "D (6) and (9)",
        "the sampling is not told; our own time stands above",
    ]
    page.statements(
        ("found",), CLAIMS, [[one] for one in found], "Claims of the paper; numbers are computed here."
    )


PODS = tuple(f"pod {k}" for k in range(1, 7))


def reproduce(progress: Progress | None = None) -> Reproduction:
    runs = {name: run_path(name) for name in PATHS}
    page = Reproduction(
        "pedrammehr2012",
        "Pedrammehr, Mahboubkhah and Khani (2012), reproduced",
        _summary(runs),
        progress,
    )
    page.source(
        "S. Pedrammehr, M. Mahboubkhah and N. Khani, *Improved dynamic equations for the generally "
        "configured Stewart platform manipulator*, Journal of Mechanical Science and Technology 26, "
        "2012. Equation and figure numbers are the paper's (P); D stands for Dasgupta and Mruthyunjaya "
        "1998, whose model it improves and whose manipulator it uses. A pod is a leg. Its Paths 2 and 3 "
        "are D's Paths I and II."
    )
    page.table("contents", ("paper", "here"), CONTENTS, "What the paper shows, and where it is.")
    _drawings(page, runs["pedrammehr-2"])
    _rotations(page, runs)
    _forces(page, runs)
    turned = error_sections.why(page, runs)
    error_sections.tracking(page)
    error_sections.times(page, runs)
    _statements(page, runs, turned)
    page.entries(ENTRIES, EQUATIONS, SYMBOLS)
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
    curves = {
        "true (this paper)": true,
        "simplified, no spin (D)": simplified,
        "their difference": difference,
    }
    page.figure(
        f"figure-{number}",
        panels(found.time, curves, PODS, unit),
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
        curves = {
            "exact": exact,
            "improved (this paper)": improved,
            "simplified (D)": simplified,
            "improved − simplified": improved - simplified,
        }
        page.figure(
            f"figure-{number}",
            panels(run.time, curves, PODS, "force [N]"),
            f"The paper's Fig. {number}: pod forces on {path}, with the exact force added.",
        )
        errors = {"improved − exact": improved - exact, "simplified − exact": simplified - exact}
        page.figure(
            f"errors-{name[-1]}",
            panels(run.time, errors, PODS, "error [N]", reference=False),
            f"Not in the paper: errors of both models on {path}. "
            + (
                "The improvement is real here."
                if number == 9
                else "At speed the improved model is off as far as the old one."
            ),
        )
        columns = {
            "time [s]": run.time,
            "improved pod {} [N]": improved,
            "simplified pod {} [N]": simplified,
            "exact pod {} [N]": exact,
        }
        page.data(f"path-{name[-1]}", columns)
