"""Parallel robots through their interface: properties that hold for any robot."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.core.rotations import from_angles
from linkwork.model.robot_files import load_model
from linkwork.motion.bundled import motion_for
from linkwork.reports.inverse import inverse_report
from linkwork.studio.design import interpreted
from tests.bundled import representative
from tests.parallel_reference import MECHANISMS, document, error, reference, robot

CLOSE = 1e-10
STEP = 1e-5
SHORT = ("3-rps", "delta", "five-bar")
EACH = [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in MECHANISMS]


def state(mechanism: str, rows: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    given = reference(mechanism)
    return given["c"][:rows], given["cd"][:rows], given["cdd"][:rows]


@pytest.mark.parametrize("mechanism", EACH)
def test_inverse_forward_and_parts_agree(mechanism: str) -> None:
    subject, (c, cd, cdd) = robot(mechanism), state(mechanism)
    wrench = np.random.default_rng(1).normal(size=6)
    tau = subject.inverse_dynamics(c, cd, cdd, wrench)
    assert error(subject.forward_dynamics(c, cd, tau, wrench), cdd) < CLOSE
    parts = subject.effort_breakdown(c, cd, cdd, wrench)
    assert error(parts.total, tau) < CLOSE
    assert error(parts.platform + parts.legs + parts.rotors + parts.friction, tau) < CLOSE
    M, h, actuation = subject.task_space(c, cd, wrench)
    assert error(np.einsum("nij,nj->ni", M, cdd) + h, np.einsum("nad,na->nd", actuation, tau)) < CLOSE
    assert np.array_equal(M, np.swapaxes(M, -1, -2))
    assert np.linalg.eigvalsh(M).min() > 0
    assert error(subject.mass_matrix(c), M) < CLOSE
    assert error(subject.bias(c, cd, wrench, friction=True), h) < CLOSE
    still = np.zeros_like(cd)
    at_rest = subject.inverse_dynamics(c, still, still, friction=False)
    assert error(subject.gravity_load(c), at_rest) < CLOSE


@pytest.mark.parametrize("mechanism", EACH)
def test_power_is_the_change_of_energy(mechanism: str) -> None:
    """d/dt (kinetic + potential) = tau . actuator velocities, without friction."""
    subject, (c, cd, cdd) = robot(mechanism), state(mechanism)
    tau = subject.inverse_dynamics(c, cd, cdd, friction=False)
    power = np.einsum("na,na->n", tau, subject.actuator_motion(c, cd).velocity)

    def energy(t: float) -> np.ndarray:
        change = cd * t + cdd * t * t / 2
        if subject.dof == 6:
            half = np.concatenate([np.ones((len(c), 1)), change[:, 3:] / 2], axis=1)
            half /= np.linalg.norm(half, axis=1, keepdims=True)
            turned = np.stack([_multiply(a, b) for a, b in zip(half, c[:, 3:], strict=True)])
            moved = np.concatenate([c[:, :3] + change[:, :3], turned], axis=1)
        else:
            moved = c + change
        # Rotors store energy too: they are part of the mass matrix.
        return subject.energy(moved, cd + cdd * t).total

    change = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    assert np.abs(change - power).max() < 2e-6 * np.abs(power).max()


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    w, v, a, b = p[0], p[1:], q[0], q[1:]
    return np.concatenate([[w * a - v @ b], w * b + a * v + np.cross(v, b)])


@pytest.mark.parametrize("mechanism", EACH)
def test_forward_kinematics_returns_the_pose(mechanism: str) -> None:
    subject, (c, cd, _) = robot(mechanism), state(mechanism, 20)
    actuators = subject.inverse_kinematics(c)
    nearby = c + 1e-3 if subject.dof < 6 else c
    assert np.abs(subject.forward_kinematics(actuators, nearby) - c).max() < 1e-10
    found = subject.forward_kinematics(actuators, errors="nan")
    arrived = np.isfinite(found).all(axis=1)
    back = subject.inverse_kinematics(found[arrived])
    assert np.abs(back - actuators[arrived]).max() < 1e-11
    if mechanism != "planar-3rrr":  # a fifth of its states lies beyond a parallel singularity
        assert arrived.all()
        assert np.abs(found - c).max() < 1e-9 or subject.dof == 6
    Jx, Jq = subject.jacobians(c)
    velocity = subject.actuator_motion(c, cd).velocity
    assert velocity is not None
    assert error(np.einsum("nad,nd->na", Jx, cd), Jq * velocity) < CLOSE


def test_joint_coordinates_are_zero_at_home() -> None:
    for mechanism in SHORT:
        subject = robot(mechanism)
        still = np.zeros(subject.dof)
        assert np.abs(subject.joints(subject.home, still, still).q).max() < 1e-9


def test_gravity_payload_and_base_motion_are_arguments() -> None:
    subject, (c, cd, cdd) = robot("delta"), state("delta")
    other = np.array([1.0, -2.0, 3.0])
    described = lw.load({**document("delta"), "gravity": [1.0, -2.0, 3.0]})
    tau = described.inverse_dynamics(c, cd, cdd)
    assert error(subject.inverse_dynamics(c, cd, cdd, gravity=other), tau) < CLOSE
    assert error(subject.forward_dynamics(c, cd, tau, gravity=other), cdd) < CLOSE
    assert error(subject.gravity_load(c, other), described.gravity_load(c)) < CLOSE
    # A base that accelerates feels like gravity the other way.
    lifted = np.concatenate([np.zeros(6), [0.3, 0.4, 0.5]])
    by_base = subject.inverse_dynamics(c, cd, cdd, base_motion=lifted)
    felt = subject.model.gravity - lifted[6:]
    assert error(by_base, subject.inverse_dynamics(c, cd, cdd, gravity=felt)) < CLOSE
    heavy = dict(document("delta"))
    heavy["platform"] = {"mass": 2.7, "center_of_mass": [0, 0, -0.02], "inertia": [1e-3, 1e-3, 1.8e-3]}
    carried = subject.with_payload(2.0, [0, 0, -0.02])
    assert (
        error(carried.inverse_dynamics(c, cd, cdd), lw.load(heavy).inverse_dynamics(c, cd, cdd)) < CLOSE
    )


def test_a_turning_base_is_a_turning_platform_and_frame() -> None:
    """A robot that stands still in the frame of a turning base: centrifugal forces, by energy."""
    subject = robot("five-bar")
    c, still = subject.home, np.zeros(2)
    spin = np.concatenate([[0, 0, 2.0], np.zeros(6)])
    turning = subject.inverse_dynamics(c, still, still, base_motion=spin, gravity=np.zeros(3))

    def spinning(x: np.ndarray) -> float:
        """Kinetic energy of the whole in the base's rotation, I w^2 / 2 about the base's z axis."""
        total = 0.3 * (x @ x)
        motion = subject.joints(x, still, still)
        q = iter(motion.q)
        for leg in subject.model.legs:
            first, second = next(q), next(q)
            base, knee, tip = leg.joints[0].at, leg.joints[1].at, leg.end.at

            def turned(v: np.ndarray, angle: float) -> np.ndarray:
                co, si = np.cos(angle), np.sin(angle)
                return np.array([co * v[0] - si * v[1], si * v[0] + co * v[1], v[2]])

            new_knee = base + turned(knee - base, first)
            upper, lower = leg.joints[0].body, leg.joints[1].body
            a = base + turned(upper.center_of_mass - base, first)
            b = new_knee + turned(lower.center_of_mass - knee, first + second)
            assert np.allclose(new_knee + turned(tip - knee, first + second), [*x, 0])
            for body, place in ((upper, a), (lower, b)):
                total += body.mass * (place @ place) + body.inertia[2, 2]
        return total * 4.0 / 2

    pull = np.array([(spinning(c + d) - spinning(c - d)) / 2e-5 for d in 1e-5 * np.eye(2)])
    actuation = subject.task_space(c, still).actuation
    assert np.abs(actuation.T @ turning + pull).max() < 1e-6


def test_three_rotations_may_be_a_quaternion() -> None:
    subject = robot("agile-eye")
    c, cd, cdd = state("agile-eye")
    quaternion = from_angles(c)
    motion = subject.joints(c, cd, cdd)
    tau = subject.inverse_dynamics(c, cd, cdd)
    w, al = motion.twist[:, 3:], motion.acceleration[:, 3:]
    assert error(subject.inverse_dynamics(quaternion, w, al), tau) < CLOSE
    assert error(subject.forward_dynamics(quaternion, w, tau), al) < CLOSE
    actuators = subject.inverse_kinematics(quaternion)
    found = subject.forward_kinematics(actuators, np.array([1.0, 0, 0, 0]))
    assert np.abs(np.abs(np.einsum("ni,ni->n", found, quaternion)) - 1).max() < 1e-12


def test_more_actuators_than_freedoms_share_the_load_with_the_least_norm() -> None:
    data = copy.deepcopy(document("planar-3rrr"))
    data["legs"][0]["joints"][1]["actuated"] = True
    subject = lw.load(data)
    c, cd, cdd = state("planar-3rrr")
    tau = subject.inverse_dynamics(c, cd, cdd)
    assert tau.shape == (5, 6)
    actuation = subject.task_space(c, cd).actuation
    usual = robot("planar-3rrr")
    wanted = np.einsum(
        "nad,na->nd", usual.task_space(c, cd).actuation, usual.inverse_dynamics(c, cd, cdd)
    )
    assert error(np.einsum("nad,na->nd", actuation, tau), wanted) < CLOSE
    least = np.stack([np.linalg.pinv(a.T) @ b for a, b in zip(actuation, wanted, strict=True)])
    assert error(tau, least) < 1e-9
    assert error(subject.forward_dynamics(c, cd, tau), cdd) < CLOSE


WRENCHES = np.array(
    [
        [10, 0, 0, 0, 0, 0],
        [0, -5, 0, 0, 0, 1],
        [0, 0, 7, 0, 0, 0],
        [0, 0, 0, 2, -1, 0],
        [1e3, 2, -3, 4, 5, 6],
    ]
)


@pytest.mark.parametrize("name", representative(["five-bar", "agile-eye", "planar-3rrr", "4-puu"]))
def test_determinate_reactions_carry_any_wrench(name: str) -> None:
    """A wrench adds what legs and platform exchange; what statics leaves open stays open."""
    subject = lw.load_parallel(name)
    assert not subject.determinate
    still = np.zeros(subject.dof)
    free = subject.joint_reactions(subject.home, still, still)
    under = subject.joint_reactions(subject.home, still, still, WRENCHES)
    for without, found in zip(free, under, strict=True):
        np.testing.assert_array_equal(np.isnan(found), np.broadcast_to(np.isnan(without), found.shape))
    known = ~np.isnan(free.closure_force).any(axis=0)
    carried = (under.closure_force - free.closure_force).sum(axis=1)
    np.testing.assert_allclose(carried[:, known], WRENCHES[:, :3][:, known], atol=1e-9)
    assert known.sum() == {"five-bar": 2, "planar-3rrr": 2, "agile-eye": 0, "4-puu": 3}[name]


def test_a_page_names_every_joint_and_says_what_is_indeterminate() -> None:
    """All joints have rows of their own; of planar robots the plane's part is shown."""
    subject = lw.load_parallel("five-bar")
    time, motion = motion_for(subject, "home-quintic").sample(0.1)
    found = study(subject, "home-quintic", time, motion)
    assert tuple(what.name for what in found.reactions) == ("force", "moment")
    held = subject.joint_reactions(found.position, found.velocity, found.acceleration)
    places = [found.reactions[0].channels.index(name) for name in subject.joint_names]
    in_plane = np.linalg.norm(held.joint_force[..., :2], axis=-1)
    np.testing.assert_allclose(found.reactions[0].values[:, places], in_plane, rtol=1e-12)
    html = inverse_report(found).html()
    for name in ("left R1", "left R2", "right R2"):
        assert name in html
    assert "depend on the elasticity of its links" in html


