"""Files of parallel robots: what they say, what is refused, and that they are written as read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

import linkwork as lw
from linkwork.model.robot_files import load_model, robot_document, write_robot
from tests.model.faults import faults, faults_of_text
from tests.parallel_reference import MECHANISMS, description, document

DELTA = description("delta")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_written_robots_are_the_same_when_read(mechanism: str, tmp_path: Path) -> None:
    model = load_model(document(mechanism))
    assert write_robot(model, tmp_path / "robot.yaml") == []
    again = load_model(tmp_path / "robot.yaml")
    assert yaml.safe_load((tmp_path / "robot.yaml").read_text())["kind"] == "parallel-robot"
    assert again.leg_names == model.leg_names
    assert [joint.name for joint in again.joints] == [joint.name for joint in model.joints]
    for one, other in zip(model.joints, again.joints, strict=True):
        assert one.kind == other.kind
        assert (one.actuated, one.rotor, one.friction) == (other.actuated, other.rotor, other.friction)
        assert np.abs(one.axis - other.axis).max() < 1e-15
        assert np.array_equal(one.at, other.at)
        if one.body.mass:
            assert np.array_equal(one.body.center_of_mass, other.body.center_of_mass)
    for leg, read in zip(model.legs, again.legs, strict=True):
        assert (leg.frame, leg.end.kind) == (read.frame, read.end.kind)
    assert robot_document(again)["platform"] == robot_document(model)["platform"]


def test_what_an_actuator_gives_at_which_speed_comes_back() -> None:
    data = document("five-bar")
    envelope = [[0.0, 12.0], [20.0, 4.0]]
    data["legs"][0]["joints"][0]["limits"] = {"effort_velocity": envelope}
    limits = robot_document(load_model(data))["legs"][0]["joints"][0]["limits"]
    assert limits["effort_velocity"] == envelope


def test_defaults_fill_in_joint_by_joint() -> None:
    data = document("five-bar")
    for leg in data["legs"]:
        del leg["joints"][0]["rotor"]
        leg["joints"][0]["link"].pop("radius")
    data["leg_defaults"] = {"joints": [{"rotor": 5e-4, "link": {"radius": 0.012}}]}
    model, plain = load_model(data), load_model(document("five-bar"))
    for one, other in zip(model.joints, plain.joints, strict=True):
        assert one.rotor == other.rotor
        assert np.array_equal(one.body.inertia, other.body.inertia)


def test_a_rod_between_balls_does_not_spin() -> None:
    data = document("hexapod-rus")
    for leg in data["legs"]:
        middle = leg["joints"][1]
        middle["S"] = None
        del middle["U"], middle["cross"]
    rod = load_model(data).legs[0].joints[2].body
    assert np.linalg.eigvalsh(rod.inertia)[0] == pytest.approx(0, abs=1e-12)
    data["legs"][0]["joints"][1]["link"] = {
        "mass": 0.1,
        "center_of_mass": [0.2, 0.1, 0.1],
        "inertia": [1e-3, 1e-3, 1e-3],
    }
    (fault,) = faults(data)
    assert fault.startswith("legs[0] joints[1] link: is not symmetric about the line")


CHANGES = {
    "a coordinate that cannot move": (
        DELTA,
        "[x, y, z]",
        "[x, y, yaw]",
        "platform.z still move, and platform.yaw cannot move",
    ),
    "too few coordinates": (
        DELTA,
        "[x, y, z]",
        "[x, y]",
        "platform.z still move: the mechanism has 3 freedoms, 2 are declared",
    ),
    "legs that do not hold": (
        DELTA,
        "{U: [0, 1, 0], at: [0.05, 0, -0.62]}",
        "{S: , at: [0.05, 0, -0.62]}",
        "still move: the mechanism has 6 freedoms, 3 are declared",
    ),
    "too few actuators": (
        DELTA,
        "actuated: true",
        "actuated: false",
        "0 joints are actuated (none) for 3 coordinates",
    ),
    "a stretched leg": (
        DELTA,
        "at: [0.42, 0, -0.12], link: {mass: 0.24, from: [0.42, 0, -0.12]",
        "at: [0.125, 0, -0.31], link: {mass: 0.24, from: [0.42, 0, -0.12]",
        "leg-1 is at a serial singularity at home",
    ),
    "a negative mass": (DELTA, "{mass: 0.7,", "{mass: -0.7,", "platform.mass: -0.7 is negative"),
    "two kinds of joint": (
        DELTA,
        "{U: [0, 1, 0], at: [0.05",
        "{U: [0, 1, 0], R: [0, 1, 0], at: [0.05",
        "joints[2]: has R, U; allowed: one of R: axis",
    ),
    "a count in words": (DELTA, "3 around z", "three times", "'three times' is not allowed"),
    "an unknown field": (DELTA, "rotor:", "roter:", "unknown field (did you mean 'rotor'?)"),
    "a rod of no length": (DELTA, "to: [0.42, 0, -0.12]", "to: [0.2, 0, 0]", "is a rod of length zero"),
    "a missing place": (DELTA, "{R: [0, 1, 0], at: [0.2, 0, 0]", "{R: [0, 1, 0]", "at is missing"),
    "a mass beyond the last joint": (
        DELTA,
        "{U: [0, 1, 0], at: [0.05, 0, -0.62]}",
        "{U: [0, 1, 0], at: [0.05, 0, -0.62], link: {mass: 1}}",
        "add its mass to platform",
    ),
    "an actuated universal joint": (
        DELTA,
        "{U: [0, 1, 0], at: [0.42, 0, -0.12]",
        "{U: [0, 1, 0], actuated: true, at: [0.42, 0, -0.12]",
        "write the U as R joints",
    ),
}


def test_parasitic_motion_follows_whether_it_is_named_or_not() -> None:
    data = document("3-rps")
    named, plain = lw.load(data), lw.load({**data, "parasitic": []})
    state = named.random_states(4)
    np.testing.assert_allclose(
        plain.inverse_dynamics(*state), named.inverse_dynamics(*state), rtol=1e-12
    )


@pytest.mark.parametrize("change", CHANGES)
def test_faults_have_a_line_and_a_way_out(change: str, tmp_path: Path) -> None:
    text, old, new, message = CHANGES[change]
    assert old in text
    found = faults_of_text(tmp_path, text.replace(old, new))
    assert all(fault.startswith("line ") for fault in found)
    assert any(message in fault for fault in found), found


def test_motions_that_move_no_mass_are_refused() -> None:
    data = document("delta")
    data["platform"] = {"mass": 0}
    for joint in data["legs"][0]["joints"]:
        joint.pop("link", None)
        joint.pop("rotor", None)
    (fault,) = faults(data)
    assert "can move without moving any mass" in fault


def test_two_rods_side_by_side_go_between_alike_joints() -> None:
    data = document("delta")
    data["legs"][0]["joints"][1]["apart"] = 0.1
    model = load_model(data)
    again = robot_document(model)["legs"][2]["joints"]
    assert (again[1]["apart"], "apart" in again[0]) == (0.1, False)
    data["legs"][0]["joints"][1]["viscous"] = 0.1
    fault = faults(data)[0]
    assert "leg-1 has apart, which is for two rods side by side" in fault
    assert "leave apart out" in fault


def test_a_parallel_singularity_at_home_is_refused() -> None:
    data = document("five-bar")
    data["home"] = [0, 0.17, 0, 0, 0, 0]  # both forearms in one line
    for leg in data["legs"]:
        leg["joints"][1]["link"]["to"] = leg["joints"][2]["at"] = [0, 0.17, 0]
    (fault,) = faults(data)
    assert fault.startswith("home: is a parallel singularity")


@pytest.mark.parametrize(
    ("place", "field", "words"),
    [
        ((), "platforms", "platform of several bodies"),
        (("platform",), "parts", "platform of several bodies"),
        (("legs", 0), "branches", "share a link"),
    ],
)
def test_what_the_format_cannot_hold_is_said(place: tuple, field: str, words: str) -> None:
    data = document("delta")
    holder = data
    for step in place:
        holder = holder[step]
    holder[field] = []
    assert any(field in fault and words in fault for fault in faults(data))
