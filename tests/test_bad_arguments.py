"""Random bad arguments to the public interface: an answer or an error of ours, no NumPy warning.

Every call starts from sound arguments, of which one or two are replaced by something wrong.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import linkwork as lw

FEW, MANY = 1000, 8000
# Slow, or of the package itself rather than of its users.
LEFT_OUT = frozenset({
    "kernel", "kernel_options", "make_kernel", "plant", "plan", "assembly_modes", "random_motion",
    "quantities", "snapshot_recipe",
})  # fmt: skip
# Of robots with closed loops they take seconds to compile; arguments go the same way as those of arms.
LONG_ONLY = frozenset({
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor", "joint_reactions",
    "stiffness", "margins", "demand", "natural_frequencies", "effort_parts", "force_parts",
})  # fmt: skip
FLAT = np.array([0.1, -0.2])


class Call(NamedTuple):
    name: str
    function: Callable[..., Any]
    sound: dict[str, Any]


def sound_values(robot: lw.Robot) -> dict[str, Any]:
    """An argument by its name."""
    random = np.random.default_rng(0)
    n, home = len(robot.velocities), robot.home
    still = np.zeros(n)
    actuators = robot.actuator_motion(home).position
    effort = random.normal(size=len(robot.efforts))
    return {
        **dict.fromkeys(("q", "c", "pose", "position", "start"), home),
        **dict.fromkeys(("qd", "cd", "twist", "velocity", "qdd", "cdd", "acceleration"), still),
        **dict.fromkeys(("rates", "accelerations"), np.zeros(len(robot.efforts))),
        **dict.fromkeys(("tau", "force", "effort"), effort),
        **dict.fromkeys(("lengths", "actuators"), actuators),
        "gravity": np.array([0.0, 0.0, -9.81]),
        **dict.fromkeys(("wrench", "tip_wrench"), np.ones(6)),
        "friction": True, "rotors": True, "limits": True, "errors": "raise", "guess": None, "seed": 0,
        "time": None, "frame": None, "fixed": None, "mask": None, "restarts": 1, "tolerance": 1e-10,
        "length_scale": "platform", "shared_legs": False, "name": "gravity", "poses": home[None],
        "mass": 1.0, "center_of_mass": [0, 0, 0.1], "inertia": np.eye(3), "formulation": None,
        "values": {}, "base_motion": None, "posture": None,
    }  # fmt: skip


def methods(robot: lw.Robot, left_out: frozenset[str]) -> list[Call]:
    values, found = sound_values(robot), []
    for name in dir(type(robot)):
        method = getattr(type(robot), name)
        if name.startswith("_") or name in left_out or not inspect.isfunction(method):
            continue
        wanted = list(inspect.signature(method).parameters.values())[1:]
        if any(p.default is p.empty and p.name not in values for p in wanted):
            continue
        taken = {p.name: values[p.name] for p in wanted if p.name in values}
        # What is not asked for keeps its default.
        given = {k: v for k, v in taken.items() if v is not None}
        found.append(Call(f"{robot.name}.{name}", getattr(robot, name), given))
    return found


def functions(folder: Path) -> list[Call]:
    arm, platform = lw.load_arm("planar-2r"), lw.load_platform("small-hexapod")
    line = lw.Quintic(np.zeros(2), FLAT, 0.05)
    law = lw.ComputedTorque(arm, line, 100.0, 20.0)
    pose = platform.home
    time = np.linspace(0, 1, 8)
    short = {"duration": 0.02, "step": 0.01}
    table: list[tuple[Any, dict[str, Any]]] = [
        (lw.Quintic, {"start": FLAT, "end": -FLAT, "duration": 1.0}),
        (lw.Cubic, {"start": FLAT, "end": -FLAT, "duration": 1.0}),
        (lw.Blend, {"start": FLAT, "end": -FLAT, "duration": 1.0, "blend": 0.2}),
        (lw.Trapezoid, {"start": FLAT, "end": -FLAT, "velocity": 1.0, "acceleration": 2.0}),
        (lw.Waypoints, {"points": np.outer(time, FLAT), "times": time, "ends": "rest"}),
        (lw.PoseWaypoints, {"poses": np.tile(pose, (3, 1)), "duration": 1.0, "ends": "rest"}),
        (lw.Sampled, {"time": time, "q": np.outer(time, FLAT), "qd": np.tile(FLAT, (8, 1))}),
        (lw.SampledPoses, {"time": time, "pose": np.tile(pose, (8, 1))}),
        (
            lw.Excitation,
            {"center": FLAT, "amplitude": 0.1, "base_frequency": 0.5, "harmonics": 4, "seed": 1},
        ),
        (
            lw.StraightLine,
            {"start": pose, "end": pose + 0.01, "duration": 2.0, "speed": 0.1, "turn_rate": 0.1},
        ),
        (lw.ToolPath, {"poses": np.tile(pose, (3, 1)), "duration": 1.0, "blend": 0.01}),
        (lw.LegPath, {"platform": platform, "legs": lw.Quintic(*[platform.leg_lengths(pose)] * 2, 1.0)}),
        (lw.ComputedTorque, {"robot": arm, "trajectory": line, "kp": 100.0, "kv": 20.0, "period": 0.01}),
        (lw.GravityCompensation, {"robot": arm, "trajectory": line, "kp": 100.0, "kv": 20.0}),
        (
            lw.TaskSpaceControl,
            {"robot": platform, "trajectory": lw.paper_path("dasgupta-I"), "kp": 9.0, "kv": 6.0},
        ),
        (lw.gains, {"bandwidth": 2.0, "damping": 1.0}),
        (lw.point_load, {"mass": 1.0, "place": [0, 0, 0.1]}),
        (lw.DigitalLoop, {"resolution": 1e-3, "noise": 1e-3, "delay": 0.0, "seed": 0}),
        (
            lw.simulate,
            {"robot": arm, "controller": law, "start": np.zeros(2), "integrator": "rk4", **short},
        ),
        (
            lw.rollout,
            {"robot": arm, "controller": law, "variations": {"mass_scale": np.ones(2)}, **short},
        ),
        (
            lw.time_optimal,
            {
                "robot": arm,
                "path": line,
                "velocity": 1.0,
                "acceleration": 2.0,
                "effort": 500.0,
                "grid": 40,
            },
        ),
        (lw.write_motion, {"trajectory": line, "path": folder / "m.csv", "period": 0.01}),
        (lw.write_robot, {"robot": arm, "path": folder / "r.yaml"}),
        (lw.load, {"source": "planar-2r", "tip": None, "fix": None}),
        (lw.findings, {"source": "planar-2r", "chain": None}),
        (lw.read_motion, {"path": folder / "none.csv", "joint_names": ("a", "b")}),
        (lw.paper_path, {"name": "dasgupta-I"}),
        (lw.bundled_names, {"kind": "arm"}),
        (line.at, {"t": time}),
        (line.sample, {"period": 0.1}),
    ]
    return [Call(function.__qualname__, function, sound) for function, sound in table]


@cache
def robots() -> tuple[lw.Robot, ...]:
    return tuple(map(lw.load, ("planar-2r", "small-hexapod", "five-bar")))


def bad_values(sound: Any, random: np.random.Generator) -> Any:
    """Something wrong in place of a sound argument."""
    anything: list[Any] = [
        None, "text", "", b"bytes", object(), {}, [], (), {"a": 1}, True, -1, 0, 1.5, 1e308, -1e-300,
        float("nan"), float("inf"), 1 + 2j, np.nan, np.array([]), np.zeros((0, 2)), [[1, 2], [3]],
        np.array(["a", "b"]), np.ma.masked_array([1.0, 2.0], mask=[True, False]), np.zeros((2, 3, 4)),
        np.array([None, 1.0]), lambda: 0, range(3), np.float32(2), 10**400, "\0", Path("x"), int,
    ]  # fmt: skip
    if not isinstance(sound, np.ndarray) or not sound.size or random.random() < 0.4:
        return anything[random.integers(len(anything))]
    row = np.array(sound, dtype=np.float64)
    match random.integers(9):
        case 0:
            row.flat[random.integers(row.size)] = [np.nan, np.inf, -np.inf, 1e308, 1e-320][
                random.integers(5)
            ]
            return row
        case 1:
            return row[..., :-1]
        case 2:
            return np.concatenate([row, row], axis=-1)
        case 3:
            return np.tile(row, (int(random.integers(1, 4)), *[1] * row.ndim))  # unequal batches
        case 4:
            return row.tolist()
        case 5:
            return row.astype(
                [np.complex128, np.float32, np.int64, np.bool_, object][random.integers(5)]
            )
        case 6:
            return row[..., None]
        case 7:
            return np.asfortranarray(np.tile(row, (2, *[1] * row.ndim)))[::-1]
        case _:
            return row * 10.0 ** random.integers(-200, 200)


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Arguments without names where names are not allowed."""
    names = list(arguments)
    wanted = inspect.signature(function).parameters
    unnamed = [p.name for p in wanted.values() if p.kind is p.POSITIONAL_ONLY and p.name in names]
    function(*(arguments[n] for n in unnamed), **{n: arguments[n] for n in names if n not in unnamed})


