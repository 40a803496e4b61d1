"""The robot file on disk: changes are taken, a broken one leaves the last good robot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.core.errors import RobotFileError
from linkwork.model.bundled import bundled_file
from linkwork.studio.robot_file import RobotSource


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hexapod.yaml"
    path.write_bytes(bundled_file("pi-h811").read_bytes())
    return path


def _change(file: Path, text: str) -> None:
    before = os.stat(file).st_mtime_ns
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(before + 10**9, before + 10**9))


def test_a_changed_file_is_taken(file: Path) -> None:
    source = RobotSource(str(file))
    assert not source.poll()
    _change(file, file.read_text().replace("mass: 0.4\n", "mass: 0.9\n", 1))
    assert source.poll()
    assert source.version == 1
    assert isinstance(source.robot, lw.Platform)
    assert source.robot.model.platform.mass == 0.9
    assert not source.poll()


def test_a_broken_file_keeps_the_last_good_robot_and_tells_its_faults(file: Path) -> None:
    source = RobotSource(str(file))
    good, robot = file.read_text(), source.robot
    _change(file, good.replace("mass: 0.4\n", "mass: heavy\n", 1))
    assert source.poll()
    assert source.robot is robot
    assert source.version == 0
    assert source.fault is not None
    assert "line " in source.fault
    assert "platform.mass" in source.fault
    file.unlink()
    assert source.poll()
    assert "no file" in (source.fault or "")
    file.write_text(good, encoding="utf-8")
    assert source.poll()
    assert source.fault is None
    assert source.version == 1


def test_a_robot_that_was_never_good_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("kind: arm\n", encoding="utf-8")
    with pytest.raises(RobotFileError):
        RobotSource(str(file))


def test_bundled_robots_do_not_change() -> None:
    assert not RobotSource("ur5").poll()
