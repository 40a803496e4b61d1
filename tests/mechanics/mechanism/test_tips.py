"""Serial tips by the recursion of arms: the same numbers as by groups, with fewer operations."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.coordinates import home_angles
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.serial_tips import tips_of
from linkwork.model.geometry import Body, Transform
from linkwork.model.mechanism import Coordinate, MechanismJoint, MechanismModel, Part
from linkwork.robot.robot import Mechanism

AXES = {name: np.eye(3)[k] for k, name in enumerate("xyz")}


def branched() -> MechanismModel:
    """Two chains on a slide, one of them with a slide and a body fixed on, and one on the base."""
    rng = np.random.default_rng(8)
    parts, joints = [], []

    def add(name: str, host: str, kind: str, axis: np.ndarray, at: np.ndarray, turned: bool = False):
        body = Body.of(
            rng.uniform(1, 3), at + rng.normal(size=3) / 5, np.diag(rng.uniform(1, 2, 3)) / 20
        )
        parts.append(Part(name, body, Transform.of(None, at)))
        joins = (name, host) if turned else (host, name)
        axes = () if kind == "fixed" else (axis / np.linalg.norm(axis),)
        rotor = 0.0 if kind == "fixed" else 0.1
        joints.append(MechanismJoint(name, kind, joins, at, axes, bool(rotor), rotor))

    places = rng.normal(size=(12, 3))
    add("rail", "base", "prismatic", AXES["x"], places[0])
    add("post", "rail", "revolute", AXES["z"], places[0])
    for side, turned in (("left", False), ("right", True)):
        axis = rng.normal(size=3)
        add(f"{side} 1", "post", "revolute", axis, places[len(parts)], turned)
        add(f"{side} 2", f"{side} 1", "prismatic", rng.normal(size=3), places[len(parts)])
        add(f"{side} plate", f"{side} 2", "fixed", axis, places[len(parts)])
        add(f"{side} 3", f"{side} plate", "revolute", axis, places[len(parts)], turned)
    add("lamp 1", "base", "revolute", AXES["y"], places[10])
    add("lamp 2", "lamp 1", "revolute", AXES["x"], places[11])
    moving = [joint for joint in joints if joint.kind != "fixed"]
    coordinates = tuple(Coordinate(joint.name) for joint in reversed(moving))
    return MechanismModel(
        "branched",
        tuple(parts),
        coordinates,
        tuple(joints),
        tool=("right 3", Transform.of(None, [0.3, 0.2, 0.1])),
        order=tuple(joint.name for joint in moving),
    )


@cache
def models() -> dict[str, MechanismModel]:
    bundled = {name: lw.load(name).model for name in ("two-arms", "hexapod-with-arm")}
    return {**bundled, "branched": branched()}


def evaluated(robot: MechanismDynamics, general: bool, symbols: list[SX], values: list[np.ndarray]):
    """Efforts, bias, mass matrix and accelerations by either way."""
    d = robot.dof
    dynamics = replace(robot.dynamics, reducing=not general)
    cdd, tau = symbols[2], symbols[2]
    named = {each.name: cdd[k] for k, each in enumerate(robot.model.coordinates)}
    outputs = [dynamics.inverse(named), dynamics.bias(), dynamics.mass_matrix(), dynamics.forward(tau)]
    function = ca.Function("all", symbols, [ca.densify(each) for each in outputs])
    found = [function(*(each[k] for each in values)) for k in range(len(values[0]))]
    assert d == len(named)
    return [np.array([np.array(row[k]) for row in found]) for k in range(len(outputs))]


CASES: tuple[dict[str, object], ...] = (
    {},
    {"wrench": 6},
    {"gravity": 3, "base_motion": 9},
    {"friction": False, "rotors": False},
)


@pytest.mark.parametrize(
    "name", [pytest.param("two-arms", marks=pytest.mark.long), "hexapod-with-arm", "branched"]
)
@pytest.mark.parametrize("case", CASES)
def test_tips_are_the_general_formulation(name: str, case: dict[str, object]):
    model = models()[name]
    d = len(model.coordinates)
    assert tips_of(placement_plan(model))
    symbols = [SX.sym(each, d) for each in ("c", "cd", "cdd")]
    acting = {key: SX.sym(key, size) if size else False for key, size in case.items()}
    inputs = [value for value in acting.values() if isinstance(value, SX)]
    robot = MechanismDynamics(model, symbols[0], symbols[1], **acting)
    rng = np.random.default_rng(5)
    home = home_angles(model)
    turning = np.array([each.pose is None for each in model.coordinates])
    values = [home + np.where(turning, 1.0, 0.05) * rng.normal(size=(6, d)), *rng.normal(size=(2, 6, d))]
    values += [rng.normal(size=(6, each.numel())) for each in inputs]
    symbols += inputs
    found = evaluated(robot, False, symbols, values)
    expected = evaluated(robot, True, symbols, values)
    for ours, theirs, tolerance in zip(found, expected, (1e-13, 1e-13, 1e-13, 1e-10), strict=True):
        assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


def test_what_belongs_to_a_tip():
    tips = {tip.host: tip for tip in tips_of(placement_plan(branched()))}
    assert tips["base"].names == ("lamp 1", "lamp 2")
    assert tips["post"].names in (("left 1", "left 2", "left 3"), ("right 1", "right 2", "right 3"))
    (arm,) = tips_of(placement_plan(lw.load("hexapod-with-arm").model))
    assert arm.host == "platform"
    assert arm.has_tool
    assert len(arm.names) == 6
    for name in ("palletizer", "excavator", "par4", "gripper"):  # loops, cylinders, followers, one joint
        assert not tips_of(placement_plan(lw.load(name).model))


def test_tips_take_fewer_operations():
    fewest = {
        ("two-arms", "inverse_dynamics"): (460, 430),
        ("two-arms", "forward_dynamics"): (1041, 886),
        ("hexapod-with-arm", "inverse_dynamics"): (1448, 1147),
        ("hexapod-with-arm", "forward_dynamics"): (2994, 2234),
    }
    for (name, method), (multiplications, additions) in fewest.items():
        counts = lw.load(name).kernel(method, friction=False).counts
        assert counts.multiplications <= multiplications
        assert counts.additions <= additions


def test_a_load_on_a_tip():
    """In a simulation the load is an input: the same as a load that is part of the last body."""
    robot = Mechanism(branched())
    loaded = robot.with_payload(2.0, (0.05, 0.02, 0.1))
    c, cd, tau = np.random.default_rng(1).normal(size=(3, robot.dof))
    plant = robot.plant()
    x, effort, load = SX.sym("x", 2 * robot.dof), SX.sym("tau", robot.n), SX.sym("load", 10)
    rate = ca.Function("rate", [x, effort, load], [plant.rate(x, effort, {"payload": load})])
    center = np.array([0.05, 0.02, 0.1])
    inertia = 2.0 * (center @ center * np.eye(3) - np.outer(center, center))
    six = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    found = np.array(rate(np.concatenate([c, cd]), tau, [2.0, *(2.0 * center), *six])).ravel()
    np.testing.assert_allclose(
        found[robot.dof :], loaded.forward_dynamics(c, cd, tau), rtol=1e-9, atol=1e-9
    )
