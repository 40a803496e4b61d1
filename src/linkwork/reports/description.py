"""The robot itself in a report: what it is, and its joints or legs as the robot file describes them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from linkwork.formatting import number, numbers, shown
from linkwork.interface.arm import Arm
from linkwork.interface.parallel import ParallelRobot
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Robot
from linkwork.plotting.lines import span
from linkwork.reports.cells import EMPTY
from linkwork.reports.tables import Table


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
    limits, efforts = robot.limits, robot.efforts
    rows = [
        (name, span(*limits.position[k]), limits.velocity[k], limits.effort[k], efforts.units[k])
        for k, name in enumerate(efforts.names)
    ]
    header = (robot.noun, "position limits [SI]", "velocity limit [SI]", "effort limit", "unit")
    return Table(header, tuple(rows))


@robot_table.register
def _(robot: Arm) -> Table:
    header = (
        "joint", "kind", "link mass [kg]", "rotor at the joint [kg m² or kg]",
        "viscous friction [N m s or N s/m]", "position limits", "velocity limit", "effort limit",
    )  # fmt: skip
    rows, angles = [], robot.angle_unit
    for joint in robot.model.joints:
        limits, unit = joint.limits, "rad" if joint.is_revolute else "m"
        position = EMPTY
        if limits.position is not None:
            position = " … ".join(_signed(shown(bound, unit, angles)) for bound in limits.position)
        effort = "N m" if joint.is_revolute else "N"
        rows.append(
            (
                joint.name,
                joint.kind,
                joint.body.mass,
                joint.rotor.reflected or None,
                joint.friction.viscous or None,
                position,
                EMPTY if limits.velocity is None else shown(limits.velocity, f"{unit}/s", angles),
                EMPTY if limits.effort is None else shown(limits.effort, effort),
            )
        )
    return Table(header, tuple(rows))


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
