"""Stewart platforms beside MuJoCo on the same mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import mujoco
import numpy as np

import linkwork as lw
from benchmarks.results import NANO, Result, faster
from benchmarks.timing import by_width, repeated, side_by_side
from linkwork.core.rotations import quaternion_of, rotation_of
from linkwork.model.geometry import Body
from linkwork.robot.platform import Platform
from tests.oracles.mujoco_platform import MujocoPlatform

BATCH = 20_000
MANY = 200
PAPER_FLOPS = 4889


def physical(platform: Platform) -> Platform:
    """The papers' manipulator with inertias that can exist: MuJoCo refuses the printed ones."""
    legs = tuple(
        replace(
            leg,
            lower=Body.of(leg.lower.mass, leg.lower.center_of_mass, np.diag([0.01, 0.02, 0.025])),
            upper=Body.of(leg.upper.mass, leg.upper.center_of_mass, np.diag([0.005, 0.006, 0.007])),
        )
        for leg in platform.model.legs
    )
    body = platform.model.platform
    top = Body.of(body.mass, body.center_of_mass, np.diag([0.06, 0.05, 0.10]))
    return Platform(replace(platform.model, legs=legs, platform=top))


def states(platform: Platform, count: int) -> tuple[np.ndarray, ...]:
    """Poses within 5 cm and 0.1 rad of home, and motions there."""
    rng = np.random.default_rng(0)
    poses = nearby(platform.home, rng, count)
    return poses, 0.5 * rng.normal(size=(count, 6)), rng.normal(size=(count, 6))


def nearby(pose: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    """Poses at most 5 cm and 0.1 rad away."""
    way, axis = rng.normal(size=(2, count, 3))
    way *= rng.uniform(0, 0.05, (count, 1)) / np.linalg.norm(way, axis=1, keepdims=True)
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    half = rng.uniform(0, 0.05, (count, 1))
    w, v = np.cos(half), np.sin(half) * axis
    q = np.broadcast_to(quaternion_of(rotation_of(pose)), (count, 4))
    turned_w = w[:, 0] * q[:, 0] - np.einsum("ij,ij->i", v, q[:, 1:])
    turned_v = w * q[:, 1:] + q[:, :1] * v + np.cross(v, q[:, 1:])
    return np.concatenate([pose[:3] + way, turned_w[:, None], turned_v], axis=1)


def dynamics(platform: Platform, goals: tuple[float, float]) -> Iterator[Result]:
    name = platform.name
    pose, twist, acceleration = states(platform, BATCH)
    force = platform.inverse_dynamics(pose, twist, acceleration, friction=False)
    peer = MujocoPlatform(platform.model, pose[0])
    peer.set_motion(twist[0])
    difference = np.abs(peer.inverse(acceleration[0]) - force[0]).max() / np.abs(force[0]).max()
    yield Result(
        name, "difference of leg forces", float(difference), "of the largest, MuJoCo", at_most=1e-9
    )
    times = side_by_side(
        {
            "inverse": lambda: platform.inverse_dynamics(pose, twist, acceleration, friction=False),
            "mj_inverse": repeated(lambda: mujoco.mj_inverse(peer.model, peer.data), MANY),
            "forward": lambda: platform.forward_dynamics(pose, twist, force, friction=False),
            "mj_forward": repeated(lambda: mujoco.mj_forward(peer.model, peer.data), MANY),
            "reactions": lambda: platform.joint_reactions(pose, twist, acceleration),
        }
    )
    for kind, goal in zip(("inverse", "forward"), goals, strict=True):
        ours, theirs = times[kind] / BATCH, times[f"mj_{kind}"] / MANY
        yield faster(name, f"{kind} dynamics, arrays, one core", ours, theirs, f"mj_{kind}", goal)
    yield Result(
        name, "all joint reactions, arrays, one core", times["reactions"] / BATCH * NANO, "ns per state"
    )


def operations(platform: Platform) -> Iterator[Result]:
    """Per pose; the paper says 4889 (Dasgupta 4.5), friction not counted."""
    for name, options in (
        ("exact, friction not counted", {"friction": False}),
        ("exact", {}),
        ("dasgupta1998", {"formulation": "dasgupta1998"}),
        ("pedrammehr2012", {"formulation": "pedrammehr2012"}),
    ):
        counts = platform.kernel("inverse_dynamics", **options).counts
        total = counts.flops + counts.divisions + counts.square_roots
        goal = PAPER_FLOPS if "counted" in name or name == "dasgupta1998" else None
        yield Result(platform.name, f"operations: {name}", total, "", at_most=goal)


def kinematics(platform: Platform) -> Iterator[Result]:
    pose, *_ = states(platform, BATCH)
    rng = np.random.default_rng(1)
    guess = np.concatenate([nearby(row, rng, 1) for row in pose])
    lengths = platform.leg_lengths(pose)
    seconds = side_by_side({"newton": lambda: platform.forward_kinematics(lengths, guess)})["newton"]
    found = platform.forward_kinematics(lengths, guess)
    residual = float(np.abs(platform.leg_lengths(found) - lengths).max())
    what = "forward kinematics from guesses within 5 cm and 0.1 rad"
    yield Result(platform.name, what, BATCH / seconds / 1e6, "million poses per second", at_least=1)
    yield Result(platform.name, f"{what}, residual", residual, "m", at_most=1e-12)


def single_calls(platform: Platform) -> Iterator[Result]:
    """One state per call, from Python."""
    pose, twist, acceleration = (part[0] for part in states(platform, 1))
    loop = platform.kernel("inverse_dynamics").bind()
    loop(pose, twist, acceleration)
    many = 1_000
    calls = {
        "inverse_dynamics": lambda: platform.inverse_dynamics(pose, twist, acceleration),
        "forward_dynamics": lambda: platform.forward_dynamics(pose, twist, acceleration),
        "joint_reactions": lambda: platform.joint_reactions(pose, twist, acceleration),
        "bound loop()": loop,
    }
    for name, seconds in side_by_side(
        {key: repeated(call, many) for key, call in calls.items()}
    ).items():
        goal = 1.5 if name == "inverse_dynamics" else None
        yield Result(platform.name, f"one call: {name}", seconds / many * 1e6, "us", at_most=goal)


def results() -> Iterator[Result]:
    paper = lw.load("dasgupta1998")
    yield from dynamics(physical(paper), (30, 30))
    yield from dynamics(lw.load("simona"), (by_width(30, 89), by_width(30, 144)))
    yield from single_calls(paper)
    yield from operations(paper)
    yield from kinematics(paper)
