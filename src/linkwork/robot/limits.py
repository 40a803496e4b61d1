"""Limits: what robot files bound, and one judgment of it: value, bound, margin, where, when, how long.

A `Quantity` is something measured, with its bounds. `limit_report` judges quantities along a motion,
`first_outside` one state of a simulation, `margins_of` how far positions are from what ends a workspace.

A margin is (limit - demand) / limit: 0.2 leaves a fifth of the limit, below 0 it is broken. The demand
is a magnitude; of a range such as a stroke it counts from the middle, and the limit is half the range.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.core.arguments import whole
from linkwork.core.text import AngleUnit, number, shown
from linkwork.model.joint import used_share
from linkwork.model.mechanism import Cylinder, Element, motor_terms, passive_bounded
from linkwork.robot.compiled import Array
from linkwork.robot.results import MechanismMotion

if TYPE_CHECKING:
    from linkwork.robot.description import Described
    from linkwork.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class Quantity:
    """Values (N, k) of k channels (joints, legs, axes) over time; infinite bounds are none.

    `limit` is the field of the robot file that bounds it, such as `position` or `force`.
    """

    name: str
    channels: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    low: Array
    high: Array
    limit: str = ""

    @property
    def unit(self) -> str:
        """The unit of all channels, or all of them."""
        return " or ".join(dict.fromkeys(self.units))

    @property
    def label(self) -> str:
        """The name with its units, if it has any: force [N], but condition number."""
        units = ", ".join(unit for unit in dict.fromkeys(self.units) if unit not in ("", "1"))
        return f"{self.name} [{units}]" if units else self.name

    @property
    def bounded(self) -> bool:
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    @property
    def alike(self) -> bool:
        """Whether one axis with one pair of limits serves all channels."""
        return len({*zip(self.units, self.low.tolist(), self.high.tolist(), strict=True)}) == 1

    @property
    def distance(self) -> Array:
        """(N, k): to the nearer bound, in the unit; negative beyond it."""
        return np.minimum(self.values - self.low, self.high - self.values)

    @property
    def margin(self) -> Array:
        """(N, k): (limit - demand) / limit, negative beyond a bound; infinite without bounds."""
        with np.errstate(invalid="ignore"):
            used = used_share(self.values, self.low, self.high)
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        return np.where(bounded, 1 - used, np.inf)

    @property
    def broken(self) -> NDArray[np.bool_]:
        """(N, k): where a value is beyond its bounds."""
        return np.asarray((self.values < self.low) | (self.values > self.high))

    def channel(self, k: int) -> Quantity:
        """One channel alone."""
        one = slice(k, k + 1)
        return Quantity(
            self.name,
            self.channels[one],
            self.units[one],
            self.values[:, one],
            self.low[one],
            self.high[one],
            self.limit,
        )


def quantity(
    name: str,
    channels: Sequence[str],
    unit: str | Sequence[str],
    values: Array,
    bounds: Array | None = None,
    limit: str = "",
) -> Quantity:
    """A quantity of one unit or a unit per channel; bounds are (k, 2), or (k,) for both signs."""
    k = len(channels)
    units = (unit,) * k if isinstance(unit, str) else tuple(unit)
    if bounds is None:
        bounds = np.full(k, np.inf)
    low, high = (-bounds, bounds) if bounds.ndim == 1 else bounds.T
    return Quantity(name, tuple(channels), units, values, low, high, limit)


Envelope = tuple[tuple[float, float], ...]


def against_envelopes(
    limit: str,
    channels: Sequence[str],
    envelopes: Sequence[Envelope | None],
    velocity: Array,
    effort: Array,
) -> list[Quantity]:
    """Efforts as shares of what actuators can give at their speed; nothing without an envelope.

    Between the pairs (speed, effort) of an envelope the effort is linear in speed, beyond them none.
    """
    if not any(envelopes):
        return []
    share = np.zeros(effort.shape)
    for k, envelope in enumerate(envelopes):
        if envelope is not None:
            share[:, k] = envelope_share(envelope, velocity[:, k], effort[:, k])
    bounds = np.array([np.inf if envelope is None else 1.0 for envelope in envelopes])
    return [quantity("envelope utilization", channels, "", share, bounds, limit)]


def envelope_share(envelope: Envelope, velocity: Array, effort: Array) -> Array:
    """Efforts (N,) as shares of what an actuator can give at its velocities (N,)."""
    speeds, efforts = np.array(envelope).T
    available = np.interp(np.abs(velocity), speeds, efforts, right=0.0)
    asked = np.abs(effort)
    return np.where(asked > 0, asked / np.maximum(available, 1e-300), 0.0)


def intervals(time: Array, mask: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Spans of time in which a mask (N,) holds; a single sample reaches half way to its neighbors."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    middle = np.concatenate([time[:1], (time[1:] + time[:-1]) / 2, time[-1:]])
    return [(float(middle[a]), float(middle[b])) for a, b in edges.reshape(-1, 2)]


def unit_of(each: Element) -> str:
    return "m" if isinstance(each, Cylinder) or not each.is_revolute else "rad"


def of_motors(robot: Robot, motion: MechanismMotion) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of the motors, (..., n) each."""
    places = {name: k for k, name in enumerate(motion.names)}
    matrix = np.zeros((len(places), robot.n))
    for column, terms in enumerate(motor_terms(robot.mechanism).values()):
        for name, ratio in terms:
            matrix[places[name], column] = ratio
    return motion.q @ matrix, motion.qd @ matrix, motion.qdd @ matrix


