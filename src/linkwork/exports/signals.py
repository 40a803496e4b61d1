"""What the inputs and outputs of routines mean: for header comments, units and sensible values."""

from __future__ import annotations

from linkwork.interface.coordinates import Coordinates
from linkwork.interface.robot import Robot

ROLES = {
    "position": ("q", "pose", "c", "q_ref", "pose_ref"),
    "velocity": ("qd", "twist", "cd", "qd_ref", "twist_ref"),
    "acceleration": ("qdd", "acceleration", "cdd", "qdd_ref", "acceleration_ref"),
    "effort": ("tau", "force"),
    "gravity": ("gravity",),
    "gain": ("kp", "kv"),
}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
OTHERS = {
    "gravity": "acceleration of gravity, base axes [m/s^2]",
    "tip_wrench": "exerted on the surroundings, last link's frame: force [N], moment [N m]",
    "wrench": "acts on the platform, platform axes at its reference point: force [N], moment [N m]",
    "base_motion": "angular velocity, angular and linear acceleration of the base, base axes",
    "kp": "gains on the position's error, one per freedom",
    "kv": "gains on the velocity's error, one per freedom",
    "M": "mass matrix, row by row",
    "J": "Jacobian, row by row",
    "T": "homogeneous transforms, row by row",
}


def role_of(name: str) -> str:
    """What kind of quantity an input or output is: position, velocity, ..., or other."""
    return _ROLE_OF.get(name, "other")


def coordinates_of(robot: Robot, name: str) -> Coordinates | None:
    """Names and units of the elements, where they are those of the robot's coordinates."""
    role = role_of(name)
    if role == "position":
        return robot.coordinates
    if role == "velocity":
        return robot.velocities
    if role == "acceleration":
        units = tuple(f"{unit}^2" for unit in robot.velocities.units)  # rad/s -> rad/s^2
        return Coordinates(robot.velocities.names, robot.velocities.labels, units)
    return robot.efforts if role == "effort" else None


def meaning(robot: Robot, name: str, shape: tuple[int, ...]) -> str:
    """One line on an input or output."""
    found = coordinates_of(robot, name)
    if found is not None and shape == (len(found),):
        wanted = "reference " if name.endswith("_ref") else ""
        return f"{wanted}{role_of(name)}: {', '.join(found.names)} [{found.unit}]"
    return OTHERS.get(name, name.replace("_", " "))
