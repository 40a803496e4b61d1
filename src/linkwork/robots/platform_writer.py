"""Stewart platforms as robot files: the same numbers when they are read again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from linkwork.robots.geometry import Body
from linkwork.robots.platform import Leg, PlatformModel
from linkwork.robots.platform_geometry import geometry_fields
from linkwork.robots.robot_warnings import is_impossible
from linkwork.robots.writing import body_fields, plain_row, without_nothing


def platform_document(model: PlatformModel) -> dict[str, Any]:
    """What a robot file says of this platform, as plain data; what all legs share stands once."""
    geometry = geometry_fields(model)
    given = ("base_point", "platform_point", "fixed_axis") if geometry else ()
    legs = [_leg(leg) for leg in model.legs]
    shared = {
        field: legs[0][field]
        for field in ("joints", "lower", "upper", "friction", "limits", "stiffness")
        if field in legs[0] and all(leg.get(field) == legs[0][field] for leg in legs)
    }
    own = [
        {name: value for name, value in leg.items() if name not in shared and name not in given}
        for leg in legs
    ]
    return without_nothing(
        {
            "kind": "stewart-platform",
            "name": model.name,
            "gravity": plain_row(model.gravity),
            "source": model.source,
            "inertia_as_published": _as_published(model) or None,
            "accept": list(model.accept) or None,
            "geometry": geometry,
            "home": None if model.home is None or geometry else plain_row(model.home),
            "platform": body_fields(model.platform),
            "leg_defaults": shared or None,
            "legs": own,
        }
    )


def _leg(leg: Leg) -> dict[str, Any]:
    friction = asdict(leg.friction)
    if not leg.friction.coulomb:
        del friction["coulomb"]
    limits = without_nothing(asdict(leg.limits))
    if "length" in limits:
        limits["length"] = list(limits["length"])
    if "force_velocity" in limits:
        limits["force_velocity"] = [list(pair) for pair in limits["force_velocity"]]
    return without_nothing(
        {
            "name": leg.name,
            "joints": leg.joints,
            "base_point": plain_row(leg.base_point),
            "platform_point": plain_row(leg.platform_point),
            "fixed_axis": plain_row(leg.fixed_axis),
            "lower": body_fields(leg.lower),
            "upper": body_fields(leg.upper),
            "friction": friction if any(friction.values()) else None,
            "limits": limits or None,
            "stiffness": leg.stiffness,
        }
    )


def _as_published(model: PlatformModel) -> bool:
    """Whether a body has an inertia that no body has: the warning was given when it was read first."""
    bodies: list[Body] = [model.platform]
    for leg in model.legs:
        bodies += [leg.lower, leg.upper]
    return any(is_impossible(body.inertia) for body in bodies)
