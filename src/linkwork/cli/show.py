"""linkwork show: one robot in full."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from linkwork.cli.arguments import AsJson, ReportFile, RobotName, Strict, report_findings, robot_of
from linkwork.cli.output import check_files, print_json, print_table, put_report
from linkwork.core.text import number, numbers, shown_unit, with_unit

if TYPE_CHECKING:
    from linkwork.core.table_files import Plain
    from linkwork.model.geometry import Body
    from linkwork.model.mechanism import MechanismModel
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.arm import Arm
    from linkwork.robot.platform import Platform
    from linkwork.robot.robot import Robot

ROUNDING = 1e-12  # of the greatest effort, below which others are zero


def show(
    robot: RobotName,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    json: AsJson = False,
    report: ReportFile = None,
) -> None:
    """Show geometry, masses, limits, friction, home configuration and warnings of a robot.

    \b
    Example:
      linkwork show puma560
    """
    from linkwork.model.findings import lint

    check_files(None, report, None)
    found = robot_of(robot, chain=chain)
    report_findings(lint(robot, chain), strict)
    if report:
        from linkwork.reports.robot import robot_report

        put_report(partial(robot_report, found), report)
    if json:
        from linkwork.model.robot_files import robot_document

        print_json(robot_document(found.model))
        return
    model = found.model
    print(f"{model.name}: {model.in_brief}, {number(model.mass)} kg")
    print(f"gravity [m/s^2]: {numbers(model.gravity)}")
    if model.payload is not None:
        load = model.payload.body
        place = numbers(load.center_of_mass)
        print(
            f"payload: {number(load.mass)} kg at {place} m of the tool, part of the body that carries it"
        )
    if model.source:
        print(textwrap.fill(f"source: {' '.join(model.source.split())}", 79, subsequent_indent="  "))
    print()
    _show_parts(found)


def _show_parts(robot: Robot) -> None:
    """Geometry as the file of a family gives it, then tree, loops, motors and limits as of all."""
    own = BY_FAMILY.get(robot.model.kind)
    if own is None:
        show_mechanism(robot)
        show_actuators(robot)
        return
    own(robot)
    print()
    show_found(robot)


def show_actuators(robot: Robot) -> None:
    import numpy as np

    still = np.zeros((1, len(robot.velocities)))
    home = robot.home[None]
    position, velocity = robot.quantities(home, still)[:2]
    rows = []
    for k, (name, effort) in enumerate(zip(robot.efforts.names, robot.efforts.units, strict=True)):
        factor, unit = shown_unit(position.units[k], robot.angle_unit)
        faster, per_second = shown_unit(velocity.units[k], robot.angle_unit)
        bounds = (float(position.low[k]), float(position.high[k]))
        limited = all(map(math.isfinite, bounds))
        at_home = number(factor * float(position.values[0, k]), scale=360.0)
        fast, strong = float(velocity.high[k]), float(robot.limits.effort[k])
        rows.append(
            (name, at_home, _span(bounds if limited else None, factor), unit,
             number(faster * fast) if math.isfinite(fast) else "-", per_second,
             number(strong) if math.isfinite(strong) else "-", effort)
        )  # fmt: skip
    headers = (robot.actuated_element, "at home", "range", "unit", "velocity", "", "effort", " ")
    print_table(headers, rows, title="Actuators and their limits", left=("unit", "", " "))
    shown = (
        f"{name} {number(value * factor, scale=1.0)}" + (f" {unit}" if unit != "1" else "")
        for name, value, (factor, unit) in zip(
            robot.coordinates.names, robot.home, _units(robot), strict=True
        )
    )
    print(f"home configuration: {', '.join(shown)}")
    _show_holding(robot)


def _units(robot: Robot) -> list[tuple[float, str]]:
    """Factors and units of the coordinates as they are shown."""
    return [shown_unit(unit, robot.angle_unit) for unit in robot.coordinates.units]


def show_bodies(title: str, bodies: dict[str, Body]) -> None:
    """Products of inertia only if there are any."""
    places = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
    shown = {n: at for n, at in places.items() if at[0] == at[1] or _any(bodies, at)}
    print_table(
        ("body", "mass", "x", "y", "z", *shown),
        [
            (
                name,
                number(body.mass),
                *(number(float(value), 3) for value in body.center_of_mass),
                *(number(float(body.inertia[at]), 3) for at in shown.values()),
            )
            for name, body in bodies.items()
        ],
        title=title,
    )


def _any(bodies: dict[str, Body], at: tuple[int, int]) -> bool:
    return any(body.inertia[at] for body in bodies.values())


def _show_arm(arm: Arm) -> None:
    from linkwork.model.families.arm_file import arm_document

    _arm_geometry(arm_document(arm.model), *shown_unit("rad", arm.angle_unit))
    joints = arm.model.joints
    show_bodies(
        "Links: mass [kg], center of mass x y z [m], inertia about it [kg m^2]; link frames",
        {j.name: j.body for j in joints},
    )
    print_table(
        ("joint", "range", "unit", "velocity", "", "effort", " ", "viscous", "Coulomb +", "-", "rotor"),
        [
            (
                joint.name,
                _span(joint.limits.position, factor),
                unit,
                number(None if joint.limits.velocity is None else factor * joint.limits.velocity),
                f"{unit}/s",
                number(joint.limits.effort),
                effort,
                number(joint.friction.viscous, 3),
                number(joint.friction.coulomb_forward, 3),
                number(joint.friction.coulomb_backward, 3),
                number(joint.rotor.reflected, 3),
            )
            for joint, (factor, unit), effort in zip(joints, _units(arm), arm.efforts.units, strict=True)
        ],
        title="Limits; friction and rotor inertia as the joint feels them [SI]",
        left=("unit", "", " "),
    )
    tip = arm.forward_kinematics(arm.home)
    shown = [factor * value for value, (factor, _) in zip(arm.home, _units(arm), strict=True)]
    units = " or ".join(dict.fromkeys(unit for _, unit in _units(arm)))
    print(
        f"home configuration: q = {numbers(shown)} [{units}], the last frame at {numbers(tip[:3, 3])} m"
    )
    _show_holding(arm)


def _show_holding(robot: Robot) -> None:
    """What holds the robot at home, the greatest effort of every unit."""
    import numpy as np

    if robot.n < len(robot.velocities):
        print("there are fewer motors than freedoms: nothing holds it there")
        return

    efforts, load = robot.efforts, np.abs(robot.gravity_load(robot.home))
    load[load < ROUNDING * load.max()] = 0.0
    held = []
    for unit in dict.fromkeys(efforts.units):
        own = [k for k, other in enumerate(efforts.units) if other == unit]
        most = max(own, key=lambda k: load[k])
        held.append(f"{with_unit(float(load[most]), unit)} ({efforts.names[most]})")
    print(f"greatest effort that holds it there: {' and '.join(held)}")


def _span(bounds: tuple[float, float] | None, factor: float = 1.0) -> str:
    return "-" if bounds is None else f"{number(bounds[0] * factor)} .. {number(bounds[1] * factor)}"


def _arm_geometry(document: Plain, factor: float, unit: str) -> None:
    links = document["links"]
    if document["convention"] == "general":
        _general_geometry(links, factor, unit)
        return
    print_table(
        ("joint", "kind", f"theta [{unit}]", "d [m]", "a [m]", f"alpha [{unit}]"),
        [
            (
                link["name"],
                link["joint"],
                number(factor * link["theta"]),
                number(link["d"]),
                number(link["a"]),
                number(factor * link["alpha"]),
            )
            for link in links
        ],
        title=f"Denavit-Hartenberg table, {document['convention']}: the joint adds to theta or d",
        left=("kind",),
    )


def _general_geometry(links: list[Plain], factor: float, unit: str) -> None:
    print_table(
        ("joint", "kind", "position [m]", f"roll pitch yaw [{unit}]", "axis"),
        [
            (
                link["name"],
                link["joint"],
                numbers(link["position"]),
                numbers([factor * angle for angle in link["rpy"]]),
                numbers(link["axis"]),
            )
            for link in links
        ],
        title="Joints in the frame of the link before",
        left=("kind",),
    )


def _show_platform(platform: Platform) -> None:
    legs = platform.model.legs
    lengths = platform.leg_lengths(platform.home)
    print_table(
        ("leg", "joints", "base point", "platform point", "fixed axis", "at home"),
        [
            (
                leg.name,
                leg.joints,
                numbers(leg.base_point),
                numbers(leg.platform_point),
                numbers(leg.fixed_axis, 3),
                number(length, 5),
            )
            for leg, length in zip(legs, lengths, strict=True)
        ],
        title="Legs: points [m], axis of the universal joint that is fixed, length at home [m]",
        left=("joints",),
    )
    bodies = {"platform": platform.model.platform}
    for side in ("lower", "upper"):
        parts = {leg.name: getattr(leg, side) for leg in legs}
        bodies |= _merged(side, parts)
    factor, unit = shown_unit("rad", platform.angle_unit)
    show_bodies("Bodies: mass [kg], center of mass x y z [m], inertia about it [kg m^2]", bodies)
    print_table(
        ("leg", "length [m]", "velocity [m/s]", "force [N]", f"swing [{unit}]", "friction U P S"),
        [
            (
                leg.name,
                _span(leg.limits.length),
                number(leg.limits.rate),
                number(leg.limits.force),
                " ".join(
                    number(None if a is None else a * factor)
                    for a in (leg.limits.universal_angle, leg.limits.spherical_angle)
                ),
                numbers((leg.friction.universal, leg.friction.prismatic, leg.friction.spherical)),
            )
            for leg in legs
        ],
        title="Limits (swing of universal and spherical joint) and friction",
    )
    condition = float(platform.condition_number(platform.home))
    given = "home pose" if platform.model.home is not None else "home pose (chosen, the file gives none)"
    print(f"{given}: {numbers(platform.home, 5)} (x y z [m], qw qx qy qz)")
    print(f"condition number at home: {number(condition)}")
    _show_holding(platform)


def _merged(side: str, parts: dict[str, Body]) -> dict[str, Body]:
    """Bodies of one side; as one if all legs have the same."""
    import numpy as np

    def same(a: Body, b: Body) -> bool:
        pairs = ((a.center_of_mass, b.center_of_mass), (a.inertia, b.inertia))
        return a.mass == b.mass and all(np.array_equal(*pair) for pair in pairs)

    first = next(iter(parts.values()))
    if all(same(first, part) for part in parts.values()):
        return {f"{side} parts": first}
    return {f"{name} {side}": part for name, part in parts.items()}


# What the file of a family says besides: a Denavit-Hartenberg table, places of legs.
BY_FAMILY: dict[str, Callable[[Any], None]] = {"arm": _show_arm, "stewart-platform": _show_platform}


def show_mechanism(robot: Robot) -> None:
    """Bodies, joints, rods and cylinders; tree, loops and how they are solved."""
    model = robot.mechanism
    show_bodies(
        "Bodies: mass [kg], center of mass x y z [m], inertia about it [kg m^2]; at home, base axes",
        {part.name: part.body for part in model.parts},
    )
    _show_joints(model)
    _show_struts(model)
    show_found(robot)


def _show_joints(model: MechanismModel) -> None:
    from linkwork.model.mechanism import JOINT_LETTERS

    if not model.joints:
        return
    print_table(
        ("joint", "kind", "joins", "at", "axis", "viscous", "Coulomb", "rotor"),
        [
            (
                joint.name,
                JOINT_LETTERS[joint.kind],
                " - ".join(joint.joins),
                numbers(joint.at),
                "; ".join(numbers(axis, 3) for axis in joint.axes) or "-",
                number(joint.friction.viscous or None, 3),
                number(joint.friction.coulomb_forward or None, 3),
                number(joint.rotor or None, 3),
            )
            for joint in model.joints
        ],
        title="Joints at home [m]; friction and rotor inertia [SI]",
        left=("kind", "joins"),
    )


def _show_struts(model: MechanismModel) -> None:
    struts = model.struts
    if not struts:
        return
    masses = [strut.mass for strut in model.rods]
    masses += [each.barrel.mass + each.rod.mass for each in model.cylinders]
    print_table(
        ("name", "kind", "joins", "from", "to", "length", "mass"),
        [
            (
                strut.name,
                type(strut).__name__.lower(),
                " - ".join(strut.joins),
                numbers(strut.start),
                numbers(strut.end),
                number(strut.length, 5),
                number(mass),
            )
            for strut, mass in zip(struts, masses, strict=True)
        ],
        title="Rods and cylinders at home [m, kg]",
        left=("kind", "joins"),
    )


def show_found(robot: Robot) -> None:
    """Tree and loops, and how they are solved."""
    from linkwork.mechanics.mechanism.description import describe

    found = describe(robot.mechanism)
    print_table(
        ("body", "on", "by joint", "which is known by"),
        [("  " * one.depth + one.body, one.on, one.joint, one.known_by) for one in found.tree],
        title="Tree: how bodies are placed",
        left=("on", "by joint", "which is known by"),
    )
    if found.loops:
        print_table(
            ("closed by", "kind", "joins", "solved by", "redundant"),
            [
                (one.name, one.kind, " - ".join(one.joins), one.solved_by, str(one.redundant or "-"))
                for one in found.loops
            ],
            title="Loops",
            left=("kind", "joins", "solved by"),
        )
    print(f"freedoms: {len(found.freedoms)} ({', '.join(found.freedoms)})")
    print(f"motors: {len(found.motors)} ({', '.join(found.motors)})")
    if found.couplings:
        print(f"couplings: {', '.join(found.couplings)}")
    if found.loops:
        print(
            f"solved: {found.relations} joints follow others linearly, {found.closed_forms} blocks by "
            f"closed forms, {found.newton} by Newton's method"
        )
        left = "; statics does not determine all reactions" if found.redundant else ""
        print(f"redundant constraints: {found.redundant}{left}")
    print()
