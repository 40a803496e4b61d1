"""Mechanisms through their interface: the reference, properties that hold for any of them, refusals."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.mechanism.coordinates import (
    CoordinateLayout,
    home_angles,
    home_size,
    turned_bodies,
    with_quaternions,
)
from linkwork.model.joint import Friction
from linkwork.model.mechanism import MechanismModel
from linkwork.robot.robot import Mechanism
from tests.mechanism_reference import MECHANISMS, document, error, reference
from tests.random_mechanisms import random_mechanism, random_states

CLOSE = 1e-11
SHORT = ("delta", "palletizer", "simona")
EACH = [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in MECHANISMS]
SEEDS = [0, 3, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 16))]
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def robot(mechanism: str) -> Mechanism:
    found = lw.load(document(mechanism))
    assert isinstance(found, Mechanism)
    return found


def state(subject: Mechanism, mechanism: str, rows: int = 8) -> Motion:
    given = reference(mechanism)
    c = (given["c"] + home_angles(subject.model))[:rows]
    return c, given["cd"][:rows], given["cdd"][:rows]


def random_case(seed: int) -> tuple[Mechanism, Motion]:
    model = random_mechanism(seed)
    c, cd, cdd = random_states(model, np.random.default_rng(seed), 3)
    return Mechanism(model), (with_quaternions(model, np.asarray(c), home_size(model)), cd, cdd)


def moved(model: MechanismModel, c: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Positions after a small motion, quaternions turned."""
    layout, turned, found = CoordinateLayout.of(model, c.shape[-1]), turned_bodies(model), c.copy()
    angular = {turned[body] + k for body in layout.quaternions for k in range(3)}
    for k, place in enumerate(layout.places):
        if k not in angular:
            found[..., place] += step[..., k]
    for body, place in layout.quaternions.items():
        half = step[..., turned[body] : turned[body] + 3] / 2
        w, v = c[..., place : place + 1], c[..., place + 1 : place + 4]
        scalar = w - (half * v).sum(axis=-1, keepdims=True)
        four = np.concatenate([scalar, v + w * half + np.cross(half, v)], axis=-1)
        found[..., place : place + 4] = four / np.linalg.norm(four, axis=-1, keepdims=True)
    return found


@pytest.mark.parametrize("mechanism", EACH)
def test_reference(mechanism: str) -> None:
    subject, given = robot(mechanism), reference(mechanism)
    c = given["c"] + home_angles(subject.model)
    tau = subject.inverse_dynamics(c, given["cd"], given["cdd"])
    assert error(tau, given["tau"]) < CLOSE
    found = subject.forward_dynamics(c, given["cd"], given["tau_in"])
    assert error(found, given["cdd_out"]) < CLOSE
    by_quaternion = with_quaternions(subject.model, c, home_size(subject.model))
    again = subject.inverse_dynamics(by_quaternion, given["cd"], given["cdd"])
    assert error(again, given["tau"]) < CLOSE
    assert subject.inverse_dynamics(c, given["cd"], given["cdd"], out=tau) is tau


def _check(subject: Mechanism, motion: Motion) -> None:
    c, cd, cdd = motion
    tau = subject.inverse_dynamics(c, cd, cdd)
    assert error(subject.forward_dynamics(c, cd, tau), cdd) < 1e-9
    M, h, actuation = subject.task_space(c, cd)
    assert error(np.einsum("nij,nj->ni", M, cdd) + h, np.einsum("nad,na->nd", actuation, tau)) < 1e-10
    assert np.array_equal(M, np.swapaxes(M, -1, -2))
    assert np.linalg.eigvalsh(M).min() > 0
    assert error(subject.mass_matrix(c), M) < CLOSE
    assert error(subject.bias(c, cd, friction=True), h) < CLOSE
    parts = subject.effort_breakdown(c, cd, cdd)
    assert error(sum(parts[1:], np.zeros_like(tau)), tau) < 1e-10
    assert error(subject.regressor(c, cd, cdd) @ subject.parameters.values, tau) < 1e-10
    twin = subject.with_parameters(subject.parameters.values)
    assert error(twin.inverse_dynamics(c, cd, cdd), tau) < 1e-10
    motors = subject.actuator_motion(c, cd, cdd)
    assert error(subject.inverse_kinematics(c), motors.position) < CLOSE
    assert error(np.einsum("nad,nd->na", actuation, cd), motors.velocity) < 1e-10
    Jx, Jq = subject.jacobians(c)
    assert error(np.einsum("nad,nd->na", Jx, cd), Jq * motors.velocity) < 1e-10
    found = subject.joint_motion(c, cd, cdd)
    assert found.q.shape == (len(c), len(subject.joints))
    for k, body in enumerate(subject.bodies):
        twist = np.einsum("nij,nj->ni", subject.jacobian(c, body), cd)
        assert np.abs(twist - found.twists[:, k]).max() < 1e-10 * max(1, np.abs(found.twists).max())
        assert np.allclose(subject.body_pose(c, body), found.poses[:, k], atol=1e-12)
    still = np.zeros_like(cd)
    at_rest = subject.inverse_dynamics(c, still, still, friction=False)
    assert error(subject.gravity_load(c), at_rest) < CLOSE


