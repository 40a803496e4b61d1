"""Numbers behind the statements of Pedrammehr, Mahboubkhah and Khani, computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.core.rotations import from_vector, multiply, rotation_about
from linkwork.model.families.stewart import PlatformModel
from linkwork.model.geometry import frozen
from linkwork.papers.evaluation import evaluated
from linkwork.papers.platform_paths import PathRun, papers_platform, run_path
from linkwork.robot.loading import load_platform
from linkwork.robot.platform import Platform
from linkwork.robot.robot import Array

PATHS = ("pedrammehr-1", "pedrammehr-2", "pedrammehr-3")


def _form(form: str, frames: str = "printed") -> dict[str, str]:
    return {"formulation": "pedrammehr2012", "form": form, "frames": frames}


FORMS = {
    "closed form (41)-(43), frames as printed": _form("closed"),
    "closed form (41)-(43), local frames": _form("closed", "local"),
    "equations (12)-(40) one by one, (25) put right": _form("step"),
    "equations (12)-(40) one by one, (25) as printed": _form("step-25"),
}


@dataclass(frozen=True)
class Rotation:
    """Angular velocity or acceleration of the pods (N, 6, 3): true, and without spin."""

    time: Array
    true: Array
    simplified: Array

    @property
    def magnitudes(self) -> tuple[Array, Array, Array]:
        """Of the true vector, the simplified one and their difference, (N, 6) each."""
        parts = (self.true, self.simplified, self.true - self.simplified)
        true, simplified, difference = (np.linalg.norm(part, axis=-1) for part in parts)
        return true, simplified, difference

    def share(self) -> Array:
        """Largest difference over largest value, per pod."""
        true, _, difference = self.magnitudes
        return difference.max(axis=0) / true.max(axis=0)


def rotations(run: PathRun) -> tuple[Rotation, Rotation]:
    """Velocities and accelerations; the simplified ones by D (6) and (9)."""
    true, simplified = run.legs(), run.legs("dasgupta1998")
    return (
        Rotation(run.time, true.angular_velocity, simplified.angular_velocity),
        Rotation(run.time, true.angular_acceleration, simplified.angular_acceleration),
    )


def largest_difference(run: PathRun) -> float:
    """Of the improved from the simplified forces [N]."""
    return float(np.abs(run.forces("pedrammehr2012") - run.forces("dasgupta1998")).max())


def trend(run: PathRun) -> float:
    """Least correlation over time of the improved with the simplified force of a pod."""
    both = zip(run.forces("pedrammehr2012").T, run.forces("dasgupta1998").T, strict=True)
    return min(float(np.corrcoef(one, other)[0, 1]) for one, other in both)


def published_mass_matrix(pose: Array, form: str = "closed") -> Array:
    """Columns of the paper's task-space mass matrix, from its forces at unit accelerations."""
    platform = papers_platform()
    accelerations = np.concatenate([np.zeros((1, 6)), np.eye(6)])
    states = np.tile(pose, (7, 1)), np.zeros((7, 6)), accelerations
    options = {"formulation": "pedrammehr2012", "form": form}
    rest, *units = evaluated(platform, "inverse_dynamics", *states, **options)[0]
    return np.column_stack([platform.jacobian(pose).T @ (force - rest) for force in units])


def asymmetry(M: Array) -> float:
    """Largest difference of mirrored elements over the largest element."""
    return float(np.abs(M - M.T).max() / np.abs(M).max())


def turned_world(angle: float) -> tuple[PlatformModel, Array]:
    """The same machine described in a base frame turned about the vertical, and that turn."""
    turn = rotation_about(2, angle)
    model = papers_platform().model
    legs = tuple(
        replace(
            leg,
            base_point=frozen(turn @ leg.base_point),
            fixed_axis=frozen(turn @ leg.fixed_axis),
        )
        for leg in model.legs
    )
    return replace(model, legs=legs), turn


def frame_dependence(path: str, angle: float, **options: str) -> float:
    """How much forces change when the base frame is turned, which must change nothing [N]."""
    run = run_path(path)
    model, turn = turned_world(angle)
    quaternion = from_vector(np.array([0.0, 0.0, angle]))
    pose, twist, acceleration = (part.copy() for part in run.motion)
    pose[:, :3] = pose[:, :3] @ turn.T
    pose[:, 3:] = multiply(quaternion, pose[:, 3:])
    for part in (twist, acceleration):
        part[:, :3], part[:, 3:] = part[:, :3] @ turn.T, part[:, 3:] @ turn.T
    turned = replace(run, platform=Platform(model), motion=(pose, twist, acceleration))
    return float(np.abs(turned.forces(**options) - run.forces(**options)).max())


def other_mass_center(path: str) -> float:
    """Change of the exact forces with the upper part's center at z = -0.08 m, as printed [N]."""
    other = run_path(path, load_platform("pedrammehr2012"))
    return float(np.abs(other.forces() - run_path(path).forces()).max())
