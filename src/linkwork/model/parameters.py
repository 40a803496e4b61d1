"""The parameters that efforts are linear in, taken out of a robot's description and put back.

Bodies by mass, first moment and inertia about the origin of their frame, as they enter linearly; drives
and joints by their friction. Of a mechanism's rod mass, first moment and inertia across it, both about
its start; if universal joints tell its spin, inertia about its axis and friction of both ends. Stiffness
and preload of springs; rotor and friction of motors with ratios.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import real
from linkwork.core.errors import InputError
from linkwork.core.rotations import skew
from linkwork.model.drive import bare_drive
from linkwork.model.families.arm import ArmModel, Joint
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.families.stewart import LegFriction, PlatformModel
from linkwork.model.geometry import Array, Body, frozen
from linkwork.model.joint import Friction, Rotor
from linkwork.model.mechanism import (
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Rod,
    Spring,
    ball_joints,
    elements,
    shafts,
)

BODY = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
DRIVE = ("rotor", "viscous", "coulomb_forward", "coulomb_backward", "offset")
JOINT = (*BODY, *DRIVE)
LEG_FRICTION = ("universal", "prismatic", "spherical")
STRIBECK = "stribeck"
LOAD_FRICTION = "load_friction"
LAWS = (STRIBECK, LOAD_FRICTION)  # of friction, that only some joints have
FRICTION = (*DRIVE[1:], *LEG_FRICTION, "coulomb", "viscous_start", "viscous_end", *LAWS)
ROTOR = DRIVE[0]
LEG = (*(f"lower.{name}" for name in BODY), *(f"upper.{name}" for name in BODY), *LEG_FRICTION)
ROD = ("m", "mx", "Jyy")
SPINNING_ROD = (*ROD, "Jxx", "viscous_start", "viscous_end")
CYLINDER = (
    *(f"barrel.{name}" for name in BODY),
    *(f"rod.{name}" for name in BODY),
    "universal",
    "spherical",
)
SPRING = ("stiffness", "preload")
OFF_AXIS = ("my", "mz", "Jxy", "Jxz", "Jyz")  # zero of a body that is symmetric about x


@dataclass(frozen=True, eq=False)
class Parameters:
    """Names such as `shoulder.mx` and their values, in the order of the regressor's columns."""

    names: tuple[str, ...]
    values: Array

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class FreeParameters:
    """Parameters that vary on their own, and how all parameters follow: changes are `matrix @ changes`.

    Legs that share their parameters have one such for all six; a leg on spherical joints at both ends
    stays symmetric about its axis.
    """

    names: tuple[str, ...]
    matrix: Array  # (p, f)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def inverse(self) -> Array:
        """Free parameters from all, (f, p): means of those that are one here."""
        return np.asarray(self.matrix.T / (self.matrix**2).sum(axis=0)[:, None])

    def without(self, kinds: Iterable[str]) -> FreeParameters:
        """Those whose names do not end in one of `kinds`."""
        left_out = tuple(kinds)
        kept = [k for k, name in enumerate(self.names) if name.rpartition(".")[2] not in left_out]
        return FreeParameters(tuple(self.names[k] for k in kept), frozen(self.matrix[:, kept]))


def all_free(own: Parameters) -> FreeParameters:
    """Every parameter on its own."""
    return FreeParameters(own.names, frozen(np.eye(len(own))))


def free_platform_parameters(model: PlatformModel, shared_legs: bool) -> FreeParameters:
    """Those of the platform and of its legs; with `shared_legs` the legs change alike."""
    symmetric = {leg.name for leg in model.legs if leg.joints == "SPS"}
    alike = {*model.leg_names} if shared_legs else set()
    return _free(platform_parameters(model), symmetric, alike=alike)


def free_mechanism_parameters(model: MechanismModel) -> FreeParameters:
    """Every parameter on its own; a cylinder on balls at both ends stays symmetric about its axis, a
    point mass a point."""
    points = {part.name for part in model.parts if part.point}
    symmetric = {each.name for each in model.cylinders if each.axis is None}
    return _free(mechanism_parameters(model), symmetric, points)


