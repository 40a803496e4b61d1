"""Shapes of URDFs: found, placed in the frame of the link that moves them, or left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.drawing.facets import MOST_FACES, facets
from linkwork.drawing.visuals import BASE, mesh_file, visuals_of
from linkwork.model.robot_files import load_model
from linkwork.studio.robot_file import RobotSource

TETRAHEDRON = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
"""
INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)
ROBOT = f"""<robot name="shown">
  <material name="orange"><color rgba="1 0.5 0 1"/></material>
  <link name="base"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="upper">{INERTIAL}
    <visual><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
      <geometry><mesh filename="package://shown/meshes/part.obj" scale="2 2 2"/></geometry>
      <material name="orange"/></visual>
    <visual><geometry><mesh filename="meshes/missing.stl"/></geometry></visual>
    <visual><geometry><mesh filename="../../../etc/passwd"/></geometry></visual></link>
  <link name="hand"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="held" type="fixed"><parent link="upper"/><child link="hand"/>
    <origin xyz="0 0 1"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    folder = tmp_path / "shown"
    (folder / "meshes").mkdir(parents=True)
    (folder / "urdf").mkdir()
    (folder / "meshes" / "part.obj").write_text(TETRAHEDRON)
    file = folder / "urdf" / "shown.urdf"
    file.write_text(ROBOT)
    return file


def test_shapes_are_found_and_placed(urdf: Path) -> None:
    pytest.importorskip("trimesh")
    base, mesh, hand = visuals_of(urdf, load_model(urdf))
    assert (base.link, base.kind, base.size) == (BASE, "box", (1.0, 2.0, 3.0))
    assert (mesh.link, mesh.kind, mesh.color) == (0, "mesh", (255, 128, 0))
    np.testing.assert_allclose(mesh.place.p, [0, 0, 0.5])
    np.testing.assert_allclose(mesh.place.R @ [1, 0, 0], [0, 1, 0], atol=1e-12)
    assert mesh.mesh.vertices.max() == 2.0
    assert (hand.link, hand.kind) == (0, "sphere")
    np.testing.assert_allclose(hand.place.p, [0, 0, 1])


def test_only_meshes_are_opened(urdf: Path) -> None:
    assert mesh_file("../../../etc/passwd", urdf) is None
    assert mesh_file("package://shown/meshes/part.obj", urdf) is not None
    assert mesh_file("../meshes/part.obj", urdf) is not None
    assert mesh_file("package://other/meshes/part.obj", urdf) is None


def test_a_source_brings_its_shapes(urdf: Path) -> None:
    pytest.importorskip("trimesh")
    assert len(RobotSource(str(urdf)).visuals) == 3
    assert RobotSource("ur5").visuals == ()


def test_collada_and_collision_shapes(tmp_path: Path) -> None:
    """A .dae is read; where no visual shape can be, collision shapes stand in."""
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    trimesh.creation.box((0.2, 0.4, 0.6)).export(tmp_path / "box.dae")
    links = (
        '<link name="base"><visual><geometry><mesh filename="box.dae"/></geometry></visual>'
        '<collision><geometry><sphere radius="9"/></geometry></collision></link>',
        '<link name="arm"><visual><geometry><mesh filename="missing.dae"/></geometry></visual>'
        '<collision><geometry><sphere radius="0.3"/></geometry></collision></link>',
    )
    joint = '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{"".join(links)}{joint}</robot>')
    base, arm = visuals_of(path, load_model(path))
    assert np.ptp(base.mesh.vertices, axis=0) == pytest.approx([0.2, 0.4, 0.6])
    assert (arm.link, arm.kind, arm.size) == (0, "sphere", (0.3,))


def balls(robot, shapes) -> dict[str, list[float]]:
    """Where the shapes of bodies are, at home in base axes."""
    parts = robot.mechanism.parts
    return {parts[each.link].name: (parts[each.link].frame @ each.place).p.tolist() for each in shapes}


def test_shapes_of_branches_are_on_their_bodies(tmp_path: Path) -> None:
    shown = '<visual><origin xyz="0 0 0.1"/><geometry><sphere radius="0.1"/></geometry></visual>'
    names = ("root", "left", "right", "tip")
    shown += '<inertial><mass value="1"/>'
    shown += '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{shown if name != "root" else ""}</link>' for name in names)
    ends = (("root", "left", "1 0 0"), ("root", "right", "0 2 0"), ("left", "tip", "0 0 3"))
    joints = "".join(
        f'<joint name="{child}-joint" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}" rpy="1.5707963267948966 0 0"/></joint>'
        for parent, child, place in ends
    )
    path = tmp_path / "tree.urdf"
    path.write_text(f'<robot name="r">{links}{joints}</robot>')
    robot = lw.load(path)
    found = balls(robot, visuals_of(path, robot.model))
    assert found["left"] == pytest.approx([1, -0.1, 0])
    assert found["right"] == pytest.approx([0, 1.9, 0])
    assert found["tip"] == pytest.approx([1, -3, -0.1])


def test_shapes_of_a_mujoco_model(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><worldbody><body name="a" pos="0 0 1"><joint axis="0 1 0"/>'
        '<geom type="box" size="0.1 0.2 0.3" pos="0.5 0 0" rgba="1 0 0 1"/>'
        '<body name="b" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.2" pos="0 0 0.4"/></body>'
        "</body></worldbody></mujoco>"
    )
    with pytest.warns(lw.RobotWarning, match="contacts"):
        robot = lw.load(path)
    box, ball = visuals_of(path, robot.model)
    assert (box.kind, box.size, box.color) == ("box", pytest.approx((0.2, 0.4, 0.6)), (255, 0, 0))
    assert balls(robot, (box, ball)) == {"a": [0.5, 0, 1], "b": [1, 0, 1.4]}
    assert (ball.kind, ball.size) == ("sphere", (0.2,))


def test_live_figures_have_few_triangles_at_the_places_of_the_shapes(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(5, 0.5).export(tmp_path / "ball.stl")
    links = (
        '<link name="base"/><link name="arm"><visual><origin xyz="0 0 2"/><geometry>'
        '<mesh filename="ball.stl"/></geometry></visual></link>'
    )
    joint = '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{links}{joint}</robot>')
    (ball,) = facets(lw.load(path))
    assert ball.carrier == 1
    assert 500 < len(ball.faces) <= MOST_FACES
    away = np.linalg.norm(ball.vertices - [0, 0, 2], axis=1)
    assert away == pytest.approx(np.full(len(away), 0.5), abs=0.02)
    assert facets(lw.load("ur5")) == []
