"""Random Stewart platforms: physical bodies, arbitrary points and axes."""

from __future__ import annotations

import numpy as np

from linkwork.core.rotations import quaternion_of, rotation_rpy
from linkwork.model.families.stewart import Leg, LegFriction, PlatformModel
from linkwork.model.geometry import Body, frozen
from tests.random_arms import random_body


def random_platform(seed: int, friction: bool = True) -> PlatformModel:
    rng = np.random.default_rng(seed)
    legs = []
    for k in range(6):
        angle = k * np.pi / 3
        base = [np.cos(angle + 0.3), np.sin(angle + 0.3), 0] + rng.normal(size=3) * 0.15
        top = [np.cos(angle - 0.2), np.sin(angle - 0.2), 0] * np.array(0.6) + rng.normal(size=3) * 0.1
        axis = rng.normal(size=3)
        axis[2] *= 0.3
        drag = LegFriction(*rng.uniform(0.1, 2.0, 3)) if friction else LegFriction()
        legs.append(
            Leg(
                f"leg{k + 1}",
                "UPS",
                frozen(base),
                frozen(top),
                frozen(axis / np.linalg.norm(axis)),
                random_body(rng),
                random_body(rng),
                drag,
            )
        )
    body = random_body(rng)
    heavy = Body.of(5 * body.mass, body.center_of_mass, 5 * body.inertia)
    gravity = frozen([0.5, -1.0, -9.5])
    return PlatformModel("random", tuple(legs), heavy, gravity)


def random_state(seed: int) -> tuple[np.ndarray, ...]:
    """Pose (7), twist, acceleration and wrench of a platform about a meter above its base."""
    rng = np.random.default_rng([seed, 1])
    position = np.array([0, 0, 1.1]) + rng.uniform(-0.2, 0.2, 3)
    pose = np.concatenate([position, quaternion_of(rotation_rpy(*rng.uniform(-0.3, 0.3, 3)))])
    return pose, rng.normal(size=6), rng.normal(size=6), 10 * rng.normal(size=6)
