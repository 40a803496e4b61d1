"""A robot identified from logs of its own motion."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from linkwork.core.arguments import positive
from linkwork.core.errors import InputError
from linkwork.identification.logs import Log, read_log
from linkwork.identification.physical import BaseEstimate, parameter_sizes, possible_parameters
from linkwork.identification.predictions import Prediction, explained, prediction
from linkwork.identification.regression import LeastSquares, Problem, blocks_of, solved, stribeck_shown
from linkwork.identification.smoothing import MARGIN, chosen_bandwidth
from linkwork.model.geometry import frozen
from linkwork.model.parameters import FRICTION, ROTOR
from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.robot import Array, Robot

SHOWN = 0.3  # of its size in the prior: a standard error below means that the log shows a parameter
LEAST_SHOWN = 0.2  # of all base parameters; a log that shows fewer excites nothing
STANDING = 1e-4  # [rad or m]: a range of positions below is none
HELD = 1e3  # of the prior's sharpness: so near to the file's value stays what is not shown
CERTAIN = 1e12  # information that keeps a parameter where it is
Source = str | os.PathLike[str] | Log
SLOW = "slow motions through many positions"
STATES = 100


@dataclass(frozen=True)
class StribeckFriction:
    """More friction near rest, which the log shows and a robot file cannot say."""

    name: str
    coefficient: float
    standard_error: float
    velocity: float


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
    noise: Array  # RMS of residuals as measured, per actuator
    outliers: float
    predictions: tuple[Prediction, ...]
    validation: tuple[Prediction, ...]
    stribeck: tuple[StribeckFriction, ...]
    hints: tuple[str, ...]  # for what is not shown
    notes: tuple[str, ...]

    @property
    def not_shown(self) -> tuple[str, ...]:
        """Names of the base parameters that stay at the file's values."""
        labels = self.base.labels
        return tuple(label for label, shown in zip(labels, self.shown, strict=True) if not shown)

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


def identify(
    robot: Robot,
    logs: Source | Sequence[Source],
    *,
    validate: Source | Sequence[Source] = (),
    bandwidth: float | None = None,
    friction: bool = True,
    rotors: bool = True,
    shared_legs: bool = False,
    confidence: float = 0.95,
) -> Identification:
    """Parameters of a robot from logs of its motion, with their errors, and a robot that has them.

    Args:
        robot: the robot as its file has it; what logs cannot show stays so.
        logs: files (.csv, .npz) with time, positions and efforts, or `Log` objects; one or several.
        validate: logs that are held back, to judge the result by.
        bandwidth: of the filter [Hz]; None chooses it from the spectrum of the positions.
        friction: look for friction and offsets; otherwise they stay as in the file.
        rotors: look for rotors of the motors.
        shared_legs: of a platform: all legs deviate from the file alike.
        confidence: of the intervals.
    """
    read, held = _logs(robot, logs), _logs(robot, validate)
    if not read:
        raise InputError("identify needs at least one log.")
    if not 0.5 <= confidence < 1:
        raise InputError(f"confidence = {confidence!r}: allowed are numbers from 0.5 to below 1.")
    if not any(np.ptp(log.position, axis=0).max() > STANDING for log in read):
        raise _rest(robot, read, np.zeros(0, dtype=bool))
    chosen = (
        max(chosen_bandwidth(log) for log in read)
        if bandwidth is None
        else positive(bandwidth, "bandwidth", "Hz")
    )
    _refuse_bandwidth(read, chosen)
    base = robot.base_parameters(friction=friction, rotors=rotors, shared_legs=shared_legs)
    left_out = (*(() if friction else FRICTION), *(() if rotors else (ROTOR,)))
    free = robot.free_parameters(shared_legs=shared_legs).without(left_out)
    own = robot.parameters.values
    known = own - free.matrix @ (free.inverse @ own)
    blocks = tuple(block for log in read for block in blocks_of(robot, log, chosen))
    problem = Problem(robot, base.basis, known, blocks)
    sizes = _sizes(robot, problem)
    spread = base.matrix @ (free.matrix * (free.inverse @ sizes))
    expected = spread @ spread.T
    prior_error = np.sqrt(np.diagonal(expected))
    precision = np.asarray(np.linalg.inv(expected), dtype=np.float64)
    fit = solved(problem, precision, base.values)
    found = stribeck_shown(problem, fit) if friction else ()
    if found:
        problem = problem.with_extra(found)
        precision = _padded(precision, len(found))
        fit = solved(problem, precision, np.append(base.values, np.zeros(len(found))))
    b = len(base)
    shown = fit.standard_error[:b] < SHOWN * prior_error
    if shown.mean() < LEAST_SHOWN:
        raise _rest(robot, read, shown)
    kept = fit if shown.all() else _kept_at(problem, fit, base.values, precision, shown)
    near_file = np.where(shown, 0.0, (HELD / prior_error) ** 2)
    wanted = BaseEstimate(kept.estimate[:b], fit.information[:b, :b] + np.diag(near_file))
    values = possible_parameters(robot, free, base, wanted, sizes)
    identified = robot.with_parameters(values)
    error = fit.standard_error[:b]
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    estimate = kept.estimate[:b]
    predictions = tuple(prediction(robot, identified, log, chosen) for log in read)
    excused = {robot.efforts.names[each.actuator] for each in found}
    notes = [note for log in (*read, *held) for note in log.notes]
    notes += explained(robot, predictions, kept.noise, excused)
    return Identification(
        robot=identified,
        original=robot,
        base=base,
        estimate=frozen(estimate),
        standard_error=frozen(error),
        interval=frozen(np.stack([estimate - reach, estimate + reach], axis=1)),
        confidence=confidence,
        shown=shown,
        physical=frozen(base.matrix @ values),
        bandwidth=chosen,
        noise=kept.noise,
        outliers=kept.outliers,
        predictions=predictions,
        validation=tuple(
            prediction(
                robot,
                identified,
                log,
                max(chosen, chosen_bandwidth(log)) if bandwidth is None else chosen,
            )
            for log in held
        ),
        stribeck=tuple(
            StribeckFriction(
                robot.efforts.names[friction_found.actuator],
                float(kept.estimate[b + k]),
                float(fit.standard_error[b + k]),
                friction_found.velocity,
            )
            for k, friction_found in enumerate(found)
        ),
        hints=tuple(hint(robot, base, int(k)) for k in np.flatnonzero(~shown)),
        notes=tuple(notes),
    )


