"""The bundled robots against published answers and against other descriptions of the same machines."""

from __future__ import annotations

import math
import warnings
from importlib import resources

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.model.bundled import bundled_names
from linkwork.model.families.arm import ArmModel, without_tool
from linkwork.model.robot_files import load_model
from tests.model.examples import example, placements

NAMES = (
    "iiwa14",
    "panda",
    "planar-2r",
    "puma560",
    "puma560-akb",
    "puma560-lee",
    "stanford",
    "ur10",
    "ur5",
)
QN = np.array([0, math.pi / 4, math.pi, 0, math.pi / 4, 0])


def test_all_are_there() -> None:
    assert bundled_names("arm") == NAMES


@pytest.mark.parametrize("name", bundled_names())
def test_each_loads_in_silence_and_cites_its_source(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = load_model(name)
    assert robot.name == name
    assert len(robot.source) > 40
    text = resources.files("linkwork.model").joinpath("library", f"{name}.yaml").read_text()
    assert max(map(len, text.splitlines())) <= 105


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("puma")])
def test_inertia_is_physical(name: str) -> None:
    """Of the PUMA, parts of the first link were never measured."""
    for joint in load_model(name).joints:
        low, middle, high = np.linalg.eigvalsh(joint.body.inertia)
        assert low >= 0
        assert joint.body.mass > 0
        assert high <= (low + middle) * (1 + 1e-12)


def pinocchio(arm: ArmModel):
    from tests.oracles.pinocchio_arm import PinocchioArm

    return PinocchioArm(arm)


class TestPuma:
    arm = load_model("puma560")

    def torque(self, qd: float, qdd: float) -> np.ndarray:
        """With friction and rotors, from Pinocchio's rigid links."""
        rates, accelerations = np.full(6, qd), np.full(6, qdd)
        tau = pinocchio(self.arm).torque(QN, rates, accelerations)
        for k, joint in enumerate(self.arm.joints):
            dry = joint.friction.coulomb_forward if qd > 0 else 0.0
            tau[k] += joint.friction.viscous * qd + dry + joint.rotor.reflected * qdd
        return tau

    def test_gravity_load(self) -> None:
        np.testing.assert_allclose(self.torque(0, 0), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)

    def test_torque_in_motion(self) -> None:
        expected = [29.1421, 56.5044, 16.3528, 1.2645, 1.1239, 0.5196]
        np.testing.assert_allclose(self.torque(1, 0), expected, atol=6e-5)

    def test_torque_in_accelerated_motion(self) -> None:
        expected = [32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138]
        np.testing.assert_allclose(self.torque(1, 1), expected, atol=6e-5)

    def test_mass_matrix(self) -> None:
        mass = pinocchio(self.arm).mass_matrix(QN)
        mass += np.diag([joint.rotor.reflected for joint in self.arm.joints])
        upper = [
            3.6594, -0.4044, 0.1006, -0.0025, 0, 0, 4.4137, 0.3509, 0, 0.0024, 0,
            0.9378, 0, 0.0015, 0, 0.1925, 0, 0, 0.1713, 0, 0.1941,
        ]  # fmt: skip
        np.testing.assert_allclose(mass[np.triu_indices(6)], upper, atol=6e-5)

    def test_backward_friction_is_its_own(self) -> None:
        waist = self.arm.joints[0].friction
        assert waist.coulomb_backward == pytest.approx(-0.435 * 62.6111)
        assert not waist.symmetric

    def test_lees_frames_are_those_of_the_same_machine(self) -> None:
        """Joints 1 to 3 half a turn apart; the tip's frame turned about its z."""
        shift = np.radians([180, 180, -180, 0, 0, 0])
        ours, lees = pinocchio(self.arm), pinocchio(load_model("puma560-lee"))
        q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 6))
        there = ours.torque(q + shift, qd, qdd)
        np.testing.assert_allclose(lees.torque(q, qd, qdd), there, atol=1e-13)
        turned = ours.tip_pose(q + shift) @ np.diag([-1, -1, 1, 1])
        np.testing.assert_allclose(lees.tip_pose(q), turned, atol=1e-15)
        for one, other in zip(self.arm.joints, load_model("puma560-lee").joints, strict=True):
            assert (one.friction, one.rotor) == (other.friction, other.rotor)

    def test_both_sets_of_frames_weigh_the_same(self) -> None:
        bodies = [
            [joint.body.mass for joint in load_model(name).joints] for name in ("puma560", "puma560-akb")
        ]
        assert bodies[0] == bodies[1]


