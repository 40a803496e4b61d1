"""The parameters that efforts are linear in, taken out of a robot's description and put back.

Bodies by mass, first moment and inertia about the origin of their frame, as they enter linearly; drives
and joints by their friction. Of a mechanism's rod mass, first moment and inertia across it, both about
its start; if universal joints tell its spin, inertia about its axis and friction of both ends. Stiffness
and preload of springs; rotors of motors with ratios.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import real
from linkwork.core.errors import InputError
from linkwork.core.rotations import skew
from linkwork.model.families.arm import ArmModel, Joint
from linkwork.model.families.legs import LegJoint
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.families.stewart import Leg, LegFriction, PlatformModel
from linkwork.model.geometry import Array, Body, Transform, frozen
from linkwork.model.joint import Friction, Rotor
from linkwork.model.mechanism import (
    Cylinder,
    MechanismModel,
    Part,
    PointSpring,
    Rod,
    Spring,
    ball_joints,
    elements,
)

BODY = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
DRIVE = ("rotor", "viscous", "coulomb_forward", "coulomb_backward", "offset")
JOINT = (*BODY, *DRIVE)
LEG_FRICTION = ("universal", "prismatic", "spherical")
FRICTION = (*DRIVE[1:], *LEG_FRICTION, "coulomb", "viscous_start", "viscous_end")
ROTOR = DRIVE[0]
LEG = (*(f"lower.{name}" for name in BODY), *(f"upper.{name}" for name in BODY), *LEG_FRICTION)


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
    own = platform_parameters(model)
    groups: dict[str, list[int]] = {}
    symmetric = {leg.name for leg in model.legs if leg.joints == "SPS"}
    for k, name in enumerate(own.names):
        owner, _, rest = name.partition(".")
        kind = rest.rpartition(".")[2]
        if owner in symmetric and kind in ("my", "mz", "Jxy", "Jxz", "Jyz"):
            continue
        if owner in symmetric and kind == "Jzz":
            rest = rest.replace("Jzz", "Jyy")
        shared = shared_legs and owner in model.leg_names
        groups.setdefault(f"leg.{rest}" if shared else f"{owner}.{rest}", []).append(k)
    matrix = np.zeros((len(own), len(groups)))
    for column, rows in enumerate(groups.values()):
        matrix[rows, column] = 1.0
    return FreeParameters(tuple(groups), frozen(matrix))


def arm_parameters(model: ArmModel) -> Parameters:
    """Fifteen of every joint: its link's body, rotor, friction and offset."""
    values = [value for joint in model.joints for value in (*of_body(joint.body), *_of_drive(joint))]
    return Parameters(_names(model.joint_names, JOINT), frozen(values))


def platform_parameters(model: PlatformModel) -> Parameters:
    """Ten of the platform, then twenty-three of every leg: lower and upper part, friction.

    At the end the Coulomb friction of every leg, if any leg has some.
    """
    values = [*of_body(model.platform)]
    for leg in model.legs:
        friction = leg.friction
        values += [*of_body(leg.lower), *of_body(leg.upper)]
        values += [friction.universal, friction.prismatic, friction.spherical]
    names = (*_names(("platform",), BODY), *_names(model.leg_names, LEG))
    if model.has_coulomb:
        names += _names(model.leg_names, ("coulomb",))
        values += [leg.friction.coulomb for leg in model.legs]
    return Parameters(names, frozen(values))


def parallel_parameters(model: ParallelModel) -> Parameters:
    """Ten of the platform, then fifteen of every joint, about the joint's point at home in base axes."""
    values = [*of_body(model.platform)]
    for joint in model.joints:
        body, friction = joint.body, joint.friction
        values += [*of_body(Body.of(body.mass, body.center_of_mass - joint.at, body.inertia))]
        values += [joint.rotor, friction.viscous, friction.coulomb_forward, friction.coulomb_backward]
        values += [friction.offset]
    joints = tuple(joint.name for joint in model.joints)
    return Parameters((*_names(("platform",), BODY), *_names(joints, JOINT)), frozen(values))


def parameter_values(own: Parameters, values: ArrayLike) -> Array:
    """Values that fit the names of a robot's own parameters."""
    array = real(values, "parameters")
    if array.shape != own.values.shape:
        raise InputError(f"parameters must be {len(own)} numbers, one for each of parameters.names.")
    if not np.isfinite(array).all():
        k = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"parameter {own.names[k]} is {array[k]}; allowed are finite numbers.")
    return array


