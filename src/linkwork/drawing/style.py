"""The look that all figures share. Figures are made without pyplot: no global state, no window."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.core.errors import InputError
from linkwork.core.whole_files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colors, told apart by every eye; then the color of text, dark or light as the page.
INK, MUTED, GRID, PAPER = "#1b1f24", "#5c6370", "#d9dce1", "#ffffff"
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK)
VIOLATION = "#C8102E"
ENDINGS = (".svg", ".png", ".pdf")
WIDTH = 7.6  # inches: the column of a page
LEGEND_COLUMNS = 4

SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # no ticks above any axes: to search for them takes half of the drawing
    "axes.labelsize": 9.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.formatter.limits": (-4, 5),
    "axes.unicode_minus": True,
    "figure.facecolor": PAPER,
    "figure.dpi": 96.0,
    "figure.titlesize": 11.0,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handlelength": 1.8,
    "lines.linewidth": 1.4,
    "lines.solid_joinstyle": "round",
    "lines.solid_capstyle": "round",
    "patch.linewidth": 0.6,
    "path.simplify": True,
    "path.simplify_threshold": 0.15,
    "savefig.dpi": 200.0,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "path",  # the same picture on every machine, whatever its fonts
    "svg.hashsalt": "linkwork",  # the same ids in every run
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8.5,
}


@contextmanager
def style() -> Iterator[None]:
    """Figures made inside `with style():` have the house look, whatever the user's settings."""
    import matplotlib

    with matplotlib.rc_context():
        # Checked once, when they were put together; checking again takes longer than drawing a curve.
        chosen: Any = matplotlib.rcParams
        dict.update(chosen, _settings())
        yield


@functools.cache
def _settings() -> dict[str, Any]:
    """Matplotlib's defaults with ours over them."""
    import matplotlib
    from cycler import cycler

    settings: Any = {**SETTINGS, "axes.prop_cycle": cycler(color=COLORS)}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        chosen: Any = dict(matplotlib.rcParams)
    chosen.pop("backend", None)  # the user's own; figures here need none
    return dict(chosen)


def new_figure(height: float = 3.2, width: float = WIDTH) -> Figure:
    """An empty figure [inches] that arranges its axes itself; draw into it inside `with style():`."""
    from matplotlib.figure import Figure

    with style():
        return Figure(figsize=(width, height), layout="constrained")


def grid(
    height: float,
    count: int = 1,
    columns: int = 1,
    extra: float = 0.0,
    width: float = WIDTH,
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure and its `count` axes, `columns` in a row; places that are left over stay empty.

    Args:
        height: of a row [inches].
        extra: height of the figure beyond its rows [inches].
        options: of matplotlib's `subplots`.
    """
    rows = max(1, -(-count // columns))
    figure = new_figure(extra + height * rows, width)
    with style():
        axes = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
        for ax in axes[count:]:
            ax.set_visible(False)
    return figure, axes[:count]


def legend_beside(ax: Axes, **options: Any) -> None:
    """A legend to the right of the axes, where it covers no data."""
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.6, **options)


def legend_below(figure: Figure, ax: Axes, columns: int = LEGEND_COLUMNS) -> None:
    """The legend of one pair of axes for the whole figure, below all of them."""
    handles, labels = ax.get_legend_handles_labels()
    arranged = figure.get_layout_engine() is not None
    place: Any = "outside lower center" if arranged else "lower center"
    if handles:
        figure.legend(handles, labels, loc=place, ncols=min(columns, len(labels)))


def render(figure: Figure, format: str) -> bytes:
    """The figure as a file's bytes, the same for the same figure."""
    # Only what names no date and no version, so that equal figures are equal files.
    metadata: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    buffer = io.BytesIO()
    with style():
        if format == "svg":
            _print_svg(figure, buffer, metadata[format])
        else:
            figure.savefig(buffer, format=format, metadata=metadata[format])
    return buffer.getvalue()


def _print_svg(figure: Figure, buffer: io.BytesIO, metadata: dict[str, Any]) -> None:
    """Drawn once: `savefig` draws all of it before, only to arrange what drawing arranges itself."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    before = figure.dpi
    figure.dpi = SETTINGS["savefig.dpi"]  # of images inside
    try:
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(buffer, metadata=metadata)
    finally:
        figure.dpi = before


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write .svg, .png or .pdf by the path's ending, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"{target}: allowed endings of figures are {', '.join(ENDINGS)}.")
    return write_bytes(target, render(figure, target.suffix.lower()[1:]))
