"""Does everything agree? Named laws, each with the robots for which it holds, on random states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.core.arguments import whole
from linkwork.core.checked import checked
from linkwork.core.progress import progress_bar
from linkwork.core.rotations import multiply, rotation_of
from linkwork.core.table_files import Plain
from linkwork.kernels import Kernel
from linkwork.model.mechanism import BASE, MechanismModel, tool_frame
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Array, Robot

TOLERANCE = 1e-10
MOST_STATES = 1_000_000
TRIED = 4  # times as many states as asked for: loops do not close in all of them
MASS_MATRICES = ("strobing", "lagrange", "natural-complement")
# Models that papers print and that differ from the exact one: shown, and no fault.
PUBLISHED = ("dasgupta1998", "pedrammehr2012")


@dataclass(frozen=True)
class Agreement:
    """The result of `verify`.

    `differences` are relative to the largest value of the same kind, by the names of `LAWS`; a law that
    compares several formulations has a difference for each. Laws that the robot does not have are left
    out.
    """

    robot: str
    states: int
    differences: dict[str, float | dict[str, float]]
    smallest_eigenvalue: float  # of M
    largest_condition: float | None  # of a robot with loops, see `Robot.condition_number`
    published: dict[str, float]  # formulations of papers; their deviations are no faults
    tolerance: float = TOLERANCE

    @property
    def ok(self) -> bool:
        """All differences within the tolerance and M positive definite."""
        most = max(value for _, value in self._lines())
        return most <= self.tolerance and self.smallest_eigenvalue > 0.0

    @property
    def data(self) -> Plain:
        """All numbers by name, for programs."""
        return {
            "robot": self.robot,
            "states": self.states,
            **self.differences,
            "smallest_eigenvalue": self.smallest_eigenvalue,
            "largest_condition": self.largest_condition,
            "published": self.published,
            "tolerance": self.tolerance,
        }

    def _lines(self) -> Iterator[tuple[str, float]]:
        """What is compared, in words, and the difference."""
        words = {law.name: law.words for law in LAWS}
        for name, found in self.differences.items():
            if isinstance(found, dict):
                yield from ((f"{words[name]}, {each}", value) for each, value in found.items())
            else:
                yield words[name], found

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.states} random states, largest relative differences"]
        lines += [f"  {words:<40}{value:10.1e}" for words, value in self._lines()]
        lines.append(f"  {'smallest eigenvalue of M':<40}{self.smallest_eigenvalue:10.1e}")
        if self.largest_condition is not None:
            lines.append(f"  {'largest condition number':<40}{self.largest_condition:10.1f}")
        for name, value in self.published.items():
            lines.append(f"  {name + ' as published (no fault)':<40}{value:10.1e}")
        verdict = "agrees" if self.ok else "does NOT agree"
        lines.append(f"  {verdict} within {self.tolerance:.0e}")
        return "\n".join(lines)


@checked
def verify(
    robot: Robot, states: int = 1000, seed: int = 0, *, progress: bool | None = False
) -> Agreement:
    """Compare all formulations of a robot's dynamics with each other and with the laws of mechanics.

    Args:
        robot: any robot from `lw.load`.
        states: how many random states.
        seed: of the random numbers; the same seed gives the same report.
        progress: show a bar if it takes long; None shows it on a terminal.
    """
    Robot.expect(robot, "verify")
    states = whole(states, "states", 1, MOST_STATES)
    laws = [law for law in LAWS if law.holds(robot)]
    drawn = _Motion(robot, *random_states(robot, states, seed))
    differences = {}
    with progress_bar(len(laws), f"checking {robot.name}", progress) as advance:
        for law in laws:
            if (found := law.difference(drawn)) is not None:
                differences[law.name] = found
            advance(1)
    condition = None if robot.moved_by_motors else float(robot.condition_number(drawn.c).max())
    return Agreement(
        robot=robot.name,
        states=len(drawn.c),
        differences=differences,
        smallest_eigenvalue=float(np.linalg.eigvalsh(drawn.M).min()),
        largest_condition=condition,
        published=_published(drawn),
    )


def random_states(robot: Robot, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Positions at which all loops close, velocities and accelerations."""
    drawn = robot.random_states(TRIED * count, seed)
    reached = np.isfinite(robot.mass_matrix(drawn[0], errors="nan")).all(axis=(-2, -1))
    c, cd, cdd = (part[reached][:count] for part in drawn)
    return c, cd, cdd


def relative(value: Array, reference: Array) -> float:
    """Largest difference over largest reference; infinite where there is no finite value."""
    scale = float(np.abs(reference).max())
    difference = float(np.abs(value - reference).max()) / (scale or 1.0)
    return difference if np.isfinite(difference) else float("inf")