def test_a_platform_that_is_a_point_takes_masses_only() -> None:
    subject = lw.load_parallel("five-bar")
    assert subject.with_payload(0.5).model.platform.mass == pytest.approx(0.8)
    for load in ({"center_of_mass": [0, 0, 0.1]}, {"inertia": [1e-3, 1e-3, 1e-3]}):
        with pytest.raises(lw.InputError, match="would swing freely"):
            subject.with_payload(0.5, **load)


def test_out_of_reach_and_singular_places_are_told_apart() -> None:
    delta, agile = robot("delta"), robot("agile-eye")
    with pytest.raises(lw.LinkworkError, match="cannot reach the platform there"):
        delta.inverse_dynamics([0.9, 0, -0.62], [0, 0, 0], [0, 0, 0])
    found = delta.inverse_dynamics([[0, 0, -0.62], [0.9, 0, -0.62]], [0, 0, 0], [0, 0, 0], errors="nan")
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()
    with pytest.raises(lw.InputError, match="row 1, y"):
        delta.inverse_kinematics([[0, 0, -0.62], [0, np.nan, -0.62]])
    with pytest.raises(lw.LinkworkError, match="singular"):
        agile.inverse_dynamics([0, np.pi / 2, 0], [0, 0, 0], [0, 0, 0])
    with pytest.raises(lw.InputError, match="last axis must be 3: x, y, z"):
        delta.inverse_dynamics([0, 0], [0, 0, 0], [0, 0, 0])
    with pytest.raises(lw.LinkworkError, match="no solution found"):
        delta.forward_kinematics([3.0, 0.0, 0.0])
    bar = robot("five-bar")
    # Its forearms in one line: the knees are at rest while the tip is free to move.
    forearm, arm = 0.23**2 + 0.18**2, 0.13**2 + 0.17**2
    height = np.sqrt(arm - (np.sqrt(forearm) - 0.1) ** 2)
    with pytest.raises(lw.LinkworkError, match="parallel singularity"):
        bar.inverse_dynamics([0.0, height], [0, 0], [0, 0])


