"""Mechanisms that do not move as their coordinates say are told what moves and what does not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import yaml

import linkwork as lw
from linkwork.mechanics.mechanism.planning.analysis import MobilityError
from linkwork.mechanics.mechanism.planning.planner import placement_plan
from linkwork.model.robot_files import load_model
from tests.mechanism_reference import reference


def described(name: str) -> dict[str, Any]:
    return yaml.safe_load(str(reference(name)["yaml"]))


def refusal(data: dict[str, Any]) -> str:
    with pytest.raises(MobilityError) as caught:
        placement_plan(load_model(data))
    return str(caught.value)


def test_what_still_moves_is_named():
    data = described("delta")
    data["coordinates"] = [{"plate": ["x", "y"]}]
    text = refusal(data)
    assert text.startswith("delta-12-balls at home: with the coordinates held, ")
    assert text.endswith("still move: the mechanism has 3 freedoms, 2 are declared.")
    for name in ("motor-1", "motor-2", "motor-3", "plate.z"):
        assert name in text


def test_what_cannot_move_is_named():
    data = described("delta")
    data["coordinates"] = [{"plate": ["x", "y", "z", "yaw"]}]
    assert refusal(data) == (
        "delta-12-balls at home: plate.yaw cannot move: the mechanism has 3 freedoms, 4 are declared."
    )


def test_a_pin_that_was_left_out():
    data = deepcopy(described("palletizer"))
    del data["joints"]["level-2b"]
    text = refusal(data)
    assert "still move: the mechanism has 6 freedoms, 4 are declared." in text
    assert "level-2a" in text
    assert "wrist" in text


def test_a_plan_of_the_palletizer_needs_no_solver():
    plan = placement_plan(load_model(described("palletizer")))
    assert {block.kind for block in plan.blocks} == {"known"}
    bracket = plan.of_body["bracket"]
    assert bracket.name == "wrist"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("delta", ["rod"] * 3),
        ("par4", ["rod"] * 4),
        ("excavator", ["dyad"]),
        ("3-rps", ["newton"]),
        ("simona", []),
        ("tricept", []),
    ],
)
def test_blocks_of_the_reference_mechanisms(name: str, kinds: list[str]):
    plan = placement_plan(load_model(described(name)))
    assert [block.kind for block in plan.blocks if block.kind != "known"] == kinds


def test_a_delta_in_motor_angles_is_solved_by_three_equations():
    data = described("delta")
    data["coordinates"] = ["motor-1", "motor-2", "motor-3"]
    plan = placement_plan(load_model(data))
    (block,) = [block for block in plan.blocks if block.kind == "newton"]
    assert block.unknowns == ("plate.x", "plate.y", "plate.z")


def test_a_freedom_without_mass_is_refused():
    data = {
        "kind": "mechanism",
        "name": "idle",
        "bodies": {"arm": {"mass": 1, "from": [0, 0, 0], "to": [1, 0, 0]}, "tip": {}},
        "joints": {
            "shoulder": {"R": "z", "joins": ["base", "arm"], "at": [0, 0, 0], "motor": True},
            "wrist": {"R": "z", "joins": ["arm", "tip"], "at": [1, 0, 0], "motor": True},
        },
        "coordinates": ["shoulder", "wrist"],
    }
    with pytest.raises(lw.RobotFileError, match=r"wrist can move without moving any mass.*rotor"):
        lw.load(data)
    data["joints"]["wrist"]["rotor"] = 0.01
    assert lw.load(data).n == 2
