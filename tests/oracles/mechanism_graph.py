"""A mechanism as a spanning tree of one-freedom steps and the loops it leaves open.

Everything is drawn at home in base axes. Steps come depth first, so that subtrees have consecutive
numbers: Pinocchio's crba is wrong without a word otherwise. Node -1 is the base.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.core.rotations import rotation_about_axis
from linkwork.model.geometry import Body
from linkwork.model.mechanism import BASE, POSE, Cylinder, MechanismJoint, MechanismModel, Rod

ORDER = {"fixed": 0, "prismatic": 1, "revolute": 3, "universal": 4, "spherical": 5}


@dataclass(frozen=True)
class Step:
    """A turn about, or a slide along, `axis` through `at`; its value at home is `home`."""

    name: str
    revolute: bool
    parent: int
    axis: np.ndarray
    at: np.ndarray
    home: float = 0.0


@dataclass(frozen=True)
class Closure:
    """One loop's equations: a point shared, displacements along vectors of a, vectors kept at an angle.

    `flat` vectors belong to a; `angles` are pairs of a vector of a and one of b.
    """

    name: str
    a: int
    b: int
    at: np.ndarray
    point: bool = False
    flat: tuple[np.ndarray, ...] = ()
    angles: tuple[tuple[np.ndarray, np.ndarray], ...] = ()

    @property
    def size(self) -> int:
        return 3 * self.point + len(self.flat) + len(self.angles)


@dataclass(frozen=True)
class Rubbing:
    """Viscous friction of a ball or universal joint.

    A cylinder between balls does not spin, though its two turns here do: `spinless` is its node and
    `spin` its direction at home.
    """

    name: str
    a: int
    b: int
    viscous: float
    spin: np.ndarray | None = None
    spinless: int | None = None
    closing: bool = False


@dataclass
class Graph:
    steps: list[Step] = field(default_factory=list)
    masses: list[tuple[int, Body]] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    rubbings: list[Rubbing] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=lambda: {BASE: -1})
    closing: dict[str, tuple[MechanismJoint, int, int]] = field(
        default_factory=dict
    )  # R and P that are cut
    # first and last step, place, and -1 if b carries a
    carried: dict[str, tuple[int, int, np.ndarray, float]] = field(default_factory=dict)

    @property
    def index(self) -> dict[str, int]:
        return {step.name: k for k, step in enumerate(self.steps)}


def across(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors square to a direction and to each other."""
    unit = direction / np.linalg.norm(direction)
    first = np.cross(unit, np.eye(3)[np.argmin(np.abs(unit))])
    first /= np.linalg.norm(first)
    return first, np.cross(unit, first)


def unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector, float) / np.linalg.norm(vector)


def home_pose(model: MechanismModel, of: str, relative_to: str = BASE) -> np.ndarray:
    """x y z roll pitch yaw of a body's frame in another one's, at home."""
    part = model.part(of).frame
    R, p = (np.eye(3), np.zeros(3))
    if relative_to != BASE:
        host = model.part(relative_to).frame
        R, p = host.R, host.p
    return np.concatenate([R.T @ (part.p - p), roll_pitch_yaw(R.T @ part.R)])


def roll_pitch_yaw(R: np.ndarray) -> np.ndarray:
    return np.array(
        [
            np.arctan2(R[2, 1], R[2, 2]),
            np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])),
            np.arctan2(R[1, 0], R[0, 0]),
        ]
    )


