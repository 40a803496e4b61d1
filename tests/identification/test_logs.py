"""Logs from files: what they may hold, and every fault with its line, its column and what to do."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import with_quaternion
from linkwork.identification.example_logs import true_arm
from linkwork.identification.logs import LIBRARY, bundled_logs
from tests.cli.process import run

LOG = LIBRARY / "planar-2r-log.csv"


@pytest.fixture(scope="module")
def arm() -> lw.Arm:
    return lw.load_arm("planar-2r")


@pytest.fixture(scope="module")
def table() -> tuple[list[str], list[list[str]]]:
    with LOG.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def write(path, header, rows):
    """A file, and its path again."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def refused(arm, path, header, rows, *parts: str) -> None:
    """The file is refused, with all these words."""
    with pytest.raises(lw.LinkworkError) as told:
        lw.read_log(arm, write(path, header, rows))
    message = str(told.value)
    for part in (path.name, *parts):
        assert part in message, message


def changed(rows, row, column, value):
    copy = [list(cells) for cells in rows]
    copy[row][column] = value
    return copy


def test_columns_go_by_names(arm, table, tmp_path) -> None:
    _, rows = table
    plain = lw.read_log(arm, LOG)
    names = ["time", "elbow [deg]", "shoulder", "effort_elbow", "shoulder.torque [N mm]", "mode"]
    order = [0, 2, 1, 4, 3]
    others = [[cells[k] for k in order] + ["auto"] for cells in rows]
    for cells in others:
        cells[1] = repr(float(np.degrees(float(cells[1]))))
        cells[4] = repr(1e3 * float(cells[4]))
    log = lw.read_log(arm, write(tmp_path / "other.csv", names, others))
    np.testing.assert_allclose(log.position, plain.position, atol=1e-12)
    np.testing.assert_allclose(log.effort, plain.effort, atol=1e-12)


def test_archives_are_read(arm, table, tmp_path) -> None:
    plain = lw.read_log(arm, LOG)
    path = tmp_path / "log.npz"
    np.savez(path, time=plain.time, q=plain.position, effort=plain.effort)
    np.testing.assert_array_equal(lw.read_log(arm, path).effort, plain.effort)
    np.savez(path, time=plain.time, q=plain.position)
    with pytest.raises(lw.InputError, match="array effort of shape"):
        lw.read_log(arm, path)


def test_the_bundled_logs_are_those_that_the_tool_writes(arm) -> None:
    assert bundled_logs() == ("planar-2r-loaded", "planar-2r-log", "planar-2r-new")
    found = lw.identify(arm, "planar-2r-log", validate="planar-2r-new")
    truth = found.base.matrix @ true_arm().parameters.values
    inside = (found.interval[:, 0] <= truth) & (truth <= found.interval[:, 1])
    assert inside.mean() > 0.8
    assert (found.validation[0].rms < 1.2 * found.noise).all()


def test_missing_columns(arm, table, tmp_path) -> None:
    header, rows = table
    path = tmp_path / "log.csv"
    refused(arm, path, header[:4], [r[:4] for r in rows], "line 1", "effort_elbow", "Add or rename")
    refused(arm, path, ["t", "q1", "x9", "tau1", "tau2"], rows, "line 1", "joints where planar-2r has 2")
    refused(arm, path, ["x", *header[1:]], rows, "line 1", "no column t")


def test_cells_that_are_no_numbers(arm, table, tmp_path) -> None:
    header, rows = table
    for word in ("nan", "", "inf", "1,5"):
        faulty = changed(rows, 41, 3, word)
        refused(arm, tmp_path / "log.csv", header, faulty, "line 43", "tau1", "finite")


def test_times_that_go_back(arm, table, tmp_path) -> None:
    header, rows = table
    swapped = [*rows[:20], rows[21], rows[20], *rows[22:]]
    refused(arm, tmp_path / "log.csv", header, swapped, "line 23", "column 1 (t)", "must increase")


def near(log: lw.Log, plain: lw.Log, tolerance: float) -> None:
    """The same positions at the same times."""
    for k in range(plain.position.shape[1]):
        expected = np.interp(log.time, plain.time, plain.position[:, k])
        np.testing.assert_allclose(log.position[:, k], expected, atol=tolerance)


