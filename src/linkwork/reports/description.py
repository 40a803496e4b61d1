"""The robot itself in a report: what it is, its joints and its bodies."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.formatting import number, numbers, shown
from linkwork.interface.robot import Robot
from linkwork.mechanics.mechanism.description import describe
from linkwork.reports.cells import EMPTY
from linkwork.reports.tables import Table
from linkwork.robots.mechanism import Cylinder, MechanismJoint, Rod
from linkwork.robots.mechanism_elements import motor_terms, tool_frame

LIMITS = ("position limits", "velocity limit", "effort limit")


def robot_sentences(robot: Robot) -> str:
    """What the robot is, in a few sentences, and where its numbers come from."""
    model, found = robot.mechanism, describe(robot.mechanism)
    name, _ = tool_frame(model)
    body = model.part(name)
    own = body.frame.inverse()
    center = own.R @ body.body.center_of_mass + own.p
    words = [
        f"**{robot.name}** is made of {model.made_of} and weighs {number(found.mass)} kg. The tool is on"
        f" {name}, of {number(body.body.mass)} kg with the centre of mass at ({_numbers(center)}) m in"
        " its own axes.",
        f"Its {len(found.freedoms)} freedoms are {', '.join(found.freedoms)}.",
    ]
    if found.loops:
        words.append(
            f"It has {len(found.loops)} loops: {found.relations} joints follow others linearly, "
            f"{found.closed_forms} blocks are solved by closed forms and {found.newton} by Newton's "
            f"method. Redundant constraints: {found.redundant}."
        )
    words.append(f"Gravity is ({_numbers(model.gravity)}) m/s².")
    source = f"\n\nSource: {model.source.strip()}" if model.source else ""
    return " ".join(words) + source


def robot_table(robot: Robot) -> Table:
    """All joints, rods and cylinders at home, those with motors with their limits."""
    motors = {terms[0][0]: k for k, terms in enumerate(motor_terms(robot.mechanism).values())}
    header = (
        "joint", "kind", "between", "at home [m]", "mass [kg]", "rotor at the joint [kg m² or kg]",
        "viscous friction [N m s or N s/m]", "motor", *LIMITS,
    )  # fmt: skip
    rows = []
    for tie in robot.mechanism.ties:
        k = motors.get(tie.name)
        limits = (None,) * 3 if k is None else _limits(robot, k)
        motor = None if k is None else robot.efforts.names[k]
        rows.append((tie.name, *_made(tie), motor, *limits))
    kept = [j for j in range(len(header)) if any(row[j] not in (None, EMPTY) for row in rows)]
    return Table(
        tuple(header[j] for j in kept),
        tuple(tuple(EMPTY if row[j] is None else row[j] for j in kept) for row in rows),
    )


def _made(tie: MechanismJoint | Rod | Cylinder) -> tuple[object, ...]:
    """Kind, bodies, places, masses of its own, rotor and viscous friction; None for what it has not."""
    between = " – ".join(tie.joins)
    if isinstance(tie, MechanismJoint):
        place = _numbers(tie.at)
        return tie.kind, between, place, None, tie.rotor or None, tie.friction.viscous or None
    places = f"{_numbers(tie.start)} … {_numbers(tie.end)}"
    if isinstance(tie, Rod):
        return "rod", between, places, number(tie.mass) if tie.mass else None, None, None
    masses = f"{number(tie.barrel.mass)} + {number(tie.rod.mass)}"
    kind = f"cylinder on a {tie.hinge} joint"
    return kind, between, places, masses, tie.rotor or None, tie.friction.viscous or None


def body_table(robot: Robot) -> Table:
    """Bodies with their masses; centres of mass at home in base axes."""
    rows = [
        (part.name, part.body.mass, _numbers(part.body.center_of_mass)) for part in robot.mechanism.parts
    ]
    return Table(("body", "mass [kg]", "centre of mass at home [m]"), tuple(rows))


def _limits(robot: Robot, k: int) -> tuple[str, str, str]:
    """Position, velocity and effort of an actuator, in the units of the robot file."""
    limits, effort_unit = robot.limits, robot.efforts.units[k]
    unit = "rad" if effort_unit == "N m" else "m"

    def cell(value: float, unit: str) -> str:
        return _signed(shown(value, unit, robot.angle_unit)) if np.isfinite(value) else EMPTY

    ends = [cell(bound, unit) for bound in limits.position[k]]
    position = EMPTY if ends == [EMPTY, EMPTY] else " … ".join(ends)
    return position, cell(limits.velocity[k], f"{unit}/s"), cell(limits.effort[k], effort_unit)


def _numbers(values: Iterable[float]) -> str:
    return _signed(numbers(values, between=", "))


def _signed(text: str) -> str:
    return text.replace("-", "−")
