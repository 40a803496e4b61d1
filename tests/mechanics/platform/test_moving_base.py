"""Platforms on a base that moves, in every formulation, against the motion as it is seen in space.

The reference knows places only: bodies are placed at moments around an instant, moved along with the
base, and their accelerations in space are differences of these places.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import from_vector, rotation_of
from linkwork.model.geometry import Body
from tests.mechanics.platform.test_published import MODELS, close, outputs
from tests.random_platforms import random_platform, random_state
from tests.traced import traced

STEP = 1e-2  # s, between moments
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])  # order 8
MOMENTS = STEP * np.arange(-8, 9)
NOW = 8
BY_STEPS = [MODELS[0], MODELS[1], MODELS[4]]  # of which the reference has every term
NAMES = {"ids": lambda model: "-".join(model.values())}


def derivative(values: np.ndarray) -> np.ndarray:
    """Of values at moments, by time; four moments fewer at each end."""
    parts = [FIRST[k] * values[k : len(values) - 8 + k] for k in range(9)]
    return np.sum(parts, axis=0) / STEP


def turned(about: np.ndarray) -> np.ndarray:
    still = np.zeros(3)
    return np.array([rotation_of(np.concatenate([still, from_vector(v)])) for v in about])


def angular_velocity(turns: np.ndarray) -> np.ndarray:
    spin = derivative(turns) @ turns[4:-4].transpose(0, 2, 1)
    return np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)


def path(velocity: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    return MOMENTS[:, None] * velocity + MOMENTS[:, None] ** 2 / 2 * acceleration


def on_axis(body: Body) -> Body:
    return Body.of(body.mass, [body.center_of_mass[0], 0, 0], body.inertia)


def steiner(mass: float, r: np.ndarray) -> np.ndarray:
    return mass * (r @ r * np.eye(3) - np.outer(r, r))


class InSpace:
    """A platform, its motion relative to the base, and the motion of the base."""

    def __init__(self, robot: lw.Platform, state: tuple[np.ndarray, ...], base: np.ndarray) -> None:
        self.robot, (self.pose, self.twist, self.acceleration, self.wrench) = robot, state
        self.base_turn = turned(path(base[:3], base[3:6]))
        self.base_place = path(np.zeros(3), base[6:])
        self.place = self.pose[:3] + path(self.twist[:3], self.acceleration[:3])
        self.turn = turned(path(self.twist[3:], self.acceleration[3:])) @ rotation_of(self.pose)

    def acceleration_of(self, places: np.ndarray) -> np.ndarray:
        """In space, of places relative to the base."""
        there = self.base_place + (self.base_turn @ places[:, :, None])[:, :, 0]
        return derivative(derivative(there))[0]

    def turning_of(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Angular velocity and acceleration in space, of angular velocities relative to the base."""
        inner = self.base_turn[4:-4]
        there = angular_velocity(self.base_turn) + (inner @ w[:, :, None])[:, :, 0]
        return there[4], derivative(there)[0]

    def demand(self, deviations: set[str], frames: str) -> np.ndarray:
        """H F by the equations of Newton and Euler for every body in space."""
        model, g, R = self.robot.model, self.robot.model.gravity, self.turn[NOW]
        body = model.platform
        arm = R @ body.center_of_mass
        force = body.mass * (self.acceleration_of(self.place + self.turn @ body.center_of_mass) - g)
        inside = body.inertia.copy()
        if "parallel-axis-platform" in deviations:
            inside += steiner(body.mass, arm if frames == "printed" else body.center_of_mass)
        W = angular_velocity(self.turn)
        moment = np.cross(arm, force) + self.euler(R @ inside @ R.T, W)
        total = np.concatenate([force - R @ self.wrench[:3], moment - R @ self.wrench[3:]])
        for k in range(6):
            push, drag = self.leg(k, W[4], deviations, frames)
            total += np.concatenate([push, np.cross(R @ model.legs[k].platform_point, push) - drag])
        return total

    def euler(self, inertia: np.ndarray, w: np.ndarray) -> np.ndarray:
        velocity, acceleration = self.turning_of(w)
        return inertia @ acceleration + np.cross(velocity, inertia @ velocity)

    def leg(self, k: int, W: np.ndarray, deviations: set[str], frames: str) -> tuple[np.ndarray, ...]:
        leg, g = self.robot.model.legs[k], self.robot.model.gravity
        S = self.place + self.turn @ leg.platform_point - leg.base_point
        L = np.linalg.norm(S, axis=1)
        s = S / L[:, None]
        y = np.cross(leg.fixed_axis, s)
        y /= np.linalg.norm(y, axis=1)[:, None]
        T = np.stack([s, y, np.cross(s, y)], axis=2)
        w = angular_velocity(T)
        if "no-spin" in deviations:
            w = w - np.einsum("ij,ij->i", w, s[4:-4])[:, None] * s[4:-4]
        N, along, c = np.zeros(3), 0.0, np.cross(leg.fixed_axis, y[NOW])
        for part, name in ((leg.lower, "lower"), (leg.upper, "upper")):
            r = T @ part.center_of_mass + (S if name == "upper" else 0)
            force = part.mass * (self.acceleration_of(leg.base_point + r) - g)
            inside = part.inertia.copy()
            if f"parallel-axis-{name}" in deviations:
                inside += steiner(part.mass, r[NOW] if frames == "printed" else T[NOW].T @ r[NOW])
            if name == "upper" and "upper-inertia-at-base" in deviations:
                inside += part.mass * L[NOW] ** 2 * np.diag([0, 1, 1])
            N += np.cross(r[NOW], force) + self.euler(T[NOW] @ inside @ T[NOW].T, w)
            along = s[NOW] @ force  # of the upper part, which comes last
        w, s, friction = w[4], s[NOW], leg.friction
        drag = friction.spherical * (w - W)
        N += friction.universal * w + drag
        K = np.cross(N, s) / L[NOW]
        if "moment-along-leg" not in deviations:
            K -= N @ s / (c @ s) * np.cross(c, s) / L[NOW]
        return K + (along + friction.prismatic * derivative(L)[4]) * s, drag


