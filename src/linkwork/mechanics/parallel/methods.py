"""Every quantity that a parallel robot can compute, as a CasADi function of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, number, stack, times, zeros
from linkwork.mechanics.parallel import forward_kinematics, jacobians, reactions
from linkwork.mechanics.parallel.dynamics import STANDING, BaseMotion, Dynamics, Load
from linkwork.mechanics.parallel.kinematics import Posture, posture
from linkwork.mechanics.parallel.leg_dynamics import Inertia, composite_bodies
from linkwork.mechanics.parallel.mechanism import Mechanism, mechanism_of
from linkwork.robots.geometry import Body
from linkwork.robots.parallel import ParallelModel

PAYLOAD = 10  # mass, first moment, inertia xx yy zz xy xz yz about the platform's origin, its axes
Outputs = dict[str, tuple[SX, tuple[int, ...]]]


@dataclass(frozen=True)
class Options:
    """What is folded into an expression; `size` is that of the coordinates (quaternion or angles)."""

    size: int
    wrench: bool = False
    gravity: bool = False
    base_motion: bool = False
    friction: bool = True
    rotors: bool = True


class Trace:
    """Symbols of one method call and the robot in the state that they make."""

    def __init__(self, model: ParallelModel, options: Options, inputs: tuple[str, ...]) -> None:
        self.model, self.options = model, options
        d, n = model.freedoms, len(model.actuators)
        sizes = {"c": options.size, "cd": d, "cdd": d, "tau": n, "actuators": n}
        sizes |= {"wrench": 6, "gravity": 3, "base_motion": 9}
        extra = [name for name in ("wrench", "gravity", "base_motion") if getattr(options, name)]
        self.symbols = {name: SX.sym(name, sizes[name]) for name in (*inputs, *extra)}

    def __getitem__(self, name: str) -> SX:
        return self.symbols[name]

    @cached_property
    def mechanism(self) -> Mechanism:
        return mechanism_of(self.model)

    @cached_property
    def posture(self) -> Posture:
        return posture(self.mechanism, self["c"])

    @cached_property
    def load(self) -> Load:
        base = STANDING
        if self.options.base_motion:
            motion = self["base_motion"]
            base = BaseMotion(motion[0:3], motion[3:6], motion[6:9])
        gravity = self["gravity"] if self.options.gravity else number(self.model.gravity)
        wrench = self["wrench"] if self.options.wrench else zeros(6)
        return Load(wrench, gravity, base, self.options.friction, self.options.rotors)

    @cached_property
    def true(self) -> Dynamics:
        """With the masses where they are: for reactions and energies."""
        inertias = tuple(Inertia.true(plan.chain) for plan in self.mechanism.legs)
        return Dynamics(self.posture, inertias, self.model.platform, self.load)

    @cached_property
    def dynamics(self) -> Dynamics:
        """With masses where they cost the fewest operations."""
        gravity = None if self.options.gravity or self.options.base_motion else self.model.gravity
        standing = not self.options.base_motion
        platform = self.model.platform
        inertias = []
        for plan in self.mechanism.legs:
            inertia = Inertia.reduced(plan.chain, gravity, standing)
            at_tip = Body.of(inertia.at_tip, plan.chain.platform_point, np.zeros((3, 3)))
            platform = platform.merged_with(at_tip) if inertia.at_tip else platform
            inertias.append(inertia)
        return Dynamics(self.posture, tuple(inertias), platform, self.load)


def _inverse_dynamics(trace: Trace) -> Outputs:
    tau = trace.dynamics.inverse(trace["cd"], trace["cdd"])
    return {"tau": (tau, (tau.numel(),))}


def _forward_dynamics(trace: Trace) -> Outputs:
    cdd = trace.dynamics.forward(trace["cd"], trace["tau"])
    return {"cdd": (cdd, (cdd.numel(),))}


def _mass_matrix(trace: Trace) -> Outputs:
    d = trace.model.freedoms
    return {"M": (trace.dynamics.mass_matrix(), (d, d))}


def _bias(trace: Trace) -> Outputs:
    return {"h": (trace.dynamics.bias(trace["cd"]), (trace.model.freedoms,))}


def _gravity_load(trace: Trace) -> Outputs:
    still = replace(trace.dynamics, load=replace(trace.load, friction=False))
    return {"g": (still.bias(zeros(trace.model.freedoms)), (trace.model.freedoms,))}


def _task_space(trace: Trace) -> Outputs:
    d, n = trace.model.freedoms, len(trace.model.actuators)
    actuation = ca.horzcat(*trace.dynamics.actuation).T
    return {**_mass_matrix(trace), **_bias(trace), "Ga": (actuation, (n, d))}


def _effort_parts(trace: Trace) -> Outputs:
    """Platform, leg inertia and weight, friction, rotors: parts of the efforts by what needs them."""
    cd, cdd = trace["cd"], trace["cdd"]
    n = len(trace.model.actuators)
    true = trace.true
    total = true.inverse(cd, cdd)
    rigid = replace(true, load=replace(trace.load, friction=False, rotors=False))
    with_rotors = replace(true, load=replace(trace.load, friction=False))
    twist = trace.posture.twist(cd)
    acceleration = trace.posture.drift(cd) + trace.posture.twist(cdd)
    alone = rigid.platform_load(twist, acceleration)
    platform = rigid.efforts_for(times(trace.posture.T.T, alone))
    smooth, turning = rigid.inverse(cd, cdd), with_rotors.inverse(cd, cdd)
    parts = {
        "total": total,
        "platform": platform,
        "legs": smooth - platform,
        "rotors": turning - smooth,
        "friction": total - turning,
    }
    return {name: (value, (n,)) for name, value in parts.items()}


def _joints(trace: Trace) -> Outputs:
    place, cd = trace.posture, trace["cd"]
    twist = place.twist(cd)
    acceleration = place.drift(cd) + place.twist(trace["cdd"])
    q, qd, qdd = [], [], []
    for leg in place.legs:
        q += leg.configuration.joint_coordinates()
        qd.append(trace.dynamics.joint_velocities(leg, twist))
        qdd.append(trace.dynamics.joint_accelerations(leg, twist, acceleration))
    n = len(q)
    return {
        "q": (ca.vertcat(*q), (n,)),
        "qd": (ca.vertcat(*qd), (n,)),
        "qdd": (ca.vertcat(*qdd), (n,)),
        "position": (place.pose.position, (3,)),
        "rotation": (place.pose.R, (3, 3)),
        "twist": (twist, (6,)),
        "acceleration": (acceleration, (6,)),
    }


def _inverse_kinematics(trace: Trace) -> Outputs:
    q = [value for leg in trace.posture.legs for value in leg.configuration.joint_coordinates()]
    found = [value for value, joint in zip(q, trace.model.joints, strict=True) if joint.actuated]
    return {"actuators": (ca.vertcat(*found), (len(found),))}


def _energy(trace: Trace) -> Outputs:
    true, place, gravity = trace.true, trace.posture, number(trace.model.gravity)
    cd = trace["cd"]
    kinetic = ca.dot(cd, times(true.mass_matrix(), cd)) / 2
    body = trace.model.platform
    centre = place.pose.position + times(place.pose.R, number(body.center_of_mass))
    potential = -body.mass * ca.dot(gravity, centre)
    for leg, inertia in zip(place.legs, true.inertias, strict=True):
        whole = composite_bodies(leg.configuration, inertia)[0]
        base = leg.chain.base
        first = times(number(base.R), ca.vertcat(*whole.first)) + whole.m * number(base.p)
        potential = potential - ca.dot(gravity, first)
    return {"kinetic": (kinetic, ()), "potential": (potential, ())}


def _jacobians(trace: Trace) -> Outputs:
    n, d = len(trace.model.actuators), trace.model.freedoms
    Jx, Jq = jacobians.of(trace.posture)
    return {"Jx": (Jx, (n, d)), "Jq": (Jq, (n,))}


def _joint_reactions(trace: Trace) -> Outputs:
    """Two solutions where statics leaves many: what they agree on is determinate."""
    legs, joints = len(trace.model.legs), len(trace.model.joints)
    weights = reactions.other_weights(trace.model)
    outputs: Outputs = {}
    for suffix, chosen in (("", None), ("_other", weights)):
        if suffix and weights is None:
            continue
        found = reactions.of(trace.true, trace["cd"], trace["cdd"], chosen)
        outputs["joint_wrench" + suffix] = ca.vertcat(*[w.T for w in found.joints]), (joints, 6)
        outputs["closure_wrench" + suffix] = ca.vertcat(*[w.T for w in found.closures]), (legs, 6)
    return outputs


def _forward_kinematics(trace: Trace) -> Outputs:
    found, error = forward_kinematics.newton(trace.mechanism, trace["actuators"], trace["c"])
    return {"solution": (found, (found.numel(),)), "error": (error, ())}


@dataclass(frozen=True)
class Method:
    """A computable quantity: its inputs, how to express it, and which loads may be inputs too."""

    inputs: tuple[str, ...]
    express: Callable[[Trace], Outputs]
    loads: tuple[str, ...] = ()


LOADS = ("wrench", "gravity", "base_motion")
MOTION = ("c", "cd", "cdd")
METHODS: dict[str, Method] = {
    "inverse_dynamics": Method(MOTION, _inverse_dynamics, LOADS),
    "forward_dynamics": Method(("c", "cd", "tau"), _forward_dynamics, LOADS),
    "mass_matrix": Method(("c",), _mass_matrix),
    "bias": Method(("c", "cd"), _bias, LOADS),
    "gravity_load": Method(("c",), _gravity_load, ("gravity",)),
    "task_space": Method(("c", "cd"), _task_space, LOADS),
    "effort_parts": Method(MOTION, _effort_parts, LOADS),
    "joint_reactions": Method(MOTION, _joint_reactions, LOADS),
    "joints": Method(MOTION, _joints),
    "inverse_kinematics": Method(("c",), _inverse_kinematics),
    "jacobians": Method(("c",), _jacobians),
    "energy": Method(("c", "cd"), _energy),
    "newton": Method(("actuators", "c"), _forward_kinematics),
}


def express(
    model: ParallelModel, method: str, options: Options
) -> tuple[ca.Function, tuple[tuple[int, ...], ...]]:
    """The CasADi function of a method and the shapes of its outputs."""
    spec = METHODS[method]
    trace = Trace(model, options, spec.inputs)
    outputs = spec.express(trace)
    guard = SX(1) if method == "newton" else trace.posture.guard
    function = ca.Function(
        method,
        list(trace.symbols.values()),
        [stack([value * guard]) for value, _ in outputs.values()],
        list(trace.symbols),
        list(outputs),
    )
    return function, tuple(shape for _, shape in outputs.values())
