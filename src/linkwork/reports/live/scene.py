"""All that a live view needs, as data for its script: module, shape, limits, motions."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analysis.study import UNITS, Study
from linkwork.core.table_files import Plain
from linkwork.drawing.facets import Facets, facets
from linkwork.drawing.shape import Anchor, Shape, placed, shape
from linkwork.kernels.wasm.module import StoredModule, stored_module
from linkwork.mechanics.snapshot import REACTION
from linkwork.model.geometry import distance
from linkwork.model.mechanism import MechanismModel, reaction_names, tool_frame
from linkwork.robot.limits import Quantity, quantity
from linkwork.robot.robot import Array, Robot
from linkwork.simulation import Simulation

STATE = ("position", "velocity", "acceleration")
TURN = math.radians(30)  # how far a reader may turn a platform from home and motion
SHARE = 0.15  # of its size: how far a reader may move it from there
PAYLOAD_SHARE = 0.2  # of all mass, that a payload is noticed beside
PICTURES = 40  # samples of a motion that decide what the view shows


def scene(robot: Robot, motions: Sequence[LiveMotion], figure: str, friction: bool = True) -> Plain:
    """Data of a live view in the figure of this name."""
    motions = [motion.thinned() for motion in motions]
    wrench = any(motion.wrench is not None for motion in motions)
    module = stored_module(robot.snapshot_recipe(wrench=wrench, friction=friction))
    moves_joints = {*robot.coordinates.names} <= {*robot.efforts.names}
    boxes = [_box(robot, motion) for motion in motions]
    return {
        "figure": figure,
        "robot": robot.name,
        "noun": robot.actuated_element,
        "actuators": robot.n,
        "pose": robot.coordinates.is_pose,
        "coordinates_name": "joints" if moves_joints else "coordinates",
        "coordinates": _coordinates(robot, motions, max(box["size"] for box in boxes)),
        "gravity": float(np.linalg.norm(robot.model.gravity)),
        "payload": _round(max(_carried(robot.mechanism), *(_most(motion) for motion in motions))),
        "module": base64.b64encode(module.code).decode(),
        "inputs": _inputs(module),
        "outputs": [[name, math.prod(size)] for name, size in module.outputs.items()],
        "angle_unit": robot.angle_unit,
        "quantities": _quantities(robot, motions[0], module),
        "shape": _shape(shape(robot), facets(robot)),
        "motions": [
            {**_motion(robot, motion), "box": box} for motion, box in zip(motions, boxes, strict=True)
        ],
    }


def _inputs(module: StoredModule) -> list[tuple[str, int]]:
    """Sizes by names that all kinds of robots share."""
    names = list(module.inputs)
    common = dict(zip(names, STATE, strict=False))
    return [(common.get(name, name), size) for name, size in module.inputs.items()]


def _quantities(robot: Robot, motion: LiveMotion, module: StoredModule) -> list[Plain]:
    """What the readings show, in the order of the outputs."""
    effort = np.zeros((1, robot.n))
    found: dict[str, Quantity] = {}
    reactions = reaction_names(robot.mechanism)
    for k, what in enumerate(robot.quantities(motion.position[:1], motion.velocity[:1], effort)):
        output = "position" if k == 0 else what.name.replace(" ", "_")
        found["effort" if what.values is effort else output] = what
    for output in module.outputs:
        if output.startswith(REACTION):
            name = output.removeprefix(REACTION)
            nothing = np.zeros((1, len(reactions)))
            found[output] = quantity(name, reactions, UNITS[name], nothing)
    return [
        {
            "output": output,
            "name": found[output].name,
            "units": found[output].units,
            "channels": found[output].channels,
            "low": _bounds(found[output].low),
            "high": _bounds(found[output].high),
            "reaction": output.startswith(REACTION),
        }
        for output in module.outputs
        if output in found
    ]


def _bounds(values: Array) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]


def _coordinates(robot: Robot, motions: Sequence[LiveMotion], size: float) -> list[Plain]:
    """Sliders: within limits, or around home and the motions.

    `place` is where a coordinate stands in a position. Three sliders turn a quaternion that stands
    there: `turn` says which angle; it is None for all others.
    """
    every = np.concatenate([motion.position for motion in motions] + [robot.home[None]])
    limits = {
        channel: (float(low), float(high))
        for what in robot.quantities(robot.home[None])
        if what.limit == "position"
        for channel, low, high in zip(what.channels, what.low, what.high, strict=True)
    }
    joints = {*robot.coordinates.names} & ({*limits} | {*robot.efforts.names})
    coordinates = robot.coordinates
    places: list[tuple[int, int | None]] = [(k, None) for k in range(len(coordinates))]
    for four in reversed(coordinates.quaternions):
        places[four] = [(four.start, turn) for turn in range(3)]
    values = np.array([coordinates.to_angles(row) for row in every])
    by_angles = coordinates.by_angles
    lowest, highest = values.min(axis=0).tolist(), values.max(axis=0).tolist()
    found: list[Plain] = []
    for k, (name, unit) in enumerate(zip(by_angles.names, by_angles.units, strict=True)):
        room = TURN if unit == "rad" else SHARE * size
        low, high = limits.get(name, (-math.inf, math.inf))
        free = math.pi if name in joints and unit == "rad" else -math.inf
        low = min(low, lowest[k]) if math.isfinite(low) else min(lowest[k] - room, -free)
        high = max(high, highest[k]) if math.isfinite(high) else max(highest[k] + room, free)
        place, turn = places[k]
        one = {"name": name, "unit": unit, "low": low, "high": high, "place": place, "turn": turn}
        found.append(one)
    return found


def _carried(model: MechanismModel) -> float:
    """A mass beside which a payload is noticed [kg]."""
    return max(model.part(tool_frame(model)[0]).body.mass, PAYLOAD_SHARE * model.mass)


def _most(motion: LiveMotion) -> float:
    """The greatest payload of a motion [kg]."""
    return 0.0 if motion.payload is None else float(motion.payload.max())


def _round(value: float) -> float:
    """The next of 1, 2, 5, 10 ..., at least 0.1."""
    power = 10.0 ** math.floor(math.log10(max(value, 0.1)))
    return next(
        step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9) or step == 10
    )


def _box(robot: Robot, motion: LiveMotion) -> Plain:
    """Where to look: the middle of all that moves, and a sphere around it."""
    chosen = np.unique(np.linspace(0, len(motion.time) - 1, PICTURES).astype(int))
    cloud = placed(robot, motion.position[chosen]).corners.reshape(-1, 3)
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    center = (low + high) / 2
    return {
        "center": center.tolist(),
        "size": 2 * float(np.linalg.norm(cloud - center, axis=1).max()) or 1.0,
        "ground": float(low[2]),
    }


def _shape(drawn: Shape, meshes: Sequence[Facets]) -> Plain:
    """Points once, everything else by their numbers; vertices of meshes are the last points of bodies.

    Numbers go on behind `points` of bodies with those `along` struts: from one point to another [m].
    Rods and plates of bodies that have a mesh are hidden.
    """
    struts = {carrier: strut for strut in drawn.struts for carrier in strut.carriers}
    shown = [each for each in drawn.solids if each.form != "drum" or each.actuator is not None]
    points: dict[tuple[int, bytes], int] = {}
    anchors = [anchor for each in shown for anchor in each.anchors] + [drawn.tip]
    anchors += [end for strut in drawn.struts for end in (strut.start, strut.end)]
    for carrier, at in anchors:
        if carrier not in struts:
            points.setdefault((carrier, at.tobytes()), len(points))
    vertices = [[mesh.carrier, *np.round(at, 5).tolist()] for mesh in meshes for at in mesh.vertices]
    first = len(points) + np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    covered = {mesh.carrier for mesh in meshes}
    along: list[tuple[int, int, float]] = []

    def number(anchor: Anchor) -> int:
        carrier, at = anchor
        if carrier not in struts:
            return points[carrier, at.tobytes()]
        start, end = struts[carrier].start, struts[carrier].end
        if at is end.at:
            return number(end)
        along.append((number(start), number(end), distance(start.at, at)))
        return len(points) + len(vertices) + len(along) - 1

    return {
        "solids": [
            {
                "form": each.form,
                "points": [number(anchor) for anchor in each.anchors],
                "actuator": each.actuator,
                "thick": each.radius > drawn.unit,
                "fixed": each.role == "base",
                "hidden": each.carrier in covered and each.form in ("rod", "plate"),
            }
            for each in shown
        ],
        "marks": [[number(anchor), str(k + 1)] for k, anchor in drawn.marks.items()],
        "tip": number(drawn.tip),
        "points": [[carrier, *map(float, np.frombuffer(at))] for carrier, at in points] + vertices,
        "meshes": [
            {"faces": (start + mesh.faces).ravel().tolist(), "color": list(mesh.color)}
            for start, mesh in zip(first, meshes, strict=False)
        ],
        "along": along,
    }


def _motion(robot: Robot, motion: LiveMotion) -> Plain:
    wrench = None if motion.wrench is None else robot.on_tool(motion.wrench)
    arrays = {name: getattr(motion, name) for name in ("time", *STATE, "payload")} | {"wrench": wrench}
    return {
        "id": motion.key,
        "name": motion.name,
        **{name: None if values is None else _packed(values) for name, values in arrays.items()},
    }


def _packed(values: Array) -> str:
    """All digits: the reader's numbers are those of the report."""
    return base64.b64encode(np.ascontiguousarray(values, "<f8").tobytes()).decode()


