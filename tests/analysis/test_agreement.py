"""`lw.check` of platforms: agreement where there is, and a verdict where there is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

import linkwork as lw
from tests.random_platforms import random_platform


@pytest.mark.parametrize("name", lw.bundled_names("stewart-platform"))
def test_bundled_platforms_agree(name) -> None:
    report = lw.check(lw.load(name), states=20)
    assert report.ok, report
    assert "agrees within 1e-10" in str(report)


def test_random_platforms_agree() -> None:
    assert lw.check(lw.Platform(random_platform(0)), states=20).ok


def test_deviations_of_the_papers_are_shown_but_no_fault() -> None:
    report = lw.check(lw.load("dasgupta1998"), states=20)
    assert report.published.keys() == {"dasgupta1998", "pedrammehr2012"}
    assert min(report.published.values()) > 0.01


def test_a_disagreement_is_seen() -> None:
    report = lw.check(lw.load("simona"), states=5)
    assert not replace(report, power_balance=1e-3).ok
    assert "does NOT agree" in str(replace(report, smallest_eigenvalue=-1.0))
