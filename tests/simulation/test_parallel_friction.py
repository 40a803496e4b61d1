"""Coulomb friction in the joints of parallel robots: it holds, it lets go, and it is the platform's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import TaskSpacePD
from linkwork.model.joint import Friction
from linkwork.motion import Quintic
from linkwork.simulation import rollout, simulate
from tests.oracles.test_parallel_platforms import as_parallel

WAYS = [{}, {"step": 0.01}, {"step": 0.02, "integrator": "adaptive"}]


def dry(robot: lw.ParallelRobot, motors: float, others: float = 0.0) -> lw.ParallelRobot:
    """The robot with symmetric Coulomb friction of these sizes and none else."""
    legs = []
    for leg in robot.model.legs:
        sizes = [motors if joint.actuated else others for joint in leg.joints]
        joints = [
            replace(joint, friction=Friction(0.0, size, -size))
            for joint, size in zip(leg.joints, sizes, strict=True)
        ]
        legs.append(replace(leg, joints=tuple(joints)))
    return lw.ParallelRobot(replace(robot.model, legs=tuple(legs)))


def unmoved(robot: lw.ParallelRobot, position: np.ndarray) -> float:
    return float(np.abs(robot.inverse_kinematics(position) - robot.inverse_kinematics(robot.home)).max())


@pytest.mark.parametrize("way", WAYS)
def test_a_delta_that_its_motors_hold_does_not_drift(way) -> None:
    robot = dry(lw.load_parallel("delta"), 8.0)
    assert np.abs(robot.gravity_load(robot.home)).max() > 5
    run = simulate(robot, duration=1.0, **way)
    assert unmoved(robot, run.position[-1]) < 1e-12
    falls = simulate(dry(robot, 4.0), duration=0.1, **way)
    assert unmoved(robot, falls.position[-1]) > 1e-3


def test_joints_share_what_they_hold() -> None:
    """More joints with friction than freedoms: motors and forearms of a five-bar hold it together,
    though neither do alone."""
    robot = lw.load_parallel("five-bar")
    for motors, others, holds in ((1.0, 0.0, False), (0.0, 0.6, False), (1.0, 0.6, True)):
        rough = dry(robot, motors, others)
        for way in ({"step": 0.01}, {"step": 0.02, "integrator": "adaptive"}):
            run = simulate(rough, duration=0.1, **way)
            moved = unmoved(rough, run.position[-1])
            assert moved < 1e-12 if holds else moved > 1e-3, (motors, others, way)


def test_what_slides_loses_its_energy_to_friction() -> None:
    """A Delta falls while its friction takes F |q|; both integrators agree."""
    friction = 3.0
    robot = dry(lw.load_parallel("delta"), friction)
    start = (robot.home + np.array([0.05, 0.02, 0.0]), np.array([0.6, -0.3, 0.4]))
    fixed = simulate(robot, start=start, duration=0.2, step=5e-4)
    exact = simulate(robot, start=start, duration=0.2, step=0.01, integrator="adaptive")
    np.testing.assert_allclose(fixed.position[-1], exact.position[-1], atol=1e-8)
    q = robot.inverse_kinematics(fixed.position)
    qd = robot.actuator_motion(fixed.position, fixed.velocity).velocity
    assert (np.sign(qd[1:]) != np.sign(qd[1])).any(axis=0).any()  # one of them turns on the way
    way = np.abs(np.diff(q, axis=0)).sum()
    lost = fixed.energy[0] - fixed.energy[-1]
    assert lost == pytest.approx(friction * way, rel=1e-3)


@pytest.mark.long
def test_legs_of_a_stewart_platform_stick_as_its_own_model_says() -> None:
    """The same six legs in both formats, thrown so that some of them stop while others go on."""
    smooth, friction = lw.load_platform("simona"), 600.0
    legs = smooth.model.legs
    rough = [replace(leg, friction=replace(leg.friction, coulomb=friction)) for leg in legs]
    platform = lw.Platform(replace(smooth.model, legs=tuple(rough)))
    document = as_parallel(smooth)
    for leg in document["legs"]:
        leg["joints"][1]["coulomb"] = [friction, -friction]
    parallel = lw.load(document)
    weight = platform.gravity_load(platform.home)
    start = (platform.home, np.array([0.02, 0.01, 0.03, 0.01, -0.02, 0.0]))
    runs = [
        simulate(robot, lambda time, state: weight, start=start, duration=0.15, step=5e-3)
        for robot in (platform, parallel)
    ]
    np.testing.assert_allclose(runs[1].position, runs[0].position, atol=1e-11)
    assert (runs[0].velocity[-1] == 0).all()
    assert (runs[1].velocity[-1] == 0).all()


def test_rollouts_and_laws_have_it_too() -> None:
    """Loops of a Delta between two poses: alone and together they stick and slip alike, and a law that
    knows friction follows more closely than one that does not."""
    smooth = dry(lw.load_parallel("delta"), 0.0)
    robot = dry(smooth, 2.0)
    motion = Quintic(robot.home, robot.home + np.array([0.05, 0.0, 0.05]), 0.15)
    laws = [lw.TaskSpaceControl(each, motion, 400, 40, measured="pose") for each in (robot, smooth)]
    options = {"duration": 0.2, "step": 1e-3}
    runs = [simulate(robot, law, **options) for law in laws]
    assert np.abs(runs[0].error).max() < 0.1 * np.abs(runs[1].error).max()
    many = rollout(robot, laws[1], batch=2, **options)
    np.testing.assert_allclose(many.final_position, [runs[1].position[-1]] * 2, atol=1e-11)


@pytest.mark.long
def test_what_friction_holds_does_not_drift_in_rollouts() -> None:
    robot = dry(lw.load_parallel("delta"), 8.0)
    still = TaskSpacePD(robot, Quintic(robot.home, robot.home, 1.0), 0.0, 0.0, 0.01, gravity=False)
    held = rollout(robot, still, batch=2, duration=1.0, step=0.01)
    assert unmoved(robot, held.final_position) < 1e-12