def arm_with(model: ArmModel, values: Array) -> ArmModel:
    """The arm with other parameters; its plan of fewest operations is left behind."""
    rows = values.reshape(model.n, len(JOINT))
    joints = tuple(_joint_with(joint, row) for joint, row in zip(model.joints, rows, strict=True))
    return replace(model, joints=joints, plan="")


def platform_with(model: PlatformModel, values: Array) -> PlatformModel:
    """The platform with other parameters."""
    count, end = len(model.legs), len(BODY) + len(model.legs) * len(LEG)
    rows = values[len(BODY) : end].reshape(count, len(LEG))
    dry = values[end:] if model.has_coulomb else np.zeros(count)
    legs = (_leg_with(leg, rows[k], float(dry[k])) for k, leg in enumerate(model.legs))
    return replace(model, platform=body_from(values[: len(BODY)], "platform"), legs=tuple(legs))


def parallel_with(model: ParallelModel, values: Array) -> ParallelModel:
    """The parallel robot with other parameters."""
    rows = iter(values[len(BODY) :].reshape(len(model.joints), len(JOINT)))
    legs = tuple(
        replace(leg, joints=tuple(_leg_joint_with(joint, next(rows)) for joint in leg.joints))
        for leg in model.legs
    )
    return replace(model, platform=body_from(values[: len(BODY)], "platform"), legs=legs)


def _leg_joint_with(joint: LegJoint, values: Array) -> LegJoint:
    rotor, viscous, forward, backward, offset = (float(x) for x in values[len(BODY) :])
    body = body_from(values[: len(BODY)], joint.name)
    return replace(
        joint,
        body=Body.of(body.mass, body.center_of_mass + joint.at, body.inertia),
        rotor=rotor,
        friction=Friction(viscous, forward, backward, offset),
    )


def _names(owners: Iterable[str], parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{owner}.{name}" for owner in owners for name in parameters)


def of_body(body: Body) -> list[float]:
    """The ten parameters of a body about the origin of its frame."""
    c = body.center_of_mass
    J = body.inertia - body.mass * skew(c) @ skew(c)
    moments = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return [body.mass, *(body.mass * c).tolist(), *(float(x) for x in moments)]


def _of_drive(joint: Joint) -> list[float]:
    f = joint.friction
    return [joint.rotor.reflected, f.viscous, f.coulomb_forward, f.coulomb_backward, f.offset]


def body_from(values: Array, owner: str) -> Body:
    """The body that ten parameters describe."""
    m, h = float(values[0]), values[1:4]
    if m == 0.0 and h.any():
        raise InputError(
            f"parameters of {owner}: mass 0 with a first moment {h.tolist()} is no rigid body; "
            "a body has its first moment from its mass."
        )
    c = h / m if m else np.zeros(3)
    xx, yy, zz, xy, xz, yz = values[4:10]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Body.of(m, c, J + m * skew(c) @ skew(c))


def _joint_with(joint: Joint, values: Array) -> Joint:
    rotor, viscous, forward, backward, offset = (float(x) for x in values[len(BODY) :])
    ratio = joint.rotor.gear_ratio
    return replace(
        joint,
        body=body_from(values[: len(BODY)], joint.name),
        rotor=Rotor(rotor / ratio**2, ratio),
        friction=Friction(viscous, forward, backward, offset),
    )


def _leg_with(leg: Leg, values: Array, coulomb: float) -> Leg:
    k = len(BODY)
    universal, prismatic, spherical = values[2 * k :]
    return replace(
        leg,
        lower=body_from(values[:k], f"{leg.name}, lower"),
        upper=body_from(values[k : 2 * k], f"{leg.name}, upper"),
        friction=LegFriction(float(universal), float(prismatic), float(spherical), coulomb),
    )


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
    """Every parameter on its own; a cylinder on balls at both ends stays symmetric about its axis, a
    point mass a point."""
    own = mechanism_parameters(model)
    points = {part.name for part in model.parts if part.point}
    symmetric = {each.name for each in model.cylinders if each.axis is None}
    groups: dict[str, list[int]] = {}
    for k, name in enumerate(own.names):
        owner, _, kind = name.rpartition(".")
        cylinder, _, _ = owner.rpartition(".")
        if owner in points and kind in BODY[1:]:
            continue
        if cylinder in symmetric:
            if kind in ("my", "mz", "Jxy", "Jxz", "Jyz"):
                continue
            name = f"{owner}.{'Jyy' if kind == 'Jzz' else kind}"
        groups.setdefault(name, []).append(k)
    matrix = np.zeros((len(own), len(groups)))
    for column, rows in enumerate(groups.values()):
        matrix[rows, column] = 1.0
    return FreeParameters(tuple(groups), frozen(matrix))