def test_repeated_rows_are_dropped(arm, table, tmp_path) -> None:
    """Rows written twice, and rows that a logger holds until new ones come."""
    header, rows = table
    plain = lw.read_log(arm, LOG)
    repeated = [row for k, row in enumerate(rows) for _ in range(1 + (k % 7 == 0))]
    log = lw.read_log(arm, write(tmp_path / "twice.csv", header, repeated))
    assert f"{len(repeated) - len(rows)} of {len(repeated)} rows repeat" in log.notes[0]
    near(log, plain, 1e-12)
    held = [[r[0], *rows[k - k % 3][1:]] for k, r in enumerate(rows)]
    log = lw.read_log(arm, write(tmp_path / "held.csv", header, held))
    assert "rows repeat" in log.notes[0]
    near(log, plain, 2e-3)


def test_gaps_split_the_log_and_short_ones_are_bridged(arm, table, tmp_path) -> None:
    header, rows = table
    plain = lw.read_log(arm, LOG)
    gap = [*rows[:300], *rows[330:700], *rows[702:]]
    log = lw.read_log(arm, write(tmp_path / "gap.csv", header, gap))
    assert len(log.starts) == len(log.parts) == 2
    assert "1 gap of up to 0.31 s, the first at 2.99 s, splits the log into 2 parts" in log.notes[-1]
    assert "1 short gap bridged" in log.notes[0]
    assert log.parts[1].time[0] - log.parts[0].time[-1] == pytest.approx(0.31, abs=0.01)
    near(log, plain, 3e-4)
    whole, split = lw.identify(arm, plain), lw.identify(arm, log)
    assert (split.standard_error < 1.5 * whole.standard_error).all()
    assert (np.abs(split.estimate - whole.estimate) < 3 * whole.standard_error).all()


def test_uneven_clocks_are_resampled(arm, table, tmp_path) -> None:
    """A clock that ticks after 8, 10 and 12 ms, and a late row; true times, true positions."""
    header, rows = table
    plain = lw.read_log(arm, LOG)
    ticks = np.cumsum(np.random.default_rng(0).choice([0.008, 0.01, 0.012], len(rows)))
    ticks = np.concatenate([[0.0], ticks[ticks < plain.time[-1]]])
    ticks[50] += 0.003
    columns = [np.interp(ticks, plain.time, v) for v in (*plain.position.T, *plain.effort.T)]
    log = lw.read_log(arm, write(tmp_path / "log.csv", header, np.column_stack([ticks, *columns])))
    assert "8 to 12 ms apart are resampled every 10" in log.notes[0]
    np.testing.assert_allclose(np.diff(log.time), log.period, rtol=1e-9)
    near(log, plain, 3e-4)


def test_rest_at_the_ends_is_cut(arm, table, tmp_path) -> None:
    header, rows = table
    wait = [
        [repr(0.01 * k - 3), *rows[0][1:3], repr(float(rows[0][3]) + 1e-4 * k), rows[0][4]]
        for k in range(300)
    ]
    log = lw.read_log(arm, write(tmp_path / "log.csv", header, [*wait, *rows]))
    assert "of rest at the ends cut" in log.notes[0]
    assert log.time[-1] < 0.01 * len(rows) + 0.6


def test_one_count_of_a_resting_joint_is_no_jump(arm, table, tmp_path) -> None:
    header, rows = table
    rest = [[r[0], r[1], repr(0.2 + 1e-4 * (k > 900)), *r[3:]] for k, r in enumerate(rows)]
    assert np.ptp(lw.read_log(arm, write(tmp_path / "log.csv", header, rest)).position[:, 1]) < 2e-4


def test_absurd_values_are_refused_with_row_and_column(arm, table, tmp_path) -> None:
    header, rows = table
    for column, name in ((2, "q2"), (3, "tau1")):
        faulty = changed(rows, 80, column, "1e154")
        refused(arm, tmp_path / "log.csv", header, faulty, "line 82", f"({name})", "1e+154", "row 81")


def test_joints_may_count_from_zero(arm, table, tmp_path) -> None:
    _, rows = table
    log = lw.read_log(arm, write(tmp_path / "log.csv", ["t", "q0", "q1", "tau0", "tau1"], rows))
    np.testing.assert_array_equal(log.effort, lw.read_log(arm, LOG).effort)


