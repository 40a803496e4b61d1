"""Reports of inverse dynamics and simulations: what they say is what the library computes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.effort_parts import effort_parts
from linkwork.arm import Arm
from linkwork.errors import InputError, LinkworkError
from linkwork.motion import PoseLine, Quintic, QuinticProfile, paper_path
from linkwork.reports import figures, save_figure
from linkwork.reports.inverse import inverse_report
from linkwork.reports.quantity import Quantity, intervals, quantity
from linkwork.reports.simulation import simulation_report
from linkwork.reports.study import Study, study
from linkwork.reports.tables import peak_table, range_table, violations
from linkwork.stewart import Platform
from tests import random_platforms
from tests.browser import figure_sizes, opened
from tests.random_arms import random_arm, random_state

TOO_FAR = PoseLine((0, 0, 0, 0, 0, 0), (0.017, 0.005, 0.004, 0, 0.1, 0.25), QuinticProfile(0.6))


def samples(motion: Any, count: int = 61) -> tuple[Any, Any]:
    times = np.linspace(0.0, motion.duration, count)
    return times, motion.at(times)


def measured(robot: Any, motion: Any, **options: Any) -> Study:
    return study(robot, "a motion", *samples(motion), **options)


def sweep(arm: Arm) -> Quintic:
    """A motion inside the limits of position of any bundled arm."""
    limits = [joint.limits.position or (-1.0, 1.0) for joint in arm.model.joints]
    low, high = np.array(limits).T
    middle, half = (low + high) / 2, np.minimum((high - low) / 2, 1.0)
    return Quintic(middle - 0.8 * half, middle + 0.7 * half, 1.5)


@pytest.mark.parametrize("wrench", [None, [3.0, -2.0, 5.0, 0.4, 0.2, -0.3]])
@pytest.mark.parametrize("name", lw.bundled_names())
def test_parts_add_up(name: str, wrench: Any) -> None:
    robot = lw.load(name)
    if isinstance(robot, Arm):
        state = samples(sweep(robot))[1]
        total = robot.inverse_dynamics(*state, tip_wrench=wrench)
    else:
        x, y, z, *_ = robot.home
        end = (x, y, z + 0.01, 0.02, 0.01, 0.03)
        state = samples(PoseLine((x, y, z, 0, 0, 0), end, QuinticProfile(0.5)))[1]
        total = robot.inverse_dynamics(*state, wrench)
    parts = effort_parts(robot, *state, wrench)
    assert ("external wrench" in parts or "tip wrench" in parts) == (wrench is not None)
    scale = sum(np.abs(part) for part in parts.values()).max()
    np.testing.assert_allclose(sum(parts.values()), total, rtol=0, atol=1e-13 * scale)


def test_parts_of_an_arm_are_those_of_its_equation() -> None:
    arm = lw.load("puma560")
    q, qd, qdd = samples(sweep(arm))[1]
    parts = effort_parts(arm, q, qd, qdd)
    M, C = arm.mass_matrix(q, rotors=False), arm.coriolis_matrices(q)
    rotors = [joint.rotor.reflected for joint in arm.model.joints]
    expected = {
        "gravity": arm.gravity_load(q),
        "inertia": np.einsum("nij,nj->ni", M, qdd),
        "Coriolis and centrifugal": np.einsum("nj,nijk,nk->ni", qd, C, qd),
        "rotors": rotors * qdd,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(parts[name], values, rtol=0, atol=1e-11)


def test_parts_of_a_platform_at_rest_are_its_weight() -> None:
    platform = lw.load("dasgupta1998")
    pose = platform.home
    parts = effort_parts(platform, pose, np.zeros(6), np.zeros(6))
    for name in ("inertia of the platform", "inertia of the legs", "friction"):
        np.testing.assert_array_equal(parts[name], 0)
    # The legs' forces along z carry the platform's weight.
    direction = platform.leg_kinematics(pose, np.zeros(6), np.zeros(6)).direction
    lift = float(parts["weight of the platform"] @ direction[:, 2])
    assert lift == pytest.approx(platform.model.platform.mass * 9.81, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_random_robots_add_up(seed: int) -> None:
    arm = Arm(random_arm(seed, 4, "general"))
    state = random_state(seed, (5, 4))
    parts = effort_parts(arm, *state)
    assert set(parts) == {"gravity", "inertia", "Coriolis and centrifugal"}
    np.testing.assert_allclose(sum(parts.values()), arm.inverse_dynamics(*state), atol=1e-11)
    platform = Platform(random_platforms.random_platform(seed))
    *place, wrench = random_platforms.random_state(seed)
    parts = effort_parts(platform, *place, wrench)
    np.testing.assert_allclose(
        sum(parts.values()), platform.inverse_dynamics(*place, wrench), atol=1e-10
    )


def steps(values: list[float], bound: float | tuple[float, float] | None) -> Quantity:
    return quantity("force", ("leg",), "N", np.array(values)[:, None], [bound])


def test_violations_say_what_when_and_by_how_much() -> None:
    time = np.arange(6.0)
    (found,) = violations(time, [steps([0, 1, 3, -1, 2.5, 0], 2.0)])
    assert (found.value, found.limit, found.at, found.first, found.duration) == (3, 2, 2, 2, 2)
    assert "force of leg: 3 N at t = 2 s, limit 2 N, beyond it for 2 s" in str(found)
    assert len(violations(time, [steps([-3, 0, 3, 0, 0, 0], 2.0)])) == 2
    assert violations(time, [steps([0, 1, 2, -2, 2, 0], 2.0)]) == []  # on the limit is inside it
    assert violations(time, [steps([0, 1e9, 2, -2, 2, 0], None)]) == []


def test_intervals_cover_single_samples() -> None:
    time = np.arange(5.0)
    assert intervals(time, np.array([True, False, True, True, True])) == [(0.0, 0.5), (1.5, 4.0)]
    assert intervals(time, np.zeros(5, dtype=bool)) == []


def test_peaks_tell_when_and_how_much_of_the_limit() -> None:
    time = np.arange(6.0)
    table = peak_table(time, steps([0, 1, -3, -1, 2.5, 0], 2.0), None, "leg")
    assert table.header == ("leg", "peak force [N]", "at [s]", "RMS [N]", "limit [N]", "used [%]")
    name, peak, at, rms, limit, used = table.rows[0]
    assert (name, peak, at, limit, used) == ("leg", -3, 2, 2, 150)
    assert rms == pytest.approx(np.sqrt((1 + 9 + 1 + 6.25) / 5))
    assert table.marks == {(0, 1), (0, 5)}
    assert not peak_table(time, steps([0, 1, -1, 0, 0, 0], 2.0), None, "leg").marks
    assert len(peak_table(time, steps([0, 1, -1, 0, 0, 0], None), None, "leg").header) == 4


def test_ranges_have_margins() -> None:
    table = range_table(np.arange(3.0), [steps([1.0, 4.0, 2.0], (0.5, 3.0))], "leg")
    assert table.rows[0] == ("force", "leg", 1.0, 0.0, 4.0, 1.0, "0.5 … 3", -1.0, "N")
    assert table.marks == {(0, 4), (0, 7)}


def test_limits_of_a_platform_are_those_of_check_limits() -> None:
    platform = lw.load("pi-h811")
    time, motion = samples(TOO_FAR, 301)
    found = study(platform, "too far", time, motion)
    broken = violations(time, found.measured)
    expected = platform.check_limits(*motion, time=time).breaks
    assert expected
    assert len(broken) == len(expected)
    worst = {(one.channel, one.quantity): one.at for one in broken}
    for one in expected:
        assert worst[one.leg, one.limit.replace("_", " ")] == one.worst_time


def test_violations_are_marked_on_the_page() -> None:
    page = inverse_report(lw.load("pi-h811"), "too far", *samples(TOO_FAR, 301)).html()
    assert "<strong>The motion breaks 6 limits of the robot file</strong>" in page
    assert page.count('class="n violation"') == 12  # six values and six margins
    assert "length of leg4" in page
    shown = re.sub(r'href="data:[^"]*"', "", page)
    assert "fill: var(--violation)" in shown  # the shaded time
    assert "stroke: var(--violation)" in shown  # the limit, and the curve beyond it
    kept = PoseLine((0, 0, 0, 0, 0, 0), (0.001, 0, 0, 0, 0, 0), QuinticProfile(5.0))
    page = inverse_report(lw.load("pi-h811"), "small", *samples(kept)).html()
    assert "All limits of the robot file are kept" in page
    assert 'class="n violation"' not in page


def test_a_report_shows_what_it_should() -> None:
    platform = lw.load("dasgupta1998")
    motion = samples(paper_path("dasgupta-II"))
    command = "linkwork inverse dasgupta1998 --motion dasgupta-II --report report.html"
    page = inverse_report(platform, "Path II", *motion, command, formulations=platform.formulations)
    text = page.html()
    assert command in text
    for name in (
        "mechanism", "places", "effort", "parts", "formulations", "differences", "reactions",
        "conditioning",
    ):  # fmt: skip
        assert f'<figure id="{name}">' in text
    for heading in ("The motion", "Forces", "Reactions in the joints", "Limits", "The robot"):
        assert f">{heading}</h2>" in text
    exact = platform.inverse_dynamics(*motion[1])
    assert f"<strong>{np.abs(exact).max():.4g} N</strong>" in text
    assert "pedrammehr2012 [N]" in text
    assert len(text) < 1.5e6


def test_reports_are_deterministic(tmp_path: Path) -> None:
    arm = lw.load("stanford")  # revolute and prismatic joints
    pages = [inverse_report(arm, "m", *samples(sweep(arm)), "c") for _ in range(2)]
    assert pages[0].html() == pages[1].html()
    assert "N m or N" in pages[0].html() or "[N]" in pages[0].html()


@pytest.mark.parametrize("name", lw.bundled_names())
def test_every_bundled_robot_can_be_studied_and_drawn(name: str, tmp_path: Path) -> None:
    robot = lw.load(name)
    if isinstance(robot, Arm):
        found = measured(robot, sweep(robot))
    else:
        x, y, z = robot.home[:3]
        end = (x, y, z + 0.01, 0.02, 0.01, 0.03)
        found = measured(robot, PoseLine((x, y, z, 0, 0, 0), end, QuinticProfile(0.5)))
    figure = figures.mechanism_figure(robot, found.time, found.position)
    assert save_figure(figure, tmp_path / "mechanism.svg").stat().st_size > 5000
    for figure in (figures.effort_figure(found), figures.parts_figure(found)):
        axes = [ax for ax in figure.axes if ax.get_visible()]
        assert all("[N m]" in ax.get_ylabel() or "[N]" in ax.get_ylabel() for ax in axes[::2])
        assert "time [s]" in [ax.get_xlabel() for ax in axes]


def test_long_recordings_are_thinned_but_keep_their_peaks() -> None:
    from linkwork.reports.lines import MOST, thinned

    time = np.linspace(0, 1, 100_000)
    values = np.sin(40 * time)
    values[77_777] = 9.0
    x, y = thinned(time, values)
    assert len(x) <= MOST + 2
    assert y.max() == 9.0
    assert y.min() == values.min()
    assert (np.diff(x) > 0).all()


def test_names_are_shown_as_they_are() -> None:
    odd = quantity("force", ("$a_1", "_b", "c<d"), "N", np.zeros((5, 3)))
    figure = figures.stacked_figure(np.arange(5.0), [odd])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [r"\$a_1", " _b", "c<d"]
    figure.draw_without_rendering()


def test_wrong_requests_say_what_is_allowed() -> None:
    arm, platform = lw.load("ur5"), lw.load("dasgupta1998")
    with pytest.raises(InputError, match="is an arm; it needs a motion of its joints"):
        measured(arm, paper_path("dasgupta-I"))
    with pytest.raises(InputError, match="is a platform; it needs a motion of its pose"):
        measured(platform, sweep(arm))
    with pytest.raises(InputError, match="formulation"):
        measured(platform, paper_path("dasgupta-I"), formulations=("exat",))
    with pytest.raises(InputError, match="two samples"):
        study(arm, "m", *samples(sweep(arm), 1))


def test_simulations_are_reported(tmp_path: Path) -> None:
    from linkwork.papers import lee1982

    run = lee1982.experiment(1.0)
    page = simulation_report(lw.load("puma560"), run, "linkwork simulate puma560")
    text = page.html()
    for name in ("mechanism", "position", "error", "effort", "energy"):
        assert f'<figure id="{name}">' in text
    assert run.error is not None
    assert f"The greatest error is <strong>{1e3 * np.abs(run.error).max():.4g} mrad</strong>" in text
    free = lw.simulate(lw.load("planar-2r"), duration=0.2, start=[0.3, 0.2])
    assert "Tracking" not in simulation_report(lw.load("planar-2r"), free).html()


def test_a_simulated_platform_is_reported() -> None:
    platform = lw.load("dasgupta1998")
    motion = paper_path("dasgupta-II")
    law = lw.TaskSpaceControl(platform, motion, 400.0, 40.0, period=0.006)
    text = simulation_report(platform, lw.simulate(platform, law, step=0.006)).html()
    assert '<figure id="pose">' in text
    assert "error of the turn" in text


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    arm = lw.load("planar-2r")
    page = inverse_report(arm, "m", *samples(sweep(arm)))
    with pytest.raises(LinkworkError, match="cannot be written"):
        page.save(tmp_path / "no" / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_report_in_a_browser(browser: Any, tmp_path: Path) -> None:
    platform = lw.load("pi-h811")
    report = inverse_report(platform, "too far", *samples(TOO_FAR)).save(tmp_path / "report.html")
    for dark in (False, True):
        with opened(browser, report, dark=dark) as visit:
            sizes = figure_sizes(visit)
            assert len(sizes) == 6
            assert min(width for width, _ in sizes) > 300
            assert visit.requests == visit.complaints == []
            broken = visit.page.locator("td.violation")
            assert broken.count() == 12
            assert broken.first.is_visible()
