"""Tables of a report: peaks, ranges, broken limits."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analysis.study import peaks, root_mean_square
from linkwork.reports.tables import Table, peak_table, range_table, sentence
from linkwork.robot.limits import LimitBreak, Quantity, intervals, limit_report, quantity


def steps(values: list[float], bound: float | tuple[float, float] | None) -> Quantity:
    bounds = np.array([np.inf if bound is None else bound])
    return quantity("force", ("leg",), "N", np.array(values)[:, None], bounds, "force")


def violations(time: np.ndarray, measured: list[Quantity]) -> tuple[LimitBreak, ...]:
    return limit_report(measured, time.shape, time).breaks


def test_violations_say_what_when_and_by_how_much() -> None:
    time = np.arange(6.0)
    (found,) = violations(time, [steps([0, 1, 3, -1, 2.5, 0], 2.0)])
    assert (found.value, found.allowed, found.worst_time, found.first_time) == (3, 2, 2, 2)
    assert found.duration == 2
    assert "force of leg: 3 N at t = 2 s, limit 2 N, beyond it for 2 s" in sentence(found, "deg")
    assert len(violations(time, [steps([-3, 0, 3, 0, 0, 0], 2.0)])) == 2
    assert violations(time, [steps([0, 1, 2, -2, 2, 0], 2.0)]) == ()  # on the limit is inside it
    assert violations(time, [steps([0, 1e9, 2, -2, 2, 0], None)]) == ()


def test_intervals_cover_single_samples() -> None:
    time = np.arange(5.0)
    assert intervals(time, np.array([True, False, True, True, True])) == [(0.0, 0.5), (1.5, 4.0)]
    assert intervals(time, np.zeros(5, dtype=bool)) == []


def _peaks(values: list[float], bound: float | None) -> Table:
    what = steps(values, bound)
    return peak_table(what, peaks(np.arange(float(len(values))), what), "leg")


def test_peaks_tell_when_and_how_much_of_the_limit() -> None:
    table = _peaks([0, 1, -3, -1, 2.5, 0], 2.0)
    assert table.header == ("leg", "peak force [N]", "at [s]", "RMS [N]", "limit [N]", "used [%]")
    name, peak, at, rms, limit, used = table.rows[0]
    assert (name, peak, at, limit, used) == ("leg", -3, 2, 2, 150)
    assert rms == pytest.approx(np.sqrt((1 + 9 + 1 + 6.25) / 5))
    assert table.marks == {(0, 1), (0, 5)}
    assert not _peaks([0, 1, -1, 0, 0, 0], 2.0).marks
    assert len(_peaks([0, 1, -1, 0, 0, 0], None).header) == 4


def test_ranges_have_margins() -> None:
    table = range_table(np.arange(3.0), [steps([1.0, 4.0, 2.0], (0.5, 3.0))], "leg", "deg")
    assert table.rows[0] == ("force", "leg", 1.0, 0.0, 4.0, 1.0, "0.5 … 3", -80.0, "N")  # of 1.25
    assert table.marks == {(0, 4), (0, 7)}


def test_root_mean_square_is_over_time_not_over_samples() -> None:
    time = np.array([0.0, 1.0, 1.5, 2.0])
    assert root_mean_square(time, np.full(4, -3.0)) == pytest.approx(3.0)
    assert root_mean_square(time, np.sqrt(time)) == pytest.approx(1.0)  # its square is a straight line
    assert root_mean_square(time[:1], np.array([-2.0])) == 2.0


def test_rounding_of_small_angles_is_zero_in_tables() -> None:
    """The arccosine of 1 - 2e-16 is 2e-8 rad, of a leg that stands along its axis."""
    time, angle = np.arange(3.0), np.arccos(np.array([1.0, 1 - 2.3e-16, 0.99]))
    bounds = np.array([0.5])
    what = quantity("universal angle", ("leg",), "rad", angle[:, None], bounds, "force")
    assert range_table(time, [what], "leg", "deg").rows[0][2] == 0
    held = quantity("universal angle", ("leg",), "rad", angle[[1, 1, 1], None], bounds, "force")
    assert range_table(time, [held], "leg", "deg").rows[0][4] == 0


def test_labels_have_only_units_that_are_there() -> None:
    values = np.zeros((2, 2))
    assert quantity("error", ("x", "pitch"), ("m", "rad"), values).label == "error [m, rad]"
    assert quantity("condition number", ("x", "y"), ("1", "1"), values).label == "condition number"
