"""The page on Turney, Mudge and Lee (1980)."""

from __future__ import annotations

from linkwork.analysis.printed_counts import (
    TURNEY_2,
    TURNEY_2_ROW_4,
    TURNEY_3,
    TURNEY_4,
    TURNEY_5,
    appendix_sum,
)
from linkwork.papers import arm_sketch
from linkwork.papers.count_tables import (
    TYPESET,
    formula,
    in_symbols,
    plain_table,
    row_table,
    turney_rows,
)
from linkwork.papers.random_arms import misprint_rows
from linkwork.papers.reproduction import AS_READ_AND_RIGHT, Progress, Reproduction
from linkwork.papers.turney1980 import figures, findings
from linkwork.papers.turney1980.as_printed import CERTAIN, MISPRINTS, misprint_errors
from linkwork.papers.turney1980.entries import CLAIMS, ENTRIES, EQUATIONS
from linkwork.papers.turney1980.findings import Total

CONTENTS = [
    ["Fig. 1: link frames", "drawn from a model"],
    ["Fig. 2: vectors between origins", "drawn from a model"],
    ["Fig. 3: a mass element of a link", "drawn from a model"],
    ["Fig. 4: forces and moments on a link", "drawn with computed forces"],
    ["Table 1: complexity of the formulations", "printed beside traced"],
    ["Table 2: Lagrange terms", "rows checked, total corrected"],
    ["Tables 3, 4: Newton-Euler terms, and modified", "rows traced, totals corrected"],
    ["section 6: cost of strobing, in words", "counted"],
    ["Table 5: simultaneous steps", "rows checked, beside a schedule on p processors"],
    ["section 7: simulation", "repeated; the report shows no result of its own"],
]

N = 6
SIZES = range(1, 9)


def reproduce(progress: Progress | None = None) -> Reproduction:
    totals = findings.totals()
    misprints = misprint_rows(MISPRINTS, misprint_errors(), "all equations put right")
    page = Reproduction(
        "turney1980", "Turney, Mudge and Lee (1980), reproduced", _summary(totals, misprints), progress
    )
    page.source(
        "J. L. Turney, T. N. Mudge and C. S. G. Lee, *Equivalence of two formulations for robot arm "
        "dynamics*, SEL Report 142, University of Michigan, December 1980. Equation, table and figure "
        "numbers are the report's. It contains no data of an arm and no simulated result; what can be "
        "computed from it are its tables and its equations."
    )
    page.table("contents", ("report", "here"), CONTENTS, "What the report shows, and where it is.")
    _drawings(page)
    _equivalence(page)
    _tables(page, totals)
    _parallel(page, totals)
    _simulation(page)
    _misprints(page, misprints)
    _statements(page)
    page.entries(ENTRIES, EQUATIONS)
    return page


def _summary(totals: list[Total], misprints: list[list[object]]) -> str:
    _, plain, modified = totals
    worst = max(max(findings.torque_differences(arm).values()) for arm in findings.example_arms())
    worst_misprint = max(float(str(row[-1])) for row in misprints if row[0] in CERTAIN)
    return (
        "The report proves that the Lagrange and the Newton-Euler equations of an arm are the same, and "
        "derives a cheaper Newton-Euler set. The proof stands: computed side by side, all formulations "
        f"agree to {worst:.0e} of the largest torque.\n\n"
        f"Its counts are nearly right. Newton-Euler takes {formula(plain.traced[0])} multiplications "
        "and "
        f"{formula(plain.traced[1])} additions instead of {formula(plain.printed[0])} and "
        f"{formula(plain.printed[1])}; the "
        f"modified set {formula(modified.traced[0])} and {formula(modified.traced[1])} instead of "
        f"{formula(modified.printed[0])} "
        f"and {formula(modified.printed[1])}. Half to two thirds of the saving of the modified set come "
        "from giving it a diagonal inertia and the other a full one. Some equations do not compute as "
        "they read. Most of that may be the reading's; the worst error that is certain, in its words on "
        f"K and on the sign of n, changes the torques by {worst_misprint:.0f} %."
    )


