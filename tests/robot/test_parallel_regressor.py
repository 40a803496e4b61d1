"""Efforts of parallel robots are their regressors times their parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.model.robot_files import load_model
from linkwork.studio.design import interpreted


@pytest.mark.parametrize(
    "name",
    ["3-rps", "agile-eye", *(pytest.param(n, marks=pytest.mark.long) for n in ("delta", "hexaglide"))],
)
def test_efforts_are_linear_in_the_parameters(name: str) -> None:
    model = load_model(name)
    robot = interpreted(model)
    assert isinstance(robot, lw.ParallelRobot)
    rng, d = np.random.default_rng(5), robot.dof
    c, (cd, cdd) = robot.home.copy(), rng.normal(size=(2, d))
    c[:3] += 0.01 * rng.uniform(-1, 1, 3)
    Y = robot.regressor(c, cd, cdd)
    assert Y.shape == (robot.n, len(robot.parameters))
    tau = robot.inverse_dynamics(c, cd, cdd)
    np.testing.assert_allclose(Y @ robot.parameters.values, tau, atol=1e-12 * np.abs(tau).max())
    # Every column by itself: other parameters, chosen at random.
    values = robot.parameters.values + rng.uniform(0.1, 1.0, len(robot.parameters))
    other = interpreted(robot.with_parameters(values).model)
    np.testing.assert_allclose(other.parameters.values, values, rtol=1e-12, atol=1e-12)
    changed = other.inverse_dynamics(c, cd, cdd)
    np.testing.assert_allclose(Y @ values, changed, atol=1e-11 * np.abs(changed).max())


def test_friction_at_the_platform_is_told_to_be_missing() -> None:
    robot = lw.load_parallel("3-rps")
    legs = tuple(replace(leg, end=replace(leg.end, viscous=0.1)) for leg in robot.model.legs)
    rough = lw.ParallelRobot(replace(robot.model, legs=legs))
    with pytest.raises(InputError, match="S joints at the platform"):
        rough.regressor(robot.home, np.zeros(3), np.zeros(3))
    with pytest.raises(InputError, match="S joints at the platform"):
        rough.kernel("regressor")