def test_stanford_boom_slides() -> None:
    boom = load_model("stanford").joints[2]
    assert (boom.kind, boom.offset, boom.limits.position) == ("prismatic", 0.0, (0.305, 1.27))


def test_planar_arm_by_hand() -> None:
    """Held out straight, two rods of weight m g at 0.5 m and 1.5 m."""
    load = pinocchio(load_model("planar-2r")).torque(np.zeros(2), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(load, [9.81 * 2.0, 9.81 * 0.5], rtol=1e-14)


def test_ur10_is_its_urdf() -> None:
    bundled, published = load_model("ur10"), without_tool(load_model(example("ur10_robot")))
    for ours, theirs in zip(bundled.joints, published.joints, strict=True):
        assert theirs.name == f"{ours.name}_joint"
        np.testing.assert_allclose(ours.before.matrix(), theirs.before.matrix(), atol=1e-11)
        np.testing.assert_array_equal(ours.axis, theirs.axis)
        np.testing.assert_allclose(ours.body.inertia, theirs.body.inertia, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(ours.body.center_of_mass, theirs.body.center_of_mass, atol=1e-15)
        assert ours.body.mass == theirs.body.mass
        assert ours.limits.position == pytest.approx(theirs.limits.position, abs=1e-11)
        assert (ours.limits.velocity, ours.limits.effort) == (
            theirs.limits.velocity,
            theirs.limits.effort,
        )


def frame_in_urdf(name: str, base: str, tip: str, q: np.ndarray) -> np.ndarray:
    model = pin.buildModelFromUrdf(str(example(name)))
    data = model.createData()
    full = pin.neutral(model)
    full[: q.size] = q
    pin.framesForwardKinematics(model, data, full)
    place = {frame: data.oMf[model.getFrameId(frame)] for frame in (base, tip)}
    return (place[base].inverse() * place[tip]).homogeneous


@pytest.mark.parametrize(
    ("name", "urdf", "base", "tip", "atol"),
    [
        ("ur5", "ur5_robot", "base", "tool0", 1e-4),
        ("panda", "panda", "panda_link0", "panda_link8", 1e-10),
    ],
)
def test_the_tip_is_where_the_urdf_has_it(
    name: str, urdf: str, base: str, tip: str, atol: float
) -> None:
    """The UR5's ROS description rounds its lengths."""
    arm = load_model(name)
    q = np.random.default_rng(3).uniform(-2, 2, arm.n)
    np.testing.assert_allclose(placements(arm, q)[-1], frame_in_urdf(urdf, base, tip, q), atol=atol)


def test_panda_has_the_inertia_of_its_urdf() -> None:
    """Seen from the flange in the last link; the height of the first center of mass has no effect."""
    model = pin.buildModelFromUrdf(str(example("panda")))
    for k, joint in enumerate(load_model("panda").joints[:6], start=1):
        inertia = model.inertias[k]
        assert joint.body.mass == pytest.approx(inertia.mass)
        np.testing.assert_allclose(joint.body.inertia, inertia.inertia, atol=1e-12)
        np.testing.assert_allclose(joint.body.center_of_mass[:2], inertia.lever[:2], atol=1e-12)


def test_iiwa_kinematics_by_its_data_sheet() -> None:
    """Denavit-Hartenberg lengths of the data sheet: 0.36, 0.42, 0.4 and 0.126 m to the flange."""
    turns = ["-90 deg", "90 deg", "90 deg", "-90 deg", "-90 deg", "90 deg", 0]
    lengths = [0.36, 0, 0.42, 0, 0.4, 0, 0.126]
    links = [
        {"joint": "revolute", "d": d, "alpha": alpha} for d, alpha in zip(lengths, turns, strict=True)
    ]
    sheet = load_model({"kind": "arm", "name": "sheet", "convention": "standard", "links": links})
    q = np.random.default_rng(4).uniform(-2, 2, 7)
    flange = np.eye(4)
    flange[2, 3] = 0.045
    np.testing.assert_allclose(
        placements(load_model("iiwa14"), q)[-1] @ flange, placements(sheet, q)[-1], atol=1e-12
    )