def test_limits_kernels_and_copies() -> None:
    data = copy.deepcopy(document("delta"))
    data["legs"][0]["joints"][0]["limits"] = {"position": [-0.2, 0.2], "velocity": 3, "effort": 20}
    subject = lw.load(data)
    report = subject.check_limits(
        [[0, 0, -0.62], [0, 0, -0.5]], [[0, 0, 0], [0, 0, 9]], [[0, 0, 0], [0, 0, 0]]
    )
    assert not report.mask[0]
    assert report.mask[1]
    assert {one.limit for one in report.breaks} >= {"position", "velocity"}
    assert {one.name for one in report.breaks} == {"leg-1", "leg-2", "leg-3"}
    kernel = subject.kernel("inverse_dynamics", wrench="input")
    assert list(kernel.inputs) == ["c", "cd", "cdd", "wrench"]
    assert kernel.counts.sine_cosines == 0
    twin = pickle.loads(pickle.dumps(subject))
    assert np.array_equal(twin.gravity_load(twin.home), subject.gravity_load(subject.home))
    with pytest.raises(lw.InputError, match="formulation"):
        subject.inverse_dynamics([0, 0, -0.6], [0, 0, 0], [0, 0, 0], formulation="dasgupta1998")


def test_joints_of_some_impossible_poses_are_nan_there_only() -> None:
    delta, still = lw.load_parallel("delta"), np.zeros(3)
    mixed = np.array([delta.home, [0.0, 0.0, -5.0], delta.home])
    found = delta.joints(mixed, still, still, errors="nan")
    assert np.isnan(found.pose[1]).all()
    np.testing.assert_allclose(found.pose[[0, 2], :3], mixed[[0, 2]], atol=1e-15)
    assert np.isnan(delta.joints(mixed[1], still, still, errors="nan").pose).all()


