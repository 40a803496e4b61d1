"""What actuators must give, against numbers worked out apart from the sizing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.catalog import Actuator
from linkwork.reports.sizing import sizing_report
from tests.cli.process import run

ACTUATORS = """name,stroke [m],force,continuous_force,velocity,power
short,0.2,90000,90000,3,
weak,2,9000,9000,3,
slow,2,90000,90000,0.1,
right,2,30000,20000,2,20000
strong,2,90000,90000,3,
"""


@pytest.fixture(scope="module")
def sizing() -> lw.Sizing:
    return lw.size_actuators(lw.load("simona"), ["heave", "pitch"], period=0.02)


def test_demands_are_the_worst_of_all_motions(sizing: lw.Sizing) -> None:
    robot = lw.load("simona")
    forces, lengths, speeds = [], [], []
    for one in sizing.studies:
        motion = (one.position, one.velocity, one.acceleration)
        forces.append(robot.inverse_dynamics(*motion))
        legs = robot.leg_kinematics(*motion)
        lengths.append(legs.length)
        speeds.append(legs.rate)
    every = [np.concatenate(values) for values in (forces, lengths, speeds)]
    for k, demand in enumerate(sizing.demands):
        assert demand.peak == np.abs(every[0][:, k]).max()
        assert (demand.lowest, demand.highest) == (every[1][:, k].min(), every[1][:, k].max())
        assert demand.velocity == np.abs(every[2][:, k]).max()
        assert demand.power == np.abs(every[0][:, k] * every[2][:, k]).max()
        assert demand.rms <= demand.peak
        assert demand.mean_power <= demand.power
        assert demand.share is None
    assert sizing.worst.actuator == max(sizing.demands, key=lambda each: each.peak).name
    assert set(sizing.angles) == {"universal angle [rad]", "spherical angle [rad]"}


def test_a_lift_at_rest_needs_its_weight() -> None:
    """A prismatic arm that lifts a mass: force m g, power m g v, by hand."""
    link = {"joint": "prismatic", "mass": 10, "inertia": [0.1, 0.1, 0.1]}
    limits = {"effort_velocity": [[0, 200], [1, 100]]}
    robot = lw.load(
        {"kind": "arm", "name": "lift", "convention": "standard", "links": [{**link, "limits": limits}]}
    )
    time = np.linspace(0, 1, 101)
    rising = lw.SampledTrajectory(time, 0.5 * time[:, None])
    (demand,) = lw.size_actuators(robot, {"rise": rising}).demands
    assert demand.peak == pytest.approx(98.1, rel=1e-9)
    assert demand.rms == pytest.approx(98.1, rel=1e-9)
    assert demand.power == pytest.approx(98.1 * 0.5, rel=1e-9)
    assert demand.stroke == pytest.approx(0.5)
    assert demand.share == pytest.approx(98.1 / 150, rel=1e-9)  # half way down the envelope


def test_an_envelope_is_a_limit() -> None:
    robot = lw.load("simona")
    legs = tuple(
        type(leg)(**{**vars(leg), "limits": type(leg.limits)(force_velocity=((0, 9000), (0.5, 0)))})
        for leg in robot.model.legs
    )
    robot = lw.Platform(type(robot.model)(**{**vars(robot.model), "legs": legs}))
    report = robot.check_limits(robot.home, np.zeros(6), np.zeros(6))
    assert report.ok
    fast = robot.check_limits(robot.home, [0, 0, 0.7, 0, 0, 0], np.zeros(6))
    assert {each.limit for each in fast.breaks} == {"force_velocity"}


def test_catalog(sizing: lw.Sizing, tmp_path) -> None:
    (tmp_path / "actuators.csv").write_text(ACTUATORS)
    catalog = lw.read_catalog(tmp_path / "actuators.csv")
    found = lw.Sizing(sizing.robot, sizing.studies, catalog).fits
    assert [fit.actuator.name for fit in found if fit.serves] == ["right", "strong"]
    reasons = {fit.actuator.name: fit.limited_by.split(" of ")[0] for fit in found}
    assert reasons["short"] == "stroke"
    assert reasons["weak"] == "peak effort"
    assert reasons["slow"] == "velocity"


def test_catalogs_have_units_in_their_headers(tmp_path) -> None:
    path = tmp_path / "catalog.csv"
    path.write_text("name,stroke [mm],force (kN),Speed [mm/s],power [kW]\na,900,8,1200,2\n")
    (one,) = lw.read_catalog(path).actuators
    assert one == Actuator("a", 0.9, 8000.0, None, 1.2, 2000.0)


def test_every_margin_of_a_catalog(sizing: lw.Sizing, tmp_path) -> None:
    """Against loops over samples; one stroke for all legs, from the shortest of all to the longest."""
    (tmp_path / "actuators.csv").write_text(
        "name,stroke,force,continuous_force,velocity,power,retracted_length,force_velocity,price,maker\n"
        "a,1.2,20000,12000,1.5,9000,1.9,0:21000 0.5:20000 2:9000,900,Acme\n"
        "b,1.2,20000,12000,1.5,9000,2.3,,,Acme\n"
    )
    catalog = lw.read_catalog(tmp_path / "actuators.csv")
    robot = sizing.robot
    worst: dict[str, float] = {}
    lengths = [
        length
        for study in sizing.studies
        for pose in study.position
        for length in robot.leg_lengths(pose)
    ]
    for study in sizing.studies:
        motion = (study.position, study.velocity, study.acceleration)
        for state in zip(*motion, strict=True):
            rate = robot.leg_kinematics(*state).rate
            for force, speed in zip(robot.inverse_dynamics(*state), rate, strict=True):
                available = np.interp(abs(speed), [0, 0.5, 2], [21000, 20000, 9000])
                for what, margin in {
                    "peak_effort": 1 - abs(force) / 20000,
                    "velocity": 1 - abs(speed) / 1.5,
                    "power": 1 - abs(force * speed) / 9000,
                    "effort_velocity": (available - abs(force)) / available,
                }.items():
                    worst[what] = min(worst.get(what, 1.0), margin)
    worst["stroke"] = 1 - (max(lengths) - min(lengths)) / 1.2
    worst["extended_length"] = 1 - max(lengths) / (1.9 + 1.2)
    worst["retracted_length"] = 1 - 1.9 / min(lengths)
    found = {fit.actuator.name: fit for fit in lw.Sizing(robot, sizing.studies, catalog).fits}
    for what, margin in worst.items():
        assert found["a"].margins[what][0] == pytest.approx(margin, rel=1e-9), what
    assert found["a"].margin == min(margin for margin, _ in found["a"].margins.values())
    assert found["a"].actuator.price == 900
    assert found["a"].actuator.texts == {"maker": "Acme"}
    # Each leg alone needs less than equal actuators do.
    alone = max(demand.stroke for demand in sizing.demands)
    assert max(lengths) - min(lengths) > alone


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("name,strok\na,1\n", "unknown column 'strok'.*did you mean"),
        ("name,stroke,color\na,1,red\n", "unknown column 'color'; allowed: name, stroke"),
        ("name,force_velocity\na,0:900 2\n", "pairs speed:effort"),
        ("name,force_velocity [kN]\na,0:900\n", "is in SI units"),
        ("name,force\n", "no actuator"),
        ("name,force\nA,-3\n", "line 2, peak_effort: '-3'"),
        ("name,force\nA,3,4\n", "line 2: 3 cells"),
        ("force,torque\n1,2\n", "needed are name"),
        ("name,stroke [furlong]\na,1\n", "unit of .*; expected m, mm"),
        ("name,stroke\na,900\n", r"did you mean stroke \[mm\] or \[deg\] in the header"),
        ("name,velocity\na,500\n", r"did you mean velocity \[mm/s\]"),
        ('name,stroke\na,"0,9"\n', r"did you mean 0.9\?"),
        ("name,stroke\na,nan\n", "line 2, stroke: 'nan'"),
        ("name;stroke\na;1\n", "separated by semicolons"),
    ],
)
def test_faulty_catalogs(text: str, message: str, tmp_path) -> None:
    path = tmp_path / "catalog.csv"
    path.write_text(text)
    with pytest.raises(lw.InputError, match=message):
        lw.read_catalog(path)


def test_motions_of_other_kinds_are_refused() -> None:
    robot = lw.load("planar-2r")
    for motions in ([], {"x": 3}, [3]):
        with pytest.raises(lw.InputError):
            lw.size_actuators(robot, motions)


def test_page(sizing: lw.Sizing) -> None:
    html = sizing_report(sizing).html()
    assert "Effort against speed" in html
    assert "universal angle [deg]" in html


def test_command(tmp_path) -> None:
    (tmp_path / "actuators.csv").write_text(ACTUATORS)
    words = (
        "size",
        "simona",
        "-m",
        "heave",
        "--period",
        "0.05",
        "--catalog",
        "actuators.csv",
        "--json",
    )
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert len(facts["actuators"]) == 6
    assert facts["catalog"][0]["serves"]
    table = run("size", "planar-2r", "-m", "home-quintic", "-o", "x.csv", cwd=tmp_path).stderr
    assert "peak power" in table
    with pytest.raises(lw.InputError, match="cannot be read"):
        lw.read_catalog(tmp_path / "no.csv")
