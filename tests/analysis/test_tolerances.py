"""Errors from tolerances, beside distributions that are known in closed form."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi

import linkwork as lw
from linkwork.cli.running import run

ACCURATE = {"position": 5e-5, "offset": "0.01 deg", "direction": "0.005 deg"}


def test_derivatives_and_random_machines_agree_to_first_order() -> None:
    """With the same random machines, what is left falls as the square of the tolerances."""
    robot = lw.load("ur5")
    q = np.array([[0.3, -1.0, 1.2, 0.2, 0.5, 0.1]])
    left = []
    for share in (1.0, 0.5):
        found = lw.tolerances(robot, {"position": 2e-4 * share, "offset": 2e-3 * share}, q, samples=400)
        linear = found.values @ found.sensitivity[0].T
        left.append(np.abs(found.errors[:, 0] - linear).max())
    assert left[1] == pytest.approx(left[0] / 4, rel=0.05)
    few = 4 / np.sqrt(2 * 400)  # four standard errors of a standard deviation
    assert found.sampled_deviation[0] == pytest.approx(found.standard_deviation[0], rel=few)


@pytest.mark.parametrize(("law", "share"), [("uniform", np.pi / 6), ("normal", chi.cdf(3.0, 3))])
def test_the_yield_of_a_tool_that_alone_is_off(law: str, share: float) -> None:
    """A ball within a cube; a normal distribution in three directions."""
    given = {"distribution": law, "tool": {"position": 1e-4}, "accuracy": {"position": 1e-4}}
    found = lw.tolerances(lw.load("simona"), given, samples=8000)
    assert found.yield_share == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 8000))
    low, high = found.yield_interval or (0.0, 0.0)
    assert low < found.yield_share < high
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(share * (1 - share) / 8000), rel=0.1)


@pytest.mark.parametrize("name", ["ur5", "simona", "delta"])
def test_a_warm_machine_is_the_same_machine_larger(name: str) -> None:
    robot = lw.load(name)
    found = lw.tolerances(robot, {"thermal": {"expansion": 1.2e-5, "temperature": [10, 30]}}, samples=50)
    tool = robot.body_pose(robot.home)[:3]
    np.testing.assert_allclose(found.mean[0, :3], 20 * 1.2e-5 * tool, atol=1e-12)
    np.testing.assert_allclose(found.mean[0, 3:], 0.0, atol=1e-12)
    kelvin = found.values[:, :1]
    np.testing.assert_allclose(found.errors[:, 0, :3], kelvin * 1.2e-5 * tool, atol=1e-8)
    assert kelvin.min() >= 10
    assert kelvin.max() <= 30


def test_single_parts_have_their_own() -> None:
    """A leg's error of length moves the platform as its column of the inverse Jacobian says."""
    platform = lw.load_platform("simona")
    found = lw.tolerances(
        platform,
        {"parts": {"leg2": {"offset": 1e-4, "backlash": 4e-5, "distribution": "uniform"}}},
        samples=10,
    )
    assert [each.name for each in found.sources] == ["leg2.offset", "leg2.backlash"]
    J = np.linalg.inv(platform.jacobian(platform.home))
    column = J[:, platform.model.leg_names.index("leg2")]
    np.testing.assert_allclose(found.sensitivity[0, :, 0], column, atol=1e-12)
    np.testing.assert_allclose(
        found.standard_deviation[0], np.abs(column) * np.hypot(1e-4, 2e-5) / np.sqrt(3), rtol=1e-9
    )
    assert np.abs(found.values[:, 1]).max() <= 2e-5


def test_the_worst_machine_has_the_file_of_its_errors(tmp_path: Path) -> None:
    arm = lw.load_arm("ur5")
    found = lw.tolerances(arm, ACCURATE, samples=60, seed=4)
    worst = int(found.worst[0])
    assert found.position_error[worst, 0] / found.position_error.max() == pytest.approx(1) or (
        found.angle_error[worst, 0] == found.angle_error.max()
    )
    other = found.variant(worst)
    assert isinstance(other, lw.Arm)
    moved = other.forward_kinematics(arm.home)[:3, 3] - arm.forward_kinematics(arm.home)[:3, 3]
    np.testing.assert_allclose(moved, found.errors[worst, 0, :3], atol=1e-12)


def test_command_and_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page, table = (tmp_path / name for name in ("t.yaml", "t.html", "machines.csv"))
    file.write_text("position: 5.0e-5\noffset: 1.0e-4\naccuracy: {position: 1.5e-4}\n")
    robot = lw.load("simona")
    options = ["--samples", "300", "--pose", "0,0.1,2.4,0,5deg,0"]
    assert run(["tolerances", "simona", str(file), *options, "--json", "--report", str(page)]) == 0
    told = json.loads(capsys.readouterr().out)
    pose = robot.coordinates.from_angles(np.array([0, 0.1, 2.4, 0, np.radians(5), 0]))
    found = lw.tolerances(robot, file, pose, samples=300)
    assert told["yield"] == found.yield_share
    assert told["poses"][0]["standard_deviation"]["rz"] == found.standard_deviation[0, 5]
    assert told["worst"][0]["machine"] == found.worst[0]
    shown = page.read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "% of the machines keep 0.15 mm" in shown
    assert "leg1.offset" in shown
    assert run(["tolerances", "simona", str(file), *options, "-o", str(table)]) == 0
    assert "yield:" in capsys.readouterr().out
    assert len(table.read_text().splitlines()) == 301


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"position": 0.5}, "did you mean 0.0005"),
        ({"direction": 0.5}, "0.5 rad is no tolerance; did you mean 0.5 deg"),
        ({"position": "0.05 mm"}, "did you mean 5e-05"),
        ({"positon": 1e-5}, "did you mean 'position'"),
        ({"parts": {"leg7": {"offset": 1e-4}}}, "no such part"),
        ({"parts": {"leg1": {"length": 1e-4}}}, "leg1 has none"),
        ({"thermal": {"expansion": 1e-5, "temperature": [10, 0]}}, "is not in order"),
        ({"accuracy": {}}, "has nothing"),
        ({}, "nothing of simona varies"),
    ],
)
def test_what_a_file_may_not_say(given: dict[str, object], words: str) -> None:
    with pytest.raises(lw.InputError, match=words):
        lw.tolerances(lw.load("simona"), given)


def test_what_no_motor_holds_has_no_error_of_its_own() -> None:
    passive = {
        "kind": "mechanism",
        "name": "pendulum",
        "bodies": {"rod": {"mass": 1, "center_of_mass": [0, 0, -1], "inertia": [1, 1, 1]}},
        "joints": {"pin": {"R": "y", "joins": ["base", "rod"], "at": [0, 0, 0]}},
        "coordinates": ["pin"],
    }
    with pytest.raises(lw.InputError, match="1 freedoms and 0 motors"):
        lw.tolerances(lw.load(passive), ACCURATE)
