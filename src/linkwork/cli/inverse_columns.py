"""The columns of inverse dynamics: efforts, and on request the motion, parts and reactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork.interface.robot import Array
    from linkwork.motion.bundled import Robot

AXES = ("x", "y", "z")
WRENCH_AXES = ("fx", "fy", "fz", "mx", "my", "mz")


def labels_of(robot: Robot) -> tuple[str, ...]:
    """Names of joints or legs."""
    from linkwork.interface.arm import Arm

    return robot.joint_names if isinstance(robot, Arm) else robot.leg_names


def effort_columns(robot: Robot, time: Array, efforts: dict[str, Array]) -> dict[str, Array]:
    """`effort_waist` for one formulation, `angeles_waist` and so on for several."""
    columns = {"time": time}
    for formulation, values in efforts.items():
        group = "effort" if len(efforts) == 1 else formulation
        columns |= _named(group, labels_of(robot), values)
    return columns


def state_columns(robot: Robot, moved: Any) -> dict[str, Array]:
    """The motion by the names of motion files: `linkwork inverse` can read a CSV of it again."""
    from linkwork.interface.arm import Arm
    from linkwork.motion.columns import joint_columns, pose_columns

    headers = joint_columns(robot.n) if isinstance(robot, Arm) else pose_columns()
    values = [column for part in moved for column in part.T]
    return dict(zip(headers[1:], values, strict=True))


def part_columns(robot: Robot, moved: Any, load: Array | None) -> dict[str, Array]:
    """What the efforts are for, `gravity_waist` and so on."""
    from linkwork.analysis.effort_parts import effort_parts

    columns: dict[str, Array] = {}
    for cause, values in effort_parts(robot, moved[0], moved[1], moved[2], load).items():
        columns |= _named(cause.replace(" ", "-"), labels_of(robot), values)
    return columns


def reaction_columns(robot: Robot, moved: Any, load: Array | None) -> dict[str, Array]:
    """Forces and moments in the joints: link frames for arms, base axes for platforms."""
    from linkwork.interface.arm import Arm

    labels = labels_of(robot)
    if isinstance(robot, Arm):
        wrenches = robot.joint_wrenches(moved.q, moved.qd, moved.qdd, tip_wrench=load)
        names = [f"{label}_{axis}" for label in labels for axis in WRENCH_AXES]
        return _named("reaction", names, wrenches.reshape(len(wrenches), -1))
    columns: dict[str, Array] = {}
    for what, values in (
        robot.joint_reactions(moved.pose, moved.twist, moved.acceleration, load)._asdict().items()
    ):
        names = [f"{label}_{axis}" for label in labels for axis in AXES]
        columns |= _named(what, names, values.reshape(len(values), -1))
    return columns


def _named(group: str, names: Any, values: Array) -> dict[str, Array]:
    return {f"{group}_{name}": values[:, k] for k, name in enumerate(names)}
