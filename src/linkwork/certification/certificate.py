"""Certificate files: what was proven of which robot, box by box, so that others can check it.

A JSON file with the robot in normal form and its digest, the region, what was asked, and the boxes of
the proof or the witness against it. `checker.py` checks it and trusts nothing of it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.certification.boxes import Array, Boxes
from linkwork.certification.enclosed import Demands
from linkwork.core.arguments import path_of
from linkwork.core.errors import FileError, InputError
from linkwork.core.input_files import read_bytes
from linkwork.core.whole_files import write_bytes
from linkwork.model.robot_files import Model, robot_digest, robot_document

FORMAT = 1
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
    demands: Demands
    conditions: tuple[str, ...]
    verdict: str
    witness: Array | None
    broken: str | None
    boxes: Boxes


def write_certificate(
    path: str | os.PathLike[str],
    model: Model,
    region: dict[str, tuple[float, float]],
    demands: Demands,
    conditions: tuple[str, ...],
    verdict: str,
    witness: dict[str, float] | None,
    broken: str | None,
    boxes: Array,
) -> None:
    """Of boxes (N, 2, d)."""
    if verdict == "undecided":
        raise InputError(
            "nothing is proven of the whole region, so there is no certificate; write the boxes as a "
            "table (.csv, .npz) instead, allow more boxes, or ask for a smaller region."
        )
    condition = demands.condition
    content = {
        "linkwork certificate": FORMAT,
        "robot_digest": robot_digest(model),
        "robot": robot_document(model),
        "region": {name: list(ends) for name, ends in region.items()},
        "conditions": list(conditions),
        "singularities": condition is not None,
        "condition": None if condition is None or np.isinf(condition) else condition,
        "leg_diameter": demands.leg_diameter,
        "wrench": demands.wrench.tolist(),
        "acceleration": demands.acceleration.tolist(),
        "verdict": verdict,
        "witness": witness,
        "broken": broken,
        "boxes": boxes.reshape(len(boxes), -1).tolist() if verdict == "proven" else [],
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
    region, witness, broken = dict(found["region"]), found["witness"], found["broken"]
    names, d = list(region), len(region)
    condition = None
    if _is(bool, found["singularities"]):
        condition = np.inf if found["condition"] is None else float(_numbers(found["condition"]))
    ends = _ranges([region[name] for name in names], len(names), 2).T
    boxes = _ranges(np.swapaxes(np.reshape(_numbers(found["boxes"]), (-1, 2, d)), 1, 2), -1, d, 2)
    wrench, acceleration = (
        _ranges(_numbers(found[name]).T, size, 2).T
        for name, size in (("wrench", 6), ("acceleration", d))
    )
    verdict = _is(str, found["verdict"])
    if (verdict == "refuted") != isinstance(broken, str) or not isinstance(broken, str | None):
        raise ValueError(f"verdict {verdict!r} with broken = {broken!r}")
    return Certificate(
        source=source,
        robot=dict(found["robot"]),
        digest=_is(str, found["robot_digest"]),
        region={
            name: (float(low), float(high)) for name, (low, high) in zip(names, ends.T, strict=True)
        },
        demands=Demands(condition, float(_numbers(found["leg_diameter"])), wrench, acceleration),
        conditions=tuple([_is(str, each) for each in found["conditions"]]),
        verdict=verdict,
        witness=None if witness is None else _numbers([witness[name] for name in names]),
        broken=broken,
        boxes=Boxes(boxes[..., 0], boxes[..., 1]),
    )


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
