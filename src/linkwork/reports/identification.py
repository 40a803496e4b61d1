"""The report of an identification: what a log told about a robot, and how far to believe it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import number
from linkwork.drawing.style import MUTED, grid, legend_beside, style
from linkwork.drawing.time_plots import literal, look
from linkwork.identification import Identification, Prediction
from linkwork.identification.held_back import Curve
from linkwork.reports.figures import compared_figure, panels_figure
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEGMENTS = 8  # that the spectrum is the mean of


def effort_figure(efforts: Coordinates, log: Prediction) -> Figure:
    """Measured and predicted efforts, a panel for each."""
    measured = quantity("effort", efforts.names, efforts.units, log.measured)
    curves = {"measured": log.measured, "file": log.before, "identified": log.after}
    return compared_figure(log.time, measured, curves)


def residual_figure(efforts: Coordinates, log: Prediction) -> Figure:
    """What the identified robot leaves, a panel for each effort."""
    left = log.measured - log.after
    return panels_figure(log.time, quantity("residual", efforts.names, efforts.units, left))


def spectrum_figure(efforts: Coordinates, log: Prediction, bandwidth: float) -> Figure:
    """Power of what is left over frequency; noise of a sensor is level, a missing term is not."""
    from scipy.signal import welch

    figure, (ax,) = grid(3.2)
    with style():
        rate = 1 / float(log.time[1] - log.time[0])
        left = np.where(log.moving, log.measured - log.after, 0.0)
        frequency, power = welch(left, rate, nperseg=max(len(left) // SEGMENTS, 64), axis=0)
        for k, name in enumerate(efforts.names):
            root = np.sqrt(power[1:, k])
            ax.loglog(frequency[1:], root, label=literal(name), linewidth=1.0, **look(k))
        ax.axvline(bandwidth, color=MUTED, linewidth=1.0, linestyle=(0, (4, 2)), label="filter")
        ax.set_xlabel("frequency [Hz]")
        ax.set_ylabel(f"residual [{efforts.unit}/√Hz]")
        legend_beside(ax)
    return figure


def curve_figure(curve: Curve, chosen: float) -> Figure:
    """How well held-back efforts are predicted, over the bandwidth of the filter."""
    figure, (ax,) = grid(2.6)
    with style():
        ax.semilogx(curve.bandwidth, curve.relative, marker="o", linewidth=1.0, **look(0))
        ax.axvline(chosen, color=MUTED, linewidth=1.0, linestyle=(0, (4, 2)))
        ax.set_xlabel("bandwidth [Hz]")
        ax.set_ylabel("held-back RMS / least")
    return figure


PageTable = tuple[list[str], list[list[object]], str]  # header, rows, caption
CHANGED = 1e-6  # of a parameter's size; smaller changes are not listed


def identification_report(
    found: Identification, command: str | None = None, advance: Callable[[int], None] = lambda done: None
) -> Page:
    """A page about an identified robot; `advance` is told of every figure."""
    page = Page(f"Identification of {found.robot.name}", _summary(found), command, advance)
    efforts = found.robot.efforts
    page.section("Efforts")
    for k, log in enumerate(found.predictions):
        page.figure(
            effort_figure(efforts, log),
            f"`{log.source}`: efforts as measured, by the robot file and by the identified robot.",
            f"efforts-{k + 1}",
        )
    page.table(*_rms_table(found, found.predictions))
    page.section("What is left")
    log = found.predictions[0]
    page.figure(residual_figure(efforts, log), "Measured less predicted effort.", "residuals")
    page.figure(
        spectrum_figure(efforts, log, found.bandwidth),
        "Spectrum of what is left. Noise of a sensor is level; a peak or a slope is something that the "
        f"model does not have. Dashed: the filter of the motion, {number(found.bandwidth, 3)} Hz.",
        "spectrum",
    )
    if found.curve is not None:
        page.figure(
            curve_figure(found.curve, found.bandwidth),
            "RMS of efforts that the fit had not seen, over the bandwidth of the filter; mean over "
            "actuators, each beside its least.",
            "bandwidth",
        )
    for line in found.choices:
        page.text(line)
    page.section("Base parameters")
    page.text(
        "Efforts show only these combinations. The estimate is by weighted least squares, with the "
        f"{100 * found.confidence:g} % interval that noise and differences between stretches of the "
        "motion allow; *possible* is the value of the identified robot, whose bodies can exist. Units "
        "are SI."
    )
    page.table(*_base_table(found))
    page.section("Parameters of the file")
    page.text(
        "All parameters of the identified robot that differ from the file's. Of those that efforts show "
        "only together, the change is shared so that the robot stays near the file."
    )
    page.table(*_full_table(found))
    _add_validation(page, found)
    _add_missing(page, found)
    page.section("The robot")
    add_robot(page, found.robot)
    return page


def _summary(found: Identification) -> str:
    shown, all_of_them = int(found.shown.sum()), len(found.base)
    before = np.concatenate([log.rms_before / found.noise for log in found.predictions]).mean()
    after = np.concatenate([log.rms / found.noise for log in found.predictions]).mean()
    words = [
        f"The log shows {shown} of {all_of_them} base parameters. The identified robot leaves "
        f"{number(after, 3)} times the noise of the measured efforts, the file's robot "
        f"{number(before, 3)} times. Velocities and accelerations come from a zero-phase filter of "
        f"{number(found.bandwidth, 3)} Hz; {number(100 * found.outliers, 2)} % of the efforts were "
        "outliers and drawn in."
    ]
    if found.validation:
        held = np.concatenate([log.rms / found.noise for log in found.validation]).mean()
        words.append(f"On the logs held back it leaves {number(held, 3)} times the noise.")
    if shown < all_of_them:
        words.append("**Some parameters could not be found**, see below.")
    return " ".join(words)


def _rms_table(found: Identification, logs: tuple[Prediction, ...]) -> PageTable:
    rows: list[list[object]] = []
    for log in logs:
        for k, name in enumerate(found.robot.efforts.names):
            after, noise = float(log.rms[k]), float(found.noise[k])
            row = [f"`{log.source}`", name, float(log.rms_before[k]), after, noise, after / noise]
            rows.append([*row, found.robot.efforts.units[k]])
    header = ["log", found.robot.noun, "RMS, file", "RMS, identified", "noise", "ratio", "unit"]
    caption = (
        "What the predictions leave where the actuator moves: nearly at rest friction has no clear "
        "direction. The noise is what the fit leaves of the efforts as measured."
    )
    return header, rows, caption


def _base_table(found: Identification) -> PageTable:
    rows: list[list[object]] = []
    for k, label in enumerate(found.base.labels):
        shown = bool(found.shown[k])
        values = [float(found.base.values[k]), float(found.estimate[k]) if shown else None]
        reach = float(found.interval[k, 1] - found.interval[k, 0]) / 2
        errors = [reach, float(found.standard_error[k])] if shown else [None, None]
        rows.append([label, *values, *errors, float(found.physical[k])])
    interval = f"± ({100 * found.confidence:g} %)"
    header = ["base parameter", "file", "estimate", interval, "standard error", "possible"]
    return header, rows, "Base parameters before and after; without an estimate: not shown by the log."


def _full_table(found: Identification) -> PageTable:
    own, other = found.original.parameters, found.robot.parameters
    file = dict(zip(own.names, own.values.tolist(), strict=True))
    rows: list[list[object]] = []
    for name, after in zip(other.names, other.values.tolist(), strict=True):
        before = file.get(name, 0.0)  # of a law of friction that the file does not have
        if abs(after - before) > CHANGED * max(abs(before), abs(after)):
            rows.append([name, float(before), float(after)])
    caption = "Parameters, moments about the origins of the links' frames."
    return ["parameter", "file", "identified"], rows, caption


def _add_validation(page: Page, found: Identification) -> None:
    page.section("Validation")
    if not found.validation:
        page.text("No log was held back; give one with `--validate`.")
        return
    for k, log in enumerate(found.validation):
        page.figure(
            effort_figure(found.robot.efforts, log),
            f"`{log.source}`, which the fit has not seen.",
            f"validation-{k + 1}",
        )
    page.table(*_rms_table(found, found.validation))


def _add_missing(page: Page, found: Identification) -> None:
    page.section("What could not be found")
    if found.hints:
        page.text(
            "These stay at the file's values; the intervals of the others count on that as far as the "
            "file may be wrong.\n\n" + "\n".join(f"- {hint}" for hint in found.hints)
        )
    else:
        page.text("The log shows every base parameter.")
    for note in found.notes:
        page.text(note)
