"""Gains of drives: efforts of joints per current of their motors.

They are given, or those with which the file's bodies explain the currents, or they follow from a load of
known mass: with it, currents of two logs have a scale. There the model predicts currents, since they are
what is noisy; efforts from noisy currents would make gains small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import positive
from linkwork.core.errors import InputError
from linkwork.core.text import number
from linkwork.identification.covariance import STRETCHES
from linkwork.identification.held_back import usual_of
from linkwork.identification.logs import Log
from linkwork.identification.regression import Problem, blocks_of, solved
from linkwork.identification.unknowns import Unknowns
from linkwork.model.mechanism import tool_frame
from linkwork.model.parameters import BODY, DRIVE
from linkwork.robot.robot import Array, Robot

FILE = "file"
LEAST_EXPLAINED = 0.2  # of a current's square without rotor and friction, by the file's bodies
UNSURE = 0.5  # of a gain, by which those of the file may be wrong
ROUNDS = 30
SETTLED = 1e-8  # of the gains


@dataclass(frozen=True, eq=False)
class Gains:
    """Of the drives [N m/A or N/A], (n,), and their standard errors; zero if they were given."""

    values: Array
    error: Array
    source: str  # "given", "file" or "load"


def gains_of(
    robot: Robot,
    logs: Sequence[Log],
    gains: ArrayLike | str | None,
    loaded: Sequence[Log],
    load: float | None,
) -> Gains | None:
    """Nothing where logs have efforts and no gains are given."""
    currents = [log for log in logs if log.currents]
    if bool(loaded) != (load is not None):
        raise InputError("a log with a load (loaded) and its mass (load) belong together; give both.")
    if gains is None and not loaded:
        if currents:
            raise InputError(
                f"{currents[0].source}: has currents of the motors; they need the gains of the drives: "
                f"--gains with {robot.n} numbers [N m/A or N/A], --gains file (with which the file's "
                "masses explain the currents), or --loaded LOG --load KG, a log with a known mass."
            )
        return None
    if load is not None:
        if gains is not None:
            raise InputError("gains are given or found from a load, not both.")
        return _by_load(robot, logs, loaded, positive(load, "load", "kg"))
    if isinstance(gains, str):
        if gains != FILE:
            raise InputError(f"gains = {gains!r}: expected numbers, or {FILE!r}.")
        return _by_file(robot, logs)
    values = np.asarray(gains, dtype=np.float64)
    if values.shape not in ((), (1,), (robot.n,)) or not (np.isfinite(values) & (values != 0)).all():
        raise InputError(
            f"gains = {values.tolist()}: expected {robot.n} numbers other than 0, one for each of "
            f"{', '.join(robot.efforts.names)}."
        )
    return Gains(np.broadcast_to(values, robot.n).copy(), np.zeros(robot.n), "given")


def with_gains(log: Log, gains: Gains | None, notes: list[str]) -> Log:
    """Efforts of a log from its currents; `notes` are told if its columns do not say that they are."""
    if gains is None:
        if log.currents:
            raise InputError(f"{log.source}: has currents where the other logs have efforts.")
        return log
    if not log.currents:
        name = Path(log.source).name
        notes.append(f"{name}: its efforts are taken as currents, since gains are given")
    return log.with_gains(gains.values)


def _by_file(robot: Robot, logs: Sequence[Log]) -> Gains:
    """Currents of every actuator as the effort of the file's bodies over the gain, rotor and friction.

    Where the bodies explain little of the current, the gain is taken to be the median of the others.
    """
    logs = [log for log in logs if log.carried is None]
    if not logs:
        raise InputError(
            "gains by the file need a log without a payload, of the file's bodies; give one, or gains."
        )
    own = robot.parameters
    bodies = np.where([name.rpartition(".")[2] in DRIVE for name in own.names], 0.0, own.values)
    usual = usual_bandwidth(logs)
    parts = [part for log in logs for part in log.parts]
    comparison = Unknowns.of(robot, parts, True, True, False).comparison(parts)
    clean, used, _ = comparison.reference(usual)
    states, _, _ = comparison.samples(usual)
    efforts = robot.regressor(*states) @ bodies
    moved = robot.actuator_motion(*states)
    assert moved.velocity is not None
    assert moved.acceleration is not None
    inverse, error, share = np.zeros(robot.n), np.zeros(robot.n), np.zeros(robot.n)
    for k in range(robot.n):
        at = used[:, k]
        v, a = moved.velocity[at, k], moved.acceleration[at, k]
        others = np.stack([v, a, v > 0, v < 0], axis=1)
        y, model = (
            each - others @ np.linalg.lstsq(others, each, rcond=None)[0]
            for each in (clean[at, k], efforts[at, k])
        )
        size, left = float(model @ model), float(y @ y)
        if size > 0 and left > 0:
            inverse[k] = float(model @ y) / size
            share[k] = inverse[k] ** 2 * size / left
            error[k] = np.sqrt((1 - share[k]) * left / size / len(y))
    sure = share > LEAST_EXPLAINED
    if not sure.any():
        raise InputError(
            f"{logs[0].source}: the file's bodies explain nothing of the currents, so that no gain "
            "follows from them. Has the file masses? Give gains."
        )
    usual_gain = float(np.median(1 / np.abs(inverse[sure])))
    values = np.where(sure, 1 / np.where(sure, inverse, 1.0), usual_gain)
    spread = np.where(sure, error * values**2, usual_gain)
    return Gains(values, spread, FILE)


def usual_bandwidth(logs: Sequence[Log]) -> float:
    parts = [part for log in logs for part in log.parts]
    return usual_of(parts)


def _by_load(robot: Robot, logs: Sequence[Log], loaded: Sequence[Log], mass: float) -> Gains:
    """Currents i = (Y x + L y) / g, where y of the load has a known mass; by Gauss and Newton."""
    start = _by_file(robot, logs).values
    names = robot.parameters.names
    tool = tool_frame(robot.mechanism)[0]
    first = names.index(f"{tool}.{BODY[0]}")
    bandwidth = usual_bandwidth([*logs, *loaded])
    both = [[log.with_gains(start) for log in some] for some in (logs, loaded)]
    parts = [part for some in both for log in some for part in log.parts]
    unknowns = Unknowns.of(robot, parts, True, True, False)
    base, n = unknowns.base, robot.n
    rows, efforts, counts, sigma = [], [], [], np.ones(n)
    for k, some in enumerate(both):
        blocks = tuple(block for log in some for block in blocks_of(robot, log, bandwidth))
        problem = Problem(robot, base.basis, unknowns.known, blocks)
        fit = solved(problem, unknowns.precision, base.values)
        sigma = fit.sigma if k == 0 else sigma
        columns = np.zeros((*problem.rows.shape[:2], len(BODY)))
        if k:
            load_only = np.eye(len(names))[:, first : first + len(BODY)]
            alone = Problem(robot, load_only, np.zeros(len(names)), blocks)
            columns = alone.rows
        rows.append(np.concatenate([problem.rows, columns], axis=2))
        efforts.append(fit.measured)
        counts.append(problem.counts)
    W, y, weight = np.concatenate(rows), np.concatenate(efforts), np.concatenate(counts) / sigma**2
    stretch = np.concatenate([np.arange(len(each)) * STRETCHES // len(each) for each in counts])
    sizes = unknowns.sizes[first : first + len(BODY)] * mass / unknowns.sizes[first]
    precision = np.zeros((len(base) + len(BODY) - 1,) * 2)
    precision[: len(base), : len(base)] = unknowns.precision
    precision[len(base) :, len(base) :] = np.diag(1 / sizes[1:] ** 2)
    prior = np.concatenate([base.values, np.zeros(len(BODY) - 1)])
    fixed = mass * W[:, :, len(base)]
    W = np.delete(W, len(base), axis=2)
    factor = _factors(W, fixed, y, weight, precision, prior)
    without = [weight * (stretch != k)[:, None] for k in range(STRETCHES)]
    others = np.stack([_factors(W, fixed, y, each, precision, prior) for each in without])
    spread = np.sqrt((STRETCHES - 1) / STRETCHES * ((others - factor) ** 2).sum(axis=0))
    return Gains(start * factor, np.abs(start) * spread, "load")


def _factors(W: Array, fixed: Array, y: Array, weight: Array, precision: Array, prior: Array) -> Array:
    """1 / k of y = k (W x + fixed), (n,): by which efforts y (T, n) must be multiplied."""
    T, n, b = W.shape
    k, x = np.ones(n), prior
    for _ in range(ROUNDS):  # of Gauss and Newton
        model = W @ x + fixed
        J = np.zeros((T, n, b + n))
        J[:, :, :b] = k[:, None] * W
        J[:, np.arange(n), b + np.arange(n)] = model
        flat = (J * weight[:, :, None]).reshape(-1, b + n)
        A = flat.T @ J.reshape(-1, b + n)
        right = flat.T @ (y - k * model).reshape(-1)
        A[:b, :b] += precision
        right[:b] += precision @ (prior - x)
        A[range(b, b + n), range(b, b + n)] += UNSURE**-2
        right[b:] += (1 - k) / UNSURE**2
        step = np.linalg.solve(A, right)
        x = x + step[:b]
        k = k + np.clip(step[b:], -0.5 * k, 0.5 * k)
        if np.abs(step[b:]).max() < SETTLED:
            break
    return np.asarray(1 / k)


def shown_gains(gains: Gains, robot: Robot) -> str:
    """In words, with their errors if they were found."""
    words = [
        f"{name} {number(value, 4)}" + (f" ± {number(2 * error, 2)}" if error else "")
        for name, value, error in zip(robot.efforts.names, gains.values, gains.error, strict=True)
    ]
    return f"gains of the drives ({gains.source}): {', '.join(words)}"
