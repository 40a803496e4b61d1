"""SDFormat against Drake, whose reader is that of the format: ours, and a robot that others wrote."""

from __future__ import annotations

import logging
import re
import warnings
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

parsing = pytest.importorskip("pydrake.multibody.parsing")
tree = pytest.importorskip("pydrake.multibody.tree")
plant_module = pytest.importorskip("pydrake.multibody.plant")


DATA = "example-robot-data"


def plant_of(text: str) -> Any:
    logging.getLogger("drake").setLevel(logging.ERROR)
    plant = plant_module.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(text, "sdf")
    plant.Finalize()
    return plant


def inertial(mass: float, pose: str = "0.1 0.02 0.3 0.2 0 0.1") -> str:
    return (
        f"<inertial><pose>{pose}</pose><mass>{mass}</mass><inertia><ixx>0.03</ixx><iyy>0.04</iyy>"
        "<izz>0.02</izz><ixy>0.001</ixy><ixz>0</ixz><iyz>0.002</iyz></inertia></inertial>"
    )


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def axis(xyz: str, inside: str = "", tag: str = "axis", expressed: str = "") -> str:
    frame = f' expressed_in="{expressed}"' if expressed else ""
    return f"<{tag}><xyz{frame}>{xyz}</xyz>{inside}</{tag}>"


def sdf(*parts: str, version: str = "1.10", pose: str = "") -> str:
    at = f"<pose>{pose}</pose>" if pose else ""
    return f'<sdf version="{version}"><model name="robot">{at}{"".join(parts)}</model></sdf>'


LIMITS = "<limit><lower>-1</lower><upper>2</upper><effort>7</effort><velocity>3</velocity></limit>"
FRAMES = sdf(
    '<frame name="post"><pose degrees="true">0.1 0.2 0.3 10 20 30</pose></frame>',
    f'<link name="a"><pose relative_to="post">0 0 0.1 0 0.4 0</pose>{inertial(2)}</link>',
    f'<link name="b"><pose relative_to="elbow"/>{inertial(1)}</link>',
    '<link name="c"><pose relative_to="tip" rotation_format="quat_xyzw">'
    f"0.1 0 0  0.1 0.7 -0.1 0.7</pose>{inertial(0.5)}</link>",
    f'<link name="d"><pose>0.7 0.5 0.4 0 0 1</pose>{inertial(0.3)}</link>',
    f'<link name="e"><pose>0.9 0.5 0.4 0.5 0 1</pose>{inertial(0.2)}</link>',
    f'<link name="plate"><pose relative_to="e">0 0.1 0 0 0 0</pose>{inertial(0.1)}</link>',
    '<frame name="tip" attached_to="b"><pose>0 0 0.5 0 0 0.3</pose></frame>',
    joint("ground", "fixed", "world", "foot"),
    f'<link name="foot">{inertial(3)}</link>',
    joint("shoulder", "revolute", "foot", "a", "<pose>0.1 0 0 0 0 0</pose>" + axis("0 1 0", LIMITS)),
    joint(
        "elbow", "continuous", "a", "b",
        '<pose relative_to="a">0 0 0.6 0.3 0 0</pose>' + axis("1 0 0", expressed="post"),
    ),
    joint("slide", "prismatic", "tip", "c", axis("0 0 1", expressed="__model__")),
    joint("cardan", "universal", "a", "d", axis("1 0 0") + axis("0 1 0", tag="axis2")),
    joint(
        "screw", "screw", "d", "e",
        axis("0 0 1") + "<screw_thread_pitch>0.2</screw_thread_pitch>",
    ),
    joint("glue", "fixed", "e", "plate"),
    pose="0.3 -0.2 0.1 0.1 0.2 0.3",
)  # fmt: skip
NESTED = sdf(
    f'<link name="base">{inertial(1)}</link>' + joint("ground", "fixed", "world", "base"),
    '<model name="arm" placement_frame="mount"><pose relative_to="base">0 0 0.2 0 0 0.5</pose>'
    f'<frame name="mount"><pose>0.1 0.2 0 0.3 0 0</pose></frame><link name="upper">{inertial(2)}</link>'
    f'<link name="lower"><pose>0 0 0.5 0 0 0</pose>{inertial(1)}</link>'
    + joint("elbow", "revolute", "upper", "lower", axis("0 1 0"))
    + "</model>",
    joint("shoulder", "revolute", "base", "arm::upper", axis("0 0 1")),
    '<frame name="wrist" attached_to="arm::lower">'
    '<pose relative_to="arm::elbow">0 0 0.4 0 0 0</pose></frame>',
    f'<link name="hand"><pose relative_to="wrist"/>{inertial(0.4)}</link>',
    joint("hold", "ball", "wrist", "hand", axis("1 0 0", "<dynamics><damping>0.3</damping></dynamics>")),
)


def loaded(path: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.RobotWarning)
        return lw.load(path)


def read(folder: Path, text: str) -> Any:
    path = folder / "robot.sdf"
    path.write_text(text)
    return loaded(path)


