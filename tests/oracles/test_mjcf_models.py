"""Models of MuJoCo: ours there and back again, and ones that others wrote, against MuJoCo itself."""

from __future__ import annotations

import warnings
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import quaternion_of
from linkwork.exports.mjcf import mechanism_model
from linkwork.robot.robot import Robot

mujoco = pytest.importorskip("mujoco")

THERE_AND_BACK = ("ur5", "stanford", "palletizer", "gripper", "excavator", "five-bar")
MORE = (
    "delta", "simona", "ankle", "par4", "3-rps", "hexaglide", "tricept", "agile-eye", "two-arms",
    "hexapod-with-arm", "rotary-hexapod", "planar-3rrr", "pi-h811", "dasgupta1998", "puma560", "panda",
)  # fmt: skip
GRIPPER = Path(__file__).parents[1] / "data" / "xarm7-gripper.xml"
MORE_OTHERS = ("half_cheetah", "humanoid", "walker2d_v5")
OTHERS = (
    "ant", "hopper", "inverted_double_pendulum", "inverted_pendulum", "point", "pusher_v5", "reacher",
    "swimmer", *(pytest.param(name, marks=pytest.mark.long) for name in MORE_OTHERS),
)  # fmt: skip


def loaded(path: Path) -> Robot:
    """The robot, without what a mechanism cannot say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.RobotWarning)
        return lw.load(path)


def returns(name: str, folder: Path) -> None:
    """Efforts of the robot that its MuJoCo model describes, by the names of its motors."""
    root, _, model, _ = mechanism_model(lw.load(name))
    path = folder / "robot.xml"
    path.write_bytes(xml.tostring(root))
    given, found = Robot(model), loaded(path)
    assert found.dof == given.freedoms
    rng = np.random.default_rng(1)
    states, d = 5, given.freedoms
    at = [given.coordinates.moved(given.home, rng.uniform(-0.05, 0.05, d)) for _ in range(states)]
    cd, cdd = rng.uniform(-1, 1, (2, states, d))
    efforts = given.inverse_dynamics(np.array(at), cd, cdd, friction=False)
    motion = given.joint_motion(np.array(at), cd, cdd)
    columns = [motion.names.index(each) for each in found.coordinates.names]
    home = given.joint_motion(given.home, np.zeros(d), np.zeros(d)).q
    q = (motion.q - home)[..., columns]
    seen = found.inverse_dynamics(q, motion.qd[..., columns], motion.qdd[..., columns], friction=False)
    order = [found.efforts.names.index(each) for each in given.efforts.names]
    scale = np.abs(efforts).max()
    assert np.abs(seen[..., order] - efforts).max() < 1e-12 * scale
    tied = {each.name: each for each in found.elements}
    for each in given.elements:
        back = tied[each.name]
        assert (back.friction.viscous, back.friction.coulomb) == (
            each.friction.viscous,
            each.friction.coulomb,
        )
        assert (back.rotor, back.motor) == (each.rotor, each.motor)


@pytest.mark.parametrize("name", THERE_AND_BACK)
def test_a_robot_comes_back_from_its_own_model(name: str, tmp_path: Path):
    returns(name, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", MORE)
def test_every_robot_comes_back_from_its_own_model(name: str, tmp_path: Path):
    returns(name, tmp_path)


def quiet(model: Any) -> None:
    """Without what a mechanism of rigid bodies does not say."""
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= (
        int(off.mjDSBL_CONTACT) | int(off.mjDSBL_LIMIT) | int(off.mjDSBL_FRICTIONLOSS)
    )
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)


def velocities(robot: Robot, model: Any, data: Any) -> np.ndarray:
    """MuJoCo's velocities per ours: a floating body has its angular velocity in its own axes there."""
    columns = {name: k for k, name in enumerate(robot.velocities.names)}
    T = np.zeros((model.nv, len(columns)))
    for j in range(model.njnt):
        dof, joint = model.jnt_dofadr[j], model.joint(j)
        if model.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_FREE):
            R = data.xmat[model.jnt_bodyid[j]].reshape(3, 3)
            body = model.body(model.jnt_bodyid[j]).name
            for k, axis in enumerate("xyz"):
                T[dof + k, columns[f"{body}.v{axis}"]] = 1.0
                T[dof + 3 : dof + 6, columns[f"{body}.w{axis}"]] = R.T[:, k]
        else:
            T[dof, columns[joint.name or f"joint{j}"]] = 1.0
    return T