def rate_kernel(kernel: Kernel, output: int) -> Kernel:
    """Time derivative of an output, of all inputs and their rates, by CasADi's exact differentiation."""
    symbols = [ca.SX.sym(name, size) for name, size in kernel.inputs.items()]
    direction = ca.vertcat(*[ca.SX.sym(f"{name}_rate", n) for name, n in kernel.inputs.items()])
    value = kernel.casadi(*symbols)
    value = value[output] if isinstance(value, tuple) else value
    rate = ca.jtimes(value, ca.vertcat(*symbols), direction)
    inputs = [ca.vertcat(*symbols), direction]
    wrapped = ca.Function("rate", inputs, [rate], ["state", "rate"], ["value"])
    return Kernel(wrapped, ((value.numel(),),))


@dataclass(frozen=True, eq=False)
class _Motion:
    """A robot's states (N, ...), and what several laws need of them."""

    robot: Any  # with the methods that a law's `holds` asks for
    c: Array
    cd: Array
    cdd: Array

    @property
    def state(self) -> tuple[Array, Array, Array]:
        return self.c, self.cd, self.cdd

    @cached_property
    def effort(self) -> Array:
        found: Array = self.robot.inverse_dynamics(*self.state)
        return found

    @cached_property
    def frictionless(self) -> Array:
        found: Array = self.robot.inverse_dynamics(*self.state, friction=False)
        return found

    @cached_property
    def M(self) -> Array:
        found: Array = self.robot.mass_matrix(self.c)
        return found

    @cached_property
    def bias(self) -> Array:
        found: Array = self.robot.bias(self.c, self.cd, friction=True)
        return found

    @cached_property
    def actuator_velocity(self) -> Array:
        found: Array = self.robot.actuator_motion(self.c, self.cd).velocity
        return found

    @cached_property
    def actuation(self) -> Array:
        """(N, n, d): velocities of the motors by those of the coordinates."""
        Jx, Jq = self.robot.jacobians(self.c)
        return np.asarray(Jx / Jq[..., None])

    def on_coordinates(self, effort: Array) -> Array:
        """What efforts (N, n) do to the coordinates, (N, d)."""
        return np.einsum("nad,na->nd", self.actuation, effort)

    def power(self, effort: Array) -> Array:
        return np.asarray((effort * self.actuator_velocity).sum(axis=-1))


def _always(robot: Robot) -> bool:
    return True


def _driven(robot: Robot) -> bool:
    """As many motors as freedoms, or more."""
    return robot.n >= robot.dof


def _has_loops(robot: Robot) -> bool:
    return _driven(robot) and not robot.moved_by_motors


def _has_recursions(robot: Robot) -> bool:
    """The formulations of chains, with matrices of their own."""
    return "coriolis_matrices" in robot.kernel_methods


def _has_legs(robot: Robot) -> bool:
    """Those of a Stewart platform."""
    return "leg_kinematics" in robot.kernel_methods


# Laws of chains: their formulations.


def _formulations(on: _Motion) -> dict[str, float]:
    first, *others = on.robot.formulations
    reference = on.robot.inverse_dynamics(*on.state, friction=False, formulation=first)
    return {
        name: relative(on.robot.inverse_dynamics(*on.state, friction=False, formulation=name), reference)
        for name in others
    }


def _mass_matrices(on: _Motion) -> dict[str, float]:
    return {name: relative(on.robot.mass_matrix(on.c, formulation=name), on.M) for name in MASS_MATRICES}


def _coriolis(on: _Motion) -> float:
    C = on.robot.coriolis_matrices(on.c)
    return relative(on.robot.coriolis_matrices(on.c, formulation="lagrange"), C)


def _skew_symmetry(on: _Motion) -> float:
    """C(q, qd) with elements sum_k C[i, j, k] qd_k is the choice that makes dM/dt - 2C skew."""
    kernel = rate_kernel(on.robot.kernel("mass_matrix"), 0)
    M_rate = np.reshape(kernel.evaluate((on.c, on.cd))[0], on.M.shape)
    C = np.einsum("...ijk,...k->...ij", on.robot.coriolis_matrices(on.c), on.cd)
    skew = M_rate - 2 * C
    return relative(skew + np.swapaxes(skew, -1, -2) + on.M, on.M)


# Laws of all robots.


