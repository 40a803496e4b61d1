"""Responses of controlled robots: closed forms, simulated sine sweeps, continuous limits, pages."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion.excursions import sine
from linkwork.reports.frequency_response import bandwidth_report
from tests.cli.process import run

PENDULUM = """
kind: arm
name: pendulum
links:
  - {name: swing, joint: revolute, theta: 0, d: 0, a: 0.4, alpha: 0, mass: 3,
     center_of_mass: [-0.2, 0, 0], inertia: [0.01, 0.04, 0.04],
     rotor: {inertia: 2.0e-4, gear_ratio: 50}, stiffness: 4000}
convention: standard
gravity: [0, -9.81, 0]
"""


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory) -> lw.Robot:
    path = tmp_path_factory.mktemp("robots") / "pendulum.yaml"
    path.write_text(PENDULUM)
    return lw.load(str(path))


def rest(robot: lw.Robot) -> object:
    axes = len(robot.velocities)
    poses = bool(robot.coordinates.quaternions)
    home = robot.coordinates.to_angles(robot.home) if poses else robot.home
    return sine(home, 1e-9 * np.ones(axes), 1.0, 1.0, poses=poses)


def test_a_continuous_loop_is_a_damped_oscillator(pendulum) -> None:
    """Positions commanded alone: kp / (s^2 + kv s + kp), by hand."""
    law = lw.ComputedTorque(pendulum, rest(pendulum), kp=400, kv=20, period=None)
    found = lw.frequency_response(pendulum, law, feedforward=False)
    s = 2j * np.pi * found.frequencies
    assert found.response[0, :, 0, 0] == pytest.approx(400 / (s * s + 20 * s + 400), rel=1e-9)
    # |H|^2 = 1/2 at w: (1 - u)^2 + u = 2 with u = (w / 20)^2, so u = (1 + sqrt 5) / 2.
    assert found.bandwidth[0, 0] == pytest.approx(
        20 * np.sqrt((1 + np.sqrt(5)) / 2) / (2 * np.pi), rel=1e-8
    )
    assert found.phase_limit[0, 0] == pytest.approx(20 / (2 * np.pi), rel=1e-8)
    assert found.slowest[0] == pytest.approx(10)
    assert found.peak[0, 0] == pytest.approx(
        2 / np.sqrt(3), rel=1e-3
    )  # 1 / (2 z sqrt(1 - z^2)), z = 1/2
    whole = lw.frequency_response(pendulum, law)  # the model inverted: followed exactly
    assert whole.response[0, :, 0, 0] == pytest.approx(np.ones(len(s)), rel=1e-9)
    assert np.isnan(whole.bandwidth).all()


def test_fast_sampling_is_continuous(pendulum) -> None:
    """With flexible drives and an integral; the error falls with the period."""
    errors = []
    for period in (2e-4, 1e-4):
        given = {"kp": 400, "kv": 40}
        slow = lw.ComputedTorque(pendulum, rest(pendulum), **given, period=None)
        fast = lw.ComputedTorque(pendulum, rest(pendulum), **given, period=period)
        f = np.array([0.5, 2, 5, 20])
        one, other = (
            lw.frequency_response(pendulum, law, frequencies=f, flexible=True).response
            for law in (slow, fast)
        )
        errors.append(np.abs(one - other).max())
    assert errors[1] < 2e-2
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.1)


LOOPS = {
    "delays": ({"delay": 0.0013, "latency": 0.0005}, {"ki": 300.0}),
    "differenced": ({"velocity": "differenced", "delay": 0.004}, {}),
    "filtered": ({"velocity": "filtered", "bandwidth": 40.0}, {"ki": 300.0}),
    "observer": ({"velocity": "observer", "bandwidth": 60.0, "latency": 0.001}, {}),
}


def first_harmonic(time: np.ndarray, values: np.ndarray, f: float) -> complex:
    """Of the last whole periods, against exp(2 pi j f t)."""
    carrier = np.exp(-2j * np.pi * f * time)
    return complex(2 * np.trapezoid(values * carrier, time) / (time[-1] - time[0]))


class Sine:
    """A sine of one coordinate that has always been."""

    def __init__(self, robot: lw.Robot, axis: int, size: float, f: float, duration: float) -> None:
        self.robot, self.axis, self.size, self.w, self.duration = (
            robot,
            axis,
            size,
            2 * np.pi * f,
            duration,
        )

    def at(self, t: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        time, unit = np.asarray(t, dtype=float), np.eye(len(self.robot.velocities))[self.axis]
        sines = [
            np.sin(self.w * time),
            np.cos(self.w * time) * self.w,
            -np.sin(self.w * time) * self.w**2,
        ]
        place, speed, rate = (self.size * value[..., None] * unit for value in sines)
        rows = [
            self.robot.coordinates.moved(self.robot.home, row) for row in place.reshape(-1, len(unit))
        ]
        return np.reshape(rows, (*time.shape, -1)), speed, rate


@pytest.mark.parametrize("kind", [*LOOPS])
def test_simulated_sines_have_the_response(kind: str) -> None:
    """A platform or an arm in the digital loop, simulated; its motion at the frequency is compared."""
    settings, more = LOOPS[kind]
    robot = lw.load("planar-2r")
    loop, f, T, axis = lw.DigitalLoop(**settings), 6.25, 0.004, 1
    size, periods = 1e-4, 14
    motion = Sine(robot, axis, size, f, periods / f)
    law = lw.ComputedTorque(robot, motion, kp=900, kv=60, period=T, friction=False, **more)
    run_ = lw.simulate(robot, law, step=T / 8, loop=loop, friction=False)
    keep = run_.time >= (periods - 4) / f - 1e-9
    time = run_.time[keep]
    moved = (run_.position[keep] - robot.home) / size
    found = lw.frequency_response(robot, law, frequencies=[f], loop=loop)
    assert found.stable.all()
    for k in range(2):
        seen = first_harmonic(time, moved[:, k], f) / -1j
        assert found.response[0, 0, k, axis] == pytest.approx(seen, abs=4e-3)
    assert abs(found.response[0, 0, axis, axis] - 1) > 0.02  # there is something to see


@pytest.mark.long
def test_a_simulated_platform_has_the_response() -> None:
    robot = lw.load("dasgupta1998")
    loop, f, T, axis, size = lw.DigitalLoop(delay=0.003), 5.0, 0.005, 4, 1e-4
    motion = Sine(robot, axis, size, f, 12 / f)
    law = lw.TaskSpaceControl(robot, motion, kp=900, kv=60, period=T)
    run_ = lw.simulate(robot, law, step=T / 5, loop=loop)
    keep = run_.time >= 8 / f - 1e-9
    moved = np.array([robot.coordinates.difference(p, robot.home) for p in run_.position[keep]]) / size
    found = lw.frequency_response(robot, law, frequencies=[f], loop=loop)
    seen = first_harmonic(run_.time[keep], moved[:, axis], f) / -1j
    assert found.response[0, 0, axis, axis] == pytest.approx(seen, abs=4e-3)


def test_too_much_delay_is_unstable(pendulum) -> None:
    """kv alone, without a plant's own damping: a delay tau leaves stability where kv tau is near 1."""
    law = lw.ComputedTorque(pendulum, rest(pendulum), kp=1, kv=20, period=1e-3)
    stable = [
        bool(lw.frequency_response(pendulum, law, loop=lw.DigitalLoop(delay=tau)).stable[0])
        for tau in (0.07, 0.085)
    ]  # of v' = -kv v(t - tau) the limit is kv tau = pi / 2 = 1.571: 0.0785 s less half a period
    assert stable == [True, False]


