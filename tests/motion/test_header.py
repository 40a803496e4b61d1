"""Columns of motion files go by their names: any case, what users call them, and their units."""

from __future__ import annotations

import contextlib
import os

import numpy as np
import pytest

import linkwork as lw
from linkwork import InputError
from linkwork.motion.bundled import motion_for
from tests.bounded import bounded

T = np.linspace(0, 1, 6)


def csv_of(folder, header: str, *columns) -> str:
    rows = np.stack([T, *(np.broadcast_to(column, T.shape) for column in columns)], axis=1)
    file = folder / "motion.csv"
    file.write_text("\n".join([header, *(",".join(map(repr, row.tolist())) for row in rows)]))
    return str(file)


@pytest.mark.parametrize(
    "header",
    [
        "t,x,y,z,roll,pitch,yaw",
        "Time,X,Y,Z,Roll,Pitch,Yaw",
        "t [s],surge,sway,heave,ROLL,Pitch [rad],yaw_rad",
        "t,Surge [m],sway (m),heave_m,roll,pitch,yaw",
    ],
)
def test_names_of_poses(tmp_path, header) -> None:
    platform = lw.load("dasgupta1998")
    file = csv_of(tmp_path, header, 0.1, 0, 0.5 + 0.01 * T, 0, 0.1 * T, 0)
    pose = motion_for(platform, file).at(1.0).pose
    np.testing.assert_allclose(pose[:3], [0.1, 0, 0.51], atol=1e-12)
    np.testing.assert_allclose(pose[3:], [np.cos(0.05), 0, np.sin(0.05), 0], atol=1e-12)


def test_units_of_headers(tmp_path) -> None:
    platform = lw.load("dasgupta1998")
    file = csv_of(tmp_path, "t_ms,x [mm],y,z_mm,roll,pitch_deg,yaw [°]", 100, 0, 500, 0, 90 * T, 0)
    motion = motion_for(platform, file)
    assert motion.duration == pytest.approx(1e-3)
    np.testing.assert_allclose(motion.at(1e-3).pose[:3], [0.1, 0, 0.5], atol=1e-12)
    np.testing.assert_allclose(motion.at(1e-3).pose[3:], np.sqrt([0.5, 0, 0.5, 0]), atol=1e-9)
    arm = lw.load("planar-2r")
    header = "t,q1 [deg],joint2_deg,qd1 [deg/s],qd2_deg_s"
    found = motion_for(arm, csv_of(tmp_path, header, 90 * T, 0, 90, 0))
    np.testing.assert_allclose(found.at(1.0).q, [np.pi / 2, 0], atol=1e-12)


@pytest.mark.parametrize("header", ["T,Q1,Q2", "t,joint_2,joint1", "t,J1,J2", "time,axis1,axis2"])
def test_numbers_of_joints(tmp_path, header) -> None:
    order = [1, 0] if "joint_2" in header else [0, 1]
    columns = np.array([T, 0 * T])[order]
    found = motion_for(lw.load("planar-2r"), csv_of(tmp_path, header, *columns))
    np.testing.assert_allclose(found.at(1.0).q, [1, 0], atol=1e-12)


def test_names_of_joints_and_legs(tmp_path) -> None:
    arm = lw.load("puma560")
    header = ",".join(["t", *(name.upper() + " [deg]" for name in reversed(arm.joint_names))])
    found = motion_for(arm, csv_of(tmp_path, header, *(k * T for k in range(6))))
    np.testing.assert_allclose(found.at(1.0).q, np.radians([5, 4, 3, 2, 1, 0]), atol=1e-12)
    platform = lw.load("dasgupta1998")
    lengths = platform.leg_lengths(platform.home)
    for names in (["leg1", "Leg 2", "leg_3", "leg-4", "L5", "length6"], platform.leg_names):
        file = csv_of(tmp_path, ",".join(["t", *(f"{name} [mm]" for name in names)]), *(1e3 * lengths))
        pose = motion_for(platform, file).at(0.5).pose
        np.testing.assert_allclose(pose, platform.home, atol=1e-9)