def _drawings(page: Reproduction) -> None:
    page.section("Notation (Figures 1 to 4)")
    page.figure(
        "figure-1",
        arm_sketch.parameters_figure(),
        "The report's Fig. 1: frames of two neighboring links (the twist is called φ in the text).",
    )
    page.figure(
        "figure-2",
        arm_sketch.vectors_figure(),
        "The report's Fig. 2: p from the base to an origin, r between origins, r̄ from the far "
        "origin to the center of mass.",
    )
    page.figure(
        "figure-3",
        arm_sketch.mass_element_figure(),
        "The report's Fig. 3: a mass element dm of link q at d from the link's origin.",
    )
    page.figure(
        "figure-4",
        arm_sketch.link_forces_figure(2, ("$f_i$", "$n_i$", "$-f_{i+1}$", "$-n_{i+1}$")),
        "The report's Fig. 4: forces and moments on a link, here those of a moving three-link arm, "
        "computed and to scale.",
    )


def _equivalence(page: Reproduction) -> None:
    page.section("Equivalence of the formulations (sections 2 to 5)")
    arms = findings.example_arms()
    found = [findings.torque_differences(arm) for arm in arms]
    names = [name for name in found[0] if name != "newton-euler"]
    page.table(
        "agreement",
        ("formulation", *[f"{arm.name}: difference" for arm in arms]),
        [[name, *[f"{one[name]:.1e}" for one in found]] for name in names],
        f"Largest difference from Newton-Euler over the largest torque; {findings.STATES} states.",
    )
    strobe = findings.strobing(arms[0])
    page.text(
        "**Strobing** (end of section 3) reads M and C from the recursion. For M it is exact: columns "
        f"from unit accelerations differ from Lagrange's M by {strobe.mass_matrix:.0e}. For C the "
        r"recipe, velocities of joints j and k set to 1, does not give \(C_{jk}\) but "
        r"\(C_{jj} + C_{kk} + 2\,C_{jk}\): taken "
        f"literally it is off by {100 * strobe.by_recipe:.0f} % of the largest element on the PUMA 560. "
        "With the two centrifugal terms taken off and the rest halved, the difference is "
        f"{strobe.corrected:.0e}."
    )
    count = findings.strobing_count()
    page.table(
        "strobing",
        ("by strobing the modified set", "multiplications", "additions", f"at n = {N}"),
        [
            [
                name,
                *[formula(p) for p in pair],
                f"{int(pair[0](N))} / {int(pair[1](N))}",
            ]
            for name, pair in (("M", count.mass_matrix), ("all Cⁱ", count.coriolis))
        ],
        "What strobing costs, traced on a general arm with whatever is zero left out; halving is free. "
        "The report gives only the form: squares of n for M, cubes for C, as found.",
    )


