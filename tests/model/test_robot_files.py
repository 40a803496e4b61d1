"""Robot files and mappings: what they mean, and what is said of their faults."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linkwork.core.errors import InputError, RobotFileError
from linkwork.files.faults import RobotWarning
from linkwork.model.bundled import bundled_names
from linkwork.model.robot_files import load_model
from tests.model.faults import assert_beginnings, faults, faults_of_text

HEADER = {"kind": "arm", "name": "test", "convention": "standard"}


def arm(*links: Any, **header: Any) -> dict[str, Any]:
    return {**HEADER, "links": list(links), **header}


def link(**fields: Any) -> dict[str, Any]:
    return {"joint": "revolute", **fields}


class TestMeaning:
    def test_defaults(self) -> None:
        model = load_model(arm(link(), link(name="tip")))
        assert model.joint_names == ("joint1", "tip")
        np.testing.assert_array_equal(model.gravity, [0, 0, -9.81])
        first = model.joints[0]
        assert (first.body.mass, first.rotor.reflected, first.friction.viscous) == (0, 0, 0)
        assert first.limits.position is None

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("90 deg", math.pi / 2),
            ("-45.5 deg", math.radians(-45.5)),
            ("1.2 rad", 1.2),
            (0.3, 0.3),
            ("1e2deg", 100 * math.pi / 180),
        ],
    )
    def test_angles(self, written: object, meant: float) -> None:
        assert load_model(arm(link(theta=written))).joints[0].offset == pytest.approx(meant, abs=1e-15)

    def test_right_angles_are_exact(self) -> None:
        after = load_model(arm(link(alpha="90 deg"))).joints[0].after
        np.testing.assert_array_equal(after.R, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])

    def test_d_of_a_prismatic_joint_is_the_offset_of_its_variable(self) -> None:
        joint = load_model(arm(link(joint="prismatic", d=0.4, theta="90 deg"))).joints[0]
        assert (joint.kind, joint.offset) == ("prismatic", 0.4)
        np.testing.assert_array_equal(joint.before.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])

    def test_general_convention(self) -> None:
        written = link(position=[1, 2, 3], rpy=[0, 0, "90 deg"], axis=[0, 3, 4])
        joint = load_model(arm(written, convention="general")).joints[0]
        np.testing.assert_array_equal(joint.before.p, [1, 2, 3])
        np.testing.assert_array_equal(joint.before.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
        np.testing.assert_allclose(joint.axis, [0, 0.6, 0.8], rtol=1e-15)

    @pytest.mark.parametrize("scale", [1e-310, 1e-200, 1.0, 1e99])
    def test_an_axis_of_any_length_is_a_direction(self, scale: float) -> None:
        joint = load_model(arm(link(axis=[0, 0, -scale]), convention="general")).joints[0]
        np.testing.assert_array_equal(joint.axis, [0, 0, -1])

    def test_friction_at_the_motor_is_moved_to_the_joint(self) -> None:
        friction = {"viscous": 2e-3, "coulomb": [0.4, -0.3], "side": "motor"}
        rotor = {"inertia": 1e-4, "gear_ratio": -50}
        joint = load_model(arm(link(friction=friction, rotor=rotor))).joints[0]
        assert joint.friction.viscous == pytest.approx(2e-3 * 50**2)
        assert joint.friction.coulomb_forward == pytest.approx(0.4 * 50)
        assert joint.friction.coulomb_backward == pytest.approx(-0.3 * 50)
        assert joint.rotor.reflected == pytest.approx(0.25)

    def test_friction_at_the_joint_stays(self) -> None:
        written = link(friction={"viscous": 2, "coulomb": 3}, rotor={"gear_ratio": 9})
        friction = load_model(arm(written)).joints[0].friction
        assert (friction.viscous, friction.coulomb_forward, friction.coulomb_backward) == (2, 3, -3)

    def test_limits(self) -> None:
        limits = {"position": ["-90 deg", 1], "velocity": 2, "effort": 3}
        got = load_model(arm(link(limits=limits))).joints[0].limits
        assert got.position == (-math.pi / 2, 1.0)
        assert (got.velocity, got.effort) == (2.0, 3.0)

    def test_full_inertia_is_symmetrized(self) -> None:
        tensor = [[2, 0.1, 0], [0.1 + 1e-12, 3, 0], [0, 0, 4]]
        inertia = load_model(arm(link(inertia=tensor))).joints[0].body.inertia
        np.testing.assert_array_equal(inertia, inertia.T)

    def test_arrays_may_stand_for_lists(self) -> None:
        written = link(center_of_mass=np.array([1.0, 2, 3]), inertia=np.eye(3), mass=np.float64(2))
        body = load_model(arm(written)).joints[0].body
        np.testing.assert_array_equal(body.center_of_mass, [1, 2, 3])

    def test_the_description_given_is_left_alone(self) -> None:
        given = arm(link(alpha="90 deg"))
        load_model(given)
        assert given == arm(link(alpha="90 deg"))

    def test_numbers_without_a_dot_are_numbers(self, tmp_path: Path) -> None:
        path = tmp_path / "robot.YAML"
        path.write_text(
            "{kind: arm, name: x, convention: standard, links: [{joint: revolute, mass: 1e-3}]}"
        )
        assert load_model(str(path)).joints[0].body.mass == 1e-3


class TestNegativeInertia:
    def test_is_accepted_with_a_warning(self) -> None:
        with pytest.warns(RobotWarning, match=r"'elbow'.*-0\.2 kg m\^2"):
            load_model(arm(link(name="elbow", inertia=[1, -0.2, 1])))

    @pytest.mark.parametrize("inertia", [[0, 0.35, 0], [1, 1, 5], [1, -1e-9, 1]])
    def test_zeros_and_unequal_sides_are_silent(self, inertia: list[float]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            load_model(arm(link(inertia=inertia)))


FIELD_FAULTS = [
    (link(mass=-3), "links[0] mass: -3 is negative; allowed: a number >= 0 [kg]"),
    (link(mass=True), "links[0] mass: true is not a number; allowed: a number >= 0 [kg]"),
    (
        link(mass="3"),
        "links[0] mass: '3' is not a number (did you mean 3?); allowed: a number >= 0 [kg]",
    ),
    (link(mass=None), "links[0] mass: nothing is not a number; allowed: a number >= 0 [kg]"),
    (link(d=math.nan), "links[0] d: nan is not finite; allowed: a number [m]"),
    (link(d=-math.inf), "links[0] d: -inf is not finite; allowed: a number [m]"),
    (link(d=10**400), "links[0] d: a huge number is not finite; allowed: a number [m]"),
    (link(d=10**5000), "links[0] d: a huge number is not finite; allowed: a number [m]"),
    (link(d=1e200), "links[0] d: 1e+200 is too large; allowed: a number [m], at most 1e+100"),
    (link(theta="ninety"), "'ninety' is not an angle; allowed: a number [rad] or a text such as 90 deg"),
    (link(theta="90"), "'90' is not an angle"),
    (link(theta="1e999 deg"), "inf is not finite"),
    (link(mas=3), "links[0] mas: unknown field (did you mean 'mass'?); allowed: name, joint, theta,"),
    (link(zzz=3), "links[0] zzz: unknown field; allowed: name, joint, theta,"),
    (link(position=[0, 0, 0]), "belongs to convention general, but convention is standard"),
    (
        link(joint="revolut"),
        "'revolut' is not known (did you mean 'revolute'?); allowed: revolute, prismatic",
    ),
    (link(joint=[]), "[] is not known; allowed: revolute, prismatic"),
    ({}, "links[0] joint: is missing; add joint: ..."),
    (link(name=560), "links[0] name: 560 is not a text"),
    (link(name=" "), "links[0] name: ' ' is not a name"),
    (link(name="a\nb"), r"links[0] name: 'a\nb' is not a name"),
    (link(center_of_mass=[0, 0]), "[0, 0] has 2 items; allowed: three numbers [m]"),
    (link(center_of_mass=[0, "x", 0]), "'x' is not a number; allowed: a number [m]"),
    (link(center_of_mass=3), "3 is not a list; allowed: three numbers [m]"),
    (link(inertia=[1, 2]), "allowed: three numbers (a diagonal) or a symmetric 3 x 3 matrix [kg m^2]"),
    (link(inertia=[1, 2, 3, 0, 0, 0]), "a list of 6 has 6 items; allowed: three numbers"),
    (
        link(inertia=[[1, 2, 3], [2, 1, 0], [3, 0.5, 1]]),
        "links[0] inertia: is not symmetric: row 2, column 3 is 0 but row 3, column 2 is 0.5",
    ),
    (link(rotor={"inertia": -1}), "links[0] rotor.inertia: -1 is negative"),
    (
        link(rotor={"gear_ratio": 0}),
        "links[0] rotor.gear_ratio: 0 is not allowed; allowed: a number other than 0",
    ),
    (link(rotor={"intertia": 0}), "rotor.intertia: unknown field (did you mean 'inertia'?)"),
    (link(rotor=3), "links[0] rotor: 3 is not a mapping; allowed: fields inertia, gear_ratio"),
    (link(friction={"viscous": -1}), "friction.viscous: -1 is negative"),
    (link(friction={"coulomb": -1}), "friction.coulomb: -1 is negative"),
    (link(friction={"coulomb": [1, 1]}), "friction.coulomb: [1, 1] has a wrong sign"),
    (link(friction={"coulomb": [-1, -1]}), "friction.coulomb: [-1, -1] has a wrong sign"),
    (link(friction={"coulomb": [1]}), "friction.coulomb: [1] has 1 items"),
    (link(friction={"side": "gear"}), "friction.side: 'gear' is not known; allowed: motor, joint"),
    (link(friction={"side": "motor"}), "friction: side motor needs a gear ratio; add rotor:"),
    (
        link(limits={"position": [1, 1]}),
        "limits.position: [1, 1] is not in order; allowed: [lowest, highest]",
    ),
    (link(limits={"velocity": 0}), "limits.velocity: 0 is not positive; allowed: a number > 0"),
    (link(limits={"effort": -1}), "limits.effort: -1 is not positive"),
    (link(limits=[1, 2]), "limits: [1, 2] is not a mapping; allowed: fields position, velocity, effort"),
    (
        link(joint="prismatic", limits={"position": [0, "90 deg"]}),
        "limits.position: '90 deg' is not a number; allowed: a number [m]",
    ),
    ({**link(), 7: 8}, "a field name should be a text"),
    (5, "links[0]: 5 is not a mapping; allowed: fields name, joint,"),
]


@pytest.mark.parametrize(("written", "expected"), FIELD_FAULTS)
def test_a_fault_of_a_link(written: object, expected: str) -> None:
    (fault,) = faults(arm(written))
    assert expected in fault


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            {"convention": "genral"},
            "convention: 'genral' is not known (did you mean 'general'?); allowed:",
        ),
        ({"gravity": [0, 0]}, "gravity: [0, 0] has 2 items; allowed: three numbers [m/s^2]"),
        ({"gravty": [0, 0, 0]}, "gravty: unknown field (did you mean 'gravity'?); allowed: kind, name,"),
        ({"source": 3}, "source: 3 is not a text"),
        ({"links": []}, "links: there are 0 links; allowed: a list of 1 to 100 links"),
        ({"links": [link()] * 101}, "links: there are 101 links; allowed: a list of 1 to 100 links"),
        ({"links": "none"}, "links: 'none' is not a list; allowed: a list of 1 to 100 links"),
        (
            {"kind": "stewart"},
            "kind: 'stewart' is not a kind of robot (did you mean 'stewart-platform'?); allowed: arm,",
        ),
        ({"kind": "Arm"}, "kind: 'Arm' is not a kind of robot (did you mean 'arm'?); allowed: arm"),
        ({"kind": ["arm"]}, "kind: ['arm'] is not a kind of robot; allowed: arm"),
    ],
)
def test_a_fault_of_the_file(header: dict[str, Any], expected: str) -> None:
    assert any(expected in fault for fault in faults(arm(link(), **header)))


def test_fields_of_the_other_convention() -> None:
    fault, *_ = faults(arm(link(theta=1), convention="general"))
    assert "belongs to convention standard or modified, but convention is general" in fault


def test_an_axis_needs_a_direction() -> None:
    (fault,) = faults(arm(link(axis=[0, 0, 0]), convention="general"))
    assert fault == "links[0] axis: [0, 0, 0] has no direction; allowed: three numbers, not all zero"


@pytest.mark.parametrize("names", [("a", "a"), ("joint2", None)])
def test_names_are_unique(names: tuple[str, str | None]) -> None:
    (fault,) = faults(arm(*({**link(), "name": name} for name in names)))
    assert (
        f"links[1]{f' ({names[1]})' if names[1] else ''} name: {names[0]!r} is also the name of links[0]"
        in fault
    )


@pytest.mark.parametrize("missing", ["kind", "name", "convention", "links"])
def test_a_missing_field(missing: str) -> None:
    given = arm(link())
    del given[missing]
    (fault,) = faults(given)
    assert fault.startswith(f"{missing}: is missing; add ")


def test_every_fault_at_once_with_its_line(tmp_path: Path) -> None:
    text = """\
