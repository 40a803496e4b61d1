"""The public face of an arm: published numbers, laws of mechanics, shapes and errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from tests.bundled import representative

QN = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
ONES, ZEROS = np.ones(6), np.zeros(6)


@pytest.fixture(scope="module")
def puma() -> lw.Arm:
    return lw.load_arm("puma560")


@pytest.fixture(scope="module")
def ur5() -> lw.Arm:
    return lw.load_arm("ur5")


def test_published_puma560_answers(puma) -> None:
    """Corke and Armstrong-Helouvry's arm; answers to their four printed decimals."""

    def printed(values, expected) -> None:
        np.testing.assert_allclose(values, expected, rtol=0, atol=0.5001e-4)

    printed(puma.gravity_load(QN), [0, 31.6399, 6.0351, 0, 0.0283, 0])
    printed(puma.inverse_dynamics(QN, ONES, ZEROS), [29.1421, 56.5044, 16.3528, 1.2645, 1.1239, 0.5196])
    printed(puma.inverse_dynamics(QN, ONES, ONES), [32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138])
    upper = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [4.4137, 0.3509, 0, 0.0024, 0],
        [0.9378, 0, 0.0015, 0],
        [0.1925, 0, 0],
        [0.1713, 0],
        [0.1941],
    ]
    M = puma.mass_matrix(QN)
    for i, row in enumerate(upper):
        printed(M[i, i:], row)


def test_published_gravity_of_the_other_puma() -> None:
    """Armstrong, Khatib and Burdick, Table A7: the gravity load is made of five constants."""
    arm = lw.load_arm("puma560-akb")
    q = np.random.default_rng(0).uniform(-2, 2, (40, 6))
    (c2, c4, c5), (s2, s4, s5) = np.cos(q[:, [1, 3, 4]]).T, np.sin(q[:, [1, 3, 4]]).T
    c23, s23 = np.cos(q[:, 1] + q[:, 2]), np.sin(q[:, 1] + q[:, 2])
    none, wrist = np.zeros(len(q)), s23 * c5 + c23 * c4 * s5
    joints = [
        [c2, s23, s2, c23, wrist],
        [none, s23, none, c23, wrist],
        [none, none, none, none, -s23 * s4 * s5],
        [none, none, none, none, c23 * s5 + s23 * c4 * c5],
    ]
    columns = np.moveaxis(np.array(joints), 2, 0).reshape(-1, 5)
    load = arm.gravity_load(q)[:, 1:5].ravel()
    constants = np.linalg.lstsq(columns, load)[0]
    np.testing.assert_allclose(columns @ constants, load, atol=1e-12)
    np.testing.assert_allclose(constants, [-37.2, -8.44, 1.02, 0.249, -0.0282], rtol=5e-3)


def test_two_descriptions_of_the_puma_are_one_machine(puma) -> None:
    """The two published sets differ in some inertias; their base and upper arm frames by half a turn."""
    other = lw.load_arm("puma560-akb")
    q = np.random.default_rng(0).uniform(-2, 2, (40, 6))
    turned = q + np.array([np.pi, np.pi, np.pi, 0, 0, 0])
    place, there = (arm.forward_kinematics(at)[:, :3, 3] for arm, at in ((puma, q), (other, turned)))
    np.testing.assert_allclose(place, there, atol=2e-3)  # m
    np.testing.assert_allclose(puma.gravity_load(q), other.gravity_load(turned), atol=0.6)  # of 45 N m
    M, N = puma.mass_matrix(q, rotors=False), other.mass_matrix(turned, rotors=False)
    np.testing.assert_allclose(M, N, atol=0.12)  # of 4.4 kg m^2


@pytest.mark.parametrize("name", representative(lw.bundled_names("arm")))
def test_bundled_arms_agree_with_themselves(name) -> None:
    report = lw.verify(lw.load(name), states=50)
    assert report.ok, str(report)
    assert report.smallest_eigenvalue > 0
    assert "agrees within" in str(report)


def test_check_notices_a_wrong_formulation(puma, monkeypatch) -> None:
    from linkwork.mechanics.chain.dynamics import FORMULATIONS

    monkeypatch.setenv("LINKWORK_CACHE", "off")  # the cache does not look into this process
    right = FORMULATIONS["angeles"]
    wrong = lambda chain, q, qd, qdd: [1.001 * tau for tau in right(chain, q, qd, qdd)]  # noqa: E731
    monkeypatch.setitem(FORMULATIONS, "angeles", wrong)
    report = lw.verify(lw.load("puma560"), states=5)
    assert not report.ok
    assert 5e-4 < report.differences["formulations"]["angeles"] < 2e-3
    assert report.differences["formulations"]["lagrange"] < 1e-12
    assert "NOT" in str(report)


