"""A robot identified from logs of its own motion."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.text import number
from linkwork.identification.agreement import Agreement, FoundAlone, agreements, coverage_of
from linkwork.identification.delay import NONE, Delay, delay_of, earlier
from linkwork.identification.friction_choice import FrictionChoice, chosen_friction, with_laws
from linkwork.identification.gains import Gains, gains_of, shown_gains, with_gains
from linkwork.identification.held_back import Curve, usual_of
from linkwork.identification.hints import hint
from linkwork.identification.logs import Log, read_log
from linkwork.identification.physical import BaseEstimate, possible_parameters
from linkwork.identification.predictions import (
    Prediction,
    explained,
    plain_reasons,
    prediction,
    refused,
    weight_note,
)
from linkwork.identification.regression import (
    LeastSquares,
    Problem,
    blocks_of,
    load_friction_of,
    solved,
)
from linkwork.identification.smoothing import MARGIN
from linkwork.identification.unknowns import Unknowns
from linkwork.identification.velocities import with_useful_velocities, without_velocities
from linkwork.model.geometry import frozen
from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.robot import Array, Robot

SHOWN = 0.3  # of its size in the prior: a standard error below means that the log shows a parameter
MOSTLY = 0.5  # of all base parameters: logs that tell what bodies can be
LEAST_SHOWN = 0.05  # of all base parameters; a log that shows fewer excites nothing
STANDING = 1e-4  # [rad or m]: a range of positions below is none
HELD = 1e3  # of the prior's sharpness: so near to the file's value stays what is not shown
LOAD_ROUNDS = 2  # of friction under a load that the estimate knows; each leaves a tenth of the error
CERTAIN = 1e12  # information that keeps a parameter where it is
Source = str | os.PathLike[str] | Log
Sources = Source | Sequence[Source]


@dataclass(frozen=True, eq=False)
class Identification:
    """What logs tell about a robot.

    `estimate` are the base parameters by weighted least squares, `physical` those of the identified
    robot, whose bodies are possible; `robot` is that robot. What the log does not show (`shown` False)
    stays at the file's value in `estimate`.
    """

    robot: Robot
    original: Robot
    base: BaseParameters
    estimate: Array
    standard_error: Array
    interval: Array  # (b, 2)
    confidence: float
    shown: NDArray[np.bool_]  # (b,)
    physical: Array
    bandwidth: float
    curve: Curve | None  # of held-back errors over bandwidths; None if the bandwidth was given
    noise: Array  # RMS of residuals as measured, per actuator
    outliers: float
    predictions: tuple[Prediction, ...]
    validation: tuple[Prediction, ...]
    friction: tuple[FrictionChoice, ...]  # laws of actuators other than viscous and Coulomb friction
    delay: Delay  # of efforts behind positions, which was taken back
    gains: Gains | None  # of drives, if the logs have currents
    agreement: tuple[Agreement, ...]  # of several logs, each for itself
    pull_price: float  # share of the residuals' RMS that likeness to the file's bodies costs
    hints: tuple[str, ...]  # for what is not shown
    notes: tuple[str, ...]

    @property
    def coverage(self) -> float | None:
        """Share of parameters in which several logs, each for itself, agree within their intervals; None
        of one log."""
        return coverage_of(self.agreement)

    @property
    def not_shown(self) -> tuple[str, ...]:
        """Names of the base parameters that stay at the file's values."""
        labels = self.base.labels
        return tuple(label for label, shown in zip(labels, self.shown, strict=True) if not shown)

    @property
    def choices(self) -> tuple[str, ...]:
        """What was chosen and found besides parameters, in words."""
        lines = [shown_gains(self.gains, self.robot)] if self.gains is not None else []
        for law in self.friction:
            parts = [f"viscous friction by the power {law.power:g}"] if law.power != 1 else []
            if law.stribeck_velocity:
                within = number(law.stribeck_velocity, 2)
                parts.append(f"Stribeck friction within {within} of rest")
            if law.under_load:
                parts.append("friction that grows with the load")
            less = 100 * (1 - law.rms / law.plain_rms)
            lines.append(f"{law.name}: {', '.join(parts)} ({less:.2g} % less error on held-back parts)")
        if self.coverage is not None:
            lines.append(f"the logs one by one agree in {100 * self.coverage:.0f} % of parameters")
        if self.pull_price:
            lines.append(f"bodies like the file's cost {100 * self.pull_price:.2g} % of the residuals")
        return tuple(lines)

    def __str__(self) -> str:
        n = len(self.base)
        lines = [
            f"{self.robot.name}: {int(self.shown.sum())} of {n} base parameters identified, filter of "
            f"{self.bandwidth:.3g} Hz, {100 * self.outliers:.2g} % outliers"
        ]
        lines += [
            f"  RMS of {name}: {self.predictions[0].rms[k]:.4g} {self.robot.efforts.units[k]} (file: "
            f"{self.predictions[0].rms_before[k]:.4g})"
            for k, name in enumerate(self.robot.efforts.names)
        ]
        return "\n".join(lines)


