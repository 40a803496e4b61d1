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
    assert bundled_logs() == ("planar-2r-log", "planar-2r-new")
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


def test_times_that_do_not_increase(arm, table, tmp_path) -> None:
    header, rows = table
    repeated = changed(rows, 10, 0, rows[9][0])
    refused(arm, tmp_path / "log.csv", header, repeated, "line 12", "column 1 (t)", "must increase")
    swapped = [*rows[:20], rows[21], rows[20], *rows[22:]]
    refused(arm, tmp_path / "log.csv", header, swapped, "line 23", "column 1 (t)", "must increase")


def test_gaps_and_jitter(arm, table, tmp_path) -> None:
    header, rows = table
    gap = [*rows[:300], *rows[330:]]
    refused(arm, tmp_path / "log.csv", header, gap, "line 302", "column 1 (t)", "cut the log there")
    late = changed(rows, 50, 0, repr(float(rows[50][0]) + 0.004))
    refused(
        arm, tmp_path / "log.csv", header, late, "line 52", "column 1 (t)", "jitters", "count samples"
    )
    rng = np.random.default_rng(0)
    little = [[repr(float(r[0]) + 1e-4 * rng.normal()), *r[1:]] for r in rows]
    log = lw.read_log(arm, write(tmp_path / "little.csv", header, little))
    assert "sampled anew" in log.notes[0]
    np.testing.assert_allclose(np.diff(log.time), log.period, rtol=1e-9)


def test_times_in_milliseconds(arm, table, tmp_path) -> None:
    header, rows = table
    times = [[repr(1e3 * float(r[0])), *r[1:]] for r in rows]
    refused(arm, tmp_path / "log.csv", header, times, "line 3", "column 1 (t)", "10 s apart", "t [ms]")
    log = lw.read_log(arm, write(tmp_path / "right.csv", ["t [ms]", *header[1:]], times))
    assert log.period == pytest.approx(0.01)


def test_decimal_commas(arm, table, tmp_path) -> None:
    header, rows = table
    commas = [",".join(cells).replace(".", ",").split(",") for cells in rows]
    refused(arm, tmp_path / "log.csv", header, commas, "line 2", "Write 0.5 rather than 0,5", "stopped")


def test_positions_that_jump(arm, table, tmp_path) -> None:
    """A wrong sample, a counter that turns over, rows that were repeated until the logger woke up."""
    header, rows = table
    spike = changed(rows, 700, 1, repr(float(rows[700][1]) + 1))
    refused(arm, tmp_path / "log.csv", header, spike, "line 702", "column 2 (q1)", "wrong sample")
    turned = [*rows[:700], *([r[0], repr(float(r[1]) + 2 * np.pi), *r[2:]] for r in rows[700:])]
    refused(arm, tmp_path / "log.csv", header, turned, "line 702", "column 2 (q1)", "whole turn")
    frozen = [[r[0], *rows[400][1:]] if 400 < k < 460 else r for k, r in enumerate(rows)]
    refused(arm, tmp_path / "log.csv", header, frozen, "line 462", "column 3 (q2)", "lost rows")


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
    refused(
        arm,
        tmp_path / "log.csv",
        header,
        cut,
        "line ",
        "column 4 (tau1)",
        "shoulder",
        "saturated",
        "move less",
    )
    nothing = [[*r[:4], "0"] for r in rows]
    refused(arm, tmp_path / "log.csv", header, nothing, "effort of elbow", "is it recorded")


def test_too_short_and_unreadable(arm, table, tmp_path) -> None:
    header, rows = table
    refused(arm, tmp_path / "log.csv", header, rows[:50], "50 rows", "200 or more")
    with pytest.raises(lw.InputError, match="cannot be read"):
        lw.read_log(arm, tmp_path / "none.csv")
    with pytest.raises(lw.InputError, match=r"\.csv or \.npz"):
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
