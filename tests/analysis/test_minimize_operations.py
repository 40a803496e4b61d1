"""Fewest operations through the public interface: counts, agreement, search, fallback."""

from __future__ import annotations

import json
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.operation_table import general_model
from linkwork.mechanics.chain import cheapest
from linkwork.mechanics.chain.chain import chain_of
from linkwork.mechanics.chain.minimal import search
from linkwork.mechanics.chain.minimal.operation_plan import (
    OperationPlan,
    Reduced,
    Situation,
    cost,
    realized,
)
from linkwork.mechanics.chain.minimal.search import Candidates, quick_candidate
from linkwork.robot.arm import Arm
from linkwork.robot.loading import digest, keep, with_stored_plan
from tests.random_arms import CONVENTIONS, random_arm, special_arm

RIGID = {"friction": False, "rotors": False}


def operations(arm: Arm, **options) -> int:
    return arm.kernel("inverse_dynamics", **RIGID, **options).counts.flops


@pytest.mark.parametrize(("name", "most"), [("puma560", 270), ("ur5", 240), ("stanford", 204)])
def test_bundled_arms_take_few_operations(name, most) -> None:
    arm = lw.load(name)
    assert operations(arm) <= most
    assert operations(arm) == operations(arm, formulation="minimal")


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_general_arms_take_few_operations(n) -> None:
    model = general_model(n)
    most = (73 * n - 98) + (65 * n - 92)
    assert operations(Arm(model)) <= most
    # Joint angles that do not start at the common normals may cost an addition each.
    angles = np.random.default_rng(n).uniform(-2, 2, n).tolist()
    pairs = zip(model.joints, angles, strict=True)
    turned = replace(model, joints=tuple(replace(joint, offset=angle) for joint, angle in pairs))
    assert operations(Arm(turned)) <= most + n - 2


def test_closed_form_alone_takes_few_operations() -> None:
    model = lw.load("puma560").model
    candidates = Candidates(model, cheapest.own_gravity(model))
    textbook = candidates.textbook(candidates.frames())
    frames, parameters = textbook.frames, candidates.parameters(textbook).tolist()
    steps = frames.skeleton.steps
    assert cost(steps, parameters, textbook.variant, frames.gravity, model.n)[0] <= 300


@pytest.mark.parametrize("name", lw.bundled_names("arm"))
def test_every_bundled_arm_has_a_shipped_plan(name) -> None:
    model = lw.load(name).model
    assert model.plan
    quick = Arm(replace(model, operation_plan=""))
    assert operations(lw.load(name)) <= operations(quick)


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6, 12))]
)
def test_kernels_agree_with_the_plain_recursion(seed) -> None:
    model = (
        special_arm(seed, 2 + seed % 5)
        if seed % 2
        else random_arm(seed, 2 + seed % 5, CONVENTIONS[seed % 3])
    )
    arm = Arm(model)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-2, 2, (3, 8, arm.n))
    tip = rng.normal(size=(8, 6))
    expected = arm.inverse_dynamics(q, qd, qdd, tip_wrench=tip, formulation="newton-euler")
    scale = np.abs(expected).max(axis=0)
    ours = arm.inverse_dynamics(q, qd, qdd, tip_wrench=tip)
    assert (np.abs(ours - expected) <= 1e-12 * scale + 1e-14 * scale.max()).all()
    M, plain = arm.mass_matrix(q), arm.mass_matrix(q, formulation="composite")
    np.testing.assert_allclose(M, plain, atol=1e-12 * np.abs(plain).max())


def test_nearly_parallel_axes_lose_no_digits() -> None:
    """UR arms in URDF files have right angles written with nine digits."""
    model = random_arm(3, 4, "general", prismatic=0.0)
    joints = []
    for joint in model.joints:
        tilt = np.array([0.0, 2e-9, 1.0])
        fields = {**joint.__dict__, "axis": tilt / np.linalg.norm(tilt)}
        fields["before"] = type(joint.before).of(None, joint.before.p)
        joints.append(type(joint)(**fields))
    arm = Arm(type(model)("tilted", tuple(joints), model.gravity))
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 5, 4))
    expected = arm.inverse_dynamics(q, qd, qdd, formulation="newton-euler")
    np.testing.assert_allclose(
        arm.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * np.abs(expected).max()
    )


