"""Mechanisms with loops identified from logs of their motors."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.motion.bundled import motion_for
from tests.identification.generated import arm_log, covered, true_robot, typical_error


@pytest.mark.parametrize("name", ["palletizer", pytest.param("par4", marks=pytest.mark.long)])
def test_efforts_are_those_of_the_true_machine(name: str) -> None:
    robot = lw.load(name)
    true = true_robot(robot, 1)
    motion = motion_for(robot, "excitation")
    if name == "palletizer":
        motion = lw.Excitation(robot.home, 0.35, 0.25, 5, seed=3)
    log = arm_log(robot, true, motion, 1)
    found = lw.identify(robot, [log])
    assert covered(found, true).mean() > 0.9
    assert 0.5 < typical_error(found, true) < 1.5
    other = lw.Excitation(motion.at(0.0)[0], 0.25 * np.ptp(motion.at(log.time)[0], axis=0), 0.2, seed=5)
    states = other.at(np.linspace(0, other.duration, 200))
    wanted = true.inverse_dynamics(*states)
    off = [np.abs(each.inverse_dynamics(*states) - wanted).max() for each in (found.robot, robot)]
    assert off[0] < 0.01 * np.abs(wanted).max()
    assert off[1] > 5 * off[0]


def test_excitation_is_found_in_the_coordinates() -> None:
    robot = lw.load("ankle")
    found = lw.excite(robot, period=4.0, candidates=5)
    assert found.limits.ok
    assert found.condition < np.median(found.random)


def test_what_cannot_be_read_or_swept_is_refused() -> None:
    robot = lw.load("hexapod-with-arm")
    with pytest.raises(lw.InputError, match="an orientation beside other coordinates"):
        lw.identify(robot, "log.csv")
    with pytest.raises(lw.InputError, match="field of bodies of palletizer"):
        lw.load("palletizer").with_fields({"bodies.tool.weight": 3})
