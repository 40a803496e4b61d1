"""Metrics are the worst over every sample and every pose to be reached: direct loops say the same."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import linkwork as lw
from linkwork.core.rotations import from_angles
from linkwork.design.optimize import optimize_design
from linkwork.design.study_file import read_study
from linkwork.design.sweep import open_sweep, read_sweep
from linkwork.motion.bundled import motion_for
from tests.consumers.rare import AMPLITUDES, TEXTS
from tests.design.studies import ROBOT, write_study

LIMITS = {
    "length": [2.0, 3.9],
    "rate": 2.5,
    "force": 30_000,
    "force_velocity": [[0, 32_000], [0.4, 30_000], [3, 9000]],
    "universal_angle": "40 deg",
    "spherical_angle": "55 deg",
}
OF_POSES = [
    "condition",
    "frequency",
    "stiffness",
    "joint_angle",
    "leg_distance",
    "clearance",
    "joint_spacing",
]
COVER = {"surge": 0.35, "heave": 0.3, "roll": "14 deg", "pitch": "15 deg", "yaw": "18 deg"}


def write(folder: Path, legs: dict[str, object] = LIMITS, **changes: object) -> Path:
    """A study whose robot has all limits and elastic legs."""
    path = write_study(folder, **changes)
    limited = json.loads(json.dumps(ROBOT))
    limited["leg_defaults"] |= {"limits": legs, "stiffness": 2e7}
    (folder / "simulator.yaml").write_text(json.dumps(limited))
    return path


def states(robot: lw.Platform, source: str, period: float, cover: dict[str, float], height: float):
    """Positions, velocities and accelerations: of the motion, lifted with home, then of the cover."""
    motion = motion_for(robot, source)
    time = np.append(np.arange(0, motion.duration, period), motion.duration)
    found = [list(rows) for rows in motion.at(time)]
    axes = ("surge", "sway", "heave", "roll", "pitch", "yaw")
    for name, reach in cover.items():
        for side in (-1, 1):
            way = np.zeros(6)
            way[axes.index(name)] = side * reach
            found[0].append(np.append(robot.home[:3] + way[:3], from_angles(way[3:])))
            found[1].append(np.zeros(6))
            found[2].append(np.zeros(6))
    position, velocity, acceleration = (np.array(rows) for rows in found)
    position[:, 2] += height - robot.home[2]
    return position, velocity, acceleration


def apart(robot: lw.Platform, pose: np.ndarray) -> float:
    """Of the two nearest legs, by a search along both."""
    base, _ = robot.model.points()
    ends = np.array([robot.leg_kinematics(pose, np.zeros(6), np.zeros(6)).direction])[0]
    tips = base + ends * robot.leg_lengths(pose)[:, None]

    def distance(shares: np.ndarray, i: int, j: int) -> float:
        one, other = (
            base[k] + share * (tips[k] - base[k]) for k, share in zip((i, j), shares, strict=True)
        )
        return float(np.linalg.norm(one - other))

    found = []
    for pair in combinations(range(6), 2):
        starts = ([0.0, 0.0], [1.0, 1.0], [0.5, 0.5])
        runs = [minimize(distance, start, pair, bounds=[(0, 1)] * 2, tol=1e-12) for start in starts]
        found.append(min(run.fun for run in runs))
    return min(found)


def direct(robot: lw.Platform, moves: tuple[np.ndarray, ...], limits: dict[str, object]):
    """Metrics state by state, with the robot's basic methods; margins by limit."""
    found: dict[str, list[float]] = {name: [] for name in OF_POSES}
    margins: dict[str, list[float]] = {name: [] for name in limits}
    speeds, forces = np.array(limits["force_velocity"], dtype=float).T
    low, high = robot.model.legs[0].limits.length
    squares = [np.sum(np.square(leg.platform_point)) for leg in robot.model.legs]
    scale = np.append(np.ones(3), np.full(3, 1 / np.sqrt(np.mean(squares))))
    side = np.sign(np.linalg.det(robot.jacobian(robot.home)))
    for pose, twist, acceleration in zip(*moves, strict=True):
        legs = robot.leg_kinematics(pose, twist, acceleration)
        force = robot.inverse_dynamics(pose, twist, acceleration)
        angles = robot.joint_angles(pose)
        for k in range(6):
            middle, half = (low + high) / 2, (high - low) / 2
            available = np.interp(abs(legs.rate[k]), speeds, forces, right=0.0)
            margins["length"].append((half - abs(legs.length[k] - middle)) / half)
            margins["rate"].append((limits["rate"] - abs(legs.rate[k])) / limits["rate"])
            margins["force"].append((limits["force"] - abs(force[k])) / limits["force"])
            margins["force_velocity"].append((available - abs(force[k])) / available)
            for name, angle in (
                ("universal_angle", angles.universal[k]),
                ("spherical_angle", angles.spherical[k]),
            ):
                bound = np.radians(float(limits[name].split()[0]))
                margins[name].append((bound - angle) / bound)
        J = robot.jacobian(pose)
        K = robot.stiffness(pose)
        found["condition"].append(robot.condition_number(pose))
        found["frequency"].append(robot.vibration_modes(pose).frequencies[0])
        found["stiffness"].append(np.linalg.eigvalsh((K + K.T)[:3, :3] / 2)[0])
        found["joint_angle"].append(max(*angles.universal, *angles.spherical))
        found["clearance"].append(
            np.sign(np.linalg.det(J)) * side / np.linalg.norm(np.linalg.inv(J * scale))
        )
    for points in robot.model.points():
        found["joint_spacing"] += [
            float(np.linalg.norm(points[i] - points[j])) for i in range(6) for j in range(i)
        ]
    sharp = np.argsort([robot.jacobian(pose)[0, 0] for pose in moves[0]])  # some poses, spread
    found["leg_distance"] = [apart(robot, moves[0][k]) for k in sharp[:: max(len(sharp) // 6, 1)]]
    worst = {name: min(values) for name, values in margins.items()}
    return found, worst


@pytest.fixture(scope="module")
def swept(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("worst")
    metrics = [*OF_POSES, "margin", "peak_effort", "rms_effort", "stroke", "footprint"]
    sampling = {"count": 3}
    study = write(folder, motions=["pitch"], metrics=metrics, cover=COVER, sampling=sampling)
    open_sweep(study, folder / "runs").run()
    return folder


def test_every_metric_is_the_worst_of_all_samples_and_poses(swept: Path) -> None:
    rows, robot = read_sweep(swept / "runs"), lw.load(swept / "simulator.yaml")
    reach = {
        name: np.radians(float(x.split()[0])) if isinstance(x, str) else x for name, x in COVER.items()
    }
    for k in range(3):
        fields = ("geometry.base_radius", "geometry.height", "platform.mass")
        variant = robot.with_fields({name: rows[name][k] for name in fields})
        moves = states(robot, "pitch", 0.2, reach, rows["geometry.height"][k])
        found, margins = direct(variant, moves, LIMITS)
        for name, sign in zip(OF_POSES, (1, -1, -1, 1, -1, -1, -1), strict=True):
            worst = sign * max(sign * value for value in found[name])
            if name == "leg_distance":
                assert rows[name][k] <= worst * (1 + 1e-6)
                assert rows[name][k] > 0
            else:
                assert rows[name][k] == pytest.approx(worst, rel=1e-7), name
        assert rows["margin"][k] == pytest.approx(min(margins.values()), rel=1e-7)
        assert rows["margin_limit"][k] == min(margins, key=margins.get)
        force = np.array([variant.inverse_dynamics(*state) for state in zip(*moves, strict=True)])
        lengths = [variant.leg_lengths(pose) for pose in moves[0]]
        assert rows["peak_effort"][k] == pytest.approx(np.abs(force).max(), rel=1e-12)
        assert rows["stroke"][k] == pytest.approx(np.ptp(lengths), rel=1e-12)
        alone = variant.inverse_dynamics(*(part[: -2 * len(COVER)] for part in moves))
        time = np.append(np.arange(0, 0.2 * (len(alone) - 1), 0.2)[: len(alone) - 1], 0)
        time[-1] = motion_for(robot, "pitch").duration
        mean = np.trapezoid(alone**2, time, axis=0) / time[-1]
        assert rows["rms_effort"][k] == pytest.approx(np.sqrt(mean.max()), rel=1e-9)


@pytest.mark.parametrize("limit", [*LIMITS])
def test_each_limit_alone_is_the_margin(limit: str, tmp_path) -> None:
    """A file with one limit: terminal, study, sizing and sweep tell its margin."""
    changes = {"variables": {"platform.mass": {"values": [4000, 4400]}}, "sampling": {"method": "grid"}}
    study = write(tmp_path, {limit: LIMITS[limit]}, motions=["pitch"], metrics=["margin"], **changes)
    open_sweep(study, tmp_path / "runs").run()
    rows, robot = read_sweep(tmp_path / "runs"), lw.load(tmp_path / "simulator.yaml")
    sizing = lw.size_actuators(robot, ["pitch"], period=0.2)
    one = sizing.studies[0]
    report = robot.check_limits(one.position, one.velocity, effort=one.effort.values, time=one.time)
    assert rows["margin_limit"][0] == limit
    for least in (sizing.margin, one.margin, report.least):
        assert least is not None
        assert least.limit == limit
        assert least.value == pytest.approx(rows["margin"][0], rel=1e-7)
    assert (rows["margin"][0] < 0) == bool(report.breaks)


def test_margins_of_an_arm_with_envelopes(tmp_path) -> None:
    """Of any robot, against loops over its actuators."""
    (tmp_path / "arm.yaml").write_text(TEXTS["envelope"])
    motion = f"kind: sine\namplitude: {AMPLITUDES['envelope']}\nfrequency: 0.3\nduration: 7\n"
    (tmp_path / "wave.yaml").write_text(motion)
    study = {
        "robot": "arm.yaml",
        "variables": {"links[1].mass": {"values": [2, 4]}},
        "motions": ["wave.yaml"],
        "metrics": ["margin"],
        "cover": {"j1": "20 deg"},
        "sampling": {"method": "grid"},
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study))
    open_sweep(tmp_path / "study.yaml", tmp_path / "runs").run()
    rows, robot = read_sweep(tmp_path / "runs"), lw.load(tmp_path / "arm.yaml")
    one = lw.size_actuators(robot, [str(tmp_path / "wave.yaml")], period=0.02).studies[0]
    states = [*zip(one.position, one.velocity, one.acceleration, strict=True)]
    for side in (-1, 1):
        states.append((robot.home + side * np.radians([20, 0]), np.zeros(2), np.zeros(2)))
    for row, mass in enumerate((2.0, 4.0)):
        variant, margins = robot.with_fields({"links[1].mass": mass}), []
        for q, qd, qdd in states:
            tau = variant.inverse_dynamics(q, qd, qdd)
            for k, joint in enumerate(variant.model.joints):
                speeds, efforts = np.array(joint.limits.effort_velocity).T
                available = np.interp(abs(qd[k]), speeds, efforts, right=0.0)
                margins.append((available - abs(tau[k])) / available)
                if joint.limits.effort is not None:
                    margins.append((joint.limits.effort - abs(tau[k])) / joint.limits.effort)
        assert rows["margin"][row] == pytest.approx(min(margins), rel=1e-9)


def test_a_sweep_and_a_design_say_the_same_of_a_machine(tmp_path) -> None:
    """Both honor `cover`, and the machine that is written is the one that was judged."""
    cover = {"heave": 0.4, "pitch": "20 deg"}
    (tmp_path / "wave.yaml").write_text(
        "kind: sine\namplitude: [0, 0, 0.2, 0, 5 deg, 0]\nfrequency: 0.5\nduration: 4\n"
    )
    study = write(
        tmp_path,
        variables={"geometry.base_radius": [1.4, 2.2], "geometry.height": [2.0, 2.6]},
        motions=["wave.yaml"],
        objectives=["peak_effort"],
        metrics=["peak_effort", "stroke", "margin", "frequency"],
        search={"population": 8, "generations": 3},
        cover=cover,
    )
    design = optimize_design(read_study(study))
    best = design.best("peak_effort")
    assert best.name == "machine-001"
    document = design.document(best)
    machine = lw.load(document)
    assert machine.name == "simulator-machine-001"
    (tmp_path / "simulator.yaml").write_text(json.dumps(document))
    again = json.loads(study.read_text())
    again["variables"] = {"platform.mass": {"values": [4000, 4001]}}
    again["sampling"] = {"method": "grid"}
    (tmp_path / "again.yaml").write_text(json.dumps(again))
    open_sweep(tmp_path / "again.yaml", tmp_path / "again").run()
    rows = read_sweep(tmp_path / "again")
    for name, value in best.metrics.items():
        assert rows[name][0] == pytest.approx(value, rel=1e-9), name
    low, high = machine.model.legs[0].limits.length
    assert high - low == pytest.approx(LIMITS["length"][1] - LIMITS["length"][0], rel=1e-9)
    assert machine.home[2] != ROBOT["geometry"]["height"]


@pytest.mark.parametrize(("count", "variants"), [(2, 4), (3, 9), (None, 25)])
def test_the_count_of_a_grid_is_that_of_its_points(count: int | None, variants: int, tmp_path) -> None:
    sampling = {"method": "grid"} | ({} if count is None else {"count": count})
    variables = {"geometry.height": [2.0, 2.6], "platform.mass": [3000, 5000]}
    sweep = open_sweep(write_study(tmp_path, variables=variables, sampling=sampling), tmp_path / "runs")
    assert sweep.count == variants
