"""Control of a mass with Coulomb friction: where PD stops short, how an integral hunts, and pendulums
that stop; against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import GravityCompensation
from linkwork.motion import Quintic
from linkwork.simulation import DigitalLoop, simulate
from tests.simulation.test_stick_slip import MASS, block, rubbing

FORCE = 4.0  # N of Coulomb friction


PERIOD = 2e-3


def held(arm: lw.Arm, kp: float, kv: float, period: float = PERIOD, **options) -> GravityCompensation:
    still = Quintic([0.0], [0.0], 1.0)
    return GravityCompensation(arm, still, kp, kv, period, gravity=False, **options)


def test_pd_stops_within_the_friction_over_the_gain() -> None:
    """Any place with kp |e| <= F holds: PD never hunts, it stands off."""
    arm = block(FORCE, pull=0.0)
    kp, kv = 200.0, 25.0
    for start in (0.3, -0.11, 0.015):
        run = simulate(arm, held(arm, kp, kv), start=[start], duration=1.0, step=PERIOD)
        assert run.qd[-1, 0] == 0.0
        assert abs(run.q[-1, 0]) <= FORCE / kp
    assert run.q[-1, 0] == 0.015  # it has never moved


def test_an_integral_waits_and_tears_loose_when_it_has_gathered_the_friction() -> None:
    """At rest at x the integral grows by -ki x t: it slides when kp x + ki x t reaches F."""
    arm, kp, kv, ki, start = block(FORCE, pull=0.0), 200.0, 25.0, 400.0, 0.008
    run = simulate(arm, held(arm, kp, kv, ki=ki), start=[start], duration=1.0, step=PERIOD)
    first = run.time[np.argmax(run.qd[:, 0] != 0)]
    assert first == pytest.approx((FORCE - kp * start) / (ki * start), abs=3 * PERIOD)


def test_static_and_sliding_friction_that_are_equal_do_not_hunt() -> None:
    """PID hunts for ever only if static friction is above the sliding one: here every stand is nearer
    to the goal than the one before."""
    arm = block(FORCE, pull=0.0)
    law = held(arm, 50.0, 4.0, 5 * PERIOD, ki=40.0)
    run = simulate(arm, law, start=[0.5], duration=16.0, step=5 * PERIOD)
    places = run.q[run.qd[:, 0] == 0, 0]
    stands = np.abs(places[np.concatenate([[True], np.abs(np.diff(places)) > 1e-12])])
    assert len(stands) >= 3
    assert (np.diff(stands) < 0).all()
    assert stands[-1] < 0.2 * stands[0]


def test_a_delay_makes_pd_with_friction_swing_for_ever() -> None:
    """A describing function tells the limit cycle of a mass under PD with a delay T:

    the loop without friction is unstable, and friction 4 F / (pi w A) damps it just at
    4 F / (pi A) = kv w cos(wT) - kp sin(wT) taken negative, where kp cos(wT) + kv w sin(wT) = m w^2.
    It is the border between dying out and growing without end.
    """
    arm, kp, kv, delay = block(FORCE, pull=0.0), 300.0, 4.0, 0.02
    w = np.sqrt(kp / MASS)
    for _ in range(50):
        w = np.sqrt((kp * np.cos(w * delay) + kv * w * np.sin(w * delay)) / MASS)
    damping = kv * w * np.cos(w * delay) - kp * np.sin(w * delay)
    assert damping < 0
    border = 4 * FORCE / (np.pi * -damping)
    loop = DigitalLoop(delay=delay - PERIOD / 2)  # half a period is the hold's
    ends = []
    for start in (0.85 * border, 1.15 * border):
        run = simulate(arm, held(arm, kp, kv), start=[start], duration=5.0, step=PERIOD, loop=loop)
        ends.append(np.abs(run.q[-400:, 0]).max())
    assert ends[0] < FORCE / kp + 1e-9  # it sticks
    assert ends[1] > 1.5 * border  # it grows


@pytest.mark.parametrize("way", [{"step": 5e-3}, {"step": 0.05, "integrator": "adaptive"}])
def test_a_pendulum_stops_where_friction_holds_it(way) -> None:
    """Every half swing loses F times its way; between rests potential energy pays for it."""
    arm = lw.load_arm("planar-2r")
    torque = 4.0
    arm = rubbing(arm, torque, 500.0)  # the second joint is stuck: one pendulum
    run = simulate(arm, start=np.array([0.4, 0.0]), duration=8.0, **way)
    assert (run.qd[-1] == 0).all()
    assert np.abs(arm.gravity_load(run.q[-1])[0]) <= torque
    way_gone = np.abs(np.diff(run.q[:, 0])).sum()
    lost = run.energy[0] - run.energy[-1]
    assert lost == pytest.approx(torque * way_gone, rel=2e-3)
    first = int(np.argmax((run.qd[5:] == 0).all(axis=1))) + 5
    np.testing.assert_array_equal(run.q[first:], np.tile(run.q[-1], (len(run.q) - first, 1)))
