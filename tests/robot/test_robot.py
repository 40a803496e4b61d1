"""What arms and platforms share: names, limits, motion of the actuators, and helpful errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from tools import bundled_types

NAMES = ("puma560", "stanford", "panda", "simona", "dasgupta1998")


@pytest.fixture(params=NAMES, scope="module")
def robot(request) -> lw.Robot:
    return lw.load(request.param)


def states(robot: lw.Robot, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions near home, velocities and accelerations."""
    rng = np.random.default_rng(5)
    position = robot.home + 0.05 * rng.uniform(-1, 1, (count, len(robot.coordinates)))
    if robot.actuated_element == "leg":
        position[:, 3:] /= np.linalg.norm(position[:, 3:], axis=1)[:, None]
    velocity, acceleration = rng.uniform(-0.2, 0.2, (2, count, len(robot.velocities)))
    return position, velocity, acceleration


def test_names_and_units_fit_the_arrays(robot: lw.Robot) -> None:
    for part in (robot.coordinates, robot.velocities, robot.efforts):
        assert len(part.names) == len(part.labels) == len(part.units) == len(part)
        assert len(set(part.names)) == len(part)
    assert robot.home.shape == (len(robot.coordinates),)
    assert len(robot.efforts) == robot.n
    assert robot.inverse_dynamics(*states(robot, 3)).shape == (3, robot.n)


def test_home_keeps_the_position_limits(robot: lw.Robot) -> None:
    assert robot.check_limits(robot.home).ok


def test_equation_of_motion(robot: lw.Robot) -> None:
    """M a + h is the effort, as the velocities feel it: J' F for a platform."""
    position, velocity, acceleration = states(robot, 4)
    efforts = robot.inverse_dynamics(position, velocity, acceleration, friction=False)
    if isinstance(robot, lw.Platform):
        efforts = np.einsum("...ij,...i->...j", robot.jacobian(position), efforts)
    M, bias = robot.mass_matrix(position), robot.bias(position, velocity)
    expected = np.einsum("...ij,...j->...i", M, acceleration) + bias
    np.testing.assert_allclose(efforts, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


def test_gravity_load_is_the_effort_at_rest(robot: lw.Robot) -> None:
    position, velocity, _ = states(robot, 4)
    still = np.zeros_like(velocity)
    expected = robot.inverse_dynamics(position, still, still, friction=False)
    np.testing.assert_allclose(robot.gravity_load(position), expected, atol=1e-9)


def test_gravity_is_an_argument_everywhere(robot: lw.Robot) -> None:
    """Gravity turned off and on again; the kernel with gravity folded in agrees."""
    position, velocity, acceleration = states(robot, 4)
    motion, weightless = (position, velocity, acceleration), np.zeros(3)
    free = robot.inverse_dynamics(*motion, gravity=weightless)
    load = robot.gravity_load(position, [0.0, 0.0, -9.81])
    np.testing.assert_allclose(robot.inverse_dynamics(*motion) - free, load, atol=1e-8)
    back = robot.forward_dynamics(position, velocity, free, gravity=weightless)
    np.testing.assert_allclose(back, acceleration, atol=1e-8)
    folded = robot.kernel("inverse_dynamics", gravity=[0, 0, 0])(*motion)
    np.testing.assert_allclose(folded, free, atol=1e-9)
    assert np.ptp(robot.energy(position, velocity, weightless).potential) == 0


def test_power_of_the_actuators_is_the_change_of_energy(robot: lw.Robot) -> None:
    """Without friction; the derivative of the energy by central differences along the motion."""
    position, velocity, acceleration = states(robot, 4)
    efforts = robot.inverse_dynamics(position, velocity, acceleration, friction=False)
    moving = robot.actuator_motion(position, velocity, acceleration)
    assert moving.velocity is not None
    power = (efforts * moving.velocity).sum(axis=-1)
    h = 1e-4

    def energy(t: float) -> np.ndarray:
        v = velocity + t * acceleration
        way = t * velocity + t * t / 2 * acceleration
        if robot.actuated_element == "joint":
            return robot.energy(position + way, v).total
        turned = turned_by(position[:, 3:], way[:, 3:])
        return robot.energy(np.hstack([position[:, :3] + way[:, :3], turned]), v).total

    change = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    np.testing.assert_allclose(power, change, atol=1e-5 * max(1.0, np.abs(power).max()))


def turned_by(quaternion: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    start = Rotation.from_quat(quaternion[:, [1, 2, 3, 0]])
    return (Rotation.from_rotvec(rotation) * start).as_quat()[:, [3, 0, 1, 2]]


def test_actuators_of_an_arm_are_its_joints() -> None:
    arm = lw.load_arm("puma560")
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    moving = arm.actuator_motion(q, qd, qdd)
    np.testing.assert_array_equal(moving.position, q)
    assert arm.actuator_motion(q).velocity is None


def test_limits_of_an_arm() -> None:
    arm = lw.load_arm("puma560")
    q = np.zeros((5, 6))
    q[3, 2] = q[4, 2] = 4.0
    report = arm.check_limits(q, np.zeros((5, 6)), time=np.arange(5.0))
    assert report.mask.tolist() == [False] * 3 + [True] * 2
    found = report.breaks[0]
    assert (found.name, found.limit, found.first, found.first_time) == (
        arm.joint_names[2],
        "position",
        3,
        3,
    )
    assert found.excess == pytest.approx(4.0 - arm.limits.position[2, 1])
    heavy = arm.check_limits(np.zeros(6), effort=np.full(6, 1e4))
    assert {each.limit for each in heavy.breaks} == {"effort"}
    assert heavy.mask.shape == ()
    loaded = arm.check_limits(np.zeros(6), np.zeros(6), np.zeros(6), [0, 0, 1e5, 0, 0, 0])
    assert not loaded.ok


def test_limits_of_every_batch_shape(robot: lw.Robot) -> None:
    position, velocity, acceleration = states(robot, 6)
    grid = [part.reshape(2, 3, -1) for part in (position, velocity, acceleration)]
    flat = robot.check_limits(position, velocity, acceleration)
    shaped = robot.check_limits(*grid)
    np.testing.assert_array_equal(shaped.mask.ravel(), flat.mask)
    assert [str(each) for each in shaped.breaks] == [str(each) for each in flat.breaks]


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("rne", "inverse_dynamics"),
        ("rnea", "inverse_dynamics"),
        ("aba", "forward_dynamics"),
        ("crba", "mass_matrix"),
        ("fkine", "forward_kinematics"),
        ("jacob0", "jacobian"),
        ("gravload", "gravity_load"),
    ],
)
def test_foreign_names_are_answered(robot: lw.Robot, name: str, here: str) -> None:
    with pytest.raises(AttributeError, match=f"use {here}"):
        getattr(robot, name)


