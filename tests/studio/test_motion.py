"""Series along a motion, closed loops beside the page, and how to stop them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.studio.host import LongWork
from linkwork.studio.motion import between, closed_loop, compute_series
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.session import Session


def _nothing(share: float) -> None:
    pass


def _session(name: str, motion: str) -> Session:
    session = Session(RobotSource(name))
    choice = next(choice for choice in session.choices if choice.name == motion)
    session.choose(choice.make(), motion)
    return session


def test_series_hold_both_formulations_and_their_difference() -> None:
    session = _session("dasgupta1998", "dasgupta-II")
    assert session.motion is not None
    found = compute_series(session.robot, session.motion, ("exact", "dasgupta1998"), _nothing)
    states = session.motion.at(found.study.time)
    robot = session.robot
    exact = robot.inverse_dynamics(*states)
    published = robot.inverse_dynamics(*states, formulation="dasgupta1998")
    np.testing.assert_array_equal(found.efforts["exact"], exact)
    np.testing.assert_array_equal(found.difference, published - exact)
    assert np.abs(found.difference).max() > 10
    columns = found.columns()
    assert columns["leg2 dasgupta1998 [N]"][7] == published[7, 1]
    assert columns["leg3 length [m]"].shape == found.study.time.shape
    expected = robot.condition_number(states[0], "platform")
    np.testing.assert_allclose(columns["condition number"], expected, rtol=1e-9)


def test_series_of_arms_have_their_units() -> None:
    session = _session("stanford", "tour")
    assert session.motion is not None
    found = compute_series(session.robot, session.motion, ("newton-euler", "angeles"), _nothing)
    assert found.study.robot.efforts.units == ("N m", "N m", "N", "N m", "N m", "N m")
    assert "boom newton-euler [N]" in found.columns()
    assert found.difference is not None
    assert np.abs(found.difference).max() < 1e-9


@pytest.mark.parametrize("name", ["planar-2r", "pi-h811", "delta"])
def test_a_closed_loop_brings_the_robot_back_to_the_reference(name: str) -> None:
    session = Session(RobotSource(name))
    end = session.state.position.copy()
    end[0] += 0.005
    session.choose(between(session.robot, session.state.position, end, 0.3), "short")
    assert session.motion is not None
    shares: list[float] = []
    offset = np.full(len(end), 0.1) if session.moves_joints else 0.002 * np.eye(len(end))[0]
    run = closed_loop(session.robot, session.motion, 6.0, 0.0, offset, shares.append)
    assert shares[-1] == pytest.approx(1.0)
    assert run.error is not None
    assert np.abs(run.error[0]).max() == pytest.approx(offset[0])
    assert abs(run.error[-1, 0]) < 1e-3 * offset[0]
    session.simulation = run
    session.playback.seek(0.0)
    session.follow()
    assert session.ghost is not None
    assert np.abs(session.ghost - session.state.position).max() == pytest.approx(offset[0])
    assert np.isfinite(session.read().effort).all()


def _job(work: Callable[[Callable[[float], None]], Any]) -> LongWork:
    ended = threading.Event()
    job = LongWork("Work", work, lambda job: ended.set())
    assert ended.wait(30)
    return job


def test_a_simulation_can_be_canceled_at_any_time() -> None:
    session = _session("planar-2r", "excitation")
    motion = session.motion
    assert motion is not None
    started, ended = threading.Event(), threading.Event()

    def work(report: Callable[[float], None]) -> Any:
        def watched(share: float) -> None:
            started.set()
            report(share)

        return closed_loop(session.robot, motion, 2.0, 0.0, np.zeros(2), watched)

    job = LongWork("Simulation", work, lambda job: ended.set())
    assert started.wait(30)
    job.cancel()
    assert ended.wait(30)
    assert job.canceled
    assert job.progress < 1
    assert job.message == "Simulation: canceled"


def test_jobs_tell_of_errors_and_of_faults() -> None:
    def refuse(report: object) -> None:
        raise InputError("there is none.")

    def break_down(report: object) -> None:
        raise ZeroDivisionError("by zero")

    assert _job(refuse).message == "there is none."
    assert _job(break_down).message == "Work: ZeroDivisionError: by zero"
    done = _job(lambda report: 7)
    assert (done.result, done.progress, done.message) == (7, 1.0, None)


def test_the_plots_of_an_impossible_stretch_have_gaps_not_errors() -> None:
    robot = lw.load("pi-h811")
    session = Session(RobotSource("pi-h811"))
    below = robot.home.copy()
    below[2] = 2 * robot.model.legs[0].base_point[2]
    found = compute_series(session.robot, between(robot, robot.home, below, 1.0), ("exact",), _nothing)
    assert np.isfinite(found.efforts["exact"][0]).all()
    assert not np.isfinite(found.condition).all() or found.condition.max() > 1e3
