"""The page of a calibration: errors before and after, what is told and how well, what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import listed, number, shown_unit
from linkwork.drawing.style import MUTED, grid, legend_below, style
from linkwork.drawing.time_plots import look
from linkwork.identification.calibrate import Calibration, rms
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12  # names of a note


def calibration_report(
    found: Calibration, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about where a robot's joints, axes and zeros are."""
    before, after = (1e3 * rms(each[:, :3]) for each in (found.before, found.left_out))
    summary = (
        f"From {len(found.measured)} measured poses the error of the tool goes from {number(before, 3)} "
        f"to {number(after, 3)} mm (RMS, each pose judged by what the others tell). "
        f"{found.rank} combinations of {len(found.deviations)} deviations are told."
    )
    page = Page(f"Calibration of {found.robot.name}", summary, command, advance)
    page.section("Errors")
    page.table(*error_rows(found), "RMS and greatest of all poses; noise: of one coordinate.")
    page.figure(
        error_figure(found),
        "Distance of the measured tool from where the robot has it, pose by pose: by the file, and "
        "calibrated by the other poses.",
        "errors",
    )
    page.section("What is told")
    page.table(
        *combination_rows(found),
        f"Intervals at {100 * found.confidence:g} % confidence. A sum is one number: only it is felt "
        "(factors in SI units).",
    )
    for line in untold(found):
        page.text(f"{line}.")
    page.figure(
        singular_figure(found),
        "Singular values of the identification Jacobian: how many standard deviations of the noise a "
        "plausible deviation amounts to. Filled: told; below 1 the poses cannot tell.",
        "singular-values",
    )
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def error_rows(found: Calibration) -> tuple[list[str], list[list[str]]]:
    """Errors of the tool: header and rows."""
    head = ["error of the tool", "distance, RMS [mm]", "greatest [mm]"]
    angles = found.noise.angle is not None
    factor, unit = _fine(found, "rad")
    if angles:
        head += [f"angle, RMS [{unit}]", f"greatest [{unit}]"]
    told = (
        ("by the file", found.before),
        ("calibrated", found.after),
        ("calibrated by the other poses", found.left_out),
    )
    rows = []
    for name, error in told:
        row = [name]
        for part, scale in ((error[:, :3], 1e3), (error[:, 3:], factor))[: 1 + angles]:
            sizes = scale * np.linalg.norm(part, axis=1)
            row += [number(scale * rms(part), 3), number(float(sizes.max()), 3)]
        rows.append(row)
    noise = ["noise", number(1e3 * found.noise.position, 3), ""]
    if found.noise.angle is not None:
        noise += [number(factor * found.noise.angle, 3), ""]
    return head, [*rows, noise]


def _fine(found: Calibration, unit: str) -> tuple[float, str]:
    """Millimeters, and degrees or milliradians."""
    if unit == "m":
        return 1e3, "mm"
    factor, name = shown_unit(unit, found.robot.angle_unit)
    return (factor, name) if name == "deg" else (1e3, "mrad")


def combination_rows(found: Calibration) -> tuple[list[str], list[list[str]]]:
    """What is told: header and rows."""
    rows = []
    for k, label in enumerate(found.labels):
        factor, unit = _fine(found, found.units[k])
        low, high = (number(factor * float(each), 3) for each in found.interval[k])
        rows.append([label, number(factor * float(found.values[k]), 3), low, high, unit])
    return ["deviation", "estimate", "from", "to", "unit"], rows


def untold(found: Calibration) -> list[str]:
    """What the poses do not tell, in words."""
    names = [name for name, word in found.shown.items() if word == "not at all"]
    if not names:
        return []
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    told = ", ".join(names[:MOST]) + more if more else listed(names)
    return [f"not felt by the poses, as in the file: {told}"]


def error_figure(found: Calibration) -> Figure:
    """Distances pose by pose, on a logarithmic scale."""
    figure, (ax,) = grid(2.8, 1, 1, extra=0.3)
    with style():
        told = (("by the file", found.before), ("calibrated by the other poses", found.left_out))
        for k, (name, error) in enumerate(told):
            sizes = 1e3 * np.linalg.norm(error[:, :3], axis=1)
            ax.plot(np.arange(1, len(sizes) + 1), sizes, "o", color=look(k)["color"], ms=3, label=name)
        ax.set_yscale("log")
        ax.set_xlabel("pose")
        ax.set_ylabel("distance [mm]")
        legend_below(figure, ax)
    return figure


def singular_figure(found: Calibration) -> Figure:
    """Singular values, told or not."""
    figure, (ax,) = grid(2.6)
    with style():
        sizes = np.maximum(found.singular_values, 1e-6)
        places = np.arange(1, len(sizes) + 1)
        told = found.singular_values > 1
        ax.plot(places[told], sizes[told], "o", color=look(0)["color"], ms=4)
        ax.plot(places[~told], sizes[~told], "o", color=MUTED, ms=4, mfc="none")
        ax.axhline(1.0, color=MUTED, linewidth=0.9, linestyle=(0, (5, 2)))
        ax.set_yscale("log")
        ax.set_xlabel("combination")
        ax.set_ylabel("singular value")
    return figure
