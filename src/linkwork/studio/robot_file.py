"""The robot file on disk, and what a URDF shows of its links.

A file is loaded again when it changes; a broken one leaves the last good robot.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.arguments import one_of
from linkwork.core.errors import LinkworkError
from linkwork.core.input_files import read_bytes
from linkwork.core.rotations import quaternion_of, rotation_rpy
from linkwork.drawing.shape import COLORS, RGB
from linkwork.files.faults import FaultyError
from linkwork.model.bundled import bundled_names
from linkwork.model.geometry import Transform
from linkwork.model.urdf.chain import ChainSelection, selected
from linkwork.model.urdf.elements import (
    LARGEST_URDF,
    AttributeReader,
    Element,
    UrdfJoint,
    joint_of,
    link_of,
    read_xml,
)
from linkwork.model.urdf.tree import Group, grouped
from linkwork.robot.loading import load
from linkwork.robot.robot import Array, Robot
from linkwork.studio.host import Scene

MESHES = (".stl", ".obj", ".ply", ".glb", ".off")
LARGEST_MESH = 60_000_000  # bytes
MEASURES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}
BASE = -1  # the link that does not move


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape in the frame of link `link` (from 0; BASE for what stands still)."""

    link: int
    place: Transform
    kind: str
    size: tuple[float, ...] = ()
    mesh: Any = None
    color: RGB = COLORS["link"]

    def add_to(self, scene: Scene, name: str) -> None:
        where = {"position": self.place.p, "wxyz": quaternion_of(self.place.R)}
        if self.kind == "mesh":
            scene.add_mesh_simple(
                name, self.mesh.vertices, self.mesh.faces, color=self.color, flat_shading=True, **where
            )
        elif self.kind == "box":
            scene.add_box(name, self.color, self.size, **where)
        elif self.kind == "cylinder":
            scene.add_cylinder(name, self.size[0], self.size[1], self.color, **where)
        else:
            scene.add_icosphere(name, self.size[0], self.color, **where)


def visuals_of(path: Path, chain: ChainSelection | None = None) -> tuple[Visual, ...]:
    """All shapes of a URDF that can be shown; a mesh that cannot be read is left out."""
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
    group, number = grouped(links, joints), BASE
    while True:
        for name, place in _places(group, joints):
            for element in elements[name].named("visual"):
                found += _visual(element, number, place, path, paint)
        if not group.next:
            return tuple(found)
        group, number = group.next[0], number + 1


def _places(group: Group, joints: list[UrdfJoint]) -> Iterator[tuple[str, Transform]]:
    """The links of a rigid group and where they are in its frame."""
    fixed = {joint.child: joint for joint in joints if joint.type == "fixed"}
    for link in group.links:
        place, name = Transform(), link.name
        while name != group.links[0].name:
            place, name = fixed[name].origin @ place, fixed[name].parent
        yield link.name, place


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


def label_of(given: str) -> str:
    """What a robot is called in the page and in links: its name, or that of its file without folders."""
    return given if given in bundled_names() else Path(given).name


class RobotSource:
    """A robot and where it comes from. `version` counts good loads, `fault` tells of a bad one."""

    def __init__(self, given: str, chain: ChainSelection | None = None) -> None:
        self.given, self.chain = given, chain or ChainSelection()
        self.path = None if given in bundled_names() else Path(given)
        self.name = label_of(given)
        self.version = 0
        self.fault: str | None = None
        self._lock = threading.Lock()
        self._seen = self._signature()
        self.robot = self._load()
        self.visuals = self._shapes()

    @property
    def title(self) -> str:
        """The robot's name, and the file it was read from."""
        name = self.robot.name
        return name if self.path is None else f"{name}, read from {self.name}"

    def _load(self) -> Robot:
        return load(self.given, tip=self.chain.tip, base=self.chain.base, fix=self.chain.fix)

    def _signature(self) -> tuple[int, ...] | None:
        if self.path is None:
            return None
        try:
            found = os.stat(self.path)
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _shapes(self) -> tuple[Visual, ...]:
        """What a URDF shows of its links."""
        is_urdf = self.path is not None and self.path.suffix.lower() == ".urdf"
        return visuals_of(self.path, self.chain) if self.path is not None and is_urdf else ()

    def poll(self) -> bool:
        """Look at the file; tells whether robot or fault are new."""
        with self._lock:
            now = self._signature()
            if now == self._seen:
                return False
            self._seen = now
            try:
                self.robot = self._load()
            except LinkworkError as error:
                self.fault = str(error)
            else:
                self.fault = None
                self.visuals = self._shapes()
                self.version += 1
            return True


class Shelf:
    """The robots that pages may show: the bundled ones, and the file that the studio was given."""

    def __init__(self, given: str, chain: ChainSelection | None = None) -> None:
        source = RobotSource(given, chain)
        self.given = source.name
        self._lock = threading.Lock()
        self._open = {source.name: source}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.given, *bundled_names())))

    def get(self, name: str) -> RobotSource:
        """By name; a link cannot make the studio open any other file."""
        one_of(name, self.names, "robot")
        with self._lock:
            if name not in self._open:
                self._open[name] = RobotSource(name)
            return self._open[name]
