"""A motion of a robot, measured once: what terminal, tables, reports and studio show of it.

Efforts with their peaks and causes, limits that are broken, reactions in the joints, conditioning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.analysis.study_table import study_table
from linkwork.core.arguments import one_of, real
from linkwork.core.errors import InputError
from linkwork.core.labeled import LabeledTable, Tabular
from linkwork.core.text import number
from linkwork.drawing.shape import body_frames
from linkwork.kinematics.singularity import by_position, dimensionless_jacobian, has_levers
from linkwork.model.mechanism import BASE, MechanismModel, tool_frame
from linkwork.robot.compiled import CallOptions
from linkwork.robot.coordinates import turns
from linkwork.robot.limits import LeastMargin, LimitBreak, LimitReport, Quantity, limit_report, quantity
from linkwork.robot.results import MechanismReactions
from linkwork.robot.robot import Array, Errors, Robot


@dataclass(frozen=True, eq=False)
class Conditioning:
    """A number along a motion (N,); `name` says what it is, `of_efforts` that efforts grow with it."""

    name: str
    values: Array
    least_is_best: bool = True
    of_efforts: bool = False


def conditioning(robot: Robot, position: Array) -> tuple[Conditioning, ...]:
    """The condition number first.

    Where the coordinates are the motors, manipulability follows. Elsewhere it is that of Jx (parallel
    singularities); the least Jq (serial ones) and what closes the loops follow where the robot has them.
    """
    direct, mixed = robot.moved_by_motors, len({*turns(robot.mechanism)}) > 1
    of = "" if direct else " of Jx (parallel singularities)"
    if by_position(robot):
        of = " of the tool's position"
    scale = f", lengths in units of {number(robot.length_scale, 3)} m" if direct or mixed else ""
    values = robot.condition_number(position, errors="nan")
    found = [Conditioning(f"condition number{of}{scale}", values, of_efforts=not direct)]
    if direct:
        matrices = dimensionless_jacobian(robot, position)
        product = np.prod(np.linalg.svd(matrices, compute_uv=False), axis=-1)
        return (*found, Conditioning("manipulability, in the same units", product, False))
    if mixed:
        raw = robot.condition_number(position, 1.0, errors="nan")
        found.append(Conditioning("condition number, lengths in m", raw))
    near = robot.singularities(position, errors="nan")
    if has_levers(robot):
        name = "least Jq by its value at home (zero in a serial singularity)"
        found.append(Conditioning(name, near.serial.min(axis=-1), False))
    if not (near.constraint == 1.0).all():
        name = "condition number of what closes the loops (constraint singularities)"
        found.append(Conditioning(name, near.constraint))
    return tuple(found)


def root_mean_square(time: Array, values: Array) -> float:
    """Of values (N,) at increasing times, by trapezia: samples need not be equally far apart."""
    return float(np.sqrt(mean(time, values**2)))


def mean(time: Array, values: Array) -> float:
    """Of values (N,) at increasing times, by trapezia."""
    if len(time) == 1:
        return float(values[0])
    return float((np.diff(time) * (values[1:] + values[:-1]) / 2).sum() / (time[-1] - time[0]))


@dataclass(frozen=True)
class ChannelPeak:
    """The greatest magnitude of one channel and when it occurs; its range, RMS, end and limit."""

    name: str
    unit: str
    value: float
    time: float
    lowest: float
    highest: float
    rms: float
    last: float  # at the end
    limit: float | None = None
    power: float | None = None  # of the greatest magnitude [W]
    power_time: float | None = None

    @property
    def used(self) -> float | None:
        """Share of the limit."""
        return None if self.limit is None else abs(self.value) / self.limit


def peaks(time: Array, what: Quantity, power: Array | None = None) -> tuple[ChannelPeak, ...]:
    """Of every channel of a quantity; `power` (N, k) goes with its channels."""
    found = []
    for k, name in enumerate(what.channels):
        values = what.values[:, k]
        at = int(np.argmax(np.abs(values)))
        most = None if power is None else int(np.argmax(np.abs(power[:, k])))
        found.append(
            ChannelPeak(
                name=name,
                unit=what.units[k],
                value=float(values[at]),
                time=float(time[at]),
                lowest=float(values.min()),
                highest=float(values.max()),
                rms=root_mean_square(time, values),
                last=float(values[-1]),
                limit=float(what.high[k]) if np.isfinite(what.high[k]) else None,
                power=None if power is None else float(power[most, k]),
                power_time=None if most is None else float(time[most]),
            )
        )
    return tuple(found)


def effort_breakdown(
    robot: Robot,
    position: Array,
    velocity: Array,
    acceleration: Array,
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """Efforts (..., n) by cause; their sum is the effort of the whole motion.

    Where loops carry the tool's body, as they do a platform, its part and that of all other bodies are
    told apart. Causes that the robot does not have (rotors, springs, friction) or that are not given
    (the wrench, as `robot.wrench_option` takes it) are left out.
    """
    model, still = robot.mechanism, np.zeros(robot.dof)
    moving = robot.effort_breakdown(position, velocity, acceleration)
    held = robot.effort_breakdown(position, still, still)
    if _is_carried(model):
        tool = tool_frame(model)[0]
        others = "the legs" if all(tool in tie.joins for tie in model.ties) else "other bodies"
        parts = {
            f"weight of the {tool}": held.tool,
            f"inertia of the {tool}": moving.tool - held.tool,
            f"weight of {others}": held.bodies,
            f"inertia of {others}": moving.bodies - held.bodies,
        }
    else:
        steady = robot.effort_breakdown(position, velocity, still)
        gravity, bias, whole = (each.tool + each.bodies for each in (held, steady, moving))
        parts = {
            "gravity": gravity,
            "inertia": whole - bias,
            "Coriolis and centrifugal": bias - gravity,
        }
    parts |= {name: getattr(moving, name) for name in _causes(model)}
    if wrench is not None:
        parts["external wrench"] = _of_wrench(robot, position, still, wrench)
    return parts


def _is_carried(model: MechanismModel) -> bool:
    """Whether more than one joint, rod or cylinder holds the tool's body."""
    tool = tool_frame(model)[0]
    return sum(tool in tie.joins for tie in model.ties) > 1