def test_a_reduction_that_does_not_agree_is_not_used(monkeypatch) -> None:
    def wrong(model, plan, situation) -> Reduced:
        robot = realized(model, plan, situation)
        robot.parameters[1][4] += 1e-6
        return robot

    monkeypatch.setenv("LINKWORK_CACHE", "off")
    monkeypatch.setattr("linkwork.mechanics.chain.minimal.reduced_arm.realized", wrong)
    cheapest.reduced_arm.cache_clear()
    arm = lw.load("puma560")
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 5, 6))
    with pytest.warns(cheapest.ReductionWarning, match="plain recursion is used"):
        ours = arm.inverse_dynamics(q, qd, qdd)
    with pytest.warns(cheapest.ReductionWarning, match="mass matrix"):
        arm.mass_matrix(q)
    cheapest.reduced_arm.cache_clear()
    expected = arm.inverse_dynamics(q, qd, qdd, formulation="newton-euler")
    np.testing.assert_allclose(ours, expected, rtol=1e-11, atol=1e-11)


def test_search_improves_and_is_kept(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    source = {
        "kind": "arm",
        "name": "mine",
        "convention": "modified",
        "links": [
            {"joint": "revolute", "mass": 2, "center_of_mass": [0.1, 0.2, 0], "inertia": [1, 2, 2.5]},
            {"joint": "revolute", "alpha": 1.0, "a": 0.3, "mass": 1, "center_of_mass": [0.1, 0, 0.2]},
            {"joint": "revolute", "a": 0.4, "d": 0.1, "mass": 1, "center_of_mass": [0.2, 0.1, 0]},
        ],
    }
    arm = lw.load(source)
    assert not arm.model.operation_plan
    before = operations(arm)
    given, arm = arm, lw.minimize_operations(arm, evaluations=1500, progress=False)
    assert not given.model.operation_plan
    assert operations(given) == before
    assert operations(arm) <= before
    assert lw.load(source).model.operation_plan == arm.model.operation_plan
    other = lw.minimize_operations(Arm(lw.load(source).model), evaluations=1500, seed=0, store=False)
    assert operations(other) <= operations(arm)
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 5, 3))
    expected = arm.inverse_dynamics(q, qd, qdd, formulation="newton-euler")
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd), expected, rtol=1e-12, atol=1e-12)


def test_search_is_reproducible_by_seed() -> None:
    model = general_model(3)
    plans = [
        lw.minimize_operations(Arm(model), evaluations=600, seed=seed, store=False).model.operation_plan
        for seed in (1, 1)
    ]
    assert plans[0] == plans[1]
    assert json.loads(plans[0])["conditions"]


def test_minimize_refuses_nonsense() -> None:
    arm = lw.load("planar-2r")
    with pytest.raises(lw.InputError, match="minimize_operations: expected an arm"):
        lw.minimize_operations(lw.load("dasgupta1998"))
    with pytest.raises(lw.InputError, match="seconds"):
        lw.minimize_operations(arm, seconds=-1)
    for wrong in (0, 2.5, True, "3"):
        with pytest.raises(lw.InputError, match="evaluations"):
            lw.minimize_operations(arm, evaluations=wrong)
    with pytest.raises(lw.InputError, match="seed"):
        lw.minimize_operations(arm, seed="x")


def test_a_plan_of_another_version_or_arm_is_passed_over(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    ur5, planar = lw.load("ur5").model, lw.load("planar-2r").model
    older = json.loads(planar.plan)
    older["variant"]["unit_of_length"] = older["variant"].pop("force")
    beyond = {**json.loads(planar.plan), "conditions": ["7.m"]}
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 4, 2))
    expected = Arm(planar).inverse_dynamics(q, qd, qdd, formulation="newton-euler")
    for text in ("no JSON", "[]", json.dumps(older), json.dumps(beyond), ur5.plan):
        keep(replace(planar, operation_plan=text))
        assert lw.load("planar-2r").model.operation_plan == text
        tau = lw.load("planar-2r").inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(tau, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("variant", "acceleration"), 0),
        (("variant", "force"), "much"),
        (("variant", "squared", 1), "z"),
        (("variant", "resting", 0), None),
        (("variant", "euler", 0), [True]),
        (("conditions", 0), "1.m=mx"),
        (("conditions",), "1.m"),
        (("carriers",), {}),
        (("carriers",), ["1"]),
        (("vanishing",), "Jzz"),
    ],
)
def test_a_damaged_plan_is_passed_over(where, value) -> None:
    model = lw.load("planar-2r").model
    data = json.loads(model.plan)
    assert OperationPlan.parse(json.dumps(data), model) is not None
    part = data
    for key in where[:-1]:
        part = part[key]
    part[where[-1]] = value
    assert OperationPlan.parse(json.dumps(data), model) is None


