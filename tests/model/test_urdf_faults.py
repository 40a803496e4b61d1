"""What is said of URDFs that are at fault or not of serial arms."""

from __future__ import annotations

import shlex
from types import SimpleNamespace

import pytest

from linkwork.core.errors import RobotFileError
from linkwork.model.robot_files import load_model
from linkwork.model.urdf.chain import ChainSelection, _way_to
from linkwork.model.urdf.elements import MOST_ELEMENTS
from linkwork.model.urdf.reader import read_urdf
from tests.model.examples import example
from tests.model.urdf_text import LIMIT, joint, link, robot

PAIR = (link("a"), link("b"))


def faults(*parts: str) -> tuple[str, ...]:
    with pytest.raises(RobotFileError) as caught:
        read_urdf(robot(*parts))
    return caught.value.faults


def turning(inside: str) -> str:
    return joint("j", "revolute", "a", "b", inside)


def test_a_branch() -> None:
    (fault,) = faults(
        *(link(name) for name in ("base", "hand", "palm", "f1", "f2")),
        joint("wrist", "revolute", "base", "hand"),
        joint("mount", "fixed", "hand", "palm"),
        joint("finger1", "prismatic", "palm", "f1"),
        joint("finger2", "prismatic", "palm", "f2"),
    )
    assert fault.startswith(
        "line 6, link 'palm': the chain branches here into joints 'finger1' and 'finger2'"
    )


def test_a_branch_across_fixed_links_is_named_by_the_first_of_them() -> None:
    (fault,) = faults(
        *(link(name) for name in ("base", "side", "one", "two")),
        joint("mount", "fixed", "base", "side"),
        joint("left", "revolute", "base", "one"),
        joint("right", "revolute", "side", "two"),
    )
    assert "link 'base': the chain branches here into joints 'left' and 'right'" in fault


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_of_other_kinds(kind: str) -> None:
    (fault,) = faults(*PAIR, joint("j", kind, "a", "b"))
    assert fault == (
        f"line 6, joint 'j': type {kind} is not a joint of a serial arm;"
        " allowed: fixed, revolute, continuous, prismatic"
    )


def test_an_unknown_type() -> None:
    (fault,) = faults(*PAIR, joint("j", "revolut", "a", "b"))
    assert "type 'revolut' is not known (did you mean 'revolute'?); allowed: fixed, revolute" in fault


def test_mimic() -> None:
    (fault,) = faults(*PAIR, turning(LIMIT + '<mimic joint="k"/>'))
    assert "joint 'j': mimics joint 'k'; hold both still" in fault


def test_unknown_links() -> None:
    found = faults(*PAIR, joint("j", "revolute", "a", "bb"), joint("k", "revolute", "zz", "b"))
    assert any("joint 'j': link 'bb' does not exist (did you mean 'b'?)" in fault for fault in found)
    assert any("joint 'k': link 'zz' does not exist" in fault for fault in found)


def test_two_parents() -> None:
    found = faults(*PAIR, link("c"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "c", "b"))
    assert any("link 'b': is the child of joints 'j' and 'k'" in fault for fault in found)
    assert any("links 'a' and 'c' have no parent joint; an arm has one base" in fault for fault in found)


def test_a_loop() -> None:
    loop = (joint("j", "revolute", "a", "b"), joint("k", "revolute", "b", "a"))
    (fault,) = faults(*PAIR, *loop)
    assert "links 'a' and 'b' form a loop" in fault
    (fault,) = faults(link("base"), *PAIR, *loop)
    assert "links 'a' and 'b' form a loop" in fault


def test_repeated_names() -> None:
    found = faults(*PAIR, link("a"), joint("j", "fixed", "a", "b"), joint("j", "fixed", "a", "b"))
    assert any("link 'a': is given twice, at lines 2 and 6" in fault for fault in found)
    assert any("joint 'j': is given twice, at lines 8 and 9" in fault for fault in found)


