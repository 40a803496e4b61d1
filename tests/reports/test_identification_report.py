"""The report of an identification."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.reports.identification import identification_report
from tests.identification.generated import arm_log, true_robot


def test_it_shows_efforts_parameters_validation_and_what_is_missing() -> None:
    arm = lw.load_arm("planar-2r")
    found = lw.identify(arm, "planar-2r-log", validate="planar-2r-new")
    told: list[int] = []
    text = identification_report(found, "linkwork identify", told.append).html()
    for words in (
        "13 of 13 base parameters",
        "shoulder.mx + shoulder.m + elbow.m",
        "Residual spectrum",
        "Autocorrelation",
        "solid ellipsoid",
        "planar-2r-new",
        "The log shows every base parameter",
    ):
        assert words in text
    assert sum(told) == 7
    assert text.count("<figure id=") == 7


def test_it_says_what_could_not_be_found() -> None:
    arm = lw.load_arm("planar-2r")
    motion = lw.Excitation([0.0, 0.5], [1.0, 1e-9], 0.2, 5, 4, periods=2)
    log = arm_log(arm, true_robot(arm, 5), motion, 0, rate=100.0, noise=0.02)
    found = lw.identify(arm, log)
    text = identification_report(found).html()
    assert "Some parameters could not be found" in text
    assert "elbow.viscous: " in text
    assert "would show it" in text
    assert "No log was held back" in text
    assert np.isfinite(found.estimate).all()


def test_it_tells_what_was_done_and_how_far_logs_agree() -> None:
    arm = lw.load_arm("planar-2r")
    found = lw.identify(arm, ["planar-2r-log", "planar-2r-new"])
    text = identification_report(found).html()
    assert "Coverage between logs" in text
    (pair,) = found.agreement
    assert pair.parameters > 8
    assert found.coverage == pair.share
    assert "bodies like the file" in text  # among what was found besides parameters