def test_parts_add_up(puma) -> None:
    q, qd, qdd = puma.random_states(20, 3)
    rigid = {"friction": False, "rotors": False}
    tau = puma.inverse_dynamics(q, qd, qdd, **rigid)
    M, C, g = puma.mass_matrix(q, rotors=False), puma.coriolis_matrices(q), puma.gravity_load(q)
    coriolis = np.einsum("...ijk,...j,...k->...i", C, qd, qd)
    np.testing.assert_allclose(np.einsum("...ij,...j->...i", M, qdd) + coriolis + g, tau, atol=1e-12)
    np.testing.assert_allclose(puma.bias(q, qd), coriolis + g, atol=1e-12)
    drive = puma.inverse_dynamics(q, qd, qdd) - tau
    rotor = np.array([joint.rotor.reflected for joint in puma.model.joints])
    friction = puma.bias(q, qd, friction=True) - puma.bias(q, qd)
    np.testing.assert_allclose(drive, rotor * qdd + friction, atol=1e-12)


def test_friction_depends_on_direction_and_rests_at_rest(puma) -> None:
    gears = np.array([joint.rotor.gear_ratio for joint in puma.model.joints])
    still = puma.bias(QN, ZEROS, friction=True, gravity=ZEROS[:3])
    np.testing.assert_array_equal(still, ZEROS)
    forward, backward = (
        puma.bias(QN, s * ONES, friction=True) - puma.bias(QN, s * ONES) for s in (1.0, -1.0)
    )
    viscous = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
    plus = np.array([0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3])
    minus = np.array([-0.435, -0.071, -0.105, -16.9e-3, -14.5e-3, -10.5e-3])
    np.testing.assert_allclose(forward, np.abs(gears) * (viscous * np.abs(gears) + plus), atol=1e-11)
    np.testing.assert_allclose(backward, np.abs(gears) * (-viscous * np.abs(gears) + minus), atol=1e-11)


def test_forward_undoes_inverse_with_everything_on(puma) -> None:
    q, qd, qdd = puma.random_states(100, 4)
    tip = np.random.default_rng(5).normal(size=(100, 6))
    outside = {"gravity": [1, 2, 3], "tip_wrench": tip}
    tau = puma.inverse_dynamics(q, qd, qdd, **outside)
    for name in (None, "composite", "articulated"):
        back = puma.forward_dynamics(q, qd, tau, formulation=name, **outside)
        np.testing.assert_allclose(back, qdd, atol=1e-11)


def test_jacobian_is_the_derivative_of_the_pose(ur5) -> None:
    q = ur5.random_states(1, 6)[0][0]
    J, h = ur5.jacobian(q), 1e-6
    for k in range(6):
        step = h * np.eye(6)[k]
        forward, backward = ur5.forward_kinematics(q + step), ur5.forward_kinematics(q - step)
        rate = (forward - backward) / (2 * h)
        spin = rate[:3, :3] @ ur5.forward_kinematics(q)[:3, :3].T
        np.testing.assert_allclose(J[:3, k], rate[:3, 3], atol=1e-9)
        np.testing.assert_allclose(J[3:, k], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-9)


def test_tip_wrench_is_balanced_by_the_jacobian(ur5) -> None:
    q = ur5.random_states(1, 7)[0][0]
    wrench = np.random.default_rng(8).normal(size=6)
    R = ur5.forward_kinematics(q)[:3, :3]
    in_base = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
    load = ur5.bias(q, ZEROS, tip_wrench=wrench) - ur5.bias(q, ZEROS)
    np.testing.assert_allclose(load, ur5.jacobian(q).T @ in_base, atol=1e-12)


def test_joint_wrenches_contain_the_torques(ur5) -> None:
    q, qd, qdd = ur5.random_states(10, 9)
    wrenches = ur5.joint_wrenches(q, qd, qdd)
    frames = ur5.link_frames(q)
    previous = np.concatenate([np.broadcast_to(np.eye(4), (10, 1, 4, 4)), frames[:, :-1]], axis=1)
    moments = np.einsum("...ij,...j->...i", frames[..., :3, :3], wrenches[..., 3:])
    axes = previous[..., :3, 2]  # standard Denavit-Hartenberg: joint i turns about z of frame i-1
    torques = np.einsum("...i,...i->...", axes, moments)
    np.testing.assert_allclose(
        torques, ur5.inverse_dynamics(q, qd, qdd, friction=False, rotors=False), atol=1e-12
    )