def test_a_slip_of_the_pen_gets_a_suggestion(robot: lw.Robot) -> None:
    with pytest.raises(AttributeError, match="did you mean inverse_dynamics"):
        robot.invers_dynamics  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(robot, "_nothing")


def test_kinds_are_checked_when_loading() -> None:
    with pytest.raises(lw.InputError, match="expected an arm, got <Platform simona"):
        lw.load_arm("simona")
    with pytest.raises(lw.InputError, match="expected a Stewart platform, got <Arm ur5"):
        lw.load_platform("ur5")


def test_options_of_kernels_are_the_same_for_all_kinds(robot: lw.Robot) -> None:
    kernel = robot.kernel("inverse_dynamics", **{robot.wrench_option: "input"}, formulation=None)
    assert robot.wrench_option in kernel.inputs
    with pytest.raises(lw.InputError, match="input"):
        robot.kernel("inverse_dynamics", **{robot.wrench_option: "yes"})


def test_flags_are_no_positional_arguments() -> None:
    arm = lw.load_arm("ur5")
    with pytest.raises(TypeError):
        arm.inverse_dynamics(*np.zeros((3, 6)), None, None, False)  # type: ignore[misc]


@pytest.mark.long
def test_a_wrong_method_name_is_a_type_error(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    lines = ["import linkwork as lw", "lw.load('ur5').invers_dynamics(1, 2)"]
    lines += [f"reveal_type(lw.load({name!r}))" for name in ("ur5", "simona", "delta", "palletizer")]
    script.write_text("\n".join(lines))
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(script)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "invers_dynamics" in found.stdout, found.stdout + found.stderr
    revealed = [line.split('"')[1] for line in found.stdout.splitlines() if "Revealed type" in line]
    assert [each.rsplit(".", 1)[1] for each in revealed] == ["Arm", "Platform", "ParallelRobot", "Robot"]


def test_types_of_bundled_names_are_those_of_their_files() -> None:
    """`python -m tools.bundled_types` writes them again."""
    assert bundled_types.TARGET.read_text("utf-8") == bundled_types.text()