kind: arm
name: broken
convention: standrd
links:
  - name: shoulder
    joint: revolute
    mas: 3
    limits: {position: [90 deg, -90 deg],
             velocity: 0}
  - name: elbow
    joint: revolute
    mass: -3
    mass: 4
    rpy: [0, 0, x]
  - {name: elbow, joint: prismatic, friction: {viscous: yes}}
"""
    found = faults_of_text(tmp_path, text)
    expected = [
        "line 3, convention: 'standrd' is not known",
        "line 7, links[0] (shoulder) mas: unknown field",
        "line 8, links[0] (shoulder) limits.position: ['90 deg', '-90 deg'] is not in order",
        "line 9, links[0] (shoulder) limits.velocity: 0 is not positive",
        "line 12, links[1] (elbow) mass: -3 is negative; allowed: a number >= 0 [kg]",
        "line 13, links[1] (elbow) mass: is given twice, at lines 12 and 13; keep one",
        "line 14, links[1] (elbow) rpy: 'x' is not an angle",
        "line 15, links[2] (elbow) name: 'elbow' is also the name of links[1]",
        "line 15, links[2] (elbow) friction.viscous: 'yes' is not a number",
    ]
    assert_beginnings(found, expected)


def test_a_missing_field_is_placed_at_its_owner(tmp_path: Path) -> None:
    text = "kind: arm\nname: x\nconvention: standard\nlinks:\n  - joint: revolute\n  - mass: 1\n"
    assert faults_of_text(tmp_path, text) == ("line 6, links[1] joint: is missing; add joint: ...",)


def test_a_hopeless_file_is_not_listed_in_full(tmp_path: Path) -> None:
    found = faults_of_text(tmp_path, "kind: arm\n" + "".join(f"x{k}: 1\n" for k in range(1000)))
    assert len(found) == 101
    assert found[-1] == "and 903 more"


class TestSources:
    def test_bundled_names_are_sorted(self) -> None:
        assert list(bundled_names()) == sorted(bundled_names())
        assert "puma560" in bundled_names()

    def test_bundled_names_of_a_kind(self) -> None:
        arms, platforms = bundled_names("arm"), bundled_names("stewart-platform")
        others = bundled_names("parallel-robot") + bundled_names("mechanism")
        assert "puma560" in arms
        assert "dasgupta1998" in platforms
        assert sorted(arms + platforms + others) == list(bundled_names())

    def test_bundled_names_of_an_unknown_kind(self) -> None:
        with pytest.raises(InputError, match=r"'arms' is not a kind of robot \(did you mean 'arm'\?\)"):
            bundled_names("arms")

    def test_an_unknown_name(self) -> None:
        with pytest.raises(
            InputError, match=r"'puma56' \(did you mean 'puma560'\?\); allowed: .*dasgupta1998, "
        ):
            load_model("puma56")

    @pytest.mark.parametrize("name", ["", "\0", "x" * 5000, "puma560.YML"])
    def test_names_of_nothing(self, name: str) -> None:
        with pytest.raises(InputError, match="there is no"):
            load_model(name)

    @pytest.mark.parametrize("ending", [".yaml", ".yml", ".urdf"])
    def test_a_missing_file(self, tmp_path: Path, ending: str) -> None:
        with pytest.raises(InputError, match="there is no file"):
            load_model(tmp_path / f"none{ending}")

    def test_a_bundled_name_with_an_ending(self) -> None:
        with pytest.raises(InputError, match=r"no file puma560\.yaml \(did you mean 'puma560'\?\)"):
            load_model("puma560.yaml")

    def test_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "robot.yaml").mkdir()
        with pytest.raises(InputError, match="is a folder"):
            load_model(tmp_path / "robot.yaml")

    def test_a_wrong_ending(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"does not end in \.yaml, \.yml, \.urdf"):
            load_model(str(tmp_path / "robot.json"))

    def test_a_file_without_ending_in_the_present_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("robot.txt").touch()
        with pytest.raises(InputError, match="does not end in"):
            load_model("robot.txt")
        Path("puma560").mkdir()
        assert load_model("puma560").name == "puma560"

    @pytest.mark.parametrize("source", [3, None, b"puma560", ["puma560"]])
    def test_what_is_no_source(self, source: Any) -> None:
        with pytest.raises(InputError, match="by name, path or dict"):
            load_model(source)

    def test_a_urdf(self, tmp_path: Path) -> None:
        path = tmp_path / "robot.urdf"
        path.write_text("<robot/>")
        with pytest.raises(RobotFileError, match="has no name"):
            load_model(path)
