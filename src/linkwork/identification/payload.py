"""The load at a robot's tool from logs: mass, center of mass and inertia, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.control.payload_columns import payload_columns
from linkwork.core.arguments import not_negative, positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.text import number
from linkwork.identification.carried import Fit, Prior, Sums
from linkwork.identification.covariance import STRETCHES, widest
from linkwork.identification.delay import Delay, earlier
from linkwork.identification.gains import Gains, gains_of, usual_bandwidth, with_gains
from linkwork.identification.identify import (
    STANDING,
    Sources,
    delay_in,
    fit_to,
    logs_of,
    refuse_bandwidth,
)
from linkwork.identification.logs import Log
from linkwork.identification.possible_body import possible_body
from linkwork.identification.predictions import Prediction
from linkwork.identification.regression import moves
from linkwork.identification.smoothing import margin_of, smoothed
from linkwork.identification.unknowns import Unknowns
from linkwork.identification.velocities import with_useful_velocities
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.model.geometry import Body, frozen
from linkwork.model.mechanism import tool_frame
from linkwork.model.parameters import BODY, FRICTION, ROTOR, body_from
from linkwork.robot.robot import Array, Robot

QUANTITIES = ("mass", "x", "y", "z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
UNITS = ("kg", *("m",) * 3, *("kg m^2",) * 6)
CURRENT_ERROR, EFFORT_ERROR = 0.1, 0.05  # one standard deviation of gains, of efforts from a controller
UNSURE = 0.5  # of gains, where a known mass tells them
# Of the mass and lever of all that a joint carries: of a good file, and beside logs that tell better.
FILE_ERROR, FILE_ERROR_BESIDE_LOGS = 0.03, 0.3
REACH = 0.3  # of the robot's size, at which a load may be
SHOWN = 0.3  # of what is possible: a wider interval says nothing
PINNED = 1e-7  # of its size, for what is known


@dataclass(frozen=True, eq=False)
class Payload:
    """What logs tell of the load at the tool, in the tool's axes at its origin.

    `values` are mass, center of mass, and inertia about the center (xx yy zz xy xz yz); `interval`
    (10, 2) knows noise, errors of the model and errors of the gains; `exact_gains` (10, 2) is what it
    would be if the gains had none. `body` is the nearest body that can exist.
    """

    robot: Robot
    values: Array
    interval: Array
    exact_gains: Array
    shown: NDArray[np.bool_]
    confidence: float
    body: Body
    parameters: Array  # (10,), those of `body`, as `simulate(payload=...)` takes them
    gains: Gains | None
    gain_error: float
    scales: Array  # (n,): true efforts over those of the log, as the load is felt by all actuators
    scales_interval: Array  # (n, 2)
    bandwidth: float
    delay: Delay
    predictions: tuple[Prediction, ...]  # by the robot without the load, and with it
    notes: tuple[str, ...]

    @property
    def mass(self) -> float:
        return float(self.values[0])

    @property
    def center(self) -> Array:
        return self.values[1:4]

    @property
    def loaded(self) -> Robot:
        """The robot with this load at its tool."""
        return self.robot.with_payload(self.body.mass, self.body.center_of_mass, self.body.inertia)

    def __str__(self) -> str:
        half = (self.interval[:, 1] - self.interval[:, 0]) / 2
        said = [
            f"{name} {number(value)} ± {number(reach, 2)} {unit}"
            for name, value, reach, unit, shown in zip(
                QUANTITIES, self.values, half, UNITS, self.shown, strict=True
            )
            if shown and unit != UNITS[-1]
        ]
        return f"load of {self.robot.name}: {', '.join(said)}"


@checked
def identify_payload(
    robot: Robot,
    logs: Sources,
    *,
    unloaded: Sources = (),
    bandwidth: float | None = None,
    gains: ArrayLike | Literal["file"] | None = None,
    gain_error: float | None = None,
    file_error: float | None = None,
    mass: float | None = None,
    confidence: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> Payload:
    """The load that a robot carries in logs: mass, center of mass and inertia, with intervals.

    Args:
        robot: without the load; best one that was identified.
        logs: with the load, as `identify` takes them.
        unloaded: logs of the same robot without it; with them the file's bodies matter little.
        bandwidth: of the filter [Hz]; about 5 if None.
        gains: of the drives [N m/A or N/A] if logs have currents, as in `identify`.
        gain_error: by which share efforts may be wrong, all alike and each for itself (one standard
            deviation); None is 0.1 for currents, 0.05 for efforts.
        file_error: by which share the file may be wrong in what each joint carries (one standard
            deviation); None is 0.03, with logs without the load 0.3.
        mass: the load's mass [kg] if it is known: then scales of efforts are found with it.
        confidence: of the intervals.
        columns: which columns of the files are meant, as in `read_log`.
    """
    carrying, without = (logs_of(robot, some, columns) for some in (logs, unloaded))
    if not carrying:
        raise InputError("identify_payload needs at least one log with the load.")
    if not 0.5 <= confidence < 1:
        raise InputError(f"confidence = {confidence!r}: expected numbers from 0.5 to below 1.")
    for log in (*carrying, *without):
        if np.ptp(log.position, axis=0).max() <= STANDING:
            raise InputError(
                f"{log.source}: nothing moves. A load shows where it is lifted and turned: move the "
                "last joints through other directions of gravity."
            )
    notes = [note for log in (*carrying, *without) for note in log.notes]
    drives = gains_of(robot, without or carrying, gains, (), None)
    carrying, without = (
        [with_gains(log, drives, notes) for log in some] for some in (carrying, without)
    )
    every = with_useful_velocities(robot, [*without, *carrying], notes)
    without, carrying = every[: len(without)], every[len(without) :]
    known = None if mass is None else positive(mass, "mass", "kg")
    if gain_error is None:
        gain_error = UNSURE if known else EFFORT_ERROR if drives is None else CURRENT_ERROR
    gain_error = not_negative(gain_error, "gain_error", "1")
    if file_error is None:
        file_error = FILE_ERROR_BESIDE_LOGS if without else FILE_ERROR
    parts = [part for log in every for part in log.parts]
    chosen = usual_bandwidth(every) if bandwidth is None else positive(bandwidth, "bandwidth", "Hz")
    refuse_bandwidth(parts, chosen)
    unknowns = Unknowns.of(robot, parts, True, True, False)
    own = unknowns.friction_only
    groups, delays = [], []
    for some in (without, carrying):
        if some:
            delay = delay_in(unknowns, some, chosen)
            moved = [earlier(log, delay.seconds) for log in some]
            problem, fit = fit_to(unknowns, moved, chosen)
            felt = [
                problem.thinned(block, payload_columns(robot, *block.motion))
                if some is carrying
                else np.zeros((len(block.kept), robot.n, PARAMETERS))
                for block in problem.blocks
            ]
            groups.append((problem, fit, np.concatenate(felt)))
            delays.append(delay)
    sums = Sums.of(groups, own, groups[-1][1].sigma)
    sizes = _sizes(unknowns)
    prior = _prior(unknowns, own, len(groups), sizes, positive(file_error, "file_error", "1"))
    wide = replace(prior, scales=_spread(robot.n, gain_error))
    if known is not None:
        wide = _pinned(wide, {0: known}, sizes)
    if robot.mechanism.part(tool_frame(robot.mechanism)[0]).point:
        wide = _pinned(wide, dict.fromkeys(range(1, PARAMETERS), 0.0), sizes)
    sure = replace(wide, scales=np.zeros((robot.n, robot.n)))
    estimate = sums.fit(wide)
    values, interval, scales = _intervals(sums, wide, estimate, confidence)
    exact = sums.fit(sure)
    alone, exact_interval, _ = _intervals(sums, sure, exact, confidence)
    reach = (interval[:, 1] - interval[:, 0]) / 2
    m, length = abs(values[0]), REACH * robot.size
    possible = np.array([sizes[0], *[length] * 3, *[m * length**2] * 6])
    shown = reach < 2 * SHOWN * possible
    if not np.isfinite(values).all() or values[0] <= 0:
        raise InputError(
            f"{carrying[0].source}: the load would have a mass of {values[0]:.3g} kg "
            f"(± {reach[0]:.2g}): the efforts are lower than without it. Are the logs exchanged, or was "
            "the file's robot identified with the load?"
        )
    parameters = possible_body(estimate.load, _covariance(estimate), robot.size)
    notes += _notes(estimate, values, interval, (alone, exact_interval), shown, gain_error, known)
    logs_moved = [earlier(log, delays[-1].seconds) for log in carrying]
    return Payload(
        robot=robot,
        values=frozen(values),
        interval=frozen(interval),
        exact_gains=frozen(exact_interval),
        shown=shown,
        confidence=confidence,
        body=body_from(parameters, "the load"),
        parameters=frozen(parameters),
        gains=drives,
        gain_error=gain_error,
        scales=frozen(1 / estimate.scales),
        scales_interval=frozen(scales),
        bandwidth=chosen,
        delay=delays[-1],
        predictions=tuple(
            _prediction(unknowns, own, len(groups), estimate, log, chosen) for log in logs_moved
        ),
        notes=tuple(notes),
    )


def _sizes(unknowns: Unknowns) -> Array:
    """Of the ten parameters of a load."""
    names = unknowns.robot.parameters.names
    masses = [
        size for name, size in zip(names, unknowns.sizes, strict=True) if name.endswith(f".{BODY[0]}")
    ]
    m, length = float(np.sum(masses)), REACH * unknowns.robot.size
    return np.array([m, *[m * length] * 3, *[m * length**2] * 6])


def _spread(n: int, gain_error: float) -> Array:
    """Covariance of scales: gains of one source are wrong alike, and each for itself."""
    return gain_error**2 * (np.ones((n, n)) + np.eye(n))


def _prior(
    unknowns: Unknowns, own: NDArray[np.bool_], groups: int, sizes: Array, file_error: float
) -> Prior:
    """Bodies about those of the file; friction, rotors and the load may be anything."""
    from scipy.linalg import block_diag

    base, free = unknowns.base, unknowns.free
    kinds = [name.rpartition(".")[2] for name in unknowns.robot.parameters.names]
    unknown = np.array([kind in (*FRICTION, ROTOR) for kind in kinds])
    spread = base.matrix @ (
        free.matrix * (free.inverse @ (unknowns.sizes * np.where(unknown, 1.0, file_error)))
    )
    expected = spread @ spread.T
    bodies, friction = (np.linalg.inv(expected[np.ix_(at, at)]) for at in (~own, own))
    values = [base.values[~own], *[base.values[own]] * groups, np.zeros(PARAMETERS)]
    precision = block_diag(bodies, *[friction] * groups, np.diag(1 / sizes**2))
    return Prior(np.concatenate(values), np.asarray(precision), np.zeros((unknowns.robot.n,) * 2))


def _pinned(prior: Prior, known: dict[int, float], sizes: Array) -> Prior:
    """With parameters of the load that are known."""
    values, precision = prior.values.copy(), prior.precision.copy()
    for k, value in known.items():
        at = len(values) - PARAMETERS + k
        values[at], precision[at, at] = value, (PINNED * sizes[k]) ** -2
    return replace(prior, values=values, precision=precision)


def _covariance(fit: Fit) -> Array:
    u = len(fit.unknowns)
    at = slice(u - PARAMETERS, u)
    return fit.covariance[at, at]


def quantities(load: Array) -> Array:
    """Mass, center of mass and inertia about it of ten parameters."""
    m, h = load[0], load[1:4]
    c = h / m
    xx, yy, zz, xy, xz, yz = load[4:]
    x, y, z = c
    about = [xx - m * (y * y + z * z), yy - m * (x * x + z * z), zz - m * (x * x + y * y)]
    return np.array([m, *c, *about, xy + m * x * y, xz + m * x * z, yz + m * y * z])


def _intervals(sums: Sums, prior: Prior, fit: Fit, confidence: float) -> tuple[Array, Array, Array]:
    """Quantities, their intervals (10, 2), and those of scales (n, 2).

    Noise alone, or differences between stretches of the logs, whichever is wider; both with what errors
    of the gains add.
    """
    u, n = len(fit.unknowns), len(fit.scales)
    values = quantities(fit.load)
    step = 1e-6 * np.maximum(np.abs(fit.load), 1e-3 * np.abs(fit.load).max())
    slope = np.stack(
        [
            (quantities(fit.load + d) - quantities(fit.load - d)) / (2 * s)
            for d, s in zip(np.diag(step), step, strict=True)
        ],
        axis=1,
    )
    others = [sums.without(k).fit(prior) for k in range(STRETCHES)]
    share = (STRETCHES - 1) / STRETCHES
    at = np.r_[u - PARAMETERS : u + n]
    away = np.stack(
        [np.concatenate([each.load - fit.load, each.scales - fit.scales]) for each in others]
    )
    whole = fit.covariance[np.ix_(at, at)]
    held = np.linalg.inv(np.linalg.inv(fit.covariance)[:u, :u])  # with scales as they are
    by_gains = whole.copy()
    by_gains[:PARAMETERS, :PARAMETERS] -= held[u - PARAMETERS :, u - PARAMETERS :]
    between = share * away.T @ away + by_gains
    turned = np.zeros((PARAMETERS + n,) * 2)
    turned[:PARAMETERS, :PARAMETERS] = slope
    turned[PARAMETERS:, PARAMETERS:] = np.diag(-1 / fit.scales**2)
    reach = widest(turned @ whole @ turned.T, turned @ between @ turned.T, confidence)
    center = np.concatenate([values, 1 / fit.scales])
    both = np.stack([center - reach, center + reach], axis=1)
    return values, both[:PARAMETERS], both[PARAMETERS:]


def _notes(
    fit: Fit,
    values: Array,
    interval: Array,
    exact: tuple[Array, Array],
    shown: NDArray[np.bool_],
    gain_error: float,
    known: float | None,
) -> list[str]:
    found = []
    if gain_error and known is None:
        alone, within = exact
        low, high = (number(float(each), 4) for each in within[0])
        found.append(
            f"the interval of the mass allows gains of efforts to be wrong by {100 * gain_error:g} % "
            f"(one standard deviation, --gain-error); were they exact, the mass would be "
            f"{number(float(alone[0]), 4)} kg, {low} to {high}. A load of known mass tells them (--mass)"
        )
    hidden = [name for name, seen in zip(QUANTITIES, shown, strict=True) if not seen]
    if hidden:
        found.append(
            f"the motion does not show {', '.join(hidden)} of the load: turn the last joints far and "
            "fast, about axes in different directions"
        )
    return found


def _prediction(
    unknowns: Unknowns,
    own: NDArray[np.bool_],
    groups: int,
    fit: Fit,
    log: Log,
    bandwidth: float,
) -> Prediction:
    """Efforts without the load and with it."""
    robot, base = unknowns.robot, unknowns.base
    b, f = int((~own).sum()), int(own.sum())
    estimate = np.zeros(len(base))
    estimate[~own] = fit.unknowns[:b]
    estimate[own] = fit.unknowns[b + (groups - 1) * f : b + groups * f]
    parameters = unknowns.known + base.basis @ estimate
    found = []
    for part in log.parts:
        margin = margin_of(part, bandwidth)
        if len(part.time) > 2 * margin:
            inside = slice(margin, len(part.time) - margin)
            states = [values[inside] for values in smoothed(robot, part, bandwidth)]
            velocity = robot.actuator_motion(states[0], states[1]).velocity
            bare = robot.regressor(*states) @ parameters
            whole = bare + payload_columns(robot, *states) @ fit.load
            efforts = [fit.scales * each for each in (bare, whole)]
            found.append((part.time[inside], part.effort[inside], *efforts, velocity))
    time, measured, without, carrying, velocity = (
        np.concatenate(each) for each in zip(*found, strict=True)
    )
    return Prediction(log.source, time, measured, without, carrying, moves(robot, velocity))
