"""Loops that Newton's method solves, enclosed by Krawczyk's operator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.certification.boxes import Boxes
from linkwork.certification.checker import check_certificate
from linkwork.certification.enclosed import Enclosed
from linkwork.robot.diagnosis import followed


@pytest.mark.parametrize(
    ("name", "away"), [("3-rps", (0.1, 0.2, 0.2)), pytest.param("tricept", (0.3, 0.3, 0.1))]
)
def test_what_closes_the_loops_is_enclosed(name: str, away: tuple[float, ...]) -> None:
    robot = lw.load(name)
    loops = Enclosed(robot).loops
    rng = np.random.default_rng(1)
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    middle = home + rng.uniform(-1, 1, (300, 3)) * away
    radius = 10.0 ** rng.uniform(-8, -2.5, (300, 1))
    closed = loops.closed(Boxes(middle - radius, middle + radius))
    assert loops.known(closed).mean() > 0.95
    widths = []
    for _ in range(20):
        u = followed(robot, rng.uniform(middle - radius, middle + radius))
        low, high = closed.low[:, 3:], closed.high[:, 3:]
        assert ((u >= low - 1e-13) & (u <= high + 1e-13)).all()
        widths.append(high - low)
    narrow = radius[:, 0] < 1e-6
    assert np.max(widths, axis=0)[narrow & loops.known(closed)].max() < 1e-4  # and little more


def test_loops_that_cannot_be_enclosed_prove_nothing() -> None:
    robot = lw.load("3-rps")
    loops = Enclosed(robot).loops
    wide = Boxes(np.array([[0.1, -1.5, -1.5]]), np.array([[1.1, 1.5, 1.5]]))
    closed = loops.closed(wide)
    assert not loops.known(closed).any()
    assert (closed.high[:, 3:] - closed.low[:, 3:] >= 1e6).all()


@pytest.mark.parametrize(
    ("name", "region"),
    [
        ("3-rps", {"z": [0.55, 0.65], "roll": ["-8 deg", "8 deg"], "pitch": ["-8 deg", "8 deg"]}),
        ("tricept", {"x": [-0.05, 0.05], "y": [-0.05, 0.05], "z": [-0.92, -0.88]}),
    ],
)
def test_certificates_hold(name: str, region: dict[str, list[object]], tmp_path: Path) -> None:
    robot = lw.load(name)
    found = lw.certify(robot, region, condition=30)
    assert found.verdict == "proven"
    found.save(tmp_path / "c.json")
    assert check_certificate(tmp_path / "c.json").certificate.verdict == "proven"
    ends = np.array(list(found.region.values()))
    at = np.random.default_rng(0).uniform(*ends.T, (2000, 3))
    c = robot.coordinates.from_angles(at)
    assert (robot.margins(c).least >= 0).all()


def test_a_limit_is_met_to_a_millionth(tmp_path: Path) -> None:
    """The platform of 3-rps straight up: all cylinders are as long as its height says."""
    robot = lw.load("3-rps")
    top = float(np.sqrt((np.hypot(0.15, 0.6) + 0.2) ** 2 - 0.15**2))
    assert lw.certify(robot, {"z": [0.6, top - 1e-9]}).verdict == "proven"
    beyond = lw.certify(robot, {"z": [0.6, top + 1e-9]})
    assert beyond.verdict == "refuted"
    beyond.save(tmp_path / "c.json")
    assert check_certificate(tmp_path / "c.json").certificate.broken == beyond.broken
