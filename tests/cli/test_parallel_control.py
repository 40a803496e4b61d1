"""Gravity compensation of parallel robots from the command line."""

from __future__ import annotations

import numpy as np

from tests.cli.process import run

WORDS = ("simulate", "delta", "--motion", "home-quintic", "--duration", "0.05", "-o", "run.npz")
LAW = ("--controller", "gravity-compensation")


def test_gravity_compensation_of_a_delta(tmp_path) -> None:
    assert "--kp and --kv" in run(*WORDS, *LAW, cwd=tmp_path, code=2).stderr
    run(*WORDS, *LAW, "--kp", "2000", "--kv", "200", cwd=tmp_path)
    with np.load(tmp_path / "run.npz") as found:
        assert np.isfinite(found["effort"]).all()
        assert np.abs(found["error"]).max() > 0