class Words(NamedTuple):
    """What positions, velocities and efforts of actuators are called, and the fields of their limits."""

    position: str = "position"
    velocity: str = "velocity"
    effort: str = "effort"
    fields: tuple[str, str, str, str] = ("position", "velocity", "effort", "effort_velocity")


def of_actuators(
    robot: Described, position: Array, velocity: Array | None, effort: Array | None, words: Words
) -> list[Quantity]:
    """Positions of the actuators against their limits; velocities and efforts as far as given."""
    limits, names = robot.limits, robot.efforts.names
    units = tuple("rad" if unit == "N m" else "m" for unit in robot.efforts.units)
    at, speed, load, envelope = words.fields
    found = [quantity(words.position, names, units, position, limits.position, at)]
    if velocity is not None:
        per_second = tuple(f"{unit}/s" for unit in units)
        found.append(quantity(words.velocity, names, per_second, velocity, limits.velocity, speed))
    if effort is not None:
        found.append(quantity(words.effort, names, robot.efforts.units, effort, limits.effort, load))
        if velocity is not None:
            found += against_envelopes(envelope, names, limits.envelopes, velocity, effort)
    return found


def quantities_of(
    robot: Robot, c: Array, cd: Array | None, effort: Array | None
) -> tuple[Quantity, ...]:
    """Of the motors, and positions of the passive joints and cylinders that have limits."""
    still = np.zeros(robot.dof)
    everything = robot.joint_motion(c, still if cd is None else cd, still)
    position, velocity, _ = of_motors(robot, everything)
    found = of_actuators(robot, position, None if cd is None else velocity, effort, Words())
    passive = passive_bounded(robot.mechanism)
    if passive:
        places = [everything.names.index(each.name) for each in passive]
        found.append(
            quantity(
                "passive joint position",
                tuple(each.name for each in passive),
                tuple(unit_of(each) for each in passive),
                everything.q[:, places],
                ranges_of(each.limits.position for each in passive),
                "position",
            )
        )
    if cones := robot.mechanism.cones:
        bounds = bounds_of(cone.angle for cone in cones)
        names, angles = [cone.name for cone in cones], robot.cone_angles(c)
        found.append(quantity("cone angle", names, "rad", angles, bounds, "cone"))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class ActuatorLimits:
    """Bounds of all actuators, infinite where the robot file has none.

    `position` is (n, 2), lowest and highest; `velocity` and `effort` (n,) hold for both signs.
    `envelopes` are pairs of speed and effort for each actuator, or None; empty if none has one.
    """

    position: Array
    velocity: Array
    effort: Array
    envelopes: tuple[Envelope | None, ...] = ()

    def envelope(self, k: int) -> Envelope | None:
        """What actuator k can give at which speed, if its file says so."""
        k = whole(k, "k", 0, len(self.effort) - 1)
        return self.envelopes[k] if self.envelopes else None

    @property
    def any(self) -> bool:
        """Whether anything is bounded."""
        bounds = (self.position, self.velocity, self.effort)
        return any(self.envelopes) or any(np.isfinite(part).any() for part in bounds)


def bounds_of(given: Iterable[float | None]) -> Array:
    """Greatest values (n,), infinite for None."""
    return np.array([np.inf if value is None else value for value in given])


def ranges_of(given: Iterable[tuple[float, float] | None]) -> Array:
    """Lowest and highest values (n, 2), infinite for None."""
    return np.array([(-np.inf, np.inf) if value is None else value for value in given])


NOTHING = -1e9  # a margin below this is that of an actuator that gives nothing at its speed


