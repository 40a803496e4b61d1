"""From a name, a file or a parsed file to a robot that computes."""

from __future__ import annotations

import os
from typing import Any

from linkwork.arm import Arm
from linkwork.robots.files import load_model


def load(source: str | os.PathLike[str] | dict[str, Any]) -> Arm:
    """A robot by bundled name, by the path of a robot file (.yaml) or a .urdf, or from a parsed file."""
    return Arm(load_model(source))
