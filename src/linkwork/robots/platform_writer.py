"""Stewart platforms as robot files: the same numbers when they are read again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from linkwork.robots.fields import on_hexagon
from linkwork.robots.platform import Leg, PlatformModel
from linkwork.robots.writing import body_fields, head_fields, plain_row, without_nothing


def platform_document(model: PlatformModel) -> dict[str, Any]:
    """What a robot file says of this platform, as plain data; what all legs share stands once."""
    geometry = _geometry(model)
    bodies = [body for leg in model.legs for body in (leg.lower, leg.upper)]
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
            **head_fields(model, [model.platform, *bodies]),
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


def _geometry(model: PlatformModel) -> dict[str, float] | None:
    """What a file says of a platform's geometry; None if its legs stand elsewhere."""
    if model.geometry is None:
        return None
    same = on_hexagon(model)
    for ours, theirs in zip(model.legs, same.legs, strict=True):
        for name in ("base_point", "platform_point", "fixed_axis"):
            if (getattr(ours, name) != getattr(theirs, name)).any():
                return None
    optional = ("turn", "base_height", "platform_height")
    values = {name: float(value) for name, value in vars(model.geometry).items()}
    return {name: value for name, value in values.items() if value or name not in optional}