def _causes(model: MechanismModel) -> list[str]:
    """What the mechanism has besides mass: springs, rotors, friction."""
    springs = model.springs or any(each.spring for each in model.elements)
    rotors = any(each.rotor for each in (*model.elements, *model.motors))
    viscous = [rod.viscous for rod in model.rods] + [(c.universal, c.spherical) for c in model.cylinders]
    rubs = any(each.friction.acts for each in (*model.elements, *model.motors)) or bool(np.any(viscous))
    found = {"springs": springs, "rotors": rotors, "friction": rubs}
    return [name for name, there in found.items() if there]


def _of_wrench(robot: Robot, position: Array, still: Array, wrench: ArrayLike) -> Array:
    """Efforts that hold a wrench alone, without gravity; springs cancel."""
    options: CallOptions = {"gravity": np.zeros(3), "friction": False}
    given: CallOptions = {robot.wrench_option: wrench}
    loaded = robot.inverse_dynamics(position, still, still, **options, **given)
    return loaded - robot.inverse_dynamics(position, still, still, **options)


UNITS = {"force": "N", "moment": "N m"}


def reaction_magnitudes(
    robot: Robot, position: Array, reactions: MechanismReactions
) -> tuple[Quantity, ...]:
    """Of the forces and of the moments in every joint, from `robot.reactions` at positions (N, ...).

    In the slide of a cylinder it is the force across it, along which its motor acts, and the moment
    about its end. Where statics determines some components only, the magnitude is that of these, and
    unknown if they are zero.
    """
    force, moment = _borne(robot, position, reactions)
    sizes = {"force": _magnitude(force), "moment": _magnitude(moment)}
    known = [values[np.isfinite(values)] for values in sizes.values()]
    size = max((float(each.max()) for each in known if each.size), default=0.0)  # [N], moments at 1 m
    found = []
    for (name, values), vectors in zip(sizes.items(), (force, moment), strict=True):
        rounded = without_rounding(values, size)
        nothing = (rounded <= 1e-12 * size) & np.isnan(vectors).any(axis=-1)
        known_to_be = np.where(nothing, np.nan, rounded)
        found.append(quantity(name, reactions.names, UNITS[name], known_to_be))
    return tuple(found)


