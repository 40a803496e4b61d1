"""Robots of the package robot_descriptions, by the names that it gives them."""

from __future__ import annotations

import contextlib
import importlib
import sys
from pathlib import Path

from linkwork.core.errors import InputError, LinkworkError
from linkwork.files.faults import shown, suggestion

ENDING = "_description"


def is_description(name: str) -> bool:
    """Whether a name looks like one of that package: ur5e_description, ur5e_mj_description."""
    return name.endswith(ENDING) and name.isidentifier()


def description_file(name: str) -> Path:
    """The URDF or MuJoCo model of a description, in the cache of robot_descriptions.

    What is not in its cache it fetches itself, and what it prints meanwhile goes to standard error.
    """
    try:
        known = importlib.import_module("robot_descriptions").DESCRIPTIONS
    except ImportError:
        what = "is a robot of robot_descriptions, which is not installed: pip install robot_descriptions"
        raise InputError(f"{shown(name)} {what}") from None
    if name not in known:
        raise InputError(f"robot_descriptions has no {shown(name)}{suggestion(name, known)}")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module = importlib.import_module(f"robot_descriptions.{name}")
            if hasattr(module, "MJCF_PATH"):
                return Path(module.MJCF_PATH)
            return Path(importlib.import_module("robot_descriptions._xacro").get_urdf_path(module))
    except Exception as error:  # of git, of the network, of xacro
        reason = " ".join(str(error).split()) or type(error).__name__
        what = "robot_descriptions, which fetches it into its cache with git, failed"
        raise LinkworkError(f"{name}: {what}: {reason}") from error
