"""Plausible mistakes, one per line of a table: each is named, on its line, with what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkwork as lw
from linkwork.model.plausibility import in_few_lines
from linkwork.motion.bundled import motion_for
from linkwork.motion.plausibility import motion_findings

DATA = Path(__file__).parent.parent / "data" / "mistakes"
ROBOTS = ("arm.yaml", "platform.yaml", "parallel.yaml", "family.yaml", "arm.urdf")
ROBOT_OF = {"motion.csv": "arm.yaml", "motion.yaml": "arm.yaml", "poses.csv": "platform.yaml"}
EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def table() -> list[tuple[str, ...]]:
    lines = (DATA / "mistakes.txt").read_text().splitlines()
    return [
        tuple(part.strip() for part in line.split(" | ")) for line in lines if not line.startswith("#")
    ]


def told(file: Path) -> list[str]:
    """What is said of a robot or motion file: findings, or the error."""
    try:
        if file.name not in ROBOT_OF:
            return [str(finding) for finding in lw.lint(file)]
        robot = lw.load(DATA / ROBOT_OF[file.name])
        return [
            str(finding) for finding in motion_findings(robot, motion_for(robot, str(file)), str(file))
        ]
    except lw.LinkworkError as error:
        return str(error).splitlines()


@pytest.mark.parametrize("name", [*ROBOTS, *ROBOT_OF])
def test_the_sound_files_are_free_of_findings(name) -> None:
    assert told(DATA / name) == []


def test_the_table_is_long_enough() -> None:
    assert len(table()) >= 60
    assert len(set(table())) == len(table())


@pytest.mark.filterwarnings("ignore::linkwork.RobotWarning")
@pytest.mark.parametrize("mistake", table(), ids=lambda mistake: f"{mistake[0]}: {mistake[2]}")
def test_every_mistake_is_named(tmp_path, mistake) -> None:
    name, sound, wrong, line, suggestion = mistake
    text = (DATA / name).read_text()
    assert text.count(sound) >= 1
    file = tmp_path / name
    file.write_text(text.replace(sound, wrong, 1))
    found = told(file)
    place = f"line {line}" if int(line) else ""
    assert any(place in words and suggestion in words for words in found), found


def test_bundled_robots_and_examples_are_free_of_findings() -> None:
    for name in lw.bundled_names():
        assert lw.lint(name) == []
    for file in ("my-arm.yaml", "my-hexapod.yaml", "my-delta.yaml", "feeder.yaml"):
        assert lw.lint(EXAMPLES / file) == []
    for robot, motion in (("feeder.yaml", "pick.yaml"), ("my-hexapod.yaml", "lift-and-turn.yaml")):
        machine, path = lw.load(EXAMPLES / robot), str(EXAMPLES / motion)
        assert motion_findings(machine, motion_for(machine, path), path) == []


def test_findings_are_silenced_by_name(tmp_path) -> None:
    text = (DATA / "arm.yaml").read_text().replace("[0, 0, -9.81]", "[0, 0, 9.81]")
    file = tmp_path / "hanging.yaml"
    file.write_text(text)
    assert [finding.subject for finding in lw.lint(file)] == ["gravity"]
    file.write_text(text + "accept: [gravity]\n")
    assert lw.lint(file) == []
    file.write_text(text + "accept: [gravitation]\n")
    with pytest.raises(lw.RobotFileError, match="did you mean 'gravity'"):
        lw.lint(file)


def test_many_findings_in_ten_lines() -> None:
    assert in_few_lines(range(45)) == [*map(str, range(10)), "and 35 more"]