def test_shapes_broadcast(ur5) -> None:
    q = np.zeros((4, 1, 6))
    qd = np.zeros((3, 6))
    assert ur5.inverse_dynamics(q, qd, ZEROS).shape == (4, 3, 6)
    assert ur5.mass_matrix(q).shape == (4, 1, 6, 6)
    assert ur5.coriolis_matrices(ZEROS).shape == (6, 6, 6)
    assert ur5.forward_kinematics(q).shape == (4, 1, 4, 4)
    assert ur5.link_frames(ZEROS).shape == (6, 4, 4)
    assert ur5.jacobian(qd).shape == (3, 6, 6)
    assert ur5.joint_wrenches(q, qd, ZEROS).shape == (4, 3, 6, 6)
    energy = ur5.energy(q, qd)
    assert energy.kinetic.shape == energy.total.shape == (4, 3)
    assert ur5.inverse_dynamics([0] * 6, [0] * 6, [0] * 6).dtype == np.float64


def test_description_is_visible(puma) -> None:
    assert puma.n == 6
    assert len(puma.joint_names) == 6
    assert puma.model.name == puma.name == "puma560"
    assert puma.formulations == (
        "newton-euler",
        "modified-newton-euler",
        "angeles",
        "lagrange",
        "natural-complement",
        "recursive-lagrange",
        "kane",
        "gibbs-appell",
        "minimal",
    )
    assert "RRRRRR" in repr(puma)
    with pytest.raises(AttributeError):
        puma.model.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        puma.model.gravity[0] = 1.0


def message(call) -> str:
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    return str(caught.value)


def test_errors_of_values_name_row_and_joint(ur5) -> None:
    q = np.zeros((5, 6))
    q[3, 1] = np.nan
    text = message(lambda: ur5.inverse_dynamics(q, ZEROS, ZEROS))
    for word in ("q is nan", "row 3", "joint 2", ur5.joint_names[1], "finite", 'errors="nan"'):
        assert word in text
    assert "joint 1" in message(lambda: ur5.inverse_dynamics([np.inf, 0, 0, 0, 0, 0], ZEROS, ZEROS))
    assert "gravity is nan" in message(lambda: ur5.gravity_load(ZEROS, gravity=[0, np.nan, 0]))
    grid = np.zeros((2, 3, 6))
    grid[1, 2, 5] = -np.inf
    text = message(lambda: ur5.forward_dynamics(ZEROS, grid, ZEROS))
    assert "qd is -inf at row (1, 2), joint 6" in text


def test_nan_rows_on_request(ur5) -> None:
    q = np.zeros((5, 6))
    q[3, 0] = np.nan  # the first angle does not enter the torque of an upright arm
    tau = ur5.inverse_dynamics(q, ZEROS, ZEROS, errors="nan")
    assert np.isnan(tau[3]).all()
    assert np.isfinite(tau[[0, 1, 2, 4]]).all()
    assert np.isnan(ur5.inverse_dynamics(q[3], ZEROS, ZEROS, errors="nan")).all()
    assert np.isnan(ur5.energy(q, ZEROS, errors="nan").kinetic[3])
    assert "raise, nan" in message(lambda: ur5.inverse_dynamics(q, ZEROS, ZEROS, errors="ignore"))


def test_errors_of_shapes_and_names(ur5) -> None:
    assert "q has shape (5,)" in message(lambda: ur5.inverse_dynamics(np.zeros(5), ZEROS, ZEROS))
    assert "tip_wrench has shape (3,)" in message(
        lambda: ur5.inverse_dynamics(ZEROS, ZEROS, ZEROS, tip_wrench=np.zeros(3))
    )
    assert "do not fit" in message(
        lambda: ur5.inverse_dynamics(np.zeros((2, 6)), np.zeros((3, 6)), ZEROS)
    )
    text = message(lambda: ur5.inverse_dynamics(ZEROS, ZEROS, ZEROS, formulation="newton-eular"))
    assert "unknown formulation" in text
    assert "Did you mean 'newton-euler'" in text
    text = message(lambda: ur5.forward_dynamics(ZEROS, ZEROS, ZEROS, formulation="newton-euler"))
    assert "strobing" in text
    assert "Did you mean 'inverse_dynamics'" in message(lambda: ur5.kernel("inverse_dynamic"))
    assert "unknown option" in message(lambda: ur5.kernel("jacobian", friction=True))
    assert "three finite numbers" in message(lambda: ur5.kernel("gravity_load", gravity=[0, 0]))
    assert "None or" in message(lambda: ur5.kernel("bias", tip_wrench=[1, 2, 3, 4, 5, 6]))
    assert "puma560" in message(lambda: lw.load("puma5600"))
    assert "lw.load" in message(lambda: lw.verify("puma560"))
    assert "1 to 1000000" in message(lambda: lw.verify(ur5, states=0))