def test_what_simulate_writes_is_a_log(arm, tmp_path) -> None:
    motion = lw.Excitation([0.0, 0.5], [1.0, 1.2], 0.2, 5, 4)
    found = lw.simulate(arm, lw.ComputedTorque(arm, motion, 400, 40), step=0.002)
    for name in ("run.csv", "run.npz"):
        found.save(tmp_path / name)
        log = lw.read_log(arm, tmp_path / name)
        np.testing.assert_allclose(log.position, found.position, atol=1e-12)
        np.testing.assert_allclose(log.velocity, found.velocity, atol=1e-12)
        np.testing.assert_allclose(log.effort, found.effort, atol=1e-12)


def test_times_in_milliseconds(arm, table, tmp_path) -> None:
    header, rows = table
    times = [[repr(1e3 * float(r[0])), *r[1:]] for r in rows]
    refused(arm, tmp_path / "log.csv", header, times, "line 3", "column 1 (t)", "10 s apart", "t [ms]")
    log = lw.read_log(arm, write(tmp_path / "right.csv", ["t [ms]", *header[1:]], times))
    assert log.period == pytest.approx(0.01)
    stamps = [[repr(int(1.7e18 + 1e9 * float(r[0]))), *r[1:]] for r in rows]
    refused(arm, tmp_path / "log.csv", header, stamps, "column 1 (t)", "nanoseconds", "t [ns]")
    log = lw.read_log(arm, write(tmp_path / "right.csv", ["t [ns]", *header[1:]], stamps))
    assert log.period == pytest.approx(0.01)


def test_decimal_commas(arm, table, tmp_path) -> None:
    header, rows = table
    commas = [",".join(cells).replace(".", ",").split(",") for cells in rows]
    refused(arm, tmp_path / "log.csv", header, commas, "line 2", "Write 0.5 rather than 0,5", "stopped")


def test_positions_that_jump(arm, table, tmp_path) -> None:
    """A wrong sample, a counter that turns over, rows that were repeated until the logger woke up."""
    header, rows = table
    plain = lw.read_log(arm, LOG)
    spike = changed(rows, 700, 1, repr(float(rows[700][1]) + 1))
    log = lw.read_log(arm, write(tmp_path / "log.csv", header, spike))
    assert "1 rows with a wild position are dropped, the first at 7 s" in log.notes[0]
    near(log, plain, 3e-4)
    turned = [*rows[:700], *([r[0], repr(float(r[1]) + 2 * np.pi), *r[2:]] for r in rows[700:])]
    log = lw.read_log(arm, write(tmp_path / "log.csv", header, turned))
    assert "whole turns are taken back" in log.notes[0]
    near(log, plain, 1e-9)
    frozen = [[r[0], *rows[400][1:]] if 400 < k < 460 else r for k, r in enumerate(rows)]
    log = lw.read_log(arm, write(tmp_path / "log.csv", header, frozen))
    assert len(log.starts) == 2
    near(log, plain, 1e-9)
    moved = [*rows[:700], *([r[0], repr(float(r[1]) + 0.7), *r[2:]] for r in rows[700:])]
    refused(arm, tmp_path / "log.csv", header, moved, "line 702", "column 2 (q1)", "lost rows")


def test_degrees_taken_for_radians(tmp_path, table) -> None:
    """By the limits of the file; without limits by whole turns."""
    puma = lw.load_arm("puma560")
    time = np.arange(300) / 100
    q = np.degrees(0.6 * np.sin(time))[:, None] * np.ones(6)
    tau = np.random.default_rng(0).normal(size=(300, 6))
    header = ["t", *(f"q{k}" for k in range(1, 7)), *(f"tau{k}" for k in range(1, 7))]
    rows = np.column_stack([time, q, tau]).tolist()
    refused(
        puma, tmp_path / "log.csv", header, rows, "line 1", "waist", "degrees", "waist [deg]", "limit"
    )
    in_degrees = ["t", *(f"q{k} [deg]" for k in range(1, 7)), *header[7:]]
    log = lw.read_log(puma, write(tmp_path / "right.csv", in_degrees, rows))
    assert np.abs(log.position).max() < 0.7


