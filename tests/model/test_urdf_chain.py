"""Chains of URDFs: tips, bases, joints held still with their mass, tools; and the way back."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

import linkwork as lw
from tests.model.examples import example

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.RobotWarning")


def pinocchio_of(name: str, held: dict[str, float]):
    """The same robot by Pinocchio, with joints held still."""
    full = pin.buildModelFromUrdf(str(example(name)))
    q = pin.neutral(full)
    for joint, position in held.items():
        q[full.joints[full.getJointId(joint)].idx_q] = position
    ids = [full.getJointId(joint) for joint in held]
    return pin.buildReducedModel(full, ids, q)


def test_held_joints_keep_their_mass() -> None:
    fingers = {"panda_finger_joint1": 0.02, "panda_finger_joint2": 0.02}
    model = pinocchio_of("panda", fingers)
    data = model.createData()
    # The second finger mimics the first and is held where that leads it.
    arm = lw.load(example("panda"), tip="panda_hand", fix={"panda_finger_joint1": 0.02})
    assert arm.n == 7
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 7))
    found = arm.inverse_dynamics(q, qd, qdd, friction=False)
    np.testing.assert_allclose(found, pin.rnea(model, data, q, qd, qdd), atol=1e-9)
    pin.framesForwardKinematics(model, data, q)
    hand = data.oMf[model.getFrameId("panda_hand")].homogeneous
    np.testing.assert_allclose(arm.forward_kinematics(q), hand, atol=1e-9)
    only_fixed = lw.load(example("panda"), fix={"panda_finger_joint1": 0.02})
    np.testing.assert_allclose(only_fixed.inverse_dynamics(q, qd, qdd, friction=False), found, atol=1e-9)


def test_a_leg_of_a_whole_robot() -> None:
    """One chain of many: base and tip choose it."""
    arm = lw.load(example("talos_full_v2"), base="torso_2_link", tip="gripper_left_base_link")
    assert arm.n == 7
    assert all(name.startswith("arm_left") for name in arm.joint_names)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tip": "panda_hnd"}, "tip link 'panda_hnd' does not exist (did you mean 'panda_hand'?)"),
        ({"base": "none"}, "base link 'none' does not exist"),
        ({"fix": {"panda_joint9": 0}}, "joint 'panda_joint9' to fix does not exist or does not move"),
        ({"base": "panda_link4", "tip": "panda_link2"}, "is not behind the base link 'panda_link4'"),
    ],
)
def test_wrong_choices(options, words) -> None:
    with pytest.raises(lw.RobotFileError) as caught:
        lw.load(example("panda"), **options)
    assert words in str(caught.value)
    with pytest.raises(lw.InputError, match=r"choose a chain in a \.urdf"):
        lw.load("panda", **options)


def test_tool_frames_of_urdfs_are_respected() -> None:
    arm = lw.load(example("ur5_robot"))
    model = pin.buildModelFromUrdf(str(example("ur5_robot")))
    data = model.createData()
    q = np.random.default_rng(1).uniform(-2, 2, 6)
    pin.framesForwardKinematics(model, data, q)
    place = data.oMf[model.getFrameId("tool0")]
    np.testing.assert_allclose(arm.forward_kinematics(q), place.homogeneous, atol=1e-9)
    frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(model, data, q, model.getFrameId("tool0"), frame)
    np.testing.assert_allclose(arm.jacobian(q), J, atol=1e-9)
    wrench = np.array([1.0, -2, 3, 0.4, 0.5, -0.6])
    zero = np.zeros(6)
    with_wrench = arm.inverse_dynamics(q, zero, zero, tip_wrench=wrench)
    R = place.rotation
    load = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
    np.testing.assert_allclose(with_wrench - arm.inverse_dynamics(q, zero, zero), J.T @ load, atol=1e-9)


def test_tool_of_an_arm_file() -> None:
    bare = {"kind": "arm", "name": "one", "convention": "standard"}
    bare["links"] = [{"joint": "revolute", "a": 0.5, "mass": 2, "inertia": [0.1, 0.1, 0.1]}]
    tool = {"position": [0.1, 0, 0.2], "rpy": [0, "90 deg", 0]}
    arm, held = lw.load({**bare, "tool": tool}), lw.load(bare)
    expected = held.forward_kinematics([0.3]) @ arm.model.tool.matrix()
    np.testing.assert_allclose(arm.forward_kinematics([0.3]), expected, atol=1e-15)
    for state in np.random.default_rng(2).normal(size=(3, 3, 1)):
        np.testing.assert_allclose(
            arm.inverse_dynamics(*state), held.inverse_dynamics(*state), atol=1e-12
        )
    with pytest.raises(lw.RobotFileError, match=r"tool\.pos: unknown field"):
        lw.load({**bare, "tool": {"pos": [0, 0, 0]}})


@pytest.mark.parametrize("name", ["ur5", "planar-2r", "puma560", "stanford", "panda", "iiwa14"])
@pytest.mark.parametrize("ending", [".urdf", ".yaml"])
def test_round_trips_keep_the_tip(tmp_path, name, ending) -> None:
    arm = lw.load(name)
    lw.write_robot(arm, tmp_path / f"again{ending}")
    again = lw.load(tmp_path / f"again{ending}")
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, arm.n))
    wrench = np.arange(6.0)
    np.testing.assert_allclose(again.forward_kinematics(q), arm.forward_kinematics(q), atol=1e-14)
    np.testing.assert_allclose(again.jacobian(q), arm.jacobian(q), atol=1e-14)
    options = {"tip_wrench": wrench, "friction": False, "rotors": False, "gravity": arm.model.gravity}
    ours = arm.inverse_dynamics(q, qd, qdd, **options)
    np.testing.assert_allclose(
        again.inverse_dynamics(q, qd, qdd, **options), ours, rtol=1e-12, atol=1e-11
    )
    lw.write_robot(again, tmp_path / "third.yaml")
    third = lw.load(tmp_path / "third.yaml")
    np.testing.assert_allclose(third.forward_kinematics(q), arm.forward_kinematics(q), atol=1e-14)


def test_only_robots_are_written(tmp_path) -> None:
    with pytest.raises(lw.InputError, match="is not a robot"):
        lw.write_robot("puma560", tmp_path / "a.yaml")


def test_joints_held_without_being_asked_are_named() -> None:
    with pytest.warns(lw.RobotWarning, match="panda_finger_joint1 at 0 m; --fix JOINT=POSITION"):
        lw.load(example("panda"), tip="panda_hand")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.load(example("panda"), tip="panda_hand", fix={"panda_finger_joint1": 0.02})


@pytest.mark.parametrize(
    "command",
    [
        ("show",),
        ("check", "--states", "3"),
        ("count", "-f", "newton-euler"),
        ("bench", "--seconds", "0.01", "--states", "10", "--latency"),
        ("inverse", "-m", "home-quintic", "--period", "0.5"),
        ("simulate", "--duration", "0.001"),
        ("convert", "made.yaml"),
    ],
)
def test_every_command_chooses_a_chain(command, tmp_path, capfd, monkeypatch) -> None:
    from linkwork.cli.running import run

    monkeypatch.chdir(tmp_path)
    name, *rest = command
    file = str(example("panda"))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run([name, file, *rest, "--tip", "panda_link4"]) == 0
    told = capfd.readouterr().err
    assert "panda_joint5 at 0 deg" in told, told
    assert run([name, file, *rest, "--tip", "nowhere"]) != 0
    assert "tip link 'nowhere' does not exist" in capfd.readouterr().err


def test_the_studio_chooses_a_chain() -> None:
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.studio.robot_file import Shelf

    shelf = Shelf(str(example("panda")), ChainSelection("panda_link4"))
    source = shelf.get(shelf.given)
    assert source.robot.n == 4
    assert {visual.link for visual in source.visuals} <= {-1, 0, 1, 2, 3}


def test_what_is_accepted_survives_every_writer(tmp_path) -> None:
    accepted = ("gravity", "home")
    arm = lw.load("ur5").model
    for model in (arm, lw.load("simona").model, lw.load("delta").model):
        robot = replace(model, accept=accepted)
        for ending in (".yaml", ".urdf") if model is arm else (".yaml",):
            lw.write_robot(robot, tmp_path / f"robot{ending}")
            assert lw.load(tmp_path / f"robot{ending}").model.accept == accepted
    text = (tmp_path / "robot.urdf").read_text()
    (tmp_path / "wrong.urdf").write_text(text.replace("gravity home", "gravty"))
    with pytest.raises(lw.RobotFileError, match="did you mean 'gravity'"):
        lw.load(tmp_path / "wrong.urdf")
