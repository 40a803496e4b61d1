"""How far Pedrammehr's equations are off, what that costs in tracking, and how long they take."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from linkwork.analysis.speed import Call, side_by_side
from linkwork.papers.evaluation import machine, microseconds
from linkwork.papers.pedrammehr2012 import findings
from linkwork.papers.platform_paths import (
    KP,
    KV,
    LOST,
    PathRun,
    deviation,
    deviation_table,
    times_worse,
    tracking_table,
)
from linkwork.papers.reproduction import Reproduction

OWN = (
    "parallel-axis-lower",
    "parallel-axis-upper",
    "parallel-axis-platform",
    "equation-25",
    "dropped-terms",
)
SECONDS = 0.06  # for the times of all paths by one model
DASGUPTA = ("no-spin", "moment-along-leg", "upper-inertia-at-base")


def why(page: Reproduction, runs: dict[str, PathRun]) -> float:
    """How much turning the base frame changes the published forces [N]."""
    slow, fast = runs["pedrammehr-2"], runs["pedrammehr-3"]
    page.section("How far the equations are off, and why")
    rows = []
    for label, options in {**findings.FORMS, "D as published": {"formulation": "dasgupta1998"}}.items():
        one, two = (deviation(run.forces(**options), run.forces()) for run in (slow, fast))
        rows.append([label, *_cells(one.largest, one.rms), *_cells(two.largest, two.rms, two.worst)])
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
    resting = replace(slow, motion=(slow.pose, rest, rest))
    still = resting.forces()
    at_rest = [np.abs(resting.forces(name) - still).max() for name in ("dasgupta1998", "pedrammehr2012")]
    closed, stepwise = (
        findings.asymmetry(findings.published_mass_matrix(slow.platform.home, form))
        for form in ("closed", "step")
    )
    turned = findings.frame_dependence("pedrammehr-3", np.pi / 6, formulation="pedrammehr2012")
    page.text(
        f"- **At rest** along Path 2, D is off by up to {at_rest[0]:.1f} N and this paper by nothing "
        f"({at_rest[1]:.0e} N): the statics are repaired.\n"
        r"- **Inertia counted twice.** (32), (33) and (50) add \(m\,(r^2 E - r r^T)\) to inertias about "
        r"the center of mass, but (31) and (49) contain \(m\,r\times a\), which holds the same term."
        "\n"
        "- **Frames mixed.** As printed, those terms are formed from base components and then turned "
        "once more. So the result depends on how the base frame is drawn: turning it by 30 degrees "
        f"about the vertical changes the forces on Path 3 by up to {turned:.1f} N.\n"
        "- **Terms dropped.** The closed form (42)-(43) leaves out parts of the paper's own (31)-(40). "
        f"Its mass matrix is therefore not symmetric (by {100 * closed:.2g} % of its largest element), "
        f"which that of (31)-(40) is ({stepwise:.0e})."
    )
    page.table(
        "one-at-a-time",
        *deviation_table((*OWN, *DASGUPTA), slow, fast),
        "Every deviation of both papers switched on alone in the exact model, frames as printed.",
    )
    return turned


def tracking(page: Reproduction) -> None:
    page.section("What the errors cost in tracking")
    slow, fast = (times_worse(path, "pedrammehr2012") for path in ("dasgupta-I", "dasgupta-II"))
    page.text(
        "The paper asks for its equations in feedback linearization. With them as the model in the "
        r"controller, \(J^T F = M(X)\,[\ddot X_d + K_v\dot e + K_p e] + h\), "
        f"gains {KP:g} and {KV:g}, and the exact platform as the machine, the orientation on the slow "
        f"Path 2 is as good as with the exact model ({slow:.2f} times its error), which shows what the "
        f"repaired statics are worth. On the fast Path 3 it is off {fast:.0f} times as far. Without "
        f"feedback the planned forces lose the path ({1e3 * LOST:g} mrad) sooner than exact ones."
    )
    page.table(
        "tracking",
        *tracking_table("dasgupta-I", "dasgupta-II"),
        "Largest errors under feedback on Path 2 (slow) and Path 3 (fast), and how long planned forces "
        "alone keep the platform on its path.",
    )


def times(page: Reproduction, runs: dict[str, PathRun]) -> None:
    page.section("How long it takes")
    samples = sum(len(run.time) for run in runs.values())
    rows: list[list[object]] = [
        ["the paper: MATLAB, Core 2 Duo, 2.5 GHz (quoted)", "1.58 s", "its three paths"]
    ]
    for name in ("pedrammehr2012", "exact"):
        calls: dict[str, Call] = {
            path: partial(run.platform.inverse_dynamics, *run.motion, formulation=name)
            for path, run in runs.items()
        }
        total = microseconds(sum(side_by_side(calls, SECONDS).values()))
        rows.append([f"Linkwork, {name}", total, f"{samples} samples of the same paths"])
    page.table(
        "times",
        ("what", "time", "for"),
        rows,
        "The paper does not say how finely it samples. The lower lines were measured when this page was "
        f"built ({machine()}) and differ from build to build; everything else on the page does not.",
    )


def _cells(largest: float, *ratios: float) -> list[str]:
    return [f"{largest:.3g}", *[f"{100 * ratio:.3g}" for ratio in ratios]]
