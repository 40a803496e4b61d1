"""URDF of one chain of joints, with what a URDF cannot carry said."""

from __future__ import annotations

import json
from importlib import resources

from linkwork.errors import InputError
from linkwork.exports.job import Job
from linkwork.exports.package import Package
from linkwork.exports.routines import Routine
from linkwork.exports.states import sampled
from linkwork.robots.robot_writer import urdf_of


def package(job: Job) -> Package:
    """NAME.urdf, states with results, and a script that compares by Pinocchio."""
    model = job.robot.model
    try:
        text, left_out = urdf_of(model)
    except InputError as error:
        raise InputError(f"{error} Or export to mjcf, fmu or c.") from None
    kernel = job.robot.kernel("inverse_dynamics", friction=False, rotors=False)
    samples = sampled(job.robot, Routine("inverse_dynamics", kernel))
    position, velocity, acceleration = (values.tolist() for values in samples.inputs.values())
    (effort,) = (values.tolist() for values in samples.outputs.values())
    check = {
        "gravity": model.gravity.tolist(),
        "joints": list(job.robot.coordinates.names),
        "position": position,
        "velocity": velocity,
        "acceleration": acceleration,
        "effort": effort,
    }
    script = resources.files("linkwork.exports").joinpath("urdf_check.py.txt").read_text("utf-8")
    return Package(
        {
            f"{job.name}.urdf": text.encode(),
            "check.json": (json.dumps(check, indent=1) + "\n").encode(),
            "check.py": script.replace("@MODEL@", f"{job.name}.urdf").encode(),
        },
        tuple(left_out),
    )
