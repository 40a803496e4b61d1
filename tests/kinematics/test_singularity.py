"""One condition number: the same digits from the interface, kernels, solvers, terminal and studio."""

from __future__ import annotations

import re

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import conditioning
from linkwork.cli.running import run
from linkwork.core.text import number
from linkwork.design.metrics import evaluator, sampled
from linkwork.kinematics.singularity import NEAR_SINGULAR, regularity
from linkwork.studio.reading import MotionState, read

AWAY = {"simona": 0.0, "ur5": 0.1, "stanford": 0.3, "planar-2r": 0.3, "delta": 0.0, "excavator": 0.0}


@pytest.mark.parametrize("name", [*AWAY])
def test_everything_tells_the_same_number(name: str) -> None:
    robot = lw.load(name)
    place = robot.home + AWAY[name] * np.arange(1, len(robot.home) + 1)
    told = float(robot.condition_number(place))
    assert 1 < told < NEAR_SINGULAR
    assert robot.condition_number(place, robot.length_scale) == told
    assert conditioning(robot, place[None])[0].values[0] == told

    at_rest = MotionState.at_rest(place, len(robot.velocities))
    assert read(robot, at_rest).singularity.condition == told
    if not robot.moved_by_motors:
        assert robot.singularities(place).parallel == told
    if isinstance(robot, lw.Arm):
        assert robot.manipulability(place).condition == told
        T = robot.forward_kinematics(place)
        mask = [True, True, False, False, False, False] if robot.n < 6 else None
        assert robot.inverse_kinematics(T, place, limits=False, mask=mask).condition == pytest.approx(
            told, rel=1e-9
        )
        followed = robot.follow(T[None], place, limits=False, mask=mask)
        assert followed.condition[0] == pytest.approx(told, rel=1e-9)


def test_a_platform_has_it_in_sweeps_modes_and_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    robot = lw.load_platform("simona")
    told = float(robot.condition_number(robot.home))
    assert told == pytest.approx(2.9165, rel=1e-4)
    poses = robot.random_states(200)[0]
    kernel = robot.kernel("condition_number")
    np.testing.assert_allclose(kernel(poses), robot.condition_number(poses), rtol=1e-12)
    motion = sampled(robot, "heave", 0.1)
    found, reasons = evaluator(robot, ["platform.mass"], [motion], ["condition"])(
        np.array([[robot.model.platform.mass]])
    )
    assert reasons == [""]
    expected = robot.condition_number(motion.position).max()
    np.testing.assert_allclose(found["condition"], expected, rtol=1e-12)
    modes = robot.assembly_modes(robot.leg_lengths(robot.home))
    assert min(abs(modes.condition / told - 1)) < 1e-9
    assert regularity(robot, robot.jacobian(robot.home)) == pytest.approx(
        np.sign(np.linalg.det(robot.jacobian(robot.home))) / told, rel=1e-12
    )
    assert run(["show", "simona"]) == 0
    assert f"condition number at home: {number(told)}" in re.sub(r"\s+", " ", capsys.readouterr().out)


@pytest.mark.parametrize("bend", [0.05, 0.005])
def test_near_singular_is_one_judgement(bend: float) -> None:
    """Of a wrist that is nearly straight: the same number and the same verdict from inverse kinematics,
    a followed path and the study of a report, alone and among other samples."""
    arm = lw.load_arm("ur5")
    q = np.array([0.3, -1.2, 1.1, -0.8, bend, 0.4])
    path = q + np.linspace(-0.02, 0.02, 9)[:, None] * np.array([1, 1, -1, 0, 0, 1])
    told = arm.condition_number(path)
    T = arm.forward_kinematics(path)
    near = told >= NEAR_SINGULAR
    assert near.all() if bend < 0.01 else not near.any()
    solved = arm.inverse_kinematics(T, path, limits=False)
    np.testing.assert_array_equal(solved.near_singular, near)
    np.testing.assert_allclose(solved.condition, told, rtol=1e-6)
    followed = arm.follow(T, path[0], limits=False)
    np.testing.assert_allclose(followed.condition, told, rtol=1e-6)
    assert bool(followed.near_singular) == near.any()
    np.testing.assert_array_equal(conditioning(arm, path)[0].values, told)
    np.testing.assert_array_equal([arm.condition_number(each) for each in path], told)
