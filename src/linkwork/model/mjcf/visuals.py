"""The shapes of a MuJoCo model, on the bodies that its mechanism has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork.model.geometry import Array, Transform
from linkwork.model.mjcf.reader import Reader

SHOWN = 3  # groups that MuJoCo's own viewer shows
KINDS = {"mjGEOM_BOX": "box", "mjGEOM_CYLINDER": "cylinder", "mjGEOM_CAPSULE": "cylinder"}
ROUND = ("mjGEOM_SPHERE", "mjGEOM_ELLIPSOID")


class Faces(NamedTuple):
    vertices: Array
    faces: Array


def mjcf_shapes(path: str) -> Iterator[tuple[Any, ...]]:
    """Body (from 0, -1 is the base), place in its frame, kind, size, mesh and color of every geom."""
    import mujoco

    m = mujoco.MjModel.from_xml_path(path)
    found = Reader(mujoco, m, path)
    number = {group: k - 1 for k, group in enumerate(found.names)}
    meshes = m.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)
    for k in np.flatnonzero(m.geom_group < SHOWN):
        group = int(found.group[m.geom_bodyid[k]])
        start = found.d.xpos[group] if group else np.zeros(3)
        place = Transform.of(found.d.geom_xmat[k].reshape(3, 3), found.d.geom_xpos[k] - start)
        kind, size = mujoco.mjtGeom(int(m.geom_type[k])).name, m.geom_size[k]
        rgba = m.mat_rgba[m.geom_matid[k]] if m.geom_matid[k] >= 0 else m.geom_rgba[k]
        color = tuple(round(255 * float(part)) for part in rgba[:3])
        if rgba[3] == 0.0:
            continue
        if meshes[k]:
            mesh = m.mesh(int(m.geom_dataid[k])).id
            first, faces = m.mesh_vertadr[mesh], m.mesh_faceadr[mesh]
            drawn = Faces(
                np.array(m.mesh_vert[first : first + m.mesh_vertnum[mesh]], dtype=np.float64),
                np.array(m.mesh_face[faces : faces + m.mesh_facenum[mesh]]),
            )
            yield number[group], place, "mesh", (), drawn, color
        elif kind == "mjGEOM_BOX":
            yield number[group], place, "box", tuple(2 * size), None, color
        elif kind in KINDS:
            yield number[group], place, "cylinder", (float(size[0]), 2 * float(size[1])), None, color
        elif kind in ROUND:
            yield number[group], place, "sphere", (float(size[0]),), None, color
