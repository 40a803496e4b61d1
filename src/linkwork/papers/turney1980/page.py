"""The page on Turney, Mudge and Lee (1980)."""

from __future__ import annotations

from linkwork.analysis.printed_counts import TURNEY_2, TURNEY_3, TURNEY_4, TURNEY_5
from linkwork.papers import arm_sketch
from linkwork.papers.count_tables import formula, plain_table, row_table, turney_rows
from linkwork.papers.random_arms import misprint_rows
from linkwork.papers.reproduction import PRINTED_AND_RIGHT, Progress, Reproduction
from linkwork.papers.turney1980 import figures, findings
from linkwork.papers.turney1980.as_printed import MISPRINTS, misprint_errors
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

OTHERS = [
    ["(2.1), (2.7)", "two signs of the potential energy", "wrong twice, so the result is right"],
    [
        "(2.6)",
        r"\(\mathrm{tr}\left\{\sum_j\sum_k U_{qj}\,J_q\,U_{qk}^t\right\}\)",
        r"\(\mathrm{tr}\left\{\sum_j\sum_k U_{qj}\,J_q\,U_{qk}^t\,\dot q_j\,\dot q_k\right\}\)",
    ],
    [
        "(2.9), (2.11), sections 4, 7",
        r"\(\tau = M(\dot\vartheta)\,\ddot\vartheta + C(\dot\vartheta,\vartheta)\,\dot\vartheta"
        r" + G(\vartheta)\), and other lost dots",
        r"\(\tau = M(\vartheta)\,\ddot\vartheta + C(\vartheta,\dot\vartheta) + G(\vartheta)\)",
    ],
    [
        "(4.11)",
        r"\(\bar r_i\times(\alpha_i\times\bar r_i)\)",
        r"\(m_i\,\bar r_i\times(\alpha_i\times\bar r_i)\)",
    ],
    ["(4.17)", r"\(m_i\,m_i\,g\)", r"\(m_i\,g\)"],
    ["(4.29), (4.32)", "a rotation missing", r"\(R_{i-1}^{i}\) between the frames"],
    ["(4.30)-(4.33)", r"\(\bar a_{i+1}\)", r"\(m_{i+1}\,\bar a_{i+1}\)"],
    [
        "section 3",
        r"\(C_{jk}^i = \tau_i(\dot q = e_j + e_k)\)",
        r"\(C_{jk}^i = \frac{1}{2}\left[\tau_i(e_j+e_k) - C_{jj}^i - C_{kk}^i\right]\); see above",
    ],
    [
        "Appendix, second derivatives",
        r"\(16\,n(n^2-1)\) additions",
        r"\(8\,n(n^2-1)\), as in Table 2: 48 additions beside 64 multiplications of two 4 × 4 matrices",
    ],
    ["Appendix, totals", "'total additions', 'total multiplications'", "exchanged"],
]


N = 6
SIZES = range(1, 9)


def reproduce(progress: Progress | None = None) -> Reproduction:
    totals = findings.totals()
    misprints = misprint_rows(MISPRINTS, misprint_errors(), "all equations put right")
    page = Reproduction(
        "turney1980", "Turney, Mudge and Lee (1980), reproduced", _summary(totals, misprints), progress
    )
    page.text(
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
    return page


def _summary(totals: list[Total], misprints: list[list[object]]) -> str:
    _, plain, modified = totals
    worst = max(max(findings.torque_differences(arm).values()) for arm in findings.example_arms())
    worst_misprint = max(float(str(row[-1])) for row in misprints)
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
        f"and {formula(modified.printed[1])}. The saving of the modified set, though, comes for the "
        "larger part "
        "from giving it a diagonal inertia and the other a full one. Several equations cannot be typed "
        f"in as printed: the worst misprint changes the torques by {worst_misprint:.0f} %."
    )


def _drawings(page: Reproduction) -> None:
    page.section("Notation (Figures 1 to 4)")
    page.figure(
        "figure-1",
        arm_sketch.parameters_figure(),
        "The report's Fig. 1: frames of two neighbouring links (the twist is called phi in the text).",
    )
    page.figure(
        "figure-2",
        arm_sketch.vectors_figure(),
        "The report's Fig. 2: p from the base to an origin, r between origins, rbar from the far "
        "origin to the mass centre.",
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
        f"**The report's Table 2.** {TURNEY_2.slips} The printed rows add up to the printed total."
    )
    page.table("table-2", *plain_table(TURNEY_2, N), "The report's Table 2, Lagrange.")
    page.text(f"**The report's Table 3**: {TURNEY_3.slips}")
    page.table(
        "table-3",
        *row_table(TURNEY_3, turney_rows(modified=False)),
        "The report's Table 3 and what one inner joint needs.",
    )
    page.text(f"**The report's Table 4.** {TURNEY_4.slips}")
    page.table(
        "table-4",
        *row_table(TURNEY_4, turney_rows(modified=True)),
        "The report's Table 4, modified Newton-Euler, and what one inner joint needs.",
    )
    fair = findings.like_for_like()
    saved = [
        int(plain[0](2) - plain[0](1) - modified[0](2) + modified[0](1)) for _, plain, modified in fair
    ]
    claimed = int(
        sum(
            sign * (table.multiplications(2) - table.multiplications(1))
            for sign, table in ((1, TURNEY_3), (-1, TURNEY_4))
        )
    )
    page.table(
        "like-for-like",
        ("inertia", "Newton-Euler M", "A", "modified M", "A"),
        [
            [name, *[formula(p) for p in plain], *[formula(p) for p in modified]]
            for name, plain, modified in fair
        ],
        f"Like for like: with the same kind of inertia in both, the modified set saves {saved[0]} "
        f"multiplications per link if the inertia is full, {saved[1]} if it is diagonal; the report's "
        f"tables say {claimed}.",
    )


def _parallel(page: Reproduction, totals: list[Total]) -> None:
    page.section("Simultaneous steps (Table 5)")
    chains, planned = findings.longest_chains(SIZES), findings.schedule(N)
    steps = TURNEY_5.multiplications(N) + TURNEY_5.additions(N)
    every = TURNEY_4.multiplications(N) + TURNEY_4.additions(N)
    page.text(
        f"Table 5 adds up ({formula(TURNEY_5.multiplications)} and {formula(TURNEY_5.additions)}); its "
        f"rows for al are short of the same 2 multiplications. At n = {N} its {int(steps)} steps are "
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
        "Linkwork's `simulate` takes the same steps. As a test the PUMA 560 falls freely for 0.5 s, "
        "without friction, so its energy must not change. The change falls with the power "
        f"{found.order:.2f} of the step (four is expected), to {found.drift[-1]:.0e} J of "
        f"{found.energy:.0f} J kinetic energy at {1e3 * found.steps[-1]:g} ms."
    )
    page.figure(
        "runge-kutta",
        figures.integration_figure(found),
        "Not in the report: change of energy in a free fall over the integration step.",
    )


def _misprints(page: Reproduction, rows: list[list[object]]) -> None:
    page.section("Misprints")
    page.text(
        "Each of these was typed in literally, everything else left right, and run on random six-joint "
        "arms with full inertias. The last line is the check of the experiment itself."
    )
    page.table(
        "misprints",
        (*PRINTED_AND_RIGHT, "median torque error [%]"),
        rows,
        "Misprints that change results (L: Lee et al. 1982, who use the same equations).",
    )
    page.figure("misprints", figures.misprint_figure(rows), "The same as a picture.")
    page.table(
        "other-misprints",
        PRINTED_AND_RIGHT,
        OTHERS,
        "Others, mostly in the derivation.",
    )
