"""Robots of known truth are found in logs with the flaws of real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from tests.identification.flaws import (
    FLAWS,
    GAINS,
    flawed_log,
    is_plausible,
    motion,
    prediction_ratio,
    small_arm,
)
from tests.identification.generated import arm_log, covered, true_robot


def check(flaw: str, seeds: range, tmp_path) -> None:
    """Coverage, prediction of a new motion within 1.2 times the noise, bodies possible and plausible."""
    arm, flaws = small_arm(), FLAWS[flaw]
    inside, ratios = [], []
    for seed in seeds:
        true = true_robot(arm, seed)
        log = flawed_log(arm, true, flaws, seed)
        found = lw.identify(arm, log, gains=GAINS if flaws.currents else None)
        inside.append(covered(found, true))
        ratios.append(prediction_ratio(found, true, flaws))
        assert is_plausible(found)
        lw.write_robot(found.robot, tmp_path / "found.yaml")
        assert lw.lint(tmp_path / "found.yaml") == []
    share = float(np.concatenate(inside).mean())
    print(
        f"{flaw}: coverage {share:.3f}, prediction {np.mean(ratios):.3f}, at most {np.max(ratios):.3f}"
    )
    assert len(seeds) < 100 or 0.9 <= share <= 0.99
    assert share > 0.8
    assert np.mean(ratios) < 1.2


@pytest.mark.parametrize("flaw", ["clock", "all"])
def test_flaws(flaw, tmp_path) -> None:
    check(flaw, range(2), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("flaw", FLAWS)
def test_flaws_of_a_hundred_robots(flaw, tmp_path) -> None:
    check(flaw, range(100), tmp_path)


def test_friction_that_grows_with_the_load_is_found_where_it_is() -> None:
    arm = small_arm()
    first, upper, fore = true_robot(arm, 1).model.joints
    law = replace(upper.friction, load_friction=0.08)
    true = lw.Arm(
        replace(arm.model, joints=(first, replace(upper, friction=law), fore), operation_plan="")
    )
    found = lw.identify(arm, arm_log(arm, true, motion(0), 0, rate=100.0, noise=0.15))
    assert [law.name for law in found.friction if law.under_load] == ["upper"]
    assert covered(found, true).mean() > 0.85
    k = found.base.names.index("upper.load_friction")
    low, high = found.interval[k]
    assert low < 0.08 < high < 0.12
    _, new = motion(50).sample(0.02)
    left = found.robot.inverse_dynamics(*new) - true.inverse_dynamics(*new)
    moving = np.abs(new[1]) > 0.1
    assert (np.sqrt((left**2 * moving).sum(axis=0) / moving.sum(axis=0)) < 0.1).all()
    again = lw.identify(arm, arm_log(arm, true_robot(arm, 1), motion(0), 0, rate=100.0, noise=0.15))
    assert not again.friction
