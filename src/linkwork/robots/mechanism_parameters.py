"""The parameters that a mechanism's efforts are linear in, taken out of its description and put back.

Ten of every body about the origin of its frame, in its axes. Of a rod mass, first moment and inertia
across it, both about its start; if universal joints tell its spin, inertia about its axis and friction
of both ends. Ten of barrel and rod of every cylinder about its ends, in its axes, and friction of the
ends. Rotor, friction and offset of joints and cylinders; viscous friction of universal and ball joints;
stiffness and preload of springs; rotors of motors with ratios.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linkwork.robots.arm import Friction
from linkwork.robots.geometry import Array, Transform, frozen
from linkwork.robots.mechanism import Cylinder, MechanismModel, Part, PointSpring, Rod, Spring
from linkwork.robots.mechanism_elements import ball_joints, elements
from linkwork.robots.parameters import BODY, DRIVE, FreeParameters, Parameters, body_from, of_body

ROD = ("m", "mx", "Jyy")
SPINNING_ROD = (*ROD, "Jxx", "viscous_start", "viscous_end")
CYLINDER = (
    *(f"barrel.{name}" for name in BODY),
    *(f"rod.{name}" for name in BODY),
    "universal",
    "spherical",
)
SPRING = ("stiffness", "preload")


def _rod_names(rod: Rod) -> tuple[str, ...]:
    return ROD if rod.axis is None else SPINNING_ROD


def _springs(model: MechanismModel) -> list[tuple[str, Spring]]:
    held = [(each.name, each.spring) for each in elements(model) if each.spring is not None]
    return held + [(each.name, each.spring) for each in model.springs]


def mechanism_parameters(model: MechanismModel) -> Parameters:
    """All parameters, in the order of the regressor's columns."""
    table: list[tuple[str, tuple[str, ...], list[float]]] = []
    for part in model.parts:
        table.append((part.name, BODY, of_body(part.body.seen_from(part.frame))))
    for rod in model.rods:
        table.append((rod.name, _rod_names(rod), _of_rod(rod)))
    for each in model.cylinders:
        values = [*of_body(each.barrel), *of_body(each.rod), each.universal, each.spherical]
        table.append((each.name, CYLINDER, values))
    for element in elements(model):
        f = element.friction
        drive = [element.rotor, f.viscous, f.coulomb_forward, f.coulomb_backward, f.offset]
        table.append((element.name, DRIVE, drive))
    for joint in ball_joints(model):
        table.append((joint.name, ("viscous",), [joint.friction.viscous]))
    for name, spring in _springs(model):
        table.append((name, SPRING, [spring.stiffness, spring.preload]))
    for motor in model.motors:
        table.append((motor.name, ("rotor",), [motor.rotor]))
    names = tuple(f"{owner}.{word}" for owner, words, _ in table for word in words)
    return Parameters(names, frozen([value for *_, values in table for value in values]))


def _of_rod(rod: Rod) -> list[float]:
    first = rod.mass * rod.center * rod.length
    values = [rod.mass, first, rod.across + first * rod.center * rod.length]
    return values if rod.axis is None else [*values, rod.axial, *rod.viscous]


def mechanism_with(model: MechanismModel, values: Array) -> MechanismModel:
    """The mechanism with other parameters."""
    rest = iter(values.tolist())

    def some(count: int) -> list[float]:
        return [next(rest) for _ in range(count)]

    parts = tuple(_part_with(part, some(len(BODY))) for part in model.parts)
    rods = tuple(_rod_with(rod, some(len(_rod_names(rod)))) for rod in model.rods)
    cylinders = {each.name: _cylinder_with(each, some(len(CYLINDER))) for each in model.cylinders}
    joints = {joint.name: joint for joint in model.joints}
    for each in elements(model):
        rotor, *friction = some(len(DRIVE))
        if isinstance(each, Cylinder):
            changed = cylinders[each.name]
            cylinders[each.name] = replace(changed, rotor=rotor, friction=Friction(*friction))
        else:
            joints[each.name] = replace(each, rotor=rotor, friction=Friction(*friction))
    for joint in ball_joints(model):
        joints[joint.name] = replace(joint, friction=Friction(*some(1)))
    for each in elements(model):
        if each.spring is None:
            continue
        spring = _spring_with(each.spring, rest)
        if isinstance(each, Cylinder):
            cylinders[each.name] = replace(cylinders[each.name], spring=spring)
        else:
            joints[each.name] = replace(joints[each.name], spring=spring)
    springs = tuple(_point_spring_with(each, rest) for each in model.springs)
    motors = tuple(replace(motor, rotor=next(rest)) for motor in model.motors)
    return replace(
        model,
        parts=parts,
        rods=rods,
        cylinders=tuple(cylinders.values()),
        joints=tuple(joints.values()),
        springs=springs,
        motors=motors,
    )


def _part_with(part: Part, values: list[float]) -> Part:
    inverse: Transform = part.frame.inverse()
    return replace(part, body=body_from(np.array(values), part.name).seen_from(inverse))


def _rod_with(rod: Rod, values: list[float]) -> Rod:
    mass, first, about, *spin = values
    center = first / (mass * rod.length) if mass else rod.center
    across = about - first * center * rod.length
    changed = replace(rod, mass=mass, center=center, across=across)
    if not spin:
        return changed
    axial, start, end = spin
    return replace(changed, axial=axial, viscous=(start, end))


def _cylinder_with(each: Cylinder, values: list[float]) -> Cylinder:
    k = len(BODY)
    barrel = body_from(np.array(values[:k]), f"{each.name}, barrel")
    rod = body_from(np.array(values[k : 2 * k]), f"{each.name}, rod")
    return replace(each, barrel=barrel, rod=rod, universal=values[-2], spherical=values[-1])


def _spring_with(spring: Spring, rest: Iterator[float]) -> Spring:
    stiffness = next(rest)
    return replace(spring, stiffness=stiffness, preload=next(rest))


def _point_spring_with(each: PointSpring, rest: Iterator[float]) -> PointSpring:
    return replace(each, spring=_spring_with(each.spring, rest))


def free_mechanism_parameters(model: MechanismModel) -> FreeParameters:
    """Every parameter on its own; a cylinder on balls at both ends stays symmetric about its axis."""
    own = mechanism_parameters(model)
    symmetric = {each.name for each in model.cylinders if each.axis is None}
    groups: dict[str, list[int]] = {}
    for k, name in enumerate(own.names):
        owner, _, kind = name.rpartition(".")
        cylinder, _, _ = owner.rpartition(".")
        if cylinder in symmetric:
            if kind in ("my", "mz", "Jxy", "Jxz", "Jyz"):
                continue
            name = f"{owner}.{'Jyy' if kind == 'Jzz' else kind}"
        groups.setdefault(name, []).append(k)
    matrix = np.zeros((len(own), len(groups)))
    for column, rows in enumerate(groups.values()):
        matrix[rows, column] = 1.0
    return FreeParameters(tuple(groups), frozen(matrix))
