"""Cones of universal and ball joints about their mounting axes, against vectors, for every kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.model.findings import lint
from linkwork.model.robot_files import robot_document

EXAMPLES = Path(__file__).parents[2] / "examples"
TILTED = np.array([0.0, 0.1, -1.0]) / np.hypot(0.1, 1.0)
AROUND = np.radians([0.0, 120.0, 240.0])


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angles of vectors."""
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.asarray(np.arccos((a * b).sum(axis=-1) / lengths))


def example(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((EXAMPLES / name).read_text()))


def simulator(**limits: object) -> dict[str, Any]:
    document = example("flight-simulator.yaml")
    document["leg_defaults"]["limits"] = limits
    return document


def delta(outer: object = "40 deg", axis: object = None, **more: object) -> dict[str, Any]:
    document = example("my-delta.yaml")
    _, elbow, wrist = document["legs"][0]["joints"]
    elbow |= {"cone": {"angle": "30 deg"}, **more}
    wrist["cone"] = {"angle": outer, "axis": [0, 0, 1] if axis is None else axis}
    return document


def as_mechanism(document: dict[str, Any]) -> lw.Robot:
    """The same machine as a `kind: mechanism`."""
    return lw.load(robot_document(lw.load(document).mechanism))


def places(count: int = 20) -> np.ndarray:
    return np.array([0, 0, -0.62]) + np.random.default_rng(1).uniform(-0.06, 0.06, (count, 3))


def forearms(robot: lw.Robot, c: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of each leg of the Delta, the forearm from elbow to wrist, and its direction at home as the turned
    upper arm carries it."""
    angles = robot.inverse_kinematics(c)
    assert isinstance(angles, np.ndarray)
    for k, turn in enumerate(AROUND):
        R = rotation_of(np.array([0, 0, 0, 0, 0, turn]))
        arms = np.array([rotation_of(np.array([0, 0, 0, 0, angle, 0])) for angle in angles[:, k]])
        elbow = (np.array([0.2, 0, 0]) + arms @ np.array([0.22, 0, -0.12])) @ R.T
        wrist = c + R @ np.array([0.05, 0, 0])
        yield wrist - elbow, (arms @ (np.array([0.05, 0, -0.62]) - np.array([0.42, 0, -0.12]))) @ R.T


def test_legs_of_a_platform() -> None:
    axes = {"universal_axis": [0, 0, 1], "spherical_axis": TILTED.tolist()}
    robot = lw.load_platform(simulator(universal_angle="40 deg", spherical_angle="50 deg", **axes))
    poses = np.zeros((20, 6))
    poses[:] = np.random.default_rng(0).normal(size=poses.shape) * [0.2, 0.2, 0.2, 0.1, 0.1, 0.1]
    poses[:, 2] += 2
    found = robot.joint_angles(poses)
    for k, leg in enumerate(robot.model.legs):
        R = np.array([rotation_of(pose) for pose in poses])
        way = poses[:, :3] + R @ leg.platform_point - leg.base_point
        assert found.universal[:, k] == pytest.approx(between(way, np.array([[0, 0, 1.0]])), abs=1e-9)
        assert found.spherical[:, k] == pytest.approx(between(-way, R @ TILTED), abs=1e-9)
    report = robot.check_limits(poses)
    assert report.least is not None
    used = max(found.universal.max() / np.radians(40), found.spherical.max() / np.radians(50))
    assert report.least.value == pytest.approx(1 - used, rel=1e-9)
    again = lw.load_platform(robot_document(robot.model))
    assert again.joint_angles(poses).spherical == pytest.approx(found.spherical, abs=1e-12)


@pytest.mark.parametrize("kind", ["family", "two rods", "mechanism"])
def test_arms_of_a_delta(kind: str) -> None:
    document = delta(apart=0.1) if kind == "two rods" else delta()
    robot = as_mechanism(document) if kind == "mechanism" else lw.load(document)
    c = places()
    angles = robot.cone_angles(c).reshape(len(c), 3, 2)
    for k, (way, at_home) in enumerate(forearms(robot, c)):
        assert angles[:, k, 0] == pytest.approx(between(way, at_home), abs=1e-7)
        assert angles[:, k, 1] == pytest.approx(between(-way, np.array([[0, 0, 1.0]])), abs=1e-9)
    report = robot.check_limits(c)
    assert report.least is not None
    used = angles.max(axis=(0, 1)) / np.radians([30, 40])
    assert (report.least.limit, report.least.value) == ("cone", pytest.approx(1 - used.max()))
    assert (report.least.value < 0) == bool(report.breaks)


def test_a_cone_ends_the_workspace_and_refutes_a_certificate() -> None:
    free, bound = lw.load(delta("80 deg")), lw.load(delta("40 deg"))
    far = np.array([0.1, 0.0, -0.62])
    assert free.margins(far).least > 0 > bound.margins(far).least
    region = {"x": [-0.005, 0.005], "y": [-0.005, 0.005], "z": [-0.625, -0.615]}
    assert lw.certify(bound, region).verdict == "proven"
    found = lw.certify(bound, {**region, "x": [0.0, 0.1]})
    assert found.verdict == "refuted"
    assert found.witness is not None
    assert bound.check_limits(bound.coordinates.normalized(np.array([*found.witness.values()]))).breaks


def test_a_cone_that_leaves_out_home_is_a_finding() -> None:
    (finding,) = lint(delta(axis=[0, 0, -1]))
    assert (
        "beyond 40 deg; the axis points from the joint along the link: did you mean 0 0 1?"
        in finding.what
    )
    with pytest.raises(
        lw.LinkworkError, match=r"leg 'leg1' is .* deg from limits.universal_axis at home"
    ):
        lw.load(simulator(universal_angle="20 deg", universal_axis=[0, 0, -1]))


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (0, "cone: is for joints U and S; an R or P has limits"),
        (1, "cone: angle: is missing"),
    ],
)
def test_faults(joint: int, words: str) -> None:
    document = example("my-delta.yaml")
    document["legs"][0]["joints"][joint]["cone"] = {} if joint else {"angle": "20 deg"}
    with pytest.raises(lw.LinkworkError) as fault:
        lw.load(document)
    assert words.split(":")[-1] in str(fault.value)