def test_options_of_wrong_types(ur5) -> None:
    state = ZEROS, ZEROS, ZEROS
    np.testing.assert_array_equal(
        ur5.inverse_dynamics(*state, friction=np.False_), ur5.inverse_dynamics(*state, friction=False)
    )
    for wrong in ("no", float("nan"), 3, None):
        assert "True and False" in message(
            lambda wrong=wrong: ur5.inverse_dynamics(*state, friction=wrong)
        )
    for wrong in ([], np.zeros(2)):
        assert "wrong type" in message(lambda wrong=wrong: ur5.inverse_dynamics(*state, friction=wrong))
    assert "wrong type" in message(lambda: ur5.inverse_dynamics(*state, formulation=["lagrange"]))
    for wrong in ("foo", object(), [[1], [2, 3]]):
        assert "three finite numbers" in message(lambda wrong=wrong: ur5.kernel("bias", gravity=wrong))
    assert "ArmModel" in message(lambda: lw.Arm(None))


def test_arms_can_be_copied_and_sent_to_other_processes(ur5) -> None:
    expected = ur5.gravity_load(ONES)
    for twin in (copy.deepcopy(ur5), copy.copy(ur5), pickle.loads(pickle.dumps(ur5))):
        np.testing.assert_array_equal(twin.gravity_load(ONES), expected)
    assert ur5.model == ur5.model
    assert hash(ur5.model)


def test_singular_mass_matrix_is_reported() -> None:
    link = {"joint": "revolute", "mass": 0, "center_of_mass": [0, 0, 0], "inertia": [0, 0, 0]}
    solid = {**link, "a": 1.0, "mass": 1.0, "inertia": [0, 0.1, 0.1]}
    arm = lw.load({"kind": "arm", "name": "no mass", "convention": "standard", "links": [solid, link]})
    text = message(lambda: arm.forward_dynamics([0, 0], [0, 0], [0, 1]))
    assert "mass matrix is singular" in text
    for name in ("composite", "articulated"):
        nothing = arm.forward_dynamics([0, 0], [0, 0], [0, 1], formulation=name, errors="nan")
        assert np.isnan(nothing).all()
    assert not lw.verify(arm, states=3).ok


def test_kernel_options(ur5) -> None:
    kernel = ur5.kernel("inverse_dynamics", friction=False, rotors=False)
    assert list(kernel.inputs) == ["q", "qd", "qdd"]
    assert list(kernel.outputs) == ["tau"]
    assert kernel is ur5.kernel("inverse_dynamics", rotors=False, friction=False)
    assert kernel.counts.flops < 450
    assert 0 < kernel.depth < kernel.counts.flops
    folded = ur5.kernel("gravity_load", gravity=[0, 0, 9.81])
    np.testing.assert_allclose(folded(ONES), -ur5.gravity_load(ONES), atol=1e-12)
    open_kernel = ur5.kernel("inverse_dynamics", tip_wrench="input", gravity="input")
    assert list(open_kernel.inputs) == ["q", "qd", "qdd", "gravity", "tip_wrench"]
    loop = kernel.bind()
    loop.q, loop.qd, loop.qdd = QN, ONES, ONES
    assert not loop()
    np.testing.assert_array_equal(
        loop.tau, ur5.inverse_dynamics(QN, ONES, ONES, friction=False, rotors=False)
    )
    assert "inverse_dynamics" in kernel.c_source()
    assert "define i32 @batch" in kernel.llvm_ir()
    assert "ur5" not in repr(kernel)
    np.testing.assert_allclose(np.array(kernel.casadi(QN, ONES, ONES))[:, 0], loop.tau, atol=1e-12)


@pytest.mark.parametrize("lanes", ["1", "2", "4", "8"])
def test_every_width_gives_the_same_torques(puma, monkeypatch, lanes) -> None:
    q, qd, qdd = puma.random_states(11, 10)
    expected = puma.inverse_dynamics(q, qd, qdd)
    accelerations = puma.forward_dynamics(q, qd, qdd)
    monkeypatch.setenv("LINKWORK_LANES", lanes)
    narrow = lw.load("puma560")
    np.testing.assert_allclose(narrow.inverse_dynamics(q, qd, qdd), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(narrow.forward_dynamics(q, qd, qdd), accelerations, rtol=1e-11)
    assert f"{lanes} lanes" in repr(narrow.kernel("inverse_dynamics"))