class _Builder:
    def __init__(self, model: MechanismModel) -> None:
        self.model, self.graph = model, Graph()
        self.points = {part.name for part in model.parts if part.point}
        self.tree, self.cut = self._chosen()
        self._visit(BASE)
        self._close()

    def _chosen(self) -> tuple[dict[str, list], list[MechanismJoint]]:
        """Edges of the tree by host, and joints that close loops; slides first: none is ever cut."""
        model = self.model
        wanted = {coordinate.of for coordinate in model.coordinates}
        wanted |= {name for coupling in model.couplings for name, _ in coupling.terms}
        wanted |= {name for motor in model.motors for name, _ in motor.terms}

        def rank(joint: MechanismJoint) -> int:
            useful = joint.motor or joint.rotor or joint.spring or joint.friction.acts
            early = joint.kind == "revolute" and (joint.name in wanted or useful)
            return 2 if early else ORDER[joint.kind]

        group = {name: name for name in (BASE, *(part.name for part in model.parts))}

        def root(name: str) -> str:
            while group[name] != name:
                name = group[name]
            return name

        edges, cut = [], []
        for joint in sorted(model.joints, key=rank):
            a, b = joint.joins
            if self.points & {a, b} or root(a) == root(b):
                cut.append(joint)
                continue
            group[root(b)] = root(a)
            edges.append((a, b, joint))
        posed = {c.of: c.relative_to for c in model.coordinates if c.pose is not None}
        struts = {strut.joins[1]: BASE for strut in model.struts}
        every = {part.name: BASE for part in model.parts}
        for places in (posed, struts, every):
            for name, host in places.items():
                if name == BASE or root(name) == root(BASE):
                    continue
                if root(name) == root(host):
                    host = BASE
                group[root(name)] = root(host)
                edges.append((host, name, None))
        tree: dict[str, list] = {}
        for a, b, joint in edges:
            tree.setdefault(a, []).append((b, joint, False))
            tree.setdefault(b, []).append((a, joint, True))
        return tree, cut

    def _step(
        self, name: str, revolute: bool, parent: int, axis: np.ndarray, at: np.ndarray, home=0.0
    ) -> int:
        self.graph.steps.append(Step(name, revolute, parent, unit(axis), np.array(at, float), home))
        return len(self.graph.steps) - 1

    def _visit(self, name: str) -> None:
        graph, node = self.graph, self.graph.nodes[name]
        if name != BASE:
            body = self.model.part(name).body
            inertia = np.zeros((3, 3)) if name in self.points else body.inertia
            graph.masses.append((node, Body.of(body.mass, body.center_of_mass, inertia)))
        for strut in self.model.struts:
            if isinstance(strut, Cylinder) and strut.joins[0] == name:
                self._cylinder(strut, node)
            elif isinstance(strut, Rod) and strut.joins[_foot(strut)] == name:
                self._rod(strut, node)
        for other, joint, back in self.tree.get(name, []):
            if other in graph.nodes:
                continue
            graph.nodes[other] = self._edge(name, other, joint, back)
            self._visit(other)

    def _edge(self, host: str, name: str, joint: MechanismJoint | None, back: bool) -> int:
        first, node = len(self.graph.steps), self.graph.nodes[host]
        if joint is None:
            assert not back, f"{host} floats and carries {name}"
            return self._free(host, name)
        at, sign = joint.at, -1.0 if back else 1.0
        if joint.kind == "fixed":
            return node
        if joint.kind in ("revolute", "prismatic"):
            node = self._step(joint.name, joint.kind == "revolute", node, sign * joint.axes[0], at)
        else:
            axes = joint.axes if joint.kind == "universal" else tuple(np.eye(3)[::-1])
            numbered = list(enumerate(axes, 1))
            for k, axis in reversed(numbered) if back else numbered:
                node = self._step(f"{joint.name}.{k}", True, node, sign * axis, at)
            self._rub(joint, self.graph.steps[first].parent, node)
        self.graph.carried[joint.name] = (first, node, at, sign)
        return node

    def _rub(self, joint: MechanismJoint, a: int, b: int, closing: bool = False) -> None:
        if joint.friction.viscous:
            self.graph.rubbings.append(
                Rubbing(joint.name, a, b, joint.friction.viscous, closing=closing)
            )

    def _free(self, host: str, name: str) -> int:
        """x y z, then yaw pitch roll of its frame as seen from the body it hangs on."""
        node, home = self.graph.nodes[host], home_pose(self.model, name, host)
        R = np.eye(3) if host == BASE else self.model.part(host).frame.R
        at = self.model.part(name).frame.p
        for k in range(3):
            node = self._step(f"{name}.{POSE[k]}", False, node, R[:, k], at, home[k])
        if name in self.points:
            return node
        for k in (5, 4, 3):
            node = self._step(f"{name}.{POSE[k]}", True, node, R[:, k - 3], at, home[k])
            R = R @ rotation_about_axis(np.eye(3)[k - 3], home[k])
        return node

    def _rod(self, rod: Rod, node: int) -> None:
        start, end = (rod.start, rod.end) if _foot(rod) == 0 else (rod.end, rod.start)
        axis = rod.axis if _foot(rod) == 0 else rod.far_axis
        share = rod.center if _foot(rod) == 0 else 1.0 - rod.center
        s = unit(end - start)
        free = axis is None
        k = across(s)[0] if free else unit(axis)
        first = self._step(f"{rod.name}.1", True, node, k, start)
        last = self._step(f"{rod.name}.2", True, first, np.cross(s, k), start)
        round_it = np.outer(s, s)
        inertia = rod.across * (np.eye(3) - round_it) + (0.0 if free else rod.axial) * round_it
        self.graph.masses.append((last, Body.of(rod.mass, start + share * (end - start), inertia)))
        self.graph.carried[rod.name] = (first, last, end, 1.0)
        self.graph.nodes[rod.name + " (rod)"] = last

    def _cylinder(self, cylinder: Cylinder, node: int) -> None:
        start, end = cylinder.start, cylinder.end
        s = unit(end - start)
        k = across(s)[0] if cylinder.axis is None else unit(cylinder.axis)
        y = unit(np.cross(k, s))
        R = np.column_stack([s, y, np.cross(s, y)])
        host = node
        first = node = self._step(f"{cylinder.name}.1", True, node, k, start)
        if cylinder.hinge != "revolute":
            node = self._step(f"{cylinder.name}.2", True, node, y, start)
        barrel = node
        node = self._step(cylinder.name, False, node, s, start)
        ball = cylinder.hinge == "spherical"
        for n, body, at in ((barrel, cylinder.barrel, start), (node, cylinder.rod, end)):
            own = np.array(body.inertia)
            if ball:  # it does not spin, whatever the two turns here do
                own[0, :] = own[:, 0] = 0.0
            placed = Body.of(body.mass, at + R @ body.center_of_mass, R @ own @ R.T)
            self.graph.masses.append((n, placed))
        self.graph.carried[cylinder.name] = (first, node, end, 1.0)
        self.graph.nodes[cylinder.name + " (barrel)"] = barrel
        self.graph.nodes[cylinder.name + " (rod)"] = node
        if cylinder.universal:
            spinless = node if ball else None
            rub = Rubbing(cylinder.name, host, barrel, cylinder.universal, s if ball else None, spinless)
            self.graph.rubbings.append(rub)

    def _close(self) -> None:
        graph, nodes = self.graph, self.graph.nodes
        for joint in self.cut:
            self._close_joint(joint, nodes[joint.joins[0]], nodes[joint.joins[1]])
        for rod in self.model.rods:
            foot = _foot(rod)
            node, other = nodes[rod.name + " (rod)"], nodes[rod.joins[1 - foot]]
            axis, end = (rod.far_axis, rod.end) if foot == 0 else (rod.axis, rod.start)
            angles = ()
            if axis is not None:
                angles = ((unit(np.cross(axis, rod.end - rod.start)), unit(axis)),)
            graph.closures.append(Closure(rod.name, node, other, end, True, (), angles))
        for cylinder in self.model.cylinders:
            node, other = nodes[cylinder.name + " (rod)"], nodes[cylinder.joins[1]]
            graph.closures.append(Closure(cylinder.name, node, other, cylinder.end, True))
            if cylinder.spherical:
                ball = cylinder.hinge == "spherical"
                s = unit(cylinder.end - cylinder.start) if ball else None
                rub = Rubbing(
                    cylinder.name, node, other, cylinder.spherical, s, node if ball else None, True
                )
                graph.rubbings.append(rub)

    def _close_joint(self, joint: MechanismJoint, a: int, b: int) -> None:
        at, kind = joint.at, joint.kind
        e = np.eye(3)
        whole = tuple((e[k], e[(k + 1) % 3]) for k in range(3))
        ball = bool(self.points & set(joint.joins)) or kind == "spherical"
        add = self.graph.closures.append
        if ball:
            add(Closure(joint.name, a, b, at, True))
        elif kind == "revolute":
            add(
                Closure(
                    joint.name,
                    a,
                    b,
                    at,
                    True,
                    (),
                    tuple((n, unit(joint.axes[0])) for n in across(joint.axes[0])),
                )
            )
        elif kind == "prismatic":
            add(Closure(joint.name, a, b, at, False, across(joint.axes[0]), whole))
        elif kind == "universal":
            add(Closure(joint.name, a, b, at, True, (), ((unit(joint.axes[0]), unit(joint.axes[1])),)))
        else:
            add(Closure(joint.name, a, b, at, True, (), whole))
        if kind in ("revolute", "prismatic") and not ball:
            self.graph.closing[joint.name] = (joint, a, b)
        elif kind in ("universal", "spherical"):
            self._rub(joint, a, b, True)


def _foot(rod: Rod) -> int:
    """The end at which it hangs: its universal joint, if only the far one is one."""
    return int(rod.axis is None and rod.far_axis is not None)


def graph_of(model: MechanismModel) -> Graph:
    return _Builder(model).graph
