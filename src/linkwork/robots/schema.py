"""The fields that robot files of every kind share. Numbers come out in SI units and radians."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from linkwork.robots import quantities as q
from linkwork.robots.faults import listed, shown
from linkwork.robots.plausibility import SUBJECTS

ZERO: q.Vector = (0.0, 0.0, 0.0)
NO_INERTIA: q.Matrix = (ZERO, ZERO, ZERO)

Name = Annotated[str, BeforeValidator(q.name)]
Length = Annotated[float, BeforeValidator(q.length)]
Angle = Annotated[float, BeforeValidator(q.angle)]
Point = Annotated[q.Vector, BeforeValidator(q.point)]
Direction = Annotated[q.Vector, BeforeValidator(q.direction)]
Mass = Annotated[float, BeforeValidator(q.number("kg", q.NOT_NEGATIVE))]
Inertia = Annotated[q.Matrix, BeforeValidator(q.inertia)]


class Part(BaseModel):
    """A mapping of a robot file: no field beyond those named."""

    # Built when first used: a file is of one kind, and building all takes a while.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _accepted(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: a list of {listed(SUBJECTS)}")
    return tuple(map(q.one_of(*SUBJECTS), value))


class RobotFile(Part):
    kind: str
    name: Name
    gravity: Annotated[q.Vector, BeforeValidator(q.vector("m/s^2"))] = (0.0, 0.0, -9.81)
    source: Annotated[str, BeforeValidator(q.source)] = ""
    inertia_as_published: Annotated[bool, BeforeValidator(q.flag)] = False
    accept: Annotated[tuple[str, ...], BeforeValidator(_accepted)] = ()
