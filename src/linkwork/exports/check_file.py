"""States and expected results as JSON, which scripts of all targets read."""

from __future__ import annotations

import json
from typing import Any

from linkwork.exports.job import Job

CHECK = "check.json"


def check_json(job: Job) -> bytes:
    """For every routine a list of numbers per state by input and output, and how far others may be."""
    content: dict[str, Any] = {"robot": job.robot.name, "name": job.name, "routines": {}}
    for name, samples in job.samples.items():
        content["routines"][name] = {
            "tolerance": samples.tolerance,
            "inputs": {key: values.tolist() for key, values in samples.inputs.items()},
            "outputs": {
                key: values.reshape(len(values), -1).tolist() for key, values in samples.outputs.items()
            },
        }
    return (json.dumps(content, indent=1) + "\n").encode()
