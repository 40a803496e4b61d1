"""Plans of fewest operations, kept for robots: shipped with the bundled ones, in the cache for others.

A plan belongs to a robot's numbers, not to its name. The digest rounds them, so that the last digit of a
sine does not matter; a plan that does not fit is only less good, never wrong.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from importlib import resources

from linkwork.kernels import cache as disk
from linkwork.robots.arm import ArmModel

DIGITS = 12
SHIPPED = "plans.json"
KIND = "plan"


def digest(model: ArmModel) -> str:
    """Names the geometry, the masses and the gravity of a robot."""
    words: list[str] = []
    for joint in model.joints:
        body = joint.body
        arrays = [joint.before.R, joint.before.p, joint.axis, joint.after.R, joint.after.p]
        arrays += [body.center_of_mass, body.inertia]
        numbers = [joint.offset, body.mass, *(x for array in arrays for x in array.ravel())]
        words += [joint.kind, *(f"{float(x) + 0.0:.{DIGITS}g}" for x in numbers)]
    words += [f"{float(x) + 0.0:.{DIGITS}g}" for x in model.gravity]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


@cache
def _shipped() -> dict[str, str]:
    """Plans by digest; the file also names the robots, for its readers."""
    text = (resources.files("linkwork.robots") / "library" / SHIPPED).read_text("utf-8")
    return {entry["digest"]: json.dumps(entry["plan"]) for entry in json.loads(text).values()}


def with_stored_plan(model: ArmModel) -> ArmModel:
    """The model with the plan that is kept for it, if there is one."""
    name = digest(model)
    content = disk.read(name, KIND)
    plan = content.decode() if content is not None else _shipped().get(name, "")
    return replace(model, plan=plan)


def keep(model: ArmModel) -> None:
    """Store a model's plan for whoever loads the same robot again."""
    disk.write(digest(model), model.plan.encode(), KIND)
