"""Random parallel robots: leg types, axes and freedoms mixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.core.errors import RobotFileError
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.robot_files import load_model
from tests.leg_screws import home_jacobian, home_rates

Point = np.ndarray
KINDS = (
    "hexapod",
    "hexapod",
    "hexapod",
    "delta",
    "heave-tilt",
    "planar",
    "five-bar",
    "tricept",
    "spherical",
)


def _list(v: Point) -> list[float]:
    return [float(x) for x in v]


def _unit(v: Point) -> Point:
    return v / np.linalg.norm(v)


def _body(rng: np.random.Generator, at: Point) -> dict[str, Any]:
    """Any body with an inertia that can be."""
    mass = float(rng.uniform(0.1, 2))
    points = 0.05 * rng.normal(size=(6, 3))
    points -= points.mean(axis=0)
    inertia = mass / 6 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
    inertia = (inertia + inertia.T) / 2
    center = _list(at + 0.03 * rng.normal(size=3))
    return {"mass": mass, "center_of_mass": center, "inertia": [_list(row) for row in inertia]}


def _rod(rng: np.random.Generator, one: Point, other: Point) -> dict[str, Any]:
    return {
        "mass": float(rng.uniform(0.1, 1)),
        "from": _list(one),
        "to": _list(other),
        "radius": float(rng.uniform(0.005, 0.02)),
    }


def _drive(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "actuated": True,
        "rotor": float(rng.uniform(0, 0.01)),
        "viscous": float(rng.uniform(0, 2)),
        "coulomb": float(rng.uniform(0, 0.5)),
    }


def _leg(rng: np.random.Generator, kind: str, base: Point, tip: Point) -> dict[str, Any]:
    """A leg of six freedoms with one motor, and a general shape."""
    out = _unit(base * [1, 1, 0])
    knee = base + 0.25 * _unit(out + 0.4 * rng.normal(size=3))
    first, second = _unit(rng.normal(size=3)), _unit(rng.normal(size=3))
    end = {"S": None, "at": _list(tip), "viscous": float(rng.uniform(0, 0.1))}
    if kind == "UPS":
        joints = [
            {"U": [_list(first), _list(second)], "at": _list(base), "link": _body(rng, base)},
            {"P": _list(_unit(tip - base + 0.05 * rng.normal(size=3))), **_drive(rng)},
        ]
        joints[1]["link"] = _body(rng, tip)
        return {"joints": [*joints, end]}
    axis = _unit(np.cross(knee - base, tip - base) + 0.05 * rng.normal(size=3))
    if kind == "RRRS":
        other = _unit(np.cross(axis, tip - knee) + 0.1 * rng.normal(size=3))
        middle = (knee + tip) / 2 + 0.1 * rng.normal(size=3)
        places = ((axis, base), (axis + 0.3 * other, knee), (other, middle))
        joints = [{"R": _list(_unit(a)), "at": _list(p), "link": _body(rng, p)} for a, p in places]
        joints[int(rng.integers(2))].update(_drive(rng))
        return {"joints": [*joints, end]}
    arm: dict[str, Any] = {"at": _list(base), "link": _body(rng, base), **_drive(rng)}
    if kind.startswith("R"):
        arm["R"] = _list(axis)
    else:
        arm["P"] = _list(_unit(tip - knee + 0.4 * rng.normal(size=3)))
    rod: dict[str, Any] = {"at": _list(knee), "link": _rod(rng, knee, tip)}
    if kind.endswith("SS"):
        rod["S"] = None
    else:
        rod["U"] = [_list(first), _list(second)]
        rod["cross"] = _body(rng, knee)
        rod["link"] = _body(rng, (knee + tip) / 2)
    return {"joints": [arm, rod, end]}


def _start(name: str, rng: np.random.Generator, home: list[float], **more: Any) -> dict[str, Any]:
    return {
        "kind": "parallel-robot",
        "name": name,
        "gravity": _list(rng.normal(size=3) * 5),
        "home": home,
        "platform": _body(rng, np.zeros(3)),
        **more,
    }


def _hexapod(rng: np.random.Generator) -> dict[str, Any]:
    height = float(rng.uniform(0.4, 0.7))
    legs = []
    for k in range(6):
        a = 2 * np.pi * k / 6 + 0.3 * (-1) ** k
        b = 2 * np.pi * k / 6 - 0.35 * (-1) ** k
        base = np.array([0.5 * np.cos(a), 0.5 * np.sin(a), 0]) + 0.05 * rng.normal(size=3)
        tip = np.array([0.25 * np.cos(b), 0.25 * np.sin(b), height]) + 0.03 * rng.normal(size=3)
        legs.append(_leg(rng, str(rng.choice(["RUS", "PUS", "UPS", "RSS", "PSS", "RRRS"])), base, tip))
    return _start("hexapod", rng, [0, 0, height, 0, 0, 0], legs=legs)


def _around(rng: np.random.Generator, leg: dict[str, Any], name: str, **more: Any) -> dict[str, Any]:
    return _start(name, rng, legs=[{"repeat": "3 around z", **leg}], **more)


def _delta(rng: np.random.Generator) -> dict[str, Any]:
    base = np.array([rng.uniform(0.15, 0.3), 0, 0])
    knee = base + rng.uniform(0.15, 0.3) * _unit(np.array([1, 0, rng.uniform(-1, 0.3)]))
    height = float(rng.uniform(-0.8, -0.5))
    tip = np.array([rng.uniform(0.03, 0.1), 0, height])
    slides = rng.random() < 0.4
    arm = {"P": _list(rng.normal(size=3) * [0.3, 0, 1])} if slides else {"R": [0, 1, 0]}
    joints = [
        {**arm, "at": _list(base), "link": _body(rng, base), **_drive(rng)},
        {"U": [0, 1, 0], "at": _list(knee), "link": _body(rng, (knee + tip) / 2)},
        {"U": [0, 1, 0], "at": _list(tip)},
    ]
    home = [0, 0, height, 0, 0, 0]
    return _around(rng, {"joints": joints}, "delta", home=home, coordinates=["x", "y", "z"])


def _heave_tilt(rng: np.random.Generator) -> dict[str, Any]:
    base, height = np.array([rng.uniform(0.3, 0.5), 0, 0]), float(rng.uniform(0.4, 0.8))
    tip = np.array([rng.uniform(0.15, 0.25), 0, height])
    if rng.random() < 0.5:
        joints = [
            {"R": [0, 1, 0], "at": _list(base), "link": _body(rng, base)},
            {"P": _list(tip - base), "link": _body(rng, tip), **_drive(rng)},
        ]
    else:
        knee = base + np.array([0, 0, 0.05])
        way = _list(np.array([rng.uniform(-0.2, 0.2), 0, 1]))
        joints = [
            {"P": way, "at": _list(base), "link": _body(rng, base), **_drive(rng)},
            {"R": [0, 1, 0], "at": _list(knee), "link": _body(rng, (knee + tip) / 2)},
        ]
    joints.append({"S": None, "at": _list(tip)})
    names = {"coordinates": ["z", "roll", "pitch"], "parasitic": ["x", "y", "yaw"]}
    home = [0, 0, height, 0, 0, 0]
    return _around(rng, {"joints": joints}, "heave-tilt", home=home, **names)


def _planar(rng: np.random.Generator) -> dict[str, Any]:
    legs = []
    for k in range(3):
        a = 2 * np.pi * k / 3
        turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        base = turn @ np.array([0.45, 0, 0]) + 0.02 * rng.normal(size=3) * [1, 1, 0]
        knee = turn @ np.array([0.36, 0.25, 0]) + 0.02 * rng.normal(size=3) * [1, 1, 0]
        tip = turn @ np.array([0.1, 0.08, 0])
        R = {"R": [0, 0, 1]}
        shape = str(rng.choice(["RRR", "PRR", "RPR"]))
        if shape == "RPR":
            joints = [
                {**R, "at": _list(base), "link": _body(rng, base)},
                {"P": _list(tip - base), "link": _body(rng, tip), **_drive(rng)},
            ]
        else:
            way = {"P": _list(turn @ [0.2, 1, 0])}
            arm = R if shape == "RRR" else way
            joints = [
                {**arm, "at": _list(base), "link": _body(rng, base), **_drive(rng)},
                {**R, "at": _list(knee), "link": _body(rng, (knee + tip) / 2)},
            ]
        legs.append({"joints": [*joints, {**R, "at": _list(tip)}]})
    return _start("planar", rng, [0] * 6, coordinates=["x", "y", "yaw"], legs=legs)


def _five_bar(rng: np.random.Generator) -> dict[str, Any]:
    legs, tip = [], np.array([0, 0.35, 0])
    for side in (-1, 1):
        base = np.array([side * rng.uniform(0.08, 0.15), 0, 0])
        knee = np.array([side * rng.uniform(0.2, 0.28), rng.uniform(0.1, 0.2), 0])
        joints = [
            {"R": [0, 0, 1], "at": _list(base), "link": _body(rng, base), **_drive(rng)},
            {"R": [0, 0, 1], "at": _list(knee), "link": _body(rng, (knee + tip) / 2)},
            {"S": None, "at": _list(tip)},
        ]
        legs.append({"joints": joints})
    data = _start("five-bar", rng, [0, 0.35, 0, 0, 0, 0], coordinates=["x", "y"], legs=legs)
    return {**data, "platform": {"mass": 0.3}}


def _tricept(rng: np.random.Generator) -> dict[str, Any]:
    data = _start("tricept", rng, [0, 0, -0.9, 0, 0, 0], coordinates=["x", "y", "z"])
    base, tip = np.array([0.4, 0, 0.05]), np.array([0.15, 0, -0.9])
    leg = _leg(rng, "UPS", base, tip)
    guide = [
        {"U": [[1, 0, 0], [0, 1, 0]], "at": [0, 0, 0.1], "link": _body(rng, np.zeros(3))},
        {"P": [0, 0, -1], "link": _body(rng, np.array([0, 0, -0.4]))},
    ]
    legs = [{"repeat": "3 around z", **leg}, {"joints": guide}]
    return {**data, "parasitic": ["roll", "pitch", "yaw"], "legs": legs}


def _spherical(rng: np.random.Generator) -> dict[str, Any]:
    legs = []
    axes = np.eye(3) + 0.1 * rng.normal(size=(3, 3))
    for k in range(3):
        first, second, third = (_unit(axes[(k + j) % 3]) for j in range(3))
        here = np.zeros(3)
        joints = [
            {"R": _list(first), "at": [0, 0, 0], "link": _body(rng, here + 0.1 * first), **_drive(rng)},
            {"R": _list(second), "at": [0, 0, 0], "link": _body(rng, here + 0.1 * second)},
            {"R": _list(third), "at": [0, 0, 0]},
        ]
        legs.append({"frame": True, "joints": joints})
    return _start("spherical", rng, [0] * 6, coordinates=["roll", "pitch", "yaw"], legs=legs)


MAKERS = {
    "hexapod": _hexapod,
    "delta": _delta,
    "heave-tilt": _heave_tilt,
    "planar": _planar,
    "five-bar": _five_bar,
    "tricept": _tricept,
    "spherical": _spherical,
}


def random_parallel(seed: int) -> ParallelModel:
    """A robot; draws that are singular at home are drawn again."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(KINDS))
    while True:
        try:
            model = load_model(MAKERS[kind](rng))
        except RobotFileError as error:
            if "singularity" not in str(error):
                raise
        else:
            assert isinstance(model, ParallelModel)
            if well_conditioned(model):
                return model


def well_conditioned(model: ParallelModel) -> bool:
    """Whether home is away from serial and parallel singularities, where engines lose digits."""
    legs = [np.linalg.cond(home_jacobian(leg, model)) for leg in model.legs]
    rates = home_rates(model)[0][[joint.actuated for joint in model.joints]]
    return max(legs) < 30 and float(np.linalg.cond(rates)) < 100