@pytest.mark.parametrize("mechanism", EACH)
def test_methods_agree_with_each_other(mechanism: str) -> None:
    subject = robot(mechanism)
    _check(subject, state(subject, mechanism))


@pytest.mark.parametrize("seed", SEEDS)
def test_methods_of_random_mechanisms_agree(seed: int) -> None:
    _check(*random_case(seed))


def _balance(subject: Mechanism, motion: Motion) -> None:
    """d/dt (kinetic + potential + springs) = tau . velocities of the motors; joints by differences."""
    c, cd, cdd = motion
    tau = subject.inverse_dynamics(c, cd, cdd, friction=False)
    motors = subject.actuator_motion(c, cd)
    assert motors.velocity is not None
    power, t = np.einsum("na,na->n", tau, motors.velocity), 1e-5

    def later(t: float) -> tuple[np.ndarray, np.ndarray]:
        return moved(subject.model, c, cd * t + cdd * t * t / 2), cd + cdd * t

    energies = [subject.energy(*later(way * t)).total for way in (1, -1)]
    scale = max(np.abs(power).max(), np.abs(energies[0]).max())
    assert np.abs((energies[0] - energies[1]) / (2 * t) - power).max() < 1e-5 * scale
    ahead, behind = (subject.joint_motion(*later(way * t), cdd) for way in (1, -1))
    found = subject.joint_motion(c, cd, cdd)
    assert error((ahead.q - behind.q) / (2 * t), found.qd) < 1e-5
    assert error((ahead.qd - behind.qd) / (2 * t), found.qdd) < 1e-5
    assert error((ahead.twists - behind.twists) / (2 * t), found.accelerations) < 1e-5
    place, other = ahead.poses[..., :3], behind.poses[..., :3]
    assert error((place - other) / (2 * t), found.twists[..., :3]) < 1e-5


@pytest.mark.parametrize("mechanism", EACH)
def test_power_is_the_change_of_energy(mechanism: str) -> None:
    subject = robot(mechanism)
    c, cd, cdd = state(subject, mechanism)
    _balance(subject, (with_quaternions(subject.model, c, home_size(subject.model)), cd, cdd))


@pytest.mark.parametrize("seed", SEEDS)
def test_power_of_random_mechanisms_is_the_change_of_energy(seed: int) -> None:
    _balance(*random_case(seed))


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_derivatives_are_those_of_differences(seed: int) -> None:
    subject, (c, cd, cdd) = random_case(seed)
    tau, d, t = subject.inverse_dynamics(c, cd, cdd), subject.dof, 1e-6
    inverse = subject.inverse_dynamics_derivatives(c, cd, cdd)
    forward = subject.forward_dynamics_derivatives(c, cd, tau)
    for k in range(d):
        step = np.zeros(d)
        step[k] = t
        ways = [moved(subject.model, c, way * step * np.ones_like(cd)) for way in (1, -1)]
        by_c = [subject.inverse_dynamics(each, cd, cdd) for each in ways]
        by_cd = [subject.inverse_dynamics(c, cd + way * step, cdd) for way in (1, -1)]
        scale = np.abs(inverse.dq).max()
        assert np.abs((by_c[0] - by_c[1]) / (2 * t) - inverse.dq[..., k]).max() < 1e-5 * scale
        scale = max(np.abs(inverse.dqd).max(), 1e-3)
        assert np.abs((by_cd[0] - by_cd[1]) / (2 * t) - inverse.dqd[..., k]).max() < 1e-5 * scale
    if subject.n == d:  # each undoes the other; redundant motors share differently elsewhere
        together = np.einsum("nad,ndk->nak", inverse.dqdd, forward.dq)
        assert error(-together, inverse.dq) < 1e-7


@pytest.mark.parametrize("mechanism", EACH)
def test_forward_kinematics_returns_the_coordinates(mechanism: str) -> None:
    subject = robot(mechanism)
    c, _, _ = state(subject, mechanism, 20)
    c = with_quaternions(subject.model, c, home_size(subject.model))
    motors = subject.inverse_kinematics(c)
    assert np.abs(subject.forward_kinematics(motors) - c).max() < 1e-9
    assert np.abs(subject.forward_kinematics(motors, c) - c).max() < 1e-11


