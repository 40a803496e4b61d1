"""The page on Angeles, chapter 7."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis import general_arm
from linkwork.analysis.operation_table import operation_table
from linkwork.analysis.printed_counts import ANGELES, ANGELES_7_3, ANGELES_7_4
from linkwork.papers import arm_sketch
from linkwork.papers.angeles import findings
from linkwork.papers.angeles.as_printed import MISPRINTS, OTHER_READING, misprint_errors
from linkwork.papers.angeles.entries import CLAIMS, ENTRIES, EQUATIONS
from linkwork.papers.angeles.findings import Swing
from linkwork.papers.count_tables import fitted, formula, typeset
from linkwork.papers.panels import panels
from linkwork.papers.random_arms import misprint_rows
from linkwork.papers.reproduction import AS_READ_AND_RIGHT, Progress, Reproduction
from linkwork.reports.figures import stacked_figure
from linkwork.robot.limits import quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONTENTS = [
    ["Figs. 7.2, 7.3: a revolute and a prismatic joint", "drawn from a model"],
    ["Figs. 7.4, 7.5: free-body diagrams of a link and of the end-effector", "with computed forces"],
    ["Table 7.1: complexity of the kinematics", "rows traced"],
    ["Table 7.2: complexity of the dynamics", "rows traced"],
    ["Tables 7.3, 7.4: other algorithms", "checked against each other, ours added"],
    ["Algorithms 7.4.1, 7.4.2", "run as printed and put right"],
    ["(7.45)-(7.58): natural orthogonal complement", "every promise checked on three arms"],
    ["worked examples with numbers", "none in sections 7.4 and 7.5 as we have them, to (7.58)"],
]

N = 6


def reproduce(progress: Progress | None = None) -> Reproduction:
    errors = misprint_errors()
    checks = [findings.complement_check(name) for name in findings.ARMS]
    worst = max(max(one.orthogonality, one.power, one.inertia, one.torques) for one in checks)
    page = Reproduction(
        "angeles",
        "Angeles, chapter 7: recursions and natural orthogonal complement, reproduced",
        "The chapter gives two recursions for the inverse dynamics of an arm, counts their operations "
        "and derives the equations of motion with the natural orthogonal complement. The counts for "
        "revolute joints are right to the last addition. Every promise of the complement holds on "
        f"three arms, to {worst:.0e}.\n\n"
        "The two algorithms, though, do not fit together as printed. The outward recursion leaves what "
        "belongs to link i in the frame after it, the inward one turns and reads it as if it stood in "
        "the frame before. Taken literally the torques come out wrong by "
        f"{100 * errors['Algorithm 7.4.2']:.0f} % (median over random arms); read as if everything had "
        "been turned before, they are right, at a cost that the tables do not count. Two more slips "
        f"touch arms with prismatic joints only: {100 * errors['Algorithm 7.4.1, P']:.0f} % and "
        f"{100 * errors['(7.38d)']:.0f} %.",
        progress,
    )
    page.source(
        "J. Angeles, *Fundamentals of Robotic Mechanical Systems: Theory, Methods, and Algorithms*, "
        "Springer, sections 7.4 and 7.5 up to equation (7.58). Equation, table, figure and algorithm "
        r"numbers are the book's; which edition the text is of, its pages do not say. Its frame "
        r"\(F_{i+1}\) is our frame \(i\)."
    )
    page.table("contents", ("book", "here"), CONTENTS, "What the chapter shows, and where it is.")
    _drawings(page)
    _counts(page)
    _as_printed(page, errors)
    _complement(page, checks)
    _simulation(page)
    _statements(page, errors, checks)
    page.entries(ENTRIES, EQUATIONS)
    return page


def _drawings(page: Reproduction) -> None:
    page.section("Joints and links (Figures 7.2 to 7.5)")
    page.figure(
        "figure-7-2",
        arm_sketch.joint_figure("revolute"),
        "The book's Fig. 7.2: a revolute joint, with centers of mass C, origins O and the vectors a, ρ "
        "and δ between them.",
    )
    page.figure(
        "figure-7-3",
        arm_sketch.joint_figure("prismatic"),
        "The book's Fig. 7.3: a prismatic joint; (7.38d) forgets the slide along its axis e.",
    )
    page.figure(
        "figure-7-4",
        arm_sketch.link_forces_figure(2, ("$f_i^P$", "$n_i^P$", "$-f_{i+1}^P$", "$-n_{i+1}^P$")),
        "The book's Fig. 7.4: a link cut free; forces and moments of a moving three-link arm, computed "
        "and to scale.",
    )
    page.figure(
        "figure-7-5",
        arm_sketch.link_forces_figure(3, ("$f_n^P$", "$n_n^P$", "", "")),
        "The book's Fig. 7.5: the last link cut free, nothing at its tip.",
    )


def _counts(page: Reproduction) -> None:
    page.section("Operations (Tables 7.1 to 7.4)")
    rows: list[list[object]] = []
    found = findings.outward_rows(True), findings.outward_rows(False)
    for name, printed in findings.PRINTED.items():
        row: list[object] = [typeset(name)]
        for kind in (0, 1):
            one = found[kind][name]
            row += [
                f"{printed[kind][0]} / {printed[kind][1]}",
                f"{one.multiplications} / {one.additions}",
            ]
        rows.append(row)
    page.table(
        "table-7-1",
        ("item", "R, printed", "R, traced", "P, printed", "P, traced"),
        rows,
        "Section 7.4.1 and Table 7.1 per joint: multiplications / additions. Our acceleration of a "
        "prismatic link is written with the frames put right.",
    )
    inward = findings.inward_rows()
    names = {"row 1": "1", "row 2": "1", "row 5": "n − 1", "row 6": "n − 1", "row 7": "n − 1"}
    page.table(
        "table-7-2",
        ("row of Algorithm 7.4.2", "printed", "traced", "times"),
        [
            [
                name,
                _each(name),
                f"{inward[name].multiplications} / {inward[name].additions}",
                times,
            ]
            for name, times in names.items()
        ],
        "Table 7.2: multiplications / additions of every row.",
    )
    m, a = fitted(general_arm.count_angeles, 1)
    page.text(
        f"Together (7.43): {formula(ANGELES.multiplications)} and {formula(ANGELES.additions)}, at "
        f"n = {N} {int(ANGELES.multiplications(N))} and {int(ANGELES.additions(N))} as the book says. "
        f"With the wrench of the first joint turned too it takes {formula(m.plus(-6))} and "
        f"{formula(a.plus(-6))}. Our trace of it, {formula(m)} and {formula(a)}, has 6 and 6 more by a "
        r"choice of ours: here the tip force acts at \(O_n\); in (7.38a,b) it acts at the center of "
        "mass, as the book says, and needs no arm."
    )
    _other_authors(page)


def _each(row: str) -> str:
    """A printed row per joint: the slope of what is proportional to n - 1, else the row itself."""
    _, m, a = next(entry for entry in ANGELES.rows if entry[0] == row)
    if m(2) == m(1):
        return f"{int(m(1))} / {int(a(1))}"
    return f"{int(m(2) - m(1))} / {int(a(2) - a(1))}"


def _other_authors(page: Reproduction) -> None:
    rows: list[list[object]] = []
    by_author = {author: (m, a) for author, _, m, a in ANGELES_7_3}
    for author, method, m, a in ANGELES_7_4:
        row: list[object] = [author, method]
        if author in by_author:
            pm, pa = by_author[author]
            row += [f"{formula(pm)} / {formula(pa)}", f"{int(pm(N))} / {int(pa(N))}"]
        else:
            row += [None, None]
        rows.append([*row, f"{m} / {a}"])
    table = operation_table(N, robots=["puma560"])
    for entry in (*table.general, *table.bundled):
        counts = entry.kernel
        rows.append(
            [
                f"Linkwork, {entry.robot}",
                entry.formulation,
                None,
                f"{counts.multiplications} / {counts.additions}",
                None,
            ]
        )
    page.table(
        "tables-7-3-and-7-4",
        ("author", "method", "Table 7.3", f"at n = {N}", "Table 7.4, printed"),
        rows,
        "Multiplications / additions. The two tables agree except for one addition in Balafoutis and "
        "Patel's line. Below them our kernels, with every zero of a fixed base used: of an arm without "
        "any special geometry, and of the PUMA 560.",
    )


def _as_printed(page: Reproduction, errors: dict[str, float]) -> None:
    page.section("The algorithms as printed")
    page.text(
        "Algorithm 7.4.2 can be read in two ways. Its note says that vectors to the left of an arrow "
        r"stand in \(F_i\), and \(f_{i+1}^P\), \(n_{i+1}^P\) to the right in \(F_{i+1}\). But "
        r"\(\ddot c_i\), \(\omega_i\), \(\dot\omega_i\), \(I_i\) and \(\rho_i\) to the right come from "
        r"7.4.1 in \(F_{i+1}\). Either they are meant as they come: then \(Q_i\) turns the wrong "
        "vectors and the z component is read in the wrong frame. Or they are meant to be turned first: "
        f"then every line is right ({100 * errors[OTHER_READING]:.0e} %), but turning them costs more "
        "than Table 7.2 counts, whose rows belong to the first reading."
    )
    page.table(
        "as-printed",
        (*AS_READ_AND_RIGHT, "median torque error [%]"),
        misprint_rows(MISPRINTS, errors, "both algorithms put right"),
        "One misprint at a time taken literally, on random six-joint arms with two prismatic joints, "
        "against Newton-Euler.",
    )
    found = findings.printed_torques()
    titles = [
        f"{name} [{'N' if slides else 'N m'}]"
        for name, slides in zip(found.labels, found.prismatic, strict=True)
    ]
    wrong = {f"as printed: {name}": values for name, values in found.wrong.items()}
    page.figure(
        "stanford-torques",
        panels(found.time, {"put right": found.right} | wrong, titles, "torque or force"),
        "Not in the book: torques and force of the Stanford arm, whose third joint is prismatic, along "
        "a quintic motion. The printed prismatic branch of 7.4.1 makes no error here, because the "
        "Stanford arm's boom has no twist; (7.38d) reverses the load of the shoulder. For "
        "'7.4.2, frames' the boom's constant angle belongs to the frame before it.",
    )


def _statements(
    page: Reproduction, errors: dict[str, float], checks: list[findings.ComplementCheck]
) -> None:
    worst = max(max(one.orthogonality, one.power, one.inertia, one.torques) for one in checks)
    every = int(ANGELES.multiplications(N) + ANGELES.additions(N))
    m, a = next((m, a) for author, _, m, a in ANGELES_7_3 if author.startswith("Walker"))
    rows = [
        tuple(sum(row[kind][which] for row in findings.PRINTED.values()) for which in (0, 1))
        for kind in (0, 1)
    ]
    found = [
        "traced",
        "16M 15A and 14M 11A traced with the frames put right",
        "22M 20A traced with the frames put right",
        "traced row by row",
        "by its own rows",
        f"{every} operations are {1e-3 * every:.1f} microseconds at one operation a nanosecond",
        f"{int(ANGELES.multiplications(N))} and {int(m(N))}, {int(ANGELES.additions(N))} and "
        f"{int(a(N))} for six joints",
        f"{rows[0][0]}M {rows[0][1]}A at a revolute joint, {rows[1][0]}M {rows[1][1]}A at a prismatic "
        "one",
        "not directly, but by strobing: Turney, section 7",
        f"taken literally {100 * errors['Algorithm 7.4.2']:.0f} % off; with everything turned first "
        "right, at a cost that the tables leave out",
        f"(7.38d) lacks the slide of the next joint: {100 * errors['(7.38d)']:.0f} % off",
        f"to {worst:.0e}",
        "rank 5n of 6n rows",
    ]
    page.statements(("found",), CLAIMS, [[one] for one in found], "Claims of the chapter.")


def _complement(page: Reproduction, checks: list[findings.ComplementCheck]) -> None:
    page.section("The natural orthogonal complement (7.5)")
    page.text(
        r"The twists of all links are shaped by the joint rates, \(t = T\dot\theta\) (7.54). The joints "
        r"constrain them by \(K t = 0\) (7.50), so \(K T = 0\) (7.55b). \(T^T\) removes every "
        "constraint wrench, and what remains are the equations of motion"
        "\n\n"
        r"\(I\ddot\theta = -T^T(M\dot T + W M T)\,\dot\theta + T^T(w^A + w^D + w^G)\quad(7.57)\)"
        "\n\n"
        r"with the inertia \(I = T^T M T\) (7.58). K has 6n rows but only 5n of them are independent, "
        "so its nullspace has dimension n as the book says, and the multipliers of "
        r"\(w^C = K^T\lambda\) (7.53) are not unique; \(w^C\) is. Friction enters as \(w^D\), which "
        r"the book leaves to its section 7.8: `natural_complement` has it, and \(T^T w^D\) is minus the "
        "friction of the joints."
    )
    page.table(
        "complement",
        (
            "arm",
            "n",
            r"\(|K T|\)",
            "rank of K",
            "5n",
            r"\(|T^T w^C|\)",
            r"\(T^T M T\) against M",
            "torques against Newton-Euler",
            r"least eigenvalue of \(T^T M T\)",
        ),
        [
            [
                one.arm,
                one.n,
                f"{one.orthogonality:.0e}",
                f"{one.rank[0]}" if one.rank[0] == one.rank[1] else f"{one.rank[0]} to {one.rank[1]}",
                5 * one.n,
                f"{one.power:.0e}",
                f"{one.inertia:.0e}",
                f"{one.torques:.0e}",
                f"{one.smallest_eigenvalue:.2g}",
            ]
            for one in checks
        ],
        f"{findings.STATES} random states; differences are relative to the largest element.",
    )


def _simulation(page: Reproduction) -> None:
    page.section("A simulation by the complement (7.45)")
    found = findings.swing()
    apart = np.abs(found.q - found.reference.q[::2]).max()
    page.text(
        "The book derives (7.57) for simulation. Here the two-link arm falls from the horizontal, its "
        r"accelerations from \(T^T M T\) and the complement's right-hand side, by Runge-Kutta steps of "
        f"{1e3 * found.time[1]:g} ms. Its energy changes by at most {np.abs(found.energy).max():.0e} J "
        f"of {found.kinetic:.0f} J, and its angles differ by at most {apart:.0e} rad from `simulate`, "
        "which takes composite bodies and half the step."
    )
    page.figure(
        "swing",
        swing_figure(found),
        "Not in the book: the two-link arm falls; joint angles, and the change of its energy.",
    )


def swing_figure(found: Swing) -> Figure:
    angles = quantity("angle", ("joint 1", "joint 2"), "rad", found.q)
    energy = quantity("change of the energy", ("arm",), "µJ", 1e6 * found.energy[:, None])
    return stacked_figure(found.time, [angles, energy], 1.7)
