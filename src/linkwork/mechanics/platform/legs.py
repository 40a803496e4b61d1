"""Legs of a platform: the cylinders of its mechanism, which stand on the base."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, vector
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.reactions import Reactions, Recorded
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.mechanism.struts import Strut
from linkwork.mechanics.published.dynamics import LegKinematics, LegReactions
from linkwork.model.mechanism import tool_frame


def legs_of(robot: MechanismDynamics, state: MechanismState) -> list[Strut]:
    """In the order of the robot file."""
    return [Strut(cylinder, state) for cylinder in robot.model.cylinders]


def lengths(robot: MechanismDynamics) -> list[SX]:
    return [ca.norm_2(leg.S) for leg in legs_of(robot, robot.place)]


def columns(robot: MechanismDynamics) -> list[SX]:
    """[s; q x s] of every leg: what its unit force does to the platform, whatever its joints."""
    found = []
    for leg in legs_of(robot, robot.place):
        s = leg.S / ca.norm_2(leg.S)
        found.append(ca.vertcat(s, cross(leg.ends[1].lever, s)))
    return found


def newton(robot: MechanismDynamics, wanted: SX, steps: int) -> tuple[SX, SX]:
    """The pose after some steps toward these lengths, and the largest error [m] that is left.

    On squared lengths, which need no root: S.(dt + dtheta x q) = (wanted^2 - S.S) / 2.
    """
    for _ in range(steps):
        legs = legs_of(robot, robot.place)
        J = ca.vertcat(*[ca.vertcat(leg.S, cross(leg.ends[1].lever, leg.S)).T for leg in legs])
        miss = [(wanted[k] ** 2 - ca.sumsqr(leg.S)) / 2 for k, leg in enumerate(legs)]
        step = solve_orthogonal([J[:, k] for k in range(6)], ca.vertcat(*miss))
        robot = replace(robot, c=robot.layout.stepped(robot.c, step))
    return robot.c, greatest([ca.fabs(L - wanted[k]) for k, L in enumerate(lengths(robot))])


def greatest(values: list[SX]) -> SX:
    most = values[0]
    for value in values[1:]:
        most = ca.fmax(most, value)
    return most


class CenterMotion(NamedTuple):
    """One body in base axes: c, c', c'' of its center of mass, w and w'."""

    center: SX
    center_velocity: SX
    center_acceleration: SX
    angular_velocity: SX
    angular_acceleration: SX


def _turning(origin: SX, r: SX, v: SX, a: SX, w: SX, al: SX) -> CenterMotion:
    """A body turning with w and al, its center of mass at r from a point that moves with v and a."""
    swept = cross(w, r)
    return CenterMotion(origin + r, v + swept, a + cross(al, r) + cross(w, swept), w, al)


def body_motions(robot: MechanismDynamics, acceleration: SX) -> list[CenterMotion]:
    """Lower parts of all legs, upper parts of all legs, the platform."""
    state = robot.moving(acceleration)
    lower: list[CenterMotion] = []
    upper: list[CenterMotion] = []
    for leg, cylinder in zip(legs_of(robot, state), robot.model.cylinders, strict=True):
        w, al = (leg.from_components(each) for each in leg.motion[2:])
        for found, half, end in zip(
            (lower, upper), (cylinder.barrel, cylinder.rod), leg.ends, strict=True
        ):
            r = leg.from_components(number(half.center_of_mass))
            found.append(_turning(end.p, r, end.v, end.a, w, al))
    name = tool_frame(robot.model)[0]
    center = robot.model.part(name).body.center_of_mass
    seen = state.view(name, center, robot.plan.of_body[name].group)
    return [*lower, *upper, CenterMotion(seen.p, seen.v, seen.a, seen.w, seen.al)]


def kinematics(robot: MechanismDynamics, acceleration: SX) -> list[LegKinematics]:
    """Of every leg, with its true spin."""
    found = []
    for leg in legs_of(robot, robot.moving(acceleration)):
        Ld, Ldd, w, al = leg.motion
        turning = leg.from_components(w), leg.from_components(al)
        found.append(LegKinematics(leg.frame[0], Ld, Ldd, leg.frame[2], *turning))
    return found


def reactions(robot: MechanismDynamics, acceleration: SX) -> list[LegReactions]:
    """Forces and moments in the joints of every leg, by its own names."""
    whole = Reactions(robot.dynamics, by_name(robot.model, acceleration))
    nothing = Recorded(whole.state)  # no loop is closed by an equation
    found = []
    for leg in legs_of(robot, whole.state):
        (at_foot, _), (in_slide, moment), (at_tip, _) = whole.in_cylinder(leg, nothing).values()
        # Joints without their own friction, the slide with the actuator.
        held = leg.load(whole.motion, robot.friction).held
        push = vector(whole.efforts[leg.element.name], in_slide[1], in_slide[2])
        parts = (-at_tip, at_foot, held, push, moment, moment - cross(vector(leg.frame[0], 0, 0), push))
        found.append(LegReactions(*(leg.from_components(each) for each in parts)))
    return found
