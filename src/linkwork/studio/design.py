"""Changing a robot by its numbers: points, axes, masses; every change is checked as a file would be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.arm import Arm
from linkwork.checks import numbers
from linkwork.errors import InputError
from linkwork.robot import Array
from linkwork.robots.arm import ArmModel
from linkwork.robots.geometry import Body, Transform, frozen
from linkwork.robots.platform import PlatformModel
from linkwork.robots.platform_checks import model_faults
from linkwork.stewart import Platform
from linkwork.studio.interpreted import interpreted

Model = ArmModel | PlatformModel
SHORTEST_AXIS = 1e-9


@dataclass(frozen=True)
class Field:
    """A number or a vector of a part of a robot, how it is read and how it is replaced."""

    name: str
    unit: str
    read: Callable[[Any], Any]
    write: Callable[[Any, Any], Any]
    is_vector: bool = True
    is_point: bool = False  # one that can be dragged

    @property
    def label(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def _vector(name: str, value: Any) -> Array:
    array = numbers(value, name)
    if array.shape != (3,):
        raise InputError(f"{name} has {array.size} numbers; it needs three: x, y, z.")
    return frozen(array)


def _axis(name: str, value: Any) -> Array:
    axis = _vector(name, value)
    length = float(np.linalg.norm(axis))
    if length < SHORTEST_AXIS:
        raise InputError(f"{name} is zero; an axis needs a direction.")
    return frozen(axis / length)


def _mass(value: Any) -> float:
    mass = float(numbers(value, "mass"))
    if mass < 0:
        raise InputError(f"mass = {mass:g} kg: allowed are numbers from 0 on.")
    return mass


def _body_fields(part: str, title: str) -> tuple[Field, ...]:
    """Mass and centre of mass of the body that a part holds as `part`."""

    def body(of: Any) -> Body:
        found: Body = getattr(of, part)
        return found

    return (
        Field(
            f"{title} mass",
            "kg",
            lambda of: body(of).mass,
            lambda of, value: replace(of, **{part: replace(body(of), mass=_mass(value))}),
            is_vector=False,
        ),
        Field(
            f"{title} centre of mass",
            "m",
            lambda of: body(of).center_of_mass,
            lambda of, value: replace(
                of,
                **{part: replace(body(of), center_of_mass=_vector(f"{title} centre of mass", value))},
            ),
        ),
    )


def _plain(attribute: str, name: str, unit: str, is_point: bool = False) -> Field:
    rule = _axis if "axis" in attribute else _vector
    return Field(
        name,
        unit,
        lambda of: getattr(of, attribute),
        lambda of, value: replace(of, **{attribute: rule(name, value)}),
        is_point=is_point,
    )


def _moved(attribute: str, name: str, is_point: bool) -> Field:
    """The position of a fixed transform of a joint."""

    def write(joint: Any, value: Any) -> Any:
        place: Transform = getattr(joint, attribute)
        return replace(joint, **{attribute: Transform(place.R, _vector(name, value))})

    return Field(name, "m", lambda joint: getattr(joint, attribute).p, write, is_point=is_point)


LEG_FIELDS = (
    _plain("base_point", "base point", "m", is_point=True),
    _plain("platform_point", "platform point", "m", is_point=True),
    _plain("fixed_axis", "fixed axis", ""),
    *_body_fields("lower", "lower part"),
    *_body_fields("upper", "upper part"),
)
JOINT_FIELDS = (
    _moved("before", "joint origin from the link before", is_point=True),
    _plain("axis", "axis", ""),
    _moved("after", "link frame from the joint", is_point=False),
    *_body_fields("body", "link"),
)
PLATFORM_FIELDS = _body_fields("platform", "platform")


class Design:
    """A robot under edit. A change that is not allowed is an InputError and changes nothing."""

    def __init__(self, robot: Arm | Platform) -> None:
        self.original = robot.model
        self.model: Model = robot.model
        self.robot: Arm | Platform = robot

    @property
    def changed(self) -> bool:
        return self.model is not self.original

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be edited: every leg or joint, and the platform."""
        if isinstance(self.model, PlatformModel):
            return (*self.model.leg_names, "platform")
        return self.model.joint_names

    def fields(self, part: str) -> tuple[Field, ...]:
        if isinstance(self.model, ArmModel):
            return JOINT_FIELDS
        return PLATFORM_FIELDS if part == "platform" else LEG_FIELDS

    def holder(self, part: str) -> Any:
        """What the fields of a part read from."""
        return _holder(self.model, part)

    def edit(self, part: str, field: Field, value: Any, everywhere: bool = False) -> None:
        """Give a field a value, of one part or of all parts of its kind."""
        model = self.model
        targets = self.parts if everywhere else (part,)
        for name in targets:
            if field in self.fields(name):
                model = _with(model, name, field.write(_holder(model, name), value))
        self._take(model)

    def _take(self, model: Model) -> None:
        if isinstance(model, PlatformModel):
            faults = [what for _, what in model_faults(model)]
            if faults:
                raise InputError("; ".join(faults))
        self.model = model
        self.robot = interpreted(model)


def _holder(model: Model, part: str) -> Any:
    if isinstance(model, ArmModel):
        return model.joints[model.joint_names.index(part)]
    return model if part == "platform" else model.legs[model.leg_names.index(part)]


def _with(model: Model, part: str, new: Any) -> Model:
    if isinstance(model, ArmModel):
        k = model.joint_names.index(part)
        return replace(model, joints=(*model.joints[:k], new, *model.joints[k + 1 :]))
    if part == "platform":
        assert isinstance(new, PlatformModel)
        return new
    k = model.leg_names.index(part)
    return replace(model, legs=(*model.legs[:k], new, *model.legs[k + 1 :]))