def _forward_dynamics(on: _Motion) -> float:
    """Relative to the accelerations that efforts and bias give one by one: near a singular position they
    are far larger than their sum, and so is what rounding leaves of it."""
    difference = np.abs(on.robot.forward_dynamics(on.c, on.cd, on.effort, errors="nan") - on.cdd)
    forces = np.concatenate([on.actuation * on.effort[..., None], on.bias[:, None]], axis=1)
    try:
        parts = np.abs(np.linalg.solve(on.M, np.swapaxes(forces, -1, -2))).sum(axis=-1)
    except np.linalg.LinAlgError:  # of a singular mass matrix
        return float("inf")
    scale = np.maximum(parts.max(axis=-1), np.abs(on.cdd).max())
    found = float((difference.max(axis=-1) / scale).max())
    return found if np.isfinite(found) else float("inf")


def _task_space(on: _Motion) -> float:
    need = np.einsum("nij,nj->ni", on.M, on.cdd) + on.bias
    return relative(on.on_coordinates(on.effort), need)


def _effort_breakdown(on: _Motion) -> float:
    """Their sum, and each by a law of its own: the sum alone would agree whatever they are."""
    total, tool, *others = on.robot.effort_breakdown(*on.state)
    friction = others[-1]
    return max(
        relative(sum(others, tool), on.effort),
        relative(total, on.effort),
        relative(on.effort - friction, on.frictionless),
        relative(on.power(tool), _power_of_the_tool(on)),
    )


def _power_of_the_tool(on: _Motion) -> Array:
    """Power [W] that moves the tool's own body, by Newton and Euler."""
    model = on.robot.mechanism
    part = model.part(tool_frame(model)[0])
    body = part.body.seen_from(part.frame)
    found = on.robot.joint_motion(*on.state)
    k = found.bodies.index(part.name)
    R = rotation_of(found.poses[:, k])
    (v, w), (a, al) = (np.split(each[:, k], 2, axis=-1) for each in (found.twists, found.accelerations))
    arm = R @ body.center_of_mass
    inertia = R @ body.inertia @ np.swapaxes(R, -1, -2)
    force = body.mass * (a + np.cross(al, arm) + np.cross(w, np.cross(w, arm)) - model.gravity)
    spin = np.einsum("...ij,...j->...i", inertia, al)  # w x I w does no work
    return np.asarray((force * (v + np.cross(w, arm))).sum(axis=-1) + (spin * w).sum(axis=-1))


def _jacobians(on: _Motion) -> float:
    Jx, Jq = on.robot.jacobians(on.c)
    return relative(np.einsum("nad,nd->na", Jx, on.cd), Jq * on.actuator_velocity)


def _forward_kinematics(on: _Motion) -> float:
    """From home, so other coordinates may be found: what counts is where the motors are in them."""
    actuators = on.robot.inverse_kinematics(on.c)
    found = on.robot.forward_kinematics(actuators, errors="nan")
    again = on.robot.inverse_kinematics(found, errors="nan")
    difference = float(np.abs(again - actuators).max())
    return difference if np.isfinite(difference) else float("inf")


def _balance(on: _Motion) -> float | None:
    """At rest the base carries the weight of everything, whatever the joints do to each other.

    None where statics does not tell all that the base carries, or a spring to it carries a part.
    """
    model, still = on.robot.mechanism, np.zeros_like(on.cd)
    if any(BASE in spring.joins for spring in model.springs):
        return None
    found = on.robot.reactions(on.c, still, still)
    carried = np.zeros((len(on.c), 3))
    for name, joins in _ends(model):
        if BASE in joins:
            sign = 1.0 if joins[0] == BASE else -1.0
            carried += sign * found.force[:, found.names.index(name)]
    if not np.isfinite(carried).all():
        return None
    weight = np.broadcast_to(-model.mass * np.asarray(model.gravity), carried.shape)
    return relative(carried, weight)


