"""A robot as equations of an FMU: forward dynamics with states, or inverse dynamics without.

Payload (ten numbers, as `point_load` gives them) and gravity are parameters. The functions are kernels,
so that they come from the same graph as everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import casadi as ca

from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Mechanism, Robot
from linkwork.kernels import Kernel
from linkwork.mechanics.arm import methods as arm_methods
from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, stack
from linkwork.mechanics.mechanism import methods as mechanism_methods
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.platform import methods as platform_methods
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.pose import quaternion_rate

GRAVITY = 3


@dataclass(frozen=True)
class Symbols:
    """What the equations are functions of."""

    position: SX
    velocity: SX
    payload: SX
    gravity: SX


@dataclass(frozen=True)
class Motion:
    """A robot in a state: expressions by the names of its methods."""

    dynamics: Any
    methods: Any
    options: Any
    names: tuple[str, str, str]  # velocity, acceleration, effort

    def express(self, method: str, symbols: Symbols, **more: SX) -> Outputs:
        velocity, acceleration, effort = self.names
        given = {velocity: symbols.velocity}
        given |= {
            {"acceleration": acceleration, "effort": effort}[key]: value for key, value in more.items()
        }
        found: Outputs = self.methods[method].express(self.dynamics, given, self.options)
        return found


@singledispatch
def motion_of(robot: Robot, s: Symbols, friction: bool, rotors: bool) -> tuple[Motion, str]:
    """The robot in a state, and the method that gives its reactions."""
    raise InputError(f"{robot.name}: fmu takes arms, platforms and mechanisms; try c or wasm.")


@motion_of.register
def _(robot: Arm, s: Symbols, friction: bool, rotors: bool) -> tuple[Motion, str]:
    dynamics = ArmDynamics(
        robot.model, s.position, friction, rotors, gravity=s.gravity, load=body_of(s.payload)
    )
    options = arm_methods.Options(friction=friction, rotors=rotors)
    return Motion(dynamics, arm_methods.METHODS, options, ("qd", "qdd", "tau")), "joint_wrenches"


@motion_of.register
def _(robot: Platform, s: Symbols, friction: bool, rotors: bool) -> tuple[Motion, str]:
    load = body_of(s.payload)
    exact = MechanismDynamics(
        robot.mechanism, s.position, s.velocity, friction, gravity=s.gravity, load=load
    )
    dynamics = PlatformDynamics(robot.model, exact)
    options = platform_methods.Options(friction=friction)
    names = ("twist", "acceleration", "force")
    return Motion(dynamics, platform_methods.METHODS, options, names), "joint_reactions"


@motion_of.register
def _(robot: Mechanism, s: Symbols, friction: bool, rotors: bool) -> tuple[Motion, str]:
    load = body_of(s.payload)
    dynamics = MechanismDynamics(
        robot.mechanism, s.position, s.velocity, friction, rotors, gravity=s.gravity, load=load
    )
    options = mechanism_methods.Options(len(robot.home), friction=friction, rotors=rotors)
    return Motion(dynamics, mechanism_methods.METHODS, options, ("cd", "cdd", "tau")), "reactions"


@dataclass(frozen=True)
class Equations:
    """Functions of x (states), u (inputs) and p (parameters): rates, outputs and their derivatives.

    `outputs` names the parts of y with their sizes; forward dynamics has reactions, inverse dynamics
    efforts and reactions.
    """

    states: int
    inputs: int
    parameters: int
    outputs: dict[str, int]
    rate: Kernel | None
    output: Kernel | None
    tangent: Kernel
    projected: Kernel | None


def equations(robot: Robot, forward: bool, friction: bool, rotors: bool) -> Equations:
    """The equations of one kind of FMU."""
    nq, nv, n = len(robot.coordinates), len(robot.velocities), robot.n
    p = SX.sym("p", PARAMETERS + GRAVITY)
    x = SX.sym("x", nq + nv if forward else 0)
    u = SX.sym("u", n if forward else nq + 2 * nv)
    state = x if forward else u
    s = Symbols(state[0:nq], state[nq : nq + nv], p[0:PARAMETERS], p[PARAMETERS:])
    motion, reactions = motion_of(robot, s, friction, rotors)
    rate = SX(0, 1)
    found: Outputs = {}
    if forward:
        (acceleration, _), *_ = motion.express("forward_dynamics", s, effort=u).values()
        rate = ca.vertcat(_position_rate(robot, s), acceleration)
    else:
        acceleration = u[nq + nv :]
        (effort, shape), *_ = motion.express("inverse_dynamics", s, acceleration=acceleration).values()
        found["effort"] = effort, shape
    if robot.determinate:
        found |= motion.express(reactions, s, acceleration=acceleration)
    y = ca.vertcat(*[stack([value]) for value, _ in found.values()]) if found else SX(0, 1)
    symbols = {"x": x, "u": u, "p": p}
    return Equations(
        states=x.numel(),
        inputs=u.numel(),
        parameters=p.numel(),
        outputs={name: value.numel() for name, (value, _) in found.items()},
        rate=_kernel("rate", symbols, {"rate": rate}) if forward else None,
        output=_kernel("output", symbols, {"y": y}) if found else None,
        tangent=_tangent(symbols, {"rate": rate, "y": y}),
        projected=_projected(robot, x) if forward and robot.coordinates.quaternions else None,
    )


def _position_rate(robot: Robot, s: Symbols) -> SX:
    parts, done, coordinates = [], 0, robot.coordinates
    for four, three in zip(coordinates.quaternions, coordinates.turned, strict=True):
        parts += [s.velocity[done : three.start], quaternion_rate(s.position[four], s.velocity[three])]
        done = three.stop
    return ca.vertcat(*parts, s.velocity[done:])


def _kernel(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> Kernel:
    """A kernel of those inputs and outputs that have elements."""
    given = {key: value for key, value in inputs.items() if value.numel()}
    found = {key: ca.densify(value) for key, value in outputs.items() if value.numel()}
    function = ca.Function(name, list(given.values()), list(found.values()), list(given), list(found))
    return Kernel(function, tuple((value.numel(),) for value in found.values()))


def _tangent(symbols: dict[str, SX], outputs: dict[str, SX]) -> Kernel:
    """Derivatives of rate and y in the direction (dx, du)."""
    along = ca.vertcat(symbols["x"], symbols["u"])
    seeds = {f"d{key}": SX.sym(f"d{key}", symbols[key].numel()) for key in ("x", "u")}
    direction = ca.vertcat(*seeds.values())
    found = {
        f"d{key}": ca.jtimes(value, along, direction) for key, value in outputs.items() if value.numel()
    }
    return _kernel("tangent", {**symbols, **seeds}, found)


def _projected(robot: Robot, x: SX) -> Kernel:
    """The state with its quaternions at unit length."""
    unit = SX(x)
    for four in robot.coordinates.quaternions:
        unit[four] = x[four] / ca.norm_2(x[four])
    return _kernel("projected", {"x": x}, {"unit": unit})