def _borne(robot: Robot, position: Array, reactions: MechanismReactions) -> tuple[Array, Array]:
    """Forces and moments (N, k, 3) that joints must bear."""
    force, moment = reactions.force.copy(), reactions.moment.copy()
    number = {name: k for k, name in enumerate((BASE, *robot.bodies))}
    cylinders = robot.mechanism.cylinders
    frames = body_frames(robot, position) if cylinders else np.empty(0)
    for each in cylinders:
        row = reactions.names.index(f"{each.name} slide")
        start, end = (
            frames[:, number[body], :, :3] @ at + frames[:, number[body], :, 3]
            for body, at in zip(each.joins, (each.start, each.end), strict=True)
        )
        way, pushed = end - start, force[:, row].copy()
        along = way / np.linalg.norm(way, axis=-1, keepdims=True)
        force[:, row] -= (pushed * along).sum(axis=-1, keepdims=True) * along
        moment[:, row] -= np.cross(way, pushed)
    return force, moment


def _magnitude(values: Array) -> Array:
    """Of vectors (..., 3), of their determinate components; NaN where there are none."""
    known = np.isfinite(values)
    size = np.linalg.norm(np.where(known, values, 0.0), axis=-1)
    return np.where(known.any(axis=-1), size, np.nan)


def without_rounding(values: Array, size: float) -> Array:
    """Zeros for what is left of numbers of `size` that cancel; NaN stays, it is not determined."""
    return np.where(np.abs(values) <= 1e-14 * size, 0.0, values)


# Models of the papers that differ from the exact one; all other formulations are exact.
APPROXIMATE = ("dasgupta1998", "pedrammehr2012")


@dataclass(frozen=True, eq=False)
class Load:
    """The robot with a payload, and the samples (N,) at which it carries it."""

    robot: Robot
    mass: float
    carried: NDArray[np.bool_]

    @staticmethod
    def of(robot: Robot, masses: Array | None) -> Load | None:
        """From the payload at every instant, one mass or none."""
        if masses is None or not masses.any():
            return None
        mass = float(masses.max())
        return Load(robot.with_payload(mass), mass, masses > 0)

    def put(self, without: Array, loaded: Array) -> Array:
        """Values (N, ...) of the loaded robot where it is loaded."""
        mask = self.carried.reshape(-1, *(1,) * (without.ndim - 1))
        return np.where(mask, loaded, without)


@dataclass(frozen=True, eq=False)
class Study(Tabular):
    """The inverse dynamics of a robot along a sampled motion.

    The efforts are computed when the study is made; parts, reactions and conditioning when they are
    first asked for, and then kept.
    """

    robot: Robot
    motion_name: str
    time: Array
    position: Array  # joints (N, n), or poses (N, 7)
    velocity: Array
    acceleration: Array
    wrench: Array | None
    effort: Quantity
    measured: tuple[Quantity, ...]  # everything that may have limits, the effort first
    by_formulation: Mapping[str, Array]  # efforts (N, n) by the names asked for; empty if none were
    load: Load | None = None  # that the motion carries beside what the robot file has

    def table(self) -> LabeledTable:
        """Efforts (of every formulation, if some were asked for), motion, causes and reactions."""
        efforts = self.by_formulation or {"effort": self.effort.values}
        return study_table(self, efforts, state=True, parts=True, reactions=True)

    @property
    def actuated_element(self) -> str:
        """What carries the efforts."""
        return self.robot.actuated_element

    @property
    def moving(self) -> tuple[Quantity, ...]:
        """Positions, velocities and angles of the actuators with their limits."""
        return self.measured[1:]

    @cached_property
    def power(self) -> Array:
        """Of every actuator [W], (N, n)."""
        velocity = self.robot.actuator_motion(self.position, self.velocity).velocity
        assert velocity is not None
        return self.effort.values * velocity

    @cached_property
    def peaks(self) -> tuple[ChannelPeak, ...]:
        """Of the effort of every joint or leg."""
        return peaks(self.time, self.effort, self.power)

    @cached_property
    def limits(self) -> LimitReport:
        """What the motion leaves of every limit of the robot file."""
        return limit_report(self.measured, self.time.shape, self.time)

    @property
    def violations(self) -> tuple[LimitBreak, ...]:
        """Every limit of the robot file that the motion breaks."""
        return self.limits.breaks

    @property
    def margin(self) -> LeastMargin | None:
        """The least margin of all limits; None if the file has none."""
        return self.limits.least

    @cached_property
    def parts(self) -> dict[str, Array]:
        """Efforts by cause."""
        motion = (self.position, self.velocity, self.acceleration)
        found = effort_breakdown(self.robot, *motion, self.wrench)
        if self.load is None:
            return found
        loaded = effort_breakdown(self.load.robot, *motion, self.wrench)
        return {name: self.load.put(values, loaded[name]) for name, values in found.items()}

    @cached_property
    def joint_reactions(self) -> MechanismReactions:
        """Forces and moments in the joints by name, (N, k, 3) each, base axes."""
        motion = (self.position, self.velocity, self.acceleration)
        found = self.robot.reactions(*motion, self.wrench)
        if self.load is None:
            return found
        loaded = self.load.robot.reactions(*motion, self.wrench)
        force, moment = (self.load.put(*pair) for pair in zip(found[:2], loaded[:2], strict=True))
        return MechanismReactions(force, moment, found.names)

    @cached_property
    def reactions(self) -> tuple[Quantity, ...]:
        """Their magnitudes."""
        return reaction_magnitudes(self.robot, self.position, self.joint_reactions)

    @cached_property
    def conditioning(self) -> tuple[Conditioning, ...]:
        """How well the mechanism moves along the motion; the first is the condition number."""
        return conditioning(self.robot, self.position)

    def compared_with_exact(self) -> Study:
        """The same study; if published models are among its formulations, the exact one leads them."""
        names = list(self.by_formulation)
        if not names or any(name not in APPROXIMATE for name in names):
            return self
        return replace(self, by_formulation={"exact": self.effort.values, **self.by_formulation})

    def by(self, formulation: str) -> Study:
        """The same motion with the efforts of another formulation of `by_formulation`."""
        effort = replace(self.effort, values=self.by_formulation[formulation])
        return replace(self, effort=effort, measured=(effort, *self.moving))


