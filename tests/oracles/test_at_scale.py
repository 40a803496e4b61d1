"""Random robots by the thousand against engines that others wrote; run by `make test-all`.

Made alone: a robot is written to a file, loaded from it and has machine code of its own, its numbers
folded in. Made together: machine code that takes the numbers of robots as inputs, as sweeps use it,
evaluates many robots of one structure in one call, a robot per row. 10,000 arms (1,000 of them alone,
half of these with special geometry and bodies without mass, through URDF), 10,000 platforms (500
alone) and 3,000 mechanisms (all alone). Pinocchio solves every one; MuJoCo all whose bodies have mass.

Differences are relative to the largest component of the reference. Accelerations must satisfy
Pinocchio's equation of motion. They may differ from its own by more than the tolerance only as far as
rounding of the efforts explains it: near a singular pose 4e7 N move a platform by 1 m/s^2, and their
last digits count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import linkwork as lw
from linkwork.model.families.arm import ArmModel
from tests.oracles.mujoco_arm import mujoco_model
from tests.oracles.mujoco_platform import MujocoPlatform
from tests.oracles.pinocchio_arm import PinocchioArm
from tests.oracles.pinocchio_mechanism import Oracle
from tests.oracles.pinocchio_platform import PinocchioPlatform
from tests.random_arms import CONVENTIONS, random_arm, special_arm
from tests.random_mechanisms import random_mechanism, random_states
from tests.random_platforms import random_platform, random_state

TOLERANCE = 1e-9
SINGULAR = 1e12  # condition number from which a mass matrix has no accelerations to compare
ROUNDING = 100 * np.finfo(float).eps  # of the largest effort
SHARD = 25  # robots of one test
ARMS_ALONE, SKELETONS, ARMS_OF_A_SKELETON = 1_000, 180, 50
PLATFORMS_ALONE, PLATFORMS_TOGETHER = 500, 9_500
MECHANISMS = 3_000
ARM_NUMBERS = ["gravity", "links.mass", "links.center_of_mass", "links.inertia"]
DENAVIT_HARTENBERG = ["links.a", "links.d"]
PLATFORM_NUMBERS = [
    "gravity",
    "platform.mass",
    "platform.center_of_mass",
    "platform.inertia",
    *(f"legs.{point}" for point in ("base_point", "platform_point", "fixed_axis")),
    *(f"legs.lower.{what}" for what in ("mass", "center_of_mass", "inertia")),
    *(f"legs.upper.{what}" for what in ("mass", "center_of_mass", "inertia")),
    *(f"legs.friction.{joint}" for joint in ("universal", "prismatic", "spherical")),
]  # fmt: skip

pytestmark = pytest.mark.long


def shards(count: int, size: int = SHARD) -> pytest.MarkDecorator:
    """Tests of `size` robots each, which workers share out."""
    starts = range(0, count, size)
    return pytest.mark.parametrize("seeds", [range(k, k + size) for k in starts], ids=map(str, starts))


def apart(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Largest difference of a state by the largest component of its reference."""
    return np.abs(ours - theirs).max(axis=-1) / np.maximum(np.abs(theirs).max(axis=-1), 1e-6)


