"""How a robot follows small sines under its controller: amplitude, phase, cross-talk, bandwidth.

Exact for small motions about rest: robot and control law are linearized, the plant between samples is a
matrix exponential, delays may be any fraction of a period. The response is the first harmonic of what
moves continuously, relative to the sine that is commanded; what a hold adds at other frequencies (images
about multiples of the sampling frequency) is part of the loop, not of the response.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.control.controllers import LawController
from linkwork.core.arguments import flag, not_negative, numbers, one_of
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.core.rotations import skew
from linkwork.robot.robot import Array, Robot
from linkwork.robot.state_space import StateSpace, at_points, held, hertz
from linkwork.simulation.digital_loop import DigitalLoop, loop_of
from linkwork.simulation.instruments import Estimate, Instruments

Complex = NDArray[np.complex128]
LOWEST, HIGHEST, POINTS = 0.1, 200.0, 160  # [Hz] of the frequencies that are taken if none are given
BISECTIONS = 32
HALF_POWER = float(np.sqrt(0.5))
QUARTER = np.pi / 2
SENSORS = ("motors", "load")


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """The response of every coordinate to a commanded sine of every coordinate, at P poses.

    `response` (P, F, d, d) at `frequencies` [Hz]: row the coordinate that moves, column the one that is
    commanded. Units are SI and radians; turns are rotation vectors.
    """

    robot: Robot
    axes: tuple[str, ...]
    units: tuple[str, ...]
    poses: Array
    frequencies: Array
    response: Complex
    stable: NDArray[np.bool_]  # (P,)
    slowest: Array  # (P,) decay of the slowest motion [1/s]; below zero it grows
    bandwidth: Array  # (P, d) [Hz] lowest frequency with the amplitude 3 dB below the command; NaN: none
    phase_limit: Array  # (P, d) [Hz] lowest frequency at which it lags 90 degrees; NaN: none
    length_scale: float
    assumptions: dict[str, str]

    @property
    def amplitude(self) -> Array:
        """Of every commanded coordinate itself, (P, F, d)."""
        return np.asarray(np.abs(self._own))

    @property
    def phase(self) -> Array:
        """Of every commanded coordinate itself [rad], continuous over frequency, (P, F, d)."""
        return np.asarray(np.unwrap(np.angle(self._own), axis=1))

    @property
    def _own(self) -> Complex:
        return np.asarray(np.diagonal(self.response, axis1=2, axis2=3))

    @cached_property
    def others(self) -> Array:
        """The greatest response of another coordinate to each one, (P, F, d): relative to the command,
        lengths beside turns in units of `length_scale`."""
        sizes = np.array([1.0 if unit == "rad" else self.length_scale for unit in self.units])
        relative = np.abs(self.response) * sizes / sizes[:, None]
        return np.asarray((relative * (1 - np.eye(len(self.axes)))).max(axis=2))

    @property
    def cross_talk(self) -> Array:
        """The greatest of `others` up to the bandwidth of each coordinate, (P, d)."""
        last = np.where(np.isfinite(self.bandwidth), self.bandwidth, np.inf)
        inside = self.frequencies[None, :, None] <= last[:, None]
        return np.asarray((self.others * inside).max(axis=1))

    @property
    def peak(self) -> Array:
        """The greatest amplitude of every coordinate, (P, d): 1 is without resonance."""
        return np.asarray(self.amplitude.max(axis=1))

    @property
    def worst(self) -> NDArray[np.int64]:
        """The pose with the least bandwidth of each axis, (d,)."""
        least = np.where(np.isnan(self.bandwidth), np.inf, self.bandwidth)
        return np.asarray(least.argmin(axis=0))


@checked
def frequency_response(
    robot: Robot,
    controller: LawController,
    poses: ArrayLike | None = None,
    frequencies: ArrayLike | None = None,
    *,
    loop: DigitalLoop | str | None = None,
    flexible: bool = False,
    stiffness: ArrayLike | None = None,
    damping_ratio: float = 0.02,
    sensors: str = "motors",
    feedforward: bool = True,
) -> FrequencyResponse:
    """How small sines about rest are followed, one coordinate after another.

    Args:
        robot: that moves; the controller's own model may differ.
        poses: (..., n) positions of the coordinates; home if None.
        frequencies: [Hz], ascending; 160 from 0.1 Hz to half the sampling frequency or 200 Hz if None.
        loop: delays, latency and estimate of velocities, as `simulate` takes it. Rounding, saturation,
            noise and jitter are not linear and are left out.
        flexible, stiffness, damping_ratio: springs in the drives, as in `robot.linearize`.
        sensors: with flexible drives, whether the "motors" are measured or the "load" behind them.
        feedforward: the command has velocity and acceleration; False commands positions alone.
    """
    instruments = loop_of(loop)
    one_of(sensors, SENSORS, "sensors")
    rows = robot.home[None] if poses is None else np.atleast_2d(robot._as_home(numbers(poses, "poses")))
    rows = rows.reshape(-1, rows.shape[-1])
    if not len(rows):
        raise InputError("frequency_response: no poses; give one at least.")
    T = controller.period
    Instruments.of(replace(instruments, effort_limits=False, jitter=0.0), robot, T)  # its own complaints
    f = _frequencies(frequencies, T)
    options = {"flexible": flexible, "stiffness": stiffness, "damping_ratio": damping_ratio}
    plants = [robot.linearize(c, outputs=("coordinates", "actuators"), **options) for c in rows]  # type: ignore[arg-type]
    gains = _law_gains(controller)
    told = [
        _Loop(plant, gains(c), robot, controller, instruments, sensors, flag(feedforward, "feedforward"))
        for c, plant in zip(rows, plants, strict=True)
    ]
    response = np.array([each.response(f) for each in told])
    own = np.diagonal(response, axis1=2, axis2=3)
    decay = np.array([each.slowest for each in told])
    return FrequencyResponse(
        robot=robot,
        axes=robot.coordinates.differences,
        units=tuple(unit.removesuffix("/s") for unit in robot.velocities.units),
        poses=rows,
        frequencies=f,
        response=response,
        stable=decay > 0,
        slowest=decay,
        bandwidth=np.array([_half_power(one, f, each) for one, each in zip(told, own, strict=True)]),
        phase_limit=np.array([_quarter_lag(one, f, each) for one, each in zip(told, own, strict=True)]),
        length_scale=robot.length_scale,
        assumptions=_assumptions(
            controller, instruments, plants[0], damping_ratio, sensors, feedforward
        ),
    )


def _frequencies(given: ArrayLike | None, period: float | None) -> Array:
    top = np.inf if period is None else 0.5 / period
    if given is None:
        return np.geomspace(LOWEST, min(HIGHEST, 0.98 * top), POINTS)
    f = hertz(given)
    if not (f > 0).all() or (np.diff(f) <= 0).any():
        raise InputError("frequencies: expected numbers above 0 [Hz] that increase.")
    if f[-1] >= top:
        raise InputError(
            f"frequencies: {f[-1]:g} Hz is beyond {top:g} Hz, half the sampling frequency of the "
            "controller, above which a sampled command is another sine; shorten its period."
        )
    return f


class _Gains(NamedTuple):
    """A law about rest: derivatives of its effort (n, ...) and of its error by what it takes."""

    effort: dict[str, Array]
    error: dict[str, Array]


def _law_gains(controller: LawController) -> Callable[[Array], _Gains]:
    """The derivatives of a control law at rest in a position, which is the reference too."""
    function = controller.law_function()
    names = function.name_in()
    symbols = [ca.SX.sym(name, function.size1_in(k)) for k, name in enumerate(names)]
    outputs = function.call(symbols)
    state = dict(zip(("c", "cd", "r", "rd", "rdd"), symbols[:5], strict=True))
    if "integral" in names:
        state["integral"] = symbols[names.index("integral")]
    found = [ca.jacobian(value, symbol) for value in outputs for symbol in state.values()]
    slopes = ca.Function("slopes", symbols, found)
    coordinates, d = controller.robot.coordinates, controller.robot.dof
    constant = {"kp": controller.kp.ravel(), "kv": controller.kv.ravel()}

    def at(position: Array) -> _Gains:
        given = [position, np.zeros(d), position, np.zeros(d), np.zeros(d)]
        given += [constant.get(name, np.zeros(function.size1_in(name))) for name in names[5:]]
        values = [np.array(value) for value in slopes(*given)] if len(found) > 1 else []
        N = _per_turn(coordinates.quaternions, coordinates.turned, position, d)
        parts = []
        for k in range(len(outputs)):
            own = dict(zip(state, values[k * len(state) : (k + 1) * len(state)], strict=True))
            parts.append(own | {"c": own["c"] @ N, "r": own["r"] @ N})
        return _Gains(parts[0], parts[1] if len(parts) > 1 else {})

    return at


def _per_turn(fours: tuple[slice, ...], threes: tuple[slice, ...], position: Array, d: int) -> Array:
    """Changes of a position per small motion in the axes of the velocity, (size, d)."""
    plain = np.delete(
        np.arange(len(position)), [k for four in fours for k in range(*four.indices(10**6))]
    )
    others = np.delete(np.arange(d), [k for three in threes for k in range(*three.indices(10**6))])
    N = np.zeros((len(position), d))
    N[plain, others] = 1.0
    for four, three in zip(fours, threes, strict=True):
        w, v = position[four][0], position[four][1:]
        N[four, three] = np.vstack([-v, w * np.eye(3) - skew(v)]) / 2
    return N


class _Loop:
    """The closed loop at one pose: xi[k+1] = F xi[k] + E r, u[k] = U xi[k] + V r, with r = (r, rd, rdd).

    Of samples, xi is the plant's state, efforts on their way, what the estimate remembers, and the
    integral; without a period xi is the plant's state alone, and F its rate.
    """

    def __init__(
        self,
        plant: StateSpace,
        gains: _Gains,
        robot: Robot,
        controller: LawController,
        loop: DigitalLoop,
        sensors: str,
        feedforward: bool,
    ) -> None:
        self.plant, self.loop, self.period = plant, loop, controller.period
        self.lookahead = controller.lookahead
        d, n, size = robot.dof, robot.n, plant.A.shape[0]
        self.d, self.feedforward = d, feedforward
        position, motors = plant.C[:d], plant.C[d:]
        G = motors[:, :d] if size == 2 * d else _rigid_actuation(plant, d, n)
        back = np.asarray(np.linalg.pinv(G), dtype=np.float64)
        of_motors = sensors == "motors" or not loop.exact_sensors
        seen = back @ motors if of_motors else position  # what is measured of the coordinates
        rate = np.roll(seen, size // 2, axis=1)  # velocities stand half the state later
        law = gains.effort
        wanted = np.hstack([law["r"], law["rd"], law["rdd"]])
        if self.period is None:
            read = law["c"] @ seen + law["cd"] @ rate
            self.U, self.V = read, wanted
            self.F, self.E = plant.A + plant.B @ read, plant.B @ wanted
            return
        T = self.period
        self._sample(T, gains, G, back, seen, rate, wanted, controller)

    def _sample(
        self,
        T: float,
        gains: _Gains,
        G: Array,
        back: Array,
        seen: Array,
        rate: Array,
        wanted: Array,
        controller: LawController,
    ) -> None:
        plant, loop, law, d = self.plant, self.loop, gains.effort, self.d
        A, B = plant.A, plant.B
        size, n = B.shape
        late = loop.latency + loop.delay
        m = int(np.ceil(late / T - 1e-12))
        since = max(m * T - late, 0.0)  # from the effort that acts to the reading, within a period
        Ad, Bd = held(A, B, T)
        Ar, Br = held(A, B, since)
        # The state of the plant is that of m samples ago, so that efforts wait in a row of m.
        waiting = m * n
        exact = loop.velocity == "exact"
        memory = 0 if exact else (G.shape[0] * (1 if loop.velocity == "differenced" else 2))
        integral = 0 if controller.ki is None else d
        total = size + waiting + memory + integral
        places = np.cumsum([0, size, waiting, memory, integral])
        x, w, e, i = (slice(a, b) for a, b in pairwise(places.tolist()))
        now = np.zeros((size, total))  # the state when the sensors are read
        now[:, x] = Ar
        if m:
            now[:, w.start : w.start + n] = Br
        position, velocity = seen @ now, rate @ now  # of the coordinates, as far as they are seen
        reach = np.zeros((d, 3 * d)), np.zeros((d, 3 * d))
        F, E = np.zeros((total, total)), np.zeros((total, 3 * d))
        if not exact:
            found = _estimated(loop, T, G, G @ position, G @ velocity, e, total, d)
            (p, p_r), (v, v_r), (F[e], E[e]) = found
            position, velocity = back @ p, back @ v
            reach = back @ p_r, back @ v_r
        U = law["c"] @ position + law["cd"] @ velocity
        V = law["c"] @ reach[0] + law["cd"] @ reach[1] + wanted
        if integral:
            assert controller.ki is not None
            U[:, i] += law["integral"] * controller.ki
            error = gains.error
            F[i] = T * (error["c"] @ position + error["cd"] @ velocity)
            F[i, i] += np.eye(d)
            E[i] = T * (error["c"] @ reach[0] + error["cd"] @ reach[1])
            E[i] += T * np.hstack([error["r"], error["rd"], error["rdd"]])
        F[x, x] = Ad
        if m:
            F[x, w.start : w.start + n] += Bd
            F[w.start : w.stop - n, w.start + n : w.stop] = np.eye(waiting - n)
            F[w.stop - n : w.stop] = U
            E[w.stop - n : w.stop] = V
        else:
            F[x] += Bd @ U
            E[x] += Bd @ V
        self.F, self.E, self.U, self.V = F, E, U, V

    @cached_property
    def slowest(self) -> float:
        """Decay [1/s] of the slowest motion; not above zero where the loop is unstable."""
        poles = np.linalg.eigvals(self.F)
        if self.period is None:
            return float(-poles.real.max())
        return float(-np.log(max(np.abs(poles).max(), 1e-300)) / self.period)

    def response(self, f: Array) -> Complex:
        """Coordinates per commanded sine, (F, d, d)."""
        s = 2j * np.pi * f
        d, T = self.d, self.period
        eye = np.eye(d)
        given = np.zeros((len(f), 3 * d, d), dtype=np.complex128)
        given[:, :d] = eye
        if self.feedforward:
            given[:, d : 2 * d], given[:, 2 * d :] = s[:, None, None] * eye, s[:, None, None] ** 2 * eye
        given *= np.exp(s * self.lookahead)[:, None, None]
        z = s if T is None else np.exp(s * T)
        shifted = z[:, None, None] * np.eye(len(self.F)) - self.F
        xi = np.linalg.solve(shifted, self.E @ given)
        if T is None:
            return np.asarray(self.plant.C[:d] @ xi)
        effort = self.U @ xi + self.V @ given
        # What is held for a period, and acts later by the delay, has this first harmonic.
        hold = np.exp(-s * self.loop.delay) * -np.expm1(-s * T) / (s * T)
        P = at_points(self.plant.A, self.plant.B, self.plant.C[:d], self.plant.D[:d], s)
        return np.asarray(P @ (hold[:, None, None] * effort))


def _rigid_actuation(plant: StateSpace, d: int, n: int) -> Array:
    """G of a plant with flexible drives: how springs, seen from the motors, follow the coordinates."""
    pull = plant.A[-n:, :d]
    own = -np.diagonal(plant.A[-n:, d : d + n])
    return np.asarray(pull / own[:, None])


def _estimated(
    loop: DigitalLoop, T: float, G: Array, p: Array, v: Array, e: slice, total: int, d: int
) -> list[tuple[Array, Array]]:
    """What the computer believes after a sample, as rows that multiply xi and the command.

    The estimate is that of the instruments themselves: it is linear, so that it also takes rows.
    Returns positions, velocities, and what is remembered.
    """
    n = G.shape[0]
    width = total + 3 * d
    eye = np.eye(total)

    def wide(rows: Array, command: Array | None = None) -> Array:
        return np.hstack([rows, np.zeros((n, 3 * d)) if command is None else command])

    acceleration = np.zeros((n, 3 * d))
    acceleration[:, 2 * d :] = G
    remembered = eye[e]
    before = Estimate(
        wide(remembered[:n]), wide(remembered[n:] if len(remembered) > n else np.zeros((n, total)))
    )
    none = np.zeros(n)
    tools = Instruments(replace(loop, latency=0.0), T, none, none, none, none, none, none, none)
    now = tools.estimate(wide(p), wide(v), wide(np.zeros((n, total)), acceleration), before)
    both = np.asarray(now.position).reshape(n, width), np.asarray(now.velocity).reshape(n, width)
    kept = both[0] if len(remembered) == n else np.vstack(both)
    return [(rows[:, :total], rows[:, total:]) for rows in (*both, kept)]


def _crossing(
    loop: _Loop, f: Array, own: Complex, beyond: Callable[[Complex, Complex, Array], NDArray[np.bool_]]
) -> Array:
    """Per axis the lowest frequency beyond a bound, between two of the grid by bisection; NaN if none.

    `beyond` takes responses, those at the lower end of the interval, and its phase from the start.
    """
    phase = np.unwrap(np.angle(own), axis=0)
    # Whole turns before the lowest frequency are not known: it starts within half a turn.
    over = beyond(own, own, phase)
    first = over.argmax(axis=0)
    found = np.where(over.any(axis=0), f[first], np.nan)
    inner = over.any(axis=0) & (first > 0)
    axes = np.flatnonzero(inner)
    if not len(axes):
        return found
    low, high = f[first[axes] - 1].copy(), f[first[axes]].copy()
    start, start_phase = own[first[axes] - 1, axes], phase[first[axes] - 1, axes]
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        value = loop.response(middle)[np.arange(len(axes)), axes, axes]
        out = beyond(value, start, start_phase + np.angle(value / start))
        low, high = np.where(out, low, middle), np.where(out, middle, high)
    found[axes] = np.sqrt(low * high)
    return found


def _half_power(loop: _Loop, f: Array, own: Complex) -> Array:
    return _crossing(loop, f, own, lambda value, start, phase: np.abs(value) < HALF_POWER)


def _quarter_lag(loop: _Loop, f: Array, own: Complex) -> Array:
    return _crossing(loop, f, own, lambda value, start, phase: phase < -QUARTER)


def _assumptions(
    controller: LawController,
    loop: DigitalLoop,
    plant: StateSpace,
    damping_ratio: float,
    sensors: str,
    feedforward: bool,
) -> dict[str, str]:
    """What the response is of, in words."""
    flexible = any(name.startswith("motor.") for name in plant.states)
    T = controller.period
    ratio = not_negative(damping_ratio, "damping_ratio", "")
    springs = f"flexible, damping ratio {ratio:g}; {sensors} measured" if flexible else "rigid"
    commands = "position, velocity and acceleration" if feedforward else "position alone"
    return {
        "control law": type(controller).__name__,
        "sampling": "continuous" if T is None else f"{T:g} s, efforts held",
        "age of readings": f"{loop.latency:g} s",
        "computing delay": f"{loop.delay:g} s",
        "velocities": loop.velocity
        + ("" if loop.bandwidth is None else f", bandwidth {loop.bandwidth:g} Hz"),
        "drives": springs,
        "command": commands,
        "left out": "Coulomb friction, rounding, saturation, noise and jitter",
    }
