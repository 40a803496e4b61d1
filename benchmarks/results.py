"""What a benchmark measures: a number with its unit, what it is compared with, and its goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from linkwork.core.text import number

NANO = 1e9


@dataclass(frozen=True)
class Result:
    """`ours` and `theirs` are the times that a ratio was made from [ns]."""

    subject: str
    what: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None
    ours: float | None = None
    theirs: float | None = None

    @property
    def goal(self) -> str:
        bounds = (("at least", self.at_least), ("at most", self.at_most))
        return ", ".join(f"{sense} {bound:g}" for sense, bound in bounds if bound is not None)

    @property
    def kept(self) -> bool | None:
        """None without a goal."""
        if not self.goal:
            return None
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    def entry(self) -> dict[str, Any]:
        """As JSON has it; four digits are more than repeated runs agree in."""
        numbers = {key: rounded(value) for key, value in asdict(self).items() if value is not None}
        return numbers | ({} if self.kept is None else {"kept": self.kept})


def rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def faster(
    subject: str,
    what: str,
    ours: float,
    theirs: float,
    peer: str,
    at_least: float | None = None,
) -> Result:
    """How many times the speed of a peer; times in seconds."""
    return Result(subject, what, theirs / ours, f"x {peer}", at_least, None, ours * NANO, theirs * NANO)


def stored_result(entry: Mapping[str, Any]) -> Result:
    """The result that `Result.entry` stored."""
    return Result(**{key: value for key, value in entry.items() if key != "kept"})


def table_of(title: str, results: Iterable[Result]) -> Table:
    """Results of one benchmark, or of several."""
    table = Table(title=title, title_justify="left")
    for column in ("robot", "what", "measured", "", "goal", ""):
        table.add_column(column, justify="right" if column in ("measured", "goal") else "left")
    before = ""
    for each in results:
        kept = {None: "", True: "kept", False: "[red]missed[/red]"}[each.kept]
        subject = "" if each.subject == before else each.subject
        table.add_row(subject, each.what, number(each.value), each.unit, each.goal, kept)
        before = each.subject
    return table


def outcome(benchmarks: Mapping[str, Any]) -> str:
    """One line on all goals of a stored run."""
    kept = [each["kept"] for one in benchmarks.values() for each in one["results"] if "kept" in each]
    failed = [name for name, one in benchmarks.items() if one["failure"]]
    text = f"{sum(kept)} of {len(kept)} goals kept"
    return text + (f"; did not run: {', '.join(failed)}" if failed else "")