def position(robot: Robot, model: Any, data: Any, home: Any) -> np.ndarray:
    values: dict[str, float] = {}
    for j in range(model.njnt):
        at, joint = model.jnt_qposadr[j], model.joint(j)
        if model.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_FREE):
            k = model.jnt_bodyid[j]
            turned = quaternion_of(data.xmat[k].reshape(3, 3) @ home.xmat[k].reshape(3, 3).T)
            words = ("x", "y", "z", "qw", "qx", "qy", "qz")
            pairs = zip(words, (*data.qpos[at : at + 3], *turned), strict=True)
            values |= {f"{model.body(k).name}.{word}": value for word, value in pairs}
        else:
            values[joint.name or f"joint{j}"] = data.qpos[at] - model.qpos0[at]
    return np.array([values[name] for name in robot.coordinates.names])


@pytest.mark.parametrize("name", OTHERS)
def test_models_that_others_wrote(name: str):
    """Mass matrix, and all forces at an acceleration, of the models of Gymnasium."""
    pytest.importorskip("gymnasium")
    path = Path(str(resources.files("gymnasium"))) / "envs" / "mujoco" / "assets" / f"{name}.xml"
    robot, model = loaded(path), mujoco.MjModel.from_xml_path(str(path))
    quiet(model)
    rng = np.random.default_rng(3)
    data, home = mujoco.MjData(model), mujoco.MjData(model)
    mujoco.mj_forward(model, home)
    data.qpos[:] = model.qpos0
    mujoco.mj_integratePos(model, data.qpos, rng.uniform(-0.7, 0.7, model.nv), 1.0)
    data.qvel[:] = rng.uniform(-1, 1, model.nv)
    model.dof_damping[:] = 0.0  # `bias` has none
    mujoco.mj_forward(model, data)
    T, c = velocities(robot, model, data), position(robot, model, data, home)
    cd, cdd = np.linalg.solve(T, data.qvel), rng.uniform(-1, 1, model.nv)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    expected = T.T @ M @ T
    assert np.abs(robot.mass_matrix(c) - expected).max() < 1e-12 * np.abs(expected).max()
    data.qacc[:] = T @ cdd
    mujoco.mj_inverse(model, data)
    forces = T.T @ data.qfrc_inverse
    found = robot.mass_matrix(c) @ cdd + robot.bias(c, cd)
    assert np.abs(found - forces).max() < 1e-11 * np.abs(forces).max()
    assert robot.n == model.nu


FINGER = """
<mujoco model="finger">
  <compiler angle="radian"/>
  <default><geom size="0.01" contype="0" conaffinity="0"/><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="base">
      <geom type="box" size="0.05 0.05 0.02" mass="3"/>
      <body name="crank">
        <joint name="drive" armature="0.002" damping="0.03" range="-1 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.1" mass="0.2"/>
        <body name="coupler" pos="0 0 0.1">
          <joint name="knuckle" stiffness="2" springref="0.2"/>
          <geom type="capsule" fromto="0 0 0 0.12 0 0.03" mass="0.1"/>
          <body name="plate" pos="0.12 0 0.03" quat="0.8 0 0.6 0">
            <geom type="box" mass="0.05" size="0.01 0.02 0.03"/>
          </body>
        </body>
      </body>
      <body name="rocker" pos="0.1 0 -0.01">
        <joint name="rocker"/>
        <geom type="capsule" fromto="0 0 0 0.02 0 0.14" mass="0.15"/>
      </body>
    </body>
    <body name="belt" pos="0 0.3 0">
      <joint name="belt" frictionloss="0.1"/>
      <geom mass="0.4" pos="0.05 0 0"/>
    </body>
    <body name="copy" pos="0.12 0 0.13"><freejoint/><geom type="sphere" mass="0.07"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="coupler" body2="rocker" anchor="0.12 0 0.03"/>
    <joint name="gear" joint1="belt" joint2="drive" polycoef="0 -2.5 0 0 0"/>
    <weld name="glue" body1="coupler" body2="copy"/>
  </equality>
  <actuator><motor name="servo" joint="drive" gear="4" ctrlrange="-3 3"/></actuator>
</mujoco>
"""