def _free(
    own: Parameters, symmetric: Set[str], points: Set[str] = frozenset(), alike: Set[str] = frozenset()
) -> FreeParameters:
    """Legs or cylinders that are `symmetric`, bodies that are `points`, legs that change `alike`."""
    groups: dict[str, list[int]] = {}
    for k, name in enumerate(own.names):
        owner, _, kind = name.rpartition(".")
        leg, _, half = owner.rpartition(".")
        if (owner in points and kind in BODY[1:]) or (leg in symmetric and kind in OFF_AXIS):
            continue
        if leg in symmetric and kind == "Jzz":
            kind = "Jyy"
        if owner in alike:
            owner = "leg"
        elif leg in alike:
            owner = f"leg.{half}"
        groups.setdefault(f"{owner}.{kind}", []).append(k)
    matrix = np.zeros((len(own), len(groups)))
    for column, rows in enumerate(groups.values()):
        matrix[rows, column] = 1.0
    return FreeParameters(tuple(groups), frozen(matrix))


# Out of a description: whose they are, their names, their values.

Row = tuple[str, tuple[str, ...], list[float]]


def _parameters(rows: Iterable[Row]) -> Parameters:
    table = list(rows)
    names = tuple(f"{owner}.{word}" for owner, words, _ in table for word in words)
    return Parameters(names, frozen([value for *_, values in table for value in values]))


def arm_parameters(model: ArmModel) -> Parameters:
    """Fifteen of every joint: its link's body, rotor, friction and offset; then laws that only some
    joints have."""
    rows: list[Row] = [
        (joint.name, JOINT, [*of_body(joint.body), *_of_drive(joint.rotor.reflected, joint.friction)])
        for joint in model.joints
    ]
    return _parameters([*rows, *_laws(model.joints)])


def platform_parameters(model: PlatformModel) -> Parameters:
    """Ten of the platform, then twenty-three of every leg: lower and upper part, friction.

    At the end the Coulomb friction of every leg and the rotors of their motors, if any leg has some.
    """
    rows: list[Row] = [("platform", BODY, of_body(model.platform))]
    for leg in model.legs:
        friction = [leg.friction.universal, leg.friction.prismatic, leg.friction.spherical]
        rows.append((leg.name, LEG, [*of_body(leg.lower), *of_body(leg.upper), *friction]))
    if model.has_coulomb:
        rows += [(leg.name, ("coulomb",), [leg.friction.coulomb]) for leg in model.legs]
    if model.has_rotors:
        rows += [(leg.name, (ROTOR,), [leg.rotor]) for leg in model.legs]
    return _parameters(rows)


def parallel_parameters(model: ParallelModel) -> Parameters:
    """Ten of the platform, then fifteen of every joint, about the joint's point at home in base axes."""
    rows: list[Row] = [("platform", BODY, of_body(model.platform))]
    for joint in model.joints:
        body = Body.of(joint.body.mass, joint.body.center_of_mass - joint.at, joint.body.inertia)
        rows.append((joint.name, JOINT, [*of_body(body), *_of_drive(joint.rotor, joint.friction)]))
    return _parameters(rows)


def mechanism_parameters(model: MechanismModel) -> Parameters:
    """All parameters, in the order of the regressor's columns."""
    rows: list[Row] = []
    for part in model.parts:
        rows.append((part.name, BODY, of_body(part.body.seen_from(part.frame))))
    for rod in model.rods:
        rows.append((rod.name, _rod_names(rod), _of_rod(rod)))
    for each in model.cylinders:
        values = [*of_body(each.barrel), *of_body(each.rod), each.universal, each.spherical]
        rows.append((each.name, CYLINDER, values))
    for element in elements(model):
        rows.append((element.name, DRIVE, _of_drive(element.rotor, element.friction)))
    for joint in ball_joints(model):
        rows.append((joint.name, ("viscous",), [joint.friction.viscous]))
    held = [(each.name, each.spring) for each in (*elements(model), *model.springs)]
    for name, spring in held:
        if spring is not None:
            rows.append((name, SPRING, [spring.stiffness, spring.preload]))
    for motor in model.motors:
        rows.append((motor.name, DRIVE, _of_drive(motor.rotor, motor.friction)))
    return _parameters([*rows, *_laws(shafts(model))])


def of_body(body: Body) -> list[float]:
    """The ten parameters of a body about the origin of its frame."""
    c = body.center_of_mass
    J = body.inertia - body.mass * skew(c) @ skew(c)
    moments = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return [body.mass, *(body.mass * c).tolist(), *(float(x) for x in moments)]


