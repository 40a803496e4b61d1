"""A motion of a robot, measured: what reports and figures show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.effort_parts import effort_parts
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.robot import Array
from linkwork.motion import JointMotion, PoseMotion
from linkwork.names import one_of


@dataclass(frozen=True, eq=False)
class Conditioning:
    """How well a mechanism moves along a motion; `name` says what the number is."""

    name: str
    values: Array
    least_is_best: bool = True


@dataclass(frozen=True, eq=False)
class Study:
    """The inverse dynamics of a robot along a sampled motion."""

    robot: Arm | Platform
    motion_name: str
    time: Array
    position: Array  # joints (N, n), or poses (N, 7)
    effort: Quantity
    parts: dict[str, Array]
    by_formulation: dict[str, Array]
    places: tuple[Quantity, ...]  # positions or lengths, rates, angles of joints, with their limits
    reactions: tuple[Quantity, ...]
    conditioning: tuple[Conditioning, ...]
    power: Array

    @property
    def measured(self) -> tuple[Quantity, ...]:
        """Everything that may have limits."""
        return (self.effort, *self.places)

    @property
    def noun(self) -> str:
        return noun(self.robot)


def noun(robot: Arm | Platform) -> str:
    """What carries the efforts of a robot."""
    return "joint" if isinstance(robot, Arm) else "leg"


def study(
    robot: Arm | Platform,
    motion_name: str,
    time: Array,
    motion: JointMotion | PoseMotion,
    *,
    formulations: Sequence[str] = (),
    wrench: ArrayLike | None = None,
) -> Study:
    """Measure a motion.

    Args:
        time, motion: samples, as `Trajectory.sample` returns them.
        formulations: names to compare; the first is the one to compare with. Empty: the robot's own.
        wrench: tip wrench of an arm, wrench on a platform, (6,) or (N, 6).
    """
    if len(time) < 2:
        raise InputError(f"a report needs two samples of a motion or more; there are {len(time)}.")
    for name in formulations:
        one_of(name, robot.formulations, "formulation")
    if isinstance(robot, Arm):
        if not isinstance(motion, JointMotion):
            raise InputError(f"{robot.name} is an arm; it needs a motion of its joints, not of a pose.")
        return _arm_study(robot, motion_name, time, motion, formulations, wrench)
    if not isinstance(motion, PoseMotion):
        raise InputError(f"{robot.name} is a platform; it needs a motion of its pose, not of joints.")
    return _platform_study(robot, motion_name, time, motion, formulations, wrench)


def effort_of(robot: Arm | Platform, position: Array, effort: Array) -> Quantity:
    """Efforts with their limits."""
    return robot.quantities(position, None, effort)[1]


def _arm_study(
    arm: Arm,
    motion_name: str,
    time: Array,
    motion: JointMotion,
    formulations: Sequence[str],
    wrench: ArrayLike | None,
) -> Study:
    tau = arm.inverse_dynamics(*motion, tip_wrench=wrench)
    wrenches = arm.joint_wrenches(*motion, tip_wrench=wrench)
    force, moment = (np.linalg.norm(part, axis=-1) for part in (wrenches[..., :3], wrenches[..., 3:]))
    return Study(
        robot=arm,
        motion_name=motion_name,
        time=time,
        position=motion.q,
        effort=effort_of(arm, motion.q, tau),
        parts=effort_parts(arm, *motion, wrench),
        by_formulation={
            name: arm.inverse_dynamics(*motion, tip_wrench=wrench, formulation=name)
            for name in formulations
        },
        places=arm.quantities(motion.q, motion.qd),
        reactions=(
            quantity("reaction force", arm.joint_names, "N", force),
            quantity("reaction moment", arm.joint_names, "N m", moment),
        ),
        conditioning=arm_conditioning(arm, motion.q),
        power=tau * motion.qd,
    )


def arm_conditioning(arm: Arm, q: Array) -> tuple[Conditioning, ...]:
    """Condition of the Jacobian, lengths divided by the RMS distance of the joints from the tip.

    An arm of up to three joints is judged by how it moves its tip, unless it cannot but turn it.
    """
    frames = arm.link_frames(q)
    points = np.concatenate([np.zeros((len(q), 1, 3)), frames[..., :3, 3]], axis=1)
    reach = float(np.sqrt(((points[:, -1:] - points[:, :-1]) ** 2).sum(axis=-1).mean())) or 1.0
    J = arm.jacobian(q)
    scaled = np.concatenate([J[..., :3, :] / reach, J[..., 3:, :]], axis=-2)
    singular, words = np.linalg.svd(scaled, compute_uv=False), f"lengths in units of {reach:.3g} m"
    somewhere = arm.jacobian(0.4 + 0.3 * np.arange(arm.n))[:3]  # no special place
    if arm.n <= 3 and np.linalg.matrix_rank(somewhere, tol=1e-9 * reach) == arm.n:
        singular = np.linalg.svd(scaled[..., :3, :], compute_uv=False)
        words = f"of the tip's place, {words}"
    with np.errstate(divide="ignore", invalid="ignore"):
        number = singular[..., 0] / singular[..., -1]
    return (
        Conditioning(f"condition number, {words}", np.nan_to_num(number, nan=np.inf, posinf=np.inf)),
        Conditioning("manipulability, in the same units", np.prod(singular, axis=-1), False),
    )


def _platform_study(
    platform: Platform,
    motion_name: str,
    time: Array,
    motion: PoseMotion,
    formulations: Sequence[str],
    wrench: ArrayLike | None,
) -> Study:
    force = platform.inverse_dynamics(*motion, wrench)
    found = platform.joint_reactions(*motion, wrench)
    legs = platform.leg_kinematics(*motion)
    along = np.einsum("...i,...i->...", found.prismatic_force, legs.direction)
    sideways = found.prismatic_force - along[..., None] * legs.direction
    reactions = [
        ("spherical force", "N", found.spherical_force),
        ("universal force", "N", found.universal_force),
        ("universal moment", "N m", found.universal_moment),
        ("prismatic side force", "N", sideways),
        ("prismatic moment", "N m", found.prismatic_moment_at_platform),
    ]
    size = float(np.linalg.norm(found.universal_force, axis=-1).max())  # [N], and of moments at 1 m
    return Study(
        robot=platform,
        motion_name=motion_name,
        time=time,
        position=motion.pose,
        effort=effort_of(platform, motion.pose, force),
        parts=effort_parts(platform, *motion, wrench),
        by_formulation={
            name: platform.inverse_dynamics(*motion, wrench, formulation=name) for name in formulations
        },
        places=platform.quantities(motion.pose, motion.twist),
        reactions=tuple(
            quantity(
                name, platform.leg_names, unit, without_rounding(np.linalg.norm(values, axis=-1), size)
            )
            for name, unit, values in reactions
        ),
        conditioning=platform_conditioning(platform, motion.pose),
        power=force * legs.rate,
    )


def without_rounding(values: Array, size: float) -> Array:
    """Zeros for what is left of numbers of `size` that cancel."""
    return np.where(np.abs(values) > 1e-14 * size, values, 0.0)


def platform_conditioning(platform: Platform, pose: Array) -> tuple[Conditioning, ...]:
    return (
        Conditioning(
            "condition number, lengths in units of the platform's radius",
            platform.condition_number(pose, "platform"),
        ),
        Conditioning(
            "condition number as in the papers (lengths in m)", platform.condition_number(pose)
        ),
    )
