"""MuJoCo: trees of bodies, with constraints where loops close.

Tests of the mechanics keep MuJoCo models of their own (tests/oracles): this writer judges nothing.
"""

from __future__ import annotations

import json
from importlib import resources
from xml.etree import ElementTree as xml

from linkwork.exports.job import Job
from linkwork.exports.mjcf_mechanism import mechanism_model
from linkwork.exports.package import Package
from linkwork.exports.routines import Routine
from linkwork.exports.states import sampled
from linkwork.interface.robot import Robot


def package(job: Job) -> Package:
    """NAME.xml, states with results, and a script that compares."""
    root, remarks, model, joints = mechanism_model(job.robot)
    compared = Robot(model)
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
