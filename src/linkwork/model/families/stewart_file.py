"""Files of Stewart platforms: their fields, read into a platform and written from one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from linkwork.core.rotations import rotation_of
from linkwork.core.table_files import Plain
from linkwork.files import quantities as q
from linkwork.files.declared import (
    ALWAYS,
    REQUIRED,
    At,
    Data,
    Found,
    Of,
    Reading,
    refuse_any,
    told_once,
    written,
)
from linkwork.files.faults import Document, listed, shown, warn
from linkwork.model.drive import drive_faults, with_drive, without_drive
from linkwork.model.families.stewart import (
    LEGS,
    Hexagon,
    Leg,
    LegJoints,
    PlatformModel,
    leg_places,
    leg_vectors,
    on_hexagon,
)
from linkwork.model.file_parts import RobotFile, head_of, merged, names_in, repeated_names
from linkwork.model.geometry import DIRECTION, INERTIA, MASS, Array, Body, arrayed, frozen, is_impossible
from linkwork.model.joint import Friction

DEFAULT_NAME = "leg"
# Numbers that were written down are equal or not; this is the rounding of a unit conversion.
ROUNDING = 1e-12
# Relative to the size of the machine: below this, points and directions are the same.
SAME = 1e-9
ENDS = ("base_point", "platform_point")
# In place of a geometry with faults, so that these are told and nothing that follows from them.
ANY = Hexagon(1.0, 0.7, 0.3, 0.3, 1.0)
ROUNDED = 1e-12  # of its radii: how exactly legs stand on a geometry that is written
GIVEN = "is given by geometry; leave it out here, or write points leg by leg without geometry"


@dataclass(frozen=True, eq=False)
class PlatformBody(Body):
    """The platform of a file, which says its mass and inertia."""

    makes: ClassVar[Any] = Body
    mass: Annotated[float, MASS, REQUIRED, At("mass"), "with all that is fixed to it"] = 0.0
    inertia: Annotated[Array, INERTIA, REQUIRED, At("inertia"), "about the center of mass"] = field(
        default_factory=lambda: frozen(np.zeros((3, 3)))
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class WrittenLeg(Leg):
    """A leg of a file, with the defaults filled in: one that is symmetric needs no axis."""

    name: Annotated[str, q.name, "leg1, leg2, ... if left out"] = ""
    joints: Annotated[LegJoints, q.one_of("UPS", "SPS"), ALWAYS, "base, middle and platform"] = "UPS"
    fixed_axis: Annotated[
        Array | None, DIRECTION, At("fixed_axis"), "axis of the universal joint that stays in the base"
    ] = None  # type: ignore[assignment]
    lower: Annotated[Body, Of(Body), At("lower"), "from the base point, x toward the platform"] = field(
        default_factory=Body
    )
    upper: Annotated[Body, Of(Body), At("upper"), "from the platform point"] = field(
        default_factory=Body
    )

    @staticmethod
    def field_faults(values: Data, context: Data) -> Iterator[Found]:
        yield from drive_faults(values.get("drive"), True)
        joints = values.get("joints")
        if joints == "UPS" and values.get("fixed_axis", ()) is None:
            yield (
                ("fixed_axis",),
                "is missing; a UPS leg needs the axis of its universal joint that is fixed in the base:"
                " add fixed_axis: [x, y, z]",
            )
        for side in ("lower", "upper"):
            body = values.get(side)
            if joints != "SPS" or body is None:
                continue
            if problem := _asymmetry(body, [values[end] for end in ENDS if end in values]):
                yield (
                    (side,),
                    f"{problem}; a leg with spherical joints at both ends (SPS) spins freely about its"
                    " axis, so its mass must be symmetric about it: correct it, or use joints: UPS",
                )


def _asymmetry(body: Body, ends: Sequence[Array]) -> str:
    """What is not symmetric about the x axis of a leg, or nothing; its ends tell how large it is."""
    center, tensor = body.center_of_mass, body.inertia
    size = np.abs([center, *ends]).max()
    if np.abs(center[1:]).max() > ROUNDING * size:
        return f"center_of_mass {shown(center.tolist())} is off the x axis"
    products = np.abs(tensor - np.diag(np.diag(tensor))).max()
    across = abs(tensor[1, 1] - tensor[2, 2])
    if max(products, across) > ROUNDING * np.abs(tensor).max():
        return "inertia is not of the form [Ixx, It, It] without products"
    return ""


@dataclass(frozen=True, kw_only=True)
class PlatformFile(RobotFile):
    home: Annotated[Array | None, arrayed(q.pose), "of the platform's frame"] = None
    geometry: Annotated[Hexagon | None, Of(Hexagon), At("geometry"), "instead of points leg by leg"] = (
        None
    )
    platform: Annotated[Body, Of(PlatformBody), At("platform"), "the moving body"]
    leg_defaults: Annotated[
        Any,
        Of(WrittenLeg, leaving_out=("name", *ENDS)),
        At("legs"),
        "what legs share; any leg may override it",
    ] = None
    legs: Annotated[
        tuple[Leg, ...], Of(WrittenLeg, "list", f"a list of {LEGS} legs"), At("legs"), "six of them"
    ]


def read_platform(document: Document) -> PlatformModel:
    """The Stewart platform that a file describes; FaultyError with every fault."""
    assert isinstance(document.data, Mapping)
    data, geometry, conflicts = _from_geometry(document.data)
    legs = data.get("legs")
    filled = dict(data)
    if isinstance(legs, list | tuple):
        filled["legs"] = [
            _filled_in(leg, data.get("leg_defaults"), f"{DEFAULT_NAME}{k}")
            for k, leg in enumerate(legs, start=1)
        ]
    reading = Reading({"has_home": data.get("home") is not None})
    file: PlatformFile = reading.part(PlatformFile, filled)
    names = repeated_names("legs", names_in(legs, DEFAULT_NAME))
    refuse_any(document, [*conflicts, *names, *layout_faults(legs), *told_once(reading.found, data)])
    model = PlatformModel(
        file.name,
        _with_axes(file),
        file.platform,
        frozen(file.gravity),
        file.home,
        file.source,
        file.accept,
        geometry,
    )
    refuse_any(document, model_faults(model))
    if not file.inertia_as_published:
        _warn_of_impossible_inertia(model)
    return model


def _filled_in(leg: object, defaults: object, name: str) -> object:
    """A leg as written, with what it does not say taken from the defaults as written."""
    if not isinstance(leg, Mapping):
        return leg
    shared = defaults if isinstance(defaults, Mapping) else {}
    shared = {each: value for each, value in shared.items() if each not in ("name", *ENDS)}
    named = leg if leg.get("name") is not None else {**leg, "name": name}
    return merged(shared, named)


def _from_geometry(data: Data) -> tuple[Data, Hexagon | None, list[Found]]:
    """The file with the ends of its legs filled in, its geometry, and what it gives twice."""
    given, legs = data.get("geometry"), data.get("legs", [{}] * LEGS)
    if given is None or not isinstance(legs, list | tuple) or len(legs) != LEGS:
        return data, None, []
    shape: Hexagon = Reading().part(Hexagon, given) or ANY
    faults: list[Found] = [(("home",), GIVEN)] if data.get("home") is not None else []
    filled = []
    for k, (leg, place) in enumerate(zip(legs, leg_places(shape), strict=True)):
        if not isinstance(leg, Mapping):
            filled.append(leg)
            continue
        faults += [(("legs", k, name), GIVEN) for name in place._fields if name in leg]
        filled.append({**leg, **{name: list(value) for name, value in place._asdict().items()}})
    defaults = data.get("leg_defaults")
    if isinstance(defaults, Mapping) and "fixed_axis" in defaults:
        faults.append((("leg_defaults", "fixed_axis"), GIVEN))
    home = [0.0, 0.0, shape.height, 0.0, 0.0, 0.0]
    return {**data, "legs": filled, "home": home}, shape, faults


def _with_axes(file: PlatformFile) -> tuple[Leg, ...]:
    """For a leg without a fixed axis, which only names the sides of a symmetric leg: one far from it.

    Without a home pose, legs are taken to stand as if the platform were lifted by its own size.
    """
    base = np.array([leg.base_point for leg in file.legs])
    platform = np.array([leg.platform_point for leg in file.legs])
    home = file.home
    if home is None:
        home = np.array([0.0, 0.0, np.abs(platform).max(), 0.0, 0.0, 0.0])
    axes = np.eye(3)[np.abs(leg_vectors(home, base, platform)).argmin(axis=1)]
    return tuple(
        Leg(
            **{
                **vars(_driven(leg)),
                "fixed_axis": frozen(axis) if leg.fixed_axis is None else leg.fixed_axis,
            }
        )
        for leg, axis in zip(file.legs, axes, strict=True)
    )


def _driven(leg: Leg) -> Leg:
    """With inertia and friction of its drive."""
    f = leg.friction
    rotor, along = with_drive(leg.rotor, Friction(f.prismatic, f.coulomb, -f.coulomb), leg.drive)
    friction = replace(f, prismatic=along.viscous, coulomb=along.coulomb_forward)
    return replace(leg, rotor=rotor, friction=friction)


def _undriven(leg: Leg) -> Leg:
    """As the file has it, its drive beside it."""
    f = leg.friction
    rotor, along = without_drive(leg.rotor, Friction(f.prismatic, f.coulomb, -f.coulomb), leg.drive)
    friction = replace(f, prismatic=along.viscous, coulomb=along.coulomb_forward)
    return replace(leg, rotor=rotor, friction=friction)


def _warn_of_impossible_inertia(model: PlatformModel) -> None:
    bodies = [
        _impossible({"platform": model.platform}, ""),
        _impossible({leg.name: leg.lower for leg in model.legs}, " lower"),
        _impossible({leg.name: leg.upper for leg in model.legs}, " upper"),
    ]
    if any(bodies):
        warn(
            f"{model.name}: the inertia of {' and '.join(filter(None, bodies))} is that of no body (a"
            " principal moment is negative, or above the other two together); the numbers are taken"
            " as they are. If they were published so, say inertia_as_published: true in the file"
        )


def _impossible(bodies: Mapping[str, Body], part: str) -> str:
    """The bodies whose inertia cannot be: `leg1, leg3 lower`, `leg1..leg6 lower` or nothing."""
    names = [name for name, body in bodies.items() if is_impossible(body.inertia)]
    if not names:
        return ""
    return (f"{names[0]}..{names[-1]}" if len(names) == LEGS else listed(names)) + part


def platform_document(model: PlatformModel) -> Plain:
    """What a robot file says of this platform, as plain data; what all legs share stands once."""
    geometry = model.geometry if stands_on_hexagon(model) else None
    bodies = [body for leg in model.legs for body in (leg.lower, leg.upper)]
    file = PlatformFile(
        **head_of(model, [model.platform, *bodies]),
        geometry=geometry,
        home=None if geometry else model.home,
        platform=model.platform,
        legs=tuple(map(_undriven, model.legs)),
    )
    document = written(file)
    given = ("name", *ENDS, "fixed_axis")
    legs = document["legs"]
    shared = {
        each: value
        for each, value in legs[0].items()
        if each not in given and all(leg.get(each) == value for leg in legs)
    }
    left_out = {*shared, *(given[1:] if geometry else ())}
    own = [{name: value for name, value in leg.items() if name not in left_out} for leg in legs]
    return {**document, "leg_defaults": shared, "legs": own} if shared else {**document, "legs": own}


def stands_on_hexagon(model: PlatformModel) -> bool:
    """Whether its legs and its home are those of its geometry, up to rounding."""
    if model.geometry is None or model.home is None:
        return False
    same = on_hexagon(model)
    assert same.home is not None
    pairs = [(model.home, same.home)]
    for ours, theirs in zip(model.legs, same.legs, strict=True):
        pairs += [(getattr(ours, name), getattr(theirs, name)) for name in ENDS]
        axes = (np.asarray(leg.fixed_axis) for leg in (ours, theirs))
        pairs.append(tuple(axis / np.linalg.norm(axis) for axis in axes))  # type: ignore[arg-type]
    far = ROUNDED * max(model.geometry.base_radius, model.geometry.platform_radius)
    return all(np.allclose(one, other, rtol=0.0, atol=far) for one, other in pairs)


# Faults of a platform as a whole: six legs that can hold it and stand at home.


def layout_faults(legs: object) -> Iterator[Found]:
    """Wrong number of legs, or joints in places from which no legs can hold a platform.

    Takes the legs as written, so that these faults are found beside those of single fields.
    """
    if not isinstance(legs, list | tuple):
        return
    if len(legs) != LEGS:
        yield ("legs",), f"there are {len(legs)} legs; allowed: exactly {LEGS}"
        return
    base, platform = (_points(legs, end) for end in ENDS)
    for points, side in ((base, "base"), (platform, "platform")):
        if points is not None and (shape := _flat_shape(points)):
            yield (
                ("legs",),
                f"all {side} points {shape}; no legs could keep the platform from turning there;"
                f" allowed: {side} points that span at least a plane",
            )
    if base is not None and platform is not None:
        yield from _coincident_legs(base, platform)


def _points(legs: Sequence[object], end: str) -> Array | None:
    try:
        return np.array([q.point(leg[end] if isinstance(leg, Mapping) else None) for leg in legs])
    except (KeyError, ValueError):
        return None  # a fault of the field, and reported as such


def _flat_shape(points: Array) -> str:
    size = np.abs(points).max()
    if size == 0.0:
        return "coincide"
    _, spreads, _ = np.linalg.svd((points - points.mean(axis=0)) / size)
    if spreads[0] <= SAME:
        return "coincide"
    return "are on one line" if spreads[1] <= SAME * spreads[0] else ""


def _coincident_legs(base: Array, platform: Array) -> Iterator[Found]:
    ends = np.hstack([base, platform])
    tolerance = SAME * np.abs(ends).max()
    for first, second in itertools.combinations(range(LEGS), 2):
        if np.abs(ends[first] - ends[second]).max() <= tolerance:
            what = (
                f"has the base point and the platform point of legs[{first}]; move one of the two legs"
            )
            yield ("legs", second), what


def model_faults(model: PlatformModel) -> Iterator[Found]:
    """Faults that show only when all numbers are known."""
    if not model.mass:
        yield ("platform", "mass"), "platform and legs weigh nothing; allowed: at least one mass > 0"
    if model.home is not None:
        base, platform = model.points()
        R = rotation_of(model.home)
        size = max(np.abs(base).max(), np.abs(platform).max(), np.abs(model.home[:3]).max())
        for index, vector in enumerate(leg_vectors(model.home, base, platform)):
            degrees = _degrees(model.home)
            yield from _home_faults(index, model.legs[index], vector, R, SAME * size, degrees)


def _degrees(home: Array) -> str:
    """A question, if an angle of the home pose is more than half a turn."""
    most = float(max(home[3:], key=abs))
    return f"; did you mean {most:g} deg?" if abs(most) > math.pi else ""


def _millimeters(length: float, longest: float) -> str:
    """A question, if a leg is a thousand times as long as it may be, or the thousandth part."""
    if length > 100 * longest:
        return "; did you write home or the points of the leg in mm? They are in m"
    return "; did you write the limits in mm? They are in m" if 100 * length < longest < math.inf else ""


def _home_faults(
    index: int, leg: Leg, vector: Array, R: Array, shortest: float, degrees: str
) -> Iterator[Found]:
    length = math.hypot(*vector)
    if length <= shortest:
        what = f"puts the platform point of leg {leg.name!r} on its base point; give another pose"
        yield ("home",), what
        return
    if math.hypot(*np.cross(leg.fixed_axis, vector / length)) <= SAME:
        what = (
            "is the direction of the leg at home, where its universal joint cannot turn; turn the axis"
        )
        yield ("legs", index, "fixed_axis"), what
    low, high = leg.limits.length or (0.0, math.inf)
    if not low * (1 - SAME) <= length <= high * (1 + SAME):
        what = (
            f"leg {leg.name!r} is {length:.6g} m long at home, outside its limits.length"
            f" [{low:g}, {high:g}]; correct the pose or the limits{_millimeters(length, high)}{degrees}"
        )
        yield ("home",), what
    for joint, way in (("universal", vector / length), ("spherical", -R.T @ vector / length)):
        axis, most = getattr(leg.limits, f"{joint}_axis"), getattr(leg.limits, f"{joint}_angle")
        tilt = 0.0 if axis is None else math.acos(max(-1.0, min(1.0, float(np.dot(axis, way)))))
        if most is not None and tilt > most:
            what = (
                f"leg {leg.name!r} is {math.degrees(tilt):.4g} deg from limits.{joint}_axis at home,"
                f" beyond its limits.{joint}_angle of {math.degrees(most):.4g} deg; the axis points from"
                " the joint along the leg"
            )
            yield ("home",), what