def agrees(robot: Any, plant: Any, swing: float = 0.2, bent: str = "none") -> None:
    """Inertia, and all forces at an acceleration, on what our coordinates make of Drake's joints.

    Balls stand still at home; their velocities are components in the frame on their parent. Joints whose
    name contains `bent` are turned away from home, where their loop is near a dead center.
    """
    plant.mutable_gravity_field().set_gravity_vector(np.array(robot.model.gravity))
    context, rng = plant.CreateDefaultContext(), np.random.default_rng(0)
    ours = {each.name.split("::")[-1]: each.name for each in robot.mechanism.joints}
    d = robot.dof
    free = np.array([not name.endswith("_rate") for name in robot.velocities.names])
    rates = [k for k, name in enumerate(robot.velocities.names) if name.endswith("_rate")]
    R = {}
    for k in plant.GetJointIndices():
        one = plant.get_joint(k)
        R[one.name()] = one.frame_on_parent().CalcPoseInWorld(context).rotation().matrix()
    for _ in range(3):
        away = np.where(free, rng.uniform(-swing, swing, d), 0.0)
        away[[bent in name for name in robot.velocities.names]] = 0.2
        c = robot.coordinates.moved(robot.home, away)
        cd, cdd = np.where(free, rng.uniform(-1, 1, (2, d)), 0.0)
        motion = robot.joint_motion(c, cd, cdd)
        unit = robot.joint_motion(np.tile(c, (d, 1)), np.eye(d), np.zeros((d, d))).qd
        q, qdd = plant.GetPositions(context), np.zeros(plant.num_velocities())
        S = np.zeros((plant.num_velocities(), d))
        for k in plant.GetJointIndices():
            one = plant.get_joint(k)
            rows = slice(one.velocity_start(), one.velocity_start() + one.num_velocities())
            if one.type_name() == "ball_rpy":
                S[rows, rates] = R[one.name()].T
            elif one.num_velocities():
                names = [one.name()] if one.name() in ours else [f"{one.name()} {j}" for j in (1, 2)]
                columns = [motion.names.index(ours[name]) for name in names[: one.num_velocities()]]
                S[rows], qdd[rows] = unit[:, columns].T, motion.qdd[columns]
                first = one.position_start()
                q[first : first + one.num_positions()] = motion.q[columns]
        plant.SetPositions(context, q)
        plant.SetVelocities(context, S @ cd)
        M = plant.CalcMassMatrixViaInverseDynamics(context)
        expected = S.T @ M @ S
        assert np.abs(robot.mass_matrix(c) - expected).max() < 1e-11 * np.abs(expected).max()
        applied = tree.MultibodyForces(plant)  # weight and springs
        plant.CalcForceElementsContribution(context, applied)
        forces = S.T @ plant.CalcInverseDynamics(context, qdd, applied)
        found = robot.mass_matrix(c) @ cdd + robot.bias(c, cd)
        assert np.abs(found - forces).max() < 1e-10 * np.abs(forces).max()


@pytest.mark.parametrize("text", [FRAMES, NESTED], ids=["frames and joints", "nested models"])
def test_frames_and_joints(text: str, tmp_path: Path):
    agrees(read(tmp_path, text), plant_of(text))


def as_tree(text: str) -> str:
    """For Drake, which has no loops: without the balls that close them here, shapes and damping."""
    text = re.sub(r"<damping>.*?</damping>", "", text)  # which `bias` does not contain
    text = re.sub(r'<joint [^>]*type="ball">.*?</joint>', "", text, flags=re.DOTALL)
    return re.sub(r"<(visual|collision) .*?</\1>", "", text, flags=re.DOTALL)


FOUR_BAR = sdf(
    *(
        f'<link name="{name}"><pose>{at} 0.3 0.1 0 0</pose>{inertial(mass)}</link>'
        for name, at, mass in (("crank", "0 0", 1), ("coupler", "0.1 0", 2), ("rocker", "0.7 0", 3))
    ),
    joint("drive", "revolute", "world", "crank", axis("0 1 0", expressed="__model__")),
    joint("knee", "revolute", "crank", "coupler", axis("0 1 0", expressed="__model__")),
    joint("end", "revolute", "world", "rocker", axis("0 1 0", expressed="__model__")),
    joint("pin", "ball", "coupler", "rocker", '<pose relative_to="__model__">0.6 0 0.9 0 0 0</pose>'),
)


def test_a_loop(tmp_path: Path):
    robot = read(tmp_path, FOUR_BAR)
    assert robot.dof == 1
    agrees(robot, plant_of(as_tree(FOUR_BAR)))


@pytest.mark.long
@pytest.mark.parametrize("name", ["cassie_simple", "cassie_wo_gearbox_spring"])
def test_a_robot_with_loops_that_others_wrote(name: str):
    path = next(Path(str(each.locate())) for each in files(DATA) or () if each.name == f"{name}.sdf")
    robot, text = loaded(path), as_tree(path.read_text())
    assert text.count("<joint ") == len(robot.mechanism.parts) == len(robot.mechanism.joints) - 4
    agrees(robot, plant_of(text), swing=0.05, bent="crank")
    spring = next(each for each in robot.mechanism.joints if each.spring)
    assert spring.spring.stiffness > 0


