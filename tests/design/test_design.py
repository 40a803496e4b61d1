"""Designs: better than the start, within their constraints, and honest about what they cannot do."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.design.optimize import optimize_design
from linkwork.design.study_file import StudyFileError, read_study
from linkwork.reports.design import design_report
from tests.cli.process import run
from tests.design.studies import ROBOT, write_study

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
    return optimize_design(read_study(write_study(tmp_path_factory.mktemp("design"), **DESIGN)))


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
    motion = lw.size_actuators(design.robot, ["heave"], period=0.2).studies[0].position.copy()
    motion[:, 2] += robot.home[2] - design.robot.home[2]
    every = np.concatenate([np.array(lengths), robot.leg_lengths(motion)])
    assert best.metrics["stroke"] == pytest.approx(np.ptp(every), rel=1e-9)


def test_page(design) -> None:
    """Machines have the names of their files, and angles the unit of the study."""
    html = design_report(design).html().replace("\N{NO-BREAK SPACE}", " ")
    assert 'id="front"' in html
    assert 'id="machines"' in html
    assert design.best("peak_effort").name == "machine-001"
    assert design.front[-1].name in html
    assert "pitch from home by 15 deg both ways" in html
    assert (
        '<a href="../my%20machines/machine-001.yaml">'
        in design_report(design, folder="../my machines").html()
    )


def test_machines_whose_files_do_not_load_are_refused(tmp_path) -> None:
    """Legs so short that their actuators, with the stroke of the file, would begin below zero."""
    flat = {"geometry.height": [0.05, 0.2]}
    changes = {"variables": flat, "constraints": {}, "cover": {}, "metrics": ["peak_effort"]}
    study = write_study(tmp_path, **{**DESIGN, **changes, "objectives": ["peak_effort"]})
    robot = json.loads(json.dumps(ROBOT))
    robot["leg_defaults"]["limits"] = {"length": [1.2, 4.0]}
    (tmp_path / "simulator.yaml").write_text(json.dumps(robot))
    with pytest.raises(lw.LinkworkError, match=r"no variant is a robot file that loads: .*length"):
        optimize_design(read_study(study))


def test_limits_of_length_move_with_the_legs() -> None:
    """A changed geometry keeps the strokes, and where home is in them."""
    robot = lw.load(ROBOT)
    changed = robot.with_fields({"geometry.height": 2.8, "geometry.base_radius": 2.0})
    for before, after, old, new in zip(
        robot.model.legs,
        changed.model.legs,
        robot.leg_lengths(robot.home),
        changed.leg_lengths(changed.home),
        strict=True,
    ):
        moved = np.subtract(after.limits.length, before.limits.length)
        np.testing.assert_allclose(moved, new - old, atol=1e-11)
    same = robot.with_fields({"platform.mass": 10})
    assert same.model.legs[0].limits.length == robot.model.legs[0].limits.length


def test_tolerances_make_it_worse(tmp_path, design) -> None:
    changes = {**DESIGN, "tolerances": {"geometry.platform_radius": 0.05}}
    robust = optimize_design(read_study(write_study(tmp_path, **changes)))
    assert robust.start.metrics["peak_effort"] > design.start.metrics["peak_effort"]


def test_natural_frequency_as_a_metric(tmp_path) -> None:
    variables = {"leg_defaults.stiffness": {"values": [1e7, 4e7]}}
    study = write_study(
        tmp_path, variables=variables, sampling={"method": "grid"}, metrics=["frequency", "footprint"]
    )
    from linkwork.design.sweep import open_sweep, read_sweep

    open_sweep(study, tmp_path / "runs").run()
    soft, hard = read_sweep(tmp_path / "runs")["frequency"]
    assert hard / soft == pytest.approx(2.0, rel=0.01)  # a little less than by springs alone: gravity
    robot = lw.load(tmp_path / "simulator.yaml").with_fields({"leg_defaults.stiffness": 1e7})
    assert soft <= robot.vibration_modes(robot.home).frequencies[0] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objectives": None}, "objectives"),
        ({"objectives": ["beauty"]}, "objectives"),
        ({"constraints": {"condition": 20}}, "most: number"),
        ({"constraints": {"color": {"most": 1}}}, "color"),
        ({"cover": {"hop": 1}}, "hop"),
        ({"search": {"population": "many"}}, "population"),
        ({"tolerances": {"geometry.turn": 0.1}}, "geometry.turn"),
        ({"cover": {"pitch": 20}}, r"cover\.pitch: 20 rad is 1146 deg; did you mean 20 deg\?"),
        ({"cover": {"heave": 300}}, r"cover\.heave: .*did you mean 0\.3 m"),
        ({"cover": {"heave": "5 deg"}}, r"cover\.heave: '5 deg' is not a number"),
        ({"variables": {"geometry.base_spread": [5, 60]}}, r"base_spread.*did you mean 60 deg\?"),
        ({"variables": {"platform.mass": [3000, "5 deg"]}}, r"platform\.mass.*'5 deg' is not a number"),
        ({"variables": {"geometry.height": [2, "2600 mm"]}}, r"did you mean 2\.6\?"),
        ({"constraints": {"joint_angle": {"most": 30}}}, r"30 rad is .*did you mean 30 deg\?"),
        ({"constraints": {"condition": {"most": "20 deg"}}}, "'20 deg' is not a number"),
    ],
)
def test_faults_of_a_design_study(changes: dict[str, object], message: str, tmp_path) -> None:
    with pytest.raises(StudyFileError, match=message) as error:
        optimize_design(read_study(write_study(tmp_path, **{**DESIGN, **changes})))
    assert "line " in str(error.value)


def test_constraints_that_nothing_keeps(tmp_path) -> None:
    changes = {**DESIGN, "constraints": {"stroke": {"most": 0.01}}}
    with pytest.raises(lw.LinkworkError, match="no variant keeps all constraints"):
        optimize_design(read_study(write_study(tmp_path, **changes)))


def test_command(tmp_path) -> None:
    write_study(tmp_path, **DESIGN)
    words = ("design", "study.yaml", "-o", "machines", "--json")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert len(facts["front"]) >= 2
    machine = lw.load(tmp_path / "machines" / "machine-001.yaml")
    assert machine.model.geometry is not None
    rows = (tmp_path / "machines" / "front.csv").read_text().splitlines()
    names = [row.split(",")[0] for row in rows[1:]]
    assert names == [one["name"] for one in facts["front"]]
    for name in names:  # all of them load, with their own limits kept at home
        assert lw.load(tmp_path / "machines" / f"{name}.yaml").check_limits(machine.home) is not None
    assert "is not empty" in run(*words, cwd=tmp_path, code=3).stdout
