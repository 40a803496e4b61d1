"""Certificate files: what was proven of which robot, box by box, so that others can check it.

A JSON file with the robot in normal form and its digest, the region, what was asked, and the boxes of
the proof or the witness against it. `checker.py` checks it and trusts nothing of it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.certification.areas import DEGREE, Area
from linkwork.certification.boxes import Array, Boxes
from linkwork.certification.enclosed import Demands
from linkwork.certification.tolerances import Tolerances
from linkwork.core.arguments import path_of
from linkwork.core.errors import FileError, InputError
from linkwork.core.input_files import read_bytes
from linkwork.core.whole_files import write_bytes
from linkwork.model.robot_files import Model, robot_digest, robot_document

FORMAT = 2
LARGEST = 1 << 30  # bytes


class CertificateError(FileError, InputError):
    """A certificate is not in order, or does not prove what it says."""

    def __init__(self, source: str, fault: str) -> None:
        super().__init__(source, [fault])


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a file says. Boxes are those of the proof; those that were left open are not in it."""

    source: str
    robot: dict[str, Any]
    digest: str
    region: dict[str, tuple[float, float]]
    shape: Shape
    demands: Demands
    tolerances: dict[str, Array]  # lowest and highest values (2, n) by name
    conditions: tuple[str, ...]
    verdict: str
    witness: Array | None  # a position, then numbers of the robot
    at: Array | None  # its parameters
    broken: str | None
    boxes: Boxes


@dataclass(frozen=True, eq=False)
class Shape:
    """Of a region: ranges alone, a round part of them, or a path with a tube around it."""

    places: tuple[int, ...] = ()
    center: Array = field(default_factory=lambda: np.empty(0))
    radius: float = 0.0
    pieces: Array | None = None
    times: Array = field(default_factory=lambda: np.empty(0))
    around: Array = field(default_factory=lambda: np.empty(0))


def stated(demands: Demands, area: Area, tolerances: Tolerances) -> dict[str, Any]:
    """What is asked, besides the ranges of coordinates, as plain data."""
    condition = demands.condition
    return {
        "shape": area.plain,
        "singularities": condition is not None,
        "condition": None if condition is None or np.isinf(condition) else condition,
        "leg_diameter": demands.leg_diameter,
        "wrench": demands.wrench.tolist(),
        "acceleration": demands.acceleration.tolist(),
        "tolerances": tolerances.plain(),
    }


def write_certificate(
    path: str | os.PathLike[str],
    model: Model,
    question: dict[str, Any],
    answer: dict[str, Any],
    boxes: Array,
) -> None:
    """Of boxes (N, 2, k)."""
    if answer["verdict"] == "undecided":
        raise InputError(
            "nothing is proven of the whole region, so there is no certificate; write the boxes as a "
            "table (.csv, .npz) instead, allow more boxes, or ask for a smaller region."
        )
    content = {
        "linkwork certificate": FORMAT,
        "robot_digest": robot_digest(model),
        "robot": robot_document(model),
        **question,
        **answer,
        "boxes": boxes.reshape(len(boxes), -1).tolist() if answer["verdict"] == "proven" else [],
    }
    text = json.dumps(content, indent=0, separators=(",", ": "), allow_nan=False)
    write_bytes(path, text.encode())


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Of a file; a CertificateError says where it is not in order."""
    source = str(path_of(path, "certificate"))
    try:
        found = json.loads(read_bytes(source, LARGEST))
        version = found["linkwork certificate"]
    except (ValueError, KeyError, TypeError, RecursionError):
        told = "it is not a certificate, as `linkwork certify -o FILE.json` writes them."
        raise CertificateError(source, told) from None
    if type(version) is not int or version != FORMAT:
        raise CertificateError(source, f"format {version!r}: this Linkwork reads format {FORMAT}.")
    try:
        return _certificate(source, found)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise CertificateError(source, f"a part of it is missing or malformed: {error!r}.") from None


def _certificate(source: str, found: dict[str, Any]) -> Certificate:
    """Of the content of a file; what it is not has its error of Python."""
    region, broken = dict(found["region"]), found["broken"]
    names, d = list(region), len(region)
    condition = None
    if _is(bool, found["singularities"]):
        condition = np.inf if found["condition"] is None else float(_numbers(found["condition"]))
    ends = _ranges([region[name] for name in names], len(names), 2).T
    tolerances = {
        _is(str, name): _ranges(_numbers(value).T, -1, 2).T
        for name, value in _is(dict, found["tolerances"]).items()
    }
    extra = sum(value.shape[1] for value in tolerances.values())
    shape = _shape(_is(dict, found["shape"]), d)
    k = (d if shape.pieces is None else 1) + extra
    boxes = _ranges(np.swapaxes(np.reshape(_numbers(found["boxes"]), (-1, 2, k)), 1, 2), -1, k, 2)
    wrench, acceleration = (
        _ranges(_numbers(found[name]).T, size, 2).T
        for name, size in (("wrench", 6), ("acceleration", d))
    )
    diameter = float(_numbers(found["leg_diameter"]))
    verdict = _is(str, found["verdict"])
    if (verdict == "refuted") != isinstance(broken, str) or not isinstance(broken, str | None):
        raise ValueError(f"verdict {verdict!r} with broken = {broken!r}")
    at, witness = (
        None if found[name] is None else _numbers(found[name]).reshape(size)
        for name, size in (("at", k), ("witness", d + extra))
    )
    return Certificate(
        source=source,
        robot=dict(found["robot"]),
        digest=_is(str, found["robot_digest"]),
        region={
            name: (float(low), float(high)) for name, (low, high) in zip(names, ends.T, strict=True)
        },
        shape=shape,
        demands=Demands(condition, diameter, wrench, acceleration, shape.pieces is not None),
        tolerances=tolerances,
        conditions=tuple([_is(str, each) for each in found["conditions"]]),
        verdict=verdict,
        witness=witness,
        at=at,
        broken=broken,
        boxes=Boxes(boxes[..., 0], boxes[..., 1]),
    )


def _shape(found: dict[str, Any], d: int) -> Shape:
    if not found:
        return Shape()
    if "radius" in found:
        places = tuple(_is(int, each) for each in found["places"])
        if not {*places} <= {*range(d)} or len({*places}) != len(places):
            raise ValueError(f"places {places!r}")
        radius = float(_numbers(found["radius"]))
        return Shape(places, _numbers(found["center"]).reshape(len(places)), radius)
    times, around = _numbers(found["times"]), _numbers(found["around"]).reshape(d)
    pieces = _numbers(found["pieces"]).reshape(-1, d, DEGREE + 1)
    if times.shape != (len(pieces) + 1,) or not len(pieces) or not (np.diff(times) > 0).all():
        raise ValueError("times of the path are not in order")
    if (around < 0).any():
        raise ValueError("the tube is narrower than nothing")
    return Shape(pieces=pieces, times=times, around=around)


def _is(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _numbers(value: Any) -> Array:
    numbers = np.asarray(value)
    if numbers.size and numbers.dtype.kind not in "if":
        raise TypeError(f"{str(value)[:40]} are not numbers")
    if not np.isfinite(numbers).all():
        raise ValueError("a number of it is not finite")
    return np.asarray(numbers, dtype=np.float64)


def _ranges(value: Any, *shape: int) -> Array:
    """Low and high ends along the last axis."""
    ends = _numbers(value).reshape(shape)
    if (ends[..., 0] > ends[..., 1]).any():
        raise ValueError("the ends of a range are not in order")
    return ends
