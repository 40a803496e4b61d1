# SPDX-License-Identifier: Apache-2.0

"""Load a robot description in Linkwork."""

import os
from importlib import import_module  # type: ignore

from robot_descriptions._xacro import get_urdf_path

import linkwork


def load_robot_description(
    description_name: str,
    commit: str | None = None,
    xacro_args: dict[str, str] | None = None,
    **kwargs,
) -> linkwork.Robot:
    """Load a robot description in Linkwork.

    Args:
        description_name: Name of the robot description.
        commit: If specified, check out that commit from the cloned robot
            description repository.
        xacro_args: Optional Xacro arguments overriding the module defaults
            when loading a Xacro-backed description.
        kwargs: arguments passed to linkwork.load: `tip`, `base` and `fix`
            choose a chain of a URDF.

    Returns:
        Robot model for Linkwork: a serial arm or any mechanism.
    """
    if commit is not None:
        os.environ["ROBOT_DESCRIPTION_COMMIT"] = commit
    module = import_module(f"robot_descriptions.{description_name}")
    if commit is not None:
        os.environ.pop("ROBOT_DESCRIPTION_COMMIT", None)
    if hasattr(module, "MJCF_PATH"):
        return linkwork.load(module.MJCF_PATH)
    return linkwork.load(get_urdf_path(module, xacro_args=xacro_args), **kwargs)
