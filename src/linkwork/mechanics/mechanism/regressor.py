"""Efforts of a mechanism as a linear function of its parameters: tau = Y(c, cd, cdd) pi.

The column of a parameter is the power of what it needs, per unit, with unit motions of the coordinates.
Parameters, in the order of `model/parameters.py`: ten of every body about its frame; mass,
first moment and inertias of rods about their start; ten of barrel and rod of cylinders, and friction of
their ends; rotor and friction of joints and cylinders; springs; rotor and friction of motors with
ratios; laws of friction that only some have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.mechanics.bodies import wrench_columns
from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.friction import friction_columns, stribeck_shape
from linkwork.mechanics.mechanism.motion import AbsoluteMotion
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState, clean
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.model.mechanism import (
    Cylinder,
    Element,
    MechanismJoint,
    Motor,
    Part,
    PointSpring,
    Rod,
    ball_joints,
    elements,
    shafts,
)


def regressor(robot: MechanismDynamics, cdd: SX) -> SX:
    """Y, n x p."""
    columns = _Columns(robot, robot.moving(cdd), cdd).all()
    return times(robot.efforts_for(SX.eye(robot.dof)), columns)


@dataclass(frozen=True, eq=False)
class _Columns:
    """What parameters need at the coordinates, d x p."""

    robot: MechanismDynamics
    state: MechanismState
    cdd: SX

    @cached_property
    def motion(self) -> AbsoluteMotion:
        return AbsoluteMotion(self.state, self.robot.acting.gravity)

    @cached_property
    def units(self) -> list[AbsoluteMotion]:
        return [AbsoluteMotion(state, SX.zeros(3)) for state in self.robot.units]

    def all(self) -> SX:
        model = self.robot.model
        found = [self._part(part) for part in model.parts]
        found += [self._rod(rod) for rod in model.rods]
        found += [self._cylinder(cylinder) for cylinder in model.cylinders]
        found += [self._drive(each) for each in elements(model)]
        found += [self._ball(joint) for joint in ball_joints(model)]
        found += [self._spring(each) for each in elements(model) if each.spring is not None]
        found += [self._point_spring(spring) for spring in model.springs]
        found += [self._drive(motor) for motor in model.motors]
        found += [self._stribeck(each) for each in shafts(model) if each.friction.stribeck_velocity]
        loaded = [each for each in shafts(model) if each.friction.load_friction is not None]
        found += [self._under_load(each) for each in loaded]
        return ca.horzcat(*found)

    def _part(self, part: Part) -> SX:
        plan = self.robot.plan
        group = plan.of_body[part.name].group
        axes = number(clean(part.frame.R.T @ plan.groups[group].C))

        def own(motion: AbsoluteMotion) -> tuple[SX, SX, SX]:
            view = motion.state.view(part.name, part.frame.p, group)
            w, al, A = (times(axes, view.R.back(each)) for each in motion.absolute(view))
            return w, al, A

        needed = wrench_columns(*own(self.motion))
        rows = []
        for unit in self.units:
            _, al, A = own(unit)
            rows.append(times(A.T, needed.force) + times(al.T, needed.moment))
        return ca.vertcat(*rows)

    def _rod(self, rod: Rod) -> SX:
        """Of m, mx, Jyy, and if it spins of Jxx and friction at both ends."""
        L, rows = rod.length, []
        a, b = self.motion.of_ends(rod)
        for unit in self.units:
            ua, ub = unit.of_ends(rod)
            aa, ab, bb = ca.dot(a, ua), ca.dot(a, ub) + ca.dot(b, ua), ca.dot(b, ub)
            rows.append(ca.horzcat(aa, (ab - 2 * aa) / L, (aa - ab + bb) / L**2))
        found = ca.vertcat(*rows)
        if rod.axis is None:
            return found
        w, al, _, _ = Strut(rod, self.state).absolute(self.motion)
        spins = []
        for unit in self.units:
            turn = Strut(rod, unit.state).absolute(unit)[1]
            spins.append(turn[0] * al[0] + w[0] * (turn[1] * w[2] - turn[2] * w[1]))
        return ca.horzcat(found, ca.vertcat(*spins), self._strut_friction(rod))

    def _cylinder(self, cylinder: Cylinder) -> SX:
        w, al, A, tip_A = Strut(cylinder, self.state).absolute(self.motion)
        barrel, rod = wrench_columns(w, al, A), wrench_columns(w, al, tip_A)
        rows = []
        for unit in self.units:
            _, turn, foot, tip = Strut(cylinder, unit.state).absolute(unit)
            of_barrel = times(foot.T, barrel.force) + times(turn.T, barrel.moment)
            of_rod = times(tip.T, rod.force) + times(turn.T, rod.moment)
            rows.append(ca.horzcat(of_barrel, of_rod))
        return ca.horzcat(ca.vertcat(*rows), self._strut_friction(cylinder))

    def _strut_friction(self, element: Rod | Cylinder) -> SX:
        """Of the joints at both ends."""
        here = Strut(element, self.state)
        foot, tip = here.ends
        w = here.motion[2]
        at_tip = w - here.components(tip.w - foot.w)
        rows = []
        for unit in self.units:
            there = Strut(element, unit.state)
            foot, tip = there.ends
            al = there.motion[3]
            turn = al - there.components(tip.al - foot.al)
            ball = at_tip * turn
            ball = ca.sum1(ball) if here.spins else ball[1] + ball[2]
            rows.append(ca.horzcat(ca.dot(w, al), ball))
        return ca.vertcat(*rows)

    def _drive(self, each: Element | Motor) -> SX:
        _, qd, qdd = self.robot.dynamics.joint_motion(each.name, self.state)
        felt = self.robot.felt(each.name)
        return ca.horzcat(*[felt * part for part in (qdd, *friction_columns(each.friction, qd))])

    def _stribeck(self, each: Element | Motor) -> SX:
        qd = self.robot.dynamics.joint_motion(each.name, self.state)[1]
        return self.robot.felt(each.name) * stribeck_shape(each.friction, qd, qd)

    def _under_load(self, each: Element | Motor) -> SX:
        """Linear with the robot's own bodies only."""
        qd = self.robot.dynamics.joint_motion(each.name, self.state)[1]
        k = self.robot.model.effort_names.index(each.name)
        return self.robot.felt(each.name) * ca.sign(qd) * ca.fabs(self.robot.carried(self.cdd)[k])

    def _ball(self, joint: MechanismJoint) -> SX:
        a, b = self.state.both(joint)
        w, rows = b.w - a.w, []
        for unit in self.units:
            a, b = unit.state.both(joint)
            rows.append(ca.dot(w, b.al - a.al))
        return ca.vertcat(*rows)

    def _spring(self, each: MechanismJoint | Cylinder) -> SX:
        assert each.spring is not None
        x = self.robot.dynamics.joint_motion(each.name, self.state)[0]
        away = x + (each.length if isinstance(each, Cylinder) else 0.0) - each.spring.free
        felt = self.robot.felt(each.name)
        return ca.horzcat(felt * away, felt)

    def _point_spring(self, spring: PointSpring) -> SX:
        a, b = self.state.both(spring)
        S = b.p - a.p
        L = ca.norm_2(S)
        rows = []
        for unit in self.units:
            ua, ub = unit.state.both(spring)
            along = ca.dot(S / L, ub.a - ua.a)
            rows.append(ca.horzcat(along * (L - spring.spring.free), along))
        return ca.vertcat(*rows)
