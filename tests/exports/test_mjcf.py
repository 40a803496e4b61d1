"""MuJoCo and URDF: the written models move as ours do, by the engines that read them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import linkwork as lw
from linkwork.model.joint import Friction
from linkwork.model.mechanism import Coordinate
from linkwork.robot.robot import Mechanism
from linkwork.studio.design import interpreted
from tests.random_parallel import random_parallel

ARMS = tuple(name for name in lw.bundled_names() if isinstance(lw.load(name), lw.Arm))
LOOPS = tuple(name for name in lw.bundled_names() if name not in ARMS)

# With every kind of joint and tie; the others with the long tests.
CHEAP = ("dasgupta1998", "pi-h811", "simona", "agile-eye", "delta", "palletizer", "gripper")


def smooth(arm: lw.Arm) -> lw.Arm:
    """The arm without Coulomb friction, which MuJoCo treats as a constraint."""
    joints = [replace(joint, friction=Friction(joint.friction.viscous)) for joint in arm.model.joints]
    return lw.Arm(replace(arm.model, joints=tuple(joints)))


@pytest.mark.parametrize("name", ARMS)
def test_arms_both_ways(name, tmp_path) -> None:
    arm = lw.load(name)
    lw.export(arm, "mjcf", tmp_path / "x", name="robot")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "robot.xml"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    data = mujoco.MjData(model)
    ours = smooth(arm)
    low, high = np.nan_to_num(arm.limits.position.T, posinf=3.0, neginf=-3.0)
    rng = np.random.default_rng(3)
    for _ in range(3):
        q = rng.uniform(0.9 * low, 0.9 * high)
        qd, qdd = rng.normal(size=(2, arm.n))
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        tau = ours.inverse_dynamics(q, qd, qdd)
        assert np.abs(data.qfrc_inverse - tau).max() <= 1e-9 * np.abs(tau).max()
        data.ctrl[:] = 0
        data.qfrc_applied[:] = tau
        mujoco.mj_forward(model, data)
        assert np.abs(data.qacc - qdd).max() <= 1e-9 * np.abs(qdd).max() + 1e-9
        tip = data.site("tip")
        T = arm.forward_kinematics(q)
        np.testing.assert_allclose(tip.xpos, T[:3, 3], atol=1e-9)
        np.testing.assert_allclose(tip.xmat.reshape(3, 3), T[:3, :3], atol=1e-9)


def checked(folder) -> tuple[int, list[float]]:
    """Exit status of an export's check, and its differences: one soft call, inverse, forward."""
    said = subprocess.run(
        [sys.executable, str(folder / "check.py")], capture_output=True, text=True, timeout=100
    )
    assert not said.stderr, said.stderr
    return said.returncode, [float(number) for number in re.findall(r"\d\.\de[+-]\d+", said.stdout)]


@pytest.mark.parametrize(
    "name",
    [name if name in CHEAP else pytest.param(name, marks=pytest.mark.long) for name in LOOPS],
)
def test_loops_both_ways_by_their_own_check(name, tmp_path) -> None:
    done = lw.export(lw.load(name), "mjcf", tmp_path / "x", name="robot")
    status, (*soft, inverse, forward) = checked(tmp_path / "x")
    assert status == 0
    assert max(inverse, forward) <= 1e-9
    assert all(4e-4 < one < 2e-1 for one in soft)  # the remark names it
    assert bool(soft) == any("soft" in remark for remark in done.remarks) == (name != "two-arms")
    assert any("raised" in remark for remark in done.remarks) == (name == "dasgupta1998")


@pytest.mark.parametrize(("name", "key"), [("ur5", "effort"), ("simona", "acceleration")])
def test_the_check_finds_a_wrong_number(name, key, tmp_path) -> None:
    lw.export(lw.load(name), "mjcf", tmp_path / "x", name="robot")
    wrong = json.loads((tmp_path / "x" / "check.json").read_text())
    wrong[key][0][0] *= 1 + 1e-6
    (tmp_path / "x" / "check.json").write_text(json.dumps(wrong))
    assert checked(tmp_path / "x")[0] == 1


