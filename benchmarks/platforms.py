"""Stewart platforms beside MuJoCo on the same mechanism: run with `make bench`."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.timing import repeated, side_by_side
from linkwork.core.rotations import quaternion_of, rotation_of
from linkwork.model.geometry import Body
from linkwork.robot.platform import Platform
from tests.oracles.mujoco_platform import MujocoPlatform

BATCH = 20_000
MANY = 200
PAPER_FLOPS = 4889  # Dasgupta 4.5, per pose, friction not counted
console = Console(width=120)


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


def dynamics(platform: Platform) -> None:
    pose, twist, acceleration = states(platform, BATCH)
    force = platform.inverse_dynamics(pose, twist, acceleration, friction=False)
    peer = MujocoPlatform(platform.model, pose[0])
    peer.set_motion(twist[0])
    difference = np.abs(peer.inverse(acceleration[0]) - force[0]).max() / np.abs(force[0]).max()
    lw.set_threads(1)
    contenders = {
        "inverse": lambda: platform.inverse_dynamics(pose, twist, acceleration, friction=False),
        "mj_inverse": repeated(lambda: mujoco.mj_inverse(peer.model, peer.data), MANY),
        "forward": lambda: platform.forward_dynamics(pose, twist, force, friction=False),
        "mj_forward": repeated(lambda: mujoco.mj_forward(peer.model, peer.data), MANY),
        "reactions": lambda: platform.joint_reactions(pose, twist, acceleration),
    }
    counts = {"mj_inverse": MANY, "mj_forward": MANY}
    times = {
        name: seconds / counts.get(name, BATCH) for name, seconds in side_by_side(contenders).items()
    }
    table = Table(
        title=f"{platform.name}, one core, ns per state (forces agree to {difference:.0e})",
        title_justify="left",
    )
    for column in ("", "linkwork", "MuJoCo", "ratio", "goal"):
        table.add_column(column, justify="left" if not column else "right")
    for name, peer_name in (("inverse", "mj_inverse"), ("forward", "mj_forward")):
        ours, theirs = times[name], times[peer_name]
        table.add_row(
            f"{name} dynamics / {peer_name}",
            f"{ours * 1e9:.0f}",
            f"{theirs * 1e9:.0f}",
            f"{theirs / ours:.1f}x",
            "30x",
        )
    table.add_row("with all joint reactions", f"{times['reactions'] * 1e9:.0f}")
    console.print(table)
    lw.set_threads(None)


def operations(platform: Platform) -> None:
    table = Table(title="Operations per pose, inverse dynamics", title_justify="left")
    for column in (
        "formulation",
        "multiplications",
        "additions",
        "divisions",
        "roots",
        "total",
        "paper",
    ):
        table.add_column(column, justify="left" if column == "formulation" else "right")
    for name, options in (
        ("exact, friction not counted", {"friction": False}),
        ("exact", {}),
        ("dasgupta1998", {"formulation": "dasgupta1998"}),
        ("pedrammehr2012", {"formulation": "pedrammehr2012"}),
    ):
        counts = platform.kernel("inverse_dynamics", **options).counts
        total = counts.flops + counts.divisions + counts.square_roots
        paper = str(PAPER_FLOPS) if "counted" in name or name == "dasgupta1998" else ""
        numbers = (
            counts.multiplications,
            counts.additions,
            counts.divisions,
            counts.square_roots,
            total,
        )
        table.add_row(name, *map(str, numbers), paper)
    console.print(table)


def kinematics(platform: Platform) -> None:
    pose, *_ = states(platform, BATCH)
    rng = np.random.default_rng(1)
    guess = np.concatenate([nearby(row, rng, 1) for row in pose])
    lengths = platform.leg_lengths(pose)
    lw.set_threads(1)
    seconds = side_by_side({"newton": lambda: platform.forward_kinematics(lengths, guess)})["newton"]
    found = platform.forward_kinematics(lengths, guess)
    residual = np.abs(platform.leg_lengths(found) - lengths).max()
    console.print(
        f"forward kinematics of {platform.name} from guesses within 5 cm and 0.1 rad, one core: "
        f"{BATCH / seconds / 1e6:.2f} million poses per second (goal 1), residual {residual:.1e} m "
        "(goal 1e-12)"
    )
    lw.set_threads(None)


def single_calls(platform: Platform) -> None:
    """One state per call, from Python."""
    pose, twist, acceleration = (part[0] for part in states(platform, 1))
    loop = platform.kernel("inverse_dynamics").bind()
    loop(pose, twist, acceleration)
    many = 1_000
    contenders = {
        "inverse_dynamics": lambda: platform.inverse_dynamics(pose, twist, acceleration),
        "forward_dynamics": lambda: platform.forward_dynamics(pose, twist, acceleration),
        "joint_reactions": lambda: platform.joint_reactions(pose, twist, acceleration),
        "bound loop()": loop,
    }
    times = side_by_side({name: repeated(call, many) for name, call in contenders.items()})
    table = Table(title=f"{platform.name}, one state per call", title_justify="left")
    for column in ("call", "us", "goal"):
        table.add_column(column, justify="left" if column == "call" else "right")
    for name, seconds in times.items():
        goal = "<= 1.5" if name == "inverse_dynamics" else ""
        table.add_row(name, f"{seconds / many * 1e6:.2f}", goal)
    console.print(table)


def main() -> None:
    paper = lw.load("dasgupta1998")
    dynamics(physical(paper))
    dynamics(lw.load("simona"))
    single_calls(paper)
    operations(paper)
    kinematics(paper)


if __name__ == "__main__":
    main()
