"""S joints within legs that do not end in one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from linkwork.core.rotations import quaternion_of
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.robot_files import load_model, robot_document
from tests.oracles.pinocchio_parallel import PinocchioParallel
from tests.oracles.test_pinocchio_parallel import interpreted, state


@pytest.mark.long
def test_a_ball_within_a_leg_may_go_with_another_end() -> None:
    """R S U legs are those of R, three R at one place, and U; Pinocchio has the same efforts."""
    model = load_model("rotary-hexapod")
    assert isinstance(model, ParallelModel)
    plain = robot_document(model)
    for leg in plain["legs"]:
        _, middle, end = leg["joints"]
        end["U"] = [list(axis) for axis in reversed(middle.pop("U"))]
        del end["S"]
        leg["joints"][1] = {"S": None, **middle}
    ball = load_model(copy.deepcopy(plain))
    assert isinstance(ball, ParallelModel)
    assert {len(leg.joints) for leg in ball.legs} == {6}
    for leg, given in zip(ball.legs, plain["legs"], strict=True):
        arm, middle, end = given["joints"]
        axes = [{"R": list(joint.axis), "at": middle["at"]} for joint in leg.joints[1:4]]
        given["joints"] = [arm, *axes[:2], {**axes[2], "link": middle["link"]}, end]
    turns = load_model(plain)
    assert isinstance(turns, ParallelModel)
    c, cd, cdd = state(ball, 0, 1.0)
    (tau,) = interpreted(ball, "inverse_dynamics", c, cd, cdd)
    np.testing.assert_allclose(interpreted(turns, "inverse_dynamics", c, cd, cdd)[0], tau, rtol=1e-12)
    q, _, _, position, R, twist, acceleration = interpreted(ball, "joints", c, cd, cdd)
    pose = np.concatenate([position, quaternion_of(R)])
    theirs, _ = PinocchioParallel(ball, q, pose, twist, False).inverse(acceleration)
    np.testing.assert_allclose(tau, theirs, rtol=1e-10, atol=1e-10 * np.abs(tau).max())
    again = load_model(robot_document(ball))
    assert isinstance(again, ParallelModel)
    assert [joint.name for joint in again.joints] == [joint.name for joint in ball.joints]
