"""Logs as other programs write them, with their libraries: each gives the same log."""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.identification.logs import LIBRARY
from tests.cli.process import run

ROWS, PERIOD = 600, 0.008
NAMES = ("elbow", "gripper", "shoulder")  # as a driver publishes them: by the alphabet
ORIGIN = 1_700_000_000  # [s]


@pytest.fixture(scope="module")
def arm() -> lw.Arm:
    return lw.load_arm("planar-2r")


@pytest.fixture(scope="module")
def motion(arm) -> dict[str, np.ndarray]:
    t = PERIOD * np.arange(ROWS)
    q = np.stack([0.8 * np.sin(2.1 * t), 0.5 * np.sin(3.3 * t + 1)], axis=1)
    qd = np.stack([1.68 * np.cos(2.1 * t), 1.65 * np.cos(3.3 * t + 1)], axis=1)
    qdd = np.stack([-3.528 * np.sin(2.1 * t), -5.445 * np.sin(3.3 * t + 1)], axis=1)
    return {"t": t, "q": q, "qd": qd, "tau": arm.inverse_dynamics(q, qd, qdd)}


def table(path, header, rows, delimiter=","):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


def numbered(motion, *stems, first=0, extra=0):
    """Columns of q, qd and tau under these names, with more joints than the arm has."""
    header = [stem.format(k + first) for stem in stems for k in range(2 + extra)]
    more = np.zeros((ROWS, extra))
    parts = [np.concatenate([motion[name], more], axis=1) for name in ("q", "qd", "tau")]
    return header, np.concatenate(parts[: len(stems)], axis=1)


def same(log, motion, tolerance=1e-9) -> None:
    assert np.allclose(log.time, motion["t"][: len(log.time)], atol=1e-6)
    assert len(log.time) == ROWS
    assert np.allclose(log.position, motion["q"], atol=tolerance)
    assert np.allclose(log.velocity, motion["qd"], atol=tolerance)
    assert np.allclose(log.effort, motion["tau"], atol=50 * tolerance)


def messages(motion):
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    header, stamp, state = (
        store.types[name]
        for name in ("std_msgs/msg/Header", "builtin_interfaces/msg/Time", "sensor_msgs/msg/JointState")
    )
    for k in range(ROWS):
        columns = [
            np.array([motion[name][k, 1], 0.0, motion[name][k, 0]]) for name in ("q", "qd", "tau")
        ]
        nanoseconds = round(1e9 * motion["t"][k])
        at = stamp(sec=ORIGIN + nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
        message = state(header(stamp=at, frame_id=""), list(NAMES), *columns)
        raw = store.serialize_cdr(message, state.__msgtype__)
        # Messages arrive late, some later than others.
        yield ORIGIN * 10**9 + nanoseconds + 10**6 * (1 + 3 * (k % 3)), raw, state.__msgtype__, store


@pytest.mark.parametrize("storage", ["SQLITE3", "MCAP"])
def test_bags_of_ros(arm, motion, tmp_path, storage) -> None:
    from rosbags.rosbag2 import StoragePlugin, Writer

    bag = tmp_path / "bag"
    with Writer(bag, version=8, storage_plugin=StoragePlugin[storage]) as writer:
        topics: dict[str, Any] = {}
        for stamp, raw, kind, store in messages(motion):
            for name in ("/gripper/joint_states", "/joint_states"):
                topics[name] = topics.get(name) or writer.add_connection(name, kind, typestore=store)
            writer.write(topics["/joint_states"], stamp, raw)
    same(lw.read_log(arm, bag), motion)
    (file,) = bag.glob("*.mcap" if storage == "MCAP" else "*.db3")
    same(lw.read_log(arm, file), motion)


def test_mcap_as_recorders_write_it(arm, motion, tmp_path) -> None:
    from mcap.writer import Writer
    from rosbags.typesys import Stores, get_typestore

    path = tmp_path / "recorded.mcap"
    definition, _ = get_typestore(Stores.ROS2_HUMBLE).generate_msgdef(
        "sensor_msgs/msg/JointState", ros_version=2
    )
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library="test")
        schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", definition.encode())
        channel = writer.register_channel("/joint_states", "cdr", schema)
        for stamp, raw, _, _ in messages(motion):
            writer.add_message(channel, log_time=stamp, publish_time=stamp, data=raw)
        writer.finish()
    same(lw.read_log(arm, path), motion)