def _ends(model: MechanismModel) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names of reactions, and the bodies between which they act; "" is a rod or a cylinder."""
    for joint in model.joints:
        yield joint.name, joint.joins
    for strut in model.struts:
        yield f"{strut.name} start", (strut.joins[0], "")
        yield f"{strut.name} end", ("", strut.joins[1])


def _symmetry(on: _Motion) -> float:
    """Of M, column by column from inverse dynamics where there are motors."""
    M = on.M
    if _driven(on.robot):
        still, d = np.zeros(on.robot.dof), on.robot.dof
        steps = np.concatenate([np.zeros((1, d)), np.eye(d)])
        options = {"gravity": np.zeros(3), "friction": False}
        rows = on.robot.inverse_dynamics(on.c[:, None], still, steps, **options)
        M = np.einsum("nad,nja->njd", on.actuation, rows[:, 1:] - rows[:, :1])  # springs cancel
    return relative(np.swapaxes(M, -1, -2), M)


def _power_balance(on: _Motion) -> float:
    """Power of the motors without friction against the rate of energy."""
    energy = on.robot.kernel("energy")
    state = np.concatenate([on.c, on.cd], axis=-1)
    rate = np.concatenate([_position_rate(on), on.cdd], axis=-1)
    kinetic, potential = (
        np.asarray(rate_kernel(energy, k).evaluate((state, rate))[0])[..., 0] for k in range(2)
    )
    return relative(kinetic + potential, on.power(on.frictionless))


def _position_rate(on: _Motion) -> Array:
    """The time derivative of positions: those of quaternions by the angular velocity."""
    coordinates, rate = on.robot.coordinates, on.cd
    for four, three in reversed([*zip(coordinates.quaternions, coordinates.turned, strict=True)]):
        spin = np.insert(on.cd[:, three], 0, 0.0, axis=1)
        turn = multiply(spin, on.c[:, four]) / 2
        rate = np.concatenate([rate[:, : three.start], turn, rate[:, three.stop :]], axis=1)
    return rate


# Laws of legs.


def _reactions(on: _Motion) -> float:
    """Along a leg its prismatic joint carries what the actuator gives."""
    legs = on.robot.leg_kinematics(*on.state)
    found = on.robot.joint_reactions(*on.state).prismatic_force
    return relative((found * legs.direction).sum(axis=-1), on.effort)


def _friction(on: _Motion) -> float:
    """Power of the friction part against what the joints of the legs take from the motion."""
    lost = on.power(on.robot.effort_breakdown(*on.state).friction)
    power = on.power(on.effort)
    return relative(power - lost + _friction_loss(on.robot, *on.state), power)


def _friction_loss(platform: Platform, pose: Array, twist: Array, acceleration: Array) -> Array:
    """Power [W] that the friction of all joints takes from the motion."""
    legs = platform.leg_kinematics(pose, twist, acceleration)
    between = legs.angular_velocity - twist[:, None, 3:]
    loss = np.zeros(len(pose))
    for k, leg in enumerate(platform.model.legs):
        if leg.joints == "SPS":  # it spins along with the platform
            along = (between[:, k] * legs.direction[:, k]).sum(axis=-1, keepdims=True)
            between[:, k] -= along * legs.direction[:, k]
        loss += leg.friction.prismatic * legs.rate[:, k] ** 2
        loss += leg.friction.coulomb * np.abs(legs.rate[:, k])
        loss += leg.friction.universal * (legs.angular_velocity[:, k] ** 2).sum(axis=-1)
        loss += leg.friction.spherical * (between[:, k] ** 2).sum(axis=-1)
    return loss


def _published(on: _Motion) -> dict[str, float]:
    names = [name for name in PUBLISHED if name in on.robot.formulations]
    if names and any(leg.joints == "SPS" for leg in on.robot.model.legs):
        names.remove("pedrammehr2012")  # it needs universal joints
    return {
        name: relative(on.robot.inverse_dynamics(*on.state, formulation=name), on.effort)
        for name in names
    }


@dataclass(frozen=True)
class Comparison:
    """What must agree, for which robots, and how far it is from it; None where that cannot be told."""

    name: str
    words: str
    holds: Callable[[Robot], bool]
    difference: Callable[[_Motion], float | dict[str, float] | None]


LAWS = (
    Comparison("formulations", "torque", _has_recursions, _formulations),
    Comparison("mass_matrices", "M", _has_recursions, _mass_matrices),
    Comparison("coriolis_matrices", "C, lagrange", _has_recursions, _coriolis),
    Comparison("skew_symmetry", "skew symmetry of dM/dt - 2C", _has_recursions, _skew_symmetry),
    Comparison("forward_dynamics", "forward after inverse dynamics", _driven, _forward_dynamics),
    Comparison("task_space", "actuation' tau against M cdd + h", _driven, _task_space),
    Comparison("effort_breakdown", "parts of the efforts", _driven, _effort_breakdown),
    Comparison("power_balance", "power balance", _driven, _power_balance),
    Comparison("symmetry", "symmetry of M", _always, _symmetry),
    Comparison("jacobians", "Jx cd against Jq actuator velocities", _always, _jacobians),
    Comparison(
        "forward_kinematics", "actuators of the coordinates found", _has_loops, _forward_kinematics
    ),
    Comparison("balance", "reactions of the base against weight", _driven, _balance),
    Comparison("reactions", "forces from the joint reactions", _has_legs, _reactions),
    Comparison("friction", "power of friction in the legs", _has_legs, _friction),
)
