"""From a name, a file or a parsed file to a robot that computes, and what is kept of robots on disk.

Models of bundled robots are kept once they are read and checked: the YAML parser and the schemas take
longer to load than all else that a first answer needs. A stored model belongs to the bytes of its file
and to the readers. Plans of fewest operations are shipped with the bundled arms, and in the cache for
others. They belong to an arm's numbers, rounded, so that the last digit of a sine does not matter; a
plan that does not fit is only less good, never wrong.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import pickle
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, overload

import numpy as np

from linkwork.core.errors import InputError
from linkwork.core.package_digest import Sources
from linkwork.kernels import cache as disk
from linkwork.model.bundled import bundled_file, bundled_names
from linkwork.model.families.arm import ArmModel

if TYPE_CHECKING:
    from linkwork.model.bundled_types import ArmName, ParallelName, PlatformName
    from linkwork.model.robot_files import Model, Source
    from linkwork.robot.arm import Arm
    from linkwork.robot.parallel import ParallelRobot
    from linkwork.robot.platform import Platform
    from linkwork.robot.robot import Robot


DIGITS = 12
SHIPPED = "plans.json"
PLAN_KIND = "plan"


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
    text = (resources.files("linkwork.model") / "library" / SHIPPED).read_text("utf-8")
    return {entry["digest"]: json.dumps(entry["plan"]) for entry in json.loads(text).values()}


def with_stored_plan(model: ArmModel) -> ArmModel:
    """The model with the plan that is kept for it, if there is one."""
    name = digest(model)
    content = disk.read(name, PLAN_KIND)
    plan = content.decode() if content is not None else _shipped().get(name, "")
    return replace(model, operation_plan=plan)


def keep(model: ArmModel) -> None:
    """Store a model's plan for whoever loads the same robot again."""
    disk.write(digest(model), model.operation_plan.encode(), PLAN_KIND)


MODEL_KIND = "model"


def bundled_model(name: str) -> Model:
    """The model of a bundled robot, from the cache if it was read before."""
    readers = Sources("core", "files", "model").digest
    key = None
    if readers is not None:
        raw = bundled_file(name).read_bytes()
        key = hashlib.sha256(b"\0".join([readers.encode(), np.__version__.encode(), name.encode(), raw]))
        model = _stored(key.hexdigest())
        if model is not None:
            return model
    from linkwork.model.robot_files import load_model

    model = load_model(name)
    if key is not None:
        disk.write(key.hexdigest(), pickle.dumps(model), MODEL_KIND)
    return model


def _stored(key: str) -> Model | None:
    content = disk.read(key, MODEL_KIND)
    if content is None:
        return None
    try:
        model: Model | None = pickle.loads(content)  # as trustworthy as the machine code beside it
    except Exception:  # of a NumPy or Python that wrote it in another way
        model = None
    if not dataclasses.is_dataclass(model):
        disk.discard(key, MODEL_KIND)
        return None
    _freeze(model)
    return model


def _freeze(value: object) -> None:
    """Models are read-only, and pickles forget that of arrays."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, (tuple, list)):
        for item in value:
            _freeze(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _freeze(getattr(value, field.name))


# By the `kind` of the file; they are loaded when they are asked for.
VIEWS = {
    "arm": ("linkwork.robot.arm", "Arm"),
    "stewart-platform": ("linkwork.robot.platform", "Platform"),
    "parallel-robot": ("linkwork.robot.parallel", "ParallelRobot"),
    "mechanism": ("linkwork.robot.robot", "Robot"),
}


@overload
def load(source: ArmName) -> Arm: ...
@overload
def load(source: PlatformName) -> Platform: ...
@overload
def load(source: ParallelName) -> ParallelRobot: ...
@overload
def load(
    source: Source,
    *,
    tip: str | None = None,
    base: str | None = None,
    fix: Mapping[str, float] | None = None,
) -> Robot: ...
def load(
    source: Source,
    *,
    tip: str | None = None,
    base: str | None = None,
    fix: Mapping[str, float] | None = None,
) -> Robot:
    """A robot by bundled name, by the path of a file (.yaml, .urdf, .sdf, MuJoCo's .xml), or parsed.

    Names such as "ur5e_description" are those of the package robot_descriptions.

    Args:
        tip, base: URDF only: tip link and base link; by default tool0 or the only end, and the root.
            Joints beside the chain are held still, with their mass.
        fix: URDF only: joints to hold still and where [rad or m].

    Returns a `Robot`. Arms, Stewart platforms and parallel robots are views of it with names of their
    own besides. Of bundled names a type checker knows them; of files, `load_arm`, `load_platform` and
    `load_parallel` return these.
    """
    if fix is not None and not isinstance(fix, Mapping):
        raise InputError(f"fix = {fix!r}: expected a dict of joints and positions.")
    for name, link in (("tip", tip), ("base", base)):
        if link is not None and not isinstance(link, str):
            raise InputError(f"{name} = {link!r}: expected the name of a link.")
    chosen = tip is not None or base is not None or bool(fix)
    if isinstance(source, str) and source in bundled_names() and not chosen:
        return robot_of(bundled_model(source))
    from linkwork.model.robot_files import read_robot  # not needed by the others, and slow to load
    from linkwork.model.urdf.chain import ChainSelection

    found = read_robot(source, ChainSelection(tip, base, fix or {}))
    robot = robot_of(found.model)
    robot.check_mobility(found.document, found.source)
    return robot


def robot_of(model: Model) -> Robot:
    """The robot that a description describes, in the words of its family."""
    return view_of(model).of(model)


def view_of(model: Model) -> type[Robot]:
    """The class of robots of a description."""
    module, name = VIEWS[model.kind]
    view: type[Robot] = getattr(importlib.import_module(module), name)
    return view


def load_arm(source: Source) -> Arm:
    """A serial arm, as `load` finds it; an error if the robot is none."""
    from linkwork.robot.arm import Arm

    return Arm.expect(load(source), "load_arm")


def load_platform(source: Source) -> Platform:
    """A Stewart platform, as `load` finds it; an error if the robot is none."""
    from linkwork.robot.platform import Platform

    return Platform.expect(load(source), "load_platform")


def load_parallel(source: Source) -> ParallelRobot:
    """A parallel robot, as `load` finds it; an error if the file is not of `kind: parallel-robot`."""
    from linkwork.robot.parallel import ParallelRobot

    return ParallelRobot.expect(load(source), "load_parallel")


def load_mechanism(source: Source) -> Robot:
    """The same as `load`: every robot is a mechanism."""
    from linkwork.robot.robot import Robot

    return Robot.expect(load(source), "load_mechanism")
