"""Whatever is read, the only exception is Linkwork's own."""

from __future__ import annotations

import contextlib
import copy
import gc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkwork.core.errors import LinkworkError
from linkwork.model.robot_files import load_model
from linkwork.model.urdf.reader import read_urdf
from tests.bounded import MEGABYTES, bounded, bounded_memory

ARM = {
    "kind": "arm",
    "name": "test",
    "convention": "standard",
    "gravity": [0, 0, -9.81],
    "source": "none",
    "links": [
        {
            "name": "one", "joint": "revolute", "theta": "90 deg", "d": 1, "a": 2, "alpha": 3,
            "mass": 1, "center_of_mass": [0, 0, 1], "inertia": [1, 1, 1],
            "rotor": {"inertia": 1, "gear_ratio": 2},
            "friction": {"viscous": 1, "coulomb": [1, -1], "side": "motor"},
            "limits": {"position": [-1, 1], "velocity": 1, "effort": 1},
        },
        {"joint": "prismatic", "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    ],
}  # fmt: skip

PLATFORM = {
    "kind": "stewart-platform",
    "name": "test",
    "gravity": [0, 0, -9.81],
    "source": "none",
    "inertia_as_published": False,
    "home": [0, 0, 1, 0, "5 deg", 0],
    "platform": {"mass": 1, "center_of_mass": [0, 0, 1], "inertia": [1, 1, 1]},
    "leg_defaults": {
        "joints": "UPS", "fixed_axis": [1, 2, 0],
        "lower": {"mass": 1, "center_of_mass": [0.3, 0, 0], "inertia": [0, 1, 1]},
        "upper": {"mass": 1, "center_of_mass": [-0.3, 0, 0]},
        "friction": {"universal": 1, "prismatic": 1, "spherical": 1},
        "limits": {"length": [0.1, 9], "rate": 1, "force": 1, "universal_angle": 1},
    },
    "legs": [
        {
            "name": "one", "base_point": [2, 0, 0], "platform_point": [0.9, 0.5, 0], "joints": "SPS",
            "fixed_axis": [0, 1, 0], "lower": {"mass": 2}, "limits": {"spherical_angle": "40 deg"},
        },
        {"base_point": [-0.8, 1.8, 0], "platform_point": [-0.1, 1, 0]},
        {"base_point": [-1.2, 1.6, 0], "platform_point": [-0.9, 0.5, 0]},
        {"base_point": [-1.2, -1.6, 0], "platform_point": [-0.9, -0.5, 0]},
        {"base_point": [-0.8, -1.8, 0], "platform_point": [-0.1, -1, 0]},
        {"base_point": [1.9, -0.3, 0], "platform_point": [0.9, -0.5, 0], "upper": {"mass": 0}},
    ],
}  # fmt: skip

URDF = b"""<?xml version="1.0"?>
<robot name="r"><link name="a"/><link name="b"><inertial>
<origin xyz="0 0 1" rpy="0 1 0"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<origin xyz="1 2 3"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<dynamics damping="1" friction="2"/></joint></robot>"""

YAML = b"""kind: arm
name: x
convention: general
links:
  - {joint: revolute, mass: 1e-3, inertia: [1, 1, 1], rpy: [90 deg, 0, 0]}
"""

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=5)
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=10) | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=12,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(data, dict | list):
        return [path]
    items = data.items() if isinstance(data, dict) else enumerate(data)
    return [path, *(place for key, value in items for place in places(value, (*path, key)))]


def attempt(read: Any, source: Any) -> None:
    with bounded(), contextlib.suppress(LinkworkError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read(source)


@given(anything)
def test_any_mapping(value: Any) -> None:
    attempt(load_model, value if isinstance(value, dict) else {"kind": "arm", "links": value})
    attempt(load_model, {"kind": "stewart-platform", "legs": value, "leg_defaults": value})


@pytest.mark.parametrize("sound", [ARM, PLATFORM], ids=["arm", "platform"])
@settings(max_examples=500)
@given(draw=st.data(), value=anything, add=st.booleans())
def test_any_value_in_any_place(sound: Any, draw: st.DataObject, value: Any, add: bool) -> None:
    place = draw.draw(st.sampled_from(places(sound)[1:]))
    owner = data = copy.deepcopy(sound)
    for step in place[:-1]:
        owner = owner[step]
    if add and isinstance(owner, dict) and isinstance(value, str | int | None):
        owner[value] = owner.pop(place[-1])
    else:
        owner[place[-1]] = value
    attempt(load_model, data)


def spliced(text: bytes) -> st.SearchStrategy[bytes]:
    """The text with a piece of it replaced by other bytes."""
    position = st.integers(0, len(text))
    insert = st.binary(max_size=8) | st.text(alphabet="[]{}:,-&*!|>'\"%#\n ?<>/=", max_size=6).map(
        str.encode
    )
    return st.builds(
        lambda i, j, new: text[: min(i, j)] + new + text[max(i, j) :], position, position, insert
    )


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | spliced(YAML))
def test_any_yaml_file(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "robot.yaml"
    path.write_bytes(raw)
    attempt(load_model, path)


@settings(max_examples=500)
@given(st.binary(max_size=200) | spliced(URDF) | st.text(max_size=50))
def test_any_urdf(raw: bytes | str) -> None:
    attempt(read_urdf, raw)


@given(st.text(max_size=30))
def test_any_name(name: str) -> None:
    attempt(load_model, name)


def test_the_bound_of_memory_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a case before it held does not hide what a case holds."""
    monkeypatch.setattr("tests.bounded.MEGABYTES", MEGABYTES / 10)
    gc.collect()  # what other tests left is not given back in between
    for _ in range(2):
        with pytest.raises(AssertionError), bounded_memory():
            np.ones(12_000_000)
    with bounded_memory():
        np.ones(1_000_000)


def test_a_number_of_many_digits_costs_little(tmp_path: Path) -> None:
    """A search that begins anew at every digit took 49 s."""
    path = tmp_path / "robot.yaml"
    path.write_text(f"kind: arm\nname: x\nlinks:\n  - {{joint: revolute, mass: {'1' * 40_000}x}}\n")
    with pytest.raises(LinkworkError, match="mass"), bounded():
        load_model(path)


def test_the_unspoilt_ones_are_read() -> None:
    assert load_model(ARM).n == 2
    assert load_model(PLATFORM).leg_names == ("one", "leg2", "leg3", "leg4", "leg5", "leg6")
    assert read_urdf(URDF).n == 1
    with pytest.raises(LinkworkError):
        read_urdf(URDF[:-1])