@dataclass(frozen=True)
class LimitBreak:
    """One limit of one joint or leg, broken from sample `first` on, most at sample `worst`.

    `quantity` is what was measured, `limit` the field of the robot file that bounds it. The times, and
    for how long altogether the limit is broken, are known if those of the samples are.
    """

    name: str
    quantity: str
    limit: str
    unit: str
    first: int
    worst: int
    value: float
    allowed: float
    samples: int
    first_time: float | None = None
    worst_time: float | None = None
    duration: float | None = None

    @property
    def excess(self) -> float:
        """How far beyond the bound, in its unit."""
        return abs(self.value - self.allowed)

    def shown_value(self, angles: AngleUnit) -> str:
        """The value as people read it; an actuator may give nothing at its speed."""
        if self.value > -NOTHING:
            return "infinite (faster than it goes)"
        return shown(self.value, self.unit, angles)

    def __str__(self) -> str:
        def when(index: int, time: float | None) -> str:
            return f"sample {index}" if time is None else f"t = {time:g} s"

        return (
            f"{self.name}: {self.limit} {self.value:.6g} {self.unit} at "
            f"{when(self.worst, self.worst_time)}, {self.excess:.3g} {self.unit} beyond "
            f"{self.allowed:g} {self.unit}; broken in {self.samples} samples, first at "
            f"{when(self.first, self.first_time)}"
        )


@dataclass(frozen=True)
class LeastMargin:
    """The least margin of all limits, (limit - demand) / limit: whose, of which limit, and when."""

    value: float
    limit: str  # the field of the robot file
    name: str
    sample: int
    time: float | None = None

    def __str__(self) -> str:
        when = "" if self.time is None else f" at t = {number(self.time)} s"
        if self.value < NOTHING:
            return f"none ({self.name} is faster than its {self.limit} goes{when})"
        return f"{number(100 * self.value, 3)} % ({self.limit.replace('_', ' ')} of {self.name}{when})"


def least_margin(quantities: Iterable[Quantity], times: Array | None = None) -> LeastMargin | None:
    """The least margin of measured quantities (N, k); None where nothing is bounded."""
    least: LeastMargin | None = None
    for measured in quantities:
        margin = measured.margin
        sample, k = np.unravel_index(np.nanargmin(margin), margin.shape)
        value = float(margin[sample, k])
        if value < (np.inf if least is None else least.value):
            time = None if times is None else float(times[sample])
            least = LeastMargin(value, measured.limit, measured.channels[k], int(sample), time)
    return least


@dataclass(frozen=True, eq=False)
class LimitReport:
    """All broken limits; printing it shows them.

    `mask` has the batch shape of the states and is True where a state breaks a limit. `least` is the
    least margin, None where nothing is bounded.
    """

    checked: tuple[str, ...]
    breaks: tuple[LimitBreak, ...]
    mask: NDArray[np.bool_]
    least: LeastMargin | None = None

    @property
    def ok(self) -> bool:
        """Whether no limit is broken."""
        return not self.breaks

    def __str__(self) -> str:
        checked = f"checked: {', '.join(self.checked) or 'nothing, the robot file has no limits'}"
        if self.ok:
            least = "" if self.least is None else f", least margin {self.least}"
            return f"all limits kept{least} ({checked})"
        return "\n".join([f"{len(self.breaks)} limits broken ({checked})", *map(str, self.breaks)])


def limit_report(
    quantities: Sequence[Quantity], batch: tuple[int, ...], times: Array | None
) -> LimitReport:
    """Judge measured quantities (N, k), of states with this batch shape, by their bounds."""
    checked, breaks = [], []
    mask = np.zeros(quantities[0].values.shape[0], dtype=bool)
    for measured in quantities:
        if not measured.bounded:
            continue
        checked.append(measured.limit)
        broken = measured.broken
        if broken.any():
            mask |= broken.any(axis=1)
            breaks += _breaks(measured, times)
    least = least_margin(quantities, times)
    return LimitReport(tuple(checked), tuple(breaks), mask.reshape(batch), least)


def _breaks(measured: Quantity, times: Array | None) -> list[LimitBreak]:
    found = []
    for k, name in enumerate(measured.channels):
        values = measured.values[:, k]
        for bound, excess in (
            (measured.low[k], measured.low[k] - values),
            (measured.high[k], values - measured.high[k]),
        ):
            indices = np.flatnonzero(excess > 0)
            if not len(indices):
                continue
            first, worst = int(indices[0]), int(np.argmax(excess))
            found.append(
                LimitBreak(
                    name=name,
                    quantity=measured.name,
                    limit=measured.limit,
                    unit=measured.units[k],
                    first=first,
                    worst=worst,
                    value=float(values[worst]),
                    allowed=float(bound),
                    samples=len(indices),
                    first_time=None if times is None else float(times[first]),
                    worst_time=None if times is None else float(times[worst]),
                    duration=None if times is None else _span(times, excess > 0),
                )
            )
    return found


def _span(time: Array, mask: NDArray[np.bool_]) -> float:
    return sum(end - start for start, end in intervals(time, mask))


def first_outside(quantities: Iterable[Quantity], slack: float = 0.0) -> str | None:
    """Which joint or leg stands beyond its limits, or within `slack` of them, in the first sample."""
    for each in quantities:
        beyond = each.distance[0] < slack
        if beyond.any():
            k = int(np.argmax(beyond))
            return (
                f"{each.channels[k]} is at {each.name} {each.values[0, k]:.6g} {each.units[k]}; its "
                f"limits are {each.low[k]:g} to {each.high[k]:g}."
            )
    return None


