"""What pages compute of a state: the same as the robot's own methods, with and without a payload."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import reaction_magnitudes
from linkwork.drawing.shape import body_frames
from linkwork.kernels.wasm.module import FUNCTION, stored_module
from linkwork.model.geometry import Body
from tests.kernels.wasm_engine import Engine


def carrying(robot: Any, mass: float) -> Any:
    """The robot with a point mass at its tip or on its platform."""
    load, model = Body.of(mass, np.zeros(3), np.zeros((3, 3))), robot.model
    if hasattr(model, "platform"):
        return type(robot)(replace(model, platform=model.platform.merged_with(load)))
    *others, last = model.joints
    return type(robot)(replace(model, joints=(*others, replace(last, body=last.body.merged_with(load)))))


def states(robot: Any, count: int = 4) -> list[Any]:
    rng = np.random.default_rng(5)
    m = len(robot.velocities)
    position = np.repeat(robot.home[None], count, axis=0)
    moved = 0.4 if hasattr(robot, "link_frames") else 0.02
    position[:, : min(3, position.shape[1])] += moved * rng.uniform(
        -1, 1, (count, min(3, len(robot.home)))
    )
    return [position, rng.normal(size=(count, m)), rng.normal(size=(count, m))]


@pytest.mark.parametrize(
    "name",
    [
        "puma560",
        "stanford",
        "simona",
        "five-bar",
        pytest.param("delta", marks=pytest.mark.long),
        pytest.param("4-puu", marks=pytest.mark.long),
    ],
)
def test_a_snapshot_is_what_the_methods_say(name: str) -> None:
    mass = 3.7
    own = lw.load(name)
    lighter = replace(carrying(own, mass).model, gravity=0.7 * own.model.gravity)
    robot, loaded = own, type(own)(lighter)
    motion, wrench = states(robot), None
    if name != "five-bar":  # its reactions under a wrench have no finite answer
        wrench = np.array([5.0, -3.0, 2.0, 0.3, 0.2, -0.1])
    recipe = robot.snapshot_recipe(wrench=wrench is not None)
    function, shapes = recipe.express()
    rows = len(motion[0])
    given = dict(zip(function.name_in()[:3], motion, strict=True))
    given |= {"payload": np.full((rows, 1), mass), "gravity_factor": np.full((rows, 1), 0.7)}
    if wrench is not None:
        given["wrench"] = np.tile(robot.on_tool(wrench), (rows, 1))
    inputs = np.concatenate([given[key] for key in function.name_in()], axis=1)
    widths = [math.prod(shape) for shape in shapes]
    found, flag = Engine(stored_module(recipe).code).run(FUNCTION, inputs, sum(widths))
    assert not flag
    parts = dict(zip(function.name_out(), np.split(found, np.cumsum(widths)[:-1], axis=1), strict=True))

    frames, bodies = parts.pop("frames").reshape(rows, -1, 3, 4), body_frames(robot, motion[0])[:, 1:]
    np.testing.assert_allclose(frames[:, : bodies.shape[1]], bodies, atol=1e-13)
    effort = loaded.inverse_dynamics(*motion, **{robot.wrench_option: wrench})
    quantities = {
        "effort" if q.values is effort else q.name: q for q in loaded.quantities(*motion[:2], effort)
    }
    names = {"length": "position"}
    for key, what in quantities.items():
        output = parts.pop(names.get(key, key).replace(" ", "_"))
        # An angle near zero is the arc cosine of a number near one: half of its digits are lost.
        loss = 1e-7 if "angle" in key else 1e-12 * (1 + np.abs(what.values).max())
        np.testing.assert_allclose(output, what.values, rtol=0, atol=loss, err_msg=key)
    reactions = reaction_magnitudes(loaded, motion[0], loaded.reactions(*motion, wrench))
    assert len(parts) == len(reactions)
    for (key, output), what in zip(parts.items(), reactions, strict=True):
        assert key == "reaction_" + what.name.replace(" ", "_")
        wanted = np.where(np.isnan(what.values), -1.0, what.values)
        size = np.abs(effort).max() + np.nanmax(np.append(what.values, 0))
        np.testing.assert_allclose(output, wanted, rtol=0, atol=1e-12 * size, err_msg=key)
