"""Write the figures of speed on the pages from docs/benchmarks.json, the stored run of the benchmarks.

    make benchmark-figures                # measures, stores and writes
    python -m tools.benchmark_figures     # writes again what is stored

On a page a figure stands between `<!-- measured: name -->` and `<!-- end -->`; FIGURES says what is
written there. docs/benchmarks.md is written whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.results import Result, outcome, stored_result
from linkwork.core.text import number
from linkwork.drawing.style import COLORS, MUTED
from linkwork.reports import new_figure, style

ROOT = Path(__file__).parents[1]
STORED = ROOT / "docs" / "benchmarks.json"
PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "images" / "speed.png"
PAGES = [ROOT / "README.md", *sorted(set((ROOT / "docs").glob("*.md")) - {PAGE})]
MARKED = re.compile(r"(<!-- measured: (?P<name>.*?) -->)(?P<text>.*?)(<!-- end -->)", re.S)
INVERSE, FORWARD = (f"{kind} dynamics, arrays, one core" for kind in ("inverse", "forward"))
KEPT = {True: "kept", False: "**missed**"}
LOOPS = "10,000 closed loops, computed torque and RK4 at 1 kHz"


class Run:
    """A stored run of the benchmarks."""

    def __init__(self, file: Path = STORED) -> None:
        self.stored: dict[str, Any] = json.loads(file.read_text("utf-8"))

    @property
    def machine(self) -> dict[str, Any]:
        return self.stored["machine"]

    def of(self, benchmark: str) -> list[Result]:
        return [stored_result(entry) for entry in self.stored["benchmarks"][benchmark]["results"]]

    def find(self, benchmark: str, subject: str, what: str, unit: str) -> Result:
        """The one result of this name."""
        wanted = subject, what, unit
        found = [r for r in self.of(benchmark) if (r.subject, r.what, r.unit) == wanted]
        if len(found) != 1:
            raise SystemExit(f"{len(found)} results of {benchmark} are {wanted}; a page shows one.")
        return found[0]

    def value(self, benchmark: str, subject: str, what: str, unit: str) -> str:
        return number(self.find(benchmark, subject, what, unit).value, 2)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join((f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *lines))


PEERS = ("Pinocchio (batch call)", "Pinocchio (loop)", "MuJoCo (loop)", "Robotics Toolbox")
SPEED = {  # subject, and what is measured there, by benchmark and columns of peers
    "UR5, inverse dynamics": (
        ("arms", "ur5", INVERSE), ("pin.rneaInParallel", "pin.rnea", "mj_inverse", "Robotics Toolbox")
    ),
    "UR5, forward dynamics": (
        ("arms", "ur5", FORWARD), ("pin.abaInParallel", "pin.aba", "mj_forward", "")
    ),
    "Stewart platform (simona), inverse dynamics": (
        ("platforms", "simona", INVERSE), ("", "", "mj_inverse", "")
    ),
    "Stewart platform (simona), forward dynamics": (
        ("platforms", "simona", FORWARD), ("", "", "mj_forward", "")
    ),
    "Delta, inverse dynamics": (("parallel", "delta", INVERSE), ("", "", "mj_inverse", "")),
    "Delta, forward dynamics": (("parallel", "delta", FORWARD), ("", "", "mj_forward", "")),
    "PUMA 560, closed loop and RK4 step (MuJoCo: mj_step alone)": (
        ("simulation", "puma560", LOOPS), ("", "", "mj_step", "")
    ),
}  # fmt: skip


def speed(run: Run) -> str:
    """Ours and peers in a table, ns per state."""
    rows = []
    for title, (measured, units) in SPEED.items():
        found = [run.find(*measured, f"x {unit}") if unit else None for unit in units]
        ours = next(each.ours for each in found if each)
        rows.append(
            (title, f"**{number(ours, 3)}**", *(number(r.theirs, 3) if r else "" for r in found))
        )
    return markdown(("one core, arrays of states, ns per state", "Linkwork", *PEERS), rows)


def chart(run: Run) -> Figure:
    """The same as bars, on a logarithmic scale; each of a peer says how many times ours it is."""
    figure = new_figure(4.3, 8.6)
    with style():
        ax = figure.subplots()
        titles: list[tuple[float, str]] = []
        top = 0.0
        for title, (measured, units) in SPEED.items():
            peers = [(peer, unit) for peer, unit in zip(PEERS, units, strict=True) if unit]
            found = [(peer, run.find(*measured, f"x {unit}")) for peer, unit in peers]
            bars = [(found[0][1].ours, "Linkwork", COLORS[0])]
            bars += [(each.theirs, f"{peer}, {each.value:.0f}x", MUTED) for peer, each in found]
            for k, (time, words, color) in enumerate(bars):
                assert time is not None
                ax.barh(top + k, time, color=color, alpha=0.6 if k else 1.0)
                ax.annotate(f" {number(time, 3)} ns: {words}", (time, top + k), va="center", fontsize=8)
            titles.append((top + (len(bars) - 1) / 2, title.replace(", ", ",\n", 1)))
            top += len(bars) + 0.8
        ax.set_yticks([at for at, _ in titles], [words for _, words in titles], fontsize=8.5)
        ax.set(xscale="log", xlim=(2, 2e5), xlabel="time per state [ns], logarithmic")
        ax.invert_yaxis()
        ax.grid(False, axis="y")
    return figure


def machine(run: Run) -> str:
    there = run.machine
    versions = ", ".join(f"{name} {version}" for name, version in there["versions"].items())
    cores = f"vectors of {there['vectors']}, {there['cores']} cores, load average {there['load']} before"
    system = f"{there['system']}, Python {there['python']}"
    return f"{there['processor']}, {cores}; {system}; {versions}; {there['date']}"


EXPORTED = {  # in their order, the unit of the result and what it is compared with
    ("ur5", "inverse_dynamics"): ("CasADi", "recursion"),
    ("puma560", "gravity_load"): ("CasADi",),
    ("iiwa14", "forward_dynamics"): ("CasADi",),
}
C_OF_PEERS = {
    "CasADi": "CasADi's C for the same expression",
    "recursion": "for the textbook's recursion",
}


def exported(run: Run) -> str:
    """Times of C per call."""
    parts = []
    for (robot, method), peers in EXPORTED.items():
        what = f"{method} in C, gcc -O3 -march=native"
        found = {peer: run.find("export", robot, what, f"x {peer}") for peer in peers}
        theirs = [f"{C_OF_PEERS[peer]} {number(each.theirs, 3)}" for peer, each in found.items()]
        ours = number(found[peers[0]].ours, 3)
        parts.append(", ".join((f"`{method}` of `{robot}` {ours}", *theirs)))
    return "; ".join(parts)


def layouts(run: Run) -> str:
    """The table of docs/kernel-abi.md."""
    names = {
        "one call": "one call of `inverse_dynamics`, µs",
        "one call of a bound loop": "one call of a bound loop, µs",
        "arrays": "`inverse_dynamics`, 20,000 states, ns each",
        "derivatives": "`inverse_dynamics_derivatives`, 20,000 states (12 MB), ns each",
    }
    rows = []
    for name, title in names.items():
        unit = "us" if "call" in name else "ns per state"
        both = (f"{name}, LINKWORK_ABI={setting}" for setting in ("on", "off"))
        rows.append((title, *(run.value("kernel_abi", "ur5", what, unit) for what in both)))
    return "\n" + markdown(("", "as it is", "off"), rows) + "\n"


FIGURES: dict[str, Callable[[Run], str]] = {
    "machine": machine,
    "the share of Pinocchio's batch call": lambda run: (
        f"1/{run.value('arms', 'ur5', INVERSE, 'x pin.rneaInParallel')}"
    ),
    "exported C": exported,
    "with and without the layouts": layouts,
    "an update of the studio": lambda run: (
        f"{run.value('studio', 'simona', 'one update, median', 'ms')} ms for a platform and "
        f"{run.value('studio', 'puma560', 'one update, median', 'ms')} ms for an arm"
    ),
    "states of a sweep": lambda run: run.value(
        "design",
        "flight-simulator",
        "linkwork sweep, five metrics",
        "million states per minute and core",
    ),
    "bytes of a variant": lambda run: run.value(
        "design", "flight-simulator", "linkwork sweep, five metrics, files", "bytes per variant"
    ),
}


def refreshed(text: str, run: Run) -> str:
    """A page with the figures of a run."""
    return MARKED.sub(lambda match: f"{match[1]}{FIGURES[match['name']](run)}{match[4]}", text)


def whole_page(run: Run) -> str:
    """docs/benchmarks.md: every goal, and every number."""
    benchmarks = run.stored["benchmarks"]
    goals, numbers = [], []
    for name in benchmarks:
        for each in run.of(name):
            value = f"{number(each.value)} {each.unit}".rstrip()
            numbers.append((name, each.subject, each.what, value))
            if each.kept is not None:
                goals.append((name, each.subject, each.what, value, each.goal, KEPT[each.kept]))
    whole = sum(one["seconds"] for one in benchmarks.values()) / 60
    columns = ("benchmark", "robot", "what", "measured")
    return f"""# Benchmarks

`make bench` measures all of this on your machine, ours and peers taking turns in one run, and writes
it as JSON. This page shows [the stored run](benchmarks.json), of {number(whole, 2)} minutes:
{outcome(benchmarks)}.

{machine(run)}.

Ratios are what counts: times change with the machine and its load. `x peer` is how many times the
peer's speed, `of peer` the share of its time. Goals of arrays depend on the width of the processor's
vectors.

## In short

{speed(run)}

## Goals

{markdown((*columns, "goal", ""), goals)}

## All numbers

{markdown(columns, numbers)}
"""


def main() -> None:
    run = Run()
    for file in PAGES:
        file.write_text(refreshed(file.read_text("utf-8"), run), "utf-8")
    PAGE.write_text(whole_page(run), "utf-8")
    with style():
        chart(run).savefig(CHART, dpi=160, metadata={"Software": None})


if __name__ == "__main__":
    main()
