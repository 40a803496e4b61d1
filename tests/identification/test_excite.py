"""Motions for identification: better than random ones, within the limits, as files."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.files.yaml_lines import yaml_text
from linkwork.identification.excite import FourierSeries, Judge, random_coefficients
from linkwork.motion.bundled import motion_for
from tests.cli.process import run


@pytest.fixture(scope="module")
def puma() -> lw.Arm:
    return lw.load_arm("puma560")


def test_the_gradient_is_that_of_the_loss(puma) -> None:
    series = FourierSeries.of(puma.velocities, 8.0, 4, 12)
    judge = Judge(puma, puma.base_parameters(), series)
    rng = np.random.default_rng(1)
    x = 1.5 * judge.start(random_coefficients(series, rng))  # some limits are broken
    _, gradient = judge.loss(x)
    way = 1e-5 * judge.units * rng.normal(size=len(x))
    difference = (judge.loss(x + way)[0] - judge.loss(x - way)[0]) / 2
    assert gradient @ way == pytest.approx(difference, rel=2e-3)


def test_better_than_a_hundred_random_motions_within_the_limits(puma) -> None:
    found = lw.excite(puma)
    assert len(found.random) == 100
    assert found.condition < 0.5 * found.random.min()
    assert found.limits.ok
    time = np.linspace(0, found.motion.duration, 5001)
    motion = found.motion.at(time)
    assert puma.check_limits(*motion).ok
    start = found.motion.at(0.0)
    np.testing.assert_allclose(start.qd, 0, atol=1e-9)
    np.testing.assert_allclose(start.qdd, 0, atol=1e-9)
    assert "of 100 random motions the best has" in str(found)


def test_what_a_robot_does_not_have_is_not_excited() -> None:
    """Friction and rotors that a URDF has not would spoil the condition of what there is."""
    arm = lw.load_arm("planar-2r")
    options = {"period": 6.0, "candidates": 5}
    plain, with_both = lw.excite(arm, **options), lw.excite(arm, **options, friction=True, rotors=True)
    without = lw.excite(arm, **options, friction=False, rotors=False)
    assert plain.condition == without.condition < with_both.condition


def test_the_file_is_read_again(tmp_path) -> None:
    said = run(
        "excite", "planar-2r", "-o", "m.yaml", "--periods", "2", "--candidates", "5", cwd=tmp_path
    )
    assert "condition number" in said.stdout
    arm = lw.load_arm("planar-2r")
    motion = motion_for(arm, str(tmp_path / "m.yaml"))
    assert motion.duration == pytest.approx(20)
    same = lw.excite(arm, periods=2, candidates=5).motion
    np.testing.assert_allclose(motion.at(3.3).q, same.at(3.3).q, atol=1e-12)


@pytest.mark.long
def test_platforms_move_their_pose(tmp_path) -> None:
    platform = lw.load_platform("simona")
    document = lw.excite(platform, shared_legs=True, candidates=2, harmonics=3).document
    (tmp_path / "m.yaml").write_text(yaml_text(document))
    motion = motion_for(platform, str(tmp_path / "m.yaml"))
    assert motion.kind == "pose"
    assert platform.check_limits(*motion.at(np.linspace(0, 10, 500))).ok


def test_series_must_start_at_rest() -> None:
    with pytest.raises(lw.InputError, match="does not start at rest"):
        lw.Excitation.of_series([0.0], 0.1, [[1.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]])
    with pytest.raises(lw.InputError, match="a row for each harmonic"):
        lw.Excitation.of_series([0.0, 0.0], 0.1, [[1.0]], [[0.0]])


def test_options_are_checked(puma) -> None:
    with pytest.raises(lw.InputError, match="period"):
        lw.excite(puma, period=-1)
    with pytest.raises(lw.InputError, match="harmonics"):
        lw.excite(puma, harmonics=2)
    with pytest.raises(lw.InputError, match="even near the middle"):
        lw.excite(puma, period=1e-3, candidates=1)
