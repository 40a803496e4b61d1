"""Robot descriptions as text: YAML in which every number has all its digits."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from linkwork.robots.arm import Friction, Limits
from linkwork.robots.geometry import Array, Body
from linkwork.robots.robot_warnings import is_impossible

WIDTH = 100
BARE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
KEY = re.compile(r"[A-Za-z_]([A-Za-z0-9_ -]*[A-Za-z0-9_])?")
WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")  # bare, not texts to every reader


def plain_row(values: Array | Iterable[float]) -> list[float]:
    return [float(value) + 0.0 for value in values]  # no -0.0


def without_nothing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value is not None and value != ""}


def body_fields(body: Body) -> dict[str, Any]:
    """Mass, centre of mass and inertia; a diagonal one as three numbers."""
    tensor = [plain_row(row) for row in body.inertia]
    products = any(tensor[i][j] for i in range(3) for j in range(3) if i != j)
    return {
        "mass": body.mass,
        "center_of_mass": plain_row(body.center_of_mass),
        "inertia": tensor if products else [tensor[k][k] for k in range(3)],
    }


def head_fields(model: Any, bodies: Iterable[Body]) -> dict[str, Any]:
    """What files of every kind begin with; inertia that no body has was warned of when it was read."""
    return {
        "kind": model.kind,
        "name": model.name,
        "gravity": plain_row(model.gravity),
        "source": model.source,
        "inertia_as_published": any(is_impossible(body.inertia) for body in bodies) or None,
        "accept": list(model.accept) or None,
    }


def limits_fields(limits: Limits) -> dict[str, Any] | None:
    envelope = limits.effort_velocity
    fields = {
        "position": None if limits.position is None else list(limits.position),
        "velocity": limits.velocity,
        "effort": limits.effort,
        "effort_velocity": None if envelope is None else [list(pair) for pair in envelope],
    }
    return without_nothing(fields) or None


def friction_fields(friction: Friction) -> dict[str, Any]:
    coulomb = [friction.coulomb_forward, friction.coulomb_backward]
    return {"viscous": friction.viscous or None, "coulomb": coulomb if any(coulomb) else None}


def yaml_text(document: Mapping[str, Any]) -> str:
    """A robot file: the list of links or legs in blocks, whatever is small on a line."""
    return "\n".join(_block(document, 0)) + "\n"


def _block(fields: Mapping[str, Any], indent: int) -> Iterable[str]:
    space = " " * indent
    for name, value in fields.items():
        flat = _flat(value)
        if isinstance(value, str) and len(value) > WIDTH and " ".join(value.split()) == value:
            yield f"{space}{_key(name)}: >-"  # folded: lines are joined by single spaces
            inner = space + "  "
            yield from textwrap.wrap(
                value,
                WIDTH,
                initial_indent=inner,
                subsequent_indent=inner,
                break_long_words=False,
                break_on_hyphens=False,
            )
        elif len(space) + len(name) + 2 + len(flat) <= WIDTH or not isinstance(value, Mapping | list):
            yield f"{space}{_key(name)}: {flat}"
        elif isinstance(value, Mapping):
            yield f"{space}{_key(name)}:"
            yield from _block(value, indent + 2)
        elif all(isinstance(item, Mapping) for item in value):
            yield f"{space}{_key(name)}:"
            for item in value:
                first, *rest = _block(item, indent + 4)
                yield f"{space}  - {first.strip()}"
                yield from rest
        else:
            yield f"{space}{_key(name)}:"
            yield from (f"{space}  - {_flat(item)}" for item in value)


def _key(name: str) -> str:
    """A field's name; that of a body or joint may be any text."""
    return name if KEY.fullmatch(name) else json.dumps(name)


def _flat(value: Any) -> str:
    """On one line. JSON's texts are YAML's quoted texts."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)}: {_flat(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, str):
        return value if BARE.fullmatch(value) and value.lower() not in WORDS else json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return repr(float(value))  # NumPy's numbers have another repr
