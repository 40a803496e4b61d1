"""M(X), h, reactions and accelerations by the papers' equations, and the motion of every body."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.motion import published_path
from tests.random_platforms import random_platform, random_state
from tests.traced import expression, traced

MODELS = [
    {"formulation": "exact"},
    {"formulation": "dasgupta1998"},
    {"formulation": "pedrammehr2012"},
    {"formulation": "pedrammehr2012", "frames": "local"},
    {"formulation": "pedrammehr2012", "form": "step"},
    {"formulation": "pedrammehr2012", "form": "step-25"},
]


def outputs(robot: lw.Platform, method: str, *arrays: np.ndarray, **options) -> list[np.ndarray]:
    """All outputs of a method, flat, by their expressions."""
    found = expression(robot, method, **options).call(list(arrays))
    return [np.asarray(value).ravel() for value in found]


def close(ours: np.ndarray, theirs: np.ndarray, scale: float = 0.0, tolerance: float = 1e-10) -> None:
    assert np.abs(ours - theirs).max() <= tolerance * max(np.abs(theirs).max(), scale)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: "-".join(model.values()))
@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.long)])
def test_task_space_is_that_of_the_forces(model: dict[str, str], seed: int) -> None:
    robot = lw.Platform(random_platform(seed))
    pose, twist, acceleration, wrench = random_state(seed)
    acting = {"wrench": "input", **model}
    force = traced(robot, "inverse_dynamics", pose, twist, acceleration, wrench, **acting)
    M, h = outputs(robot, "task_space", pose, twist, wrench, **acting)
    M = M.reshape(6, 6)
    H = robot.jacobian(pose).T
    close(M @ acceleration + h, H @ force)
    close(outputs(robot, "mass_matrix", pose, **model)[0].reshape(6, 6), M)
    close(traced(robot, "bias", pose, twist, wrench, friction=True, **acting), h)
    back = traced(robot, "forward_dynamics", pose, twist, force, wrench, **acting)
    close(back, acceleration, tolerance=1e-8)
    symmetric = np.abs(M - M.T).max() < 1e-12 * np.abs(M).max()
    assert symmetric == (model.get("form") is not None or model["formulation"] != "pedrammehr2012")


def balance(robot: lw.Platform, state: tuple[np.ndarray, ...], reactions: list[np.ndarray]) -> None:
    """Newton's equations of the platform and of each leg, which no deviation of the papers touches."""
    pose, twist, acceleration, wrench = state
    model, g = robot.model, robot.model.gravity
    spherical, universal, _, prismatic, _, _ = (part.reshape(6, 3) for part in reactions)
    R = rotation_of(pose)
    motion = outputs(robot, "link_motion", pose, twist, acceleration)
    lifted = motion[2].reshape(13, 3)[12] - g
    close(spherical.sum(axis=0), R @ wrench[:3] - model.platform.mass * lifted)
    assert np.isfinite(np.concatenate(reactions)).all()
    assert np.abs(universal).max() > 0
    assert np.abs(prismatic).max() > 0


@pytest.mark.parametrize("seed", [5, pytest.param(6, marks=pytest.mark.long)])
def test_the_papers_equations_without_deviations_give_the_exact_reactions(seed: int) -> None:
    robot = lw.Platform(random_platform(seed))
    state = random_state(seed)
    exact = outputs(robot, "joint_reactions", *state, wrench="input")
    stepwise = outputs(robot, "joint_reactions", *state, wrench="input", deviations=())
    scale = max(np.abs(part).max() for part in exact)
    for ours, theirs in zip(stepwise, exact, strict=True):
        close(ours, theirs, scale)
    for model in MODELS[1:]:
        found = outputs(robot, "joint_reactions", *state, wrench="input", **model)
        balance(robot, state, found)
        force = traced(robot, "inverse_dynamics", *state, wrench="input", **model)
        direction = robot.jacobian(state[0])[:, :3]
        along = np.einsum("ij,ij->i", found[3].reshape(6, 3), direction)
        if (
            model["formulation"] == "dasgupta1998" or "form" in model
        ):  # the closed form drops parts of it
            close(along, force, scale)


