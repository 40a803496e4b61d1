"""The page of a finished sweep: spreads, what explains them, and the best variants."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.table_files import Plain
from linkwork.core.text import field_words, number, shown_unit
from linkwork.design.metrics import METRICS
from linkwork.design.sampling import indices
from linkwork.design.sweep import NUMBER, REASON, read_manifest, read_sweep
from linkwork.drawing.style import COLORS, INK, grid, style
from linkwork.reports.cells import EMPTY
from linkwork.reports.design import labeled
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS = 5000  # of a scatter
BEST = 5  # variants listed for a metric
DECADES = 100.0  # from the median to the greatest value: a scatter has a logarithmic axis
FEWEST = 65  # rows for sensitivities


def sweep_report(folder: str | os.PathLike[str], command: str | None = None) -> Page:
    """A page about the rows of a sweep."""
    manifest, rows = read_manifest(folder), read_sweep(folder)
    names, metrics = manifest["variables"], manifest["metrics"]
    good = rows[REASON] == ""
    count = int(np.count_nonzero(good))
    failed = len(good) - count
    if not count:
        raise InputError(f"{folder}: every variant failed; the first says: {rows[REASON][0]}")
    turn, unit = shown_unit("rad", manifest.get("angle_unit", "deg"))
    angles = [
        *manifest.get("angles", ()),
        *(name for name in metrics if manifest["units"][name] == "rad"),
    ]
    for name in angles:
        rows[name] = rows[name] * turn
    heads = [f"{field_words(name)} [{unit}]" if name in angles else field_words(name) for name in names]
    units = {name: unit if name in angles else given for name, given in manifest["units"].items()}
    values = np.stack([rows[name][good].astype(float) for name in names], axis=1)
    found = {name: rows[name][good].astype(float) for name in metrics}
    words = f"{number(len(good), 9)} of {number(manifest['variants'], 9)} variants evaluated."
    if failed:
        words += f" **{failed} of them failed**, see below."
    page = Page("Sweep over " + ", ".join(map(field_words, names)), words, command)
    page.section("Metrics")
    _spread(page, found, units)
    page.section("Sensitivity")
    _sensitivity(page, manifest, values, found)
    for name in metrics:
        page.figure(
            scatter_figure(heads, values, labeled(name, units), found[name]),
            f"{field_words(name).capitalize()} of {min(count, MOST_POINTS)} variants over every "
            "variable; the line: its mean.",
            f"scatter-{name}",
        )
    page.section("The best variants")
    _best(page, heads, rows[NUMBER][good], values, found, units)
    if failed:
        page.section("Variants that failed")
        bad = np.flatnonzero(~good)[:20]
        header = (NUMBER, *heads, "reason")
        table = [
            (int(rows[NUMBER][k]), *(float(rows[name][k]) for name in names), str(rows[REASON][k]))
            for k in bad
        ]
        page.table(header, table, f"The first {len(bad)} of {failed}.")
    return page


def _spread(page: Page, found: dict[str, np.ndarray], units: dict[str, str]) -> None:
    header = ("metric", "unit", "least", "5 %", "median", "95 %", "greatest")
    rows = [
        (
            field_words(name),
            units[name],
            *(float(x) for x in np.quantile(values, [0, 0.05, 0.5, 0.95, 1])),
        )
        for name, values in found.items()
    ]
    page.table(header, rows, "Over all variants.")


def _sensitivity(page: Page, manifest: Plain, values: np.ndarray, found: dict[str, np.ndarray]) -> None:
    names = manifest["variables"]
    if len(values) < FEWEST:
        page.text(f"Sensitivities need {FEWEST} variants or more; there are {len(values)}.")
        return
    plan = len(names) + 2
    saltelli = manifest.get("method") == "saltelli" and len(values) == manifest["variants"]
    saltelli = saltelli and len(values) % plan == 0
    bounds = [[float(column.min()), float(column.max()) or 1.0] for column in values.T]
    header = ["metric", *map(field_words, names)]
    found_indices = {
        metric: indices(values, numbers, bounds, saltelli) for metric, numbers in found.items()
    }
    first = [
        (field_words(metric), *map(share_words, one.first, one.first_error))
        for metric, one in found_indices.items()
    ]
    page.table(
        header,
        first,
        "First-order Sobol indices: the share of a metric's variance that each variable explains alone."
        f" {EMPTY}: not determined by so many variants.",
    )
    total = [
        (field_words(metric), *map(share_words, one.total, one.total_error))
        for metric, one in found_indices.items()
        if one.total is not None and one.total_error is not None
    ]
    if total:
        page.table(
            header,
            total,
            "Total Sobol indices: the share that each variable explains alone or together with others.",
        )


def share_words(value: float, error: float) -> str:
    """An index with its half-width, to two digits; estimates may come out below zero, and those less
    certain than the whole variance tell nothing."""
    return f"{max(value, 0.0):.2f} ± {max(error, 0.01):.2f}" if error <= 1 else EMPTY


def scatter_figure(names: list[str], values: np.ndarray, label: str, numbers: np.ndarray) -> Figure:
    """A metric over every variable."""
    columns = 2 if len(names) == 4 else min(3, len(names))
    chosen = np.arange(len(numbers))
    if len(chosen) > MOST_POINTS:
        chosen = np.random.default_rng(0).choice(len(numbers), MOST_POINTS, replace=False)
    figure, axes = grid(2.2, len(names), columns, 0.4, sharey=True)
    with style():
        for k, ax in enumerate(axes):
            look: dict[str, Any] = {
                "markersize": 2,
                "alpha": 0.4,
                "color": COLORS[k % len(COLORS)],
                "rasterized": True,
            }
            ax.plot(values[chosen, k], numbers[chosen], ".", **look)
            _trend(ax, values[:, k], numbers)
            ax.set_xlabel(names[k], fontsize=8)
            if k % columns == 0:
                ax.set_ylabel(label)
            if numbers.min() > 0 and numbers.max() > DECADES * np.median(numbers):
                ax.set_yscale("log")  # near singular poses a metric grows without bound
    return figure


def _trend(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Means of the metric in ten parts of a variable's range."""
    edges = np.linspace(x.min(), x.max(), 11)
    part = np.clip(np.digitize(x, edges) - 1, 0, 9)
    sums, counts = np.bincount(part, y, 10), np.bincount(part, minlength=10)
    there = counts > 0
    ax.plot((edges[:-1] + edges[1:])[there] / 2, sums[there] / counts[there], color=INK, linewidth=1.2)


def _best(
    page: Page,
    names: list[str],
    which: np.ndarray,
    values: np.ndarray,
    found: dict[str, np.ndarray],
    units: dict[str, str],
) -> None:
    header = ("best in", NUMBER, *names, *(labeled(name, units) for name in found))
    rows = []
    for name, numbers in found.items():
        for k in np.argsort(-METRICS[name][1] * numbers)[:BEST]:
            rows.append(
                (
                    field_words(name),
                    int(which[k]),
                    *map(float, values[k]),
                    *(float(x[k]) for x in found.values()),
                )
            )
    page.table(header, rows, f"The best {BEST} variants of every metric.")
