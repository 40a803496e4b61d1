"""Limits along a path: what its rate s' and acceleration s'' ask of actuators, exactly and linearized.

With x = s'^2 and u = s'' an actuator's velocity is first s', its acceleration first u + second x, and
its effort inertia u + centrifugal x + static + friction(s', u). Every limit is a share of its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.errors import InputError
from linkwork.kernels.reachability import grouped
from linkwork.motion.arc import Way
from linkwork.motion.inputs import bounds
from linkwork.motion.profiles import chained
from linkwork.motion.trajectory import Motion
from linkwork.robot.limits import Envelope
from linkwork.robot.robot import Array, Robot

# Of a step, where limits are looked at: beside its ends, since friction jumps with the sign of a
# velocity, and ends are where velocities change signs.
INNER = (1 - np.cos(np.linspace(0.0, np.pi, 7)) * (1 - 2e-6)) / 2
_POWERS = np.arange(len(INNER))
DENSE = np.linspace(0.0, 1.0, 33)
FROM_INNER = np.linalg.solve((INNER[:, None] ** _POWERS).T, (DENSE[:, None] ** _POWERS).T)
NEAR = 0.97  # of a limit; below, what happens between the points does not matter
LEAST_EFFORT = 1e-300
BELOW = 1 - 1e-6  # of the greatest speed of an envelope, beyond which there is no effort
LARGEST_SQUARE = 1e8  # of the rate of the fraction [1/s^2], where nothing bounds it
HALVINGS = 40
SLOW = 1e-4  # of the greatest rate: in motion, however slowly, so that Coulomb friction acts
NUDGE = 1e-3  # of a rate or an acceleration, for the slopes of friction
LEAST_INERTIA = 1e-12  # of the largest: below, the path's acceleration does not matter
KINDS = ("effort", "acceleration")


@dataclass(frozen=True, eq=False)
class PathBounds:
    """Bounds of joints or legs by name, (n,) each; infinite is unbounded."""

    names: tuple[str, ...]
    velocity: Array
    acceleration: Array
    effort: Array
    envelopes: tuple[Envelope | None, ...]

    def available(self, speed: Array) -> Array:
        """Efforts that the actuators can give at speeds (..., n)."""
        found = np.broadcast_to(self.effort, speed.shape)
        if any(self.envelopes):
            found = found.copy()
            for k, envelope in enumerate(self.envelopes):
                if envelope is not None:
                    speeds, efforts = np.array(envelope).T
                    found[..., k] = np.minimum(found[..., k], np.interp(speed[..., k], speeds, efforts))
        return found


def bounds_of(
    robot: Robot,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    effort: ArrayLike | None,
) -> PathBounds:
    """The bounds given; where they are None, those of the robot, which has none on acceleration."""
    Robot.expect(robot, "time_optimal")
    names, own = robot.efforts.labels, robot.limits
    n = len(names)
    envelopes = own.envelopes if effort is None and own.envelopes else (None,) * n
    # An envelope ends at its greatest speed, and bounds effort as well.
    fastest = np.array([np.inf if each is None else BELOW * each[-1][0] for each in envelopes])
    strongest = np.array([np.inf if each is None else max(e for _, e in each) for each in envelopes])
    result = PathBounds(
        names,
        np.minimum(
            _own_or_given(velocity, np.minimum(own.velocity, fastest), "velocity", names), fastest
        ),
        bounds(np.inf if acceleration is None else acceleration, "acceleration", n),
        _own_or_given(effort, np.minimum(own.effort, strongest), "effort", names),
        envelopes,
    )
    if not (np.isfinite(result.acceleration) | np.isfinite(result.effort)).any():
        raise InputError("nothing bounds the accelerations; give a finite acceleration or effort.")
    return result


def _own_or_given(given: ArrayLike | None, own: Array, what: str, names: tuple[str, ...]) -> Array:
    if given is not None:
        return bounds(given, what, len(names))
    missing = [name for name, value in zip(names, own, strict=True) if np.isinf(value)]
    if missing:
        raise InputError(
            f"{', '.join(missing)}: the robot file has no limit of {what}; give {what}= one number or "
            "one each (math.inf is no limit)."
        )
    return own


class PathLoads:
    """Motion and loads of the actuators at points of a path, `INNER` of every step, (7 N, n) each."""

    def __init__(self, robot: Robot, path: Way, steps: Array, bounds: PathBounds) -> None:
        self.robot, self.bounds = robot, bounds
        self.steps = steps
        # Beside rest the rate grows as the root of the way, and viscous friction with it.
        self.parts = np.tile(INNER, (len(steps) - 1, 1))
        self.parts[0], self.parts[-1] = INNER**2, 1 - INNER[::-1] ** 2
        self.s = (steps[:-1, None] + np.diff(steps)[:, None] * self.parts).reshape(-1)
        self.motion = path.at(self.s)
        moving = robot.actuator_motion(*self.motion)
        assert moving.velocity is not None
        assert moving.acceleration is not None
        self.first, self.second = moving.velocity, moving.acceleration
        zero, one = np.zeros(len(self.s)), np.ones(len(self.s))
        every = slice(None)
        if np.isfinite(bounds.effort).any():
            self.static = self.kernel(every, zero, zero, friction=False)
            self.inertia = self.kernel(every, zero, one, friction=False) - self.static
            moving_on = self.kernel(every, one, zero, friction=False)
            self.centrifugal = moving_on - self.static
            self.has_friction = bool((self.kernel(every, one, zero) != moving_on).any())
        else:
            self.static = self.inertia = self.centrifugal = np.zeros_like(self.first)
            self.has_friction = False

    def kernel(
        self, points: slice | NDArray[np.intp], rate: Array, sdd: Array, friction: bool = True
    ) -> Array:
        """Efforts by the robot itself."""
        motion = [part[points] for part in self.motion]
        return self.robot.inverse_dynamics(*chained(motion, rate, sdd), friction=friction)

    def friction(self, points: NDArray[np.intp], rate: Array, u: Array) -> Array:
        """The part of the effort that friction takes."""
        if not self.has_friction:
            return np.zeros((len(points), self.first.shape[1]))
        return self.kernel(points, rate, u) - self.smooth(points, rate**2, u)

    def smooth(self, points: NDArray[np.intp], x: Array, u: Array) -> Array:
        """Efforts without friction."""
        inertia, centrifugal, static = (
            part[points] for part in (self.inertia, self.centrifugal, self.static)
        )
        return inertia * u[:, None] + centrifugal * x[:, None] + static

    def exceeded(self, x: Array, u: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """By which shares limits are exceeded within every step, (N, n) by kind, 0 where they hold; and
        the shares at the ends of the step.

        Velocities as shares of squares. What is smooth is interpolated between the points.
        """
        bounds, every = self.bounds, np.arange(len(self.s))
        squares = (x[:-1, None] * (1 - self.parts) + x[1:, None] * self.parts).reshape(-1)
        rate, sdd = np.sqrt(squares), np.repeat(u, len(INNER))
        effort = self.smooth(every, squares, sdd) + self.friction(every, rate, sdd)
        available = bounds.effort
        if any(bounds.envelopes):
            available = np.maximum(bounds.available(np.abs(self.first) * rate[:, None]), LEAST_EFFORT)
        acceleration = self.first * sdd[:, None] + self.second * squares[:, None]
        shares = {
            "effort": np.abs(effort) / available,
            "acceleration": np.abs(acceleration) / bounds.acceleration,
            "velocity": self.first**2 * squares[:, None] / bounds.velocity**2,
        }
        parts = {kind: part.reshape(len(u), len(INNER), -1) for kind, part in shares.items()}
        ends = {kind: np.maximum(part[:, 0], part[:, -1]) for kind, part in parts.items()}
        return {kind: np.maximum(_peaks(part) - 1, 0.0) for kind, part in parts.items()}, ends

    def turns(self, path: Way) -> Array:
        """Fractions at which joints turn back, and their friction with them."""
        velocity = self._joint_velocity(self.motion)
        joints = np.unique(np.nonzero(velocity[1:] * velocity[:-1] < 0)[1])
        found = []
        for joint in joints:
            place = np.nonzero(velocity[1:, joint] * velocity[:-1, joint] < 0)[0]
            low, high = self.s[place], self.s[place + 1]
            rising = velocity[place, joint] < 0
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                before = (self._joint_velocity(path.at(middle))[:, joint] < 0) == rising
                low, high = np.where(before, middle, low), np.where(before, high, middle)
            found.append(middle)
        return np.concatenate(found) if found else np.zeros(0)

    def _joint_velocity(self, motion: Sequence[Array]) -> Array:
        """Of all joints, also those without a motor, (..., joints)."""
        position, velocity, _ = motion
        return self.robot.joint_motion(position, velocity, np.zeros_like(velocity)).qd

    def ceiling(self) -> Array:
        """The greatest x at the ends of steps, (N + 1,), by the limits of velocity."""
        with np.errstate(divide="ignore"):
            squares = ((self.bounds.velocity / np.abs(self.first)) ** 2).min(axis=1)
        ends = np.minimum(squares, LARGEST_SQUARE).reshape(-1, len(INNER))
        return np.minimum(np.append(ends[:, 0], np.inf), np.append(np.inf, ends[:, -1]))


def _peaks(shares: Array) -> Array:
    """The greatest values within every step (N, n), of values (N, 7, n) at `INNER`.

    Where they come near to 1, those of the polynomial through them.
    """
    found = shares.max(axis=1)
    near = found > NEAR
    between = shares.transpose(0, 2, 1)[near] @ FROM_INNER
    before, here, after = between[:, :-2], between[:, 1:-1], between[:, 2:]
    slope, bend = (after - before) / 2, before - 2 * here + after
    inside = np.abs(slope) < -bend
    vertex = np.where(inside, here - slope**2 / np.where(inside, 2 * bend, 1.0), here)
    found[near] = np.maximum(found[near], np.maximum(vertex.max(axis=1), between.max(axis=1)))
    return found


@dataclass(frozen=True, eq=False)
class Rows:
    """inertia u + square x + rest within [low, high] + slope x, by limit, about a profile; (N, k)."""

    inertia: Array
    square: Array
    rest: Array
    low: Array
    high: Array
    low_slope: Array
    high_slope: Array


def _linearized(loads: PathLoads, points: NDArray[np.intp], x: Array, u: Array) -> Rows:
    """Efforts and accelerations at points, exact for these x and u and for all without friction."""
    bounds = loads.bounds
    inertia, square, rest = (
        part[points].copy() for part in (loads.inertia, loads.centrifugal, loads.static)
    )
    least = SLOW * np.sqrt(x.max()) if x.max() > 0 else SLOW
    rate = np.maximum(np.sqrt(x), least)
    spread_low = spread_high = np.zeros_like(rest)
    if loads.has_friction:
        here = loads.friction(points, rate, u)
        du = NUDGE * (np.abs(u) + np.abs(u).max() + 1.0)
        by_u = (loads.friction(points, rate, u + du) - here) / du[:, None]
        faster = rate * (1 + NUDGE)
        by_x = (loads.friction(points, faster, u) - here) / (faster**2 - rate**2)[:, None]
        by_x[x == 0] = 0.0  # only from rest
        rest += here - by_u * u[:, None] - by_x * x[:, None]
        inertia, square = inertia + by_u, square + by_x
        still = x == 0
        if still.any():  # at the first and last instant with friction and without
            gone = np.where(still[:, None], loads.friction(points, np.zeros_like(rate), u) - here, 0.0)
            spread_low, spread_high = np.minimum(gone, 0.0), np.maximum(gone, 0.0)
    speed = np.abs(loads.first[points]) * rate[:, None]
    available = bounds.available(speed)
    slope = np.zeros_like(available)
    if any(bounds.envelopes):
        more = bounds.available(speed * (1 + NUDGE))
        slope = (more - available) / (rate**2 * ((1 + NUDGE) ** 2 - 1))[:, None]
        slope[x == 0] = 0.0
        available = available - slope * (rate**2)[:, None]
    strong, quick = np.isfinite(bounds.effort), np.isfinite(bounds.acceleration)
    scale = bounds.effort[strong]
    first, second = (part[points][:, quick] for part in (loads.first, loads.second))
    scale_q = bounds.acceleration[quick]
    one, zero = np.ones_like(first), np.zeros_like(first)

    def joined(efforts: Array, accelerations: Array) -> Array:
        return np.concatenate([efforts[:, strong] / scale, accelerations], axis=1)

    return Rows(
        joined(inertia, first / scale_q),
        joined(square, second / scale_q),
        joined(rest, zero),
        joined(-available - spread_low, -one),
        joined(available - spread_high, one),
        joined(-slope, zero),
        joined(slope, zero),
    )


def rows_of(loads: PathLoads, x: Array, u: Array) -> tuple[Rows, Rows]:
    """At the first and the last point of every step, linearized about squares of the rate (N + 1,) and
    accelerations (N,)."""
    first = np.arange(0, len(loads.s), len(INNER))
    last = first + len(INNER) - 1
    return _linearized(loads, first, x[:-1], u), _linearized(loads, last, x[1:], u)


def lines_of(ends: tuple[Rows, Rows], width: Array, margins: Array) -> Array:
    """Lines for the passes, from the rows at both ends of every step.

    Args:
        width: of the steps, (N, 1).
        margins: what is left of every bound, as a share, (N, k).
    """
    found = []
    ahead: tuple[Array | float, ...] = (0.0, 2 * width)
    for rows, more in zip(ends, ahead, strict=True):
        upper = _line(rows, more, rows.high * (1 - margins), rows.high_slope)
        lower = _line(rows, more, rows.low * (1 - margins), rows.low_slope)
        # Divided by a negative number, an upper bound becomes a lower one.
        turned = upper[2] < 0
        found.append(
            [
                np.where(turned, here, there)
                for one, other in ((lower, upper), (upper, lower))
                for here, there in zip(one[:2], other[:2], strict=True)
            ]
        )
    return grouped(*(np.concatenate(parts, axis=1) for parts in zip(*found, strict=True)))


def _line(rows: Rows, ahead: Array | float, bound: Array, slope: Array) -> tuple[Array, Array, Array]:
    """A bound as a line of u over x, and what it was divided by; at the end of a step x is larger."""
    square = rows.square - slope
    inertia = rows.inertia + ahead * square
    least = LEAST_INERTIA * np.abs(inertia).max() + 1e-300
    inertia = np.where(np.abs(inertia) < least, np.copysign(least, rows.inertia), inertia)
    return (bound - rows.rest) / inertia, -square / inertia, inertia


def shares_along(
    robot: Robot,
    motion: Motion,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    samples: int = 2001,
) -> dict[str, Array]:
    """Of the bounds that a motion takes, at instants evenly spaced, (samples, n) by limit."""
    bounds = bounds_of(robot, velocity, acceleration, effort)
    states = motion.at(np.linspace(0.0, motion.duration, samples))
    moving = robot.actuator_motion(*states)
    assert moving.velocity is not None
    assert moving.acceleration is not None
    speed, needed = np.abs(moving.velocity), np.abs(robot.inverse_dynamics(*states))
    return {
        "velocity": speed / bounds.velocity,
        "acceleration": np.abs(moving.acceleration) / bounds.acceleration,
        "effort": needed / np.maximum(bounds.available(speed), LEAST_EFFORT),
    }
