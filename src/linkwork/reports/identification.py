"""The report of an identification: what a log told about a robot, and how far to believe it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.text import number
from linkwork.drawing.style import MUTED, grid, legend_beside, style
from linkwork.drawing.time_plots import literal, look
from linkwork.identification import Identification, Prediction
from linkwork.identification.held_back import CLEAR, USUAL, Curve
from linkwork.reports.bodies import bodies_figure
from linkwork.reports.figures import compared_figure, panels_figure
from linkwork.reports.inverse import add_robot
from linkwork.reports.page import Page
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEGMENTS = 8  # that the spectrum is the mean of
LONGEST_LAG = 1.0  # [s]


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


def autocorrelation_figure(efforts: Coordinates, log: Prediction) -> Figure:
    """How alike residuals are to themselves some time later; white noise stays within the gray band."""
    figure, (ax,) = grid(2.6)
    step = float(log.time[1] - log.time[0])
    left = np.where(log.moving, log.measured - log.after, 0.0)
    lags = min(int(LONGEST_LAG / step), len(left) // 2)
    with style():
        for k, name in enumerate(efforts.names):
            spectrum = np.fft.rfft(left[:, k], 2 * len(left))
            alike = np.fft.irfft(np.abs(spectrum) ** 2)[: lags + 1]
            ax.plot(
                step * np.arange(lags + 1),
                alike / max(float(alike[0]), 1e-300),
                label=literal(name),
                linewidth=1.0,
                **look(k),
            )
        white = 1.96 / np.sqrt(len(left))
        ax.axhspan(-white, white, color=MUTED, alpha=0.25, linewidth=0)
        ax.set_xlabel("lag [s]")
        ax.set_ylabel("autocorrelation")
        legend_beside(ax)
    return figure


def curve_figure(curve: Curve, chosen: float) -> Figure:
    """How well held-back efforts are predicted, over the bandwidth of the filter."""
    figure, (ax,) = grid(2.6)
    with style():
        tied = curve.relative.min() * np.exp(CLEAR * curve.doubt)
        ax.fill_between(curve.bandwidth, 1.0, tied, color=MUTED, alpha=0.25, linewidth=0)
        ax.semilogx(curve.bandwidth, curve.relative, marker="o", linewidth=1.0, **look(0))
        ax.set_ylim(top=1.1 * curve.relative.max())
        ax.axvline(chosen, color=MUTED, linewidth=1.0, linestyle=(0, (4, 2)))
        ax.set_xticks(curve.bandwidth, [number(float(each), 2) for each in curve.bandwidth])
        ax.minorticks_off()
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
    _add_logs(page, found)
    page.section("Efforts")
    for k, log in enumerate(found.predictions):
        page.figure(
            effort_figure(efforts, log),
            f"`{Path(log.source).name}`: efforts as measured, by the robot file and as identified.",
            f"efforts-{k + 1}",
        )
    page.table(*_rms_table(found, found.predictions))
    page.section("Residuals")
    log = found.predictions[0]
    page.figure(residual_figure(efforts, log), "Measured less predicted effort.", "residuals")
    page.figure(
        spectrum_figure(efforts, log, found.bandwidth),
        "Residual spectrum. Noise of a sensor is level; a peak or a slope is something that the model "
        f"does not have. Dashed: the filter of the motion, {number(found.bandwidth, 3)} Hz.",
        "spectrum",
    )
    page.figure(
        autocorrelation_figure(efforts, log),
        "Autocorrelation of the residuals. White noise stays in the gray band; what stays high for long "
        "is an error of the model, which the intervals know from differences between stretches.",
        "autocorrelation",
    )
    if found.curve is not None:
        page.figure(
            curve_figure(found.curve, found.bandwidth),
            "RMS of efforts that the fit had not seen, over the bandwidth of the filter; mean over "
            "actuators, each beside its least. In the gray band folds cannot tell a bandwidth from the "
            f"best one; of those the nearest to {USUAL:g} Hz is taken, the dashed line.",
            "bandwidth",
        )
    page.section("Base parameters")
    page.text(
        "Efforts show only these combinations. The estimate is by weighted least squares, with the "
        f"{100 * found.confidence:g} % interval that noise and differences between stretches of the "
        "motion allow; the last column is the identified robot, whose bodies are physically consistent. "
        "Units are SI."
    )
    page.table(*_base_table(found))
    page.section("Parameters of the file")
    page.text(
        "All parameters of the identified robot that differ from the file's. Of those that efforts show "
        "only together, the change is shared so that the robot stays near the file."
    )
    page.table(*_full_table(found))
    page.section("Bodies")
    page.figure(
        bodies_figure(found.original, found.robot),
        "The robot at home. Each body is drawn as the solid ellipsoid of constant density with its mass "
        "and inertia, and its center of mass: gray as in the file, in color as identified.",
        "bodies",
    )
    page.table(*_body_table(found))
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
        f"{shown} of {all_of_them} base parameters are identified. The residual of the identified robot "
        f"is {number(after, 3)} of the noise level of the efforts, that of the file's robot "
        f"{number(before, 3)}. Velocities and accelerations come from a zero-phase filter of "
        f"{number(found.bandwidth, 3)} Hz; {number(100 * found.outliers, 2)} % of the efforts were "
        "down-weighted as outliers."
    ]
    if found.validation:
        held = np.concatenate([log.rms / found.noise for log in found.validation]).mean()
        words.append(f"On the logs held back it is {number(held, 3)} of the noise level.")
    if shown < all_of_them:
        words.append("**Some parameters could not be found**, see below.")
    return " ".join(words)


def _rms_table(found: Identification, logs: tuple[Prediction, ...]) -> PageTable:
    rows: list[list[object]] = []
    for log in logs:
        for k, name in enumerate(found.robot.efforts.names):
            after, noise = float(log.rms[k]), float(found.noise[k])
            row = [
                f"`{Path(log.source).name}`",
                name,
                float(log.rms_before[k]),
                after,
                noise,
                after / noise,
            ]
            rows.append([*row, found.robot.efforts.units[k]])
    header = [
        "log",
        found.robot.actuated_element,
        "RMS, file",
        "RMS, identified",
        "noise",
        "ratio",
        "unit",
    ]
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
        interval = [float(each) if shown else None for each in found.interval[k]]
        rows.append([label, *values, *interval, float(found.physical[k])])
    most = f"{100 * found.confidence:g} %"
    header = ["base parameter", "file", "estimate", f"{most} from", "to", "robot"]
    return header, rows, "Base parameters before and after; without an estimate: not shown by the log."


def _add_logs(page: Page, found: Identification) -> None:
    """What the logs are, what was done to them, and how far they agree."""
    page.section("The logs")
    rows: list[list[object]] = [
        [
            f"`{Path(log.source).name}`",
            use,
            float(log.time[-1] - log.time[0]),
            len(log.time),
            100 * float(log.moving.mean()),
        ]
        for use, logs in (("fitted", found.predictions), ("held back", found.validation))
        for log in logs
    ]
    header = ["log", "use", "duration [s]", "rows", "counted [%]"]
    caption = "Counted: rows in which actuators move. Nearly at rest friction has no clear direction."
    page.table(header, rows, caption)
    told = [*found.notes, *found.choices]
    if told:
        page.text("What was done and found besides parameters:\n\n" + "\n".join(f"- {n}" for n in told))
    if found.agreement:
        pairs: list[list[object]] = [
            [*(f"`{Path(source).name}`" for source in each[:2]), each.parameters, 100 * each.share]
            for each in found.agreement
        ]
        page.table(
            ["log", "log", "parameters", "agree [%]"],
            pairs,
            "Coverage between logs: parameters found from each log alone, and the share of them that "
            f"agrees within both {100 * found.confidence:g} % intervals. Much less means errors of the "
            "model that the intervals do not know.",
        )


def _body_table(found: Identification) -> PageTable:
    rows: list[list[object]] = []
    for before, after in zip(found.original.mechanism.parts, found.robot.mechanism.parts, strict=True):
        away = float(np.linalg.norm(after.body.center_of_mass - before.body.center_of_mass))
        rows.append([before.name, float(before.body.mass), float(after.body.mass), 1e3 * away])
    header = ["body", "mass, file [kg]", "identified [kg]", "center moved [mm]"]
    caption = "Efforts show combinations of masses, shared out as near to the file as they allow."
    return header, rows, caption


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
            f"`{Path(log.source).name}`, which the fit has not seen.",
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