@checked
def identify(
    robot: Robot,
    logs: Sources,
    *,
    validate: Sources = (),
    bandwidth: float | None = None,
    friction: bool = True,
    rotors: bool = True,
    shared_legs: bool = False,
    confidence: float = 0.95,
    gains: ArrayLike | Literal["file"] | None = None,
    loaded: Sources = (),
    load: float | None = None,
    columns: Mapping[str, str] | None = None,
    joint_efforts: bool = False,
) -> Identification:
    """Parameters of a robot from logs of its motion, with their errors, and a robot that has them.

    Args:
        robot: the robot as its file has it; what logs cannot show stays so.
        logs: files with time, positions and efforts (see `read_log`), or `Log` objects, which may have
            payloads; one or several.
        validate: logs that are held back, to judge the result by.
        bandwidth: of the filter [Hz]; None chooses it by what predicts held-back parts of the logs.
        friction: look for friction and offsets; otherwise they stay as in the file.
        rotors: look for rotors of the motors.
        shared_legs: of a platform: all legs deviate from the file alike.
        confidence: of the intervals.
        gains: of the drives [N m/A or N/A], one or one each, if logs have currents; "file" takes those
            with which the file's bodies explain the currents.
        loaded: logs with a load of mass `load` [kg] at the last link, from which gains are estimated.
        load: that mass.
        columns: which columns of the files are meant, as in `read_log`.
        joint_efforts: efforts of the files are those at the joints, as in `read_log`.
    """
    read, held, carrying = (
        logs_of(robot, some, columns, joint_efforts) for some in (logs, validate, loaded)
    )
    if not read:
        raise InputError("identify needs at least one log.")
    if not 0.5 <= confidence < 1:
        raise InputError(f"confidence = {confidence!r}: expected numbers from 0.5 to below 1.")
    if not any(np.ptp(log.position, axis=0).max() > STANDING for log in read):
        raise _rest(robot, read, np.zeros(0, dtype=bool))
    notes = [note for log in (*read, *held, *carrying) for note in log.notes]
    drives = gains_of(robot, read, gains, carrying, load)
    read, held = ([with_gains(log, drives, notes) for log in some] for some in (read, held))
    read = with_useful_velocities(robot, read, notes)
    if read[0].velocity is None:
        held = [without_velocities(log) for log in held]
    settings = _Settings(friction, rotors, shared_legs, bandwidth)
    fitted = _fitted(robot, read, settings, choose=True)
    unknowns, fit = fitted.unknowns, fitted.fit
    shown = fitted.shown
    if shown.mean() < LEAST_SHOWN:
        raise _rest(robot, read, shown)
    base, precision = unknowns.base, unknowns.precision
    kept = fit if shown.all() else _kept_at(fitted.problem, fit, base.values, precision, shown)
    near_file = np.where(shown, 0.0, (HELD / unknowns.prior_error) ** 2)
    reach = fit.reach(confidence)
    wanted = BaseEstimate(
        kept.estimate,
        fit.information + np.diag(near_file),
        np.where(shown, np.maximum(fit.reach(0.6827), 1e-300), np.inf),
        fit.squares,
    )
    try:
        possible = possible_parameters(unknowns.robot, unknowns.free, base, wanted, unknowns.sizes)
    except LinkworkError:  # perhaps for a reason that the file shows
        file = [prediction(robot, robot, log, fitted.bandwidth) for log in read]
        for k, reason in plain_reasons(robot, file, range(robot.n)):
            raise refused(robot, read[0].source, k, reason) from None
        raise
    identified = unknowns.robot.with_parameters(possible.values)
    read, held = ([earlier(log, fitted.delay.seconds) for log in some] for some in (read, held))
    predictions = tuple(prediction(robot, identified, log, fitted.bandwidth) for log in read)
    notes += fitted.notes
    notes += explained(robot, predictions, kept.noise, telling=bool(shown.mean() > MOSTLY))
    notes += weight_note(robot, identified, read)
    return Identification(
        robot=identified,
        original=robot,
        base=base,
        estimate=frozen(kept.estimate),
        standard_error=frozen(fit.standard_error),
        interval=frozen(np.stack([kept.estimate - reach, kept.estimate + reach], axis=1)),
        confidence=confidence,
        shown=shown,
        physical=frozen(base.matrix @ possible.values),
        bandwidth=fitted.bandwidth,
        curve=fitted.curve,
        noise=kept.noise,
        outliers=kept.outliers,
        predictions=predictions,
        validation=tuple(prediction(robot, identified, log, fitted.bandwidth) for log in held),
        friction=fitted.friction,
        delay=fitted.delay,
        gains=drives,
        agreement=_agreement(fitted, read, settings, confidence),
        pull_price=possible.price,
        hints=tuple(hint(unknowns.robot, base, int(k)) for k in np.flatnonzero(~shown)),
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class _Settings:
    friction: bool
    rotors: bool
    shared_legs: bool
    bandwidth: float | None

    def unknowns(self, robot: Robot, parts: Sequence[Log]) -> Unknowns:
        return Unknowns.of(robot, parts, self.friction, self.rotors, self.shared_legs)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Least squares with the filter, the laws of friction and the delay that were chosen."""

    unknowns: Unknowns
    problem: Problem
    fit: LeastSquares
    bandwidth: float
    curve: Curve | None
    friction: tuple[FrictionChoice, ...]
    delay: Delay

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Base parameters that the logs say more of than the prior."""
        return np.asarray(self.fit.standard_error < SHOWN * self.unknowns.prior_error)

    @property
    def notes(self) -> list[str]:
        seconds, error = self.delay
        if not seconds:
            return []
        late = "late" if seconds > 0 else "early"
        return [
            f"efforts come {number(1e3 * abs(seconds), 3)} ± {number(2e3 * error, 2)} ms {late}, beside "
            "positions; taken back"
        ]


def _fitted(robot: Robot, logs: Sequence[Log], settings: _Settings, choose: bool) -> _Fitted:
    """Args:
    choose: laws of friction and a delay too; otherwise as the robot and the logs are.
    """
    parts = [part for log in logs for part in log.parts]
    unknowns = settings.unknowns(robot, parts)
    curve = None
    if settings.bandwidth is None:
        curve = unknowns.comparison(parts).curve()
        chosen = curve.best
    else:
        chosen = positive(settings.bandwidth, "bandwidth", "Hz")
    refuse_bandwidth(parts, chosen)
    delay = delay_in(unknowns, logs, chosen) if choose else NONE
    logs = [earlier(log, delay.seconds) for log in logs]
    parts = [part for log in logs for part in log.parts]
    problem, fit = fit_to(unknowns, logs, chosen)
    laws: tuple[FrictionChoice, ...] = ()
    if choose and settings.friction:
        laws = chosen_friction(unknowns, parts, chosen)
        if laws:
            unknowns = settings.unknowns(with_laws(robot, laws), parts)
            problem, fit = fit_to(unknowns, logs, chosen)
    return _Fitted(unknowns, problem, fit, chosen, curve, laws, delay)


def fit_to(unknowns: Unknowns, logs: Sequence[Log], bandwidth: float) -> tuple[Problem, LeastSquares]:
    """Least squares; friction under a load takes the load from the estimate before."""
    robot, base = unknowns.robot, unknowns.base
    blocks = tuple(block for log in logs for block in blocks_of(robot, log, bandwidth))
    problem = Problem(robot, base.basis, unknowns.known, blocks)
    fit = solved(problem, unknowns.precision, base.values)
    for _ in range(LOAD_ROUNDS if load_friction_of(robot) else 0):
        problem = problem.close_to(fit.estimate)
        fit = solved(problem, unknowns.precision, base.values)
    return problem, fit


def delay_in(unknowns: Unknowns, logs: Sequence[Log], bandwidth: float) -> Delay:
    """Of efforts behind positions; wider filters than usual ones would ask the noise."""
    parts = [part for log in logs for part in log.parts]
    return delay_of(unknowns.comparison(parts), min(bandwidth, usual_of(parts)))


def _agreement(
    fitted: _Fitted, logs: Sequence[Log], settings: _Settings, confidence: float
) -> tuple[Agreement, ...]:
    """Of the logs one by one, with the choices of all together."""
    each = []
    alone = replace(settings, bandwidth=fitted.bandwidth)
    for log in logs if len(logs) > 1 else []:
        try:
            own = _fitted(fitted.unknowns.robot, [log], alone, choose=False)
        except LinkworkError:
            continue  # one that shows too little for itself
        each.append(FoundAlone(log.source, own.fit, own.shown))
    return agreements(each, confidence)


def logs_of(
    robot: Robot, given: Sources, columns: Mapping[str, str] | None, joint_efforts: bool = False
) -> list[Log]:
    several = [given] if isinstance(given, str | os.PathLike | Log) else list(given)
    return [
        each
        if isinstance(each, Log)
        else read_log(robot, os.fspath(each), columns=columns, joint_efforts=joint_efforts)
        for each in several
    ]


def refuse_bandwidth(parts: Sequence[Log], bandwidth: float) -> None:
    longest = max(parts, key=lambda part: float(part.time[-1] - part.time[0]))
    duration = float(longest.time[-1] - longest.time[0])
    nyquist = 0.5 / longest.period
    if bandwidth >= nyquist:
        raise InputError(
            f"{longest.source}: a bandwidth of {bandwidth:.4g} Hz needs more than {2 * bandwidth:.4g} "
            f"samples per second; the log has {2 * nyquist:.4g}. Give a lower bandwidth."
        )
    if 4 * MARGIN / bandwidth > duration:
        raise InputError(
            f"{longest.source}: {duration:.4g} s are too short for a filter of {bandwidth:.4g} Hz, "
            f"which needs {4 * MARGIN / bandwidth:.4g} s. Record a longer motion."
        )


def _kept_at(
    problem: Problem, fit: LeastSquares, values: Array, precision: Array, shown: NDArray[np.bool_]
) -> LeastSquares:
    """The fit with what is not shown held at the file's values."""
    held = np.where(shown, 0.0, CERTAIN / np.maximum(fit.standard_error, 1e-300) ** 2)
    return solved(problem, precision + np.diag(held), values)


def _rest(robot: Robot, logs: Sequence[Log], shown: NDArray[np.bool_]) -> InputError:
    """What to say of logs that show next to nothing."""
    ranges = np.max([np.ptp(log.position, axis=0) for log in logs], axis=0)
    still = [name for name, way in zip(robot.coordinates.names, ranges, strict=True) if way < STANDING]
    which = f", {', '.join(still)} stand still" if still else ""
    return InputError(
        f"{logs[0].source}: the motion excites almost nothing ({int(shown.sum())} base parameters "
        f"show{which}). Move every {robot.actuated_element} fast and far; `linkwork excite` makes such a"
        " motion."
    )
