"""Workspaces against areas and volumes known by formula, and against limits checked one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.region import find_region, first_exit, reach_bound
from linkwork.analysis.workspace import Workspace, workspace_of
from linkwork.core.rotations import rotation_of, with_quaternion
from linkwork.kinematics.segments import segment_distances
from linkwork.reports.workspace import workspace_report
from linkwork.robot.robot import Mechanism
from tests.cli.process import run


def ball(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return 1 - np.linalg.norm(points, axis=1), np.zeros(len(points), dtype=int)


@pytest.mark.parametrize(("d", "truth"), [(1, 2.0), (2, np.pi), (3, 4 * np.pi / 3)])
def test_balls(d: int, truth: float) -> None:
    found = find_region(ball, np.full(d, -1.3), np.full(d, 1.2), 0.02)
    low, high = found.bounds
    assert low <= truth <= high
    assert found.content == pytest.approx(truth, rel=1e-3)
    assert (found.edges <= 0.02).all()
    np.testing.assert_allclose(found.extent[1], 1.0, atol=0.02)


def test_a_tolerance_that_is_too_fine(monkeypatch) -> None:
    monkeypatch.setattr("linkwork.analysis.region.MOST_CELLS", 1000)
    with pytest.raises(lw.InputError, match="take a greater one"):
        find_region(ball, np.full(3, -1.3), np.full(3, 1.2), 1e-5)
    with pytest.raises(lw.InputError, match="above 0"):
        find_region(ball, np.full(2, -1.3), np.full(2, 1.2), 0.0)


def test_first_exit_is_the_nearest() -> None:
    def two_gaps(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.sin(x[:, 0]), np.full(len(x), 4)

    assert first_exit(two_gaps, 0.5, 12.0, 1e-10) == (pytest.approx(np.pi, abs=1e-9), 4)
    assert first_exit(two_gaps, 0.5, 3.0, 1e-10) == (3.0, None)


@pytest.fixture(scope="module")
def simona() -> lw.Platform:
    return lw.load_platform("simona")


def test_margins_agree_with_limits_checked_one_by_one(simona: lw.Platform) -> None:
    rng = np.random.default_rng(0)
    pose = np.tile(np.append(simona.home[:3], [0.0, 0, 0]), (2000, 1))
    pose += rng.uniform(-1, 1, pose.shape) * [1.5, 1.5, 1, 0.8, 0.8, 0.8]
    found = simona.margins(pose, clearance=0.05, leg_diameter=0.3)
    kept = (found.length >= 0) & (found.universal_angle >= 0) & (found.spherical_angle >= 0)
    np.testing.assert_array_equal(kept, ~simona.check_limits(pose).mask)
    force = np.abs(simona.gravity_load(pose)).max(axis=1)
    np.testing.assert_allclose(found.holding_force, force, rtol=1e-9)
    np.testing.assert_array_equal(found.force >= 0, force <= 40000)
    J = simona.jacobian(pose)
    home = np.linalg.det(simona.jacobian(simona.home))
    side = np.linalg.det(J) * home > 0
    J[..., 3:] /= 1.6
    least = np.linalg.svd(J, compute_uv=False)[:, -1]
    np.testing.assert_array_equal(found.singularity > -1, side)
    bound = found.singularity[side] + 0.05
    assert (bound <= least[side] * (1 + 1e-9)).all()
    assert (bound >= least[side] / np.sqrt(6)).all()
    base, platform = simona.model.points()
    R = np.stack([rotation_of(each) for each in with_quaternion(pose)])
    ends = np.einsum("nij,kj->nki", R, platform) + pose[:, None, :3]
    gaps = [
        segment_distances(base[i], ends[:, i], base[j], ends[:, j]) for i, j in combinations(range(6), 2)
    ]
    np.testing.assert_allclose(found.legs + 0.3, np.min(gaps, axis=0), atol=1e-12)


def test_excursions_end_where_their_limit_is_met(simona: lw.Platform) -> None:
    found = lw.workspace(simona)
    for k, one in enumerate(found.excursions):
        for end, limit in ((one.lowest, one.lowest_limit), (one.highest, one.highest_limit)):
            pose = found.pose.copy()
            pose[k] = end
            assert limit == "leg length"
            lengths = simona.leg_lengths(pose)
            gap = min(np.abs(lengths - 2.081).min(), np.abs(lengths - 3.331).min())
            assert gap < 1e-6
            assert simona.check_limits(pose).ok


def test_volume_of_half_a_shell(simona: lw.Platform) -> None:
    """One leg bounded: a shell about its base. Level platforms are singular at no height but zero."""
    first, *others = (replace(leg, limits=type(leg.limits)()) for leg in simona.model.legs)
    first = replace(first, limits=type(first.limits)(length=(1.0, 1.5)))
    robot = lw.Platform(
        replace(simona.model, legs=(first, *others), home=np.array([0, 0, 1.2, 0, 0, 0]))
    )
    volume = lw.workspace(robot, tolerance=0.03).volume
    truth = 2 * np.pi / 3 * (1.5**3 - 1.0)
    assert volume.bounds[0] <= truth <= volume.bounds[1]
    assert volume.content == pytest.approx(truth, rel=1e-2)


def test_a_planar_arm_reaches_a_ring() -> None:
    links = [
        {
            "joint": "revolute",
            "a": a,
            "mass": 1,
            "inertia": [0.1, 0.1, 0.1],
            "center_of_mass": [-a / 2, 0, 0],
        }
        for a in (1.0, 0.6)
    ]
    arm = lw.load({"kind": "arm", "name": "ring", "convention": "standard", "links": links})
    found = lw.arm_workspace(arm)
    assert found.moving_axes == ("x", "y")
    low, high = found.region.bounds
    truth = np.pi * (1.6**2 - 0.4**2)
    assert low <= truth <= high
    assert found.region.content == pytest.approx(truth, rel=5e-3)
    assert "m²" in workspace_report(found).html()


def test_limits_end_what_an_arm_reaches() -> None:
    """A polar arm, revolute then prismatic, half a turn and 0.5 m to 1 m: half a ring."""
    links = [
        {"joint": "revolute", "alpha": "90 deg", "mass": 1, "inertia": [0.1, 0.1, 0.1]},
        {"joint": "prismatic", "mass": 1, "inertia": [0.1, 0.1, 0.1]},
    ]
    links[0]["limits"] = {"position": ["-90 deg", "90 deg"]}
    links[1]["limits"] = {"position": [0.5, 1.0]}
    arm = lw.load({"kind": "arm", "name": "polar", "convention": "standard", "links": links})
    found = lw.arm_workspace(arm)
    assert found.region.content == pytest.approx(np.pi * (1 - 0.25) / 2, rel=1e-2)


def test_no_place_amid_the_workspace_is_left_unsolved() -> None:
    """A slice through a PUMA: whatever stands outside with most of its neighbors inside has none."""
    found = lw.arm_workspace(lw.load("puma560")).slice("x", "z")
    inside = np.pad(np.asarray(found.kind) == -1, 1)
    around = sum(np.roll(inside, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    assert not (~inside & (around > 6)).any()
    assert inside.sum() > 1000


def test_excursions_say_from_where(tmp_path) -> None:
    words = ("workspace", "simona", "--tolerance", "0.5", "--pose", "0,0,2.5,0,5deg,0")
    assert "goes from the given pose, the others there" in run(*words, cwd=tmp_path).stdout
    said = run(
        "workspace", "simona", "--tolerance", "0.5", "--pose", "0,0,2.5,0,5,0", cwd=tmp_path, code=2
    )
    assert "5 rad is 286 deg; did you mean 5 deg?" in said.stderr + said.stdout


def test_what_has_no_end_is_told() -> None:
    with pytest.raises(lw.InputError, match="slides without limits"):
        _ = lw.workspace(lw.load("dasgupta1998")).excursions
    link = {"joint": "prismatic", "mass": 1, "inertia": [0.1, 0.1, 0.1]}
    arm = lw.load({"kind": "arm", "name": "rail", "convention": "standard", "links": [link]})
    with pytest.raises(lw.InputError, match="slides without limits"):
        _ = lw.arm_workspace(arm).radius
    for wrong in ({"clearance": -1.0}, {"leg_diameter": float("nan")}):
        with pytest.raises(lw.InputError):
            lw.load("simona").margins(np.array([0, 0, 2.4, 0, 0, 0]), **wrong)


def test_orientations_and_poses_that_cannot_be(simona: lw.Platform) -> None:
    """Upside down nothing is reached; from a pose beyond the legs no excursion begins."""
    empty = lw.workspace(simona, [0, 0, 2.4, 3.0, 0, 0], tolerance=0.2).volume
    assert empty.content == 0.0
    assert np.isnan(empty.extent).all()
    with pytest.raises(lw.InputError, match=r"cannot stand at this pose.*leg length"):
        _ = lw.workspace(simona, [0, 0, 9, 0, 0, 0]).excursions


def test_robots_of_the_other_kind() -> None:
    with pytest.raises(lw.InputError, match="expected a robot"):
        lw.workspace("ur5")
    with pytest.raises(lw.InputError, match="expected an arm"):
        lw.arm_workspace(lw.load("simona"))


def test_page_and_command(tmp_path) -> None:
    words = ("workspace", "simona", "--tolerance", "0.2", "--json", "-o", "boundary.csv")
    words += ("--report", "page.html")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert [one["axis"] for one in facts["excursions"]] == ["x", "y", "z", "roll", "pitch", "yaw"]
    assert facts["volume_bounds"][0] < facts["volume"] < facts["volume_bounds"][1]
    assert (tmp_path / "boundary.csv").read_text().startswith("x,y,z,ended_by\n")
    assert "slides without limits" in run("workspace", "dasgupta1998", cwd=tmp_path, code=2).stderr
    assert "slice-x-z" in (tmp_path / "page.html").read_text()


def test_a_workspace_far_smaller_than_the_reach_of_its_legs_has_its_volume() -> None:
    """Much of it lies between the points of a grid over all that the longest legs reach."""
    robot = lw.load("pi-h811")
    side = np.linspace(-0.03, 0.03, 61)
    points = np.stack(np.meshgrid(side, side, side / 3, indexing="ij"), axis=-1).reshape(-1, 3)
    poses = np.column_stack([points, np.zeros_like(points)])
    reached = np.count_nonzero(robot.margins(poses, errors="nan").least >= 0)
    counted = reached * (side[1] - side[0]) ** 3 / 3
    assert lw.workspace(robot).volume.content == pytest.approx(counted, rel=0.01)


# Robots with loops.

MOTOR = np.radians(60)  # of a Delta's motors


def test_excursions_of_a_delta_end_at_a_motor() -> None:
    robot = lw.load_parallel("delta")
    found = lw.workspace(robot)
    assert found.axes == ("x", "y", "z")
    for k, one in enumerate(found.excursions):
        for end, limit in ((one.lowest, one.lowest_limit), (one.highest, one.highest_limit)):
            c = robot.home.copy()
            c[k] = end
            assert limit == "joint limit"
            assert np.abs(robot.inverse_kinematics(c)).max() == pytest.approx(MOTOR, abs=1e-7)


def test_volume_of_a_delta_by_counting() -> None:
    """Random points, judged by inverse kinematics, efforts and the side of the singularity alone."""
    robot = lw.load_parallel("delta")
    region = lw.workspace(robot, tolerance=0.03).volume
    low, high = region.extent
    c = np.random.default_rng(0).uniform(low, high, (100_000, 3))
    motors = robot.inverse_kinematics(c, errors="nan")
    inside = (np.abs(motors) <= MOTOR).all(axis=1)
    inside &= (np.abs(robot.gravity_load(c, errors="nan")) <= 120).all(axis=1)
    side = np.linalg.det(robot.jacobians(c[inside]).direct_jacobian)
    inside[inside] = side * np.linalg.det(robot.jacobians(robot.home).direct_jacobian) > 0
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


def test_what_cannot_be_asked_of_loops_is_told() -> None:
    robot = lw.load_parallel("delta")
    with pytest.raises(lw.InputError, match="coordinates of delta are x, y, z"):
        lw.workspace(robot, [0, 0, -1, 0, 0, 0])
    with pytest.raises(lw.InputError, match="leg_diameter applies to Stewart platforms only"):
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


# Mechanisms in their own coordinates.


def workspace_by_name(name: str, **options: float) -> Workspace:
    return lw.workspace(lw.load_mechanism(name), **options)


def test_joints_go_to_their_limits() -> None:
    found = workspace_by_name("palletizer", tolerance=0.2)
    limits = {each.name: each.limits.position for each in found.robot.elements}
    for one in found.excursions:
        low, high = limits[one.axis]
        assert (one.lowest, one.highest) == pytest.approx((low, high), abs=1e-6)
        assert one.lowest_limit == one.highest_limit == "joint limit"
        assert one.unit == "rad"
    assert found.main_axes == ("swing", "shoulder", "drive")
    box = np.prod([np.diff(limits[axis])[0] for axis in found.main_axes])
    assert found.main.content == pytest.approx(box, rel=0.1)


@pytest.mark.parametrize(
    ("name", "axis"), [("par4", "front.x"), pytest.param("excavator", "stick", marks=pytest.mark.long)]
)
def test_excursions_end_where_a_margin_does(name: str, axis: str) -> None:
    found = workspace_by_name(name)
    (one,) = (each for each in found.excursions if each.axis == axis)
    k = found.axes.index(axis)
    for end, outward in ((one.lowest, -1e-4), (one.highest, 1e-4)):
        c = np.tile(found.pose, (2, 1))
        c[:, k] = end - outward, end + outward
        least = found.margins(c).least
        assert least[0] > 0 > least[1]


def test_the_tool_stays_in_its_box() -> None:
    found = workspace_by_name("ankle")
    assert found.tool_box is not None
    low, high = found.tool_box
    places = found.robot.body_pose(found.robot.random_states(200)[0])[:, :3]
    room = 0.02 * (high - low)
    assert ((places >= low - room) & (places <= high + room)).all()
    assert lw.workspace(lw.load("five-bar")).tool_box is None  # its coordinates tell it


@pytest.mark.parametrize("name", ["par4", "hexapod-with-arm"])
def test_reach_is_bounded(name: str) -> None:
    robot = lw.load_mechanism(name)
    body = robot.model.coordinates[0].of
    low, high = reach_bound(robot.model, body, robot.model.part(body).frame.p, "base")
    c = robot.random_states(500)[0]
    places = robot.body_pose(c[np.isfinite(robot.inverse_kinematics(c, errors="nan")).all(-1)], body)
    assert ((places[:, :3] > low) & (places[:, :3] < high)).all()
    assert (high - low < 6 * robot.size).all()


def test_what_cannot_be_asked_of_mechanisms_is_told() -> None:
    robot = lw.load_mechanism("palletizer")
    with pytest.raises(
        lw.InputError, match="coordinates of palletizer are swing, shoulder, drive, hand"
    ):
        lw.workspace(robot, [0, 0, 0])
    with pytest.raises(lw.InputError, match="leg_diameter applies to Stewart platforms only"):
        lw.workspace(robot, leg_diameter=0.1)
    endless = lw.load_mechanism("hexapod-with-arm").model
    free = [replace(each, limits=replace(each.limits, position=None)) for each in endless.cylinders]
    found = lw.workspace(Mechanism(replace(endless, cylinders=tuple(free))))
    with pytest.raises(lw.InputError, match="slides without limits"):
        _ = found.excursions


def test_a_page_of_joints() -> None:
    html = workspace_report(workspace_by_name("ankle", tolerance=0.02)).html()
    assert "rad²" in html
    assert "Where the tool goes" in html
    assert "In space" not in html


def test_a_tip_has_an_orientation_and_coordinates_have_a_pose() -> None:
    assert workspace_of(lw.load("ur5"), orientation=[0, 0, 0]).axes == ("x", "y", "z")
    assert workspace_of(lw.load("agile-eye")).turns == ("roll", "pitch", "yaw")
    with pytest.raises(lw.InputError, match="takes no pose"):
        workspace_of(lw.load("ur5"), pose=np.zeros(6))
    with pytest.raises(lw.InputError, match="takes no orientation of a tip"):
        workspace_of(lw.load("simona"), orientation=[0, 0, 0])


def test_maps_show_the_numbers_of_the_robot(simona: lw.Platform) -> None:
    found = lw.workspace(simona, tolerance=0.2)
    one = found.slice("x", "z")
    i, k = np.argwhere(one.kind < 0)[0]
    pose = found.pose.copy()
    pose[[0, 2]] = one.first[i], one.second[k]
    assert one.maps["condition number"][i, k] == pytest.approx(simona.condition_number(pose), rel=1e-12)
    force = np.abs(simona.gravity_load(pose)).max()
    assert one.maps["holding effort"][i, k] == pytest.approx(force, rel=1e-9)
