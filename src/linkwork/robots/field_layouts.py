"""Which fields a robot's description has by the names of its file, and where they stand in the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from linkwork.errors import InputError
from linkwork.robots.arm import ArmModel, Joint
from linkwork.robots.denavit_hartenberg import length_places
from linkwork.robots.hexagon import Hexagon
from linkwork.robots.mechanism import Cylinder, MechanismJoint, MechanismModel, Part, PointSpring, Rod
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.platform import PlatformModel

Path = tuple[str, ...]
BODY = {"mass": 1, "center_of_mass": 3, "inertia": 6}  # an inertia as xx yy zz xy xz yz
FRICTION = ("viscous", "coulomb_forward", "coulomb_backward")


class Place(NamedTuple):
    """How many numbers a field has, and the way to them in the part of the model."""

    size: int
    inside: Path


Places = dict[Path, Place]


@dataclass(frozen=True)
class Members:
    """A list of parts alike, such as legs: where the model has it, and names and fields of its parts."""

    attribute: str
    names: tuple[str, ...]
    places: tuple[Places, ...]
    shared: bool = False  # one value for all of them

    @property
    def common(self) -> list[Path]:
        """Fields that all of them have."""
        first = self.places[0] if self.places else {}
        return [path for path in first if all(path in each for each in self.places)]


def _as_it_is(model: Any, of_parts: bool) -> Any:
    return model


@dataclass(frozen=True)
class Layout:
    """Fields of the robot itself and of its lists; `prepared` makes a model ready for other numbers."""

    own: Places
    lists: Mapping[str, Members]
    prepared: Callable[[Any, bool], Any] = _as_it_is


def layout_of(model: Any) -> Layout:
    """By the `kind` of the model's file."""
    return LAYOUTS[model.kind](model)


def _at(sizes: Mapping[Path, int]) -> Places:
    """Fields that the model has by the names of the file."""
    return {path: Place(size, path) for path, size in sizes.items()}


def _body(*owner: str, inside: Path | None = None) -> Places:
    way = owner if inside is None else inside
    return {(*owner, name): Place(size, (*way, name)) for name, size in BODY.items()}


GRAVITY = _at({("gravity",): 3})


def _arm(model: ArmModel) -> Layout:
    table = all(length_places(joint) for joint in model.joints)
    places = tuple(_link(joint, table) for joint in model.joints)
    return Layout(GRAVITY, {"links": Members("joints", model.joint_names, places)}, _ready_arm)


def _link(joint: Joint, table: bool) -> Places:
    lengths = (length_places(joint) or {}) if table else {}
    friction: dict[Path, int] = {("friction", part.name): 1 for part in fields(joint.friction)}
    return {
        **{(name,): Place(1, lengths[name]) for name in sorted(lengths)},
        **_body(inside=("body",)),
        **_at({**friction, ("rotor", "inertia"): 1, ("stiffness",): 1}),
    }


def _ready_arm(model: ArmModel, of_parts: bool) -> ArmModel:
    if model.tool.moves and of_parts:
        raise InputError(
            f"{model.name} has a tool, which is part of its last link; take the arm "
            "without a tool for fields of links."
        )
    return replace(model, plan="")


def _platform(model: PlatformModel) -> Layout:
    own = {**GRAVITY, **_body("platform")}
    if model.geometry is not None:
        own |= _at({("geometry", part.name): 1 for part in fields(Hexagon)})
    ends = _at({("base_point",): 3, ("platform_point",): 3, ("fixed_axis",): 3})
    friction = _at({("friction", part.name): 1 for part in fields(model.legs[0].friction)})
    leg = {**ends, **_body("lower"), **_body("upper"), **friction, **_at({("stiffness",): 1})}
    shared = {path: place for path, place in leg.items() if not path[0].endswith("_point")}
    names, count = model.leg_names, len(model.legs)
    legs = Members("legs", names, (leg,) * count)
    return Layout(own, {"legs": legs, "leg_defaults": Members("legs", names, (shared,) * count, True)})


def _parallel(model: ParallelModel) -> Layout:
    return Layout({**GRAVITY, **_body("platform")}, {})


def _mechanism(model: MechanismModel) -> Layout:
    """Joints, rods and cylinders are drawn at home: another place of one leaves the others where they
    are, and loops close at home as before."""
    motors: Places = _at({("rotor",): 1})
    lists = {
        "bodies": _members("parts", model.parts, _part),
        "joints": _members("joints", model.joints, _joint),
        "rods": _members("rods", model.rods, _rod),
        "cylinders": _members("cylinders", model.cylinders, _cylinder),
        "springs": _members("springs", model.springs, _point_spring),
        "motors": _members("motors", model.motors, lambda motor: motors),
    }
    return Layout(GRAVITY, {name: each for name, each in lists.items() if each.names})


def _members(attribute: str, parts: tuple[Any, ...], places: Callable[[Any], Places]) -> Members:
    return Members(attribute, tuple(each.name for each in parts), tuple(places(each) for each in parts))


def _part(part: Part) -> Places:
    if part.point:
        return {("mass",): Place(1, ("body", "mass")), ("at",): Place(3, ("body", "center_of_mass"))}
    return _body(inside=("body",))


def _joint(joint: MechanismJoint) -> Places:
    if joint.kind in ("universal", "spherical"):
        return {("at",): Place(3, ("at",)), ("viscous",): Place(1, ("friction", "viscous"))}
    return {("at",): Place(3, ("at",)), **({} if joint.kind == "fixed" else _driven(joint))}


def _driven(each: MechanismJoint | Cylinder) -> Places:
    found: Places = {(name,): Place(1, ("friction", name)) for name in FRICTION}
    found |= _at({("rotor",): 1})
    if each.stiffness is not None:
        found |= _at({("stiffness",): 1})
    if each.spring is not None:
        found |= _at({("spring", "stiffness"): 1, ("spring", "preload"): 1})
    return found


ENDS: Places = {("from",): Place(3, ("start",)), ("to",): Place(3, ("end",))}


def _rod(rod: Rod) -> Places:
    return {**ENDS, **_at({("mass",): 1, ("center",): 1, ("axial",): 1, ("across",): 1})}


def _cylinder(each: Cylinder) -> Places:
    return {**ENDS, **_body("barrel"), **_body("rod"), **_driven(each)}


def _point_spring(each: PointSpring) -> Places:
    own: Places = {(name,): Place(1, ("spring", name)) for name in ("stiffness", "preload")}
    return {**ENDS, **own}


LAYOUTS: Mapping[str, Callable[[Any], Layout]] = {
    "arm": _arm,
    "stewart-platform": _platform,
    "parallel-robot": _parallel,
    "mechanism": _mechanism,
}
