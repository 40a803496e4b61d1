"""Everything about a mechanism in one state."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.skeleton import body_frames
from linkwork.errors import LinkworkError
from linkwork.interface.results import MechanismReactions
from linkwork.interface.robot import Array, Mechanism
from linkwork.mechanics.mechanism.jacobians import radius
from linkwork.robots.mechanism import BASE, POSE
from linkwork.robots.mechanism_elements import tool_frame
from linkwork.rotations import (
    angles_rpy,
    from_angles,
    from_vector,
    inverse,
    multiply,
    quaternion_of,
    to_vector,
)
from linkwork.studio.probe import Probe
from linkwork.studio.reading import MechanismReading, Reaction, State
from linkwork.studio.shapes import matrix_of
from linkwork.studio.singularity import mechanism_singularities

STEPS = 30  # towards a place that is dragged to
NEAR = 1e-10  # of the machine's size: there
DAMPING = 1e-6  # of the greatest squared singular value, where directions are lost
FARTHEST = 0.3  # [rad, sizes of the machine] of a step


class MechanismProbe(Probe):
    """Reads efforts, reactions, limits and all singularities of a mechanism."""

    carrier = "Motor"
    effort_title = "Motor efforts"
    moved = "Coordinates"
    loaded = "On the tool, at its origin and in its axes."

    def __init__(self, robot: Mechanism) -> None:
        super().__init__(robot)
        self.robot: Mechanism = robot
        self.length = radius(robot.mechanism)
        self.body, self.tool = tool_frame(robot.mechanism)
        self._points = _reaction_points(robot)
        if not robot.determinate:
            self.remark = "left out: what depends on the elasticity of links (overconstrained robot)"

    def number(self, name: str) -> int:
        """A passive joint has no effort of its own."""
        return self.efforts.names.index(name) if name in self.efforts.names else -1

    def read(self, state: State, wrench: Array | None = None) -> MechanismReading:
        effort, reactions, fault = self.dynamics(state, wrench)
        measured = self.measured(state, effort)
        try:
            frames = body_frames(self.robot, state.position[None])[0]
        except LinkworkError:  # out of reach: the fault tells
            frames = None
        first, *others = mechanism_singularities(self.robot, state.position)
        return MechanismReading(
            state=state,
            effort=effort,
            singularity=first,
            others=tuple(others),
            broken_limits=self.broken(measured),
            reactions=() if frames is None or reactions is None else self._reactions(reactions, frames),
            fault=fault,
            measured=measured,
            frames=frames,
        )

    def conditions(self, positions: Array) -> Array:
        return self.robot.condition_number(positions, errors="nan")

    def handle(self, position: Array) -> Array:
        """The tool; of an impossible position where pose coordinates put it, else as at home."""
        pose = self.robot.body_pose(position, errors="nan")
        if np.isfinite(pose).all():
            return matrix_of(pose[:3], pose[3:])
        six, angles = self._six(self.tool.matrix()), self.robot.coordinates.to_angles(position)
        for each, value in zip(self.robot.mechanism.coordinates, angles, strict=True):
            if each.of == self.body and each.relative_to == BASE and each.pose is not None:
                six[POSE.index(each.pose)] = value
        return matrix_of(six[:3], from_angles(six[3:])) @ self._on_body

    @property
    def _on_body(self) -> Array:
        """The tool in the frame of its body."""
        frame = self.robot.mechanism.part(self.body).frame
        return np.asarray((frame.inverse() @ self.tool).matrix())

    def _six(self, tool: Array) -> Array:
        """x y z roll pitch yaw of the tool's body."""
        body = tool @ np.linalg.inv(self._on_body)
        return np.array([*body[:3, 3], *angles_rpy(body[:3, :3])])

    def dragged(self, position: Array, target: Array, turn: bool) -> Array:
        """Coordinates of the target; what the mechanism cannot follow is left alone."""
        coordinates = self.robot.mechanism.coordinates
        if all(each.of == self.body and each.pose and each.relative_to == BASE for each in coordinates):
            six = self._six(target)
            return self.robot.coordinates.from_angles(
                np.array([six[POSE.index(each.pose or "")] for each in coordinates])
            )
        best, least = position, np.inf
        for _ in range(STEPS):
            pose = self.robot.body_pose(position, errors="nan")
            J = self.robot.jacobian(position, errors="nan")
            if not np.isfinite(J).all():
                break
            away = target[:3, 3] - pose[:3]
            rotation = to_vector(multiply(quaternion_of(target[:3, :3]), inverse(pose[3:])))
            off = float(np.linalg.norm(away) + (self.length * np.linalg.norm(rotation) if turn else 0.0))
            if off >= least * (1 - 1e-6):
                break
            best, least = position, off
            step = _damped(J[:3], away)
            if turn:  # with what freedom is left
                free = np.eye(len(step)) - _damped(J[:3], J[:3])
                step = step + free @ _damped(J[3:] @ free, rotation - J[3:] @ step)
            if np.linalg.norm(step) < NEAR * self.robot.size:
                break
            reach = np.where([u == "rad/s" for u in self.robot.velocities.units], 1.0, self.robot.size)
            position = self._stepped(position, step / max(1.0, np.abs(step / reach).max() / FARTHEST))
        return best

    def _stepped(self, position: Array, step: Array) -> Array:
        coordinates = self.robot.coordinates
        result, plain = position.copy(), np.ones(len(position), dtype=bool)
        moved = np.ones(len(step), dtype=bool)
        for four, three in zip(coordinates.quaternions, coordinates.turned, strict=True):
            plain[four] = moved[three] = False
            result[four] = multiply(from_vector(step[three]), position[four])
        result[plain] += step[moved]
        return result

    def _reactions(self, found: MechanismReactions, frames: Array) -> tuple[Reaction, ...]:
        """Those that statics determines, at their points."""
        result = []
        for name, force, moment in zip(found.names, found.force, found.moment, strict=True):
            if not np.isfinite([force, moment]).any():
                continue
            kind, body, at = self._points[name]
            place = frames[body, :, :3] @ at + frames[body, :, 3]
            result.append(Reaction(kind, name, place, np.nan_to_num(force), np.nan_to_num(moment)))
        return tuple(result)


def _reaction_points(robot: Mechanism) -> dict[str, tuple[str, int, Array]]:
    """What holds what by name: in words, the number of a body, and a point of it at home."""
    model = robot.mechanism
    number = {BASE: 0, **{name: k for k, name in enumerate(robot.bodies, 1)}}
    found = {each.name: ("joint", number[each.joins[1]], each.at) for each in model.joints}
    for word, struts in (("rod", model.rods), ("cylinder", model.cylinders)):
        for strut in struts:
            start, end = (number[body] for body in strut.joins)
            found[f"{strut.name} start"] = f"{word} end", start, strut.start
            found[f"{strut.name} end"] = f"{word} end", end, strut.end
            found[f"{strut.name} slide"] = "slide", start, strut.start
    return found


def _damped(J: Array, wanted: Array) -> Array:
    """J's pseudo-inverse times something, small where J is nearly singular."""
    left, values, right = np.linalg.svd(J, full_matrices=False)
    factors = values / (values**2 + DAMPING * max(float(values.max(initial=0.0)) ** 2, 1e-30))
    return np.asarray((right.T * factors) @ (left.T @ wanted))
