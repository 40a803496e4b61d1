"""The report of a load."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.identification.logs import checked_log
from linkwork.model.geometry import Body
from linkwork.reports.bodies import ellipsoid
from linkwork.reports.payload import payload_report, rows


def test_it_shows_the_load_and_how_sure_it_is() -> None:
    arm = lw.load_arm("planar-2r")
    motion = lw.Excitation([0.3, 0.5], [1.0, 1.0], 0.2, 5, 4, periods=2)
    time, states = motion.sample(0.01)
    noise = 0.01 * np.random.default_rng(0).normal(size=(2, len(time), 2))
    robots = arm, arm.with_payload(0.5, (0.1, 0, 0), (0.01, 0.01, 0.01))
    empty, full = (
        checked_log(arm, "log", time, states[0], robot.inverse_dynamics(*states) + error)
        for robot, error in zip(robots, noise, strict=True)
    )
    found = lw.identify_payload(arm, full, unloaded=empty)
    text = payload_report(found, "linkwork payload").html()
    for words in ("between", "center of mass", "--gain-error", "does not show", "Scales of efforts"):
        assert words in text
    assert text.count("<figure id=") == 4
    table = {row[0]: row for row in rows(found)}
    assert table["mass"][1] == found.mass
    assert table["z"][1] == "not shown"  # a planar arm does not feel it


def test_the_ellipsoid_has_the_mass_and_the_inertia() -> None:
    a, b, c, m = 0.3, 0.2, 0.1, 2.0
    inertia = m / 5 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    semi, axes = ellipsoid(Body.of(m, (0, 0, 0), inertia))
    assert sorted(semi) == pytest.approx([c, b, a])
    np.testing.assert_allclose(np.abs(axes @ np.diag(semi) @ axes.T), np.diag([a, b, c]), atol=1e-12)
