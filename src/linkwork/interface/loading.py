"""From a name, a file or a parsed file to a robot that computes."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linkwork.errors import InputError
from linkwork.interface.stored_models import bundled_model
from linkwork.robots.bundled import bundled_names

if TYPE_CHECKING:
    from linkwork.interface.arm import Arm
    from linkwork.interface.parallel import ParallelRobot
    from linkwork.interface.platform import Platform
    from linkwork.interface.robot import Robot
    from linkwork.robots.files import Model

Source = str | os.PathLike[str] | dict[str, Any]
# By the `kind` of the file; they are loaded when they are asked for.
VIEWS = {
    "arm": ("linkwork.interface.arm", "Arm"),
    "stewart-platform": ("linkwork.interface.platform", "Platform"),
    "parallel-robot": ("linkwork.interface.parallel", "ParallelRobot"),
    "mechanism": ("linkwork.interface.robot", "Robot"),
}


def load(
    source: Source,
    *,
    tip: str | None = None,
    base: str | None = None,
    fix: Mapping[str, float] | None = None,
) -> Robot:
    """A robot by bundled name, by the path of a robot file (.yaml) or a .urdf, or from a parsed file.

    Args:
        tip, base: URDF only: tip link and base link; by default tool0 or the only end, and the root.
            Joints beside the chain are held still, with their mass.
        fix: URDF only: joints to hold still and where [rad or m].

    Returns a `Robot`. Arms, Stewart platforms and parallel robots are views of it with names of their
    own besides: `load_arm`, `load_platform` and `load_parallel` return these, so that a type checker
    knows them.
    """
    if fix is not None and not isinstance(fix, Mapping):
        raise InputError(f"fix = {fix!r}: allowed is a dict of joints and positions.")
    for name, link in (("tip", tip), ("base", base)):
        if link is not None and not isinstance(link, str):
            raise InputError(f"{name} = {link!r}: allowed is the name of a link.")
    chosen = tip is not None or base is not None or bool(fix)
    if isinstance(source, str) and source in bundled_names() and not chosen:
        return robot_of(bundled_model(source))
    from linkwork.robots.files import read_robot  # not needed by the others, and slow to load
    from linkwork.robots.urdf_chain import Chain

    found = read_robot(source, Chain(tip, base, fix or {}))
    robot = robot_of(found.model)
    robot.check_mobility(found.document, found.source)
    return robot


def robot_of(model: Model) -> Robot:
    """The robot that a description describes, in the words of its family."""
    return view_of(model).of(model)


def view_of(model: Model) -> type[Robot]:
    """The class of robots of a description."""
    module, name = VIEWS[model.kind]
    view: type[Robot] = getattr(importlib.import_module(module), name)
    return view


def load_arm(source: Source) -> Arm:
    """A serial arm, as `load` finds it; an error if the robot is none."""
    from linkwork.interface.arm import Arm

    return Arm.expect(load(source), "load_arm")


def load_platform(source: Source) -> Platform:
    """A Stewart platform, as `load` finds it; an error if the robot is none."""
    from linkwork.interface.platform import Platform

    return Platform.expect(load(source), "load_platform")


def load_parallel(source: Source) -> ParallelRobot:
    """A parallel robot, as `load` finds it; an error if the file is not of `kind: parallel-robot`."""
    from linkwork.interface.parallel import ParallelRobot

    return ParallelRobot.expect(load(source), "load_parallel")


def load_mechanism(source: Source) -> Robot:
    """The same as `load`: every robot is a mechanism."""
    from linkwork.interface.robot import Robot

    return Robot.expect(load(source), "load_mechanism")
