"""URDF of one chain of joints, with what a URDF cannot carry said."""

from __future__ import annotations

from linkwork.core.errors import InputError
from linkwork.exports.job import ExportJob
from linkwork.exports.package import Package, filled, with_check
from linkwork.exports.states import motion_check
from linkwork.model.robot_files import urdf_of


def package(job: ExportJob) -> Package:
    """NAME.urdf, states with results, and a script that compares by Pinocchio."""
    robot = job.robot
    try:
        text, left_out = urdf_of(robot.model)
    except InputError as error:
        raise InputError(f"{error} Or export to mjcf, fmu or c.") from None
    check = {
        "gravity": robot.model.gravity.tolist(),
        "joints": list(robot.coordinates.names),
        **motion_check(robot, friction=False, rotors=False),
    }
    name = f"{job.name}.urdf"
    script = filled("urdf_check.py.txt", MODEL=name)
    return Package(with_check(name, text.encode(), check, script), tuple(left_out))
