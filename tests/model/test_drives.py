"""Drives in robot files: what they do to the dynamics of every kind of robot, and their faults."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import linkwork as lw
from linkwork.files.yaml_lines import read_yaml
from linkwork.model.bundled import bundled_file
from linkwork.model.drive import Drive, DriveMotor, Gear, Screw, ShaftFriction
from linkwork.model.drive_catalog import read_drive_parts
from linkwork.model.findings import lint
from linkwork.model.robot_files import load_model, robot_document
from tests.traced import expression, traced

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "driven-simulator.yaml"
MOTOR = {"inertia": 2e-4, "friction": {"viscous": 1e-4, "coulomb": 0.02}}
GEARED = {
    "motor": {**MOTOR, "brake": {"torque": 1, "inertia": 1e-4}},
    "gear": {"ratio": -50, "efficiency": 0.9, "inertia": 5e-5, "friction": {"viscous": 2e-4}},
}
SCREWED = {"motor": MOTOR, "belt": {"ratio": 2}, "screw": {"lead": 0.01, "inertia": 1e-3}}
RATIO = 2 * math.pi / 0.01
GEARED_INERTIA = 2500 * (2e-4 + 1e-4 + 5e-5)
SCREWED_INERTIA = (2 * RATIO) ** 2 * 2e-4 + RATIO**2 * 1e-3


def arm(**extra: Any) -> dict[str, Any]:
    body = {"mass": 2.0, "center_of_mass": [-0.2, 0, 0.1], "inertia": [0.01, 0.02, 0.03]}
    links = [
        {"joint": "revolute", "a": 0.4, **body, **extra.get("turns", {})},
        {"joint": "prismatic", "alpha": "90 deg", **body, **extra.get("slides", {})},
    ]
    return {"kind": "arm", "name": "two", "convention": "standard", "links": links}


def mechanism(slide: dict[str, Any]) -> dict[str, Any]:
    """A slide on a turntable, so that the drive of the slide is carried along."""
    body = {"mass": 3.0, "center_of_mass": [0.3, 0, 0], "inertia": [0.1, 0.2, 0.2]}
    return {
        "kind": "mechanism",
        "name": "table",
        "bodies": {"table": body, "carriage": body},
        "joints": {
            "turn": {"R": "z", "joins": ["base", "table"], "at": [0, 0, 0], "motor": True},
            "slide": {"P": "x", "joins": ["table", "carriage"], "motor": True, **slide},
        },
        "coordinates": ["turn", "slide"],
    }


def efforts(data: Any, seed: int = 0) -> np.ndarray:
    robot = lw.load(data)
    state = np.random.default_rng(seed).normal(size=(3, 4, 2))
    return traced(robot, "inverse_dynamics", *state)


def test_the_screw_of_the_issue() -> None:
    """2e-3 kg m^2 on a lead of 12.7 mm."""
    drive = Drive(motor=DriveMotor(inertia=2e-3), screw=Screw(lead=0.0127))
    assert drive.inertia == pytest.approx(2e-3 * (2 * math.pi / 0.0127) ** 2, rel=1e-15)
    assert round(drive.inertia) == 490


def test_an_arm_feels_the_inertia_and_friction_of_its_drives() -> None:
    geared = 2500 * 1e-4 + 2500 * 2e-4
    written = {
        "turns": {
            "rotor": {"inertia": GEARED_INERTIA / 2500 + 1e-4, "gear_ratio": 50},
            "friction": {"viscous": geared + 0.1, "coulomb": 50 * 0.02},
        },
        "slides": {
            "rotor": {"inertia": SCREWED_INERTIA},
            "friction": {"viscous": (2 * RATIO) ** 2 * 1e-4, "coulomb": 2 * RATIO * 0.02},
        },
    }
    driven = {
        "turns": {"drive": GEARED, "rotor": {"inertia": 0.25}, "friction": {"viscous": 0.1}},
        "slides": {"drive": SCREWED},
    }
    np.testing.assert_allclose(efforts(arm(**driven)), efforts(arm(**written)), rtol=1e-13)


def test_friction_measured_at_the_motor_of_a_drive() -> None:
    at_motor = {"drive": GEARED, "friction": {"viscous": 1e-3, "side": "motor"}}
    at_joint = {"drive": GEARED, "friction": {"viscous": 2.5}}
    np.testing.assert_allclose(efforts(arm(turns=at_motor)), efforts(arm(turns=at_joint)), rtol=1e-13)


def test_a_mechanism_agrees_with_its_screw_written_out() -> None:
    """A spindle that turns on the carriage's table as the slide moves, its turn coupled to the slide.

    Its own axis is along the slide, across the turntable's, so that no gyroscopic moment acts on the
    motors: the two descriptions are the same machine.
    """
    inertia, lead = 0.02, 0.05
    drive = {"motor": {"inertia": 0.0}, "screw": {"lead": lead, "inertia": inertia}}
    explicit = mechanism({})
    explicit["bodies"]["spindle"] = {
        "mass": 1e-9, "center_of_mass": [0, 0, 0], "inertia": [inertia, 0, 0],
    }  # fmt: skip
    explicit["joints"]["spin"] = {"R": "x", "joins": ["table", "spindle"], "at": [0, 0, 0]}
    explicit["couplings"] = [{"joint": "spin", "follows": "slide", "ratio": 2 * math.pi / lead}]
    explicit["inertia_as_published"] = True
    state = np.random.default_rng(1).normal(size=(3, 5, 2))
    theirs = traced(lw.load(explicit), "inverse_dynamics", *state)
    ours = traced(lw.load(mechanism({"drive": drive})), "inverse_dynamics", *state)
    plain = traced(lw.load(mechanism({})), "inverse_dynamics", *state)
    assert np.abs(ours - plain).max() > 100
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)  # a body without mass weighs 1e-9 kg


def matrices(robot: lw.Robot, method: str, shape: Any, *arrays: Any, **options: Any) -> np.ndarray:
    """One matrix of a method for each row of states."""
    function = expression(robot, method, **options)
    found = [np.asarray(function(*row)).reshape(-1) for row in zip(*arrays, strict=True)]
    return np.stack([each.reshape(shape) for each in found])


@pytest.fixture(scope="module")
def driven() -> lw.Platform:
    return lw.load_platform(EXAMPLE)


def test_a_platform_feels_its_drives_in_every_method(driven: lw.Platform) -> None:
    leg = driven.model.legs[0]
    n = 2 * math.pi / 0.02
    assert leg.rotor == pytest.approx(n**2 * (2e-3 + 3e-4 + 2.6e-3), rel=1e-14)
    assert leg.friction.prismatic == pytest.approx(200 + n**2 * 2e-4, rel=1e-14)
    assert leg.friction.coulomb == pytest.approx(n * 0.25, rel=1e-14)
    pose, twist, acceleration = driven.random_states(4, seed=3)
    force = traced(driven, "inverse_dynamics", pose, twist, acceleration)
    still = traced(driven, "inverse_dynamics", pose, twist, acceleration, rotors=False)
    extension = driven.leg_kinematics(pose, twist, acceleration).acceleration
    np.testing.assert_allclose(force - still, leg.rotor * extension, rtol=1e-9, atol=1e-6)
    again = traced(driven, "forward_dynamics", pose, twist, force)
    np.testing.assert_allclose(again, acceleration, atol=1e-10)
    Y = matrices(driven, "regressor", (6, -1), pose, twist, acceleration)
    np.testing.assert_allclose(Y @ driven.parameters.values, force, rtol=1e-10, atol=1e-6)
    M, free = (matrices(driven, "mass_matrix", (6, 6), pose, rotors=on) for on in (True, False))
    J = matrices(driven, "jacobian", (6, 6), pose)
    np.testing.assert_allclose(M - free, leg.rotor * np.swapaxes(J, 1, 2) @ J, rtol=1e-9, atol=1e-6)


def test_published_models_have_the_rotors_too(driven: lw.Platform) -> None:
    pose, twist, acceleration = driven.random_states(3, seed=4)
    own = {"formulation": "dasgupta1998"}
    force = traced(driven, "inverse_dynamics", pose, twist, acceleration, **own)
    back = traced(driven, "forward_dynamics", pose, twist, force, **own)
    np.testing.assert_allclose(back, acceleration, atol=1e-9)
    without = traced(driven, "inverse_dynamics", pose, twist, acceleration, rotors=False, **own)
    assert np.abs(force - without).max() > 100


def test_without_friction_or_rotors_nothing_of_the_drive_is_left(driven: lw.Platform) -> None:
    bare = driven.model.without(friction=True, rotors=True)
    for leg in bare.legs:
        assert leg.rotor == leg.friction.prismatic == leg.friction.coulomb == 0
        assert leg.drive.inertia == leg.drive.viscous == leg.drive.coulomb == 0
        assert leg.drive.ratio == driven.model.legs[0].drive.ratio


@pytest.mark.parametrize(
    "data",
    [
        arm(turns={"drive": GEARED, "friction": {"coulomb": 0.3}}, slides={"drive": SCREWED}),
        mechanism({"drive": SCREWED, "rotor": 7.7, "viscous": 0.1}),
        EXAMPLE,
    ],
)
def test_drives_are_written_and_read_again(data: Any) -> None:
    model = load_model(data)
    document = robot_document(model)
    again = load_model(document)
    assert robot_document(again) == document
    parts = getattr(model, "legs", None) or model.joints
    others = getattr(again, "legs", None) or again.joints
    for one, other in zip(parts, others, strict=True):
        assert (one.rotor, one.friction, one.drive) == (other.rotor, other.friction, other.drive)


def test_parallel_robots_and_cylinders_have_drives() -> None:

    data: Any = read_yaml(bundled_file("five-bar").read_bytes()).data
    plain = lw.load(data)
    for leg in [*data["legs"], data.get("leg_defaults") or {}]:
        for joint in leg.get("joints", ()):
            if joint.get("actuated"):
                joint["drive"] = GEARED
                joint.pop("rotor", None)
    robot = lw.load(data)
    own = {each.name: each.rotor for each in plain.mechanism.joints}
    moved = [each for each in robot.mechanism.joints if each.motor]
    assert moved
    for each in moved:
        assert each.drive is not None
        assert each.rotor == GEARED_INERTIA
        assert each.rotor != own[each.name]
    document = robot_document(robot.model)
    assert robot_document(load_model(document)) == document


def test_drives_of_identified_robots_keep_what_is_no_inertia_or_friction(driven: lw.Platform) -> None:
    found = driven.with_parameters(1.1 * driven.parameters.values).model.legs[0]
    assert found.rotor == pytest.approx(1.1 * driven.model.legs[0].rotor)
    assert found.drive.inertia == found.drive.coulomb == 0
    assert found.drive.motor.torque_constant == 0.98
    assert robot_document(load_model(robot_document(driven.model)))


@pytest.mark.parametrize(
    ("drive", "slides", "expected"),
    [
        ({"motor": MOTOR}, True, "add screw: {lead: ...} or pulley"),
        ({"motor": MOTOR, "screw": {"lead": 0.01}}, False, "is for a joint that slides"),
        ({"gear": {"ratio": 3}}, False, "motor: is missing"),
        ({"motor": "M1"}, False, "'M1' is a name; add catalog: FILE"),
        ({"motor": {**MOTOR, "inertial": 3}}, False, "unknown field (did you mean 'inertia'?)"),
        ({"motor": MOTOR, "gear": {"ratio": 3, "efficiency": 90}}, False, "(did you mean 0.9?)"),
        ({"motor": {**MOTOR, "max_speed": "3000 rpms"}}, False, "such as 3000 rpm"),
        (
            {"motor": "M", "catalog": str(EXAMPLES / "drives.yaml")},
            False,
            "is not among the motors of",
        ),
        ({"motor": "M", "catalog": "nowhere.yaml"}, False, "nowhere.yaml"),
    ],
)
def test_faults_of_drives(drive: Any, slides: bool, expected: str) -> None:
    data = arm(**{"slides" if slides else "turns": {"drive": drive}})
    with pytest.raises(lw.RobotFileError) as error:
        lw.load(data)
    assert expected in str(error.value)


def test_a_passive_joint_has_no_drive() -> None:
    with pytest.raises(lw.RobotFileError, match="add motor: true"):
        lw.load(mechanism({"motor": False, "drive": SCREWED}))


def test_other_units_are_asked_about() -> None:
    drive = {
        "motor": {"inertia": 2.0e-4, "max_speed": 3000, "torque_constant": 530},
        "gear": {"ratio": 0.02},
    }
    lead = {"motor": {"inertia": 2e-4}, "screw": {"lead": 12.7}}
    found = lint(arm(turns={"drive": drive}, slides={"drive": lead}))
    text = " ".join(str(each) for each in found)
    for expected in ("did you mean 3000 rpm?", "(530 mN m/A)", "did you mean 50?", "(12.7 mm)"):
        assert expected in text


CSV = """part,name,inertia [kg cm^2],torque_constant,max_speed [rpm],friction.coulomb,lead [mm],\
efficiency [%]
motor,M1,1.6,0.53,6000,0.03,,
screw,S1,3,,,,12.7,90
"""


def test_a_catalog_as_a_table(tmp_path) -> None:
    path = tmp_path / "parts.csv"
    path.write_text(CSV)
    parts = read_drive_parts(path)
    assert parts.motors["M1"].inertia == pytest.approx(1.6e-4)
    assert parts.motors["M1"].max_speed == pytest.approx(200 * math.pi)
    assert parts.motors["M1"].friction == ShaftFriction(coulomb=0.03)
    screw = parts.screws["S1"]
    assert (screw.lead, screw.efficiency) == (pytest.approx(0.0127), pytest.approx(0.9))
    assert screw.inertia == pytest.approx(3e-4)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("torque_constant", "torque_konstant", "unknown column 'torque_konstant' (did you mean"),
        ("[kg cm^2]", "[kg inch^2]", "unit of 'inertia [kg inch^2]'; allowed: kg m^2"),
        ("motor,M1,1.6", "motor,M1,1;6", "'1;6' is not a number"),
        ("screw,S1,3", "skrew,S1,3", "'skrew' (did you mean 'screw'?)"),
        ("0.03,,", "0.03,5,", "lead is not a field of a motor"),
        ("12.7,90", "12.7,190", "is not an efficiency"),
        ("screw,S1", "motor,M1", "'M1' appears twice"),
    ],
)
def test_faults_of_tables(tmp_path, old: str, new: str, expected: str) -> None:
    path = tmp_path / "parts.csv"
    path.write_text(CSV.replace(old, new))
    with pytest.raises(lw.LinkworkError) as error:
        read_drive_parts(path)
    assert expected in str(error.value)


def test_stages_one_after_another() -> None:
    gear = Gear(ratio=4, inertia=3.0, friction=ShaftFriction(0.5, 0.25))
    drive = Drive(motor=DriveMotor(inertia=2.0), gear=gear, screw=Screw(lead=math.pi, inertia=10))
    assert drive.ratio == pytest.approx(8)
    assert drive.inertia == pytest.approx(64 * 5 + 4 * 10)
    assert (drive.viscous, drive.coulomb) == (pytest.approx(64 * 0.5), pytest.approx(8 * 0.25))
    assert Screw(lead=1, efficiency=0.4).backdriving == 0  # locks itself
    assert Screw(lead=1, efficiency=0.8).backdriving == pytest.approx(0.75)


def test_the_earlier_key_of_a_catalog() -> None:
    document = yaml.safe_load((EXAMPLES / "driven-simulator.yaml").read_text("utf-8"))
    now = lw.load(EXAMPLES / "driven-simulator.yaml")
    drive = document["leg_defaults"]["drive"]
    drive["catalogue"] = str(EXAMPLES / drive.pop("catalog"))
    earlier = lw.load(document)
    assert earlier.model.legs[0].drive == now.model.legs[0].drive
