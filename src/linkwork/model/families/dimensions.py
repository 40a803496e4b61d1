"""Common parallel robots by a few dimensions: `family: delta` with `dimensions:` stands for the legs.

What a family makes is an ordinary description (see docs/how-to-parallel.md); the platform, gravity and
leg_defaults are the file's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from linkwork.core.table_files import Plain
from linkwork.files.faults import Document, FaultyError, listed, shown, suggestion
from linkwork.files.quantities import angle, number
from linkwork.model.geometry import Array

Dimensions = Mapping[str, float]


LEAST_BEND = 1e-9  # sine of the angle between two directions that span a plane


class DoesNotCloseError(Exception):
    """Lengths that do not reach; the text says by how much."""


def _row(v: Array) -> list[float]:
    return [float(x) for x in v]


def _other_side(distance: float, one: float, other: float, names: str) -> float:
    """The angle at the first side of a triangle with these sides."""
    if not abs(one - other) < distance < one + other:
        off = distance - (one + other) if distance >= one + other else abs(one - other) - distance
        raise DoesNotCloseError(f"{names} do not close at home, by {abs(off):.4g} m")
    return math.acos((distance**2 + one**2 - other**2) / (2 * distance * one))


def _bent(start: Array, end: Array, arm: float, rod: float, out: Array, names: str) -> Array:
    """The knee between two points, on the side of `out` in the plane that it spans with them."""
    way = end - start
    distance = float(np.linalg.norm(way))
    e = way / distance
    side = out - e * (out @ e)
    size = float(np.linalg.norm(side))
    if size < LEAST_BEND:
        raise DoesNotCloseError(
            f"{names} lie in one line with where they bend to, so no plane is theirs"
        )
    side = side / size
    bend = _other_side(distance, arm, rod, names)
    return np.asarray(start + arm * (math.cos(bend) * e + math.sin(bend) * side))


def _link(one: Array, other: Array) -> Plain:
    return {"from": _row(one), "to": _row(other)}


def _delta(d: Dimensions) -> Plain:
    base, tip = np.array([d["base_radius"], 0, 0]), np.array([d["platform_radius"], 0, d["height"]])
    out = np.array([1.0, 0, 0])
    knee = _bent(base, tip, d["arm"], d["forearm"], out, "arm and forearm")
    joints = [
        {"R": [0, 1, 0], "at": _row(base), "actuated": True, "link": _link(base, knee)},
        {"U": [0, 1, 0], "at": _row(knee), "link": _link(knee, tip)},
        {"U": [0, 1, 0], "at": _row(tip)},
    ]
    return {
        "coordinates": ["x", "y", "z"],
        "home": [0, 0, d["height"], 0, 0, 0],
        "legs": [{"repeat": "3 around z", "joints": joints}],
    }


def _pair(d: Dimensions, side: int) -> tuple[Array, Array, Array]:
    """Base point, platform point at home and the outward direction of one leg of a pair."""
    a, b = side * d["base_angle"] / 2, side * d["platform_angle"] / 2
    out = np.array([math.cos(a), math.sin(a), 0])
    tip = d["platform_radius"] * np.array([math.cos(b), math.sin(b), 0])
    return d["base_radius"] * out, tip + np.array([0, 0, d["height"]]), out


def _rotary_hexapod(d: Dimensions) -> Plain:
    legs = []
    for side in (1, -1):
        base, tip, out = _pair(d, side)
        away = side * np.array([-out[1], out[0], 0])
        # The arm turns about the outward axis: in its plane the rod is seen shortened.
        depth = float((tip - base) @ out)
        flat = tip - depth * out
        if abs(depth) >= d["rod"]:
            raise DoesNotCloseError(f"rod does not close at home, by {abs(depth) - d['rod']:.4g} m")
        seen = math.sqrt(d["rod"] ** 2 - depth**2)
        knee = _bent(base, flat, d["arm"], seen, away, "arm and rod")
        joints = [
            {"R": _row(out), "at": _row(base), "actuated": True, "link": _link(base, knee)},
            {"U": _row(out), "at": _row(knee), "link": _link(knee, tip)},
            {"S": None, "at": _row(tip)},
        ]
        legs.append({"repeat": "3 around z", "joints": joints})
    return {"home": [0, 0, d["height"], 0, 0, 0], "legs": legs}


def _linear_rail_hexapod(d: Dimensions) -> Plain:
    legs = []
    for side in (1, -1):
        base, tip, out = _pair(d, side)
        across = float(np.linalg.norm((tip - base)[:2]))
        if across >= d["rod"]:
            raise DoesNotCloseError(f"rod does not close at home, by {across - d['rod']:.4g} m")
        carriage = base + np.array([0, 0, d["height"] - math.sqrt(d["rod"] ** 2 - across**2)])
        joints = [
            {"P": [0, 0, 1], "at": _row(carriage), "actuated": True},
            {"U": _row(out), "at": _row(carriage), "link": _link(carriage, tip)},
            {"S": None, "at": _row(tip)},
        ]
        legs.append({"repeat": "3 around z", "joints": joints})
    return {"home": [0, 0, d["height"], 0, 0, 0], "legs": legs}


def _five_bar(d: Dimensions) -> Plain:
    legs, tip = [], np.array([0, d["height"], 0])
    for side, name in ((-1, "left"), (1, "right")):
        base = np.array([side * d["base"] / 2, 0, 0])
        out = np.array([side, 0.0, 0])
        knee = _bent(base, tip, d["arm"], d["forearm"], out, "arm and forearm")
        joints = [
            {"R": [0, 0, 1], "at": _row(base), "actuated": True, "link": _link(base, knee)},
            {"R": [0, 0, 1], "at": _row(knee), "link": _link(knee, tip)},
            {"S": None, "at": _row(tip)},
        ]
        legs.append({"name": name, "joints": joints})
    return {"coordinates": ["x", "y"], "home": [0, d["height"], 0, 0, 0, 0], "legs": legs}


def _three_rps(d: Dimensions) -> Plain:
    base, tip = np.array([d["base_radius"], 0, 0]), np.array([d["platform_radius"], 0, d["height"]])
    middle = (base + tip) / 2
    joints = [
        {"R": [0, 1, 0], "at": _row(base), "link": _link(base, middle)},
        {"P": _row(tip - base), "actuated": True, "link": _link(middle, tip)},
        {"S": None, "at": _row(tip)},
    ]
    return {
        "coordinates": ["z", "roll", "pitch"],
        "parasitic": ["x", "y", "yaw"],
        "home": [0, 0, d["height"], 0, 0, 0],
        "legs": [{"repeat": "3 around z", "joints": joints}],
    }


RADII = ("base_radius", "platform_radius")
HEXAPOD = (*RADII, "base_angle", "platform_angle", "rod", "height")
FAMILIES: Mapping[str, tuple[tuple[str, ...], Callable[[Dimensions], Plain]]] = {
    "delta": ((*RADII, "arm", "forearm", "height"), _delta),
    "rotary-hexapod": ((*HEXAPOD, "arm"), _rotary_hexapod),
    "linear-rail-hexapod": (HEXAPOD, _linear_rail_hexapod),
    "five-bar": (("base", "arm", "forearm", "height"), _five_bar),
    "3-rps": ((*RADII, "height"), _three_rps),
}


def written_out(document: Document) -> Document:
    """A document whose family, if it has one, is written out as legs; FaultyError for a wrong one."""
    data = document.data
    if not isinstance(data, Mapping) or "family" not in data:
        return document
    family = data["family"]
    if not isinstance(family, str) or family not in FAMILIES:
        what = (
            f"{shown(family)} is not a family{suggestion(family, FAMILIES)}; allowed: {listed(FAMILIES)}"
        )
        raise FaultyError([document.fault(("family",), what)])
    names, make = FAMILIES[family]
    own = ("legs", "coordinates", "parasitic", "home")
    faults = [
        document.fault((name,), f"follows from the family {family}; leave it out, or write the legs out")
        for name in own
        if name in data
    ]
    given = data.get("dimensions")
    given = given if isinstance(given, Mapping) else {}
    dimensions: dict[str, float] = {}
    for name in names:
        try:
            if name not in given:
                raise ValueError(f"is missing; a {family} has {listed(names)}")
            dimensions[name] = (angle if name.endswith("angle") else number("m"))(given[name])
        except ValueError as error:
            faults.append(document.fault(("dimensions", name), str(error)))
    for name in given:
        if name not in names:
            what = f"unknown dimension{suggestion(name, names)}; allowed: {listed(names)}"
            faults.append(document.fault(("dimensions", name), what))
    if faults:
        raise FaultyError(faults)
    try:
        made = make(dimensions)
    except DoesNotCloseError as error:
        what = f"{error}; change the lengths or the height"
        raise FaultyError([document.fault(("dimensions",), what)]) from None
    rest = {name: value for name, value in data.items() if name not in ("family", "dimensions")}
    return Document({**made, **rest}, document.lines, document.faults)