def deviations_of(model: dict[str, str]) -> set[str]:
    return {
        "exact": set(),
        "dasgupta1998": {"no-spin", "moment-along-leg", "upper-inertia-at-base"},
        "pedrammehr2012": {f"parallel-axis-{part}" for part in ("lower", "upper", "platform")},
    }[model["formulation"]]


def moved(seed: int, slender: bool = False) -> tuple[lw.Platform, tuple[np.ndarray, ...], np.ndarray]:
    """A random platform, its state and the motion of its base; slender legs have their mass on axis."""
    model = random_platform(seed)
    if slender:
        legs = [replace(x, lower=on_axis(x.lower), upper=on_axis(x.upper)) for x in model.legs]
        model = replace(model, legs=tuple(legs))
    return lw.Platform(model), random_state(seed), np.random.default_rng(seed).normal(size=9)


# D has legs without spin: it moves them as the reference does where their mass is on the axis.
@pytest.mark.parametrize("model", BY_STEPS, **NAMES)
def test_forces_are_those_of_the_motion_in_space(model: dict[str, str]) -> None:
    robot, state, base = moved(11, slender=model["formulation"] == "dasgupta1998")
    acting = {"wrench": "input", "base_motion": "input", **model}
    force = traced(robot, "inverse_dynamics", *state, base, **acting)
    seen = InSpace(robot, state, base).demand(deviations_of(model), model.get("frames", "printed"))
    H = robot.jacobian(state[0]).T
    close(H @ force, seen, tolerance=1e-10)
    still = traced(robot, "inverse_dynamics", *state, wrench="input", **model)
    assert np.abs(force - still).max() > 0.05 * np.abs(still).max()


@pytest.mark.parametrize("model", MODELS, **NAMES)
def test_what_the_base_does_is_the_same_in_every_method(model: dict[str, str]) -> None:
    robot, (pose, twist, acceleration, wrench), base = moved(12)
    acting = {"wrench": "input", "base_motion": "input", **model}
    force = traced(robot, "inverse_dynamics", pose, twist, acceleration, wrench, base, **acting)
    back = traced(robot, "forward_dynamics", pose, twist, force, wrench, base, **acting)
    close(back, acceleration, tolerance=1e-8)
    M, h = outputs(robot, "task_space", pose, twist, wrench, base, **acting)
    close(M.reshape(6, 6) @ acceleration + h, robot.jacobian(pose).T @ force)
    reactions = outputs(robot, "joint_reactions", pose, twist, acceleration, wrench, base, **acting)
    directions = robot.jacobian(pose)[:, :3]
    along = np.einsum("ij,ij->i", reactions[3].reshape(6, 3), directions)
    if "form" in model or model["formulation"] != "pedrammehr2012":  # its closed form drops parts of it
        close(along, force)
    # A base that accelerates is gravity that points the other way.
    lifted = np.concatenate([np.zeros(6), base[6:]])
    heavier = {**acting, "gravity": "input"}
    del heavier["base_motion"]
    by_gravity = outputs(
        robot,
        "joint_reactions",
        pose,
        twist,
        acceleration,
        robot.model.gravity - base[6:],
        wrench,
        **heavier,
    )
    by_base = outputs(robot, "joint_reactions", pose, twist, acceleration, wrench, lifted, **acting)
    scale = max(np.abs(part).max() for part in by_gravity)
    for ours, theirs in zip(by_base, by_gravity, strict=True):
        close(ours, theirs, scale, tolerance=1e-12)


def test_the_papers_equations_without_deviations_are_exact_on_a_moving_base() -> None:
    robot, state, base = moved(13)
    acting = {"wrench": "input", "base_motion": "input"}
    exact = outputs(robot, "joint_reactions", *state, base, **acting)
    by_steps = outputs(robot, "joint_reactions", *state, base, deviations=(), **acting)
    scale = max(np.abs(part).max() for part in exact)
    for ours, theirs in zip(by_steps, exact, strict=True):
        close(ours, theirs, scale, tolerance=1e-12)
    force = traced(robot, "inverse_dynamics", *state, base, **acting)
    close(
        traced(robot, "inverse_dynamics", *state, base, deviations=(), **acting), force, tolerance=1e-12
    )


def test_the_closed_form_gets_from_the_base_what_its_steps_get() -> None:
    robot, state, base = moved(14)

    def added(form: str) -> np.ndarray:
        model = {"wrench": "input", "formulation": "pedrammehr2012", "form": form}
        carried = traced(robot, "inverse_dynamics", *state, base, base_motion="input", **model)
        return carried - traced(robot, "inverse_dynamics", *state, **model)

    close(added("closed"), added("step"))