def test_actuation_limits_and_springs(tmp_path: Path):
    """A joint of effort 0 is passive; infinite limits and -1 are none."""
    text = sdf(
        f'<link name="a">{inertial(1)}</link><link name="b">{inertial(1)}</link>',
        f'<link name="c">{inertial(1)}</link>',
        joint("ground", "revolute", "world", "a", axis("0 1 0", LIMITS)),
        joint(
            "free", "revolute", "a", "b",
            axis("0 1 0", "<limit><effort>0</effort><lower>-1e16</lower><upper>1e16</upper></limit>"
                 "<dynamics><damping>0.4</damping><friction>0.2</friction>"
                 "<spring_stiffness>5</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>"),
        ),
        joint(
            "copy", "revolute", "b", "c",
            axis("0 1 0", '<mimic joint="ground"><multiplier>-2</multiplier></mimic>'),
        ),
    )  # fmt: skip
    robot = read(tmp_path, text)
    assert robot.efforts.names == ("ground",)
    ground, free, copy = robot.mechanism.joints
    assert (ground.limits.position, ground.limits.velocity, ground.limits.effort) == ((-1, 2), 3, 7)
    assert (free.limits.position, free.limits.effort, free.motor) == (None, None, False)
    assert (free.friction.viscous, free.friction.coulomb) == (0.4, (0.2, -0.2))
    assert (free.spring.stiffness, free.spring.free, copy.motor) == (5.0, 0.1, False)
    motion = robot.joint_motion([0.3, 0.1], [1.0, 0.0], [0.0, 0.0])
    assert motion.qd[motion.names.index("copy")] == pytest.approx(-2.0)


def test_a_gearbox_couples_two_turns(tmp_path: Path):
    """theta_2 = -ratio theta_1, each against the reference body, along its own axis."""
    text = sdf(
        f'<link name="case">{inertial(1)}</link><link name="rotor">{inertial(0.1)}</link>',
        f'<link name="arm"><pose>0.1 0 0 0 0 0</pose>{inertial(2)}</link>',
        joint("ground", "fixed", "world", "case"),
        joint("drive", "revolute", "case", "rotor", axis("0 0 1")),
        joint("output", "revolute", "arm", "case", axis("0 0 -1")),
        joint(
            "gear", "gearbox", "rotor", "arm",
            axis("0 0 1") + axis("0 0 1", tag="axis2")
            + "<gearbox_ratio>0.25</gearbox_ratio><gearbox_reference_body>case</gearbox_reference_body>",
        ),
    )  # fmt: skip
    robot = read(tmp_path, text)
    motion = robot.joint_motion([0.4], [1.0], [0.0])
    twist = dict(zip(motion.bodies, motion.twists, strict=True))
    assert robot.coordinates.names == ("drive",)
    assert twist["rotor"][5] == pytest.approx(1.0)
    assert twist["arm"][5] == pytest.approx(-0.25)


LINK = f'<link name="a">{inertial(1)}</link>'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<robot/>", "an SDF begins with <sdf>"),
        (sdf(LINK) + " ", None),
        (sdf(LINK, joint("j", "screwy", "world", "a")), "'screwy' is not known .did you mean 'screw'"),
        (sdf(LINK, joint("j", "revolute", "wold", "a", axis("0 0 1"))), "frame 'wold' does not exist"),
        (sdf(LINK, '<frame name="f"><pose relative_to="f"/></frame>', joint("j", "ball", "world", "f")),
         "counts from itself: j -> f -> f"),
        (sdf(LINK, LINK), "is given twice"),
        (sdf(LINK, "<include><uri>model://hand</uri></include>"), "'model://hand': is another file"),
        (sdf(LINK, joint("j", "fixed", "world", "a")), "no link of it moves"),
        (sdf('<link name="a"><inertial auto="true"/></link>'), "to be computed from shapes"),
        (sdf(LINK, joint("j", "revolute", "world", "a", axis("0 0 0"))), "joint 'j'"),
        (sdf(LINK, joint("j", "revolute", "world", "a", axis("0 0 1", '<mimic joint="k"/>'))), "'k'"),
        ("<sdf version='1.10'/>", "0 models that move"),
    ],
)  # fmt: skip
def test_faults(text: str, told: str | None, tmp_path: Path):
    if told is None:
        assert read(tmp_path, text).freedoms == 6
        return
    with pytest.raises(lw.RobotFileError, match=told):
        read(tmp_path, text)


def test_what_a_mechanism_cannot_say_is_named(tmp_path: Path):
    path = tmp_path / "robot.sdf"
    path.write_text(sdf(LINK, '<link name="b"/>', "<plugin name='p' filename='q'/>"))
    with pytest.warns(lw.RobotWarning, match=r"left out: plugins; link 'b' has no <inertial>"):
        lw.load(path)
