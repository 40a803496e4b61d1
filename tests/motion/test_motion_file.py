"""Motions written in YAML, motions by name."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion.bundled import BUNDLED, MOTION_NAMES, motion_for
from linkwork.motion.motion_kinds import KINDS
from tests.bundled import representative

TEXTS = {
    "quintic": "start: [90 deg, 0]\nend: [0, 1]\nduration: 2",
    "cubic": "start: [0]\nend: [1]\nduration: 2",
    "blend": "start: [0]\nend: [1]\nduration: 2\nblend: 0.5",
    "trapezoid": "start: [0, 0]\nend: [1, 90 deg]\nvelocity: [1, 90 deg]\nacceleration: 2",
    "waypoints": "points: [[0, 0], [1, 45 deg], [2, 0]]\ntimes: [0, 1, 2.5]\nends: natural",
    "excitation": "center: [0, 1]\namplitude: 20 deg\nbase_frequency: 0.5\nseed: 3",
    "straight-line": "start: [0, 0, 1, 0, 0, 0]\nend: [0, 0, 2, 0, 0, 5 deg]\nduration: 2\nspeed: 0.8\n"
    "turn_rate: 0.07",
    "quaternion-line": "start: [0, 0, 1, 1, 0, 0, 0]\nend: [0, 0, 2, 0, 0, 9 deg]\nduration: 2\n"
    "speed: 0.8\nturn_rate: 0.1",
    "pose-waypoints": "poses: [[0, 0, 1, 0, 0, 0], [0, 0, 2, 0, 0, 9 deg]]\nduration: 2",
    "tool-path": "poses: [[0, 0, 1, 0, 0, 0], [0, 0, 2, 0, 0, 9 deg], [0, 1, 2, 0, 0, 0]]\nduration: 2\n"
    "blend: 0.1",
}


def written(folder, text: str):
    file = folder / "motion.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("kind", TEXTS)  # the others are in test_excursions
def test_every_kind_is_read(tmp_path, kind) -> None:
    motion = lw.read_motion(written(tmp_path, f"kind: {kind}\n{TEXTS[kind]}\n"))
    assert type(motion) is KINDS[kind].make
    assert motion.duration > 0


def test_angles_are_radians(tmp_path) -> None:
    motion = lw.read_motion(written(tmp_path, f"kind: quintic\n{TEXTS['quintic']}"))
    np.testing.assert_array_equal(motion.at(0.0).q, [np.pi / 2, 0])


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("kind: quintik\n", ["line 1, kind: 'quintik'", "did you mean 'quintic'?", "straight-line"]),
        ("start: [0]\n", ["kind: nothing is not a kind of motion"]),
        ("- 1\n", ["is not a motion"]),
        ("", ["a motion file begins with `kind: quintic`"]),
        (
            "kind: cubic\nstart: 0\nend: [1, x]\n",
            ["line 2, start", "line 3, end", "duration: is missing"],
        ),
        ("kind: cubic\nstart: [0]\nend: [1]\nduration: 1\nblend: 1\n", ["line 5, blend: unknown field"]),
        (
            "kind: cubic\nstart: [0]\nend: [1, 2]\nduration: 1\n",
            ["end has 2 numbers where 1 are needed"],
        ),
        ("kind: pose-waypoints\nposes: [[1, 2]]\nduration: 1\n", ["has 2 items", "qw, qx, qy, qz"]),
        ("kind: excitation\ncenter: [0]\namplitude: 1\nbase_frequency: 1\nseed: x\n", ["integer"]),
        ("kind: cubic\nkind: cubic\n", ["is given twice"]),
    ],
)
def test_faults(tmp_path, text, messages) -> None:
    file = written(tmp_path, text)
    with pytest.raises(lw.InputError) as caught:
        lw.read_motion(file)
    for message in (str(file), *messages):
        assert message in str(caught.value)


@pytest.mark.parametrize("name", representative(lw.bundled_names()))
def test_bundled_motions_fit_their_robots(name) -> None:
    robot = lw.load(name)
    for motion in ("home-quintic", "excitation"):
        path = motion_for(robot, motion)
        times = np.linspace(0, path.duration, 50)
        moved = path.at(times)
        assert np.isfinite(robot.inverse_dynamics(*moved)).all()
        if not isinstance(robot, lw.Arm):
            assert robot.check_limits(*moved).ok
        else:
            for k, joint in enumerate(robot.model.joints):
                low, high = joint.limits.position or (-np.inf, np.inf)
                assert (low <= moved.q[:, k]).all()
                assert (moved.q[:, k] <= high).all()
                assert np.abs(moved.qd[:, k]).max() <= (joint.limits.velocity or np.inf) * (1 + 1e-9)


def test_papers_are_among_them() -> None:
    assert {"dasgupta-I", "dasgupta-II", "dasgupta-III", "lee1982"} <= set(MOTION_NAMES)
    platform = lw.load("dasgupta1998")
    assert motion_for(platform, "dasgupta-III").duration == 6.0
    assert BUNDLED["lee1982"].make(lw.load("puma560")).at(0.0).q[0] == np.pi / 2


def test_motions_of_other_robots_are_refused(tmp_path) -> None:
    arm, platform = lw.load("ur5"), lw.load("simona")
    for robot, name, message in (
        (arm, "dasgupta-I", "ur5 is a serial arm"),
        (platform, "lee1982", "six-joint arms; simona is a Stewart platform"),
        (arm, "dasgupta", "Did you mean 'dasgupta-I'"),
    ):
        with pytest.raises(lw.InputError, match=message):
            motion_for(robot, name)
    two = str(written(tmp_path, "kind: cubic\nstart: [0, 0]\nend: [1, 1]\nduration: 1"))
    for robot in (arm, platform):
        with pytest.raises(lw.InputError, match="joints"):
            motion_for(robot, two)
    lengths = platform.leg_lengths(platform.home).tolist()
    legs = written(tmp_path, f"kind: cubic\nstart: {lengths}\nend: {lengths}\nduration: 1")
    np.testing.assert_allclose(motion_for(platform, str(legs)).at(0.5).pose, platform.home, atol=1e-9)


def test_motions_of_the_page_are_read(tmp_path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    texts = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(texts) == 2
    for text, robot, name in zip(
        texts, ("puma560-lee", "dasgupta1998"), ("lee1982", "dasgupta-I"), strict=True
    ):
        motion = lw.read_motion(written(tmp_path, text))
        named = motion_for(lw.load(robot), name)
        np.testing.assert_array_equal(motion.at(1.0)[0], named.at(1.0)[0])
    reference = (Path(__file__).parents[2] / "docs" / "motions.md").read_text()
    for kind, declared in KINDS.items():
        row = next(line for line in reference.split("\n") if f"`{kind}`" in line.split(" | ")[0])
        for field in declared.fields:
            assert f"`{field}" in row
