"""Mechanisms with loops in simulation: energy, control in joints and poses, friction that sticks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.control import TaskSpacePD
from linkwork.model.joint import Friction
from linkwork.motion.bundled import motion_for
from linkwork.robot.robot import Mechanism
from linkwork.simulation import rollout, simulate
from tests.bundled import representative

ALL = ("palletizer", "excavator", "par4", "ankle", "gripper", "two-arms", "hexapod-with-arm")
MECHANISMS = representative(ALL)


@pytest.mark.parametrize("name", MECHANISMS)
def test_energy_is_kept_with_the_order_of_the_integrator(name: str) -> None:
    robot = lw.load(name)
    position, velocity, _ = robot.random_states(1, seed=3)
    start = position[0], 0.3 * velocity[0]
    drifts = []
    for step in (2e-3, 1e-3):
        run = simulate(robot, start=start, duration=0.1, step=step, friction=False)
        drifts.append(np.abs(run.energy - run.energy[0]).max() / run.kinetic.max())
    assert drifts[1] < 1e-7
    assert drifts[0] > 10 * drifts[1] or drifts[1] < 1e-12
    smooth = simulate(robot, start=start, duration=0.1, friction=False, integrator="adaptive")
    np.testing.assert_allclose(smooth.position[-1], run.position[-1], atol=1e-7 * robot.size)


@pytest.mark.parametrize("name", MECHANISMS)
def test_control_follows_the_coordinates(name: str) -> None:
    """Motors may be other joints than the coordinates, and be measured instead of them."""
    robot = lw.load(name)
    motion = motion_for(robot, "home-quintic")
    laws = [lw.TaskSpaceControl(robot, motion, measured=way) for way in ("pose", "legs")]
    if not robot.coordinates.quaternions:
        laws.append(lw.ComputedTorque(robot, motion, period=0.001))
        laws.append(lw.ComputedTorque(robot, motion, period=0.001, form="matrix"))
    ends = []
    for law in laws:
        run = simulate(robot, law, duration=0.05)
        assert run.error is not None
        assert np.abs(run.error).max() < 1e-5 * max(1.0, robot.size)
        ends.append(run.position[-1])
    np.testing.assert_allclose(ends[1:], [ends[0]] * (len(ends) - 1), atol=1e-9)
    many = rollout(robot, laws[0], duration=0.05)
    np.testing.assert_allclose(many.final_position[0], ends[0], atol=1e-12)


def test_more_motors_than_freedoms_share_the_load() -> None:
    model = lw.load("palletizer").model
    driven = tuple(
        replace(joint, motor=True) if joint.name == "elbow" else joint for joint in model.joints
    )
    robot = Mechanism(replace(model, joints=driven))
    assert (robot.n, robot.dof) == (5, 4)
    motion = motion_for(robot, "home-quintic")
    run = simulate(robot, lw.TaskSpaceControl(robot, motion), duration=0.05)
    assert run.error is not None
    assert np.abs(run.error).max() < 1e-5
    few = Mechanism(
        replace(model, joints=tuple(replace(each, motor=each.name == "swing") for each in model.joints))
    )
    with pytest.raises(lw.InputError, match="1 motors for 4 freedoms"):
        lw.TaskSpaceControl(few, motion)
    falls = simulate(few, duration=0.02)  # what no motor holds may still be simulated
    assert np.abs(falls.position[-1] - few.home).max() > 1e-5


def dry(name: str, share: float) -> Mechanism:
    """The robot with Coulomb friction of its motors, a share of what holds it at home, and none else."""
    robot = lw.load(name)
    loads = dict(zip(robot.efforts.names, np.abs(robot.gravity_load(robot.home)), strict=True))

    def rough(each):
        size = share * loads.get(each.name, 0.0)
        return replace(each, friction=Friction(0.0, size, -size))

    joints = tuple(rough(joint) for joint in robot.model.joints)
    cylinders = tuple(rough(cylinder) for cylinder in robot.model.cylinders)
    return Mechanism(replace(robot.model, joints=joints, cylinders=cylinders))


@pytest.mark.parametrize("name", ["ankle", pytest.param("excavator", marks=pytest.mark.long)])
@pytest.mark.parametrize("way", [{}, {"step": 0.02, "integrator": "adaptive"}])
def test_friction_of_motors_and_cylinders_sticks(name: str, way) -> None:
    held, falling = dry(name, 1.01), dry(name, 0.9)
    run = simulate(held, duration=0.2, **way)
    assert np.abs(run.position[-1] - held.home).max() < 1e-10
    fell = simulate(falling, duration=0.2, **way)
    assert np.abs(fell.position[-1] - falling.home).max() > 1e-5


def test_gravity_compensation_holds_and_pulls() -> None:
    robot = lw.load("excavator")
    motion = motion_for(robot, "home-quintic")
    still = lw.State(robot.home, np.zeros(4))
    for law in (TaskSpacePD, lw.GravityCompensation):
        effort = law(robot, motion, 1e5, 1e4).effort(0.0, still)
        np.testing.assert_allclose(effort, robot.gravity_load(robot.home), rtol=1e-9)


def test_what_a_controller_of_joints_does_not_take() -> None:
    robot = lw.load("hexapod-with-arm")
    motion = motion_for(robot, "home-quintic")
    with pytest.raises(lw.InputError, match="orientations among its coordinates; take TaskSpaceControl"):
        lw.ComputedTorque(robot, motion)
    with pytest.raises(lw.InputError, match="there are exact"):
        lw.ComputedTorque(lw.load("ankle"), motion, formulation="newton-euler")


def test_a_start_by_angles() -> None:
    robot = lw.load("hexapod-with-arm")
    angles = robot.coordinates.to_angles(robot.home)
    angles[3:6] += [0.02, -0.01, 0.03]
    run = simulate(robot, start=angles, duration=0.002)
    np.testing.assert_allclose(run.position[0], robot.coordinates.from_angles(angles), atol=1e-12)
    assert run.names()["error"][3:6] == ("platform.rx", "platform.ry", "platform.rz")
