"""All that a live view needs, as data for its script: module, shape, limits, motions."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linkwork.analysis.reactions import UNITS
from linkwork.analysis.shape import Pin, Shape, shape
from linkwork.analysis.skeleton import skeleton
from linkwork.interface.quantity import Quantity, quantity
from linkwork.interface.robot import Array, Robot
from linkwork.kernels.wasm.stored import StoredModule, stored_module
from linkwork.mechanics.snapshot import REACTION
from linkwork.reports.live.motions import LiveMotion
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.mechanism_elements import reaction_names, tool_frame

STATE = ("position", "velocity", "acceleration")
TURN = math.radians(30)  # how far a reader may turn a platform from home and motion
SHARE = 0.15  # of its size: how far a reader may move it from there
PAYLOAD_SHARE = 0.2  # of all mass, that a payload is noticed beside
PICTURES = 40  # samples of a motion that decide what the view shows


def scene(
    robot: Robot, motions: Sequence[LiveMotion], figure: str, friction: bool = True
) -> dict[str, Any]:
    """Data of a live view in the figure of this name."""
    motions = [motion.thinned() for motion in motions]
    wrench = any(motion.wrench is not None for motion in motions)
    module = stored_module(robot.snapshot_recipe(wrench=wrench, friction=friction))
    moves_joints = {*robot.coordinates.names} <= {*robot.efforts.names}
    boxes = [_box(robot, motion) for motion in motions]
    return {
        "figure": figure,
        "robot": robot.name,
        "noun": robot.noun,
        "actuators": robot.n,
        "pose": robot.coordinates.is_pose,
        "coordinates_name": "joints" if moves_joints else "coordinates",
        "coordinates": _coordinates(robot, motions, max(box["size"] for box in boxes)),
        "gravity": float(np.linalg.norm(robot.model.gravity)),
        "payload": _round(_carried(robot.mechanism)),
        "module": base64.b64encode(module.code).decode(),
        "inputs": _inputs(module),
        "outputs": [[name, math.prod(size)] for name, size in module.outputs.items()],
        "angle_unit": robot.angle_unit,
        "quantities": _quantities(robot, motions[0], module),
        "shape": _shape(shape(robot), robot.efforts.names),
        "motions": [
            {**_motion(robot, motion), "box": box} for motion, box in zip(motions, boxes, strict=True)
        ],
    }


def _inputs(module: StoredModule) -> list[tuple[str, int]]:
    """Sizes by names that all kinds of robots share."""
    names = list(module.inputs)
    common = dict(zip(names, STATE, strict=False))
    return [(common.get(name, name), size) for name, size in module.inputs.items()]


def _quantities(robot: Robot, motion: LiveMotion, module: StoredModule) -> list[dict[str, Any]]:
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


def _coordinates(robot: Robot, motions: Sequence[LiveMotion], size: float) -> list[dict[str, Any]]:
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
    found: list[dict[str, Any]] = []
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


def _round(value: float) -> float:
    """The next of 1, 2, 5, 10 ..., at least 0.1."""
    power = 10.0 ** math.floor(math.log10(max(value, 0.1)))
    return next(
        step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9) or step == 10
    )


def _box(robot: Robot, motion: LiveMotion) -> dict[str, Any]:
    """Where to look: the middle of all that moves, and a sphere around it."""
    chosen = np.unique(np.linspace(0, len(motion.time) - 1, PICTURES).astype(int))
    parts = skeleton(robot, motion.position[chosen])
    lines = [rod.points for rod in parts.rods] + [plate.points for plate in parts.plates]
    cloud = np.concatenate([line.reshape(-1, 3) for line in lines])
    center = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
    now = np.concatenate([line[-1] for line in lines])
    return {
        "center": center.tolist(),
        "size": 2 * float(np.linalg.norm(cloud - center, axis=1).max()) or 1.0,
        "reach": float(np.ptp(now, axis=0).max()) or 1.0,
        "ground": float(cloud[:, 2].min()),
    }


def _shape(drawn: Shape, names: Iterable[str]) -> dict[str, Any]:
    """Points once, everything else by their numbers."""
    points: list[list[float]] = []
    known: dict[tuple[int, bytes], int] = {}

    def number(pin: Pin) -> int:
        key = (pin.body, np.asarray(pin.at, dtype=float).tobytes())
        if key not in known:
            known[key] = len(points)
            points.append(_pin(pin))
        return known[key]

    return {
        "rods": [
            {
                "points": [number(pin) for pin in rod.pins],
                "actuator": rod.actuator,
                "thick": rod.thick,
                "part": rod.part,
            }
            for rod in drawn.rods
        ],
        "plates": [
            {"points": [number(pin) for pin in plate.pins], "moves": plate.moves}
            for plate in drawn.plates
        ],
        "axes": [
            {
                "point": number(axis.pin),
                "direction": _pin(axis.direction),
                "actuator": axis.actuator,
                "slides": axis.slides,
            }
            for axis in drawn.axes
        ],
        "marks": [[number(pin), str(actuator + 1)] for pin, actuator in drawn.marks],
        "joints": [number(pin) for pin in drawn.joints],
        "tip": number(drawn.tip),
        "points": points,
    }


def _pin(pin: Pin) -> list[float]:
    return [pin.body, *(float(x) for x in pin.at)]


def _motion(robot: Robot, motion: LiveMotion) -> dict[str, Any]:
    wrench = None if motion.wrench is None else robot.on_tool(motion.wrench)
    arrays = {**{name: getattr(motion, name) for name in ("time", *STATE)}, "wrench": wrench}
    return {
        "id": motion.key,
        "name": motion.name,
        **{name: None if values is None else _packed(values) for name, values in arrays.items()},
    }


def _packed(values: Array) -> str:
    """All digits: the reader's numbers are those of the report."""
    return base64.b64encode(np.ascontiguousarray(values, "<f8").tobytes()).decode()
