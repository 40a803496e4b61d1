"""linkwork show, of a mechanism: what its file says, and what was found about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.cli.output import print_table
from linkwork.formatting import number, numbers

if TYPE_CHECKING:
    from linkwork.interface.robot import Robot
    from linkwork.robots.mechanism import MechanismModel


def show_mechanism(robot: Robot) -> None:
    """Bodies, joints, rods and cylinders; tree, loops and how they are solved."""
    from linkwork.cli.show import show_bodies

    model = robot.mechanism
    show_bodies(
        "Bodies: mass [kg], centre of mass x y z [m], inertia about it [kg m^2]; at home, base axes",
        {part.name: part.body for part in model.parts},
    )
    _show_joints(model)
    _show_struts(model)
    show_found(robot)


def _show_joints(model: MechanismModel) -> None:
    from linkwork.mechanics.mechanism.description import LETTERS

    if not model.joints:
        return
    print_table(
        ("joint", "kind", "joins", "at", "axis", "viscous", "Coulomb", "rotor"),
        [
            (
                joint.name,
                LETTERS[joint.kind],
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
