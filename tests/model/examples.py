"""Files of the example-robot-data package, and where the links of an arm are."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.model.families.arm import ArmModel


def example(name: str) -> Path:
    """A file of the example-robot-data package."""
    files = metadata.files("example-robot-data") or []
    return next(Path(str(file.locate())) for file in files if file.name == f"{name}.urdf")


def placements(arm: ArmModel, q: np.ndarray) -> list[np.ndarray]:
    """Link frames in the base, by the exponential of each joint."""
    frames, frame = [], np.eye(4)
    for joint, position in zip(arm.joints, q + [joint.offset for joint in arm.joints], strict=True):
        motion = np.eye(4)
        if joint.is_revolute:
            motion[:3, :3] = Rotation.from_rotvec(position * joint.axis).as_matrix()
        else:
            motion[:3, 3] = position * joint.axis
        frame = frame @ joint.before.matrix() @ motion @ joint.after.matrix()
        frames.append(frame)
    return frames
