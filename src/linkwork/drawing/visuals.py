"""Shapes that robot files bring along, on bodies: visual elements of a URDF, geoms of a MuJoCo model.

Where a link has no visual shape that can be read, its collision shapes stand in.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.input_files import read_bytes
from linkwork.core.rotations import rotation_rpy
from linkwork.drawing.shape import COLORS, RGB
from linkwork.files.faults import FaultyError
from linkwork.model.families.arm import ArmModel
from linkwork.model.geometry import Array, Transform
from linkwork.model.robot_files import MJCF, Model
from linkwork.model.urdf.chain import ChainSelection, selected
from linkwork.model.urdf.elements import (
    LARGEST_URDF,
    AttributeReader,
    Element,
    joint_of,
    link_of,
    read_xml,
)
from linkwork.model.urdf.tree import grouped
from linkwork.model.urdf.whole import placed_groups

MESHES = (".stl", ".obj", ".dae", ".ply", ".glb", ".off")
LARGEST_MESH = 60_000_000  # bytes
MEASURES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}
BASE = -1  # the link that does not move


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape on body `link` (from 0; BASE for what stands still), in the axes of that body's frame."""

    link: int
    place: Transform
    kind: str
    size: tuple[float, ...] = ()
    mesh: Any = None
    color: RGB = COLORS["link"]

    @property
    def extent(self) -> tuple[Array, Array]:
        """Its lowest and highest corner, in its own axes [m]."""
        if self.kind == "mesh":
            vertices = np.asarray(self.mesh.vertices)
            return vertices.min(axis=0), vertices.max(axis=0)
        half = np.array(self.size if self.kind == "box" else (2 * self.size[0],) * 3) / 2
        if self.kind == "cylinder":
            half[2] = self.size[1] / 2
        return -half, half


def visuals_of(path: Path, model: Model, chain: ChainSelection | None = None) -> tuple[Visual, ...]:
    """All shapes of a robot's file that can be shown; a mesh that cannot be read is left out."""
    if path.suffix.lower() in MJCF:
        from linkwork.model.mjcf.visuals import mjcf_shapes

        return tuple(Visual(*each) for each in mjcf_shapes(str(path)))
    if path.suffix.lower() != ".urdf":
        return ()
    try:
        root = read_xml(read_bytes(path, LARGEST_URDF))
    except (LinkworkError, FaultyError):
        return ()
    read = AttributeReader()
    links = [link_of(element, read) for element in root.named("link")]
    joints = [joint_of(element, read) for element in root.named("joint")]
    links, joints = selected(links, joints, chain or ChainSelection())
    elements = {element.attributes.get("name", ""): element for element in root.named("link")}
    paint = _materials(root)
    found: list[Visual] = []
    for number, (group, frame) in enumerate(placed_groups(grouped(links, joints)), BASE):
        # Bodies of whole trees have the axes of the base at home, those of arms their own.
        turned = Transform() if isinstance(model, ArmModel) else Transform.of(frame.R)
        for name, place in group.places.items():
            shown: list[Visual] = []
            for kind in ("visual", "collision"):
                for element in elements[name].named(kind) if not shown else ():
                    shown += _visual(element, number, turned @ place, path, paint)
            found += shown
    return tuple(found)


def _visual(
    element: Element, link: int, place: Transform, path: Path, paint: dict[str, RGB]
) -> list[Visual]:
    geometry = element.first("geometry")
    if geometry is None:
        return []
    place = place @ _origin(element)
    material = element.first("material")
    color = COLORS["link"]
    if material is not None:
        color = _rgba(material) or paint.get(material.attributes.get("name", ""), color)
    for shape in geometry.children:
        if shape.tag == "mesh":
            mesh = _mesh(shape, path)
            return [] if mesh is None else [Visual(link, place, "mesh", mesh=mesh, color=color)]
        names = MEASURES.get(shape.tag, ())
        size = tuple(number for name in names for number in _floats(shape, name))
        if names and len(size) == (3 if shape.tag == "box" else len(names)):
            return [Visual(link, place, shape.tag, size, color=color)]
    return []


def _mesh(shape: Element, path: Path) -> Any:
    import trimesh

    file = mesh_file(shape.attributes.get("filename", ""), path)
    if file is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of foreign files, about what is not drawn
            mesh: Any = trimesh.load(file, force="mesh", process=False)
        mesh.apply_scale(np.array(_floats(shape, "scale") or [1.0, 1.0, 1.0]))
    except Exception:  # whatever a reader of foreign formats may raise: the rods are drawn instead
        return None
    return mesh if len(getattr(mesh, "faces", ())) else None


def mesh_file(name: str, urdf: Path) -> Path | None:
    """The file of a mesh, of a kind that can be shown; `package://` is looked for above the URDF."""
    relative = name.removeprefix("file://")
    folders = [urdf.parent]
    if name.startswith("package://"):
        relative = name.removeprefix("package://")
        folders = list(urdf.resolve().parents)
        folders += [folder.parent for folder in folders]
    for folder in dict.fromkeys(folders):
        file = folder / relative
        if file.suffix.lower() in MESHES and file.is_file():
            return file if file.stat().st_size <= LARGEST_MESH else None
    return None


def _origin(element: Element) -> Transform:
    origin = element.first("origin")
    if origin is None:
        return Transform()
    rpy, xyz = _floats(origin, "rpy") or [0.0] * 3, _floats(origin, "xyz") or [0.0] * 3
    return Transform.of(rotation_rpy(*rpy), xyz)


def _floats(element: Element, name: str) -> list[float]:
    try:
        found: Array = np.array([float(word) for word in element.attributes.get(name, "").split()])
    except ValueError:
        return []
    return found.tolist() if np.isfinite(found).all() else []


def _materials(root: Element) -> dict[str, RGB]:
    named = {element.attributes.get("name", ""): _rgba(element) for element in root.named("material")}
    return {name: color for name, color in named.items() if color is not None}


def _rgba(material: Element) -> RGB | None:
    color = material.first("color")
    parts = [] if color is None else _floats(color, "rgba")
    if len(parts) < 3:
        return None
    r, g, b = (round(255 * min(max(part, 0.0), 1.0)) for part in parts[:3])
    return r, g, b
