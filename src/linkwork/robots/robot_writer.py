"""Robots as files of either format."""

from __future__ import annotations

import os
from typing import Any

from linkwork.errors import InputError
from linkwork.robots.arm import ArmModel
from linkwork.robots.arm_writer import arm_document
from linkwork.robots.files import Model
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_writer import mechanism_document
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.parallel_writer import parallel_document
from linkwork.robots.platform import PlatformModel
from linkwork.robots.platform_writer import platform_document
from linkwork.robots.urdf_writer import urdf_text
from linkwork.robots.writing import yaml_text
from linkwork.tables import ending_of, write_whole

ENDINGS = (".yaml", ".yml", ".urdf")


def robot_document(model: Model) -> dict[str, Any]:
    """What a robot file says of this robot, as plain data."""
    if isinstance(model, MechanismModel):
        return mechanism_document(model)
    if isinstance(model, ParallelModel):
        return parallel_document(model)
    return arm_document(model) if isinstance(model, ArmModel) else platform_document(model)


def write_robot(robot: Any, path: str | os.PathLike[str]) -> list[str]:
    """Write a robot, or its `model`, as .yaml or, an arm, as .urdf, whole or not at all.

    Returns:
        What of the robot the file cannot say, in words.
    """
    model = getattr(robot, "model", robot)
    if not isinstance(model, Model):
        raise InputError(f"{robot!r} is not a robot; write_robot takes what lw.load returns.")
    left_out: list[str] = []
    if ending_of(path, ENDINGS) != ".urdf":
        text = yaml_text(robot_document(model))
    elif isinstance(model, ArmModel):
        text, left_out = urdf_text(model)
    else:
        kinds = {PlatformModel: "Stewart platform", ParallelModel: "parallel robot"}
        kind = kinds.get(type(model), "mechanism")
        raise InputError(f"{model.name} is a {kind}, which a URDF cannot hold; write .yaml.")
    content = text.encode()
    write_whole(path, lambda file: _put(file, content))
    return left_out


def _put(file: Any, content: bytes) -> None:
    file.write(content)
