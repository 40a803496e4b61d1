"""URDF files against Pinocchio's reading of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.files.faults import RobotWarning
from linkwork.model.families.arm import without_tool
from linkwork.model.robot_files import load_model
from linkwork.model.urdf.reader import read_urdf
from tests.model.examples import example, placements
from tests.model.urdf_text import LIMIT, joint, link, robot

ARMS = [
    "TwoDofs", "borinot_flying_arm_2", "double_pendulum", "double_pendulum_continuous", "finger_edu",
    "hextilt_flying_arm_5", "kinova", "so100", "so101", "talos_left_arm", "ur3_gripper", "ur5_robot",
    "ur5_gripper", "ur10_robot", "xarm7", "z1",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::linkwork.files.faults.RobotWarning")
@pytest.mark.parametrize("name", ARMS)
def test_agrees_with_pinocchio(name: str) -> None:
    arm = load_model(example(name))
    model = pin.buildModelFromUrdf(str(example(name)))
    assert arm.joint_names == tuple(model.names)[1:]
    for k, moving in enumerate(without_tool(arm).joints, start=1):
        placement, inertia = model.jointPlacements[k], model.inertias[k]
        np.testing.assert_allclose(moving.before.matrix(), placement.homogeneous, rtol=0, atol=1e-12)
        assert moving.body.mass == pytest.approx(inertia.mass, abs=1e-12)
        np.testing.assert_allclose(moving.body.inertia, inertia.inertia, rtol=0, atol=1e-12)
        if inertia.mass:
            np.testing.assert_allclose(moving.body.center_of_mass, inertia.lever, rtol=0, atol=1e-12)

    q = np.random.default_rng(1).uniform(-2, 2, arm.n)
    full = pin.neutral(model)
    for k, angle in enumerate(q, start=1):
        place = model.joints[k]
        full[place.idx_q : place.idx_q + place.nq] = (
            angle if place.nq == 1 else [math.cos(angle), math.sin(angle)]
        )
    data = model.createData()
    pin.forwardKinematics(model, data, full)
    for frame, other in zip(placements(without_tool(arm), q), list(data.oMi)[1:], strict=True):
        np.testing.assert_allclose(frame, other.homogeneous, rtol=0, atol=1e-12)


def test_limits_agree_with_pinocchio() -> None:
    arm = load_model(example("ur5_robot"))
    model = pin.buildModelFromUrdf(str(example("ur5_robot")))
    for k, moving in enumerate(arm.joints):
        assert moving.limits.position == (model.lowerPositionLimit[k], model.upperPositionLimit[k])
        assert (moving.limits.velocity, moving.limits.effort) == (
            model.velocityLimit[k],
            model.effortLimit[k],
        )


class TestMeaning:
    def test_fixed_links_are_merged(self) -> None:
        """A base on a stand, a sensor beside the arm and a tool of two parts."""
        text = robot(
            *(link(name) for name in ("world", "stand", "upper", "sensor", "lower", "tool", "tip")),
            joint("on_floor", "fixed", "world", "stand", '<axis xyz="0 0 0"/>'),
            joint("shoulder", "revolute", "stand", "upper", LIMIT + '<axis xyz="0 1 2"/>'),
            joint("sensor_mount", "fixed", "upper", "sensor"),
            joint("elbow", "prismatic", "sensor", "lower"),
            joint("tool_mount", "fixed", "lower", "tool"),
            joint("tip_mount", "fixed", "tool", "tip"),
        )
        arm = without_tool(read_urdf(text))
        model = pin.buildModelFromXML(text)
        assert arm.joint_names == ("shoulder", "elbow")
        assert [joint.kind for joint in arm.joints] == ["revolute", "prismatic"]
        for k, moving in enumerate(arm.joints, start=1):
            np.testing.assert_allclose(
                moving.before.matrix(), model.jointPlacements[k].homogeneous, atol=1e-14
            )
            np.testing.assert_allclose(moving.body.inertia, model.inertias[k].inertia, atol=1e-13)
            np.testing.assert_allclose(moving.body.center_of_mass, model.inertias[k].lever, atol=1e-14)
            assert moving.body.mass == model.inertias[k].mass
        np.testing.assert_allclose(arm.joints[0].axis, np.array([0, 1, 2]) / math.sqrt(5), atol=1e-16)

    def test_defaults(self) -> None:
        parts = '<parent link="a"/><child link="b"/>'
        text = robot(link("a", ""), link("b", ""), f'<joint name="j" type="continuous">{parts}</joint>')
        (moving,) = read_urdf(text).joints
        np.testing.assert_array_equal(moving.axis, [1, 0, 0])
        np.testing.assert_array_equal(moving.before.matrix(), np.eye(4))
        assert (moving.body.mass, moving.limits.position, moving.limits.effort) == (0, None, None)
        assert moving.friction.viscous == moving.friction.coulomb_forward == 0

    def test_dynamics_and_limits(self) -> None:
        inside = LIMIT + '<dynamics damping="5" friction="6"/>'
        (moving,) = read_urdf(
            robot(link("a"), link("b"), joint("j", "revolute", "a", "b", inside))
        ).joints
        assert (moving.limits.position, moving.limits.effort, moving.limits.velocity) == ((-1, 2), 3, 4)
        friction = moving.friction
        assert (friction.viscous, friction.coulomb_forward, friction.coulomb_backward) == (5, 6, -6)

    def test_a_continuous_joint_has_no_range(self) -> None:
        (moving,) = read_urdf(robot(link("a"), link("b"), joint("j", "continuous", "a", "b"))).joints
        assert (moving.kind, moving.limits.position, moving.limits.effort) == ("revolute", None, 3)

    def test_zero_limits_are_doubted(self) -> None:
        zeros = '<limit lower="0" upper="0" effort="0" velocity="4"/>'
        with pytest.warns(RobotWarning, match="'j': effort limit 0 is taken as no limit.*from 0 to 0"):
            (moving,) = read_urdf(
                robot(link("a"), link("b"), joint("j", "revolute", "a", "b", zeros))
            ).joints
        assert (moving.limits.position, moving.limits.effort, moving.limits.velocity) == (None, None, 4)

    def test_joints_inside_other_elements_do_not_count(self) -> None:
        noise = '<transmission><joint name="j"/></transmission><gazebo><link name="a"/></gazebo>'
        assert read_urdf(robot(link("a"), link("b"), joint("j", "revolute", "a", "b"), noise)).n == 1

    def test_long_fixed_chains_do_not_overflow(self) -> None:
        links = [link(f"l{k}", "") for k in range(1501)]
        joints = [joint(f"j{k}", "fixed", f"l{k}", f"l{k + 1}", "") for k in range(1500)]
        end = [link("end"), joint("j", "revolute", "l1500", "end")]
        assert read_urdf(robot(*links, *joints, *end)).n == 1
