"""Results of batches: what they hold, how they are shown, and that files keep them whole."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import (
    AdaptiveComputedTorque,
    ComputedTorque,
    GravityCompensation,
    State,
    TaskSpaceControl,
)
from linkwork.motion import Quintic, published_path
from linkwork.simulation import Rollouts, SimulationError, rollout, simulate


@pytest.fixture(scope="module")
def planar() -> lw.Arm:
    return lw.load_arm("planar-2r")


@pytest.fixture(scope="module")
def motion() -> Quintic:
    return Quintic(np.zeros(2), np.array([1.0, -0.5]), 1.0)


def same(a: Rollouts, b: Rollouts) -> None:
    assert a.robot == b.robot
    assert a.inputs.keys() == b.inputs.keys()
    for name, values in a.arrays().items():
        np.testing.assert_array_equal(b.arrays()[name], values)


@pytest.mark.parametrize("record_every", [None, 20])
def test_files_keep_inputs_and_results(planar, motion, tmp_path, record_every) -> None:
    law = ComputedTorque(planar, motion, period=1e-3)
    starts = 0.1 * np.random.default_rng(0).normal(size=(3, 2))
    batch = rollout(
        planar,
        law,
        starts,
        duration=0.05,
        variations={"payload": [0.0, 0.5, 1.0], "kp": 50.0},
        record_every=record_every,
    )
    np.testing.assert_array_equal(batch.inputs["start_position"], starts)
    np.testing.assert_array_equal(batch.inputs["payload"][:, 0], [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(batch.inputs["kp"], np.full((3, 2), 50.0))
    assert len(batch) == 3
    assert len(repr(batch)) < 200
    assert "3 loops, 0 diverged" in repr(batch)
    for ending in ("npz", "parquet"):
        path = tmp_path / f"batch.{ending}"
        batch.save(path)
        same(batch, Rollouts.load(path))
    same(batch, pickle.loads(pickle.dumps(batch)))


def test_gains_that_are_matrices(planar, motion) -> None:
    """As in a single simulation; they are the same for all loops."""
    coupled = np.array([[120.0, 15.0], [15.0, 90.0]])
    law = ComputedTorque(planar, motion, coupled, np.diag([25.0, 15.0]), period=1e-3)
    starts = 0.1 * np.random.default_rng(0).normal(size=(2, 2))
    batch = rollout(planar, law, starts, duration=0.05)
    for start, end in zip(starts, batch.final_position, strict=True):
        np.testing.assert_allclose(simulate(planar, law, start=start, duration=0.05).position[-1], end)
    with pytest.raises(lw.InputError, match="kv cannot vary where the controller's gains are matrices"):
        rollout(planar, law, starts, duration=0.05, variations={"kv": [10.0, 20.0]})


def test_files_that_are_no_rollouts_are_refused(planar, tmp_path) -> None:
    with pytest.raises(lw.InputError, match="cannot be read"):
        Rollouts.load(tmp_path / "missing.npz")
    with pytest.raises(lw.InputError, match="allowed endings"):
        Rollouts.load(tmp_path / "batch.csv")
    simulate(planar, duration=0.01).save(tmp_path / "run.npz")
    simulate(planar, duration=0.01).save(tmp_path / "run.parquet")
    (tmp_path / "text.npz").write_text("no zip")
    for name in ("run.npz", "run.parquet", "text.npz"):
        with pytest.raises(lw.InputError, match="holds no rollouts"):
            Rollouts.load(tmp_path / name)


def test_controllers_and_results_travel(planar, motion) -> None:
    hexapod, path = lw.load_platform("dasgupta1998"), published_path("dasgupta-II")
    still = State(np.array([0.1, 0.2]), np.array([0.0, 0.3]))
    at = path.at(0.4)
    laws = [
        (ComputedTorque(planar, motion), still),
        (ComputedTorque(planar, motion, form="matrix"), still),
        (GravityCompensation(planar, motion, 50.0, 5.0), still),
        (AdaptiveComputedTorque(planar, motion), still),
        (TaskSpaceControl(hexapod, path), State(at.pose, at.twist)),
    ]
    for law, state in laws:
        expected = law.effort(0.4, state)
        law.start()
        for twin in (pickle.loads(pickle.dumps(law)), copy.deepcopy(law)):
            np.testing.assert_array_equal(twin.effort(0.4, state), expected)
    run = simulate(planar, laws[0][0], duration=0.02)
    twin = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(twin.q, run.q)
    assert twin.names() == run.names()
    assert len(repr(run)) < 100
    with pytest.raises(SimulationError) as caught:
        simulate(planar, lambda time, state: [np.nan, 0.0], duration=0.1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.time == caught.value.time
    assert again.result.robot == "planar-2r"
