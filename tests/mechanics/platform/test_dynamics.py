"""The dynamics object of platforms: gravity, wrench and a load as symbols, and its methods."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import Kernel
from linkwork.mechanics.bodies import body_of
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.methods import Options
from linkwork.mechanics.platform.methods import METHODS, express
from tests.mechanics.chain.test_dynamics import LOAD, ten

NAMES = ("dasgupta1998", "simona")


@pytest.fixture
def motion() -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(4).uniform(-0.3, 0.3, (2, 6)))


@pytest.mark.parametrize("name", NAMES)
def test_gravity_is_an_input_of_every_method_that_feels_it(name: str, motion) -> None:
    robot = lw.load(name)
    other = np.array([1.0, -2.0, -8.0])
    turned = lw.Platform(replace(robot.model, gravity=other))
    twist, last = motion
    given = {"pose": robot.home, "twist": twist, "settings": np.array([0.1, 0.02, 1.0])}
    for method, spec in METHODS.items():
        if "gravity" not in spec.runtime:
            continue
        arrays = [given.get(name, last) for name in spec.inputs]
        ours, _ = express(robot.model, robot.mechanism, method, Options(7, ("gravity",)))
        theirs, _ = express(turned.model, turned.mechanism, method, Options(7))
        for a, b in zip(ours.call([*arrays, other]), theirs.call(list(arrays)), strict=True):
            b = np.asarray(b)
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-9, atol=1e-9 * np.abs(b).max())


@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_bias_and_gravity_load_make_the_inverse_dynamics(name: str, motion) -> None:
    robot = lw.load(name)
    twist, acceleration = motion
    methods = ("mass_matrix", "bias", "gravity_load")
    kernels = {m: Kernel(*express(robot.model, robot.mechanism, m, Options(7))) for m in methods}
    M, h = kernels["mass_matrix"](robot.home), kernels["bias"](robot.home, twist)
    force = robot.inverse_dynamics(robot.home, twist, acceleration)
    np.testing.assert_allclose(robot.jacobian(robot.home).T @ force, M @ acceleration + h, rtol=1e-9)
    still = robot.inverse_dynamics(robot.home, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(kernels["gravity_load"](robot.home), still, rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_load_is_a_part_of_the_platform(name: str, motion) -> None:
    robot = lw.load(name)
    heavy = lw.Platform(replace(robot.model, platform=robot.model.platform.merged_with(LOAD)))
    twist, acceleration = motion
    pose = robot.random_states(1)[0][0]
    force = heavy.inverse_dynamics(pose, twist, acceleration)
    phi, V, A = SX.sym("phi", 10), SX.sym("V", 6), SX.sym("A", 6)
    dynamics = MechanismDynamics(robot.mechanism, SX(ca.DM(pose)), V, load=body_of(phi))
    found = ca.Function(
        "loaded",
        [phi, V, A],
        [
            dynamics.inverse(A),
            dynamics.forward(SX(ca.DM(force))),
            dynamics.gravity_load(),
            ca.vertcat(*dynamics.energy()),
        ],
    ).call([ten(LOAD), twist, acceleration])
    energy = heavy.energy(pose, twist)
    rest = heavy.inverse_dynamics(pose, np.zeros(6), np.zeros(6))
    expected = [force, acceleration, rest, np.array([energy.kinetic, energy.potential])]
    for ours, theirs in zip(found, expected, strict=True):
        theirs = np.asarray(theirs)
        np.testing.assert_allclose(
            np.asarray(ours, float).ravel(), theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max()
        )
