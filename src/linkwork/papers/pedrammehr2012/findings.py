"""Numbers behind the statements of Pedrammehr, Mahboubkhah and Khani, computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.core.rotations import from_vector, multiply, rotation_about, rotation_of
from linkwork.model.families.stewart import PlatformModel
from linkwork.model.geometry import frozen
from linkwork.papers.evaluation import evaluated
from linkwork.papers.platform_paths import PathRun, papers_platform, run_path
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
    legs = run.legs()
    s, L, rate = legs.direction, legs.length[..., None], legs.rate[..., None]
    platform_points = run.platform.model.points()[1]
    R = rotation_of(run.pose)
    q = np.einsum("nab,kb->nka", R, platform_points)
    W, al = run.motion[1][:, None, 3:], run.motion[2][:, None, 3:]
    velocity = run.motion[1][:, None, :3] + np.cross(W, q)
    acceleration = run.motion[2][:, None, :3] + np.cross(al, q) + np.cross(W, np.cross(W, q))
    w = np.cross(s, velocity) / L  # D (6)
    A = (np.cross(s, acceleration) - 2 * rate * w) / L  # D (9)
    return (
        Rotation(run.time, legs.angular_velocity, w),
        Rotation(run.time, legs.angular_acceleration, A),
    )


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


def other_mass_centre(path: str) -> float:
    """Change of the exact forces with the upper part's centre at z = -0.08 m, as printed [N]."""
    run = run_path(path)
    model = run.platform.model
    legs = tuple(
        replace(
            leg,
            upper=replace(leg.upper, center_of_mass=frozen(leg.upper.center_of_mass * [1.0, 1.0, -1.0])),
        )
        for leg in model.legs
    )
    other = run_path(path, Platform(replace(model, legs=legs)))
    return float(np.abs(other.forces() - run.forces()).max())