def test_saturated_and_missing_efforts(arm, table, tmp_path) -> None:
    header, rows = table
    efforts = np.array([float(r[3]) for r in rows])
    limit = float(0.8 * efforts.max())
    cut = [[*r[:3], repr(min(float(r[3]), limit)), r[4]] for r in rows]
    log = lw.read_log(arm, write(tmp_path / "log.csv", header, cut))
    assert log.saturated is not None
    np.testing.assert_array_equal(log.saturated[:, 0], efforts >= limit)
    assert "shoulder: " in log.notes[0]
    assert "saturated effort" in log.notes[0]
    found, whole = lw.identify(arm, log), lw.identify(arm, LOG)
    assert (np.abs(found.estimate - whole.estimate) < 4 * whole.standard_error).all()
    low = float(np.quantile(efforts, 0.3))
    least = [[*r[:3], repr(min(float(r[3]), low) - 100), r[4]] for r in rows]
    refused(
        arm, tmp_path / "log.csv", header, least, "column 4 (tau1)", "shoulder", "saturated", "Move less"
    )
    nothing = [[*r[:4], "0"] for r in rows]
    refused(arm, tmp_path / "log.csv", header, nothing, "effort of elbow", "is it recorded")


def test_too_short_and_unreadable(arm, table, tmp_path) -> None:
    header, rows = table
    refused(arm, tmp_path / "log.csv", header, rows[:50], "50 rows", "200 or more")
    with pytest.raises(lw.InputError, match="cannot be read"):
        lw.read_log(arm, tmp_path / "none.csv")
    with pytest.raises(lw.InputError, match=r"\.csv, \.npz, \.parquet"):
        lw.read_log(arm, tmp_path / "log.xlsx")


def test_a_motion_that_excites_nothing_writes_nothing(table, tmp_path) -> None:
    header, rows = table
    still = [[r[0], "0.1", "0.2", r[3], r[4]] for r in rows]
    write(tmp_path / "still.csv", header, still)
    words = ("identify", "planar-2r", "still.csv", "-o", "out.yaml", "--report", "out.html")
    said = run(*words, cwd=tmp_path, code=2).stderr
    assert "still.csv" in said
    assert "excites almost nothing" in said
    assert "linkwork excite" in said
    assert not (tmp_path / "out.yaml").exists()
    assert not (tmp_path / "out.html").exists()


def test_platforms_log_lengths_or_poses(tmp_path) -> None:
    robot = lw.load_platform("small-hexapod")
    motion = np.sin(np.arange(250) / 40)[:, None] * [0.01, 0.008, 0.01, 0.02, 0.03, 0.02]
    home = np.concatenate([robot.home[:3], np.zeros(3)])
    pose = home + motion
    lengths = robot.leg_lengths(pose)
    force = np.random.default_rng(0).normal(size=(250, 6))
    time = np.arange(250) / 100
    forces = [f"force{k}" for k in range(1, 7)]
    by_pose = ["t", "x", "y", "z", "roll", "pitch", "yaw", *forces]
    by_leg = ["t", *(f"leg{k}" for k in range(1, 7)), *forces]
    logs = []
    for name, header, position in (("a.csv", by_pose, pose), ("b.csv", by_leg, lengths)):
        rows = np.column_stack([time, position, force]).tolist()
        logs.append(lw.read_log(robot, write(tmp_path / name, header, rows)))
    one, two = logs
    np.testing.assert_allclose(one.position, two.position, atol=1e-9)
    rounded = np.column_stack([time, with_quaternion(pose).round(4), force]).tolist()
    quaternions = ["t", "x", "y", "z", "qw", "qx", "qy", "qz", *forces]
    three = lw.read_log(robot, write(tmp_path / "d.csv", quaternions, rounded))
    np.testing.assert_allclose(three.position, one.position, atol=1e-4)
    refused(
        robot,
        tmp_path / "e.csv",
        quaternions,
        changed(rounded, 9, 4, 0.5),
        "line 11",
        "column 5 (qw)",
        "norm",
    )
    strokes = np.column_stack([time, lengths - lengths.min(), force]).tolist()
    with pytest.raises(lw.InputError, match="not strokes"):
        lw.read_log(robot, write(tmp_path / "c.csv", by_leg, strokes))