def _of_drive(rotor: float, f: Friction) -> list[float]:
    return [rotor, f.viscous, f.coulomb_forward, f.coulomb_backward, f.offset]


def _laws_of(friction: Friction) -> tuple[str, ...]:
    """Coefficients of laws of friction that only some joints have."""
    found = (STRIBECK,) if friction.stribeck_velocity else ()
    return found if friction.load_friction is None else (*found, LOAD_FRICTION)


def _laws(joints: Iterable[Any]) -> list[Row]:
    """First of one law, then of the next."""
    several = list(joints)
    return [
        (each.name, (law,), [getattr(each.friction, law)])
        for law in LAWS
        for each in several
        if law in _laws_of(each.friction)
    ]


def _rod_names(rod: Rod) -> tuple[str, ...]:
    return ROD if rod.axis is None else SPINNING_ROD


def _of_rod(rod: Rod) -> list[float]:
    first = rod.mass * rod.center * rod.length
    values = [rod.mass, first, rod.across + first * rod.center * rod.length]
    return values if rod.axis is None else [*values, rod.axial, *rod.viscous]


# Back into it.


def parameter_values(own: Parameters, values: ArrayLike) -> Array:
    """Values that fit the names of a robot's own parameters."""
    array = real(values, "parameters")
    if array.shape != own.values.shape:
        raise InputError(f"parameters must be {len(own)} numbers, one for each of parameters.names.")
    if not np.isfinite(array).all():
        k = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"parameter {own.names[k]} is {array[k]}; expected finite numbers.")
    return array


class _Values:
    """Values of parameters, handed out in their order."""

    def __init__(self, values: Array) -> None:
        self.rest: Iterator[float] = iter(values.tolist())

    def some(self, count: int) -> list[float]:
        return [next(self.rest) for _ in range(count)]

    def body(self, owner: str) -> Body:
        return body_from(np.array(self.some(len(BODY))), owner)

    def drive(self, before: Friction) -> tuple[float, Friction]:
        """Rotor and friction; how friction depends on the velocity stays."""
        rotor, *friction = self.some(len(DRIVE))
        return rotor, replace(before, **dict(zip(DRIVE[1:], friction, strict=True)))

    def laws(self, joints: Iterable[Any]) -> list[Friction]:
        """Friction of all joints, with the laws that only some have."""
        found = [each.friction for each in joints]
        for law in LAWS:
            for k, friction in enumerate(found):
                if law in _laws_of(friction):
                    changes: dict[str, Any] = {law: next(self.rest)}
                    found[k] = replace(friction, **changes)
        return found

    def spring(self, before: Spring) -> Spring:
        stiffness, preload = self.some(len(SPRING))
        return replace(before, stiffness=stiffness, preload=preload)


def body_from(values: Array, owner: str) -> Body:
    """The body that ten parameters describe."""
    m, h = float(values[0]), values[1:4]
    if m == 0.0 and h.any():
        raise InputError(
            f"parameters of {owner}: mass 0 with a first moment {h.tolist()} is not a rigid body; "
            "a body has its first moment from its mass."
        )
    xx, yy, zz, xy, xz, yz = values[4:10]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    with np.errstate(over="ignore", invalid="ignore"):
        c = h / m if m else np.zeros(3)
        J = J + m * skew(c) @ skew(c)
    if not np.isfinite(J).all():
        raise InputError(
            f"parameters of {owner}: the first moment {h.tolist()} of a mass of {m:g} kg is too large "
            "for numbers in double precision."
        )
    return Body.of(m, c, J)


def arm_with(model: ArmModel, values: Array) -> ArmModel:
    """The arm with other parameters; its plan of fewest operations is left behind."""
    given = _Values(values)

    def changed(joint: Joint) -> Joint:
        body, (reflected, friction) = given.body(joint.name), given.drive(joint.friction)
        ratio = joint.rotor.gear_ratio
        rotor, drive = Rotor(reflected / ratio**2, ratio), bare_drive(joint.drive)
        return replace(joint, body=body, rotor=rotor, friction=friction, drive=drive)

    joints = [changed(joint) for joint in model.joints]
    laws = zip(joints, given.laws(joints), strict=True)
    joints = [replace(joint, friction=friction) for joint, friction in laws]
    return replace(model, joints=tuple(joints), operation_plan="")


