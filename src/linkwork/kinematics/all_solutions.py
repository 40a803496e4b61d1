"""Every way in which an arm of six revolute joints reaches a pose.

Closed forms come from EAIK (Ostermeier et al. 2024), which decomposes arms with intersecting or parallel
axes into geometric subproblems. Newton's method brings their answers to full precision, and random
starts look for what they may have missed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.errors import InputError
from linkwork.core.rotations import rotation_about_axis, rotation_of
from linkwork.kinematics.inverse import Flags, targets
from linkwork.kinematics.singularity import REACHED_SINGULAR
from linkwork.mechanics.chain.inverse_kinematics import bounds
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Transform
from linkwork.robot.arm_base import frame_index
from linkwork.robot.compiled import Array

if TYPE_CHECKING:
    from linkwork.robot.arm import Arm

JOINTS = 6
STARTS = 400  # random ones, beside the closed forms
SAME = 1e-6  # rad
ClosedForm = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class AllSolutions:
    """Joint positions (k, n) that reach a pose, each to 1e-12.

    Args:
        q: the solutions, in order of their distance from home.
        complete: True if a closed form applies to the arm and random starts have found nothing beyond
            it; otherwise more solutions may exist. Never at a singular pose: there solutions may form
            curves, of which those of the closed form (or one) are listed.
        reason: why the list is complete, or may not be.
    """

    q: Array
    complete: bool
    reason: str

    def __str__(self) -> str:
        rows = "\n".join(" ".join(f"{value:9.4f}" for value in row) for row in self.q)
        return f"{len(self.q)} solutions; {self.reason}\n{rows}"


def all_solutions(
    arm: Arm,
    pose: ArrayLike,
    frame: int | str | None = None,
    limits: bool = True,
    fixed: Mapping[int | str, float] | None = None,
    seed: int = 0,
) -> AllSolutions:
    """See Arm.all_solutions."""
    names = arm.joint_names
    values = {frame_index(names, joint): float(value) for joint, value in (fixed or {}).items()}
    if frame_index(names, frame) != arm.n - 1:
        raise InputError("all_solutions: expected the last frame; the joints beyond another are free.")
    reduced = type(arm)(_with_fixed(arm.model, values)) if values else arm
    if reduced.n != JOINTS or not all(joint.is_revolute for joint in reduced.model.joints):
        raise InputError(
            f"all_solutions: {arm.name} has {reduced.n} joints to move; expected six revolute ones. "
            "Hold others with fixed={joint: position}, or use inverse_kinematics for the nearest one."
        )
    target = _matrix(pose)
    solver = closed_form(reduced)
    exact = np.empty((0, JOINTS)) if solver is None else solver(target)
    rng = np.random.default_rng(seed)
    starts = np.concatenate([exact, rng.uniform(-np.pi, np.pi, (STARTS, JOINTS))])
    found = reduced.inverse_kinematics(target, starts, limits=False, restarts=0)
    reached, singular = np.asarray(found.converged), found.condition >= REACHED_SINGULAR
    chosen, beyond = _distinct(found.q, reached, singular, len(exact))
    inside = _within(reduced.model, chosen, limits)
    home = np.delete(arm.home, list(values))
    inside = inside[np.argsort(np.linalg.norm(inside - home, axis=1))]
    result = np.empty((len(inside), arm.n))
    result[:, [j for j in range(arm.n) if j not in values]] = inside
    for joint, value in values.items():
        result[:, joint] = value
    return AllSolutions(result, *_judged(solver is not None, beyond, bool((reached & singular).any())))


def _judged(closed: bool, beyond: int, singular: bool) -> tuple[bool, str]:
    if singular:
        return False, "the pose is singular: its solutions may form curves, of which a few are listed"
    if not closed:
        return False, f"from {STARTS} random starts; no closed form applies, so there may be more"
    if beyond:
        return False, f"random starts found {beyond} beyond the closed form; there may be more"
    return True, f"complete: a closed form applies, and {STARTS} random starts found no other"


def closed_form(arm: Arm) -> ClosedForm | None:
    """Solutions (k, 6) of a pose (4, 4) by EAIK; None if it has no decomposition for this arm."""
    return _closed_form(arm, arm.model)


@lru_cache(maxsize=16)
def _closed_form(arm: Arm, model: ArmModel) -> ClosedForm | None:
    try:
        from eaik.IK_HP import HPRobot
    except ImportError as error:
        raise InputError('all_solutions needs the library eaik: pip install "linkwork[ik]"') from error
    zero = np.zeros(JOINTS)
    T, J = arm.forward_kinematics(zero), arm.jacobian(zero)
    axes = J[3:].T
    # v = e x (tip - o): the foot of the tip on the axis is tip - v x e.
    feet = T[:3, 3] - np.cross(J[:3].T, axes)
    steps = np.diff(np.vstack([np.zeros(3), feet, T[:3, 3]]), axis=0)
    robot = HPRobot(axes, steps)
    if not robot.hasKnownDecomposition():
        return None

    def solve(target: Array) -> Array:
        moved = target.copy()
        moved[:3, :3] = target[:3, :3] @ T[:3, :3].T
        answers: Any = robot.IK(moved).Q
        rows = np.asarray(answers, dtype=np.float64).reshape(-1, JOINTS)
        return rows[np.isfinite(rows).all(axis=1)]

    return solve


def _matrix(pose: ArrayLike) -> Array:
    target = targets(pose)
    if target.ndim != 1:
        raise InputError(f"all_solutions: pose has shape {np.shape(pose)}; it must be one pose.")
    if len(target) == 16:
        return target.reshape(4, 4)
    return Transform.of(rotation_of(target), target[:3]).matrix()


def _distinct(q: Array, converged: Flags, singular: Flags, exact: int) -> tuple[Array, int]:
    """Solutions that differ by more than full turns, and how many the closed form did not give.

    Random starts find any number of singular ones, points of a curve: one stands for them.
    """
    turned = np.mod(q + np.pi, 2 * np.pi) - np.pi
    kept: list[Array] = []
    beyond = 0
    many = singular & (np.arange(len(q)) >= max(exact, int(np.argmax(converged & singular)) + 1))
    for k in np.flatnonzero(converged & ~many):
        away = [np.abs(np.mod(turned[k] - other + np.pi, 2 * np.pi) - np.pi).max() for other in kept]
        if min(away, default=np.inf) > SAME:
            kept.append(turned[k])
            beyond += int(k >= exact)
    return np.array(kept).reshape(-1, q.shape[1]), beyond


def _within(model: ArmModel, q: Array, limits: bool) -> Array:
    """Those that keep the limits, some joints by a full turn more or less."""
    low, high = bounds(model, limits)
    with np.errstate(invalid="ignore"):
        middle = np.nan_to_num((low + high) / 2, nan=0.0, posinf=0.0, neginf=0.0)
    inside = (q >= low) & (q <= high)
    near = np.where(inside, q, q - 2 * np.pi * np.round((q - middle) / (2 * np.pi)))
    return near[((near >= low) & (near <= high)).all(axis=1)]


def _with_fixed(model: ArmModel, values: Mapping[int, float]) -> ArmModel:
    """The arm whose joints at these positions are rigid, for its kinematics only."""
    joints = []
    carried = Transform()
    for k, joint in enumerate(model.joints):
        if k not in values:
            joints.append(replace(joint, before=carried @ joint.before))
            carried = Transform()
            continue
        amount = values[k] + joint.offset
        motion = (
            Transform.of(rotation_about_axis(joint.axis, amount))
            if joint.is_revolute
            else Transform.of(np.eye(3), amount * joint.axis)
        )
        carried = carried @ joint.before @ motion @ joint.after
    if joints:
        joints[-1] = replace(joints[-1], after=joints[-1].after @ carried)
    return replace(model, joints=tuple(joints), operation_plan="")