MOST = 601  # samples on a page; the reader moves from one to the next


@dataclass(frozen=True, eq=False)
class LiveMotion:
    """Samples (N, ...) of a motion. `key` names it on the page, without spaces."""

    key: str
    name: str
    time: Array
    position: Array
    velocity: Array
    acceleration: Array
    wrench: Array | None = None
    payload: Array | None = None  # [kg] at the tool (N,)

    def thinned(self) -> LiveMotion:
        """At most MOST samples, the first and the last among them."""
        if len(self.time) <= MOST:
            return self
        kept = np.unique(np.linspace(0, len(self.time) - 1, MOST).astype(int))
        arrays = {name: getattr(self, name) for name in ("time", *STATE, "wrench", "payload")}
        return replace(self, **{name: each[kept] for name, each in arrays.items() if each is not None})


def of_study(found: Study, key: str = "motion") -> LiveMotion:
    """The motion of a study."""
    wrench = found.wrench
    if wrench is not None:
        wrench = np.ascontiguousarray(np.broadcast_to(wrench, (len(found.time), 6)))
    state = (found.position, found.velocity, found.acceleration)
    payload = None if found.load is None else np.where(found.load.carried, found.load.mass, 0.0)
    return LiveMotion(key, found.motion_name, found.time, *state, wrench, payload)


def of_simulation(
    robot: Robot, run: Simulation, key: str = "motion", friction: bool = True
) -> LiveMotion:
    """The motion of a simulation (of one without friction too) and what its efforts accelerate."""
    state, payload = (run.position, run.velocity, run.effort), run.payload
    acceleration = robot.forward_dynamics(*state, friction=friction, errors="nan")
    for mass in () if payload is None else np.unique(payload[payload > 0]).tolist():
        carried = payload == mass
        loaded = robot.with_payload(mass)
        states = [part[carried] for part in state]
        acceleration[carried] = loaded.forward_dynamics(*states, friction=friction, errors="nan")
    motion = (run.time, run.position, run.velocity, acceleration)
    return LiveMotion(key, "simulation", *motion, payload=payload)