def _tables(page: Reproduction, totals: list[Total]) -> None:
    page.section("Operations (Tables 1 to 4)")
    rows = []
    for total in totals:
        cells = [formula(p) for pair in (total.printed, total.traced) for p in pair]
        values = [int(p(N)) for pair in (total.printed, total.traced) for p in pair]
        rows.append([total.name, *cells, f"{values[0]} / {values[1]}", f"{values[2]} / {values[3]}"])
    page.table(
        "table-1",
        (
            "approach",
            "M printed",
            "A printed",
            "M traced",
            "A traced",
            f"printed at n = {N}",
            f"traced at n = {N}",
        ),
        rows,
        "The report's Table 1 beside what tracing the same equations by the same rule finds "
        "(M: multiplications, A: additions).",
    )
    page.figure(
        "table-1-drawn",
        figures.totals_figure(totals),
        "Table 1 drawn: lines printed, points traced. On this scale the slips hardly show.",
    )
    page.text(
        f"**The report's Table 2.** {in_symbols(TURNEY_2.slips)} The printed rows add up to the "
        "printed total. The appendix sums its additions to "
        r"\(32n + \frac{16}{3}n(n^2-1)\), but "
        r"\(\sum_q [16q(q+1)+32]\) is \(32n + \frac{16}{3}n(n+1)(n+2)\): at n = 4 that is "
        f"{appendix_sum(4)[0]} against {appendix_sum(4)[1]}. Row 4 put right stands under the "
        "printed one."
    )
    header, lines = plain_table(TURNEY_2, N)
    name, m, a = TURNEY_2_ROW_4
    own = [f"{TYPESET[name]}, put right", formula(m), formula(a), int(m(N)), int(a(N))]
    page.table("table-2", header, [*lines[:4], own, *lines[4:]], "The report's Table 2, Lagrange.")
    page.text(f"**The report's Table 3**: {in_symbols(TURNEY_3.slips)}")
    page.table(
        "table-3",
        *row_table(TURNEY_3, turney_rows(modified=False)),
        "The report's Table 3 and what one inner joint needs.",
    )
    page.text(f"**The report's Table 4.** {in_symbols(TURNEY_4.slips)}")
    page.table(
        "table-4",
        *row_table(TURNEY_4, turney_rows(modified=True)),
        "The report's Table 4, modified Newton-Euler, and what one inner joint needs.",
    )
    fair, saved = findings.like_for_like(), findings.saved_by_modification()
    page.table(
        "like-for-like",
        ("inertia", "Newton-Euler M", "A", "modified M", "A"),
        [
            [name, *[formula(p) for p in plain], *[formula(p) for p in modified]]
            for name, plain, modified in fair
        ],
        f"Like for like: with the same kind of inertia in both, the modified set saves {saved.full} "
        f"multiplications per link if the inertia is full, {saved.diagonal} if it is diagonal; the "
        f"report's tables say {saved.printed}.",
    )


def _parallel(page: Reproduction, totals: list[Total]) -> None:
    page.section("Simultaneous steps (Table 5)")
    chains, planned = findings.longest_chains(SIZES), findings.schedule(N)
    steps = TURNEY_5.multiplications(N) + TURNEY_5.additions(N)
    every = TURNEY_4.multiplications(N) + TURNEY_4.additions(N)
    page.text(
        f"Table 5 adds up ({formula(TURNEY_5.multiplications)} and {formula(TURNEY_5.additions)}); its "
        f"rows for α are short of the same 2 multiplications. At n = {N} its {int(steps)} steps are "
        f"{float(every / steps):.1f} times fewer than the {int(every)} operations of Table 4. The "
        "report lets one processor work on each vector. With every single operation free to run as "
        f"soon as its operands are there, the longest chain of our kernel has {chains[N - 1]} "
        f"operations, and each further link adds {chains[-1] - chains[-2]}.\n\n"
        "Between the two lies a real machine with p processors. Ready operations start in the order of "
        "the longest chain that waits for them. Nearly every processor is busy until the chain itself "
        f"is the limit: {planned[2]} steps with two, {planned[8]} with eight, {planned[32]} with 32. "
        f"The report's {int(steps)} steps are reached with {_enough(planned, int(steps))}."
    )
    page.table("table-5", *plain_table(TURNEY_5, N), "The report's Table 5.")
    page.figure(
        "table-5-drawn",
        figures.parallel_figure(totals, SIZES, chains, planned, N),
        "Left: Table 5 drawn beside the longest chain of operations in our kernel of a general arm. "
        "Right: steps of that kernel on p processors.",
    )
    page.table(
        "schedule",
        ("processors", "steps", "times faster than one", "busy [%]"),
        [
            [p, found, f"{planned[1] / found:.1f}", f"{100 * planned[1] / found / p:.0f}"]
            for p, found in planned.items()
        ],
        f"A schedule of the {planned[1]} multiplications and additions of our modified Newton-Euler "
        f"kernel, n = {N}, one operation a step, results at hand at once.",
    )