@pytest.mark.filterwarnings("ignore::linkwork.mechanics.chain.cheapest.ReductionWarning")
def test_plans_damaged_anywhere_do_not_fail_the_call() -> None:
    model = lw.load("planar-2r").model
    chance = np.random.default_rng(0)
    q, qd, qdd = (ca.SX.sym(name, 2) for name in ("q", "qd", "qdd"))
    for _ in range(20):
        text = list(model.plan)
        for at in chance.integers(len(text), size=chance.integers(1, 4)):
            text[at] = str(chance.choice([*'0123456789-e.",:[]{} mxyzJtfn', ""]))
        damaged = replace(model, operation_plan="".join(text))
        assert cheapest.rigid_torques(damaged, q, qd, qdd).shape == (2, 1), damaged.plan


def test_a_quick_plan_ends_when_it_is_late(monkeypatch) -> None:
    model = replace(lw.load("ur5").model, operation_plan="")
    tried = []
    for seconds in (search.QUICK_SECONDS, 0.0):
        monkeypatch.setattr(search, "QUICK_SECONDS", seconds)
        candidates = Candidates(model, cheapest.own_gravity(model))
        assert quick_candidate(candidates).plan()
        tried.append(candidates.evaluations)
    beginnings = Candidates(model, cheapest.own_gravity(model))
    frames = beginnings.frames()
    for start in (beginnings.start(frames), beginnings.textbook(frames)):
        beginnings.cost(start)
    assert tried[1] <= beginnings.evaluations + 5 < tried[0] / 2


@pytest.mark.filterwarnings("error::linkwork.mechanics.chain.cheapest.ReductionWarning")
@pytest.mark.parametrize("n", [1, 2])
def test_a_general_arm_needs_no_warning(n) -> None:
    """The bias torque of one joint along gravity is nothing but rounding errors."""
    model = general_model(n)
    q, qd = ca.SX.sym("q", n), ca.SX.sym("qd", n)
    cheapest.rigid_torques(model, q, qd, ca.SX(ca.DM.zeros(n)))
    cheapest.rigid_mass_matrix(model, q, chain_of(model, q))


def test_numbers_too_extreme_for_the_reduction_fall_back(monkeypatch) -> None:
    def fails(model, plan, situation) -> Reduced:
        raise ZeroDivisionError

    monkeypatch.setattr("linkwork.mechanics.chain.minimal.reduced_arm.realized", fails)
    cheapest.reduced_arm.cache_clear()
    model = lw.load("planar-2r").model
    q, qd, qdd = (ca.SX.sym(name, 2) for name in ("q", "qd", "qdd"))
    with pytest.warns(cheapest.ReductionWarning, match="plain recursion is used"):
        assert cheapest.rigid_torques(model, q, qd, qdd).shape == (2, 1)


def test_sines_and_cosines_count_in_a_quick_plan() -> None:
    """An angle more is worth as many operations as it takes in time."""
    model = replace(lw.load("ur5").model, operation_plan="")
    candidates = Candidates(model, cheapest.own_gravity(model))
    quick = quick_candidate(candidates)
    steps, gravity = quick.frames.skeleton.steps, quick.frames.gravity
    parameters = candidates.parameters(quick).tolist()
    operations, angles = cost(steps, parameters, quick.variant, gravity, model.n)
    assert angles == 4
    assert operations <= 245


def test_digest_names_numbers_only() -> None:
    model = lw.load("puma560").model
    renamed = type(model)("other", model.joints, model.gravity)
    assert digest(renamed) == digest(model)
    assert with_stored_plan(renamed).plan == model.plan
    assert digest(lw.load("ur5").model) != digest(model)


def test_other_situations_use_the_same_plan() -> None:
    """Gravity as an argument and a moving base leave fewer parameters out; the rest of a plan holds."""
    model = lw.load("ur5").model
    plan = cheapest.operation_plan(model, cheapest.own_gravity(model))
    fixed = realized(model, plan, Situation(cheapest.own_gravity(model)))
    free = realized(model, plan, Situation(None, standing=False))
    zeros = [np.count_nonzero(np.array(robot.parameters) == 0.0) for robot in (fixed, free)]
    assert zeros[0] > zeros[1] > 0