@pytest.mark.long
def test_random_parallel_robots_both_ways(tmp_path) -> None:
    for seed in range(40):
        folder = tmp_path / str(seed)
        lw.export(interpreted(random_parallel(seed)), "mjcf", folder, name="robot")
        _, (*_, inverse, forward) = checked(folder)
        assert inverse <= 1e-9, seed
        assert forward <= 1e-7, seed  # extrapolated to rigid constraints, some near a singularity


DIFFERENTIAL = {
    "kind": "mechanism",
    "name": "differential",
    "bodies": {
        "cross": {"mass": 1.2, "center_of_mass": [0.02, 0, 0], "inertia": [0.01, 0.012, 0.011]},
        "hand": {"mass": 2, "center_of_mass": [0.1, 0.01, 0.02], "inertia": [0.01, 0.02, 0.02]},
    },
    "joints": {
        "pitch": {"R": "y", "joins": ["base", "cross"], "at": [0, 0, 0], "viscous": 0.3,
                  "spring": {"stiffness": 4, "preload": 0.2}},
        "roll": {"R": "x", "joins": ["cross", "hand"], "at": [0, 0, 0], "motor": True},
    },
    "motors": {
        "left": {"joints": {"pitch": 1, "roll": 0.5}, "rotor": 0.01},
        "right": {"joints": {"pitch": 1, "roll": -0.5}},
    },
    "coordinates": ["pitch", "roll"],
}  # fmt: skip


def test_motors_with_ratios_springs_and_more_motors_than_freedoms(tmp_path) -> None:
    lw.export(lw.load(DIFFERENTIAL), "mjcf", tmp_path / "x", name="robot")
    status, differences = checked(tmp_path / "x")
    assert status == 0
    assert max(differences) <= 1e-11


def test_the_constraints_of_a_platform_hold_and_motors_carry_it(tmp_path) -> None:
    platform = lw.load("simona")
    lw.export(platform, "mjcf", tmp_path / "x")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "simona.xml"))
    data = mujoco.MjData(model)
    data.ctrl[:] = platform.gravity_load(platform.home)
    for _ in range(100):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.body("platform").xpos, platform.home[:3], atol=1e-3)
    assert np.abs(data.efc_pos[: 3 * model.neq]).max() < 1e-4


def test_what_cannot_be_written_is_refused(tmp_path) -> None:
    model = lw.load("hexapod-with-arm").model
    joints = tuple(Coordinate(name) for name in model.effort_names)
    with pytest.raises(lw.InputError, match=r"platform, turret, .* are held by rods or cylinders only"):
        lw.export(Mechanism(replace(model, coordinates=joints)), "mjcf", tmp_path / "x")
    for name in ("simona", "palletizer"):
        with pytest.raises(lw.InputError, match=r"URDF .* export to mjcf, fmu or c"):
            lw.export(lw.load(name), "urdf", tmp_path / "x")
    with pytest.raises(lw.InputError, match="takes the whole mechanism"):
        lw.export(lw.load("ur5"), "urdf", tmp_path / "x", ["bias"])
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("described", ["arm", "mechanism"])
def test_a_urdf_reads_back_and_says_what_it_left_out(tmp_path, described: str) -> None:
    arm = lw.load("puma560")
    if described == "mechanism":
        arm = Mechanism(arm.mechanism)
    done = lw.export(arm, "urdf", tmp_path / "x")
    assert any("rotors" in remark for remark in done.remarks)
    said = subprocess.run(
        [sys.executable, str(tmp_path / "x" / "check.py")], capture_output=True, text=True
    )
    assert said.returncode == 0, said.stdout + said.stderr
    with pytest.warns(lw.RobotWarning, match="velocity limit 0"):
        back = lw.load(str(tmp_path / "x" / "puma560.urdf"))
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 6))
    wanted = arm.inverse_dynamics(q, qd, qdd, friction=False, rotors=False)
    found = back.inverse_dynamics(q, qd, qdd, friction=False)
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())
