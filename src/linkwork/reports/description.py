"""The robot itself in a report: what it is, and its joints or legs as the robot file describes them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

import numpy as np

from linkwork.formatting import number, numbers, shown
from linkwork.interface.arm import Arm
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Mechanism, Robot
from linkwork.mechanics.mechanism.description import describe
from linkwork.reports.cells import EMPTY
from linkwork.reports.tables import Table
from linkwork.robots.mechanism_elements import motor_terms

LIMITS = ("position limits", "velocity limit", "effort limit")


def robot_sentences(robot: Robot) -> str:
    """What the robot is, in a sentence or two, and where its numbers come from."""
    source = f"\n\nSource: {robot.model.source.strip()}" if robot.model.source else ""
    gravity = _numbers(robot.model.gravity)
    return f"**{robot.name}** is {_kind(robot)} Gravity is ({gravity}) m/s².{source}"


@singledispatch
def _kind(robot: Robot) -> str:
    return f"a mechanism with {robot.n} actuated {robot.noun}s."


@_kind.register
def _(robot: Arm) -> str:
    joints = robot.model.joints
    kinds = "".join("R" if joint.is_revolute else "P" for joint in joints)
    mass = sum(joint.body.mass for joint in joints)
    return f"a serial arm of {robot.n} joints ({kinds}); its links weigh {number(mass)} kg together."


@_kind.register
def _(robot: Platform) -> str:
    body = robot.model.platform
    legs = sum(leg.lower.mass + leg.upper.mass for leg in robot.model.legs)
    return (
        f"a Stewart platform with six legs. Platform and payload weigh {number(body.mass)} kg, with the "
        f"centre of mass at ({_numbers(body.center_of_mass)}) m; the legs weigh {number(legs)} kg "
        "together."
    )


@_kind.register
def _(robot: Mechanism) -> str:
    found = describe(robot.mechanism)
    words = [f"a mechanism of {robot.mechanism.made_of} that weighs {number(found.mass)} kg together."]
    words.append(f"Its {len(found.freedoms)} freedoms are {', '.join(found.freedoms)}.")
    if found.loops:
        loops = len(found.loops)
        words.append(
            f"It has {loops} loops: {found.relations} joints follow others linearly, "
            f"{found.closed_forms} blocks are solved by closed forms and {found.newton} by Newton's "
            f"method. Redundant constraints: {found.redundant}."
        )
    return " ".join(words)


@_kind.register
def _(robot: ParallelRobot) -> str:
    model = robot.model
    legs = " and ".join(dict.fromkeys(leg.joints_in_words for leg in model.legs))
    mass = sum(joint.body.mass for joint in model.joints)
    follow = f"; {', '.join(model.parasitic)} follow" if model.parasitic else ""
    return (
        f"a parallel robot with {len(model.legs)} legs ({legs}) and {robot.n} actuators; it moves in "
        f"{', '.join(model.coordinates)}{follow}. The platform weighs {number(model.platform.mass)} kg, "
        f"the legs {number(mass)} kg together."
    )


@singledispatch
def robot_table(robot: Robot) -> Table:
    """Joints or legs with their limits."""
    rows = [(name, *_limits(robot, k)) for k, name in enumerate(robot.efforts.names)]
    return Table((robot.noun, *LIMITS), tuple(rows))


@robot_table.register
def _(robot: Arm) -> Table:
    header = (
        "joint", "kind", "link mass [kg]", "rotor at the joint [kg m² or kg]",
        "viscous friction [N m s or N s/m]", *LIMITS,
    )  # fmt: skip
    rows = [
        (
            joint.name,
            joint.kind,
            joint.body.mass,
            joint.rotor.reflected or None,
            joint.friction.viscous or None,
            *_limits(robot, k),
        )
        for k, joint in enumerate(robot.model.joints)
    ]
    return Table(header, tuple(rows))


@robot_table.register
def _(robot: Mechanism) -> Table:
    """All joints and cylinders, those with motors with their limits."""
    header = ("joint", "kind", "between", "motor", *LIMITS)
    motors = {terms[0][0]: k for k, terms in enumerate(motor_terms(robot.mechanism).values())}
    rows = []
    kinds = [(joint.name, str(joint.kind), joint.joins) for joint in robot.mechanism.joints]
    kinds += [(each.name, type(each).__name__.lower(), each.joins) for each in robot.mechanism.struts]
    for name, kind, joins in kinds:
        k = motors.get(name)
        limits = (EMPTY,) * 3 if k is None else _limits(robot, k)
        motor = EMPTY if k is None else robot.efforts.names[k]
        rows.append((name, kind, " – ".join(joins), motor, *limits))
    return Table(header, tuple(rows))


def _limits(robot: Robot, k: int) -> tuple[str, str, str]:
    """Position, velocity and effort of an actuator, in the units of the robot file."""
    limits, effort_unit = robot.limits, robot.efforts.units[k]
    unit = "rad" if effort_unit == "N m" else "m"

    def cell(value: float, unit: str) -> str:
        return _signed(shown(value, unit, robot.angle_unit)) if np.isfinite(value) else EMPTY

    ends = [cell(bound, unit) for bound in limits.position[k]]
    position = EMPTY if ends == [EMPTY, EMPTY] else " … ".join(ends)
    return position, cell(limits.velocity[k], f"{unit}/s"), cell(limits.effort[k], effort_unit)


@robot_table.register
def _(robot: Platform) -> Table:
    rows = [
        (
            leg.name,
            leg.joints,
            _numbers(leg.base_point),
            _numbers(leg.platform_point),
            leg.lower.mass,
            leg.upper.mass,
        )
        for leg in robot.model.legs
    ]
    points = ("base point [m]", "platform point [m]")
    return Table(("leg", "joints", *points, "lower part [kg]", "upper part [kg]"), tuple(rows))


def _numbers(values: Iterable[float]) -> str:
    return _signed(numbers(values, between=", "))


def _signed(text: str) -> str:
    return text.replace("-", "−")