def _enough(planned: dict[int, int], steps: int) -> str:
    count = min(p for p, found in planned.items() if found <= steps)
    return f"{count} processors"


def _simulation(page: Reproduction) -> None:
    page.section("Simulation (section 7)")
    found = findings.integration()
    page.text(
        "The report integrates the equations by the classical Runge-Kutta method, with M by strobing. "
        "Linkwork's `simulate` takes the same steps with `formulation='strobing'`. As a test the PUMA "
        "560 falls freely for 0.5 s, without friction, so its energy must not change. The change falls "
        f"with the power {found.order:.2f} of the step (four is expected), to {found.drift[-1]:.0e} J "
        f"of {found.energy:.0f} J kinetic energy at {1e3 * found.steps[-1]:g} ms."
    )
    page.figure(
        "runge-kutta",
        figures.integration_figure(found),
        "Not in the report: change of energy in a free fall over the integration step.",
    )


def _misprints(page: Reproduction, rows: list[list[object]]) -> None:
    page.section("What does not compute as it reads")
    page.text(
        "Each of these was typed in literally, everything else left right, and run on random six-joint "
        "arms with full inertias. The last line is the check of the experiment itself."
    )
    page.table(
        "misprints",
        (*AS_READ_AND_RIGHT, "certain", "median torque error [%]"),
        [[*row[:3], _certain(str(row[0])), row[3]] for row in rows],
        "What changes results (L: Lee et al. 1982, who use the same equations). 'Certain' excludes what "
        "a lost or confused sign of the reading explains.",
    )
    page.figure("misprints", figures.misprint_figure(rows), "The same as a picture.")


def _certain(where: str) -> str:
    words = {"none": "", "T (1.26)": "no error: it assumes them"} | dict.fromkeys(CERTAIN, "yes")
    return words.get(where, "maybe the reading")


def _statements(page: Reproduction) -> None:
    worst = max(max(findings.torque_differences(arm).values()) for arm in findings.example_arms())
    strobe = findings.strobing(findings.example_arms()[0])
    table = [total.printed for total in findings.totals()]
    saved = findings.saved_by_modification()
    own, found = findings.strobed_step()
    count = findings.strobing_count()
    alone, pairs = findings.strobing_passes(N)
    original, modified = (
        findings.longest_chain(name) for name in ("newton-euler", "modified-newton-euler")
    )
    second, traces, every = (row[1](N) for row in (TURNEY_2.rows[2], TURNEY_2.rows[4], ("", *table[0])))
    rows = [
        f"to {worst:.0e} of the largest torque",
        f"{formula(table[1][0])} and {formula(table[0][0])} multiplications printed",
        f"the second derivatives take {int(second)} of {int(every)} multiplications of Table 2 at "
        f"n = {N}, the traces, which are formed anew for each torque, {int(traces)}",
        f"{saved.printed} by its tables; {saved.full} with full inertia in both, {saved.diagonal} with "
        "diagonal inertia in both",
        "shared products make it n³ (Table 2); his own recursion is linear in n, and here as "
        "`recursive-lagrange`",
        f"longest chains of our kernels at n = {N}: {modified.longest} (modified) and "
        f"{original.longest} of {modified.operations} and {original.operations} operations",
        "a matter of judgment; no term is named",
        f"{strobe.mass_matrix:.0e} from Lagrange's M",
        f"off by {100 * strobe.by_recipe:.0f} % of the largest element",
        f"M {formula(count.mass_matrix[0])}, all C {formula(count.coriolis[0])} multiplications",
        f"links moved by all pairs of joints at n = {N}: {pairs}, not {alone}",
        "true in exact arithmetic, and stable in floating point",
        "no rule is given; the change of energy falls with the fourth power of the step",
        f"`formulation='strobing'`: {found:.0e} rad/s from the fastest formulation in {own:g} s",
        f"links moved by the joints one by one at n = {N}: {alone}, and a pass over all for the bias",
    ]
    page.statements(("found",), CLAIMS, [[one] for one in rows], "Claims of the report.")