@pytest.mark.parametrize("parts", [PAIR[:1], (*PAIR, joint("j", "fixed", "a", "b"))])
def test_nothing_moves(parts: tuple[str, ...]) -> None:
    assert faults(*parts) == ("line 1, robot: there are 0 moving joints; an arm has 1 to 100",)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (turning(""), "joint 'j': has no <limit>; add one with lower, upper"),
        (turning('<limit effort="1"/>'), "joint 'j' limit: has no velocity; add it"),
        (turning('<limit effort="1" velocity="x"/>'), "joint 'j' limit velocity: 'x'"),
        (turning('<limit effort="-1" velocity="1"/>'), "limit effort: -1.0 is negative"),
        (
            turning('<limit lower="2" upper="1" effort="1" velocity="1"/>'),
            "joint 'j' limit: lower 2 is above upper 1; exchange them",
        ),
        (turning(LIMIT + '<axis xyz="0 0 0"/>'), "joint 'j' axis xyz: [0.0, 0.0, 0.0]"),
        (turning(LIMIT + '<axis xyz="0 1"/>'), "axis xyz: [0.0, 1.0] has 2 items"),
        (turning(LIMIT + '<dynamics damping="-1"/>'), "dynamics damping: -1.0 is negative"),
        ('<joint name="j" type="revolute"/>', "joint 'j': has no <parent>; add one"),
        (
            '<joint type="fixed"><parent link="a"/><child link="b"/></joint>',
            "joint: has no name; write name=",
        ),
        ('<joint name="j"><parent link="a"/><child/></joint>', "joint 'j': has no type; write type="),
        (
            '<joint name="j"><parent link="a"/><child/></joint>',
            "joint 'j' child: has no link; write link=",
        ),
        ("<link/>", "link: has no name"),
        (link("c", "<inertial/>"), "link 'c' inertial: has no <mass>; add one"),
        (
            link("c", '<inertial><mass/><inertia ixx="1"/></inertial>'),
            "inertial mass: has no value; add it",
        ),
        (
            link("c", '<inertial><mass/><inertia ixx="1"/></inertial>'),
            "inertial inertia: has no izz; add it",
        ),
        (link("c", '<inertial><mass value="-1"/></inertial>'), "inertial mass value: -1.0 is negative"),
        (link("c", '<inertial><mass value="inf"/></inertial>'), "mass value: 'inf' is not a number"),
        (
            link("c", '<inertial><mass value="1 2"/></inertial>'),
            "mass value: [1.0, 2.0] is not a number",
        ),
        (
            link("c", '<inertial><origin xyz="0 0 ${z}"/></inertial>'),
            "origin xyz: '${z}' is not a number",
        ),
    ],
)
def test_a_faulty_part(part: str, expected: str) -> None:
    assert any(expected in fault for fault in faults(*PAIR, part))


def test_every_fault_at_once_with_its_line() -> None:
    found = faults(
        link("a", '<inertial><mass value="x"/></inertial>'),
        link("b", ""),
        joint("j", "screw", "a", "b"),
        joint("k", "revolute", "a", "c", ""),
    )
    assert [fault.split(":")[0] for fault in found] == [
        "line 2, link 'a' inertial",
        "line 2, link 'a' inertial mass value",
        "line 4, joint 'j'",
        "line 5, joint 'k'",
        "line 5, joint 'k'",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1: not valid XML: no element found"),
        ("<robot>\n<link>", "line 2: not valid XML"),
        ("<html/>", "line 1: the first element is <html>; a URDF begins with <robot>"),
        ('<robot name="r"/>', "line 1, robot: has no <link>"),
        (
            "<!DOCTYPE r [<!ENTITY e 'x'>]><robot/>",
            "line 1: <!DOCTYPE> is not allowed, nor are entities",
        ),
        ("<robot><xacro:macro/></robot>", "line 1: <xacro:macro> is a macro; expand the file first"),
        ("<a>" * 1000, "line 1: nested deeper than 50 levels"),
        ("<a>" + "<b/>" * MOST_ELEMENTS + "</a>", f"line 1: more than {MOST_ELEMENTS} elements"),
        (" " * (20 * 2**20 + 1), "more than 20971520 bytes"),
        (b"<?xml version='1.0' encoding='none'?><robot/>", "line 1: the text encoding cannot be read"),
    ],
)
def test_what_is_not_a_urdf(text: str | bytes, expected: str) -> None:
    with pytest.raises(RobotFileError) as caught:
        read_urdf(text)
    (fault,) = caught.value.faults
    assert fault.startswith(expected)


def test_a_gripper_of_a_real_arm() -> None:
    """The refusal prints a command line that works."""
    file = example("panda")
    with pytest.raises(RobotFileError) as caught:
        read_urdf(file.read_bytes(), str(file))
    branch, mimic = sorted(caught.value.faults, key=lambda fault: "mimics" in fault)
    assert "link 'panda_hand': the chain branches here into joints 'panda_finger_joint1' and" in branch
    assert "joint 'panda_finger_joint2': mimics joint 'panda_finger_joint1'; hold both still" in mimic
    for fault in (branch, mimic):
        words = shlex.split(fault[fault.index("linkwork show") :])
        assert words[2:4] == [str(file), "--tip"]
        assert words[5:] == ["--fix", "panda_finger_joint1=0"]
        assert load_model(file, ChainSelection(tip=words[4], fix={"panda_finger_joint1": 0.0})).n == 7


def test_a_way_over_links_that_hang_on_each_other_has_an_end() -> None:
    pairs = ("ab", "bc", "ca")
    parent = {pair[1]: SimpleNamespace(name=pair, parent=pair[0]) for pair in pairs}
    assert _way_to("c", parent) == ["bc", "ab", "ca"]