def test_the_three_singularities_are_told_apart() -> None:
    delta = lw.load_parallel("delta")
    near = delta.singularities(np.array([delta.home, [0.0, 0.0, -1.763]]))
    np.testing.assert_allclose(near.serial[0], 1.0)
    assert near.serial[1].max() < 0.1  # stretched: arm and rod in one line
    np.testing.assert_allclose(near.parallel[0], delta.condition_number(delta.home))
    np.testing.assert_array_equal(near.constraint, 1.0)  # no parasitic coordinates
    # A leg of a 3-RPS holds the platform's joint in a plane across the axis of its revolute joint.
    three = lw.load_parallel("3-rps")
    arms = np.array([leg.end.at for leg in three.model.legs]) - three.model.home[:3]
    axes = np.array([leg.joints[0].axis for leg in three.model.legs])
    radius = np.linalg.norm(arms, axis=1).mean()
    rows = np.column_stack([axes[:, :2], np.cross(arms, axes)[:, 2] / radius])
    expected = np.linalg.cond(rows)
    np.testing.assert_allclose(three.singularities(three.home).constraint, expected, rtol=1e-12)


def test_of_more_motors_than_freedoms_the_efforts_of_least_norm() -> None:
    """A Delta of four arms, which is also the Par4 with its platform locked."""
    description = document("delta")
    description["legs"][0]["repeat"] = "4 around z"
    robot = interpreted(load_model(description))
    assert isinstance(robot, lw.ParallelRobot)
    assert (robot.n, robot.dof, robot.determinate) == (4, 3, False)
    c = robot.home + np.array([0.03, 0.02, 0.05])
    cd, cdd = np.array([0.2, -0.1, 0.3]), np.array([1.0, 2.0, -1.0])
    tau = robot.inverse_dynamics(c, cd, cdd, friction=False)
    M, _, actuation = robot.task_space(c, cd)
    least = np.linalg.lstsq(actuation.T, M @ cdd + robot.bias(c, cd), rcond=None)[0]
    np.testing.assert_allclose(tau, least, atol=1e-12 * np.abs(tau).max())
    np.testing.assert_allclose(robot.forward_dynamics(c, cd, tau, friction=False), cdd, atol=1e-11)
