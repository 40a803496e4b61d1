"""From a name, a file or a parsed file to a robot that computes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.stored_plans import with_stored_plan
from linkwork.robots.files import load_model
from linkwork.robots.platform import PlatformModel
from linkwork.robots.urdf_chain import Chain

Source = str | os.PathLike[str] | dict[str, Any]


def load(
    source: Source,
    *,
    tip: str | None = None,
    base: str | None = None,
    fix: Mapping[str, float] | None = None,
) -> Arm | Platform:
    """A robot by bundled name, by the path of a robot file (.yaml) or a .urdf, or from a parsed file.

    Args:
        tip, base: of a URDF, the links at the ends of the arm; by default its root, and tool0 or the
            only end. Joints beside the chain are held still, with their mass.
        fix: of a URDF, joints to hold still and where [rad or m].

    Returns an `Arm` or a `Platform`, by the `kind` of the robot; `load_arm` and `load_platform` return
    the kind they name, so that a type checker knows its methods.
    """
    model = load_model(source, Chain(tip, base, fix or {}))
    return Platform(model) if isinstance(model, PlatformModel) else Arm(with_stored_plan(model))


def load_arm(source: Source) -> Arm:
    """A serial arm, as `load` finds it; an error if the robot is of another kind."""
    robot = load(source)
    if not isinstance(robot, Arm):
        raise InputError(f"{robot!r} is no serial arm; use lw.load or lw.load_platform.")
    return robot


def load_platform(source: Source) -> Platform:
    """A Stewart platform, as `load` finds it; an error if the robot is of another kind."""
    robot = load(source)
    if not isinstance(robot, Platform):
        raise InputError(f"{robot!r} is no Stewart platform; use lw.load or lw.load_arm.")
    return robot
