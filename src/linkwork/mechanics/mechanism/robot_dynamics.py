"""A mechanism in one state: what its methods, its plant and its controllers are expressed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import casadi as ca

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.chain.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.friction import carried_effort
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism.applied_forces import AppliedLoads
from linkwork.mechanics.mechanism.blocks import STEPS, unknown_names
from linkwork.mechanics.mechanism.coordinates import CoordinateLayout, by_name, names_of
from linkwork.mechanics.mechanism.dynamics import Dynamics
from linkwork.mechanics.mechanism.motion import displaced
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementPlan
from linkwork.mechanics.mechanism.planning.plan_state import with_points_held
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.mechanism.struts import strut_axes
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.mechanics.plant import FrictionKinematics
from linkwork.model.families.arm import ArmModel, arm_of_mechanism
from linkwork.model.geometry import vanishes
from linkwork.model.mechanism import (
    Cylinder,
    MechanismModel,
    Spring,
    dry_elements,
    elements,
    motor_terms,
    shafts,
    tool_frame,
)


@lru_cache(maxsize=64)
def arm_of(model: MechanismModel) -> ArmModel | None:
    """The arm that a mechanism is, if it is one, made once for its object."""
    return arm_of_mechanism(model)


@dataclass(frozen=True, eq=False)
class MechanismDynamics:
    """A robot at coordinates c that move with cd.

    Args:
        gravity: in base axes; the robot's own if None.
        wrench: force, then moment, on the tool, in its axes at its origin.
        base_motion: angular velocity and acceleration and linear acceleration of the base.
        load: a body on the tool, about its origin in its axes.
        numbers: the robot that the plan is made for, if numbers of `model` are expressions. Joints are
            drawn at the same home; a body by whose pose alone all is given may be drawn elsewhere.
        guess: unknowns of the blocks of Newton's method, where it begins; at home if None.
        steps: of Newton's method; with none the guess is what closes the loops.
        slip: directions in which `dry_elements` slide, +1 or -1, for their Coulomb friction, 0 for
            none; by their velocities if None.
    """

    model: MechanismModel
    c: SX
    cd: SX | None = None
    friction: bool = True
    rotors: bool = True
    gravity: SX | None = None
    wrench: SX | None = None
    base_motion: SX | None = None
    load: CompositeBody | None = None
    slip: SX | None = None
    numbers: MechanismModel | None = None
    guess: SX | None = None
    steps: int = STEPS

    @cached_property
    def plan(self) -> PlacementPlan:
        if self.numbers is None:
            return placement_plan(self.model)
        return replace(placement_plan(self.numbers), model=with_points_held(self.model))

    @property
    def dof(self) -> int:
        return len(self.model.coordinates)

    @cached_property
    def layout(self) -> CoordinateLayout:
        return CoordinateLayout.of(self.model, self.c.numel())

    @property
    def velocity(self) -> SX:
        return zeros(self.dof) if self.cd is None else self.cd

    @cached_property
    def acting(self) -> AppliedLoads:
        gravity = number(self.model.gravity) if self.gravity is None else self.gravity
        slip = None
        if self.slip is not None:
            slip = {each.name: self.slip[k] for k, each in enumerate(dry_elements(self.model))}
        wrench = self.wrench
        if wrench is not None and self.model.part(tool_frame(self.model)[0]).point:
            wrench = ca.vertcat(wrench[0:3], zeros(3))  # nothing carries a moment on a point
        return AppliedLoads(
            gravity, self.base_motion, wrench, self.load, self.friction, self.rotors, slip
        )

    @cached_property
    def dynamics(self) -> Dynamics:
        inputs = self.layout.inputs(self.c, self.cd)
        if self.guess is not None:
            named = zip(unknown_names(self.plan), ca.vertsplit(self.guess), strict=True)
            inputs = replace(inputs, guess=dict(named))
        return Dynamics(self.plan, inputs, self.acting, self.steps, reducing=self.numbers is None)

    def but(self, acting: AppliedLoads | None = None, model: MechanismModel | None = None) -> Dynamics:
        """The same place and motion with other loads, or with other masses in the model."""
        plan = self.plan if model is None else replace(self.plan, model=with_points_held(model))
        found = Dynamics(plan, self.dynamics.inputs, self.acting if acting is None else acting)
        found.__dict__["solution"] = self.dynamics.solution  # masses and loads move nothing
        return found

    def sharing(self, **changes: Any) -> MechanismDynamics:
        """The same place with another motion, other loads or other parts."""
        found = replace(self, **changes)
        found.dynamics.__dict__["solution"] = self.dynamics.solution
        return found

    @property
    def guard(self) -> SX:
        """1 where all loops close on the branches of home, else not finite."""
        return self.dynamics.guard if self.arm is None else SX(1)

    # One chain of driven joints is an arm, whose expressions need the fewest operations.

    @cached_property
    def arm(self) -> ArmDynamics | None:
        """The same state of the arm that the mechanism is; None if it is more than a chain.

        Friction whose directions are told, and numbers that are expressions, are left to the general
        formulation.
        """
        plain = self.slip is None and self.numbers is None
        model = arm_of(self.model) if plain else None
        if model is None:
            return None
        return ArmDynamics(
            model,
            self._in_chain(model, self.c),
            friction=self.friction,
            rotors=self.rotors,
            gravity=_known_gravity(self.gravity),
            tip_wrench=None if self.wrench is None else -self.wrench,
            base_motion=self.base_motion,
            load=self.load,
        )

    def _in_chain(self, arm: ArmModel, values: SX) -> SX:
        """Values of the coordinates in the order of the chain."""
        named = by_name(self.model, values)
        return ca.vertcat(*[named[name] for name in arm.joint_names])

    def _places(self, names: tuple[str, ...]) -> list[int]:
        """Where joints stand in the chain."""
        assert self.arm is not None
        return [self.arm.model.joint_names.index(name) for name in names]

    def _ordered(self, values: SX, names: tuple[str, ...]) -> SX:
        """Values of the chain in the order of joints that are named."""
        return values[self._places(names)]

    @property
    def place(self) -> MechanismState:
        """All bodies, without their motion."""
        return self.dynamics.solution.state

    @cached_property
    def drifting(self) -> MechanismState:
        """The motion without acceleration of the coordinates."""
        return self.dynamics.moving({})

    @property
    def units(self) -> tuple[MechanismState, ...]:
        """Motions from rest under a unit acceleration of each coordinate."""
        return self.dynamics.units

    def moving(self, cdd: SX) -> MechanismState:
        return self.dynamics.moving(by_name(self.model, cdd))

    # Friction that grows with what motors carry.

    @cached_property
    def load_shares(self) -> SX | None:
        """Of what motors carry, that friction takes; by the sign of slip. None if there is no such."""
        found = {each.name: each.friction for each in shafts(self.model)}
        names = [name for name, friction in found.items() if friction.grows_with_load]
        if not (self.friction and names):
            return None
        slip, shares = self.acting.slip or {}, zeros(len(self.model.effort_names))
        velocity = self.actuators(self.drifting)[1]
        for k, name in enumerate(self.model.effort_names):
            if name in names:
                shares[k] = SX(found[name].load_friction or 0.0) * ca.sign(slip.get(name, velocity[k]))
        return shares

    @cached_property
    def frictionless(self) -> MechanismDynamics:
        return self.sharing(friction=False)

    def carried(self, cdd: SX) -> SX:
        """Efforts without friction."""
        return self.frictionless.dynamics.inverse(by_name(self.model, cdd))

    def carried_under(self, tau: SX) -> SX:
        """The same under efforts."""
        assert self.load_shares is not None
        rubbing = self.dynamics.bias() - self.frictionless.dynamics.bias()
        return carried_effort(self.load_shares, tau - self.efforts_for(rubbing))

    def inverse(self, cdd: SX) -> SX:
        """Efforts of a motion."""
        if self.arm is None:
            tau = self.dynamics.inverse(by_name(self.model, cdd))
            if self.load_shares is None:
                return tau
            return tau + self.load_shares * ca.fabs(self.carried(cdd))
        qd, qdd = (self._in_chain(self.arm.model, each) for each in (self.velocity, cdd))
        return self._ordered(self.arm.inverse(qd, qdd), self.model.effort_names)

    def need(self, cdd: SX) -> SX:
        """What a motion needs at the coordinates."""
        if self.arm is not None:
            qd, qdd = (self._in_chain(self.arm.model, each) for each in (self.velocity, cdd))
            return self._ordered(self.arm.inverse(qd, qdd), names_of(self.model))
        return self.dynamics.need(self.moving(cdd))

    def forward(self, tau: SX) -> SX:
        """cdd under efforts."""
        if self.arm is None:
            if self.load_shares is None:
                return self.dynamics.forward(tau)
            return self.frictionless.dynamics.forward(self.carried_under(tau))
        named = dict(zip(self.model.effort_names, ca.vertsplit(tau), strict=True))
        torques = ca.vertcat(*[named[name] for name in self.arm.model.joint_names])
        qdd = self.arm.forward(self._in_chain(self.arm.model, self.velocity), torques)
        return self._ordered(qdd, names_of(self.model))

    def bias(self) -> SX:
        """h, in the coordinates."""
        if self.arm is None:
            if self.load_shares is None:
                return self.dynamics.bias()
            return self.generalized(self.inverse(zeros(self.dof)))
        qd = self._in_chain(self.arm.model, self.velocity)
        return self._ordered(self.arm.bias(qd), names_of(self.model))

    def mass_matrix(self) -> SX:
        """M, in the coordinates."""
        if self.arm is None:
            return self.dynamics.mass_matrix()
        order = self._places(names_of(self.model))
        return self.arm.mass_matrix()[order, order]

    def generalized(self, tau: SX) -> SX:
        """What efforts do to the coordinates."""
        return times(self.dynamics.actuation, tau)

    def efforts_for(self, generalized: SX) -> SX:
        """Efforts that put a force on the coordinates."""
        return self.dynamics.efforts_for(generalized)

    @property
    def actuation(self) -> SX:
        """Velocities of the actuators per velocity of the coordinates, (n, d)."""
        return self.dynamics.actuation.T

    def felt(self, name: str) -> SX:
        """What a unit effort at a joint or cylinder does to the coordinates, (d)."""
        wrenches = Wrenches(self.place)
        self.dynamics.put_effort(wrenches, name, SX(1))
        return wrenches.swept(self.dynamics.solution)

    def actuators(self, state: MechanismState) -> tuple[SX, SX, SX]:
        """Positions from home, velocities and accelerations of the actuators, (n) each."""
        found: list[list[SX]] = [[], [], []]
        for terms in motor_terms(self.model).values():
            parts = [(ratio, self.dynamics.joint_motion(name, state)) for name, ratio in terms]
            for k, values in enumerate(found):
                values.append(sum((ratio * motion[k] for ratio, motion in parts), SX(0)))
        q, qd, qdd = (ca.vertcat(SX(0, 1), *values) for values in found)
        return q, qd, qdd

    def from_actuators(self, wanted: SX, steps: int) -> tuple[SX, SX]:
        """The coordinates after some steps of Newton's method, Ga dc = what the actuators lack, and how
        far they are off there [m, rad]. With more actuators than freedoms these are least squares."""
        robot = self
        for _ in range(steps):
            columns = [robot.actuation[:, k] for k in range(self.dof)]
            change = solve_orthogonal(columns, robot._lack(wanted))
            robot = replace(robot, c=robot.layout.stepped(robot.c, change))
        error = ca.sum1(ca.fabs(robot._lack(wanted)))  # fmax would hide NaN
        return robot.c, error * robot.guard

    def _lack(self, wanted: SX) -> SX:
        """What the actuators lack; turns that are solved for are known but for whole turns."""
        lack = wanted - self.actuators(self.place)[0]
        given = {each.name for each in self.model.coordinates}
        turns = {joint.name for joint in self.model.joints if joint.is_revolute} - given
        for k, terms in enumerate(motor_terms(self.model).values()):
            if len(terms) == 1 and terms[0][0] in turns:
                lack[k] = ca.atan2(ca.sin(lack[k]), ca.cos(lack[k]))
        return lack

    def friction_kinematics(self) -> FrictionKinematics:
        """Of the joints, cylinders and motors that have Coulomb friction."""
        rows, changes = [SX(0, self.dof)], [SX(0, 1)]
        for each in dry_elements(self.model):
            rows.append(self.felt(each.name).T)
            changes.append(self.dynamics.joint_motion(each.name, self.drifting)[2])
        return FrictionKinematics(ca.vertcat(*rows), ca.vertcat(*changes))

    def gravity_load(self) -> SX:
        """Efforts that hold everything at rest."""
        if self.arm is not None:
            return self._ordered(self.arm.gravity_load(), self.model.effort_names)
        still = self.sharing(cd=None, wrench=None, base_motion=None, friction=False)
        return still.inverse(zeros(self.dof))

    def energy(self) -> tuple[SX, SX]:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin and
        springs at their free lengths."""
        cd = self.velocity
        kinetic = ca.dot(cd, times(self.mass_matrix(), cd)) / 2
        weight = ca.dot(self.acting.gravity, self.first_moment())
        return kinetic, self._spring_energy() - weight

    def first_moment(self) -> SX:
        """Of all masses about the base's origin."""
        state, total = self.place, zeros(3)
        for part in self.model.parts:
            total = total + part.body.mass * displaced(state, part.name).point(part.body.center_of_mass)
        if self.load is not None:
            body, frame = tool_frame(self.model)
            R, p = displaced(state, body).frame(frame)
            total = total + self.load.m * p + times(R, self.load.h)
        for rod in self.model.rods:
            (a, b), share = rod.joins, rod.center
            ends = displaced(state, a).point(rod.start), displaced(state, b).point(rod.end)
            total = total + rod.mass * ((1 - share) * ends[0] + share * ends[1])
        for each in self.model.cylinders:
            if not (vanishes(each.barrel.mass) and vanishes(each.rod.mass)):
                T, start, end = strut_axes(state, each)
                for half, at in ((each.barrel, start), (each.rod, end)):
                    total = total + half.mass * (at + times(T, number(half.center_of_mass)))
        return total

    def _spring_energy(self) -> SX:
        state, total = self.place, SX(0)
        for each in elements(self.model):
            if each.spring is not None:
                x = self.dynamics.joint_motion(each.name, state)[0]
                total = total + stored(
                    each.spring, x + (each.length if isinstance(each, Cylinder) else 0)
                )
        for spring in self.model.springs:
            a, b = state.both(spring)
            total = total + stored(spring.spring, ca.norm_2(b.p - a.p))
        return total


def _known_gravity(gravity: SX | None) -> tuple[float, float, float] | SX | None:
    """As numbers where it is given in numbers, from which fewer operations can be found."""
    if gravity is None or not gravity.is_constant():
        return gravity
    return float(gravity[0]), float(gravity[1]), float(gravity[2])


def stored(spring: Spring, x: SX) -> SX:
    """Energy of a spring, zero at its free length."""
    away = x - spring.free
    return spring.preload * away + spring.stiffness / 2 * away * away