def test_names_home_and_copies() -> None:
    arm = lw.load_mechanism("palletizer")
    assert arm.coordinates.names == ("swing", "shoulder", "drive", "hand")
    assert arm.efforts.names == ("swing", "shoulder", "drive", "hand")
    assert set(arm.efforts.units) == {"N m"}
    assert "balancer" in arm.joints
    assert arm.joints(arm.home, arm.home, arm.home).names == tuple(arm.joints)
    assert not arm.home.any()
    hexapod = lw.load_mechanism("hexapod-with-arm")
    assert hexapod.home.shape == (13,)
    assert hexapod.dof == 12 == hexapod.n
    assert hexapod.coordinates.names[3:7] == tuple(f"platform.q{k}" for k in "wxyz")
    assert hexapod.velocities.names[3] == "platform.wx"
    simona = robot("simona")
    assert simona.coordinates.is_pose
    assert simona.velocities.names == ("vx", "vy", "vz", "wx", "wy", "wz")
    twin = pickle.loads(pickle.dumps(arm))
    assert np.array_equal(twin.gravity_load(twin.home), arm.gravity_load(arm.home))
    family = pickle.loads(pickle.dumps(lw.load_mechanism("delta")))
    assert isinstance(family, lw.ParallelRobot)
    assert family.efforts.names == ("leg-1", "leg-2", "leg-3")
    kernel = arm.kernel("inverse_dynamics", wrench="input")
    assert list(kernel.inputs) == ["c", "cd", "cdd", "wrench"]
    assert list(simona.kernel("bias", position_size=6).inputs.values()) == [6, 6]
    with pytest.raises(lw.InputError, match="body of palletizer"):
        arm.jacobian(arm.home, "elbow-joint")
    assert lw.load_mechanism("puma560").joints == lw.load("puma560").joint_names


def test_base_parameters_explain_all_efforts() -> None:
    subject = lw.load_mechanism("gripper")
    base = subject.base_parameters()
    motion = subject.random_states(20, seed=5)
    tau = subject.inverse_dynamics(*motion)
    assert error(subject.regressor(*motion) @ base.basis @ base.values, tau) < 1e-8


def test_payload_gravity_and_base_motion() -> None:
    subject = robot("par4")
    c, cd, cdd = state(subject, "par4")
    loaded = subject.with_payload(2.0, [0.01, 0, -0.02], [1e-3, 2e-3, 3e-3])
    assert np.abs(loaded.gravity_load(c)).max() > np.abs(subject.gravity_load(c)).max()
    lifted = np.concatenate([np.zeros(6), [0.3, 0.4, 0.5]])
    felt = subject.model.gravity - lifted[6:]
    by_base = subject.inverse_dynamics(c, cd, cdd, base_motion=lifted)
    assert error(by_base, subject.inverse_dynamics(c, cd, cdd, gravity=felt)) < CLOSE
    # A wrench on the tool does work with the tool's twist.
    wrench = np.array([3.0, -2.0, 5.0, 0.1, 0.2, -0.3])
    change = subject.bias(c, cd, wrench) - subject.bias(c, cd)
    R = _rotations(subject.body_pose(c))
    world = np.concatenate(
        [np.einsum("nij,j->ni", R, part) for part in (wrench[:3], wrench[3:])], axis=-1
    )
    assert error(-change, np.einsum("nij,ni->nj", subject.jacobian(c), world)) < CLOSE


def _rotations(poses: np.ndarray) -> np.ndarray:
    w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def test_a_payload_in_a_simulation_is_that_of_the_robot() -> None:
    subject = lw.load_mechanism("gripper")
    carried = lw.simulate(subject, duration=0.02, payload=0.5, progress=False)
    built = lw.simulate(subject.with_payload(0.5), duration=0.02, progress=False)
    assert np.abs(carried.position - built.position).max() < 1e-12


def test_energy_is_kept_and_dry_friction_holds() -> None:
    subject = lw.load_mechanism("par4")
    run = lw.simulate(subject, duration=0.05, friction=False, progress=False)
    energy = subject.energy(run.position, run.velocity)
    assert np.abs(energy.total - energy.total[0]).max() < 1e-8 * energy.kinetic.max()

    def dry(names: tuple[str, ...], size: float) -> Mechanism:
        joints = [
            replace(joint, friction=Friction(0.0, size, -size)) if joint.name in names else joint
            for joint in subject.model.joints
        ]
        return Mechanism(replace(subject.model, joints=tuple(joints)))

    motors = subject.efforts.names
    for size, holds in ((8.0, True), (1.0, False)):
        rough = dry(motors, size)
        end = lw.simulate(rough, duration=0.1, step=0.01, progress=False).position[-1]
        away = float(np.abs(rough.inverse_kinematics(end)).max())
        assert away < 1e-12 if holds else away > 1e-3
    # Joints without motors hold the platform's turn.
    rough = dry(("turn", "end-2"), 1.0)
    push = rough.gravity_load(rough.home) + 0.05 * np.array([1.0, -1.0, 1.0, -1.0])
    end = lw.simulate(rough, lambda t, x: push, duration=0.05, step=0.005, progress=False).position[-1]
    assert np.abs(end - rough.home).max() < 1e-12