def test_the_moment_of_the_universal_joint_points_as_published() -> None:
    robot = lw.load("dasgupta1998")
    pose, twist, acceleration = (
        part[20] for part in published_path("dasgupta-II").at(np.linspace(0, 0.6, 61))
    )
    legs = robot.leg_kinematics(pose, twist, acceleration)
    axes = np.array([leg.fixed_axis for leg in robot.model.legs])
    y = np.cross(axes, legs.direction)
    normal = np.cross(axes, y)
    for name, direction in (("dasgupta1998", legs.direction), ("pedrammehr2012", normal)):
        moment = robot.joint_reactions(pose, twist, acceleration, formulation=name).universal_moment
        assert np.abs(np.cross(moment, direction)).max() < 1e-12 * np.abs(moment).max() + 1e-15


@pytest.mark.parametrize("seed", [7, pytest.param(8, marks=pytest.mark.long)])
def test_every_body_moves_as_energy_and_power_say(seed: int) -> None:
    robot = lw.Platform(random_platform(seed, friction=False))
    pose, twist, acceleration, _ = random_state(seed)
    motion = [part.reshape(13, 3) for part in outputs(robot, "link_motion", pose, twist, acceleration)]
    J = robot.jacobian(pose)
    R = rotation_of(pose)
    model = robot.model
    bodies = [*[leg.lower for leg in model.legs], *[leg.upper for leg in model.legs], model.platform]
    kinetic = power = potential = 0.0
    for k, body in enumerate(bodies):
        c, v, a, w, al = (part[k] for part in motion)
        if k == 12:
            turn = R
        else:
            leg = model.legs[k % 6]
            s = J[k % 6, :3]
            y = np.cross(leg.fixed_axis, s)
            y /= np.linalg.norm(y)
            turn = np.column_stack([s, y, np.cross(s, y)])
        I = turn @ body.inertia @ turn.T  # noqa: E741
        kinetic += (body.mass * v @ v + w @ I @ w) / 2
        potential -= body.mass * model.gravity @ c
        power += body.mass * (a - model.gravity) @ v + (I @ al + np.cross(w, I @ w)) @ w
    energy = outputs(robot, "energy", pose, twist)
    assert kinetic == pytest.approx(energy[0].item(), rel=1e-12)
    assert potential == pytest.approx(energy[1].item(), rel=1e-12)
    force = traced(robot, "inverse_dynamics", pose, twist, acceleration)
    assert power == pytest.approx(float(force @ (J @ twist)), rel=1e-10)


def test_legs_turn_as_each_paper_says() -> None:
    """D (6), (9) have no spin; P (12), (22) the true motion, and its (25) as printed not quite that."""
    platform, path = lw.load("pedrammehr2012"), published_path("pedrammehr-3")
    motion = path.at(np.linspace(0.0, path.duration, 7))
    exact = platform.leg_kinematics(*motion)
    own = platform.leg_kinematics(*motion, formulation="pedrammehr2012")
    for ours, theirs in zip(own, exact, strict=True):
        close(ours, theirs)
    s, L, rate = exact.direction, exact.length[..., None], exact.rate[..., None]
    q = np.einsum("nab,kb->nka", rotation_of(motion[0]), platform.model.points()[1])
    w, al = motion[1][:, None, 3:], motion[2][:, None, 3:]
    velocity = motion[1][:, None, :3] + np.cross(w, q)
    acceleration = motion[2][:, None, :3] + np.cross(al, q) + np.cross(w, np.cross(w, q))
    simplified = platform.leg_kinematics(*motion, formulation="dasgupta1998")
    W = np.cross(s, velocity) / L
    close(simplified.angular_velocity, W)
    close(simplified.angular_acceleration, (np.cross(s, acceleration) - 2 * rate * W) / L)
    close(simplified.acceleration, exact.acceleration)
    assert np.abs(simplified.angular_velocity - exact.angular_velocity).max() > 0.3
    printed = platform.leg_kinematics(*motion, formulation="pedrammehr2012", form="step-25")
    off = printed.angular_acceleration - exact.angular_acceleration
    assert np.abs(off).max() > 0.05
    close(off, np.einsum("nka,nka->nk", off, s)[..., None] * s)
