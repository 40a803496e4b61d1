"""Motions people think in: sines, sweeps, steps, circles, pick and place, recordings, about home."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion.bundled import AXES, motion_for
from linkwork.motion.excursions import sine
from linkwork.motion.plausibility import motion_findings

H = 1e-5
ARM, PLATFORM = "planar-2r", "dasgupta1998"
TEXTS = {
    "sine": "kind: sine\namplitude: {a}\nfrequency: 0.5\nduration: 6",
    "sweep": "kind: sweep\namplitude: {a}\nfrequency: 0.2\nlast_frequency: 2\nduration: 8",
    "chirp": "kind: chirp\namplitude: {a}\nfrequency: 2\nlast_frequency: 0.5\nduration: 8\nfade: 1.5",
    "step": "kind: step\namplitude: {a}\nrise: 0.4\ndelay: 0.3\nduration: 2",
    "circle": "kind: circle\namplitude: {a}\nacross: {b}\nduration: 4\nturns: 2",
    "pick-and-place": (
        "kind: pick-and-place\nrelative: home\npick: {z}\nplace: {a}\nlift: {b}\nduration: 3"
    ),
    "quintic": "kind: quintic\nrelative: home\nstart: {z}\nend: {a}\nduration: 2",
}
NUMBERS = {
    ARM: {"a": "[5 deg, 0.2]", "b": "[0, 0.1]", "z": "[0, 0]"},
    PLATFORM: {
        "a": "[0.01, 0, 0.02, 0, 3 deg, 0]",
        "b": "[0, 0.02, 0, 0, 0, 2 deg]",
        "z": "[0, 0, 0, 0, 0, 0]",
    },
}
CASES = [(robot, kind) for robot in NUMBERS for kind in TEXTS if (robot, kind) != (PLATFORM, "quintic")]


@pytest.mark.parametrize(("robot", "kind"), CASES)
def test_kinds(tmp_path, robot, kind) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(TEXTS[kind].format(**NUMBERS[robot]))
    machine = lw.load(robot)
    motion = motion_for(machine, str(file))
    assert motion_findings(machine, motion, str(file)) == []
    start = motion.at(0.0)[0]
    if kind != "circle":
        np.testing.assert_allclose(start, machine.home, atol=1e-12)
    t = np.linspace(10 * H, motion.duration - 10 * H, 300)
    before, now, after = (motion.at(t + step) for step in (-H, 0.0, H))
    width = 3 if motion.kind == "pose" else machine.n
    velocity = (after[0] - before[0])[:, :width] / (2 * H)
    scale = np.abs(now[1]).max() + np.abs(now[2]).max()
    np.testing.assert_allclose(velocity, now[1][:, :width], atol=1e-7 * scale)
    acceleration = (after[1] - before[1]) / (2 * H)
    np.testing.assert_allclose(acceleration, now[2], atol=2e-5 * scale)
    for end in (0.0, motion.duration):
        np.testing.assert_allclose(motion.at(end)[1], 0.0, atol=1e-12)


def test_recordings_begin_anywhere_and_are_sampled_anew(tmp_path) -> None:
    random = np.random.default_rng(0)
    t = 17.0 + np.sort(np.concatenate([[0, 2], random.uniform(0, 2, 300)]))
    heave = 0.05 * np.sin(np.pi * (t - 17)) ** 3
    rows = np.stack([t, 0 * t, 0 * t, heave, 0 * t, 0 * t, 0 * t], axis=1)
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    text = "\n".join(["t,surge,sway,heave,roll [deg],pitch [deg],yaw [deg]", *lines])
    (tmp_path / "log.csv").write_text(text)
    (tmp_path / "m.yaml").write_text("kind: recorded\nfile: log.csv\nrelative: home\nresample: 0.02\n")
    platform = lw.load(PLATFORM)
    motion = motion_for(platform, str(tmp_path / "m.yaml"))
    assert motion.duration == pytest.approx(2.0)
    np.testing.assert_allclose(np.diff(motion.time), 0.02, atol=1e-12)
    place = motion.at(0.5).pose
    np.testing.assert_allclose(place[:3], platform.home[:3] + np.array([0, 0, 0.05]), atol=1e-3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: sine\namplitude: [1]\nfrequency: 1\nduration: 2", "adds 2 numbers of planar-2r's home"),
        ("kind: sine\namplitude: [1, 1]\nfrequency: 0\nduration: 2", "frequency"),
        ("kind: sine\namplitude: [1, 1]\nfrequency: 1\nduration: 2\nfade: 3", "two of them do not fit"),
        ("kind: step\namplitude: [1, 1]\nrise: 3\nduration: 2", "longer than the duration"),
        ("kind: quintic\nrelative: base\nstart: [0, 0]\nend: [1, 1]\nduration: 2", "allowed: home"),
        ("kind: recorded\nfile: none.csv", "cannot be read"),
        ("kind: recorded\nfile: m.yaml", "ends with .csv or .npz"),
    ],
)
def test_faults(tmp_path, text, words) -> None:
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(lw.InputError) as caught:
        motion_for(lw.load(ARM), str(tmp_path / "m.yaml"))
    assert words in str(caught.value)
    assert ("none.csv" if "none.csv" in text else "m.yaml") in str(caught.value)


def test_relative_motions_need_a_robot(tmp_path) -> None:
    (tmp_path / "m.yaml").write_text("kind: sine\namplitude: [1]\nfrequency: 1\nduration: 2")
    with pytest.raises(lw.InputError, match="needs a robot"):
        lw.read_motion(tmp_path / "m.yaml")


@pytest.mark.parametrize("name", AXES)
def test_bundled_excursions_of_motion_simulators(name) -> None:
    simulator = lw.load("simona")
    motion = motion_for(simulator, name)
    t = np.linspace(0, motion.duration, 101)
    pose, twist, acceleration = motion.at(t)
    assert simulator.check_limits(pose, twist, acceleration).ok
    still = np.abs(twist).max(axis=0) < 1e-12
    assert list(np.flatnonzero(~still)) == [AXES.index(name)]
    with pytest.raises(lw.InputError, match="motion of platforms"):
        motion_for(lw.load(ARM), name)


CYCLE = """kind: pick-and-place
pick: [-0.1525, 0, -1.2]
place: [0.1525, 0, -1.2]
lift: [0, 0, 0.025]
per_minute: 120
round_trip: true
cycles: 2
blend: {blend}
payload: 0.5
"""


@pytest.mark.parametrize("blend", [0.0, 0.5, 1.0])
def test_the_cycle_of_delta_robots(blend: float, tmp_path) -> None:
    """25-305-25 mm, 120 per minute: no height and no way is exceeded, and it comes back."""
    file = tmp_path / "cycle.yaml"
    file.write_text(CYCLE.format(blend=blend))
    motion = motion_for(lw.load("delta"), str(file))
    assert motion.duration == pytest.approx(1.0)
    t = np.linspace(0, motion.duration, 4001)
    c, cd, _ = motion.at(t)
    x, height = c[:, 0], c[:, 2] + 1.2
    assert height.min() >= -1e-15
    assert height.max() == pytest.approx(0.025, abs=1e-15 if blend < 1 else 1e-6)
    assert x.min() == -0.1525
    assert x.max() == pytest.approx(0.1525, abs=1e-12)
    there = t < 0.25
    assert (np.diff(x[there]) >= 0).all()
    assert (np.diff(x[(t > 0.25) & (t < 0.5)]) <= 0).all()
    for stop in (0.0, 0.25, 0.5, 0.75, 1.0):
        np.testing.assert_allclose(motion.at(stop)[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(motion.at(0.5)[0], motion.at(0.0)[0], atol=1e-12)
    low = height < (1e-9 if blend else 0.0249)
    if blend == 0.0:  # sideways only where it is up
        assert np.abs(cd[low, 0]).max() < 1e-9
    carried = motion.payload_at(t)
    away = ((t <= 0.25) | ((t >= 0.5) & (t <= 0.75))) & (t < 1)
    np.testing.assert_array_equal(carried, np.where(away, 0.5, 0.0))


def test_a_payload_is_carried_between_pick_and_place_only(tmp_path) -> None:
    """Efforts and reactions, sample by sample, of the robot with it and of the robot without."""
    (tmp_path / "cycle.yaml").write_text(CYCLE.format(blend=0.5))
    delta = lw.load("delta")
    found = lw.size_actuators(delta, [str(tmp_path / "cycle.yaml")], period=0.05).studies[0]
    loaded = delta.with_payload(0.5)
    for k, t in enumerate(found.time):
        robot = loaded if t % 0.5 <= 0.25 + 1e-9 and t < 1 else delta
        state = (found.position[k], found.velocity[k], found.acceleration[k])
        np.testing.assert_allclose(found.effort.values[k], robot.inverse_dynamics(*state), rtol=1e-12)
        force = robot.reactions(*state).force
        np.testing.assert_allclose(found.joint_reactions.force[k], force, rtol=1e-9, atol=1e-9)
        parts = sum(values[k] for values in found.parts.values())
        np.testing.assert_allclose(parts, found.effort.values[k], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("blend: 1.0\nlift: [0, 0, 0.4]", "expected up to"),
        ("cycles: 3\nround_trip: false", "add round_trip: true"),
        ("duration: 2", "either duration or per_minute"),
        ("dwell: 0.25", "take all of a cycle"),
        ("blend: 1.5", "a number from 0 to 1"),
    ],
)
def test_cycles_that_cannot_be(text: str, words: str, tmp_path) -> None:
    given = dict(line.split(": ", 1) for line in CYCLE.format(blend=0.5).splitlines())
    given |= dict(line.split(": ", 1) for line in text.splitlines())
    (tmp_path / "cycle.yaml").write_text("".join(f"{key}: {value}\n" for key, value in given.items()))
    with pytest.raises(lw.LinkworkError, match=words):
        motion_for(lw.load("delta"), str(tmp_path / "cycle.yaml"))


@pytest.mark.parametrize("frequency", [0.5, 0.9, 2.0, 3.3])
@pytest.mark.parametrize("duration", [4.0, 7.3])
def test_a_sine_asks_no_more_than_it_says(frequency: float, duration: float) -> None:
    """From rest to rest; velocity and acceleration stay below those of the steady sine."""
    motion = sine([0.0], [0.2], frequency, duration)
    w = 2 * np.pi * frequency
    t = np.linspace(0, duration, 40_001)
    q, qd, qdd = (part[:, 0] for part in motion.at(t))
    if frequency * duration >= 2:
        assert np.abs(qdd).max() <= 0.2 * w**2 * (1 + 1e-9)
        assert np.abs(qdd).max() >= 0.2 * w**2 * (0.999 if frequency * duration >= 3 else 0.9)
        jerk = np.diff(qdd) / t[1]
        assert np.abs(np.diff(jerk)).max() < 0.05 * 0.2 * w**3  # continuous
    assert np.abs(qd).max() <= 0.2 * w * (1 + 1e-9)
    assert np.abs(q).max() <= 0.2 * (1 + 1e-9)
    assert np.abs([q[0], qd[0], q[-1], qd[-1]]).max() < 1e-12
    assert np.abs(np.diff(qdd)).max() < 0.01 * 0.2 * w**2 * (frequency * duration / 2)  # no jumps


@pytest.mark.parametrize("name", ["rotary-hexapod", "hexaglide", "simona"])
def test_small_motions_of_platforms_are_no_findings_and_great_ones_are(name: str, tmp_path) -> None:
    """About home, whatever carries the platform; millimeters are suggested where they would be near."""
    robot = lw.load(name)
    assert motion_for(robot, "heave").duration == 6
    for rise, words in ((0.005, ""), (400.0, "did you mean"), (4e7, "m from home, of a machine of")):
        file = tmp_path / "rise.csv"
        rows = [(t, 0, 0, robot.home[2] + rise * t**3, 0, 0, 0) for t in np.linspace(0, 1, 9)]
        lines = [",".join(map(repr, map(float, row))) for row in rows]
        file.write_text("\n".join(["t,x,y,z,roll,pitch,yaw", *lines]))
        found = motion_findings(robot, motion_for(robot, str(file)), str(file))
        said = " ".join(each.what for each in found if each.subject == "length")
        assert words in said
        assert bool(said) == bool(words)
        assert ("did you mean" in said) == (rise == 400.0)
