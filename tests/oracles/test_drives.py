"""Drives against engines that others wrote: rotors as bodies of their own, and as armatures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from tests.traced import traced

BODY = {"mass": 2.0, "center_of_mass": [0.2, 0.1, -0.05], "inertia": [0.01, 0.02, 0.03]}
GEAR = {"motor": {"inertia": 3e-4}, "gear": {"ratio": -40, "inertia": 1e-4}}
SCREW = {"motor": {"inertia": 2e-4}, "gear": {"ratio": 3}, "screw": {"lead": 0.02, "inertia": 5e-4}}


def arm(*drives: Any) -> dict[str, Any]:
    kinds = ["prismatic" if "screw" in drive else "revolute" for drive in drives]
    links = [
        {"joint": kind, "a": 0.3, "alpha": 0.4, "drive": drive, **BODY}
        for kind, drive in zip(kinds, drives, strict=True)
    ]
    return {"kind": "arm", "name": "driven", "convention": "modified", "links": links}


@pytest.mark.parametrize("drive", [GEAR, SCREW])
def test_pinocchio_with_the_rotor_as_a_body(drive: Any) -> None:
    """A tree of the link and of every shaft, each a joint of its own, brought to one coordinate by the
    ratios: M = G' M G, and forces G' h. What a shaft's housing stands on is the base here."""
    pin = pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")
    robot = lw.load(arm(drive))
    joint = robot.model.joints[0]
    model = pin.Model()
    kind = pin.JointModelPZ() if "screw" in drive else pin.JointModelRZ()
    at = pin.SE3(np.array(joint.before.R), np.array(joint.before.p))
    number = model.addJoint(0, kind, at, "link")
    body = joint.body
    inertia = pin.Inertia(body.mass, np.array(body.center_of_mass), np.array(body.inertia))
    model.appendBodyToJoint(number, inertia, pin.SE3(np.array(joint.after.R), np.array(joint.after.p)))
    ratios = [1.0]
    turns = 2 * math.pi / 0.02 if "screw" in drive else 1.0
    speeds = [turns * drive["gear"]["ratio"]]
    shafts = [drive["motor"]["inertia"] + drive["gear"].get("inertia", 0.0)]
    if "screw" in drive:
        shafts.append(drive["screw"]["inertia"])
        speeds.append(turns)
    for k, (moment, speed) in enumerate(zip(shafts, speeds, strict=True)):
        shaft = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), f"shaft{k}")
        spinning = pin.Inertia(0.0, np.zeros(3), np.diag([moment, 0.0, 0.0]))
        model.appendBodyToJoint(shaft, spinning, pin.SE3.Identity())
        ratios.append(speed)
    G, data = np.array(ratios), model.createData()
    for q, qd, qdd in np.random.default_rng(5).normal(size=(6, 3)):
        torque = G @ pin.rnea(model, data, G * q, G * qd, G * qdd)
        ours = traced(robot, "inverse_dynamics", [q], [qd], [qdd])
        np.testing.assert_allclose(ours, [torque], rtol=1e-11, atol=1e-11)


def test_pinocchio_with_armatures() -> None:
    pin = pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")
    from tests.oracles.pinocchio_arm import PinocchioArm

    robot = lw.load(arm(GEAR, SCREW, GEAR))
    peer = PinocchioArm(robot.model)
    n = 3 * 2 * math.pi / 0.02
    screw = n**2 * 2e-4 + (n / 3) ** 2 * 5e-4
    peer.model.armature = np.array([1600 * 4e-4, screw, 1600 * 4e-4])
    peer.data = peer.model.createData()
    assert pin is not None
    for q, qd, qdd in np.random.default_rng(6).normal(size=(4, 3, 3)):
        torque = peer.torque(q, qd, qdd)
        np.testing.assert_allclose(traced(robot, "inverse_dynamics", q, qd, qdd), torque, rtol=1e-11)
        back = traced(robot, "forward_dynamics", q, qd, torque)
        np.testing.assert_allclose(back, peer.acceleration(q, qd, torque), rtol=1e-8, atol=1e-9)


def test_mujoco_feels_the_drives_of_an_exported_robot(tmp_path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="there is no MuJoCo for this system")
    robot = lw.load(arm(GEAR, SCREW, GEAR))
    lw.export(robot, "mjcf", tmp_path / "driven")
    (path,) = (tmp_path / "driven").rglob("*.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for q, qd, qdd in np.random.default_rng(7).normal(size=(4, 3, 3)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        ours = traced(robot, "inverse_dynamics", q, qd, qdd)
        np.testing.assert_allclose(ours, data.qfrc_inverse, rtol=1e-8, atol=1e-8)