def platform_with(model: PlatformModel, values: Array) -> PlatformModel:
    """The platform with other parameters."""
    given = _Values(values)
    platform, legs = given.body("platform"), []
    for leg in model.legs:
        lower, upper = (given.body(f"{leg.name}, {half}") for half in ("lower", "upper"))
        friction = LegFriction(*given.some(len(LEG_FRICTION)))
        drive = bare_drive(leg.drive)
        legs.append(replace(leg, lower=lower, upper=upper, friction=friction, drive=drive))
    if model.has_coulomb:
        legs = [
            replace(leg, friction=replace(leg.friction, coulomb=coulomb))
            for leg, coulomb in zip(legs, given.some(len(legs)), strict=True)
        ]
    if model.has_rotors:
        rotors = given.some(len(legs))
        legs = [replace(leg, rotor=rotor) for leg, rotor in zip(legs, rotors, strict=True)]
    return replace(model, platform=platform, legs=tuple(legs))


def parallel_with(model: ParallelModel, values: Array) -> ParallelModel:
    """The parallel robot with other parameters."""
    given = _Values(values)
    platform, legs = given.body("platform"), []
    for leg in model.legs:
        joints = []
        for joint in leg.joints:
            body, (rotor, friction) = given.body(joint.name), given.drive(joint.friction)
            body = Body.of(body.mass, body.center_of_mass + joint.at, body.inertia)
            drive = bare_drive(joint.drive)
            joints.append(replace(joint, body=body, rotor=rotor, friction=friction, drive=drive))
        legs.append(replace(leg, joints=tuple(joints)))
    return replace(model, platform=platform, legs=tuple(legs))


def mechanism_with(model: MechanismModel, values: Array) -> MechanismModel:
    """The mechanism with other parameters."""
    given = _Values(values)
    parts = tuple(
        replace(part, body=given.body(part.name).seen_from(part.frame.inverse())) for part in model.parts
    )
    rods = tuple(_rod_with(rod, given.some(len(_rod_names(rod)))) for rod in model.rods)
    joints: dict[str, MechanismJoint] = {joint.name: joint for joint in model.joints}
    cylinders = {each.name: _cylinder_with(each, given) for each in model.cylinders}

    def change(name: str, **changes: Any) -> None:
        if name in joints:
            joints[name] = replace(joints[name], **changes)
        else:
            cylinders[name] = replace(cylinders[name], **changes)

    for each in elements(model):
        rotor, friction = given.drive(each.friction)
        change(each.name, rotor=rotor, friction=friction, drive=bare_drive(each.drive))
    for joint in ball_joints(model):
        change(joint.name, friction=Friction(*given.some(1)))
    for each in elements(model):
        if each.spring is not None:
            change(each.name, spring=given.spring(each.spring))
    springs = tuple(replace(each, spring=given.spring(each.spring)) for each in model.springs)
    motors = []
    for motor in model.motors:
        rotor, friction = given.drive(motor.friction)
        motors.append(replace(motor, rotor=rotor, friction=friction))
    known: dict[str, MechanismJoint | Cylinder] = {**joints, **cylinders}
    moved = [known[each.name] for each in elements(model)]
    laws = given.laws([*moved, *motors])
    for each, friction in zip(moved, laws, strict=False):
        change(each.name, friction=friction)
    own = zip(motors, laws[len(moved) :], strict=True)
    motors = [replace(motor, friction=friction) for motor, friction in own]
    return replace(
        model,
        parts=parts,
        rods=rods,
        cylinders=tuple(cylinders.values()),
        joints=tuple(joints.values()),
        springs=springs,
        motors=tuple(motors),
    )


def _rod_with(rod: Rod, values: list[float]) -> Rod:
    mass, first, about, *spin = values
    center = first / (mass * rod.length) if mass else rod.center
    across = about - first * center * rod.length
    changed = replace(rod, mass=mass, center=center, across=across)
    if not spin:
        return changed
    axial, start, end = spin
    return replace(changed, axial=axial, viscous=(start, end))


def _cylinder_with(each: Cylinder, given: _Values) -> Cylinder:
    barrel, rod = (given.body(f"{each.name}, {half}") for half in ("barrel", "rod"))
    universal, spherical = given.some(2)
    return replace(each, barrel=barrel, rod=rod, universal=universal, spherical=spherical)
