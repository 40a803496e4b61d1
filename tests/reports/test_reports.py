"""Reports of inverse dynamics and simulations: what they say is what the library computes."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.text import with_unit
from linkwork.drawing.style import render, style
from linkwork.motion import PoseLine, Quintic, QuinticProfile, published_path
from linkwork.motion.bundled import motion_for
from linkwork.reports import figures
from linkwork.reports.inverse import inverse_report, summary
from linkwork.reports.page import Page
from linkwork.reports.simulation import simulation_report
from linkwork.reports.tables import peak_table, range_table
from linkwork.robot.arm import Arm
from linkwork.robot.limits import quantity
from tests.browser import figure_sizes, opened
from tests.random_arms import random_arm
from tests.reports.motions import TOO_FAR, measured, samples, sweep


@pytest.fixture(scope="module")
def too_far(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a motion that breaks limits."""
    page = inverse_report(study(lw.load("pi-h811"), "too far", *samples(TOO_FAR, 301)))
    return page.save(tmp_path_factory.mktemp("report") / "report.html")


def test_violations_are_marked_on_the_page(too_far: Path) -> None:
    page = too_far.read_text(encoding="utf-8")
    assert "<strong>The motion breaks 6 limits of the robot file</strong>" in page
    assert page.count('class="n violation"') == 12  # six values and six margins
    assert "length of leg4" in page
    shown = re.sub(r'href="data:[^"]*"', "", page)
    assert "fill: var(--violation)" in shown  # the shaded time
    assert "stroke: var(--violation)" in shown  # the limit, and the curve beyond it
    kept = PoseLine((0, 0, 0, 0, 0, 0), (0.001, 0, 0, 0, 0, 0), QuinticProfile(5.0))
    found = measured(lw.load("pi-h811"), kept)
    assert "All limits of the robot file are kept" in summary(found)
    assert not range_table(found.time, found.measured, "leg", "deg").marks


def test_a_report_shows_what_it_should() -> None:
    platform = lw.load("dasgupta1998")
    motion = samples(published_path("dasgupta-II"))
    command = "linkwork inverse dasgupta1998 --motion dasgupta-II --report report.html"
    found = study(platform, "Path II", *motion, formulations=platform.formulations)
    page = inverse_report(found, command)
    text = page.html().replace("\N{NO-BREAK SPACE}", " ")
    assert command in text
    for name in (
        "mechanism", "length-and-velocity", "effort", "parts", "formulations", "differences",
        "reactions", "conditioning",
    ):  # fmt: skip
        assert f'<figure id="{name}">' in text
    for heading in ("The motion", "Forces", "Reactions in the joints", "Limits", "The robot"):
        assert f">{heading}</h2>" in text
    exact = platform.inverse_dynamics(*motion[1])
    assert f"<strong>{with_unit(np.abs(exact).max(), 'N')}</strong>" in text
    assert "pedrammehr2012 [N]" in text
    assert len(text) < 1.5e6


def test_reports_are_deterministic() -> None:
    arm = lw.load("planar-2r")
    formulations = ("newton-euler", "lagrange")
    first, second = (
        inverse_report(study(arm, "m", *samples(sweep(arm)), formulations=formulations), "c").html()
        for _ in range(2)
    )
    assert first == second
    assert "All formulations agree to rounding." in first


@pytest.mark.parametrize(
    "draw", [figures.stacked_figure, lambda t, both: figures.panels_figure(t, both[0])]
)
def test_a_figure_drawn_once_is_as_matplotlib_saves_it(draw: Any) -> None:
    t = np.linspace(0, 1, 30)
    both = [
        quantity(name, ("a", "b"), "N m", np.outer(np.sin(size * t), [1, size]))
        for name, size in (("one", 3.0), ("two", 3e4))
    ]
    saved = io.BytesIO()
    with style():
        draw(t, both).savefig(saved, format="svg", metadata={"Date": None, "Creator": None})
    assert render(draw(t, both), "svg") == saved.getvalue()


def test_units_follow_the_joints() -> None:
    found = measured(lw.load("stanford"), sweep(lw.load("stanford")))  # its boom is prismatic
    names = [row[0] for row in peak_table(found.effort, found.peaks, "joint").rows]
    assert names[1:3] == ["shoulder [N m]", "boom [N]"]
    labels = [ax.get_ylabel() for ax in figures.effort_figure(found).axes]
    assert labels[1:3] == ["effort [N m]", "effort [N]"]