def test_cross_talk_is_that_of_the_matrix() -> None:
    robot = lw.load("planar-2r").with_fields({"links.rotor.inertia": [0.05, 0.05]})
    law = lw.GravityCompensation(robot, rest(robot), kp=[900, 500], kv=[60, 30])
    found = lw.frequency_response(robot, law, flexible=True, stiffness=2e4, feedforward=False)
    for axis in range(2):
        inside = found.frequencies <= found.bandwidth[0, axis]
        other = np.abs(found.response[0, inside, 1 - axis, axis]).max()
        assert found.cross_talk[0, axis] == pytest.approx(other)
    assert found.cross_talk.max() > 0.01


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda robot, law: lw.frequency_response(robot, law, frequencies=[600.0]), "half the sampling"),
        (lambda robot, law: lw.frequency_response(robot, law, frequencies=[2.0, 1.0]), "increase"),
        (lambda robot, law: lw.frequency_response(robot, law, sensors="both"), "sensors"),
        (lambda robot, law: lw.frequency_response(robot, None), "controller"),
        (lambda robot, law: lw.frequency_response(robot, law, loop="fast"), "digital loop"),
    ],
)
def test_what_cannot_be_asked(pendulum, change: Callable[..., object], words: str) -> None:
    law = lw.ComputedTorque(pendulum, rest(pendulum), period=1e-3)
    with pytest.raises(lw.LinkworkError, match=words):
        change(pendulum, law)


def test_command_and_page_say_the_same(pendulum, tmp_path) -> None:
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    (tmp_path / "region.yaml").write_text("swing: [-40 deg, 40 deg]\n")
    done = run(
        "bandwidth", "pendulum.yaml", "--kp", "400", "--kv", "30", "--period", "1e-3", "--flexible",
        "--positions-only",
        "--region", "region.yaml", "--count", "3", "--report", "page.html", "-o", "bode.csv", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    law = lw.ComputedTorque(pendulum, rest(pendulum), kp=400, kv=30, period=1e-3)
    at_home = lw.frequency_response(pendulum, law, flexible=True, feedforward=False)
    row = told["axes"][0]
    assert row["bandwidth"] == pytest.approx(at_home.bandwidth[0, 0])
    assert row["phase_limit"] == pytest.approx(at_home.phase_limit[0, 0])
    assert row["least_bandwidth"] <= row["bandwidth"]
    assert told["poses"] == 4
    page = (tmp_path / "page.html").read_text()
    assert "Bandwidth" in page
    rows = (tmp_path / "bode.csv").read_text().splitlines()
    assert rows[0].startswith("frequency [Hz],swing amplitude")
    assert len(rows) == 161
    html = bandwidth_report(at_home).html()
    assert "90" in html
