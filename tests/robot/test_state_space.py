"""State space at a pose: against differences, MuJoCo's transition matrices and hand calculation."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw
from linkwork.robot.state_space import StateSpace

MOVING = ("planar-2r", "delta", pytest.param("simona", marks=pytest.mark.long))


@pytest.mark.parametrize("name", MOVING)
def test_a_small_step_of_the_state_changes_its_rate_by_a(name: str) -> None:
    """About a state in motion, by central differences of the motion itself."""
    robot = lw.load(name)
    d, rng = robot.dof, np.random.default_rng(3)
    c = robot.coordinates.moved(robot.home, 0.02 * rng.standard_normal(d))
    cd = 0.3 * rng.standard_normal(d)
    tau = robot.inverse_dynamics(c, cd, np.zeros(d), friction=False)
    space = robot.linearize(c, cd, tau, inputs=["efforts", "wrench"], friction=False)
    position = robot.coordinates

    def rate(step: np.ndarray, effort: np.ndarray) -> np.ndarray:
        """Of the difference from the motion that goes on: its turns are seen from where it is."""
        h, moved = 1e-6, position.moved(c, step[:d])
        ahead = [position.moved(at, h * speed) for at, speed in ((moved, cd + step[d:]), (c, cd))]
        back = [position.moved(at, -h * speed) for at, speed in ((moved, cd + step[d:]), (c, cd))]
        change = (position.difference(*ahead) - position.difference(*back)) / (2 * h)
        return np.append(change, robot.forward_dynamics(moved, cd + step[d:], effort, friction=False))

    h = 1e-5
    A = [(rate(h * e, tau) - rate(-h * e, tau)) / (2 * h) for e in np.eye(2 * d)]
    B = [(rate(np.zeros(2 * d), tau + e) - rate(np.zeros(2 * d), tau)) for e in np.eye(robot.n)]
    assert pytest.approx(np.array(A).T, rel=2e-5, abs=2e-5 * np.abs(space.A).max()) == space.A
    assert space.B[:, : robot.n] == pytest.approx(np.array(B).T, rel=1e-9, abs=1e-9)
    push = robot.on_tool(np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3]))
    felt = robot.forward_dynamics(c, cd, tau, friction=False, **{robot.wrench_option: push})
    free = robot.forward_dynamics(c, cd, tau, friction=False)
    own = space.B[d:, robot.n :] @ [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]
    assert own == pytest.approx(felt - free, rel=1e-8, abs=1e-9)


def test_transition_matrices_of_mujoco(tmp_path) -> None:
    """mjd_transitionFD of an arm in motion. Its Euler step is v' = v + h a, q' = q + h v': exactly
    [[1 + h^2 Aq, h + h^2 Av], [h Aq, 1 + h Av]]; our exponential differs from that by h^2 |A|^2 / 2."""
    arm = lw.load("puma560")
    path = tmp_path / "arm.xml"
    lw.export(arm, "mjcf", path)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = h = 1e-4
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.dof_damping[:], model.dof_frictionloss[:] = 0.0, 0.0
    rng, n = np.random.default_rng(1), arm.n
    q, qd = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    tau = arm.inverse_dynamics(q, qd, np.zeros(n), friction=False)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
    A = np.zeros((2 * n, 2 * n))
    mujoco.mjd_transitionFD(model, data, 1e-6, True, A, None, None, None)
    space = arm.linearize(q, qd, tau, friction=False)
    Aq, Av = space.A[n:, :n], space.A[n:, n:]
    euler = np.block(
        [[np.eye(n) + h * h * Aq, h * np.eye(n) + h * h * Av], [h * Aq, np.eye(n) + h * Av]]
    )
    assert pytest.approx(euler, abs=2e-9) == A
    assert np.abs(A - np.eye(2 * n)).max() > 5e-4  # what is compared is there
    discrete = space.discrete(h)
    assert pytest.approx(expm(h * space.A), abs=1e-14) == discrete.A
    assert np.abs(discrete.A - A).max() < h * h * np.linalg.norm(space.A, 2) ** 2 / 2


SERVO = """
kind: arm
name: servo
links:
  - {name: swing, joint: revolute, theta: 0, d: 0, a: 0.4, alpha: 0, mass: 3,
     center_of_mass: [-0.2, 0, 0], inertia: [0.01, 0.04, 0.04],
     rotor: {inertia: 2.0e-4, gear_ratio: 50}, friction: {viscous: 0.8},
     stiffness: 4000}
