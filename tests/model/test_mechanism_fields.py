"""Fields of mechanisms by the names of their files."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.robot_files import robot_document


def test_a_field_is_a_number_of_the_file() -> None:
    robot = lw.load("excavator")
    document = robot_document(robot.model)
    document["bodies"]["boom"]["mass"] = 4321.0
    document["joints"]["stick"]["viscous"] = 12.0
    document["cylinders"]["boom-cylinder"]["barrel"]["mass"] = 77.0
    changed = robot.with_fields(
        {
            "bodies.boom.mass": 4321.0,
            "joints.stick.viscous": 12.0,
            "cylinders.boom-cylinder.barrel.mass": 77.0,
        }
    )
    motion = robot.random_states(5)
    expected = lw.load(document).inverse_dynamics(*motion)
    assert changed.inverse_dynamics(*motion) == pytest.approx(expected, rel=1e-12)


def test_a_field_of_all_members_has_a_row_of_each() -> None:
    robot = lw.load("palletizer")
    masses = robot.field("bodies.mass")
    assert masses == pytest.approx([part.body.mass for part in robot.model.parts])
    heavier = robot.with_fields({"bodies.mass": 2 * masses})
    assert heavier.field("bodies.mass") == pytest.approx(2 * masses)


def test_another_place_of_a_joint_is_another_geometry() -> None:
    robot = lw.load("gripper")
    joint = robot.model.joints[0].name
    at = robot.field(f"joints.{joint}.at")
    moved = robot.with_fields({f"joints.{joint}.at": at + np.array([0.001, 0.002, 0.003])})
    assert not np.array_equal(moved.mass_matrix(moved.home), robot.mass_matrix(robot.home))


@pytest.mark.parametrize("robot", ["excavator", "delta"])
def test_what_is_no_field_is_refused_with_those_there_are(robot: str) -> None:
    with pytest.raises(lw.InputError, match="gravity"):
        lw.load(robot).field("nonsense")


@pytest.mark.parametrize("name", ["palletizer", "excavator", "two-arms", "hexapod-with-arm"])
def test_fields_are_inputs_of_kernels(name: str) -> None:
    robot = lw.load(name)
    fields = ["gravity", "bodies.mass", "bodies.inertia", "joints.0.viscous", "joints.0.rotor"]
    values = [1.2 * robot.field(field) + 0.01 for field in fields]
    kernel = robot.kernel("forward_dynamics", parameters=fields)
    position, velocity, _ = robot.random_states(5)
    tau = robot.gravity_load(position)
    rows = [np.broadcast_to(value, (5, len(value))) for value in values]
    changed = robot.with_fields(dict(zip(fields, values, strict=True)))
    expected = changed.forward_dynamics(position, velocity, tau)
    assert kernel(position, velocity, tau, *rows) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "field"), [("excavator", "joints.boom.at"), ("delta", "gravity")])
def test_places_and_numbers_of_families_are_no_inputs_of_kernels(name: str, field: str) -> None:
    with pytest.raises(lw.InputError, match="with_fields"):
        lw.load(name).kernel("inverse_dynamics", parameters=[field])