def study(
    robot: Robot,
    motion_name: str,
    time: Array,
    motion: Sequence[Array],
    *,
    formulations: Sequence[str] = (),
    wrench: ArrayLike | None = None,
    payload: Array | None = None,
    errors: Errors = "raise",
) -> Study:
    """Measure a motion.

    Args:
        time, motion: samples, as `Trajectory.sample` returns them.
        formulations: names to compare. The effort of the study is that of the first exact one, or the
            robot's own if there is none.
        wrench: tip wrench of an arm, wrench on a platform, (6,) or (N, 6).
        payload: [kg] at the tool at every instant (N,), see `Trajectory.payload_at`.
        errors: "nan" makes efforts of impossible samples NaN.
    """
    if len(time) < 2:
        raise InputError(f"a study needs two samples of a motion or more; there are {len(time)}.")
    position, velocity, acceleration = motion
    state = (position, velocity, acceleration)
    for what, values, names in (
        ("position", position, robot.coordinates.names),
        ("velocity", velocity, robot.velocities.names),
    ):
        if values.shape != (len(time), len(names)):
            raise InputError(
                f"{robot.name} needs {len(names)} numbers for a {what} ({', '.join(names)}), one row "
                f"per instant; the motion has an array of shape {values.shape} for {len(time)} instants."
            )
    given = None if wrench is None else real(wrench, "wrench")
    options: CallOptions = {"errors": errors}
    if given is not None:
        options[robot.wrench_option] = given
    load = Load.of(robot, payload)

    def effort_by(formulation: str | None = None) -> Array:
        chosen: CallOptions = options if formulation is None else {**options, "formulation": formulation}
        found = robot.inverse_dynamics(*state, **chosen)
        if load is None:
            return found
        return load.put(found, load.robot.inverse_dynamics(*state, **chosen))

    efforts: dict[str, Array] = {}
    for name in dict.fromkeys(formulations):
        one_of(name, robot.formulations, "formulation")
        efforts[name] = effort_by(name)
    exact = [values for name, values in efforts.items() if name not in APPROXIMATE]
    effort = exact[0] if exact else effort_by()
    measured = effort_first(robot.quantities(position, velocity, effort), effort)
    return Study(robot, motion_name, time, *state, given, measured[0], measured, efforts, load)


def effort_first(quantities: Sequence[Quantity], effort: Array) -> tuple[Quantity, ...]:
    """What a robot measures of a motion, the quantity of these efforts in front."""
    return tuple(sorted(quantities, key=lambda what: what.values is not effort))
