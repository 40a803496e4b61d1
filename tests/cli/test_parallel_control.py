"""Gravity compensation of platforms and parallel robots from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linkwork.cli.main import main


def test_gravity_compensation_of_a_delta(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.npz"
    words = ["simulate", "delta", "--motion", "home-quintic", "--duration", "0.05", "-o", str(out)]
    assert main([*words, "--controller", "gravity-compensation"]) != 0
    assert "--kp and --kv" in capsys.readouterr().err
    assert main([*words, "--controller", "gravity-compensation", "--kp", "2000", "--kv", "200"]) == 0
    with np.load(out) as run:
        assert np.isfinite(run["effort"]).all()
        assert np.abs(run["error"]).max() > 0
