"""Designs: better than the start, within their constraints, and honest about what they cannot do."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.design.optimise import optimise
from linkwork.design.study_file import StudyFileError, read_study
from linkwork.reports.design import design_report
from tests.cli.process import run
from tests.design.studies import write_study

DESIGN = {
    "variables": {
        "geometry.base_radius": [1.2, 2.2],
        "geometry.platform_radius": [1.0, 1.8],
        "geometry.height": [2.0, 2.8],
    },
    "objectives": ["peak_effort", "stroke"],
    "constraints": {"condition": {"most": 20}, "dead_length": {"least": 0.3}},
    "cover": {"heave": 0.3, "pitch": "15 deg"},
    "search": {"population": 12, "generations": 6},
}


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    return optimise(read_study(write_study(tmp_path_factory.mktemp("design"), **DESIGN)))


def test_machines_are_better_and_keep_the_constraints(design) -> None:
    assert design.start_feasible
    for name in design.objectives:
        assert design.gain(name) > 0.01
    for machine in design.front:
        assert machine.metrics["condition"] <= 20 * (1 + 1e-6)
        assert machine.metrics["dead_length"] >= 0.3 * (1 - 1e-6)
        assert ((machine.values >= [1.2, 1.0, 2.0]) & (machine.values <= [2.2, 1.8, 2.8])).all()
    goals = np.array([[one.metrics[name] for name in design.objectives] for one in design.front])
    for goal in goals:
        assert not ((goals <= goal).all(axis=1) & (goals < goal).any(axis=1)).any()


def test_metrics_are_those_of_the_machines_themselves(design) -> None:
    """The stroke of a machine, from its robot: over the motion and the poses to cover."""
    best = design.best("stroke")
    robot = design.machine(best)
    lengths = []
    for way in ([0, 0, 0.3, 0, 0, 0], [0, 0, 0, 0, np.radians(15), 0]):
        for side in (-1, 1):
            lengths.append(
                robot.leg_lengths(np.append(robot.home[:3], [0.0, 0, 0]) + side * np.array(way))
            )
    motion = lw.size(design.robot, ["heave"], period=0.2).studies[0].position.copy()
    motion[:, 2] += robot.home[2] - design.robot.home[2]
    every = np.concatenate([np.array(lengths), robot.leg_lengths(motion)])
    assert best.metrics["stroke"] == pytest.approx(np.ptp(every), rel=1e-9)


def test_page(design) -> None:
    html = design_report(design).html()
    assert 'id="front"' in html
    assert 'id="machines"' in html


def test_tolerances_make_it_worse(tmp_path, design) -> None:
    changes = {**DESIGN, "tolerances": {"geometry.platform_radius": 0.05}}
    robust = optimise(read_study(write_study(tmp_path, **changes)))
    assert robust.start.metrics["peak_effort"] > design.start.metrics["peak_effort"]


def test_natural_frequency_as_a_metric(tmp_path) -> None:
    variables = {"leg_defaults.stiffness": {"values": [1e7, 4e7]}}
    study = write_study(
        tmp_path, variables=variables, sampling={"method": "grid"}, metrics=["frequency", "footprint"]
    )
    from linkwork.design.sweep import open_sweep, read_rows

    open_sweep(study, tmp_path / "runs").run()
    soft, hard = read_rows(tmp_path / "runs")["frequency"]
    assert hard / soft == pytest.approx(2.0, rel=0.01)  # a little less than by springs alone: gravity
    robot = lw.load(tmp_path / "simulator.yaml").with_fields({"leg_defaults.stiffness": 1e7})
    assert soft <= robot.natural_frequencies(robot.home).frequencies[0] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objectives": None}, "objectives"),
        ({"objectives": ["beauty"]}, "objectives"),
        ({"constraints": {"condition": 20}}, "most: number"),
        ({"constraints": {"colour": {"most": 1}}}, "colour"),
        ({"cover": {"hop": 1}}, "hop"),
        ({"search": {"population": "many"}}, "population"),
        ({"tolerances": {"geometry.turn": 0.1}}, "geometry.turn"),
    ],
)
def test_faults_of_a_design_study(changes: dict[str, object], message: str, tmp_path) -> None:
    with pytest.raises(StudyFileError, match=message) as error:
        optimise(read_study(write_study(tmp_path, **{**DESIGN, **changes})))
    assert "line " in str(error.value)


def test_constraints_that_nothing_keeps(tmp_path) -> None:
    changes = {**DESIGN, "constraints": {"stroke": {"most": 0.01}}}
    with pytest.raises(lw.LinkworkError, match="no variant keeps all constraints"):
        optimise(read_study(write_study(tmp_path, **changes)))


def test_command(tmp_path) -> None:
    write_study(tmp_path, **DESIGN)
    words = ("design", "study.yaml", "-o", "machines", "--json")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert len(facts["front"]) >= 2
    machine = lw.load(tmp_path / "machines" / "machine-001.yaml")
    assert machine.model.geometry is not None
    assert "is not empty" in run(*words, cwd=tmp_path, code=3).stdout