def test_joints_of_a_gantry_may_be_called_x_y_z(tmp_path) -> None:
    link = {"joint": "prismatic", "mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    axes = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}
    links = [{"name": name, "axis": axis, **link} for name, axis in axes.items()]
    gantry = lw.load({"kind": "arm", "name": "gantry", "convention": "general", "links": links})
    found = motion_for(gantry, csv_of(tmp_path, "t,x,y,z", T, 2 * T, 3 * T))
    np.testing.assert_allclose(found.at(1.0).q, [1, 2, 3], atol=1e-12)
    with pytest.raises(InputError, match="'deg' is not a unit of 'x'; allowed: m, mm"):
        motion_for(gantry, csv_of(tmp_path, "t,x [deg],y,z", T, T, T))


@pytest.mark.parametrize(
    ("robot", "header", "parts"),
    [
        (
            "simona",
            "t,X,Y,Z,A,B,C",
            ["line 1", "column 5: 'A'", "recognized: t, X, Y, Z", "roll, pitch"],
        ),
        ("simona", "t,a,b,c,d,e,f", ["column 2: 'a'", "recognized: t", "leg1, leg2"]),
        ("planar-2r", "t,x,y,z,roll,pitch,yaw", ["column 2: 'x'", "planar-2r takes t and"]),
        ("puma560", "t,x,y,z,roll,q1,q2", ["columns of joints and of a pose"]),
        ("planar-2r", "t,q1,q3", ["column 3: 'q3'", "takes t and"]),
        ("planar-2r", "t,q1,Q1", ["'Q1' is the same as 'q1'"]),
        ("simona", "t,x,y,z,surge,pitch,yaw", ["'surge' is the same as 'x'"]),
        ("simona", "t,x,y,z,leg1,leg2,leg3", ["columns of joints and of a pose"]),
        ("simona", "t,x,y,roll,pitch,yaw,wx", ["no column for z"]),
        ("planar-2r", "t,q1 [mm],q2", ["column 2: 'mm' is not a unit of 'q1'; allowed: rad, deg"]),
        ("planar-2r", "t,q1 [deg/s],q2", ["'deg/s' is not a unit of 'q1'"]),
        ("planar-2r", "t [min],q1,q2", ["'min' is not a unit of 't'; allowed: s, ms"]),
    ],
)
def test_what_is_not_understood_is_an_error_that_lists_all(tmp_path, robot, header, parts) -> None:
    file = csv_of(tmp_path, header, *(T for _ in header.split(",")[1:]))
    with pytest.raises(InputError) as caught:
        motion_for(lw.load(robot), file)
    for part in (file, *parts):
        assert part in str(caught.value)


def test_long_headers_and_many_faults_cost_little(tmp_path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(",".join(["t", *(f"c{k}" for k in range(40_000))]) + "\n")
    with pytest.raises(InputError, match="40001 columns; expected 4000"), bounded():
        lw.read_motion(file)
    file.write_text("t,q1\n0,1\n" + "0,x\n" * 300_000)
    with pytest.raises(InputError, match=r"and 90\d more"), bounded():
        lw.read_motion(file)
    file.write_text("t,q1\n" + "0,x\n" * 300_000)  # no row of numbers at all
    with pytest.raises(InputError, match=r"line 10: reading stopped here$"), bounded():
        lw.read_motion(file)
    file.write_text("t," + " " * 100_000 + "(\n")
    with pytest.raises(InputError, match="unknown column"), bounded():
        lw.read_motion(file)


@pytest.mark.parametrize("cell", ["1_0", "\N{ARABIC-INDIC DIGIT ONE}", "inf", "0x1p3"])
def test_numbers_are_those_of_tables(tmp_path, cell) -> None:
    file = tmp_path / "m.csv"
    file.write_text(f"t,q1\n0,{cell}\n1,1\n2,2\n3,3\n")
    with pytest.raises(InputError, match=r"line 2, column 2 \(q1\)"):
        lw.read_motion(file)


def test_pipes_and_devices_are_not_opened(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("pipe.csv", "zero.csv", "pipe.yaml"):
        with pytest.raises(InputError, match="is a pipe or a device"):
            lw.read_motion(tmp_path / name)


def test_arrays_that_are_no_real_numbers() -> None:
    time, q = np.linspace(0, 1, 8), np.linspace(0, 1, 8)[:, None]
    for wrong, words in (
        (q * (1 + 1j), "complex128 values"),
        (q.astype(str), "expected real numbers"),
        (np.ma.masked_greater(q, 0.5), "masked elements"),
    ):
        with pytest.raises(InputError, match=words):
            lw.SampledTrajectory(time, wrong)
    with pytest.raises(InputError, match="double precision"):
        lw.SampledTrajectory(time * 1e-200, q)


def test_damaged_archives(tmp_path) -> None:
    file = tmp_path / "m.npz"
    np.savez_compressed(file, time=T, q=T[:, None] ** 2)
    sound = file.read_bytes()
    random = np.random.default_rng(1)
    for _ in range(400):
        damaged = bytearray(sound)
        for at in random.integers(len(sound), size=random.integers(1, 4)):
            damaged[at] = random.integers(256)
        file.write_bytes(damaged)
        with contextlib.suppress(InputError):  # nothing else may come out
            lw.read_motion(file)
