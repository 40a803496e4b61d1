"""The workspace of parallel robots: what ends it, and how large it is, by other means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.reports.workspace import workspace_report

LIMIT = np.radians(60)  # of a Delta's motors


def test_excursions_of_a_delta_end_at_a_motor() -> None:
    robot = lw.load_parallel("delta")
    found = lw.workspace(robot)
    assert found.axes == ("x", "y", "z")
    for k, one in enumerate(found.excursions):
        for end, limit in ((one.lowest, one.lowest_limit), (one.highest, one.highest_limit)):
            c = robot.home.copy()
            c[k] = end
            assert limit == "joint limit"
            assert np.abs(robot.inverse_kinematics(c)).max() == pytest.approx(LIMIT, abs=1e-7)


def test_volume_of_a_delta_by_counting() -> None:
    """Random points, judged by inverse kinematics, efforts and the side of the singularity alone."""
    robot = lw.load_parallel("delta")
    region = lw.workspace(robot, tolerance=0.03).volume
    low, high = region.extent
    c = np.random.default_rng(0).uniform(low, high, (100_000, 3))
    motors = robot.inverse_kinematics(c, errors="nan")
    inside = (np.abs(motors) <= LIMIT).all(axis=1)
    inside &= (np.abs(robot.gravity_load(c, errors="nan")) <= 120).all(axis=1)
    side = np.linalg.det(robot.jacobians(c[inside]).Jx)
    inside[inside] = side * np.linalg.det(robot.jacobians(robot.home).Jx) > 0
    counted = inside.mean() * (high - low).prod()
    assert region.content == pytest.approx(counted, rel=0.02)
    assert region.bounds[0] < counted < region.bounds[1]


@pytest.mark.parametrize(
    ("name", "axis", "limit"),
    [
        ("five-bar", "x", "reach"),
        ("planar-3rrr", "yaw", "parallel singularity"),
        ("agile-eye", "roll", "joint limit"),
        ("3-rps", "roll", "effort"),
    ],
)
def test_what_ends_it_is_told_apart(name: str, axis: str, limit: str) -> None:
    robot = lw.load_parallel(name)
    found = lw.workspace(robot)
    (one,) = (each for each in found.excursions if each.axis == axis)
    assert one.lowest_limit == limit
    before, beyond = (np.array(robot.home) for _ in range(2))
    k = robot.model.coordinates.index(axis)
    before[k], beyond[k] = one.lowest + 1e-4, one.lowest - 1e-4
    assert robot.margins(before).least > 0
    assert robot.margins(beyond).least < 0


def test_clearance_keeps_away_from_singularities() -> None:
    robot = lw.load_parallel("five-bar")
    wide, narrow = (lw.workspace(robot, clearance=clear).volume for clear in (0.0, 0.2))
    assert narrow.content < 0.95 * wide.content
    inside = narrow.inside + narrow.inside_edges / 2
    assert (robot.condition_number(inside) < 5.0).all()


def test_what_cannot_be_asked_is_told() -> None:
    robot = lw.load_parallel("delta")
    with pytest.raises(lw.InputError, match="coordinates of delta are x, y, z"):
        lw.workspace(robot, [0, 0, -1, 0, 0, 0])
    with pytest.raises(lw.InputError, match="leg_diameter is of Stewart platforms"):
        lw.workspace(robot, leg_diameter=0.1)
    with pytest.raises(lw.InputError, match=r"cannot stand at this pose.*reach"):
        _ = lw.workspace(robot, [0, 0, -9]).excursions
    legs = []
    for leg in lw.load_parallel("hexaglide").model.legs:
        joints = [replace(joint, limits=replace(joint.limits, position=None)) for joint in leg.joints]
        legs.append(replace(leg, joints=tuple(joints)))
    endless = lw.ParallelRobot(replace(lw.load_parallel("hexaglide").model, legs=tuple(legs)))
    with pytest.raises(lw.InputError, match="slides without limits"):
        _ = lw.workspace(endless).excursions


def test_a_page_for_few_coordinates() -> None:
    """Two coordinates of position make one slice, and no section of orientations."""
    html = workspace_report(lw.workspace(lw.load_parallel("five-bar"), tolerance=0.01)).html()
    assert "m²" in html
    assert "Orientations" not in html
    assert "greatest effort that holds the pose" in html
