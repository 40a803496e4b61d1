"""Loads on tools: the body that carries one has it as its own, and files keep the two apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from linkwork.model.families.arm import ArmModel
from linkwork.model.families.parallel import ParallelModel, is_point
from linkwork.model.geometry import Body, Payload
from linkwork.model.mechanism import MechanismModel, tool_frame

if TYPE_CHECKING:
    from linkwork.model.robot_files import Model

AnyModel = TypeVar("AnyModel", bound="Model")


def carrier_of(model: Model) -> Body:
    """The body on which loads are."""
    if isinstance(model, ArmModel):
        return model.joints[-1].body
    if isinstance(model, MechanismModel):
        return model.part(tool_frame(model)[0]).body
    return model.platform


def _with_carrier(model: AnyModel, body: Body) -> AnyModel:
    found: Any = model
    if isinstance(model, ArmModel):
        *others, last = model.joints
        return replace(found, joints=(*others, replace(last, body=body)), operation_plan="")
    if isinstance(model, MechanismModel):
        name = tool_frame(model)[0]
        parts = (replace(each, body=body) if each.name == name else each for each in model.parts)
        return replace(found, parts=tuple(parts))
    return replace(found, platform=body)


def loaded(model: AnyModel, load: Body) -> AnyModel:
    """The robot with a load, given in the tool's frame."""
    placed = (
        load.seen_from(tool_frame(model)[1].inverse()) if isinstance(model, MechanismModel) else load
    )
    return _with_carrier(model, carrier_of(model).merged_with(placed))


def with_payload(model: AnyModel, load: Body) -> AnyModel:
    """The same, and its file keeps the load apart."""
    found: Any = loaded(model, load)
    return replace(found, payload=Payload(load, carrier_of(model)))


def unloaded(model: AnyModel) -> AnyModel:
    """The robot without the load of its file; as it is if the body that carries it was changed since."""
    bare: Any = replace(model, payload=None)
    if model.payload is None:
        return bare
    bare = _with_carrier(bare, model.payload.carrier)
    own, again = carrier_of(model), carrier_of(loaded(bare, model.payload.body))
    pairs = (
        (getattr(own, name), getattr(again, name)) for name in ("mass", "center_of_mass", "inertia")
    )
    if not all(np.array_equal(one, other) for one, other in pairs):
        return replace(model, payload=None)
    return bare


def swings(model: Model, load: Body) -> bool:
    """Whether the tool is a point that its joints hold, about which the load would swing freely."""
    if not (load.center_of_mass.any() or load.inertia.any()):
        return False
    if isinstance(model, ParallelModel):
        return is_point(model)
    return isinstance(model, MechanismModel) and model.part(tool_frame(model)[0]).point
