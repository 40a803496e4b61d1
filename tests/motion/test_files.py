"""Motions in files: round trips, headers, and faults by file, line and column."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork import InputError, LinkworkError
from linkwork.motion import (
    Quintic,
    SampledPoses,
    SampledTrajectory,
    published_path,
    read_motion,
    write_motion,
)
from linkwork.motion import tables as files
from linkwork.motion.inputs import instants_with_end
from tests.motion.catalog import trajectory_of

ROWS = "0,1,2\n0.1,1.1,2.1\n0.2,1.2,2.2\n0.3,1.3,2.3\n"


def saved(folder, text: str, name: str = "motion.csv"):
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".CSV"])
@pytest.mark.parametrize(
    "name",
    ["Quintic", "LinearParabolicBlend", "Excitation", "RpyLine", "SampledPoses", "LegLengthTrajectory"],
)
def test_round_trip(tmp_path, name, suffix) -> None:
    trajectory = trajectory_of(name)
    file = tmp_path / f"motion{suffix}"
    write_motion(trajectory, file, 0.013)
    again = read_motion(file)
    assert type(again) is (SampledTrajectory if trajectory.kind == "joint" else SampledPoses)
    assert again.duration == trajectory.duration
    np.testing.assert_array_equal(again.at(again.time)[0].shape, trajectory.at(again.time)[0].shape)
    np.testing.assert_allclose(again.at(again.time)[0], trajectory.at(again.time)[0], atol=1e-12)
    t = np.linspace(0, trajectory.duration, 100)
    np.testing.assert_allclose(again.at(t)[0], trajectory.at(t)[0], atol=1e-3)
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


def test_every_digit_and_the_end_are_written(tmp_path) -> None:
    trajectory = Quintic([0.1], [1 / 3], 1.0)
    for period, last in ((0.3, 0.1), (0.35, 0.3), (0.1, 0.1)):
        write_motion(trajectory, tmp_path / "m.csv", period)
        time = np.loadtxt(tmp_path / "m.csv", delimiter=",", skiprows=1)[:, 0]
        assert time[-1] == 1.0
        assert time[-1] - time[-2] == pytest.approx(last)
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert lines[0] == "t,q1,qd1,qdd1"
    assert float(lines[4].split(",")[1]) == trajectory.at(3 * 0.1).q[0]


def test_headers(tmp_path) -> None:
    named = saved(
        tmp_path,
        "elbow, t, base, base.rate, elbow.rate\n"
        + "\n".join(f"{2 * t},{t},{t * t},{2 * t},2" for t in np.arange(6) / 10),
    )
    with pytest.raises(InputError, match=r"'elbow'.* unknown column.*arm\.joint_names"):
        read_motion(named)
    assert read_motion(named, ["elbow", "base"]).at(0.3).q == pytest.approx([0.6, 0.09])
    assert read_motion(named, ["base", "elbow"]).at(0.3).q == pytest.approx([0.09, 0.6])
    with pytest.raises(InputError, match=r"'elbow'.* unknown column.* takes t and base, wrist or q1"):
        read_motion(named, ["base", "wrist"])
    with pytest.raises(InputError, match="'elbow' is an unknown column"):
        read_motion(saved(tmp_path, "t,base,elbow\n" + ROWS), ["base"])
    shuffled = read_motion(saved(tmp_path, "q2,time,q1\n" + "\n".join(f"{t},{t},5" for t in range(4))))
    assert shuffled.at(1.0).q == pytest.approx([5, 1])
    with pytest.raises(InputError, match="2 joints where the robot has 3"):
        read_motion(saved(tmp_path, "t,q1,q2\n" + ROWS), ["a", "b", "c"])
    angles = read_motion(
        saved(tmp_path, "t,x,y,z,roll,pitch,yaw\n" + "\n".join(f"{t},1,2,3,0,0,{t}" for t in range(5)))
    )
    assert angles.at(1.5).twist == pytest.approx([0, 0, 0, 0, 0, 1], abs=0.05)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("t,q1,q2\n", "0 rows; at least 4"),
        ("q1,q2\n1,2\n", "line 1: no column t"),
        ("t\n0\n", "line 1: only the time"),
        ("0,0,0\n1,1,1\n", "line 1: a header such as t,q1,q2 is missing"),
        ("t,q1,q1\n" + ROWS, "line 1, column 3: the name 'q1' appears twice"),
        ("t,,q1\n" + ROWS, "line 1, column 2: the name is empty"),
        ("t,q1,q3\n" + ROWS, "no column for q2"),
        ("t,q1,color\n" + ROWS, "column 3: 'color' is an unknown column"),
        ("t,q1,q2,qd1\n", "lacks qd2"),
        ("t,x,y,z,roll\n", "either roll, pitch, yaw or qw"),
        ("t,x,y,z,roll,pitch,yaw,vx\n", "lacks vy, vz"),
        ("t,q1,q2\n" + ROWS + "0.4,1.4\n", "line 6: 2 columns where the header has 3"),
        ("t,q1,q2\n\n" + ROWS + "0.4,fast,1\n", r"line 7, column 2 \(q1\): 'fast'"),
        ("t,q1,q2\n" + ROWS + "0.4,1,nan\n", r"line 6, column 3 \(q2\): 'nan'"),
        ("t,q1,q2\n" + ROWS + "0.3,1,1\n", r"line 6, column 1 \(t\): 0.3 s does not come after 0.3 s"),
        ("t,q1,q2\n" + ROWS[6:] + "0.4,1,1\n", "begin at 0"),
        ("t,q1,qd1\n" + ROWS, "qd of joint 1"),
        ("t,q1\n0," + 200_000 * "1", "line 2: field larger"),
        ("t,q1\n0,\0\n", "line 2"),
    ],
)
def test_faults_of_csv(tmp_path, text, message) -> None:
    file = saved(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        read_motion(file)
    assert str(file) in str(caught.value)


def test_files_that_cannot_be(tmp_path) -> None:
    for name in ("none.csv", "none.npz"):
        with pytest.raises(InputError, match="cannot be read"):
            read_motion(tmp_path / name)
    with pytest.raises(InputError, match=r"ends with \.csv, \.npz, \.yaml or \.yml"):
        read_motion(tmp_path / "motion.txt")
    (tmp_path / "latin.csv").write_bytes(b"t,q1\n0,\xff\n")
    with pytest.raises(InputError, match="byte 0xff is not UTF-8; save the file as UTF-8"):
        read_motion(tmp_path / "latin.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read_motion(tmp_path / "folder.csv")


def test_faults_of_npz(tmp_path) -> None:
    file = tmp_path / "m.npz"
    t = np.linspace(0, 1, 10)
    file.write_bytes(b"PK nothing")
    with pytest.raises(InputError, match="not a NumPy archive"):
        read_motion(file)
    for arrays in ({"time": t}, {"q": t[:, None]}, {"time": t, "q": t[:, None], "pose": t[:, None]}):
        np.savez(file, **arrays)
        with pytest.raises(InputError, match="needed are time and either q"):
            read_motion(file)
    np.savez(file, time=t, q=np.array([{}] * 10, dtype=object)[:, None])
    with pytest.raises(InputError, match="expected real numbers"):
        read_motion(file)
    np.savez(file, time=t, q=np.where(t > 0.5, np.nan, t)[:, None])
    with pytest.raises(InputError, match=r"m\.npz: q is nan at \(5, 0\)"):
        read_motion(file)
    np.savez(file, time=t, q=t[:, None])
    with pytest.raises(InputError, match="the robot has 2 joints"):
        read_motion(file, ["a", "b"])


def test_sizes_are_bounded(tmp_path, monkeypatch) -> None:
    t = np.linspace(0, 1, 1000)
    np.savez_compressed(tmp_path / "m.npz", time=t, q=0 * t[:, None])
    write_motion(Quintic([0.0], [1.0], 1.0), tmp_path / "m.csv", 0.001)
    monkeypatch.setattr(files, "LARGEST", 100)
    with pytest.raises(InputError, match="more than 100 numbers"):
        read_motion(tmp_path / "m.csv")
    monkeypatch.setattr(files, "LARGEST_TABLE", 12_000)
    with pytest.raises(InputError, match="unpacks to"):
        read_motion(tmp_path / "m.npz")
    with pytest.raises(InputError, match="bytes; expected at most"):
        read_motion(tmp_path / "m.csv")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch) -> None:
    file = saved(tmp_path, "precious")
    monkeypatch.setattr(np, "concatenate", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_motion(Quintic([0.0], [1.0], 1.0), file, 0.1)
    assert file.read_text() == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["motion.csv"]


def test_writing_nowhere(tmp_path) -> None:
    with pytest.raises(LinkworkError, match="cannot be written"):
        write_motion(published_path("dasgupta-I"), tmp_path / "none" / "m.csv", 0.1)
    with pytest.raises(InputError, match=r"\.csv or \.npz"):
        write_motion(published_path("dasgupta-I"), tmp_path / "m.xls", 0.1)
    with pytest.raises(InputError, match="period"):
        write_motion(published_path("dasgupta-I"), tmp_path / "m.csv", 0.0)


def test_efforts_beside_a_motion_are_passed_over(tmp_path) -> None:
    with_efforts = read_motion(saved(tmp_path, "time,effort_elbow,q1\n" + ROWS))
    assert with_efforts.at(0.1).q == pytest.approx([2.1])


def test_a_period_beyond_the_duration_keeps_start_and_end() -> None:
    assert instants_with_end(2.0, 100.0).tolist() == [0.0, 2.0]
    assert instants_with_end(2.0, 3.0).tolist() == [0.0, 2.0]
    assert instants_with_end(1.0, 0.4).tolist() == [0.0, 0.4, 0.8, 1.0]
    assert instants_with_end(1.001, 0.5).tolist() == [0.0, 0.5, 1.001]  # no sliver at the end
