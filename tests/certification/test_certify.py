"""Certificates against direct calculations, random samples and planted violations."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.certification.boxes import Boxes, points
from linkwork.certification.checks import checks_of
from linkwork.certification.enclosed import Demands, Enclosed
from tests.cli.process import run

NEAR = {"x": [-0.05, 0.05], "y": [-0.04, 0.06], "z": [2.35, 2.42], "roll": ["-2 deg", "3 deg"]}
# A point on three cylinders: its workspace is what three spherical shells have in common.
TRIPOD = {
    "kind": "mechanism",
    "name": "tripod",
    "bodies": {"tip": {"point": True, "mass": 2.0, "at": [0, 0, 1]}},
    "cylinders": {
        f"c{k}": {"joins": ["base", "tip"], "from": start, "to": [0, 0, 1], "motor": True}
        | {"limits": {"position": [-0.3, 0.25]}}
        for k, start in enumerate(([1, 0, 0], [-0.5, 0.8, 0], [-0.5, -0.8, 0.1]))
    },
    "coordinates": [{"tip": ["x", "y", "z"]}],
}


def demands(robot: lw.Robot, **changes: object) -> Demands:
    plain = {"condition": np.inf, "leg_diameter": 0.0, "wrench": np.zeros((2, 6))}
    return Demands(**{**plain, "acceleration": np.zeros((2, robot.dof)), **changes})


def box_at_home(robot: lw.Robot, away: float, count: int = 400) -> tuple[Boxes, np.ndarray]:
    """Boxes near home, and a point in each."""
    rng = np.random.default_rng(0)
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    middle = home + away * rng.uniform(-1, 1, (count, len(home)))
    width = away * 10.0 ** rng.uniform(-6, -0.5, (count, 1))
    boxes = Boxes(middle - width, middle + width)
    return boxes, boxes.low + (boxes.high - boxes.low) * rng.uniform(0, 1, middle.shape)


@pytest.mark.parametrize("name", ["simona", "delta", "puma560", *(
    pytest.param(name, marks=pytest.mark.long) for name in ("five-bar", "palletizer"))])  # fmt: skip
def test_enclosures_hold_what_the_robot_computes(name: str) -> None:
    robot = lw.load(name)
    enclosed = Enclosed(robot)
    boxes, at = box_at_home(robot, 0.01 * min(robot.size, 1.0))
    c = robot.coordinates.from_angles(at)
    still = np.zeros(robot.dof)
    reach, *_, efforts = checks_of(enclosed, demands(robot)) if name != "puma560" else (
        None, *checks_of(enclosed, demands(robot, condition=None)))  # fmt: skip
    if reach is not None:
        low, high = reach.vector.sharper(boxes)
        q = robot.joint_motion(c, still, still).q if name != "simona" else robot.leg_lengths(c)
        assert ((low <= q + 1e-12) & (q <= high + 1e-12)).all()
    if type(efforts).__name__ == "Efforts":
        load = robot.gravity_load(c)
        for sharper in (False, True):
            least, most = efforts.bounds(boxes, sharper)
            slack = 1e-9 * np.abs(load).max()
            assert ((least <= load + slack) & (load <= most + slack)).all()
            assert np.isfinite(least).mean() > 0.5


def test_condition_numbers_are_those_of_the_robot() -> None:
    for name in ("simona", "delta", "puma560"):
        robot = lw.load(name)
        _, at = box_at_home(robot, 0.1, 20)
        check = next(
            each
            for each in checks_of(Enclosed(robot), demands(robot, condition=50.0))
            if type(each).__name__ == "Singularities"
        )
        ranks = check.ranks(points(at))
        number = np.array([robot.condition_number(c) for c in robot.coordinates.from_angles(at)])
        known = number < 1e6
        np.testing.assert_allclose(ranks.condition[known], number[known], rtol=1e-5)
        assert (ranks.least_condition[known] <= number[known] * (1 + 1e-9)).all()


def test_edge_of_a_length_limit_to_a_millionth() -> None:
    """How far simona can rise until its legs are fully extended, from the lengths themselves."""
    simona = lw.load("simona")
    home = simona.coordinates.to_angles(np.asarray(simona.home))
    longest = simona.limits.position[:, 1]
    inside, outside = home[2], home[2] + 2.0
    for _ in range(60):
        middle = (inside + outside) / 2
        kept = (simona.leg_lengths([*home[:2], middle, *home[3:]]) <= longest).all()
        inside, outside = (middle, outside) if kept else (inside, middle)
    width = inside - home[2]
    within = lw.certify(simona, {"z": [home[2], inside - 1e-6 * width]}, singularities=False)
    assert within.verdict == "proven"
    assert within.undecided_share == 0.0
    beyond = lw.certify(simona, {"z": [home[2], inside + 1e-6 * width]}, singularities=False)
    assert beyond.verdict == "refuted"
    assert beyond.witness is not None
    assert beyond.witness["z"] > inside
    assert beyond.broken in {f"leg{k} <= {3.331} m" for k in range(1, 7)}


def test_shells_of_three_cylinders() -> None:
    robot = lw.load(TRIPOD)
    starts = np.array([each.start for each in robot.mechanism.cylinders])
    lengths = np.array([each.length for each in robot.mechanism.cylinders])

    def kept(low: np.ndarray, high: np.ndarray) -> bool:
        """Nearest and farthest points of a box from the centers of the shells."""
        nearest = np.linalg.norm(np.clip(starts, low, high) - starts, axis=1)
        ends = np.maximum(np.abs(low - starts), np.abs(high - starts))
        farthest = np.linalg.norm(ends, axis=1)
        return bool((nearest >= lengths - 0.3).all() and (farthest <= lengths + 0.25).all())

    rng, verdicts = np.random.default_rng(4), []
    for _ in range(40):
        middle = np.array([0, 0, 1.0]) + rng.uniform(-0.25, 0.25, 3)
        low, high = middle - rng.uniform(0.001, 0.12, 3), middle + rng.uniform(0.001, 0.12, 3)
        region = dict(zip(("x", "y", "z"), np.stack([low, high], axis=1).tolist(), strict=True))
        found = lw.certify(robot, region, singularities=False, boxes=20_000)
        assert found.verdict == ("proven" if kept(low, high) else "refuted")
        verdicts.append(found.verdict)
    assert len({*verdicts}) == 2


def test_singular_plane_is_found_and_its_sides_are_proven() -> None:
    """The three cylinders of the tripod lie in one plane where its tip is in that of their feet."""
    cylinders = {name: each | {"limits": {}} for name, each in TRIPOD["cylinders"].items()}
    robot = lw.load(TRIPOD | {"cylinders": cylinders})
    feet = np.array([each.start for each in robot.mechanism.cylinders])
    normal = np.cross(feet[1] - feet[0], feet[2] - feet[0])
    plane = float(feet[0] @ normal / normal[2])  # height of the plane over the origin
    above = lw.certify(robot, {"z": [plane + 0.01, 1.5], "x": [0.0, 0.0]})
    assert above.verdict == "proven"
    through = lw.certify(robot, {"z": [plane - 0.01, 1.5]})
    assert through.verdict == "refuted"
    assert through.witness is not None
    assert through.witness["z"] < plane


LONG = [pytest.param(name, marks=pytest.mark.long) for name in ("rotary-hexapod", "par4")]


@pytest.mark.parametrize("name", ["simona", "delta", *LONG])
def test_samples_contradict_no_proof(name: str) -> None:
    robot = lw.load(name)
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    away = 0.01 * robot.size
    region = {
        name: [home[k] - away, home[k] + away]
        for k, name in enumerate(robot.coordinates.by_angles.names)
    }
    found = lw.certify(robot, region, condition=30.0)
    assert found.verdict == "proven"
    at = np.random.default_rng(1).uniform(home - away, home + away, (20_000, len(home)))
    c = robot.coordinates.from_angles(at)
    assert (robot.margins(c).least >= 0).all()
    assert max(robot.condition_number(each) for each in c[:200]) <= 30.0


def test_legs_stay_apart_as_far_as_the_margins_say() -> None:
    simona = lw.load("simona")
    thick = 0.1 + float(simona.margins(simona.home, leg_diameter=0.1).legs)
    at_home = {"x": [0, 0]}
    assert lw.certify(simona, at_home, leg_diameter=thick * (1 - 1e-6)).verdict == "proven"
    touching = lw.certify(simona, at_home, leg_diameter=thick * (1 + 1e-6))
    assert touching.verdict == "refuted"
    assert touching.broken is not None
    assert "apart" in touching.broken


def test_wrenches_and_accelerations_count() -> None:
    simona = lw.load("simona")
    heaviest = simona.inverse_dynamics(simona.home, np.zeros(6), [0, 0, 2, 0, 0, 0], friction=False)
    assert (np.abs(heaviest) < 40_000).all()
    assert lw.certify(simona, {"x": [0, 0]}, acceleration=[0, 0, 2, 0, 0, 0]).verdict == "proven"
    broken = lw.certify(simona, {"x": [0, 0]}, acceleration=[[0, 0, 0, 0, 0, 0], [0, 0, 90, 0, 0, 0]])
    assert broken.verdict == "undecided"  # not every acceleration breaks it, and none is chosen
    surely = lw.certify(simona, {"x": [0, 0]}, acceleration=[0, 0, 90, 0, 0, 0])
    assert surely.verdict == "refuted"
    assert surely.broken is not None
    assert "effort" in surely.broken


def test_out_of_reach_is_refuted() -> None:
    found = lw.certify(lw.load("delta"), {"z": [-0.6, -0.5]})
    assert found.verdict == "refuted"
    assert found.broken == "all loops close"


def test_what_is_left_open_is_said() -> None:
    simona = lw.load("simona")
    found = lw.certify(simona, NEAR | {"yaw": ["-20 deg", "20 deg"]}, boxes=3)
    assert found.verdict == "undecided"
    assert 0 < found.undecided_share <= 1
    volume = (found.undecided_boxes[:, 1] - found.undecided_boxes[:, 0]).max()
    assert volume > 0


@pytest.mark.parametrize(
    ("region", "told"),
    [
        ({"zz": [0, 1]}, "unknown coordinate of simona 'zz'.*'z'"),
        ({"roll": [-20, 20]}, "did you mean degrees"),
        ({"z": [3, 2]}, "not in order"),
        ({"z": 2.4}, "expected .low, high."),
        ({}, "expected ranges"),
        ({"z": [float("nan"), 2]}, "nan"),
    ],
)
def test_wrong_regions(region: dict[str, object], told: str) -> None:
    with pytest.raises(lw.InputError, match=told):
        lw.certify(lw.load("simona"), region)


def test_command(tmp_path) -> None:
    region = tmp_path / "region.yaml"
    region.write_text("x: [-0.05, 0.05]\nroll: [-2 deg, 2 deg]\n")
    proven = run("certify", "simona", "--region", str(region), "-o", "boxes.csv", cwd=tmp_path)
    assert "simona: proven" in proven.stdout
    assert (tmp_path / "boxes.csv").read_text().startswith("proven,x_low,x_high")
    region.write_text("z: [1, 2]\n")
    refuted = run("certify", "simona", "--region", str(region), "--json", cwd=tmp_path, code=1)
    assert '"verdict": "refuted"' in refuted.stdout
    region.write_text("zz: [1, 2]\nroll: [-20, 20]\n")
    wrong = run("certify", "simona", "--region", str(region), cwd=tmp_path, code=2)
    assert "line 1, zz" in wrong.stderr
    assert "line 2, roll" in wrong.stderr


@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.long)])
def test_a_planted_violation_of_a_millionth_is_never_proven(count: int) -> None:
    """Boxes whose farthest corner from a center is cut off by its shell, a millionth of their volume."""
    robot, rng = lw.load(TRIPOD), np.random.default_rng(count)
    verdicts: list[str] = []
    starts = np.array([each.start for each in robot.mechanism.cylinders])
    longest = np.array([each.length for each in robot.mechanism.cylinders]) + 0.25
    while len(verdicts) < count:
        middle = np.array([0, 0, 1.0]) + rng.uniform(-0.1, 0.1, 3)
        width = rng.uniform(0.02, 0.3, 3)
        which = int(rng.integers(3))
        corner = middle + np.sign(middle - starts[which]) * width / 2
        slope = np.abs(corner - starts[which]) / np.linalg.norm(corner - starts[which])
        # A corner that is cut off by a plane has depth^3 / (6 slopes) of volume.
        depth = (6 * slope.prod() * 1e-6 * width.prod()) ** (1 / 3)
        middle += (corner - starts[which]) / np.linalg.norm(corner - starts[which]) * (
            longest[which] + depth - np.linalg.norm(corner - starts[which])
        )  # fmt: skip
        low, high = middle - width / 2, middle + width / 2
        nearest = np.linalg.norm(np.clip(starts, low, high) - starts, axis=1)
        if (nearest < longest - 0.55).any():
            continue
        region = dict(zip("xyz", np.stack([low, high], axis=1).tolist(), strict=True))
        found = lw.certify(robot, region, singularities=False, boxes=20_000)
        assert found.verdict != "proven"
        verdicts.append(found.verdict)
    assert verdicts.count("refuted") > 0.9 * count