def attack(folder: Path, count: int, seed: int, of_arms: frozenset[str] = frozenset()) -> None:
    """Methods in `of_arms` are left out for other robots than the first."""
    random = np.random.default_rng(seed)
    calls = functions(folder)
    for k, robot in enumerate(robots()):
        calls += methods(robot, LEFT_OUT | of_arms if k else LEFT_OUT)
    foreign, answers = [], 0
    for k in range(count):
        name, function, sound = calls[k % len(calls)]
        arguments = dict(sound)
        for _ in range(random.integers(1, 3)):
            key = list(arguments)[random.integers(len(arguments))] if arguments else None
            if key is not None:
                arguments[key] = bad_values(sound[key], random)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", lw.RobotWarning)
                warnings.simplefilter("ignore", lw.BranchWarning)
                called(function, arguments)
            answers += 1
        except lw.LinkworkError:
            pass
        except Exception as error:
            changed = {key: value for key, value in arguments.items() if value is not sound.get(key)}
            foreign.append(f"{name}({changed}): {type(error).__name__}: {error}"[:400])
    assert not foreign, f"{len(foreign)} of {count}:\n" + "\n".join(foreign)
    assert answers


def test_bad_arguments(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    attack(tmp_path, FEW, 0, LONG_ONLY)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 4))
def test_many_bad_arguments(tmp_path, monkeypatch, seed) -> None:
    monkeypatch.chdir(tmp_path)
    attack(tmp_path, MANY, seed)
