"""Data sheets: numbers against direct calculations, and the same in API, CSV, JSON and document."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

import linkwork as lw
from linkwork.analysis.compliance import ComplianceLine
from linkwork.analysis.datasheet import DataSheet, datasheet
from linkwork.core.rotations import rotation_of
from linkwork.core.text import number
from linkwork.motion.bundled import motion_for
from linkwork.reports.datasheet import datasheet_report
from tests.cli.process import run

EXAMPLES = Path(__file__).parents[2] / "examples"
SIMONA = """\
title: Motion system
author: A. Engineer
revision: B
date: 2026-11-19
payload: {mass: 300, center_of_mass: [0, 0, 1], inertia: [100, 100, 80]}
excursions: {surge: 0.5, heave: [-0.3, 0.35], pitch: 12 deg}
combined:
  - {heave: 0.2, roll: 6 deg}
velocities: {heave: 0.8, pitch: 25 deg/s}
accelerations: {heave: 5, yaw: 200 deg/s^2}
motions: [heave]
period: 0.05
margin: 0.1
condition: 5
stroke: 1.0
footprint: 1.5
stop: {emergency: 0.25, time: 0.5, holds: true}
foundation: {force: 80000}
"""
OTHERS = {
    "pi-h811": "excursions: {heave: 0.004, yaw: 5 deg}\nvelocities: {surge: 0.05}\nmotions: [heave]\n",
    "delta": "excursions: {z: 0.2}\nvelocities: {x: 3}\naccelerations: {z: 40}\n"
    "motions: [home-quintic]\n",
    "ur5": "excursions: {elbow: 90 deg}\naccelerations: {elbow: 300 deg/s^2}\nmotions: [home-quintic]\n",
}


def sheet_of(folder: Path, name: str, text: str) -> DataSheet:
    path = folder / "asked.yaml"
    path.write_text(text)
    return datasheet(lw.load(name), path)


@pytest.fixture(scope="module")
def simona(tmp_path_factory) -> DataSheet:
    return sheet_of(tmp_path_factory.mktemp("sheet"), "simona", SIMONA)


def line(sheet: DataSheet, name: str) -> ComplianceLine:
    return next(each for each in sheet.compliance if each.requirement == name)


def margin_of(robot: lw.Robot, c: np.ndarray, cd: np.ndarray, cdd: np.ndarray) -> float:
    """The least of all limits, limit by limit."""
    force = robot.inverse_dynamics(c, cd, cdd)
    moved, limits = robot.actuator_motion(c[None], cd[None]), robot.limits
    found = []
    for k in range(robot.n):
        low, high = limits.position[k]
        if np.isfinite([low, high]).all():
            middle, half = (low + high) / 2, (high - low) / 2
            found.append(1 - abs(moved.position[0, k] - middle) / half)
        found.append(1 - abs(moved.velocity[0, k]) / limits.velocity[k])
        found.append(1 - abs(force[k]) / limits.effort[k])
        if pairs := limits.envelope(k):
            most = np.interp(abs(moved.velocity[0, k]), *np.array(pairs).T, right=0.0)
            found.append(1 - abs(force[k]) / most)
    return min(found)


def test_margins_are_the_least_over_motions_and_required_states(simona: DataSheet) -> None:
    robot = lw.load("simona").with_payload(300, [0, 0, 1], np.array([100.0, 100, 80]))
    motion = motion_for(robot, "heave")
    time = np.arange(0, motion.duration + 1e-9, 0.05)
    along = min(margin_of(robot, *state) for state in zip(*motion.at(time), strict=True))
    states = simona.states
    rest = min(
        margin_of(robot, *state)
        for state in zip(states.position, states.velocity, states.acceleration, strict=True)
    )
    assert simona.margin.value == pytest.approx(min(along, rest), rel=1e-9)
    assert line(simona, "margin along heave").achieved == pytest.approx(along, rel=1e-9)
    assert simona.state_margin.value == pytest.approx(rest, rel=1e-9)
    assert line(simona, "least margin of all limits").margin == pytest.approx(min(along, rest) - 0.1)


@pytest.mark.parametrize("name", ["simona", *OTHERS])
def test_what_an_axis_does_ends_at_a_limit(name: str, simona: DataSheet, tmp_path) -> None:
    """A little less keeps all limits and a little more breaks one, by limits judged one by one."""
    sheet = simona if name == "simona" else sheet_of(tmp_path, name, OTHERS[name])
    robot, still = sheet.robot, np.zeros(sheet.robot.dof)
    for k, each in enumerate(sheet.capabilities):
        for order, pair in ((1, each.velocity), (2, each.acceleration)):
            for reach in pair:
                for share, sign in ((1 - 1e-7, 1), (1 + 1e-7, -1)):
                    moving = still.copy()
                    moving[k] = share * reach.value
                    state = (moving, still) if order == 1 else (still, moving)
                    assert sign * margin_of(robot, robot.home, *state) >= 0, (each.axis, order)


def test_excursions_are_those_of_the_workspace(simona: DataSheet) -> None:
    from linkwork.analysis.workspace import workspace_of

    found = workspace_of(simona.robot)
    for one, other in zip(found.excursions, simona.capabilities, strict=True):
        assert other.excursion[0].value == one.lowest - found.start(one.axis)
        assert other.excursion[1].value == one.highest - found.start(one.axis)
    lengths = simona.robot.leg_lengths
    low, high = simona.robot.limits.position.T
    heave = line(simona, "excursion heave")
    assert heave.required == 0.35
    pose = simona.robot.home.copy()
    for share, inside in ((1 - 1e-6, True), (1 + 1e-6, False)):
        pose[2] = simona.robot.home[2] + share * heave.achieved
        found = lengths(pose)
        assert bool(((found >= low) & (found <= high)).all()) == inside


def test_combined_excursions_end_where_a_leg_does(simona: DataSheet) -> None:
    found = line(simona, "excursions heave, roll combined")
    robot, (low, high) = simona.robot, simona.robot.limits.position.T
    reached = []
    for heave in (-0.2, 0.2):
        for roll in np.radians([-6, 6]):
            shares = np.linspace(0, 6, 60_001)
            poses = np.tile(np.append(robot.home[:3], [0, 0, 0]), (len(shares), 1))
            poses[:, 2] += shares * heave
            poses[:, 3] += shares * roll
            lengths = robot.leg_lengths(poses)
            kept = ((lengths >= low) & (lengths <= high)).all(axis=1)
            reached.append(shares[np.argmin(kept)])
    assert found.achieved == pytest.approx(min(reached), abs=2e-4)


def test_bounds_are_the_worst_of_all_samples_and_states(simona: DataSheet) -> None:
    robot = simona.robot
    motion = motion_for(robot, "heave")
    poses = np.concatenate(
        [motion.at(np.arange(0, motion.duration + 1e-9, 0.05))[0], simona.states.position]
    )
    lengths = np.array([robot.leg_lengths(pose) for pose in poses])
    assert line(simona, "stroke").achieved == pytest.approx(np.ptp(lengths), rel=1e-12)
    condition = max(float(robot.condition_number(pose)) for pose in poses)
    assert line(simona, "condition number").achieved == pytest.approx(condition, rel=1e-9)
    base, _ = robot.model.points()
    assert line(simona, "footprint radius").achieved == np.linalg.norm(base[:, :2], axis=1).max()
    angles = [robot.joint_angles(pose).universal[2] for pose in poses]
    shown = next(each for each in simona.joint_ranges if each.name == "leg3 universal")
    assert shown.highest == pytest.approx(max(angles), rel=1e-9)


def test_legs_and_joints_keep_their_distance(tmp_path) -> None:
    """Against points along the legs: the nearest of these are a little farther apart."""
    text = "excursions: {surge: 0.3, yaw: 15 deg}\nleg_diameter: 0.05\njoint_spacing: 0.15\n"
    sheet = sheet_of(tmp_path, "simona", text)
    robot, along, apart = sheet.robot, np.linspace(0, 1, 401)[:, None], []
    for pose in sheet.states.position:
        legs = []
        for leg in robot.model.legs:
            top = pose[:3] + rotation_of(pose) @ leg.platform_point
            legs.append(leg.base_point + along * (top - leg.base_point))
        apart += [cdist(legs[i], legs[j]).min() for i in range(6) for j in range(i)]
    found = line(sheet, "distance between legs")
    assert found.achieved <= min(apart) <= found.achieved + 1e-4
    nearest = min(pdist(points).min() for points in robot.model.points())
    assert line(sheet, "distance between joints").achieved == pytest.approx(nearest, rel=1e-12)


def test_natural_frequencies_are_the_lowest_of_all_poses(tmp_path) -> None:
    text = "excursions: {heave: 0.3, roll: 10 deg}\nmotions: [heave]\nperiod: 0.1\nfrequency: 8\n"
    path = tmp_path / "asked.yaml"
    path.write_text(text)
    sheet = datasheet(lw.load(EXAMPLES / "flight-simulator.yaml"), path)
    robot = sheet.robot
    motion = motion_for(robot, "heave")
    time = np.append(np.arange(0, motion.duration - 1e-9, 0.1), motion.duration)
    poses = [*motion.at(time)[0], *sheet.states.position]
    lowest = min(robot.vibration_modes(pose).frequencies[0] for pose in poses)
    assert line(sheet, "lowest natural frequency").achieved == pytest.approx(lowest, rel=1e-9)
    assert sheet.frequencies.lowest[0] == pytest.approx(lowest, rel=1e-9)


def test_foundation_loads_are_the_greatest_of_every_case(simona: DataSheet) -> None:
    robot = simona.robot
    motion = motion_for(robot, "heave")
    time = np.arange(0, motion.duration + 1e-9, 0.05)
    loads = np.array([robot.foundation_load(*state) for state in zip(*motion.at(time), strict=True)])
    found = next(each for each in simona.foundation if each.case == "motion")
    assert found.force == pytest.approx(np.linalg.norm(loads[:, :3], axis=1).max(), rel=1e-12)
    # In heave alone everything moves with the platform, or half as fast: the weight and what it needs.
    assert found.force > robot.mechanism.mass * 9.81
    worst = max(each.force for each in simona.foundation)
    assert line(simona, "force on the foundation").achieved == worst


@pytest.mark.parametrize(
    "name", ["delta", *(pytest.param(name, marks=pytest.mark.long) for name in ("pi-h811", "ur5"))]
)
def test_every_robot_has_a_sheet(name: str, tmp_path) -> None:
    sheet = sheet_of(tmp_path, name, OTHERS[name])
    assert len(sheet.stops.simulated) == len(sheet.stops.onsets) * (sheet.robot.n + 2)
    html = datasheet_report(sheet).html()
    assert "Foundation loads" in html
    for each in sheet.capabilities:
        assert f">{each.axis}<" in html


def test_a_file_that_asks_for_nothing_has_a_sheet_too(tmp_path) -> None:
    sheet = sheet_of(tmp_path, "simona", "title: Nothing\n")
    assert sheet.stops is None
    assert [each.requirement for each in sheet.compliance] == ["least margin of all limits"]
    assert "Nothing" in datasheet_report(sheet).html()


def test_what_is_out_of_reach_is_not_met(tmp_path) -> None:
    sheet = sheet_of(tmp_path, "delta", "excursions: {z: [-5, 0.1], x: 0.1}\nmargin: 0.1\n")
    assert not sheet.met
    assert not line(sheet, "excursion z").met
    assert line(sheet, "excursion x").met
    least = line(sheet, "least margin of all limits")
    assert not least.met
    assert least.achieved == -1.0
    assert least.where == "reach of z -1.25 m; not reached, or singular"
    assert "excursion z" in datasheet_report(sheet).html()


def test_one_number_everywhere(simona: DataSheet, tmp_path) -> None:
    """API, CSV, JSON and the cells of the document."""
    asked = tmp_path / "asked.yaml"
    asked.write_text(SIMONA)
    out, table = tmp_path / "sheet.html", tmp_path / "matrix.csv"
    words = ["--report", str(out), "-o", str(table), "--json", "--check"]
    code = 0 if simona.met else 1
    done = run("datasheet", "simona", str(asked), *words, cwd=tmp_path, code=code)
    facts = json.loads(done.stdout)
    assert facts["revision"] == "B"
    with table.open() as file:
        rows = list(csv.DictReader(file))
    html = out.read_text()
    cells = [re.sub("<[^>]+>", "", cell).replace("\N{NO-BREAK SPACE}", " ") for cell in
             re.findall(r"<t[dh][^>]*>.*?</t[dh]>", html)]  # fmt: skip
    for each, row, fact in zip(simona.compliance, rows, facts["compliance"], strict=True):
        assert row["requirement"] == fact["requirement"] == each.requirement
        assert float(row["achieved"]) == fact["achieved"] == each.achieved
        assert fact["met"] == each.met
        place = cells.index(each.requirement)
        if each.unit in ("m", "m/s", "N", ""):
            assert cells[place + 2].startswith(number(each.achieved))
    for stop, fact in zip(simona.stops.simulated, facts["stops"], strict=True):
        assert fact["distance"] == stop.distance
        assert fact["holds"] == stop.holds


def test_earlier_options_write_the_sheet_and_the_matrix(tmp_path) -> None:
    (tmp_path / "asked.yaml").write_text("title: Nothing\n")
    run("datasheet", "simona", "asked.yaml", "-o", "sheet.html", "--data", "matrix.csv", cwd=tmp_path)
    assert "Nothing" in (tmp_path / "sheet.html").read_text()
    assert (tmp_path / "matrix.csv").read_text().startswith("requirement,")


def test_sizing_and_sheet_tell_the_same(simona: DataSheet) -> None:
    sizing = lw.size_actuators(simona.robot, ["heave"], period=0.05)
    assert [each.peak for each in simona.sizing.demands] == [each.peak for each in sizing.demands]
    assert simona.sizing.margin.value == sizing.margin.value
    html = datasheet_report(simona).html().replace("\N{NO-BREAK SPACE}", " ")
    assert number(sizing.demands[0].peak) in html
