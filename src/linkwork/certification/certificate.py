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
    except (ValueError, KeyError, TypeError):
        told = "it is not a certificate, as `linkwork certify -o FILE.json` writes them."
        raise CertificateError(source, told) from None
    if version != FORMAT:
        raise CertificateError(source, f"format {version!r}: this Linkwork reads format {FORMAT}.")
    try:
        names = list(found["region"])
        d = len(names)
        condition = found["condition"]
        if found["singularities"] and condition is None:
            condition = np.inf
        boxes = np.asarray(found["boxes"], dtype=np.float64).reshape(-1, 2, d)
        witness = found["witness"]
        certificate = Certificate(
            source=source,
            robot=dict(found["robot"]),
            digest=str(found["robot_digest"]),
            region={name: (float(low), float(high)) for name, (low, high) in found["region"].items()},
            demands=Demands(
                condition if found["singularities"] else None,
                float(found["leg_diameter"]),
                np.asarray(found["wrench"], dtype=np.float64).reshape(2, 6),
                np.asarray(found["acceleration"], dtype=np.float64).reshape(2, d),
            ),
            conditions=tuple(map(str, found["conditions"])),
            verdict=str(found["verdict"]),
            witness=None if witness is None else np.array([float(witness[name]) for name in names]),
            broken=found["broken"],
            boxes=Boxes(boxes[:, 0], boxes[:, 1]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CertificateError(source, f"a part of it is missing or malformed: {error!r}.") from None
    ends = np.array([*certificate.region.values()]).T
    for each in (certificate.boxes.low, certificate.boxes.high, ends, certificate.demands.wrench):
        if not np.isfinite(each).all():
            raise CertificateError(source, "a number of it is not finite.")
    if (boxes[:, 0] > boxes[:, 1]).any() or (ends[0] > ends[1]).any():
        raise CertificateError(source, "the ends of a box are not in order.")
    return certificate