@dataclass(frozen=True, eq=False)
class Margins:
    """How far positions are from what bounds the workspace, (...) by kind; negative beyond a limit.

    Kinds are attributes too: `margins.singularity`. What the robot file does not bound is 1.

    Of a Stewart platform. length: of the stroke, 1 in its middle; universal_angle, spherical_angle:
    cosine above that of the limit; force: share of the limit that holding the pose leaves; singularity:
    a lower bound of the least singular value of J, moments over the length scale, above the clearance
    asked for, -1 on the other side of a singularity than home; legs: distance of the nearest legs above
    their diameter.

    Of other robots. reach: 1 where all loops close on their home branches, else -1; joints: of a
    joint's range, 1 in its middle, and of the cones of U and S joints; effort: share of the limit that
    holding the position leaves; serial: 1 where the levers Jq of all actuators keep their sides and the
    clearance, else -1; parallel: reciprocal condition number of Jx above the clearance, negative on the
    other side than home; constraint: reciprocal condition number of what closes the loops, above the
    clearance.
    """

    by_kind: Mapping[str, Array]
    holding_force: Array  # the greatest effort [N, N m] that holds the position

    def __getattr__(self, kind: str) -> Array:
        try:
            return self.__dict__["by_kind"][kind]
        except KeyError:
            raise AttributeError(f"there is no margin of {kind!r}", name=kind, obj=self) from None

    @property
    def least(self) -> Array:
        """The smallest of the margins; negative outside the workspace."""
        return np.asarray(np.min([*self.by_kind.values()], axis=0))

    @property
    def kind(self) -> Array:
        """Which margin is smallest: an index into `by_kind`."""
        return np.asarray(np.argmin([*self.by_kind.values()], axis=0))


def margins_of(robot: Robot, c: Array, clearance: float) -> Margins:
    """Of coordinates (..., d); what cannot be asked out of reach is 1 there, so that reach is named."""
    found, home = robot.jacobians(c, errors="nan"), robot.jacobians(robot.home)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = robot.singularities(c, errors="nan")
        reached = np.isfinite(found.direct_jacobian).all(axis=(-2, -1)) & np.isfinite(
            found.inverse_jacobian
        ).all(axis=-1)
        # Of coordinates that are motors the Jacobians are finite where loops do not close.
        still = np.zeros(robot.dof)
        q = robot.joint_motion(c, still, still, errors="nan").q
        reached &= np.isfinite(q).all(axis=-1)
        levers = (found.inverse_jacobian / home.inverse_jacobian).min(axis=-1, initial=1.0)
        effort, left = np.zeros((*c.shape[:-1], 1)), np.ones(c.shape[:-1])
        if robot.n >= robot.dof:
            effort = np.abs(robot.gravity_load(c, errors="nan"))
            left = (1 - effort / robot.limits.effort).min(axis=-1)
        constraint = np.where(near.constraint == 1.0, 1.0, 1 / near.constraint - clearance)
        margins = {
            "reach": np.where(reached, 1.0, -1.0),
            "joints": np.minimum(_joints(robot, q), _cones(robot, c)),
            "effort": left,
            "serial": np.where(reached & ~(levers > clearance), -1.0, 1.0),
            "parallel": _side(found.direct_jacobian, home.direct_jacobian) / near.parallel - clearance,
            "constraint": constraint,
        }
    known = {kind: np.where(np.isfinite(margin), margin, 1.0) for kind, margin in margins.items()}
    return Margins(known, effort.max(axis=-1))


def _side(Jx: Array, at_home: Array) -> Array | float:
    """1 on home's side of the parallel singularities; more actuators than freedoms have no sides."""
    if Jx.shape[-1] != Jx.shape[-2]:
        return 1.0
    return np.asarray(np.sign(np.linalg.det(Jx)) * np.sign(np.linalg.det(at_home)))


def _cones(robot: Robot, c: Array) -> Array:
    """The least margin of the cones of U and S joints."""
    used = [1 - robot.cone_angles(c, errors="nan") / [cone.angle for cone in robot.mechanism.cones]]
    return np.asarray(np.min(np.concatenate([np.ones((*c.shape[:-1], 1)), *used], axis=-1), axis=-1))


def _joints(robot: Robot, q: Array) -> Array:
    """The least margin of the joints that are bounded."""
    bounded = [k for k, each in enumerate(robot.elements) if each.limits.position is not None]
    if not bounded:
        return np.ones(q.shape[:-1])
    low, high = np.array([robot.elements[k].limits.position for k in bounded]).T
    return np.asarray((1 - used_share(q[..., bounded], low, high)).min(axis=-1))