def test_a_bag_without_efforts_or_joint_states_is_refused(arm, motion, tmp_path) -> None:
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    text = store.types["std_msgs/msg/String"]
    bag = tmp_path / "bag"
    with Writer(bag, version=8) as writer:
        topic = writer.add_connection("/chatter", text.__msgtype__, typestore=store)
        writer.write(topic, 0, store.serialize_cdr(text("hello"), text.__msgtype__))
    with pytest.raises(lw.LinkworkError, match=r"no topic of sensor_msgs/JointState; it has /chatter"):
        lw.read_log(arm, bag)
    quiet = {**motion, "tau": np.zeros((ROWS, 0))}
    other = tmp_path / "quiet"
    state = store.types["sensor_msgs/msg/JointState"]
    with Writer(other, version=8) as writer:
        topic = writer.add_connection("/joint_states", state.__msgtype__, typestore=store)
        for stamp, raw, kind, _ in messages({**quiet, "tau": motion["tau"]}):
            message = store.deserialize_cdr(raw, kind)
            message.effort = np.zeros(0)
            writer.write(topic, stamp, store.serialize_cdr(message, kind))
    with pytest.raises(lw.LinkworkError, match="the joint states have no efforts"):
        lw.read_log(arm, other)
    damaged = tmp_path / "damaged.mcap"
    damaged.write_bytes(b"\x89MCAP0\r\n" + b"\0" * 64)
    with pytest.raises(lw.LinkworkError, match="not a readable bag"):
        lw.read_log(arm, damaged)


def test_plotjuggler_leaves_cells_empty(arm, motion, tmp_path) -> None:
    """Efforts are of another topic, between the positions; every series has its own rows."""
    names = ("shoulder", "elbow")
    header = ["__time"]
    header += [f"/joint_states/{n}/{what}" for what in ("position", "velocity") for n in names]
    header += [f"/measured/{n}/effort" for n in names]
    rows = []
    for k in range(ROWS):
        t = ORIGIN + motion["t"][k]
        rows.append([f"{t:.6f}", *motion["q"][k], *motion["qd"][k], "", ""])
        rows.append([f"{t + PERIOD / 2:.6f}", *[""] * 4, *motion["tau"][k]])
    log = lw.read_log(arm, table(tmp_path / "plot.csv", header, rows))
    assert np.allclose(log.position, motion["q"])
    late = np.stack(
        [np.interp(motion["t"], motion["t"] + PERIOD / 2, column) for column in motion["tau"].T], axis=1
    )
    assert np.allclose(log.effort, late, atol=1e-4)
    assert "600 of 1200 rows without all positions are left out" in str(log.notes)


def test_rtde_with_spaces(arm, motion, tmp_path) -> None:
    header, rows = numbered(motion, "actual_q_{}", "actual_qd_{}", "actual_current_{}")
    rows = np.concatenate([1e4 + motion["t"][:, None], rows], axis=1)
    path = table(tmp_path / "rtde.csv", ["timestamp", *header], rows, delimiter=" ")
    log = lw.read_log(arm, path)
    assert log.currents
    same(log.with_gains(1.0), motion)
    with pytest.raises(lw.LinkworkError, match="need the gains of the drives"):
        lw.identify(arm, path)


def test_rtde_torques_come_before_currents(arm, motion, tmp_path) -> None:
    header, rows = numbered(motion, "actual_q_{}", "actual_qd_{}", "actual_current_as_torque_{}")
    header += [f"actual_current_{k}" for k in range(2)]
    rows = np.concatenate([motion["t"][:, None], rows, rows[:, -2:] / 10], axis=1)
    log = lw.read_log(arm, table(tmp_path / "rtde.csv", ["timestamp", *header], rows))
    assert not log.currents
    same(log, motion)


@pytest.mark.parametrize("clock", ["time", "duration"])
def test_libfranka_counts_milliseconds(arm, motion, tmp_path, clock) -> None:
    """The header has spaces, and times are whole milliseconds."""
    header, rows = numbered(motion, " state.q[{}]", " state.dq[{}]", "state.tau_J[{}]")
    header += [f"state.q_d[{k}]" for k in range(2)]
    rows = np.concatenate([1e3 * motion["t"][:, None], np.ones((ROWS, 1)), rows, rows[:, :2]], axis=1)
    path = table(tmp_path / "franka.csv", [clock, " success_rate", *header], rows)
    log = lw.read_log(arm, path)
    same(log, motion)
    assert "tau_J is measured behind the gears" in str(log.notes)


def test_lerobot_episodes_are_parts(arm, motion, tmp_path) -> None:
    import pyarrow
    import pyarrow.parquet

    half = ROWS // 2
    _, rows = numbered(motion, "q{}", "qd{}", "tau{}", extra=1)
    columns = {
        "observation.state": rows[:, :3],
        "observation.velocity": rows[:, 3:6],
        "observation.effort": rows[:, 6:],
        "action": rows[:, :3],
    }
    lists = {name: pyarrow.array(values.astype(np.float32).tolist()) for name, values in columns.items()}
    clock = np.tile(PERIOD * np.arange(half), 2).astype(np.float32)
    frames = {"timestamp": clock, "episode_index": np.repeat([0, 1], half), "task": ["swing"] * ROWS}
    path = tmp_path / "episode.parquet"
    pyarrow.parquet.write_table(pyarrow.table({**lists, **frames}), path)
    log = lw.read_log(arm, path)
    assert log.starts == (0, half)
    assert np.allclose(log.position, motion["q"], atol=1e-6)
    assert np.allclose(log.effort, motion["tau"], atol=1e-4)
    assert "2 episodes" in str(log.notes)


