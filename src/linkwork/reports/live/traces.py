"""The curves of a figure as data, so that a page can tell values under the pointer."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.table_files import Plain
from linkwork.drawing.style import VIOLATION
from linkwork.reports.svg import VARIABLES
from linkwork.robot.robot import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LEVELS = 65534  # steps from the least to the greatest value of a curve; the next number is none
UNIT = re.compile(r"\s*\[([^\]]*)\]\s*$")
POINTS = 72  # per inch


def traces(figure: Figure, channels: int = 0) -> Plain | None:
    """Axes with curves over an ascending quantity, in points of the SVG; None if there are none.

    Args:
        channels: how many of the curves, in their order, are channels of the effort; those of a figure
            that shows nothing else follow what the reader changes.
    """
    width, height = (float(size) * POINTS for size in figure.get_size_inches())
    found: list[Plain] = []
    for ax in figure.axes:
        lines = [line for line in ax.lines if _is_curve(ax, line)]
        points = [line for line in ax.lines if _is_points(ax, line)]
        shown = ax.get_visible() and ax.axison and ax.get_aspect() == "auto"
        if not (shown and (lines or points) and ax.get_xscale() == "linear"):
            continue
        place = ax.get_position()
        name, unit = _label(_shared_label(ax))
        over = _label(_shared_label(ax, "y"))
        found.append(
            {
                "box": [
                    round(place.x0 * width, 2),
                    round((1 - place.y1) * height, 2),
                    round(place.width * width, 2),
                    round(place.height * height, 2),
                ],
                "x": list(map(float, ax.get_xlim())),
                "y": list(map(float, ax.get_ylim())),
                "time": name in ("time", "t") and unit == "s",
                "label": name or "x",
                "unit": unit,
                "channels": [],
                "lines": [_curve(ax, line) for line in lines],
                "value": {"label": over[0], "unit": over[1], "logarithmic": ax.get_yscale() == "log"},
                "points": [_points(ax, line) for line in points],
            }
        )
    if channels and sum(len(axes["lines"]) for axes in found) == channels:
        number = iter(range(channels))
        for axes in found:
            axes["channels"] = [next(number) for _ in axes["lines"]]
    return {"size": [width, height], "axes": found} if found else None


def _is_curve(ax: Axes, line: Line2D) -> bool:
    """Not a limit, not a violation, not a line of the axes."""
    x = np.asarray(line.get_xdata(orig=False), dtype=float)
    labeled = not str(line.get_label()).startswith("_")
    return (
        len(x) > 2
        and line.get_linestyle() != "None"
        and line.get_transform() == ax.transData
        and bool(np.all(np.diff(x) >= 0))
        and (labeled or _color(line) != VIOLATION.lower())
    )


def _is_points(ax: Axes, line: Line2D) -> bool:
    """Marks without a line between them."""
    marks = line.get_linestyle() == "None" and line.get_marker() not in ("None", "", None)
    return marks and line.get_transform() == ax.transData


def _points(ax: Axes, line: Line2D) -> Plain:
    """Marks by their places within the axes, from 0 to 1 from the left and from below."""
    places = ax.transLimits.transform(ax.transScale.transform(line.get_xydata()))
    inside = np.where((places >= 0) & (places <= 1), places, np.nan)
    label = str(line.get_label())
    return {
        "label": "" if label.startswith("_") else label.strip(),
        "color": VARIABLES.get(_color(line), "--ink"),
        "x": _packed(inside[:, 0], LEVELS),
        "y": _packed(inside[:, 1], LEVELS),
    }


def _shared_label(ax: Axes, axis: str = "x") -> str:
    """The label of the axis or, if it is shared, of the axes that carry it."""
    shared = ax.get_shared_x_axes() if axis == "x" else ax.get_shared_y_axes()
    labels = (getattr(one, f"get_{axis}label")() for one in shared.get_siblings(ax))
    return next((label for label in labels if label), "")


def _label(text: str) -> tuple[str, str]:
    """A label without and its unit alone."""
    unit = UNIT.search(text)
    return UNIT.sub("", text).strip(), unit[1] if unit else ""


def _color(line: Line2D) -> str:
    from matplotlib.colors import to_hex

    return to_hex(line.get_color())


def _curve(ax: Axes, line: Line2D) -> Plain:
    x, y = (np.asarray(values, dtype=float) for values in line.get_data(orig=False))
    label = str(line.get_label())
    title = ax.get_title(loc="left") or ax.get_title()
    logarithmic = ax.get_yscale() == "log"
    if logarithmic:  # so that small values keep their digits
        y = np.log10(np.where(y > 0, y, np.nan))
    low, high = (float(np.nanmin(y)), float(np.nanmax(y))) if np.isfinite(y).any() else (0.0, 0.0)
    uniform = bool(
        np.allclose(x, np.linspace(x[0], x[-1], len(x)), rtol=0, atol=1e-6 * (x[-1] - x[0] or 1))
    )
    return {
        "label": (title or _label(ax.get_ylabel())[0]) if label.startswith("_") else label.strip(),
        "color": VARIABLES.get(_color(line), "--ink"),
        "span": [float(x[0]), float(x[-1])],
        "range": [low, high],
        "logarithmic": logarithmic,
        "x": None if uniform else _packed((x - x[0]) / ((x[-1] - x[0]) or 1), LEVELS + 1),
        "y": _packed((y - low) / ((high - low) or 1), LEVELS),
    }


def _packed(shares: Array, levels: int) -> str:
    """Numbers from 0 to 1 in 16 bits; what is not finite is the greatest number."""
    whole = np.where(np.isfinite(shares), np.round(shares * levels), LEVELS + 1)
    return base64.b64encode(whole.astype("<u2").tobytes()).decode()
