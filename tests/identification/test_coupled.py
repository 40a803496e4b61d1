"""A wrist whose drives are coupled: rotor and friction belong to motors that turn with two joints."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.identification.logs import checked_log
from tests.cli.process import run as linkwork
from tests.identification.flaws import motion, small_arm
from tests.identification.generated import covered, true_robot

MOTORS = {"m2": {"upper": 1.0}, "m3": {"upper": 1.0, "fore": 1.0}}
RATIOS = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]])  # of motors by joints
NOISE = np.array([0.25, 0.2, 0.15])


def bare_arm() -> lw.Robot:
    """Without friction and rotors in the joints of the wrist, as a URDF has it."""
    arm = small_arm()
    names, values = list(arm.parameters.names), np.array(arm.parameters.values)
    for joint in ("upper", "fore"):
        for kind in ("rotor", "viscous", "coulomb_forward", "coulomb_backward"):
            values[names.index(f"{joint}.{kind}")] = 0.0
    return arm.with_parameters(values)


def true_wrist(seed: int) -> lw.Robot:
    robot = bare_arm().with_motors(MOTORS)
    names, values = list(robot.parameters.names), np.array(robot.parameters.values)
    drives = {"rotor": 0.25, "viscous": 1.5, "coulomb_forward": 1.2, "coulomb_backward": -1.0}
    for motor, size in (("m2", 1.5), ("m3", 0.8)):
        for kind, value in drives.items():
            values[names.index(f"{motor}.{kind}")] = size * value
    return true_robot(robot.with_parameters(values), seed)


def recorded(true: lw.Robot, seed: int, way: int = 0):
    time, states = motion(way).sample(0.01)
    noise = NOISE * np.random.default_rng(seed).normal(size=(len(time), 3))
    return time, np.round(states[0], 5), true.inverse_dynamics(*states) + noise


def test_motors_do_what_joints_need_together() -> None:
    arm = bare_arm()
    coupled = arm.with_motors(MOTORS)
    assert coupled.efforts.names == ("base", "m2", "m3")
    states = arm.random_states(10, seed=1)
    motors = coupled.inverse_dynamics(*states)
    np.testing.assert_allclose(motors @ RATIOS, arm.inverse_dynamics(*states), rtol=1e-9, atol=1e-9)
    with pytest.raises(lw.LinkworkError, match="elbow is not a joint"):
        arm.with_motors({"m3": {"elbow": 1.0}})
    with pytest.raises(lw.LinkworkError, match="2 motors for 3 coordinates"):
        arm.with_motors({"m3": {"upper": 1.0, "fore": 1.0}})


def check(seeds) -> None:
    inside = []
    for seed in seeds:
        true = true_wrist(seed)
        robot = bare_arm().with_motors(MOTORS)
        found = lw.identify(robot, checked_log(robot, "log", *recorded(true, seed, seed % 5)))
        inside.append(covered(found, true))
        new = motion(50).sample(0.02)[1]
        left = found.robot.inverse_dynamics(*new) - true.inverse_dynamics(*new)
        moving = np.abs(robot.actuator_motion(*new[:2]).velocity) > 0.1
        rms = np.sqrt((moving * left**2).sum(axis=0) / moving.sum(axis=0))
        assert (np.sqrt(1 + (rms / NOISE) ** 2) < 1.2).all()
    share = float(np.concatenate(inside).mean())
    print(f"coupled drives: coverage {share:.3f}")
    assert share > 0.85
    assert len(inside) < 100 or 0.9 <= share <= 0.99


def test_rotor_and_friction_of_the_motors_are_found() -> None:
    check(range(1))


@pytest.mark.long
def test_a_hundred_wrists() -> None:
    check(range(100))


def test_efforts_of_joints_are_read_as_those_of_the_motors(tmp_path) -> None:
    true, robot = true_wrist(3), bare_arm().with_motors(MOTORS)
    time, position, motors = recorded(true, 3)
    table = np.column_stack([time, position, motors @ RATIOS])
    path = tmp_path / "log.csv"
    header = "t,q1,q2,q3,tau1,tau2,tau3"
    np.savetxt(path, table, delimiter=",", header=header, comments="")
    log = lw.read_log(robot, path, joint_efforts=True)
    np.testing.assert_allclose(log.effort, motors, atol=1e-9)
    alone = lw.identify(bare_arm(), path)  # without the coupling much stays unexplained
    found = lw.identify(robot, path, joint_efforts=True)
    assert (found.noise[1:] < 1.1 * NOISE[1:]).all()
    assert alone.noise[1] > 1.5 * np.hypot(*NOISE[1:])


def test_the_command_line_makes_such_robots(tmp_path) -> None:
    lw.write_robot(bare_arm(), tmp_path / "arm.yaml")
    options = ["--motor", "m2=upper", "--motor", "m3=upper,fore"]
    linkwork("convert", "arm.yaml", "coupled.yaml", *options, cwd=tmp_path)
    robot = lw.load(tmp_path / "coupled.yaml")
    assert robot.efforts.names == ("base", "m2", "m3")
    states = robot.random_states(5, seed=1)
    expected = bare_arm().with_motors(MOTORS).inverse_dynamics(*states)
    np.testing.assert_allclose(robot.inverse_dynamics(*states), expected, rtol=1e-9)
    done = linkwork("convert", "arm.yaml", "x.yaml", "--motor", "m3=upper:a", cwd=tmp_path, code=2)
    assert "expected a name and joints" in done.stderr
