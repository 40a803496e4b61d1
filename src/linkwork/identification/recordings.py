"""Logs that are no tables of text: bags of ROS with joint states, and Parquet.

Each becomes a header and rows of numbers, as a CSV has them; what a recording lacks is NaN there.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.input_files import opened, refuse_special
from linkwork.core.text import number
from linkwork.robot.robot import Array

JOINT_STATE = re.compile(r"sensor_msgs/(msg/)?JointState")
BAGS = (".bag", ".db3", ".mcap")
PARQUET = ".parquet"
QUANTITIES = ("position", "velocity", "effort")
EPISODE, CLOCK = "episode_index", "timestamp"  # of LeRobot
APART = 10.0  # [s] between episodes, so that no motion goes on from one to the next
SAMPLE = 200  # messages that tell what a topic holds
Recording = tuple[list[str], Array, list[str]]  # header, rows, notes


def is_recording(file: Path) -> bool:
    return file.suffix.lower() in (*BAGS, PARQUET) or os.path.isfile(file / "metadata.yaml")


def read_recording(file: Path, joints: Sequence[str]) -> Recording:
    """Header and rows of a bag or of Parquet.

    Args:
        joints: of the robot; in a bag with several topics, that which tells of most of them is read.
    """
    if file.suffix.lower() == PARQUET:
        return _parquet(file)
    for each in (file, *(file.iterdir() if file.is_dir() else ())):
        refuse_special(each)  # libraries that read bags open whatever is there
    try:
        return _bag(file, joints)
    except LinkworkError:
        raise
    except Exception as error:  # of a damaged bag, in any way
        raise InputError(f"{file}: not a readable bag of ROS ({error}).") from error


def _parquet(file: Path) -> Recording:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise LinkworkError("reading Parquet needs pyarrow: pip install linkwork[logs]") from None
    try:
        with opened(file) as stream:
            table = pyarrow.parquet.read_table(stream)
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(f"{file}: not a readable Parquet file ({error}).") from error
    columns: dict[str, Array] = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        kind = column.type
        if pyarrow.types.is_list(kind) or pyarrow.types.is_fixed_size_list(kind):
            for k, values in enumerate(_listed(column)):
                columns[f"{name}[{k}]"] = values
        elif pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
            columns[name] = _numbers(column)
    notes = []
    if EPISODE in columns and CLOCK in columns:
        first = np.flatnonzero(np.diff(columns[EPISODE]) != 0) + 1
        away = np.zeros(table.num_rows)
        for row in first.tolist():  # every episode begins at 0
            away[row:] += columns[CLOCK][row - 1] - columns[CLOCK][row] + APART
        columns[CLOCK] = columns[CLOCK] + away
        if len(first):
            notes.append(f"{len(first) + 1} episodes one after the other")
    if not columns or not table.num_rows:
        raise InputError(f"{file}: holds no numbers.")
    return list(columns), np.stack(list(columns.values()), axis=1), notes


def _numbers(column: Any) -> Array:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _listed(column: Any) -> list[Array]:
    """Elements of lists that are all as long as the first; none of others."""
    rows = column.to_pylist()
    lengths = {len(row) if isinstance(row, list) else -1 for row in rows}
    plain = len(lengths) == 1 and all(isinstance(each, int | float) for each in rows[0] or [None])
    return list(np.array(rows, dtype=np.float64).T) if plain else []


def _bag(file: Path, joints: Sequence[str]) -> Recording:
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise LinkworkError("reading bags of ROS needs rosbags: pip install linkwork[logs]") from None
    with AnyReader([file], default_typestore=get_typestore(Stores.LATEST)) as reader:
        states = [each for each in reader.connections if JOINT_STATE.fullmatch(each.msgtype)]
        if not states:
            topics = ", ".join(sorted({each.topic for each in reader.connections})) or "nothing"
            raise InputError(f"{file}: has no topic of sensor_msgs/JointState; it has {topics}.")
        topic = _topic(reader, states, joints)
        own = [each for each in states if each.topic == topic]
        messages = [
            (stamp, reader.deserialize(raw, each.msgtype)) for each, stamp, raw in reader.messages(own)
        ]
    notes = [f"joint states of {topic}"] if len({each.topic for each in states}) > 1 else []
    if not messages:
        raise InputError(f"{file}: {topic} has no messages.")
    return _joint_states(file, messages, notes)


def _topic(reader: Any, states: Sequence[Any], joints: Sequence[str]) -> str:
    """That which tells most of the robot, of them the one with most messages."""
    known: Counter[tuple[str, str]] = Counter()
    seen: Counter[str] = Counter()
    for each, _, raw in reader.messages(states):
        seen[each.topic] += 1
        if seen[each.topic] <= SAMPLE:
            message = reader.deserialize(raw, each.msgtype)
            if len(message.effort):
                known.update({(each.topic, name): 1 for name in message.name})
    ends = tuple(joint.lower() for joint in joints)
    return max(
        (each.topic for each in states),
        key=lambda topic: (
            sum(name.lower().endswith(ends) for other, name in known if other == topic),
            seen[topic],
        ),
    )


def _joint_states(file: Path, messages: Sequence[tuple[int, Any]], notes: list[str]) -> Recording:
    stamps = np.array([m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for _, m in messages])
    received = 1e-9 * np.array([stamp for stamp, _ in messages], dtype=np.float64)
    time = stamps
    if not stamps.all():
        time = received
        notes.append("messages without a stamp: times are those of the recording")
    names = list(dict.fromkeys(name for _, message in messages for name in message.name))
    header = ["__time", *(f"/{name}/{what}" for what in QUANTITIES for name in names)]
    rows = np.full((len(messages), len(header)), np.nan)
    rows[:, 0] = time
    for row, (_, message) in zip(rows, messages, strict=True):
        at = np.array([names.index(name) for name in message.name], dtype=np.int64)
        for k, what in enumerate(QUANTITIES):
            values = getattr(message, what)
            if len(values) == len(at):
                row[1 + k * len(names) + at] = values
    measured = np.isfinite(rows).any(axis=0)
    if not measured[1 + 2 * len(names) :].any():
        raise InputError(
            f"{file}: the joint states have no efforts; a log needs measured torques or forces. Let the "
            "driver publish them."
        )
    order = np.argsort(time, kind="stable")
    if (np.diff(time) < 0).any():
        least = number(float(1e3 * -np.diff(time).min()), 2)
        notes.append(f"messages are put in the order of their stamps (up to {least} ms early)")
    return (
        [name for name, there in zip(header, measured, strict=True) if there],
        rows[order][:, measured],
        notes,
    )
