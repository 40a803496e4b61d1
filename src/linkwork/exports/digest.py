"""Which robot an export was made from."""

from __future__ import annotations

import hashlib
from typing import Any

from linkwork.robots.robot_writer import robot_document
from linkwork.robots.writing import yaml_text


def robot_digest(model: Any) -> str:
    """SHA-256 of the robot's file in normal form, as `linkwork convert ROBOT out.yaml` writes it."""
    return hashlib.sha256(yaml_text(robot_document(model)).encode()).hexdigest()