def text(folder: Path, words: str, name: str = "model.xml") -> Path:
    path = folder / name
    path.write_text(words)
    return path


def test_a_loop_a_coupling_and_a_weld(tmp_path: Path):
    """Efforts of the motor by MuJoCo's inverse dynamics on the motion that its constraints leave."""
    path = text(tmp_path, FINGER)
    robot, model = loaded(path), mujoco.MjModel.from_xml_path(str(path))
    assert robot.coordinates.names == robot.efforts.names == ("drive",)
    assert [part.name for part in robot.mechanism.parts] == ["crank", "coupler", "rocker", "belt"]
    drive = robot.mechanism.joints[0]
    assert (drive.limits.effort, drive.rotor, drive.friction.viscous) == (12.0, 0.002, 0.03)
    quiet(model)
    data = mujoco.MjData(model)
    joints = [model.joint(j).name for j in range(model.njnt) if model.joint(j).name]
    for c, cd, cdd in np.random.default_rng(5).uniform(-0.3, 0.3, (6, 3, 1)):
        motion = robot.joint_motion(c, cd, cdd)
        columns = [motion.names.index(name) for name in joints]
        data.qpos[: len(joints)], data.qvel[: len(joints)] = motion.q[columns], motion.qd[columns]
        # The welded ball moves with the coupler.
        start = data.qpos[len(joints) :]
        mujoco.mj_kinematics(model, data)
        k = model.body("coupler").id
        start[:3] = data.xpos[k] + data.xmat[k].reshape(3, 3) @ [0.12, 0, 0.03]
        start[3:] = quaternion_of(data.xmat[k].reshape(3, 3))
        mujoco.mj_fwdPosition(model, data)
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
        J = np.array(data.efc_J[: data.ne * model.nv]).reshape(-1, model.nv)
        free = np.linalg.svd(J)[2][-1]  # what the constraints leave: one motion
        S = free / free[model.joint("drive").dofadr[0]]
        assert np.abs(J @ S).max() < 1e-12
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        assert robot.mass_matrix(c)[0, 0] == pytest.approx(S @ M @ S, rel=1e-11)
        assert motion.qd[columns] == pytest.approx(S[: len(joints)] * cd[0], abs=1e-12)
        data.qvel[:] = 0.0
        data.qacc[:] = S * cdd[0]
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
        mujoco.mj_inverse(model, data)
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
        effort = robot.inverse_dynamics(c, [0.0], cdd, friction=False)
        assert effort == pytest.approx(S @ data.qfrc_inverse, rel=1e-11)


def test_a_closed_gripper_that_others_wrote():
    """Two coupled four-bar linkages: inertia and effort on the motion that constraints leave."""
    robot, model = loaded(GRIPPER), mujoco.MjModel.from_xml_path(str(GRIPPER))
    assert robot.coordinates.names == ("left_driver_joint",)
    assert robot.efforts.names == ("fingers_actuator",)
    quiet(model)
    model.dof_damping[:] = 0.0  # `bias` has none
    data, names = mujoco.MjData(model), [model.joint(j).name for j in range(model.njnt)]
    for c, cd, cdd in np.random.default_rng(5).uniform(0.0, 0.7, (6, 3, 1)):
        motion = robot.joint_motion(c, cd, cdd)
        columns = [motion.names.index(name) for name in names]
        data.qpos[:], data.qvel[:], data.qacc[:] = (
            part[columns] for part in (motion.q, motion.qd, motion.qdd)
        )
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
        mujoco.mj_fwdPosition(model, data)
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-8  # the digits of the file
        S = robot.joint_motion(c, [1.0], [0.0]).qd[columns]
        assert np.abs(data.efc_J[: data.ne * model.nv].reshape(-1, model.nv) @ S).max() < 1e-6
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        assert robot.mass_matrix(c)[0, 0] == pytest.approx(S @ M @ S, rel=1e-9)
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
        mujoco.mj_inverse(model, data)
        found = robot.mass_matrix(c) @ cdd + robot.bias(c, cd)
        assert found == pytest.approx(S @ data.qfrc_inverse, rel=1e-9)
        length = 0.5 * (S[names.index("left_driver_joint")] + S[names.index("right_driver_joint")])
        effort = robot.inverse_dynamics(c, cd, cdd, friction=False)
        assert effort == pytest.approx(found / length, rel=1e-9)


