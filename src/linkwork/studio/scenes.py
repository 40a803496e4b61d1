"""The drawing that suits a robot."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Mechanism, Robot
from linkwork.studio.drawing import Drawing
from linkwork.studio.scene_arm import ArmScene
from linkwork.studio.scene_mechanism import MechanismScene
from linkwork.studio.scene_platform import PlatformScene
from linkwork.studio.session import Session


def drawing_of(scene: Any, session: Session) -> Drawing:
    """Of the session's robot, with the shapes of its file if it has any."""
    return _drawing(session.robot, scene, session)


@singledispatch
def _drawing(robot: Robot, scene: Any, session: Session) -> Drawing:
    raise InputError(f"the studio has no drawing of a {type(robot).__name__}.")


@_drawing.register
def _arm(robot: Arm, scene: Any, session: Session) -> Drawing:
    return ArmScene(scene, robot, 2 * session.probe.length, session.source.visuals)


@_drawing.register
def _platform(robot: Platform, scene: Any, session: Session) -> Drawing:
    return PlatformScene(scene, robot)


@_drawing.register
def _mechanism(robot: Mechanism, scene: Any, session: Session) -> Drawing:
    return MechanismScene(scene, robot)
