"""Motions people think in: sines, sweeps, steps, circles, pick and place, recordings, about home."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion.bundled import AXES, motion_for
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