def _logs(robot: Robot, given: Source | Sequence[Source]) -> list[Log]:
    several = [given] if isinstance(given, str | os.PathLike | Log) else list(given)
    return [each if isinstance(each, Log) else read_log(robot, os.fspath(each)) for each in several]


def _refuse_bandwidth(logs: Sequence[Log], bandwidth: float) -> None:
    for log in logs:
        nyquist = 0.5 / log.period
        if bandwidth >= nyquist:
            raise InputError(
                f"{log.source}: a bandwidth of {bandwidth:.4g} Hz needs more than {2 * bandwidth:.4g} "
                f"samples per second; the log has {2 * nyquist:.4g}. Give a lower bandwidth."
            )
        if 4 * MARGIN / bandwidth > log.time[-1]:
            raise InputError(
                f"{log.source}: {log.time[-1]:.4g} s are too short for a filter of {bandwidth:.4g} Hz, "
                f"which needs {4 * MARGIN / bandwidth:.4g} s. Record a longer motion."
            )


def _sizes(robot: Robot, problem: Problem) -> Array:
    def rms(parts: list[Array]) -> Array:
        return np.asarray(np.sqrt((np.concatenate(parts) ** 2).mean(axis=0)))

    moved = [robot.actuator_motion(*block.motion) for block in problem.blocks]
    effort = rms([block.effort for block in problem.blocks])
    velocity = rms([part.velocity for part in moved if part.velocity is not None])
    acceleration = rms([part.acceleration for part in moved if part.acceleration is not None])
    return parameter_sizes(robot, np.maximum(effort, 1e-9), velocity, acceleration)


def _padded(precision: Array, more: int) -> Array:
    """Nothing is known beforehand of parameters that were added."""
    b = len(precision)
    wider = np.zeros((b + more, b + more))
    wider[:b, :b] = precision
    return wider


def _kept_at(
    problem: Problem, fit: LeastSquares, values: Array, precision: Array, shown: NDArray[np.bool_]
) -> LeastSquares:
    """The fit with what is not shown held at the file's values."""
    b = len(values)
    errors = np.maximum(fit.standard_error[:b], 1e-300)
    held = np.zeros(len(precision))
    held[:b] = np.where(shown, 0.0, CERTAIN / errors**2)
    prior = np.append(values, np.zeros(len(precision) - b))
    return solved(problem, precision + np.diag(held), prior)


def _rest(robot: Robot, logs: Sequence[Log], shown: NDArray[np.bool_]) -> InputError:
    """What to say of logs that show next to nothing."""
    ranges = np.max([np.ptp(log.position, axis=0) for log in logs], axis=0)
    still = [name for name, way in zip(robot.coordinates.names, ranges, strict=True) if way < STANDING]
    which = f", {', '.join(still)} stand still" if still else ""
    return InputError(
        f"{logs[0].source}: the motion excites almost nothing ({int(shown.sum())} base parameters "
        f"show{which}). Move every {robot.noun} fast and far; `linkwork excite` makes such a motion."
    )


def hint(robot: Robot, base: BaseParameters, k: int) -> str:
    """In words: the kind of motion in which the parameter's column of the regressor is largest."""
    position, velocity, acceleration = robot.random_motion(STATES, seed=1)
    still = np.zeros_like(velocity)
    column = base.basis[:, k]

    def size(*motion: Array) -> float:
        return float(np.abs(robot.regressor(*motion) @ column).max(axis=1).mean())

    rest = size(position, still, still)
    tried = {SLOW: rest}
    for j, name in enumerate(robot.velocities.names):
        alone = still.copy()
        alone[:, j] = acceleration[:, j]
        tried[f"hard accelerations of {name}"] = size(position, still, alone) - rest
        alone = still.copy()
        alone[:, j] = velocity[:, j]
        tried[f"high velocities of {name}"] = size(position, alone, still) - rest
    # Half, since it asks for more: one coordinate alone is easier to move fast.
    tried["high velocities of several coordinates at once"] = size(position, velocity, still) / 2 - rest
    best = max(tried, key=lambda name: tried[name])
    return f"{base.labels[k]}: {best} would show it"
