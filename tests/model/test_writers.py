"""Robots written and read again: the same dynamics, to rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

import linkwork as lw
from linkwork.core.rotations import angles_rpy, rotation_rpy
from linkwork.model.families.arm import ArmModel
from linkwork.model.families.stewart import LegLimits
from linkwork.model.geometry import Transform
from linkwork.model.joint import Friction, Limits, Rotor
from linkwork.model.robot_files import load_model, robot_document, write_robot
from linkwork.model.urdf.writer import urdf_text
from tests import random_arms, random_platforms
from tests.traced import traced

ARMS, PLATFORMS = lw.bundled_names("arm"), lw.bundled_names("stewart-platform")
CASES = [(convention, seed) for convention in random_arms.CONVENTIONS for seed in range(4)]


def torques(model: ArmModel) -> np.ndarray:
    state = random_arms.random_state(0, (20, model.n))
    return traced(lw.Arm(model), "inverse_dynamics", *state, formulation="newton-euler")


def with_everything(model: ArmModel) -> ArmModel:
    """Friction, rotors and limits on every joint."""
    extras = {
        "rotor": Rotor(1 / 3 * 1e-4, -62.6111),
        "friction": Friction(0.1, 0.2 / 3, -0.1),
        "limits": Limits((-1.2, 2.1), 3.3, None),
    }
    return replace(model, joints=tuple(replace(joint, **extras) for joint in model.joints))


@pytest.mark.parametrize("name", ARMS)
def test_bundled_arms_come_back(tmp_path, name) -> None:
    model = load_model(name)
    write_robot(model, tmp_path / "arm.yaml")
    again = load_model(tmp_path / "arm.yaml")
    np.testing.assert_allclose(torques(again), torques(model), rtol=1e-13, atol=1e-13)
    assert robot_document(again) == robot_document(model)
    assert again.source == " ".join(model.source.split())
    frames = (lw.Arm(m).link_frames(np.ones(m.n)) for m in (model, again))
    np.testing.assert_allclose(*frames, atol=1e-14)


@pytest.mark.parametrize(("convention", "seed"), CASES)
def test_random_arms_come_back_as_yaml(tmp_path, convention, seed) -> None:
    model = with_everything(random_arms.random_arm(seed, 3 + seed, convention))
    write_robot(model, tmp_path / "arm.yaml")
    text = (tmp_path / "arm.yaml").read_text()
    assert f"convention: {convention}" in text
    again = load_model(tmp_path / "arm.yaml")
    np.testing.assert_allclose(torques(again), torques(model), rtol=1e-12, atol=1e-12)
    assert [joint.limits for joint in again.joints] == [joint.limits for joint in model.joints]
    assert [joint.rotor for joint in again.joints] == [joint.rotor for joint in model.joints]


@pytest.mark.filterwarnings("ignore::linkwork.files.faults.RobotWarning")
@pytest.mark.parametrize(("convention", "seed"), CASES)
def test_random_arms_come_back_as_urdf(tmp_path, convention, seed) -> None:
    """Without what a URDF cannot say; frames sit elsewhere, the motion they make is the same."""
    model = random_arms.random_arm(seed, 3 + seed, convention)
    left_out = write_robot(model, tmp_path / "arm.urdf")
    assert any("gravity" in remark for remark in left_out)
    again = replace(load_model(tmp_path / "arm.urdf"), gravity=model.gravity)
    np.testing.assert_allclose(torques(again), torques(model), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["puma560", "stanford", "panda", "ur10"])
def test_pinocchio_reads_our_urdf_the_same_way(name) -> None:
    arm = lw.load(name)
    text, _ = urdf_text(arm.model)
    engine = pin.buildModelFromXML(text)
    data = engine.createData()
    q, qd, qdd = random_arms.random_state(1, (5, arm.n))
    ours = arm.inverse_dynamics(q, qd, qdd, friction=False, rotors=False)
    for k in range(len(q)):
        place = pin.integrate(engine, pin.neutral(engine), q[k])
        np.testing.assert_allclose(pin.rnea(engine, data, place, qd[k], qdd[k]), ours[k], atol=1e-10)


def test_a_urdf_says_what_it_leaves_out() -> None:
    _, left_out = urdf_text(load_model("puma560"))
    assert "no rotors: those of waist, shoulder" in left_out[0]
    assert "mean" in left_out[1]
    _, left_out = urdf_text(load_model("panda"))
    assert left_out == []


@pytest.mark.parametrize("name", PLATFORMS)
def test_bundled_platforms_come_back(tmp_path, name) -> None:
    model = load_model(name)
    write_robot(model, tmp_path / "platform.yaml")
    again = load_model(tmp_path / "platform.yaml")
    assert [leg.limits for leg in again.legs] == [leg.limits for leg in model.legs]
    platforms = lw.Platform(model), lw.Platform(again)
    six = np.arange(6.0)
    forces = [traced(p, "inverse_dynamics", p.home, six, six) for p in platforms]
    np.testing.assert_allclose(*forces, rtol=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_random_platforms_come_back(tmp_path, seed) -> None:
    model = random_platforms.random_platform(seed)
    limits = LegLimits((0.1, 5 / 3), 0.5, 1000.0)
    legs = (replace(model.legs[0], limits=limits), *model.legs[1:])
    model = replace(model, legs=legs)
    write_robot(model, tmp_path / "platform.yaml")
    again = load_model(tmp_path / "platform.yaml")
    assert again.legs[0].limits == limits
    state = random_platforms.random_state(seed)
    forces = [
        traced(lw.Platform(each), "inverse_dynamics", *state, wrench="input") for each in (model, again)
    ]
    np.testing.assert_allclose(*forces, rtol=1e-12)


@pytest.mark.parametrize("name", ["puma560", "five-bar", "rotary-hexapod", "palletizer", "excavator"])
def test_the_constant_part_of_friction_comes_back(tmp_path, name) -> None:
    """Identification finds it in every drive: joints of arms, legs and mechanisms, cylinders."""
    robot = lw.load(name)
    offsets = [each.endswith("offset") for each in robot.parameters.names]
    assert any(offsets)
    robot = robot.with_parameters(np.where(offsets, 0.25, robot.parameters.values))
    write_robot(robot, tmp_path / "robot.yaml")
    again = lw.load(tmp_path / "robot.yaml").parameters
    assert again.names == robot.parameters.names
    np.testing.assert_allclose(again.values, robot.parameters.values, rtol=1e-12, atol=1e-12)


def test_a_turned_body_is_refused_by_a_file_of_mechanisms(tmp_path) -> None:
    """Bodies of such a file have base axes at home; coordinates of an orientation would mean others."""
    model = load_model("palletizer")
    part = model.parts[-1]
    turned = replace(part, frame=Transform.of(rotation_rpy(0.1, 0.2, 0.3), part.frame.p))
    with pytest.raises(lw.InputError, match=f"{part.name}.*turned against the base at home"):
        write_robot(replace(model, parts=(*model.parts[:-1], turned)), tmp_path / "turned.yaml")
    assert list(tmp_path.iterdir()) == []


def test_odd_names_survive(tmp_path) -> None:
    model = load_model("planar-2r")
    joints = [
        replace(joint, name=name) for joint, name in zip(model.joints, ("yes", "a: #b"), strict=True)
    ]
    odd = replace(model, name='1e3 "x" \\', joints=tuple(joints), source="a\nb:  c" + " d" * 80)
    write_robot(odd, tmp_path / "odd.yaml")
    again = load_model(tmp_path / "odd.yaml")
    assert (again.name, again.joint_names, again.source) == (odd.name, odd.joint_names, odd.source)
    odd = replace(odd, name='<&">')
    write_robot(odd, tmp_path / "odd.urdf")
    assert load_model(tmp_path / "odd.urdf").name == '<&">'


def test_a_platform_has_no_urdf(tmp_path) -> None:
    with pytest.raises(lw.InputError, match="cannot hold"):
        write_robot(load_model("simona"), tmp_path / "simona.urdf")
    with pytest.raises(lw.InputError, match="allowed endings"):
        write_robot(load_model("simona"), tmp_path / "simona.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pitch", [0.3, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, 3.0])
def test_angles_of_a_rotation(pitch) -> None:
    R = rotation_rpy(0.7, pitch, -2.5)
    np.testing.assert_allclose(rotation_rpy(*angles_rpy(R)), R, atol=2e-15)
