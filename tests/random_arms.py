"""Arms with random geometry and mass, in every way of writing them down."""

from __future__ import annotations

import numpy as np

from linkwork.core.rotations import rotation_rpy
from linkwork.model.families.arm import ArmModel, Joint, dh_joint
from linkwork.model.geometry import Body, Transform, frozen

CONVENTIONS = ("standard", "modified", "general")


def random_body(rng: np.random.Generator) -> Body:
    """A physical body: its inertia comes from a cloud of point masses."""
    points = rng.normal(size=(6, 3)) * 0.3
    masses = rng.uniform(0.1, 1.0, 6)
    center = masses @ points / masses.sum()
    offsets = points - center
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, offsets, strict=True))
    return Body.of(masses.sum(), center, inertia)


def random_arm(seed: int, n: int, convention: str, prismatic: float = 0.33) -> ArmModel:
    """A third of the joints prismatic, gravity in any direction."""
    rng = np.random.default_rng([seed, n, CONVENTIONS.index(convention)])
    joints = []
    for k in range(n):
        kind = "prismatic" if rng.random() < prismatic else "revolute"
        body, name = random_body(rng), f"joint{k + 1}"
        if convention == "general":
            axis = rng.normal(size=3)
            before = Transform.of(rotation_rpy(*rng.uniform(-3, 3, 3)), rng.normal(size=3) * 0.5)
            joints.append(
                Joint(name, kind, before, frozen(axis / np.linalg.norm(axis)), 0.0, Transform(), body)
            )
        else:
            theta, alpha = rng.uniform(-3, 3, 2)
            d, a = rng.normal(size=2) * 0.5
            if rng.random() < 0.4:  # many real arms have right angles
                theta, alpha = (float(rng.integers(-1, 3)) * np.pi / 2 for _ in range(2))
            joints.append(
                dh_joint(convention, kind, theta=theta, d=d, a=a, alpha=alpha, name=name, body=body)
            )
    gravity = rng.normal(size=3)
    return ArmModel("random", tuple(joints), frozen(9.81 * gravity / np.linalg.norm(gravity)))


def random_state(seed: int, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-2, 2, shape) for _ in range(3))


def _special_body(rng: np.random.Generator) -> Body:
    """Whole, without mass, a point, a thin rod, a wheel about z, or inertia without mass."""
    body = random_body(rng)
    kind = rng.integers(6)
    if kind == 1:
        return Body.of(0.0, np.zeros(3), np.zeros((3, 3)))
    if kind == 2:
        return Body.of(body.mass, body.center_of_mass, np.zeros((3, 3)))
    if kind == 3:
        return Body.of(body.mass, [0, 0, rng.normal()], np.diag([0.2, 0.2, 0.0]))
    if kind == 4:
        return Body.of(body.mass, [0, 0, rng.normal()], np.diag([0.2, 0.2, 0.3]))
    if kind == 5:
        return Body.of(0.0, np.zeros(3), body.inertia)
    return body


def special_arm(seed: int, n: int) -> ArmModel:
    """Parallel, intersecting, coincident and nearly parallel axes; bodies that are hardly there."""
    rng = np.random.default_rng([seed, n, 7])
    joints = []
    for k in range(n):
        kind = "prismatic" if rng.random() < 0.25 else "revolute"
        alpha = rng.choice([0.0, 0.0, np.pi / 2, -np.pi / 2, np.pi, rng.uniform(-3, 3), 2e-9])
        theta = rng.choice([0.0, np.pi / 2, rng.uniform(-3, 3)])
        d, a = rng.choice([0.0, 0.25, 0.4]), rng.choice([0.0, 0.0, 0.4, rng.uniform(-0.5, 0.5)])
        numbers = {"theta": float(theta), "d": float(d), "a": float(a), "alpha": float(alpha)}
        convention = CONVENTIONS[int(rng.integers(2))]
        joints.append(
            dh_joint(convention, kind, **numbers, name=f"joint{k + 1}", body=_special_body(rng))
        )
    gravity = [frozen([0, 0, -9.81]), frozen(rng.normal(size=3)), frozen(np.zeros(3))]
    return ArmModel("special", tuple(joints), gravity[int(rng.integers(3))])
