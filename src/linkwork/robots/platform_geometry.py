"""A platform file that gives a geometry instead of the ends of its legs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from linkwork.robots.fields import on_hexagon
from linkwork.robots.hexagon import Hexagon, leg_places
from linkwork.robots.platform import LEGS, PlatformModel
from linkwork.robots.platform_schema import Geometry
from linkwork.robots.validation import Found

# In place of a geometry with faults, so that these are told and nothing that follows from them.
ANY = Hexagon(1.0, 0.7, 0.3, 0.3, 1.0)
GIVEN = "is given by geometry; leave it out here, or write points leg by leg without geometry"


def from_geometry(
    data: Mapping[str, Any],
) -> tuple[Mapping[str, Any], Hexagon | None, list[Found]]:
    """The file with the ends of its legs filled in, its geometry, and what it gives twice."""
    written = data.get("geometry")
    if written is None:
        return data, None, []
    legs = data.get("legs", [{}] * LEGS)
    if not isinstance(legs, list | tuple) or len(legs) != LEGS:
        return data, None, []
    try:
        shape = Hexagon(**dict(Geometry.model_validate(written)))
    except ValidationError:
        shape = ANY
    places = leg_places(shape)
    faults: list[Found] = [(("home",), GIVEN)] if data.get("home") is not None else []
    filled = []
    for k, (leg, place) in enumerate(zip(legs, places, strict=True)):
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


def geometry_fields(model: PlatformModel) -> dict[str, float] | None:
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
