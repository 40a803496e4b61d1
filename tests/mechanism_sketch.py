"""A random mechanism while it is drawn: bodies, joints, rods and cylinders with random numbers."""

from __future__ import annotations

import numpy as np

from linkwork.core.rotations import rotation_rpy
from linkwork.model.geometry import Body, Transform
from linkwork.model.joint import Friction
from linkwork.model.mechanism import (
    Coordinate,
    Coupling,
    Cylinder,
    MechanismJoint,
    MechanismModel,
    Motor,
    Part,
    PointSpring,
    Rod,
    Spring,
)

Array = np.ndarray


class Sketch:
    """A mechanism while it is drawn."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.parts: dict[str, Part] = {}
        self.joints: dict[str, MechanismJoint] = {}
        self.rods: dict[str, Rod] = {}
        self.cylinders: dict[str, Cylinder] = {}
        self.springs: list[PointSpring] = []
        self.couplings: list[Coupling] = []
        self.motors: list[Motor] = []
        self.coordinates: list[Coordinate] = []
        self.order: list[str] = []
        self.modules: list[str] = []
        self.tag = ""

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def near(self, spread: float) -> Array:
        return self.rng.uniform(-spread, spread, 3)

    def direction(self) -> Array:
        """Along an axis of the base as often as not: groups and regrouped masses live there."""
        if self.chance(0.5):
            return self.rng.choice([-1.0, 1.0]) * np.eye(3)[self.rng.integers(3)]
        vector = self.rng.normal(size=3)
        return vector / np.linalg.norm(vector)

    def inertia(self, mass: float, radius: float = 0.1) -> Array:
        points = self.rng.normal(size=(4, 3)) * radius
        return mass / 4 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)

    def body(
        self, name: str, *points: Array, frame: Transform | None = None, point: bool = False
    ) -> str:
        name = f"{self.tag}{name}"
        mass = self.rng.uniform(0.5, 5.0)
        center = np.mean(points, axis=0) + self.near(0.05)
        if point:
            body, frame = Body.of(mass, points[0], np.zeros((3, 3))), Transform.of(None, points[0])
        else:
            body = Body.of(mass, center, self.inertia(mass))
        self.parts[name] = Part(name, body, frame or Transform(), point)
        return name

    def joint(self, name: str, kind: str, a: str, b: str, at: Array, *axes: Array, **more) -> str:
        name = f"{self.tag}{name}"
        kind = {"R": "revolute", "P": "prismatic", "U": "universal", "S": "spherical", "F": "fixed"}[
            kind
        ]
        if kind in ("revolute", "prismatic"):
            more = self._drawn() | more
        elif kind != "fixed" and self.chance(0.3):
            more = {"friction": Friction(viscous=self.rng.uniform(0.01, 0.2))} | more
        units = tuple(np.asarray(axis, float) / np.linalg.norm(axis) for axis in axes)
        self.joints[name] = MechanismJoint(name, kind, (a, b), np.asarray(at, float), units, **more)
        self.order.append(name)
        return name

    def _drawn(self) -> dict:
        rng, more = self.rng, {}
        if self.chance(0.4):
            dry = self.chance(0.4)
            forward, backward = rng.uniform(0.05, 0.5, 2) if dry else (0.0, 0.0)
            more["friction"] = Friction(
                rng.uniform(0.05, 1.0), forward, -backward, dry * rng.normal() * 0.1
            )
        if self.chance(0.15):
            more["spring"] = Spring(rng.uniform(2.0, 30.0), rng.uniform(-0.3, 0.3), rng.normal())
        return more

    def driven(self, share: float = 1.0) -> dict:
        if not self.chance(share):
            return {}
        return {"motor": True, "rotor": self.rng.uniform(0.01, 0.3) if self.chance(0.6) else 0.0}

    def rod(self, name: str, a: str, b: str, start: Array, end: Array, **more) -> str:
        name = f"{self.tag}{name}"
        length = float(np.linalg.norm(end - start))
        mass = self.rng.uniform(0.1, 1.0) if self.chance(0.8) else 0.0
        drawn = {"mass": mass, "center": 0.5, "across": mass * length**2 / 12}
        if mass and self.chance(0.4):
            drawn["center"], drawn["across"] = self.rng.uniform(0.3, 0.7), mass * length**2 / 15
        if self.chance(0.25):
            drawn["axis"] = self.square_to(end - start)
            drawn["axial"] = mass * length**2 / 40
        self.rods[name] = Rod(
            name, (a, b), np.asarray(start, float), np.asarray(end, float), **(drawn | more)
        )
        return name

    def square_to(self, direction: Array) -> Array:
        """A unit vector, about square to a direction."""
        vector = np.cross(direction, self.rng.normal(size=3))
        vector = vector / np.linalg.norm(vector) + 0.2 * self.direction()
        return vector / np.linalg.norm(vector)

    def cylinder(
        self, name: str, a: str, b: str, start: Array, end: Array, pin: Array | None = None, **more
    ):
        name = f"{self.tag}{name}"
        rng = self.rng
        hinge, axis = (
            ("revolute", pin) if pin is not None else ("universal", self.square_to(end - start))
        )
        length = float(np.linalg.norm(end - start))
        symmetric = self.chance(0.5)
        ball = hinge == "universal" and symmetric and self.chance(0.2)
        if ball:
            hinge, axis = "spherical", None

        def half(side: float) -> Body:
            mass = rng.uniform(0.3, 3.0)
            if symmetric:
                own = np.diag([0.0 if ball else 0.003 * mass, 0.02 * mass, 0.02 * mass])
                return Body.of(mass, [side * 0.4 * length, 0, 0], own)
            return Body.of(
                mass, [side * 0.4 * length, *rng.uniform(-0.03, 0.03, 2)], self.inertia(mass, 0.08)
            )

        drawn: dict = {}
        if self.chance(0.4):
            drawn["friction"] = Friction(
                rng.uniform(0.5, 5.0), *(1.0, -0.8) if self.chance(0.3) else (0, 0)
            )
        if self.chance(0.3):
            drawn |= {"universal": rng.uniform(0.01, 0.2), "spherical": rng.uniform(0.01, 0.2)}
        if self.chance(0.25):
            drawn["spring"] = Spring(rng.uniform(20, 200), 0.8 * length, rng.normal() * 5)
        if "motor" in more and self.chance(0.3):
            drawn["rotor"] = rng.uniform(0.1, 2.0)
        ends = np.asarray(start, float), np.asarray(end, float)
        self.cylinders[name] = Cylinder(
            name, (a, b), *ends, hinge, axis, half(1.0), half(-1.0), **(drawn | more)
        )
        self.order.append(name)
        return name

    def count(self, *names: str) -> None:
        self.coordinates += [Coordinate(name) for name in names]

    def model(self, name: str) -> MechanismModel:
        tool = None
        if self.chance(0.7):
            body = str(self.rng.choice([part.name for part in self.parts.values() if not part.point]))
            place = self.parts[body].body.center_of_mass + self.near(0.1)
            tool = (body, Transform.of(rotation_rpy(*self.near(0.5)), place))
        return MechanismModel(
            name,
            tuple(self.parts.values()),
            tuple(self.coordinates),
            joints=tuple(self.joints.values()),
            rods=tuple(self.rods.values()),
            cylinders=tuple(self.cylinders.values()),
            springs=tuple(self.springs),
            couplings=tuple(self.couplings),
            motors=tuple(self.motors),
            tool=tool,
            gravity=np.array([0.0, 0.0, -9.81]) if self.chance(0.8) else self.near(9.0),
            order=tuple(self.order),
        )


class Plane:
    """Points of a plane through `origin`; pins square to it stand at any height."""

    def __init__(self, sketch: Sketch, origin: Array) -> None:
        self.k, self.origin, self.rng = sketch.direction(), origin, sketch.rng
        helper = np.eye(3)[np.argmin(np.abs(self.k))]
        self.e1 = np.cross(self.k, helper) / np.linalg.norm(np.cross(self.k, helper))
        self.e2 = np.cross(self.k, self.e1)

    def at(self, x: float, y: float) -> Array:
        return self.origin + x * self.e1 + y * self.e2

    def pin(self, point: Array) -> Array:
        return point + self.rng.uniform(-0.05, 0.05) * self.k

    def jitter(self, spread: float = 0.06) -> Array:
        x, y = self.rng.uniform(-spread, spread, 2)
        return x * self.e1 + y * self.e2
