"""Robots as files of either format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from linkwork.errors import InputError
from linkwork.robots.arm_writer import arm_document
from linkwork.robots.bundled import KIND_WORDS
from linkwork.robots.family_arm import arm_of_mechanism
from linkwork.robots.files import Model
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_writer import mechanism_document
from linkwork.robots.parallel_writer import parallel_document
from linkwork.robots.platform_writer import platform_document
from linkwork.robots.urdf_writer import urdf_text
from linkwork.robots.writing import yaml_text
from linkwork.tables import ending_of, write_whole

ENDINGS = (".yaml", ".yml", ".urdf")
# By the `kind` of the file.
WRITERS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "arm": arm_document,
    "stewart-platform": platform_document,
    "parallel-robot": parallel_document,
    "mechanism": mechanism_document,
}


def _chain_text(model: MechanismModel) -> tuple[str, list[str]]:
    """Of a mechanism that is an arm."""
    arm = arm_of_mechanism(model)
    if arm is None:
        raise InputError(
            f"{model.name} is not one chain of driven joints, and a URDF holds no loops, rods, "
            "cylinders, springs or couplings; write .yaml."
        )
    return urdf_text(arm)


URDF_WRITERS: Mapping[str, Callable[[Any], tuple[str, list[str]]]] = {
    "arm": urdf_text,
    "mechanism": _chain_text,
}


def robot_document(model: Model) -> dict[str, Any]:
    """What a robot file says of this robot, as plain data."""
    return WRITERS[model.kind](model)


def urdf_of(model: Model) -> tuple[str, list[str]]:
    """The URDF of a robot whose file describes one chain, and what of the robot it does not contain."""
    if model.kind not in URDF_WRITERS:
        what = KIND_WORDS[model.kind]
        raise InputError(f"{model.name} is a {what}, which a URDF cannot hold; write .yaml.")
    return URDF_WRITERS[model.kind](model)


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
    else:
        text, left_out = urdf_of(model)
    content = text.encode()
    write_whole(path, lambda file: _put(file, content))
    return left_out


def _put(file: Any, content: bytes) -> None:
    file.write(content)