def test_long_recordings_are_thinned_but_keep_their_peaks() -> None:
    from linkwork.drawing.time_plots import MOST, thinned

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
    with pytest.raises(InputError, match="ur5 needs 6 numbers for a position"):
        measured(arm, published_path("dasgupta-I"))
    with pytest.raises(InputError, match=r"needs 7 numbers for a position \(x, y, z, qw"):
        measured(platform, sweep(arm))
    with pytest.raises(InputError, match="formulation"):
        measured(platform, published_path("dasgupta-I"), formulations=("exat",))
    with pytest.raises(InputError, match="two samples"):
        study(arm, "m", *samples(sweep(arm), 1))


def test_simulations_are_reported(tmp_path: Path) -> None:
    from linkwork.papers import lee1982

    run = lee1982.experiment(1.0)
    page = simulation_report(lw.load("puma560"), run, "linkwork simulate puma560")
    text = page.html().replace("\N{NO-BREAK SPACE}", " ")
    for name in ("mechanism", "position", "error", "effort", "energy"):
        assert f'<figure id="{name}">' in text
    assert run.error is not None
    assert f"The greatest error is <strong>{1e3 * np.abs(run.error).max():.4g} mrad</strong>" in text
    free = lw.simulate(lw.load("planar-2r"), duration=0.2, start=[0.3, 0.2])
    assert "Tracking" not in simulation_report(lw.load("planar-2r"), free).html()


def test_a_simulated_platform_is_reported() -> None:
    platform = lw.load("dasgupta1998")
    motion = published_path("dasgupta-II")
    law = lw.TaskSpaceControl(platform, motion, 400.0, 40.0, period=0.006)
    text = simulation_report(platform, lw.simulate(platform, law, step=0.006)).html()
    assert '<figure id="pose">' in text
    assert "orientation error" in text


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(LinkworkError, match="cannot be written"):
        Page("A report", "of nothing").save(tmp_path / "no" / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_report_in_a_browser(browser: Any, too_far: Path) -> None:
    for dark in (False, True):
        with opened(browser, too_far, dark=dark) as visit:
            sizes = figure_sizes(visit)
            assert len(sizes) == 6
            assert min(width for width, _ in sizes) > 300
            assert visit.requests == visit.complaints == []
            broken = visit.page.locator("td.violation")
            assert broken.count() == 12
            assert broken.first.is_visible()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("n", "way"), [(1, 0.5), (2, 0.0), pytest.param(9, 0.5, marks=pytest.mark.long)]
)
def test_arms_of_any_length_and_motions_that_stand_still(n: int, way: float) -> None:
    arm = Arm(random_arm(n, n, "general"))
    motion = Quintic(np.zeros(n), np.full(n, way), 1.0)
    page = inverse_report(study(arm, "m", *samples(motion, 21)))
    assert page.html().count("<figure id=") >= 6


@pytest.mark.filterwarnings("error")
def test_a_singular_position_is_named() -> None:
    arm = lw.load("planar-2r")
    motion = Quintic([0.0, 0.0], [1.0, 0.0], 1.0)
    page = inverse_report(study(arm, "stretched", *samples(motion, 21)))
    assert "The mechanism is singular at t = " in page.html()


def test_a_platform_close_to_a_singular_pose_is_told() -> None:
    platform, motion = lw.load("dasgupta1998"), published_path("dasgupta-III")
    words = summary(study(platform, "III", *samples(motion, 601)))
    assert "**The motion passes close to a singular pose**" in words
    steady = summary(study(platform, "I", *samples(published_path("dasgupta-I"))))
    assert "The condition number is" in steady


def test_moments_that_cancel_are_zero() -> None:
    """Legs whose mass lies on their axis carry no moment; rounding is not drawn as one."""
    hexapod = lw.load("small-hexapod")
    found = study(hexapod, "quintic", *samples(motion_for(hexapod, "home-quintic")))
    moment = next(what for what in found.reactions if what.name == "moment")
    for place, is_there in (("start", False), ("slide", True), ("end", False)):
        rows = [k for k, name in enumerate(moment.channels) if name.endswith(place)]
        assert moment.values[:, rows].any() == is_there, place
