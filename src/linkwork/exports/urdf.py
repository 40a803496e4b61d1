"""URDF of an arm, with what a URDF cannot carry said."""

from __future__ import annotations

from linkwork.errors import InputError
from linkwork.exports.job import Job
from linkwork.exports.package import Package
from linkwork.robots.arm import ArmModel
from linkwork.robots.urdf_writer import urdf_text


def package(job: Job) -> Package:
    """NAME.urdf alone: `linkwork check NAME.urdf` reads it back."""
    model = job.robot.model
    if not isinstance(model, ArmModel):
        raise InputError(f"{model.name}: a URDF holds arms only; try mjcf, fmu or c.")
    text, left_out = urdf_text(model)
    return Package({f"{job.name}.urdf": text.encode()}, tuple(left_out))
