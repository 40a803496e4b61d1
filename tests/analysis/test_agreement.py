"""`lw.verify` of platforms and mechanisms: agreement where there is, a verdict where there is not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis import agreement
from linkwork.mechanics.mechanism import dynamics, methods, struts
from linkwork.mechanics.mechanism.dynamics import Dynamics
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.model.geometry import Body
from tests.bundled import representative
from tests.random_platforms import random_platform

QUICK = ("dasgupta1998",)  # in every run of the tests, beside a random one; others in long ones
ROD = Body.of(2, [0.1, 0, 0], np.diag([0.02, 0.3, 0.3]))  # symmetric about the leg


@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.long)
        for name in lw.bundled_names("stewart-platform")
    ],
)
def test_bundled_platforms_agree(name) -> None:
    report = lw.verify(lw.load(name), states=20)
    assert report.ok, report
    assert "agrees within 1e-10" in str(report)


@pytest.mark.parametrize("name", representative(lw.bundled_names("mechanism")))
def test_bundled_mechanisms_agree(name) -> None:
    report = lw.verify(lw.load(name), states=20)
    assert report.ok, report
    assert "agrees within 1e-10" in str(report)


@pytest.mark.long
@pytest.mark.parametrize("name", lw.bundled_names())
def test_every_bundled_robot_agrees_at_as_many_states_as_the_command_takes(name) -> None:
    """Some of them near the edge of reach, where efforts grow without bound (hexaglide: 56 MN)."""
    report = lw.verify(lw.load(name))
    assert report.ok, report


def test_forward_dynamics_that_is_slightly_wrong_is_seen(monkeypatch) -> None:
    robot = lw.load("five-bar")
    right = robot.forward_dynamics
    monkeypatch.setattr(
        type(robot), "forward_dynamics", lambda self, *state, **options: right(*state, **options) + 1e-6
    )
    report = lw.verify(robot, states=20)
    assert not report.ok
    assert report.differences["forward_dynamics"] > 1e-9


def test_wrong_physics_of_a_mechanism_is_seen(monkeypatch) -> None:
    right = MechanismDynamics.mass_matrix
    monkeypatch.setenv("LINKWORK_CACHE", "off")  # the cache does not look into this process
    monkeypatch.setattr(MechanismDynamics, "mass_matrix", lambda robot: 1.01 * right(robot))
    report = lw.verify(lw.load("ankle"), states=5)
    assert report.differences["task_space"] > 1e-4
    assert "does NOT agree" in str(report)


def test_random_platforms_agree() -> None:
    assert lw.verify(lw.Platform(random_platform(0)), states=20).ok


def test_deviations_of_the_papers_are_shown_but_no_fault() -> None:
    report = lw.verify(lw.load("dasgupta1998"), states=20)
    assert report.published.keys() == {"dasgupta1998", "pedrammehr2012"}
    assert min(report.published.values()) > 0.01


# What is broken, where it lives, and the law that must notice.
FAULTS = {
    "massless legs": (methods, "NOTHING", "effort_breakdown"),
    "all forces": (Dynamics, "efforts_for", "task_space"),
    "mass matrix": (Dynamics, "mass_matrix", "task_space"),
    "bias": (Dynamics, "bias", "forward_dynamics"),
    "energies": (MechanismDynamics, "energy", "power_balance"),
    "need of the platform": (dynamics, "body_need", "power_balance"),
    "need of the legs": (struts, "turning", "power_balance"),
}


@pytest.mark.parametrize(
    "fault",
    [pytest.param(name, marks=() if name == "massless legs" else pytest.mark.long) for name in FAULTS],
)
def test_wrong_physics_is_seen(fault, monkeypatch) -> None:
    """One expression of the exact model is 1 % too large, or a leg has mass that should have none."""
    owner, name, law = FAULTS[fault]
    right = getattr(owner, name)

    def wrong(*arguments):
        value = right(*arguments)
        return tuple(1.01 * part for part in value) if isinstance(value, tuple) else 1.01 * value

    monkeypatch.setenv("LINKWORK_CACHE", "off")  # the cache does not look into this process
    monkeypatch.setattr(owner, name, wrong if callable(right) else ROD)
    report = lw.verify(lw.load("simona"), states=5)
    assert report.differences[law] > 1e-4
    assert not report.ok
    assert "does NOT agree" in str(report)


@pytest.mark.parametrize(
    "joint",
    ["prismatic", *(pytest.param(each, marks=pytest.mark.long) for each in ("universal", "spherical"))],
)
def test_friction_that_does_not_take_its_power_is_seen(joint, monkeypatch) -> None:
    """The forces know a friction that the description does not have."""
    platform = lw.load_platform("simona")
    monkeypatch.setattr(
        agreement,
        "_friction_loss",
        partial(_loss_of_a_greased, agreement._friction_loss, joint),
    )
    assert not lw.verify(platform, states=5).ok


def _loss_of_a_greased(right, joint, platform, *state):
    friction = [replace(leg.friction, **{joint: 0.0}) for leg in platform.model.legs]
    legs = [replace(leg, friction=own) for leg, own in zip(platform.model.legs, friction, strict=True)]
    return right(lw.Platform(replace(platform.model, legs=tuple(legs))), *state)


@pytest.mark.long
def test_legs_with_spherical_joints_agree() -> None:
    model = random_platform(3)
    upright = [replace(leg, joints="SPS", lower=ROD, upper=ROD) for leg in model.legs]
    assert lw.verify(lw.Platform(replace(model, legs=tuple(upright))), states=20).ok