def agree(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    worst = apart(ours, theirs).max(initial=0.0)
    assert worst <= TOLERANCE, f"{what}: {worst:.1e}"


def forward_agrees(
    found: np.ndarray, acceleration: np.ndarray, effort_of: Callable[[np.ndarray], np.ndarray], what: str
) -> None:
    """Accelerations that efforts of a state cause; `effort_of` is Pinocchio's inverse dynamics there."""
    effort = effort_of(acceleration)
    agree(effort_of(found), effort, f"forward dynamics put into Pinocchio's equation of motion, {what}")
    if (difference := apart(found, acceleration)) > TOLERANCE:
        slope = np.array([effort_of(acceleration + axis) - effort for axis in np.eye(len(found))]).T
        rounding = ROUNDING * np.abs(effort).max() * np.linalg.norm(np.linalg.pinv(slope), 2)
        explained = rounding / np.abs(acceleration).max()
        assert difference <= explained, (
            f"forward dynamics of {what}: {difference:.1e}, not {explained:.1e}"
        )


def some_arm(seed: int) -> ArmModel:
    n = 1 + seed // 2 % 8
    return special_arm(seed, n) if seed % 2 else random_arm(seed, n, CONVENTIONS[seed // 2 % 3])


def loaded(robot: lw.Robot, path: Path) -> Any:
    """The robot from the file that it is written to."""
    lw.write_robot(robot, path)
    return lw.load(path)


class ArmAnswers:
    """Pinocchio's and MuJoCo's answers about an arm at its states."""

    def __init__(self, model: ArmModel, seed: int) -> None:
        self.q, self.qd, self.qdd = np.random.default_rng(seed).uniform(-2, 2, (3, 3, model.n))
        self.oracle = PinocchioArm(model)
        self.tau = self.torque(self.qdd)
        self.condition = max(float(np.linalg.cond(self.oracle.mass_matrix(q))) for q in self.q)
        bodies = [joint.body for joint in model.joints]
        if all(body.mass > 0 and np.linalg.eigvalsh(body.inertia)[0] > 1e-6 for body in bodies):
            agree(self._mujoco(model), self.tau, f"MuJoCo and Pinocchio on arm {seed}")

    def torque(self, qdd: np.ndarray) -> np.ndarray:
        return np.array([self.oracle.torque(*row) for row in zip(self.q, self.qd, qdd, strict=True)])

    def _mujoco(self, model: ArmModel) -> np.ndarray:
        engine = mujoco_model(model)
        data, found = mujoco.MjData(engine), []
        for data.qpos[:], data.qvel[:], data.qacc[:] in zip(self.q, self.qd, self.qdd, strict=True):
            mujoco.mj_inverse(engine, data)
            found.append(data.qfrc_inverse.copy())
        return np.array(found)

    def compare(self, inverse: np.ndarray, forward: np.ndarray, what: str) -> None:
        agree(inverse, self.tau, f"inverse dynamics of {what}")
        if self.condition < SINGULAR:
            for q, qd, qdd, found in zip(self.q, self.qd, self.qdd, forward, strict=True):
                forward_agrees(found, qdd, partial(self.oracle.torque, q, qd), what)


@shards(ARMS_ALONE)
def test_arms_made_alone(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        model = some_arm(seed)
        arm = loaded(lw.Arm(model), tmp_path / f"arm-{seed}.{'urdf' if seed % 2 else 'yaml'}")
        answers, gravity = ArmAnswers(model, seed), np.array(model.gravity)
        motion = answers.q, answers.qd
        answers.compare(
            arm.inverse_dynamics(*motion, answers.qdd, gravity=gravity),
            arm.forward_dynamics(*motion, answers.tau, gravity=gravity, errors="nan"),
            f"arm {seed}",
        )


def skeleton_and_numbers(skeleton: int) -> tuple[list[str], list[ArmModel]]:
    """Arms with the joints and angles of one, each with other lengths, bodies and gravity."""
    rng = np.random.default_rng([skeleton, 8])
    convention = CONVENTIONS[skeleton % 3]
    arm = lw.Arm(random_arm(skeleton, 1 + skeleton % 8, convention))
    names = ARM_NUMBERS + (DENAVIT_HARTENBERG if convention != "general" else [])
    models = []
    for _ in range(ARMS_OF_A_SKELETON):
        other = lw.Arm(random_arm(int(rng.integers(2**32)), arm.n, convention))
        lengths = {name: 0.5 * rng.normal(size=arm.n) for name in names if name in DENAVIT_HARTENBERG}
        bodies = {name: other.field(name) for name in ARM_NUMBERS}
        models.append(arm.with_fields(bodies | lengths).model)
    return names, models


@shards(SKELETONS, 4)
def test_arms_made_together(seeds: range) -> None:
    for skeleton in seeds:
        names, models = skeleton_and_numbers(skeleton)
        answers = [ArmAnswers(model, k) for k, model in enumerate(models)]
        numbers = [
            np.repeat([lw.Arm(model).field(name) for model in models], 3, axis=0) for name in names
        ]
        q, qd, qdd, tau = (
            np.concatenate([getattr(each, what) for each in answers])
            for what in ("q", "qd", "qdd", "tau")
        )
        arm = lw.Arm(models[0])
        inverse = arm.kernel("inverse_dynamics", parameters=names)(q, qd, qdd, *numbers)
        forward = arm.kernel("forward_dynamics", parameters=names)(q, qd, tau, *numbers)
        for k, each in enumerate(answers):
            rows = slice(3 * k, 3 * k + 3)
            each.compare(inverse[rows], forward[rows], f"row {k} of skeleton {skeleton}")


class PlatformAnswers:
    """Pinocchio's answers about a platform with friction at a state; MuJoCo's, without friction, too."""

    def __init__(self, seed: int) -> None:
        self.model = random_platform(seed)
        self.state = pose, twist, acceleration, wrench = random_state(seed)
        pinocchio = PinocchioPlatform(self.model, pose, twist)
        self.effort_of = lambda acceleration: pinocchio.inverse(acceleration, wrench).force
        self.force = self.effort_of(acceleration)
        bare = random_platform(seed, friction=False)
        peer = MujocoPlatform(bare, pose)
        peer.set_motion(twist)
        solved = PinocchioPlatform(bare, pose, twist).inverse(acceleration, np.zeros(6)).force
        agree(peer.inverse(acceleration), solved, f"MuJoCo and Pinocchio on platform {seed}")


@shards(PLATFORMS_ALONE)
def test_platforms_made_alone(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        answers = PlatformAnswers(seed)
        pose, twist, acceleration, wrench = answers.state
        platform = loaded(lw.Platform(answers.model), tmp_path / f"platform-{seed}.yaml")
        force = platform.inverse_dynamics(pose, twist, acceleration, wrench)
        agree(force, answers.force, f"inverse dynamics of platform {seed}")
        back = platform.forward_dynamics(pose, twist, answers.force, wrench)
        forward_agrees(back, acceleration, answers.effort_of, f"platform {seed}")


@shards(PLATFORMS_TOGETHER, 250)
def test_platforms_made_together(seeds: range) -> None:
    answers = [PlatformAnswers(PLATFORMS_ALONE + seed) for seed in seeds]
    robots = [lw.Platform(each.model) for each in answers]
    numbers = [np.array([robot.field(name) for robot in robots]) for name in PLATFORM_NUMBERS]
    pose, twist, acceleration, wrench = map(
        np.array, zip(*(each.state for each in answers), strict=True)
    )
    force = np.array([each.force for each in answers])
    options: Any = {"parameters": PLATFORM_NUMBERS, "wrench": "input"}
    one = lw.Platform(random_platform(0))
    inverse = one.kernel("inverse_dynamics", **options)(pose, twist, acceleration, wrench, *numbers)
    agree(inverse, force, "inverse dynamics")
    back = one.kernel("forward_dynamics", **options)(pose, twist, force, wrench, *numbers)
    for seed, each, found in zip(seeds, answers, back, strict=True):
        forward_agrees(found, each.state[2], each.effort_of, f"platform {PLATFORMS_ALONE + seed}")


@shards(MECHANISMS)
def test_mechanisms_made_alone(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        model = random_mechanism(seed)
        c, cd, cdd = random_states(model, np.random.default_rng(seed), 2)
        oracle = Oracle(model)
        tau = np.array([oracle.inverse(*state) for state in zip(c, cd, cdd, strict=True)])
        robot = lw.Mechanism(model)
        if all((np.eye(3) == part.frame.R).all() for part in model.parts):  # as files have it
            robot = loaded(robot, tmp_path / f"mechanism-{seed}.yaml")
        agree(robot.inverse_dynamics(c, cd, cdd), tau, f"inverse dynamics of {model.name}")
        back = robot.forward_dynamics(c, cd, tau)
        for k, found in enumerate(back):
            forward_agrees(found, cdd[k], partial(oracle.inverse, c[k], cd[k]), model.name)
