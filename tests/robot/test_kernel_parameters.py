"""Kernels some of whose inputs are fields of the robot file: equal to the robot with these numbers."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from tests.random_platforms import random_platform

GEOMETRY = {
    "base_radius": 1.65,
    "platform_radius": 1.6,
    "base_spread": "21 deg",
    "platform_spread": "7.2 deg",
    "height": 2.39,
}


def hexagon(**changes: object) -> dict[str, object]:
    part = {"mass": 50, "center_of_mass": [0.8, 0, 0.01], "inertia": [0.4, 12, 12]}
    return {
        "kind": "stewart-platform",
        "name": "simulator",
        "geometry": {**GEOMETRY, **changes},
        "platform": {"mass": 4000, "center_of_mass": [0, 0, 1], "inertia": [7000, 8300, 9400]},
        "leg_defaults": {"lower": part, "upper": {**part, "center_of_mass": [-0.8, 0.01, 0]}},
    }


def varied(robot: lw.Robot, names: list[str], rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {name: robot.field(name) * rng.uniform(0.9, 1.1, robot.field(name).shape) for name in names}


def states(robot: lw.Robot, rng: np.random.Generator, count: int = 20) -> list[np.ndarray]:
    if robot.actuated_element == "leg":
        pose = np.tile(robot.home, (count, 1))
        pose[:, :3] += rng.uniform(-0.05, 0.05, (count, 3))
        return [pose, *rng.normal(size=(2, count, 6))]
    return list(rng.normal(size=(3, count, robot.n)))


PLATFORM_FIELDS = [
    "platform.mass",
    "platform.center_of_mass",
    "platform.inertia",
    "legs.base_point",
    "legs[1].platform_point",
    "legs[2].fixed_axis",
    "legs[4].upper.mass",
    "legs[4].upper.inertia",
    "leg_defaults.lower.mass",
    "leg_defaults.friction.prismatic",
    "gravity",
]
ARM_FIELDS = ["links.mass", "links[1].center_of_mass", "links.inertia", "links.a", "links.d"]
ARM_FIELDS += ["links.friction.viscous", "links[3].rotor.inertia", "gravity"]


@pytest.mark.parametrize("method", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("seed", range(2))
def test_fields_of_platforms(method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = lw.Platform(random_platform(seed))
    values = varied(robot, PLATFORM_FIELDS, rng)
    kernel = robot.kernel(method, parameters=PLATFORM_FIELDS)
    motion = states(robot, rng)
    expected = getattr(robot.with_fields(values), method)(*motion)
    np.testing.assert_allclose(kernel(*motion, *values.values()), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["inverse_dynamics", "forward_dynamics", "jacobian"])
@pytest.mark.parametrize("name", ["puma560", "stanford", "panda"])
def test_fields_of_arms(method: str, name: str) -> None:
    rng = np.random.default_rng(1)
    robot = lw.load(name)
    values = varied(robot, ARM_FIELDS, rng)
    kernel = robot.kernel(method, parameters=ARM_FIELDS)
    motion = states(robot, rng)[: len(kernel.inputs) - len(ARM_FIELDS)]
    expected = getattr(robot.with_fields(values), method)(*motion)
    np.testing.assert_allclose(kernel(*motion, *values.values()), expected, rtol=1e-10, atol=1e-10)


def test_a_geometry_per_row() -> None:
    robot = lw.load(hexagon())
    names = ["geometry.base_radius", "geometry.platform_spread", "platform.mass"]
    kernel = robot.kernel("inverse_dynamics", parameters=names)
    rng = np.random.default_rng(3)
    rows = [varied(robot, names, rng) for _ in range(5)]
    pose, still = robot.home, np.zeros(6)
    found = kernel(pose, still, still, *[np.array([row[name] for row in rows]) for name in names])
    for forces, row in zip(found, rows, strict=True):
        expected = robot.with_fields(row).inverse_dynamics(pose, still, still)
        np.testing.assert_allclose(forces, expected, rtol=1e-12)


def test_the_geometry_of_a_file_survives_writing(tmp_path) -> None:
    robot = lw.load(hexagon(turn="30 deg")).with_fields({"geometry.base_radius": 2.0})
    path = tmp_path / "simulator.yaml"
    lw.write_robot(robot, path)
    assert "base_radius: 2.0" in path.read_text()
    again = lw.load(path)
    np.testing.assert_array_equal(again.model.points(), robot.model.points())
    assert again.model.geometry == robot.model.geometry
    radii = np.linalg.norm(again.model.points()[0], axis=1)
    np.testing.assert_allclose(radii, 2.0)


def test_the_geometry_of_simona() -> None:
    """Numbers of its file, which were worked out from gaps of 0.60 m and 0.20 m between joints."""
    simona = lw.load("simona")
    spreads = {
        "base_spread": 2 * np.arcsin(0.3 / 1.65),
        "platform_spread": 2 * np.arcsin(0.1 / 1.6),
        "height": 2.38990409,
    }
    robot = lw.load(hexagon(**spreads))
    np.testing.assert_allclose(robot.model.points(), simona.model.points(), atol=1e-8)
    axes = [[leg.fixed_axis for leg in each.model.legs] for each in (robot, simona)]
    np.testing.assert_allclose(*axes, atol=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"geometry": {**GEOMETRY, "base_spread": 20}}, "did you mean 20 deg"),
        ({"geometry": {**GEOMETRY, "height": -1}}, "geometry.height"),
        ({"home": [0, 0, 1, 0, 0, 0]}, "home: is given by geometry"),
        ({"legs": [{"base_point": [0, 0, 0]}, *[{}] * 5]}, "base_point: is given by geometry"),
        ({"legs": [{}] * 5}, "exactly 6"),
        ({"geometry": {"base_radius": 1}}, "platform_radius: is missing"),
    ],
)
def test_faults_of_a_geometry(change: dict[str, object], message: str) -> None:
    with pytest.raises(lw.LinkworkError, match=message):
        lw.load({**hexagon(), **change})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["legs.mas"], "there are"),
        (["links.mass"], "unknown field"),
        ("platform.mass", "list of fields"),
        (["platform.mass", "platform.mass"], "twice"),
        ([3], "list of fields"),
    ],
)
def test_unknown_fields(names: object, message: str) -> None:
    with pytest.raises(lw.InputError, match=message):
        lw.load("simona").kernel("inverse_dynamics", parameters=names)


def test_values_that_do_not_fit() -> None:
    robot = lw.load("simona")
    for value in ([1, 2], "heavy", np.nan, -3):
        with pytest.raises(lw.InputError, match=r"platform\.mass"):
            robot.with_fields({"platform.mass": value})


def test_stiffness_as_a_parameter() -> None:
    robot = lw.load("simona")
    kernel = robot.kernel("stiffness", parameters=["leg_defaults.stiffness"])
    for stiffness in (1e6, 3e7):
        expected = robot.with_fields({"leg_defaults.stiffness": stiffness}).stiffness(robot.home)
        np.testing.assert_allclose(kernel(robot.home, [stiffness]), expected, rtol=1e-12, atol=1e-3)


def test_minimal_needs_numbers() -> None:
    with pytest.raises(lw.InputError, match="with parameters use"):
        lw.load("puma560").kernel("inverse_dynamics", formulation="minimal", parameters=["gravity"])
