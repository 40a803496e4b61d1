"""Drives chosen from a catalog, against each of them put into the robot and studied alone."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.drive_choice import combinations, drive_choices
from linkwork.analysis.drive_loads import actuator_loads
from linkwork.analysis.drives import drives_under
from linkwork.analysis.study import study
from linkwork.model.drive_catalog import read_drive_parts
from linkwork.reports.sizing import sizing_report
from tests.analysis.test_drives import waves
from tests.cli.process import run

EXAMPLES = Path(__file__).parents[2] / "examples"
PARTS = EXAMPLES / "packing-drives.yaml"


def loads_of(name: str, count: int = 31) -> tuple[lw.Robot, tuple]:
    robot = lw.load(name)
    time = np.linspace(0.013, 0.6, count)
    return robot, actuator_loads([study(robot, f"{k}", k * time, waves(robot, time)) for k in (1, 2)])


def check_choices(name: str, parts: lw.DriveParts, **asked) -> None:
    robot, loads = loads_of(name)
    duty, search = lw.Duty(pause=0.2), lw.DriveSearch(parts, **asked)
    for choice in drive_choices(robot, loads, duty, search):
        assert sum(choice.excluded.values()) + len(choice.feasible) == len(choice)
        keep = {*choice.feasible.tolist()}
        for row in range(0, len(choice), max(1, len(choice) // 7)):
            option = choice.option(row)
            driven = robot.with_drives(dict.fromkeys(choice.names, option.drive))
            demands = drives_under(driven, loads, duty).demands
            least: dict[str, float] = {}
            for demand in demands:
                for limit, (margin, _) in demand.margins.items():
                    least[limit] = min(margin, least.get(limit, math.inf))
                if asked.get("inertia_ratio"):
                    ratio = 1 - demand.inertia_ratio / asked["inertia_ratio"]
                    least["inertia ratio"] = min(ratio, least.get("inertia ratio", math.inf))
            assert (row in keep) == (min(least.values()) >= asked.get("reserve", 0.0))
            later = {"winding temperature", "voltage"} if row not in keep else set()
            for limit, margin in least.items():
                if limit not in later:
                    assert option.margins[limit] == pytest.approx(margin, rel=1e-12, abs=1e-12), limit
            most = max(demand.rms_torque for demand in demands)
            assert option.numbers["rms_torque"] == pytest.approx(most, rel=1e-12)


@pytest.fixture(scope="module")
def parts() -> lw.DriveParts:
    return read_drive_parts(PARTS)


def test_a_delta(parts: lw.DriveParts) -> None:
    check_choices("delta", parts, reserve=0.05, inertia_ratio=12.0)


def test_a_platform_with_screws_and_belts() -> None:
    check_choices("simona", read_drive_parts(EXAMPLES / "drives.yaml"))


def test_an_arm_with_a_drive_for_each_joint(parts: lw.DriveParts) -> None:
    check_choices("planar-2r", parts)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(lw.bundled_names()))
def test_every_bundled_robot(name: str, parts: lw.DriveParts) -> None:
    both = {**vars(parts), "screws": read_drive_parts(EXAMPLES / "drives.yaml").screws}
    check_choices(name, lw.DriveParts(**both))


def test_combinations_are_all_there_once(parts: lw.DriveParts) -> None:
    table = combinations(parts, slides=False)
    found = {table.drive(row).in_words for row in range(len(table))}
    expected = {
        " + ".join(part for part in (motor, gear, feed) if part)
        for motor, gear, feed in product(parts.motors, (None, *parts.gears), parts.amplifiers)
    }
    assert found == expected
    assert len(table) == len(expected) == 4 * 6 * 2
    with pytest.raises(lw.InputError, match="has no screws or pulleys, and the joint slides"):
        combinations(parts, slides=True)


def test_the_best_has_the_least_price_or_mass_or_the_greatest_margin(parts: lw.DriveParts) -> None:
    robot, loads = loads_of("delta")
    for rank in ("price", "mass", "margin"):
        (choice,) = drive_choices(robot, loads, lw.Duty(), lw.DriveSearch(parts, rank=rank))
        options = choice.best(len(choice.feasible))
        assert len(options) > 3
        measures = [-o.margin if rank == "margin" else getattr(o, rank) for o in options]
        assert measures == sorted(measures)
        for option in options:
            own = [part.price for part in option.drive.named_parts.values()]
            assert option.price == pytest.approx(sum(own))


def test_where_a_price_is_not_known(parts: lw.DriveParts) -> None:
    motor = next(iter(parts.motors.values()))
    nameless = lw.DriveParts(motors={"a": motor, "b": type(motor)(**{**vars(motor), "price": None})})
    robot, loads = loads_of("planar-2r")
    (choice, _) = drive_choices(robot, loads, lw.Duty(), lw.DriveSearch(nameless))
    assert np.isnan(choice.price).tolist() == [False, True]
    assert choice.option(1).price is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"reserve": 1.5}, "from 0 to below 1"),
        ({"inertia_ratio": -1.0}, "above 0"),
        ({"rank": "cost"}, "rank"),
    ],
)
def test_faults(asked, message: str, parts: lw.DriveParts) -> None:
    with pytest.raises(lw.InputError, match=message):
        lw.DriveSearch(parts, **asked)


def test_command_report_and_final_check_tell_the_same(tmp_path) -> None:
    words = ("-m", str(EXAMPLES / "packing-cycle.yaml"), "--period", "0.01", "--json")
    plain, driven = (str(EXAMPLES / f"packing-delta{end}.yaml") for end in ("", "-driven"))
    asked = ("--drives", str(PARTS), "--inertia-ratio", "10", "--rank", "mass")
    facts = json.loads(run("size", plain, *words, *asked, cwd=tmp_path).stdout)
    (choice,) = facts["choices"]
    chosen = {"motor": "servo-400", "gear": "planetary-25", "amplifier": "amplifier-4"}
    (option,) = [each for each in choice["feasible"] if each["parts"] == chosen]
    final = json.loads(run("size", driven, *words, cwd=tmp_path).stdout)["drives"]
    assert max(each["peak_torque"] for each in final) == pytest.approx(option["peak_torque"], rel=1e-9)
    assert max(each["winding"] for each in final) == pytest.approx(option["winding"], rel=1e-9)
    for limit, margin in option["margins"].items():
        if limit != "inertia ratio":
            least = min(each["margins"][limit]["margin"] for each in final)
            assert margin == pytest.approx(least, rel=1e-9, abs=1e-9)
    shown = run("size", plain, *words[:-1], *asked, "-o", "x.csv", cwd=tmp_path).stderr
    assert "combinations serve leg-1, leg-2, leg-3" in shown
    assert "excluded, by the limit that is broken most: " in shown


def test_page() -> None:
    robot = lw.load(str(EXAMPLES / "packing-delta-driven.yaml"))
    cycle = str(EXAMPLES / "packing-cycle.yaml")
    sizing = lw.size_actuators(robot, [cycle], period=0.02, duty=lw.Duty(share=0.5), drives=PARTS)
    html = sizing_report(sizing).html().replace("\N{NO-BREAK SPACE}", " ")
    for words in ("At the motors", "pause of 0.5 s", "braking resistor", "What the others lack most"):
        assert words in html