TENDONS = """
<mujoco>
  <worldbody>
    <site name="post" pos="0.5 0 0"/>
    <body name="boom">
      <joint name="boom" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.02"/>
      <site name="lug" pos="0 0 0.6"/>
      <body name="stick" pos="0 0 1">
        <joint name="stick" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.7 0 0" size="0.02"/>
        <body name="ball" pos="0.7 0 0"><joint name="ball" type="ball" damping="0.3"/>
          <geom type="capsule" fromto="0 0 0 0.1 0.2 -0.1" size="0.02"/></body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="ram" stiffness="40" springlength="0.5" damping="7">
      <site site="post"/><site site="lug"/>
    </spatial>
    <fixed name="both" armature="0.2">
      <joint joint="boom" coef="2"/><joint joint="stick" coef="-1"/>
    </fixed>
  </tendon>
  <actuator>
    <general name="ram" tendon="ram" gear="3"/><motor name="both" tendon="both" gear="5"/>
  </actuator>
</mujoco>
"""


def test_tendons_and_a_ball(tmp_path: Path):
    """A ram between two bodies, a motor of two joints and a ball: MuJoCo's acceleration at home."""
    path = text(tmp_path, TENDONS)
    robot, model = loaded(path), mujoco.MjModel.from_xml_path(str(path))
    quiet(model)
    assert set(robot.efforts.names) == {"ram", "both"}
    data = mujoco.MjData(model)
    data.qvel[:] = [0.4, -0.3, 0.2, 0.5, -0.6]
    data.ctrl[:] = [2.0, 0.7]
    mujoco.mj_forward(model, data)
    words = {"boom": 0.4, "stick": -0.3}
    words |= dict(
        zip(("ball.roll_rate", "ball.pitch_rate", "ball.yaw_rate"), (0.2, 0.5, -0.6), strict=True)
    )
    cd = np.array([words[name] for name in robot.velocities.names])
    effort = {"ram": 3 * 2.0, "both": 0.7}
    cdd = robot.forward_dynamics(robot.home, cd, [effort[name] for name in robot.efforts.names])
    columns = [robot.velocities.names.index(name) for name in ("boom", "stick")]
    assert cdd[columns] == pytest.approx(data.qacc[:2], rel=1e-9)


def test_what_a_mechanism_cannot_say_is_named(tmp_path: Path):
    words = FINGER.replace('polycoef="0 -2.5 0 0 0"', 'polycoef="0 -2.5 0.3 0 0"').replace(
        '<body name="belt"', '<body name="belt" gravcomp="1"'
    )
    with pytest.warns(
        lw.RobotWarning, match="gravity compensation.*gear is left out: its coupling is not linear"
    ):
        lw.load(text(tmp_path, words))


PENDULUM = """
<mujoco>
  <worldbody>
    <site name="far" pos="0 0 3"/>
    <body name="arm">
      <site name="hub"/>
      <joint name="turn" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.01"/>
      <body name="slider" pos="0 0 1"><joint name="slide" type="slide"/><geom size="0.05"/></body>
    </body>
  </worldbody>
  <equality>TIE</equality>
</mujoco>
"""


def test_home_is_where_the_loops_are_closed(tmp_path: Path):
    """The arm swings to a point of the world; positions count from there."""
    path = text(tmp_path, PENDULUM.replace("TIE", '<joint joint1="turn" polycoef="0.5 0 0 0 0"/>'))
    robot = loaded(path)
    assert robot.coordinates.names == ("slide",)
    assert robot.body_pose([0.0], "slider")[:3] == pytest.approx([np.sin(0.5), 0, np.cos(0.5)], abs=1e-9)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", "no body of it moves"),
        ("<mujoco><worldbody>", "MuJoCo does not read it"),
        (PENDULUM.replace("TIE", '<connect site1="hub" site2="far"/>'), "violated by 3"),
    ],
    ids=["nothing moves", "no XML", "an open loop"],
)
def test_models_that_are_refused(words: str, told: str, tmp_path: Path):
    with pytest.raises(lw.RobotFileError, match=told):
        loaded(text(tmp_path, words))