def test_parquet_with_our_names(arm, motion, tmp_path) -> None:
    from linkwork.core.table_files import write_table

    names = [f"{stem}{k}" for stem in ("q", "qd", "tau") for k in (1, 2)]
    rows = np.concatenate([motion["q"], motion["qd"], motion["tau"]], axis=1)
    write_table(tmp_path / "log.parquet", {"t": motion["t"], **dict(zip(names, rows.T, strict=True))})
    same(lw.read_log(arm, tmp_path / "log.parquet"), motion)


def test_maps_of_columns(arm, motion, tmp_path) -> None:
    header, rows = numbered(motion, "Axis {} angle", "Axis {} speed", "Axis {} torque", first=1)
    rows = np.concatenate([1e3 * motion["t"][:, None], np.degrees(rows[:, :2]), rows[:, 2:]], axis=1)
    path = table(tmp_path / "own.csv", ["stamp", *header], rows, delimiter=";")
    columns = {
        "t [ms]": "stamp",
        "q# [deg]": "Axis # angle",
        "qd#": "Axis # speed",
        "tau#": "Axis # torque",
    }
    same(lw.read_log(arm, path, columns=columns), motion)
    with pytest.raises(lw.LinkworkError, match=r"no column 'clock' for t; the file has"):
        lw.read_log(arm, path, columns={**columns, "t": "clock"})
    with pytest.raises(lw.LinkworkError, match="both have # "):
        lw.read_log(arm, path, columns={"q#": "Axis 1 angle"})
    with pytest.raises(lw.LinkworkError, match=r"both 'Axis 1 angle' and 'Axis 1 speed' would be q1"):
        lw.read_log(arm, path, columns={**columns, "q# [deg]": "Axis # *"})


def test_a_map_from_a_file_and_a_payload_of_one_log(arm, motion, tmp_path) -> None:
    """Bodies are found as if the load of the second log were none of the robot's."""
    load = 0.7
    heavy = arm.with_payload(load, (0.1, 0.0, 0.0))
    plain, loaded = tmp_path / "plain.csv", tmp_path / "loaded.csv"
    _, rows = numbered(motion, "q", "qd", "tau")
    qdd = np.gradient(motion["qd"], PERIOD, axis=0)
    for path, robot in ((plain, arm), (loaded, heavy)):
        tau = robot.inverse_dynamics(motion["q"], motion["qd"], qdd)
        tau = tau + 0.02 * np.random.default_rng(1).normal(size=tau.shape)
        cells = np.concatenate([motion["t"][:, None], rows[:, :4], tau], axis=1)
        table(path, ["clock", "a1", "a2", "v1", "v2", "n1", "n2"], cells)
    columns = tmp_path / "columns.yaml"
    columns.write_text("t: clock\nq#: a#\nqd#: v#\ntau#: n#\n")
    told = run(
        "identify", "planar-2r", str(plain), str(loaded), "--columns", str(columns), "--json",
        "--payload", f"{loaded}={load},0.1,0,0", cwd=tmp_path,
    )  # fmt: skip
    found = json.loads(told.stdout)
    off = [
        (each["estimate"] - each["file"]) / each["standard_error"]
        for each in found["base_parameters"]
        if each["shown"]
    ]
    assert len(off) >= 6
    assert np.abs(off).max() < 5
    wrong = run("identify", "planar-2r", str(plain), "--payload", "other.csv=2", cwd=tmp_path, code=2)
    assert "one of the logs and a mass" in wrong.stderr


def test_a_stamp_is_the_time_if_nothing_else_is(tmp_path) -> None:
    arm = lw.load_arm("planar-2r")
    text = (LIBRARY / "planar-2r-log.csv").read_text()
    header, _, rows = text.partition("\n")
    assert header.startswith("t,")
    (tmp_path / "a.csv").write_text(f"timestamp{header[1:]}\n{rows}")
    (tmp_path / "b.csv").write_text(text)
    a, b = (lw.read_log(arm, tmp_path / name) for name in ("a.csv", "b.csv"))
    np.testing.assert_array_equal(a.time, b.time)
    nanoseconds = [
        f"{float(row.split(',', 1)[0]) * 1e9:.0f},{row.split(',', 1)[1]}" for row in rows.split()
    ]
    (tmp_path / "c.csv").write_text("\n".join([f"stamp [ns]{header[1:]}", *nanoseconds]))
    np.testing.assert_allclose(lw.read_log(arm, tmp_path / "c.csv").time, b.time, atol=1e-6)
