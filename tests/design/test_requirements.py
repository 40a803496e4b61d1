"""Requirements in studies: states, motions and bounds of the file, and the numbers of data sheets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.datasheet import datasheet
from linkwork.design.optimize import optimize_design
from linkwork.design.study_file import StudyFileError, read_study
from linkwork.design.sweep import open_sweep, read_sweep
from tests.design.test_worst import write

ASKED = """\
payload: {mass: 400, center_of_mass: [0.1, 0, 1.2], inertia: [300, 300, 200]}
excursions: {heave: 0.3, pitch: 12 deg}
combined:
  - {surge: 0.2, yaw: 8 deg}
velocities: {heave: 0.9}
accelerations: {roll: 120 deg/s^2}
motions: [wave.yaml]
period: 0.2
frequency: 4
condition: 8
stroke: 1.6
footprint: 2.1
"""
WAVE = "kind: sine\namplitude: [0, 0, 0.3, 0, 0, 0]\nfrequency: 0.25\nduration: 12\n"
METRICS = ["margin", "frequency", "condition", "stroke", "footprint", "peak_effort"]


def study_in(folder: Path, asked: str = ASKED, **changes: object) -> Path:
    (folder / "asked.yaml").write_text(asked)
    (folder / "wave.yaml").write_text(WAVE)
    choices: dict[str, object] = {
        "variables": {"geometry.base_radius": [1.4, 2.2], "geometry.platform_radius": [1.4, 1.8]},
        "metrics": METRICS,
        "requirements": "asked.yaml",
        "sampling": {"count": 3},
    }
    return write(folder, **choices | changes)


def without_motions(path: Path) -> Path:
    study = json.loads(path.read_text())
    study.pop("motions", None)
    path.write_text(json.dumps(study, indent=1))
    return path


def test_a_sweep_and_a_data_sheet_tell_the_same_of_a_machine(tmp_path) -> None:
    study = without_motions(study_in(tmp_path))
    open_sweep(study, tmp_path / "runs").run()
    rows, robot = read_sweep(tmp_path / "runs"), lw.load(tmp_path / "simulator.yaml")
    for k in range(3):
        fields = ("geometry.base_radius", "geometry.platform_radius")
        variant = robot.with_fields({name: rows[name][k] for name in fields})
        sheet = datasheet(variant, tmp_path / "asked.yaml")
        assert rows["margin"][k] == pytest.approx(sheet.margin.value, rel=1e-7)
        assert rows["margin_limit"][k] == sheet.margin.limit
        assert rows["frequency"][k] == pytest.approx(sheet.frequencies.lowest[0], rel=1e-9)
        assert rows["condition"][k] == pytest.approx(sheet.condition[0], rel=1e-9)
        assert rows["stroke"][k] == pytest.approx(sheet.stroke[0], rel=1e-12)
        assert rows["footprint"][k] == pytest.approx(sheet.footprint, rel=1e-12)


def test_a_design_keeps_the_requirements(tmp_path) -> None:
    study = without_motions(
        study_in(tmp_path, objectives=["peak_effort"], search={"population": 8, "generations": 4})
    )
    found = optimize_design(read_study(study))
    bounds = {bound.metric: (bound.least, bound.most) for bound in found.bounds}
    assert bounds == {
        "margin": (0.0, None),
        "frequency": (4.0, None),
        "condition": (None, 8.0),
        "stroke": (None, 1.6),
        "footprint": (None, 2.1),
    }
    best = found.front[0]
    machine = found.machine(best)
    assert machine.mechanism.mass == pytest.approx(lw.load(tmp_path / "simulator.yaml").mechanism.mass)
    sheet = datasheet(machine, tmp_path / "asked.yaml")
    assert sheet.margin.value >= -1e-9
    assert sheet.stroke[0] <= 1.6 * (1 + 1e-9)
    assert sheet.frequencies.lowest[0] >= 4 * (1 - 1e-9)
    assert best.metrics["margin"] == pytest.approx(sheet.margin.value, rel=1e-7)


def test_faults_of_requirements_are_those_of_the_study(tmp_path) -> None:
    study = study_in(tmp_path, "excursions: {pich: 3 deg}\npayload: {mass: 3}\n")
    with pytest.raises(StudyFileError, match=r"requirements: .*line 1, excursions\.pich: unknown axis"):
        read_study(study)
    varied = study_in(tmp_path, variables={"platform.mass": [3000, 5000]})
    with pytest.raises(StudyFileError, match=r"platform\.mass.*changed by the payload"):
        read_study(varied)
    looped = study_in(tmp_path, controller={"kp": 100, "kv": 20, "period": 0.01})
    with pytest.raises(StudyFileError, match="requirements: are of machines"):
        read_study(looped)
    plain = without_motions(study_in(tmp_path, "title: nothing\n"))
    study = json.loads(plain.read_text())
    study.pop("requirements")
    plain.write_text(json.dumps(study))
    with pytest.raises(StudyFileError, match=r"motions: is missing; add motions"):
        read_study(plain)


def test_without_motions_the_states_alone_are_judged(tmp_path) -> None:
    asked = "excursions: {heave: 0.3}\naccelerations: {heave: 4}\n"
    study = without_motions(study_in(tmp_path, asked, metrics=["peak_effort", "rms_effort"]))
    open_sweep(study, tmp_path / "runs").run()
    rows, robot = read_sweep(tmp_path / "runs"), lw.load(tmp_path / "simulator.yaml")
    fields = ("geometry.base_radius", "geometry.platform_radius")
    variant = robot.with_fields({name: rows[name][0] for name in fields})
    poses = np.tile(robot.home, (9, 1))
    poses[:, 2] += np.linspace(-0.3, 0.3, 9)
    rest = np.abs(variant.gravity_load(poses)).max()
    up = np.abs(variant.inverse_dynamics(robot.home, np.zeros(6), np.eye(6)[2] * 4)).max()
    assert rows["peak_effort"][0] == pytest.approx(max(rest, up), rel=1e-12)
    assert rows["rms_effort"][0] == 0.0
