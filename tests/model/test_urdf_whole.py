"""URDFs that branch, whose joints follow others, or that close loops: loaded whole."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.mechanism import MechanismModel
from linkwork.model.robot_files import load_model

INERTIAL = (
    '<inertial><origin xyz="0.1 0.02 0.3"/><mass value="{mass}"/>'
    '<inertia ixx="0.03" iyy="0.04" izz="0.02" ixy="0.001" ixz="0" iyz="0.002"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'


def link(name: str, mass: float = 1.0) -> str:
    return f'<link name="{name}">{INERTIAL.format(mass=mass)}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.2 0 0.1" rpy="0.3 0 0.4"/><axis xyz="0 1 0"/>{LIMIT}{inside}</joint>'
    )


HAND = (
    link("ground", 9.0), link("arm", 3.0), link("left"), link("right"), link("tip", 0.2),
    joint("lift", "ground", "arm"),
    joint("left", "arm", "left"),
    joint("right", "arm", "right", '<mimic joint="left" multiplier="-1.5" offset="0.2"/>'),
    joint("flat", "right", "tip", kind="fixed"),
)  # fmt: skip


def written(tmp_path, *parts: str):
    path = tmp_path / "hand.urdf"
    path.write_text(f'<robot name="hand">{"".join(parts)}</robot>')
    return path


def test_branches_and_joints_that_follow(tmp_path):
    """Against Pinocchio with every joint on its own: what follows moves with ratio and offset."""
    pin = pytest.importorskip("pinocchio")
    path = written(tmp_path, *HAND)
    robot = lw.load(path)
    assert robot.coordinates.names == robot.efforts.names == ("lift", "left")
    model = pin.buildModelFromXML(path.read_text())
    data = model.createData()
    S = np.zeros((3, 2))
    for name, row in {"lift": (1, 0), "left": (0, 1), "right": (0, -1.5)}.items():
        S[model.joints[model.getJointId(name)].idx_v] = row
    offset = np.zeros(3)
    offset[model.joints[model.getJointId("right")].idx_q] = 0.2
    for c, cd, cdd in np.random.default_rng(0).uniform(-1, 1, (5, 3, 2)):
        expected = S.T @ pin.rnea(model, data, S @ c + offset, S @ cd, S @ cdd)
        assert robot.inverse_dynamics(c, cd, cdd) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    follower = next(each for each in robot.mechanism.joints if each.name == "right")
    assert follower.limits.position == pytest.approx((-1.2, 0.8))  # from home, where it stands at 0.2
    back = tmp_path / "hand.yaml"
    lw.write_robot(robot, back)
    again = lw.load(back).inverse_dynamics([0.3, 0.2], [1, 2], [3, 4])
    assert again == pytest.approx(robot.inverse_dynamics([0.3, 0.2], [1, 2], [3, 4]), rel=1e-12)


def test_a_tip_still_chooses_a_chain(tmp_path):
    parts = (*HAND[:7], joint("right", "arm", "right"), *HAND[8:])
    arm = lw.load(written(tmp_path, *parts), tip="left")
    assert isinstance(arm, lw.Arm)
    assert arm.joint_names == ("lift", "left")


def with_right(mimic: str) -> tuple[str, ...]:
    return (*HAND[:7], joint("right", "arm", "right", f'<mimic joint="{mimic}"/>'), *HAND[8:])


SQUARE = (
    *map(link, ("a", "b", "c", "d")),
    '<joint name="j1" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>',
    '<joint name="j2" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0 0 1"/>'
    '<axis xyz="0 1 0"/></joint>',
    '<joint name="j3" type="continuous"><parent link="a"/><child link="d"/><origin xyz="1 0 0"/>'
    '<axis xyz="0 1 0"/></joint>',
)
LOOPS = (
    '<loop_joint name="pin" type="continuous"><link1 link="c" xyz="1 0 0"/><link2 link="d" xyz="0 0 1"/>'
    '<axis xyz="0 1 0"/></loop_joint>',
    '<drake:ball_constraint><drake:ball_constraint_body_A name="c"/>'
    '<drake:ball_constraint_p_AP value="1 0 0"/><drake:ball_constraint_body_B name="d"/>'
    '<drake:ball_constraint_p_BQ value="0 0 1"/></drake:ball_constraint>',
)


@pytest.mark.parametrize("loop", LOOPS, ids=["loop_joint", "drake"])
def test_loops(tmp_path, loop: str):
    """A parallelogram: the rockers turn together and the coupler does not turn."""
    robot = lw.load(written(tmp_path, *SQUARE, loop))
    assert robot.coordinates.names == ("j1",)
    motion = robot.joint_motion([0.4], [1.0], [0.0])
    assert motion.q[motion.names.index("j2")] == pytest.approx(-0.4)
    assert motion.qd[motion.names.index("j3")] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((*SQUARE, LOOPS[0].replace('xyz="0 0 1"', 'xyz="0 0 1.5"')), "'pin': is open by 0.5 m"),
        ((*SQUARE, LOOPS[0].replace('link="d"', 'link="e"')), "link 'e' does not exist"),
        ((*SQUARE, LOOPS[0].replace("continuous", "planar")), "type 'planar' is not known"),
        ((*SQUARE, LOOPS[0].replace('xyz="1 0 0"', 'xyz="1 0 x"')), "loop_joint 'pin'"),
        (
            (*HAND[:7], joint("right", "arm", "right", '<mimic joint="lefty"/>'), *HAND[8:]),
            "did you mean 'left'",
        ),
        (
            (*HAND[:7], joint("right", "arm", "right", '<mimic joint="right"/>'), *HAND[8:]),
            "follows itself",
        ),
    ],
)
def test_faults(tmp_path, parts, told: str):
    with pytest.raises(lw.RobotFileError, match=told):
        load_model(written(tmp_path, *parts))


def test_one_chain_is_an_arm(tmp_path):
    path = written(tmp_path, link("a"), link("b"), joint("j", "a", "b"))
    assert not isinstance(load_model(path), MechanismModel)
