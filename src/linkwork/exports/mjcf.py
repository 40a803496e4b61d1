"""MuJoCo: arms as chains of bodies, platforms and mechanisms with constraints that close their loops.

Tests of the mechanics keep MuJoCo models of their own (tests/oracles): this writer judges nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import singledispatch
from importlib import resources
from xml.etree import ElementTree as xml

import numpy as np

from linkwork.errors import InputError
from linkwork.exports.job import Job
from linkwork.exports.mjcf_arm import arm_model
from linkwork.exports.mjcf_mechanism import mechanism_model
from linkwork.exports.mjcf_platform import platform_model
from linkwork.exports.package import Package
from linkwork.exports.routines import Routine
from linkwork.exports.states import sampled
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Mechanism, Robot


@singledispatch
def model_of(robot: Robot) -> tuple[xml.Element, list[str], Robot, Sequence[str]]:
    """The model, remarks, the robot as MuJoCo has it, without what it treats otherwise, and the joints
    of MuJoCo that are its coordinates."""
    raise InputError(
        f"{robot.name}: mjcf takes arms, platforms and mechanisms; try c, wasm, fmu or casadi."
    )


@model_of.register
def _(robot: Arm) -> tuple[xml.Element, list[str], Robot, Sequence[str]]:
    root, remarks, model = arm_model(robot.model)
    return root, remarks, Arm(model), robot.joint_names


@model_of.register
def _(robot: Platform) -> tuple[xml.Element, list[str], Robot, Sequence[str]]:
    root, remarks, model = platform_model(robot.model, np.asarray(robot.home))
    return root, remarks, Platform(model), ("platform",)


@model_of.register
def _(robot: Mechanism) -> tuple[xml.Element, list[str], Robot, Sequence[str]]:
    root, remarks, model, joints = mechanism_model(robot)
    return root, remarks, Mechanism(model), joints


def package(job: Job) -> Package:
    """NAME.xml, states with results, and a script that compares."""
    root, remarks, compared, joints = model_of(job.robot)
    xml.indent(root)
    comment = "\n".join(job.header).replace("--", "- -")
    text = f"<!--\n{comment}\n-->\n{xml.tostring(root, encoding='unicode')}\n"
    samples = sampled(compared, Routine("inverse_dynamics", compared.kernel("inverse_dynamics")))
    position, velocity, acceleration = (values.tolist() for values in samples.inputs.values())
    (effort,) = (values.tolist() for values in samples.outputs.values())
    check = {
        "joints": list(joints),
        "position": position,
        "velocity": velocity,
        "acceleration": acceleration,
        "effort": effort,
    }
    script = resources.files("linkwork.exports").joinpath("mjcf_check.py.txt").read_text("utf-8")
    return Package(
        {
            f"{job.name}.xml": text.encode(),
            "check.json": (json.dumps(check, indent=1) + "\n").encode(),
            "check.py": script.replace("@MODEL@", f"{job.name}.xml").encode(),
        },
        tuple(remarks),
    )