CHAIN: dict[str, Any] = {
    "kind": "mechanism",
    "name": "chain",
    "bodies": {
        "arm": {"mass": 1, "from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.02},
        "link": {"mass": 1, "from": [1, 0, 0], "to": [1, 0, 1], "radius": 0.02},
    },
    "joints": {
        "a": {"R": "y", "joins": ["base", "arm"], "at": [0, 0, 0], "motor": True},
        "b": {"R": "y", "joins": ["arm", "link"], "at": [1, 0, 0]},
    },
    "coordinates": ["a", "b"],
}


def test_fewer_motors_than_freedoms_move_but_have_no_efforts() -> None:
    subject = lw.load(copy.deepcopy(CHAIN))
    assert isinstance(subject, Mechanism)
    told = "2 freedoms and 1 motor: with all motors held, b still moves"
    for ask in ("inverse_dynamics", "regressor"):
        with pytest.raises(lw.InputError, match=told):
            getattr(subject, ask)([0, 0], [0, 0], [0, 0])
    with pytest.raises(lw.InputError, match=told):
        subject.forward_kinematics([0.1])
    found = subject.forward_dynamics([0.1, 0.2], [1, 2], [0.5])
    M, h, actuation = subject.task_space([0.1, 0.2], [1, 2])
    assert np.allclose(M @ found + h, actuation.T @ [0.5])
    assert subject.margins([0.1, 0.2]).least == 1


def test_wrong_coordinates_are_refused_at_their_line(tmp_path: Any) -> None:
    lines = ["kind: mechanism", "name: chain", "bodies:"]
    lines += [f"  {name}: {_flow(body)}" for name, body in CHAIN["bodies"].items()]
    lines += ["joints:", *(f"  {name}: {_flow(joint)}" for name, joint in CHAIN["joints"].items())]
    path = tmp_path / "chain.yaml"
    path.write_text("\n".join([*lines, "coordinates: [a]"]))
    with pytest.raises(lw.RobotFileError, match=r"line 9, coordinates: .* b still move") as caught:
        lw.load(path)
    assert "Declare more coordinates" in str(caught.value)
    data = document("delta")
    data["coordinates"] = [{"plate": ["x", "y", "z", "yaw"]}]
    with pytest.raises(lw.RobotFileError, match=r"plate\.yaw cannot move.*Take them out"):
        lw.load(data)
    data = copy.deepcopy(CHAIN)
    data["bodies"]["slider"] = {"mass": 1, "center_of_mass": [1, 0, 1], "inertia": [1, 1, 1]}
    data["joints"]["b"] = {"S": None, "joins": ["arm", "link"], "at": [1, 0, 0]}
    data["joints"]["c"] = {"S": None, "joins": ["link", "slider"], "at": [1, 0, 1]}
    data["joints"]["d"] = {"P": "z", "joins": ["base", "slider"]}
    data["coordinates"] = ["a"]
    with pytest.raises(lw.RobotFileError, match="link may spin between two balls: write it as a rod"):
        lw.load(data)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(each)}" for key, each in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value).replace("'", "")


def test_places_that_cannot_be_reached() -> None:
    subject = robot("delta")
    with pytest.raises(lw.LinkworkError, match="cannot reach the rest of the loop there"):
        subject.inverse_dynamics([0.9, 0, -0.62], [0, 0, 0], [0, 0, 0])
    mixed = np.array([subject.home, [0.9, 0, -0.62]])
    found = subject.inverse_dynamics(mixed, [0, 0, 0], [0, 0, 0], errors="nan")
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()
    motion = subject.joint_motion(mixed, [0, 0, 0], [0, 0, 0], errors="nan")
    assert np.isnan(motion.poses[1]).all()
    with pytest.raises(lw.InputError, match="last axis must be 3: x, y, z"):
        subject.inverse_dynamics([0, 0], [0, 0, 0], [0, 0, 0])
    with pytest.raises(lw.LinkworkError, match="no solution found"):
        subject.forward_kinematics([3.0, 0.0, 0.0])
    family = lw.load_parallel("delta")
    with pytest.raises(lw.LinkworkError, match="cannot reach the platform there"):
        family.inverse_dynamics([9.0, 0, -0.62], [0, 0, 0], [0, 0, 0])
    simona = robot("simona")
    with pytest.raises(lw.LinkworkError, match="the quaternion has norm 2"):
        simona.inverse_dynamics([0, 0, 2, 2, 0, 0, 0], [0] * 6, [0] * 6)
