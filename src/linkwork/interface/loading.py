"""From a name, a file or a parsed file to a robot that computes."""

from __future__ import annotations

import os
from typing import Any

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.stored_plans import with_stored_plan
from linkwork.robots.files import load_model
from linkwork.robots.platform import PlatformModel


def load(source: str | os.PathLike[str] | dict[str, Any]) -> Any:
    """A robot by bundled name, by the path of a robot file (.yaml) or a .urdf, or from a parsed file.

    Returns an `Arm` or a `Platform`, by the `kind` of the robot.
    """
    model = load_model(source)
    return Platform(model) if isinstance(model, PlatformModel) else Arm(with_stored_plan(model))
