"""DataFrames and Datasets: the columns of the CSV, named dimensions, units."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.motion.bundled import motion_for
from tests.cli.process import run as command

pandas = pytest.importorskip("pandas")
xarray = pytest.importorskip("xarray")


def header(path: Path) -> list[str]:
    with path.open() as file:
        return next(csv.reader(file))


@pytest.fixture(scope="module", params=["planar-2r", "simona", "delta"])
def simulated(request) -> lw.Simulation:
    robot = lw.load(request.param)
    law = lw.ComputedTorque if isinstance(robot, lw.Arm) else lw.TaskSpaceControl
    return lw.simulate(
        robot, law(robot, motion_for(robot, "home-quintic"), kp=100, kv=20), duration=0.01
    )


def test_runs(simulated: lw.Simulation, tmp_path: Path):
    run, path = simulated, tmp_path / "run.csv"
    run.save(path)
    frame, dataset = run.to_pandas(), run.to_xarray()
    assert [*frame.columns] == header(path)
    again = pandas.read_csv(path)
    np.testing.assert_array_equal(again.to_numpy(), frame.to_numpy())
    assert frame.attrs["units"]["time"] == "s"
    assert frame.attrs["units"][f"effort_{run.labels[0]}"] == run.efforts.units[0]
    assert dataset["position"].dims[0] == "time"
    assert [*dataset[dataset["effort"].dims[1]].values] == [*run.efforts.names]
    np.testing.assert_array_equal(dataset["velocity"].values, run.velocity)
    assert dataset["kinetic"].attrs["units"] == "J"
    assert dataset.attrs["robot"] == run.robot


def test_studies(tmp_path: Path):
    """A study has the columns of `linkwork inverse` with all that it can add."""
    robot, motion, path = lw.load("dasgupta1998"), "dasgupta-I", tmp_path / "forces.csv"
    whole = ["--state", "--parts", "--reactions", "--period", "0.25", "-o", str(path)]
    command("inverse", robot.name, "-m", motion, *whole, cwd=tmp_path)
    written = pandas.read_csv(path)
    time = written["time"].to_numpy()
    found = study(robot, motion, time, motion_for(robot, motion).at(time))
    frame, dataset = found.to_pandas(), found.to_xarray()
    assert [*frame.columns] == [*written.columns]
    np.testing.assert_array_equal(frame.to_numpy(), written.to_numpy())
    assert frame.attrs["units"]["effort_leg1"] == "N"
    np.testing.assert_array_equal(frame["effort_leg1"], found.effort.values[:, 0])
    np.testing.assert_array_equal(dataset["effort"].sel(actuator="leg1"), found.effort.values[:, 0])
    assert dataset["position"].attrs["units"] == "m or 1"
    assert [*dataset["position_unit"].values] == ["m"] * 3 + ["1"] * 4
    assert dataset["reaction_moment"].attrs["units"] == "N m"


def test_rollouts(tmp_path: Path):
    robot = lw.load("planar-2r")
    control = lw.ComputedTorque(robot, lw.Quintic([0, 0], [1, 1], 0.1), kp=100, kv=20)
    found = lw.rollout(robot, control, batch=3, record_every=50)
    found.save(tmp_path / "loops.npz")
    for each in (found, lw.Rollouts.load(tmp_path / "loops.npz")):
        frame, dataset = each.to_pandas(), each.to_xarray()
        assert len(frame) == 3
        last = f"final_position_{robot.coordinates.names[1]}"
        np.testing.assert_array_equal(frame[last], found.final_position[:, 1])
        assert frame.attrs["units"][last] == "rad"
        assert dataset["position"].dims == ("time", "loop", "actuator")
        np.testing.assert_array_equal(dataset["position"].values, found.position)
        assert dataset["diverged"].dims == ("loop",)


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_a_missing_library_is_named(library: str, simulated, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(lw.LinkworkError, match=rf"to_{library} needs {library}: pip install {library}"):
        getattr(simulated, f"to_{library}")()