convention: standard
gravity: [0, -9.81, 0]
"""


def test_a_flexible_drive_is_a_rotor_a_spring_and_a_link(tmp_path) -> None:
    (tmp_path / "servo.yaml").write_text(SERVO)
    servo = lw.load(str(tmp_path / "servo.yaml"))
    space = servo.linearize([0.3], flexible=True, outputs=["coordinates", "actuators"])
    # By hand: a pendulum of inertia I about its pivot, at 0.3 rad from the horizontal.
    Ic, J, k, v = 0.04 + 3 * 0.2**2, 0.5, 4000.0, 0.8
    weight = -3 * 9.81 * 0.2 * np.sin(0.3)  # slope of m g l cos(q)
    expected = np.array(
        [
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [-(k + weight) / Ic, k / Ic, 0, 0],
            [k / J, -k / J, 0, -v / J],
        ]
    )
    assert pytest.approx(expected, rel=1e-9, abs=1e-9) == space.A
    assert space.B[:, 0] == pytest.approx([0, 0, 0, 1 / J], rel=1e-12)
    assert pytest.approx(np.array([[1, 0, 0, 0], [0, 1, 0, 0]])) == space.C
    assert space.states == ("swing", "motor.swing", "d(swing)/dt", "d(motor.swing)/dt")
    damped = servo.linearize([0.3], flexible=True, damping_ratio=0.05)
    lowest = np.sqrt((k + weight) / Ic)
    assert damped.A[2, 2] == pytest.approx(-2 * 0.05 / lowest * k / Ic, rel=1e-9)


@pytest.mark.parametrize("name", ["planar-2r", pytest.param("simona", marks=pytest.mark.long)])
def test_held_motors_vibrate_as_natural_frequencies_say(name: str) -> None:
    """By another way, from the stiffness of the robot; with rotors so heavy that they rest: 1e9 kg
    beside 4e3 kg of platform, which raises frequencies by 2 to 5e-6 of themselves."""
    robot = lw.load(name)
    field, rotor = ("links.stiffness", "links.rotor.inertia") if name == "planar-2r" else (
        "legs.stiffness", "legs.rotor")  # fmt: skip
    heavy = robot.with_fields({rotor: np.full(robot.n, 1e9)})
    space = heavy.linearize(flexible=True, stiffness=2e7, friction=False)
    held = robot.with_fields({field: np.full(robot.n, 2e7)}).vibration_modes(robot.home)
    poles = np.sort(np.abs(space.poles.imag))[-2 * robot.dof :: 2] / (2 * np.pi)
    assert poles == pytest.approx(held.frequencies, rel=1e-5)


def test_samples_of_a_delayed_input_by_integration() -> None:
    rng = np.random.default_rng(0)
    space = StateSpace(
        rng.standard_normal((3, 3)), rng.standard_normal((3, 2)), rng.standard_normal((2, 3)),
        rng.standard_normal((2, 2)), ("a", "b", "c"), ("u", "v"), ("y", "z"),
    )  # fmt: skip
    T = 0.1
    for delay in (0.0, 0.03, 0.1, 0.25):
        inputs = rng.standard_normal((12, 2))
        discrete = space.discrete(T, delay)
        xi, x, fine, seen = np.zeros(len(discrete.states)), np.zeros(3), 200, []
        step = expm(np.block([[space.A, space.B], [np.zeros((2, 5))]]) * T / fine)
        for k in range(12):
            assert xi[:3] == pytest.approx(x, abs=1e-9)
            xi = discrete.A @ xi + discrete.B @ inputs[k]
            for j in range(fine):
                sample = int(np.floor(k + (j + 0.5) / fine - delay / T))
                u = inputs[sample] if sample >= 0 else np.zeros(2)
                x = (step @ np.append(x, u))[:3]
            seen.append(x)
        z = np.exp(0.3j)
        own = discrete.C @ np.linalg.solve(z * np.eye(len(xi)) - discrete.A, discrete.B) + discrete.D
        if delay in (0.0, 0.1):  # whole periods: the same but for the wait
            plain = space.discrete(T)
            other = plain.C @ np.linalg.solve(z * np.eye(3) - plain.A, plain.B) + plain.D
            assert own == pytest.approx(other * z ** -round(delay / T), abs=1e-12)


def test_a_batch_is_its_rows() -> None:
    robot = lw.load("delta")
    poses = np.stack([robot.coordinates.moved(robot.home, np.full(3, x)) for x in (0.0, 0.05)])
    both = robot.linearize(poses, outputs=["tool", "velocities"])
    for row, pose in enumerate(poses):
        one = robot.linearize(pose, outputs=["tool", "velocities"])
        assert both.A[row] == pytest.approx(one.A, abs=1e-12)
        assert both.C[row] == pytest.approx(one.C, abs=1e-12)
    f = [1.0, 3.0]
    assert both.response(f).shape == (2, 2, 9, 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"inputs": "torques"}, "inputs"),
        ({"outputs": ["tool", "tool"]}, "outputs"),
        ({"flexible": True}, "stiffness"),
        ({"stiffness": 1e6}, "rotor"),
        ({"stiffness": -1}, "above 0"),
        ({"flexible": True, "cd": np.ones(2)}, "at rest"),
        ({"damping_ratio": -0.1}, "damping_ratio"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(lw.LinkworkError, match=words):
        lw.load("planar-2r").linearize(**arguments)


@pytest.mark.parametrize("name", ["palletizer", pytest.param("agile-eye", marks=pytest.mark.long)])
def test_robots_of_every_kind_have_a_state_space(name: str) -> None:
    robot = lw.load(name)
    space = robot.linearize()
    assert space.A.shape == (2 * robot.dof,) * 2
    assert np.isfinite(space.A).all()
    assert np.isfinite(space.B).all()
