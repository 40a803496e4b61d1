"""Shapes of a robot's file as few triangles, for drawings that a reader's browser makes."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.drawing.shape import RGB
from linkwork.drawing.visuals import Visual, visuals_of
from linkwork.model.geometry import Array
from linkwork.model.robot_files import MJCF
from linkwork.robot.robot import Robot

MOST_FACES = 4000
COARSER = 1.3  # cells of vertices grow by this
FIRST = 200  # cells along the robot


class Facets(NamedTuple):
    """Triangles on a carrier (0 is the base, then the bodies), at home in base axes."""

    carrier: int
    vertices: Array  # (n, 3)
    faces: NDArray[np.int64]  # (m, 3)
    color: RGB


def facets(robot: Robot) -> list[Facets]:
    """Of the file that the robot was read from; none where it has no shapes on these bodies."""
    source = robot.model.source
    if not source.lower().endswith((".urdf", *MJCF)) or not os.path.isfile(source):
        return []
    if importlib.util.find_spec("trimesh") is None:
        return []
    shown = visuals_of(Path(source), robot.model)
    parts = robot.mechanism.parts
    if {visual.link for visual in shown} - {*range(-1, len(parts))}:
        return []
    whole = []
    for visual in shown:
        vertices, faces = _triangles(visual)
        frame = visual.place if visual.link < 0 else parts[visual.link].frame @ visual.place
        placed = vertices @ frame.R.T + frame.p
        whole.append(Facets(visual.link + 1, placed, faces, visual.color))
    return _fewer(whole)


def _triangles(visual: Visual) -> tuple[Array, NDArray[np.int64]]:
    if visual.kind == "mesh":
        drawn = visual.mesh
    else:
        import trimesh

        make = {
            "box": lambda: trimesh.creation.box(visual.size),
            "cylinder": lambda: trimesh.creation.cylinder(visual.size[0], visual.size[1], sections=16),
            "sphere": lambda: trimesh.creation.icosphere(2, visual.size[0]),
        }
        drawn = make[visual.kind]()
    return np.asarray(drawn.vertices, dtype=np.float64), np.asarray(drawn.faces, dtype=np.int64)


def _fewer(whole: Sequence[Facets]) -> list[Facets]:
    """Vertices within a cell become one, in cells as small as the number of triangles allows."""
    if not whole:
        return []
    every = np.concatenate([each.vertices for each in whole])
    cell = float(np.linalg.norm(every.max(axis=0) - every.min(axis=0))) / FIRST or 1.0
    found = list(whole)
    while sum(len(each.faces) for each in found) > MOST_FACES:
        found = [_clustered(each, cell) for each in whole]
        cell *= COARSER
    return [each for each in found if len(each.faces)]


def _clustered(given: Facets, cell: float) -> Facets:
    _, which, count = np.unique(
        np.floor(given.vertices / cell), axis=0, return_inverse=True, return_counts=True
    )
    which = which.reshape(-1)
    vertices = np.zeros((len(count), 3))
    np.add.at(vertices, which, given.vertices)
    faces = which[given.faces]
    a, b, c = faces.T
    faces = np.unique(np.sort(faces[(a != b) & (b != c) & (a != c)], axis=1), axis=0)
    used, numbers = np.unique(faces, return_inverse=True)
    return given._replace(
        vertices=(vertices / count[:, None])[used], faces=numbers.reshape(-1, 3).astype(np.int64)
    )
