"""Shapes of URDFs: found, placed in the frame of the link that moves them, or left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linkwork.studio.robot_file import BASE, RobotSource, mesh_file, visuals_of

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
    base, mesh, hand = visuals_of(urdf)
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
