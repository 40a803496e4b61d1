"""From the fields of a Stewart platform file to the platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from linkwork.robots import platform_schema as schema
from linkwork.robots.document import Document
from linkwork.robots.faults import listed
from linkwork.robots.geometry import Array, Body, frozen
from linkwork.robots.hexagon import Hexagon, leg_places
from linkwork.robots.platform import LEGS, Leg, LegFriction, LegLimits, PlatformModel, leg_vectors
from linkwork.robots.platform_checks import layout_faults, model_faults
from linkwork.robots.robot_warnings import is_impossible, warn
from linkwork.robots.schema import Body as BodyFields
from linkwork.robots.validation import Found, Layout, fields_of, refuse_any, repeated_names, told_once

DEFAULT_NAME = "leg"
# In place of a geometry with faults, so that these are told and nothing that follows from them.
ANY = Hexagon(1.0, 0.7, 0.3, 0.3, 1.0)
GIVEN = "is given by geometry; leave it out here, or write points leg by leg without geometry"


def read_platform(document: Document) -> PlatformModel:
    """The Stewart platform that a file describes; FaultyError with every fault."""
    assert isinstance(document.data, Mapping)
    data, geometry, conflicts = _from_geometry(document.data)
    layout = Layout(schema.fields_at, schema.stray)
    file, found = fields_of(schema.PlatformFile, data, layout, schema.context_of(data))
    legs = data.get("legs")
    names = repeated_names("legs", legs, DEFAULT_NAME)
    refuse_any(document, [*conflicts, *names, *layout_faults(legs), *told_once(found, data)])
    assert file is not None
    model = replace(_model(file), geometry=geometry)
    refuse_any(document, model_faults(model))
    if not file.inertia_as_published:
        _warn_of_impossible_inertia(model)
    return model


def _from_geometry(
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
        shape = Hexagon(**dict(schema.Geometry.model_validate(written)))
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


def _model(file: schema.PlatformFile) -> PlatformModel:
    home = None if file.home is None else frozen(file.home)
    axes = _free_axes(file, home)
    legs = tuple(_leg(leg, number, axes[number - 1]) for number, leg in enumerate(file.legs, start=1))
    body, gravity = _body(file.platform), frozen(file.gravity)
    return PlatformModel(file.name, legs, body, gravity, home, file.source, file.accept)


def _leg(leg: schema.Leg, number: int, free_axis: Array) -> Leg:
    return Leg(
        name=leg.name or f"{DEFAULT_NAME}{number}",
        joints=leg.joints,
        base_point=frozen(leg.base_point),
        platform_point=frozen(leg.platform_point),
        fixed_axis=frozen(free_axis if leg.fixed_axis is None else leg.fixed_axis),
        lower=_body(leg.lower),
        upper=_body(leg.upper),
        friction=LegFriction(**dict(leg.friction)),
        limits=LegLimits(**dict(leg.limits)),
        stiffness=leg.stiffness,
    )


def _body(part: BodyFields) -> Body:
    return Body.of(part.mass, part.center_of_mass, part.inertia)


def _free_axes(file: schema.PlatformFile, home: Array | None) -> Array:
    """For a leg without a fixed axis, which only names the sides of a symmetric leg: one far from it.

    Without a home pose, legs are taken to stand as if the platform were lifted by its own size.
    """
    base = np.array([leg.base_point for leg in file.legs])
    platform = np.array([leg.platform_point for leg in file.legs])
    if home is None:
        home = np.array([0.0, 0.0, np.abs(platform).max(), 0.0, 0.0, 0.0])
    across = np.abs(leg_vectors(home, base, platform)).argmin(axis=1)
    return np.eye(3)[across]


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
