"""The drawing that suits a robot."""

from __future__ import annotations

from typing import Any

from linkwork.interface.arm import Arm
from linkwork.studio.drawing import Drawing
from linkwork.studio.scene_arm import ArmScene
from linkwork.studio.scene_platform import PlatformScene
from linkwork.studio.session import Session


def drawing_of(scene: Any, session: Session) -> Drawing:
    """Of the session's robot, with the shapes of its file if it has any."""
    robot = session.robot
    if isinstance(robot, Arm):
        return ArmScene(scene, robot, 2 * session.probe.length, session.source.visuals)
    return PlatformScene(scene, robot)
