"""Calls of robots: the quick way and the careful one give, take and refuse the same."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError

RNG = np.random.default_rng(0)
ARM, PLATFORM = lw.load_arm("puma560"), lw.load_platform("dasgupta1998")
STATE = {ARM: tuple(RNG.normal(size=(3, 6))), PLATFORM: (PLATFORM.home, *RNG.normal(size=(2, 6)))}
# Methods that return one array, with the number of their state arguments.
ARRAYS = {
    ARM: {
        "inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "coriolis_matrices": 1,
        "gravity_load": 1, "bias": 2, "forward_kinematics": 1, "link_frames": 1, "jacobian": 1,
        "jacobian_dot": 2, "joint_wrenches": 3, "regressor": 3,
    },
    PLATFORM: {
        "inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "gravity_load": 1, "bias": 2,
        "jacobian": 1, "leg_lengths": 1, "inverse_kinematics": 1, "regressor": 3,
    },
}  # fmt: skip
CASES = [(robot, method, count) for robot in ARRAYS for method, count in ARRAYS[robot].items()]
NAMES = [f"{robot.name}-{method}" for robot, method, _ in CASES]


@pytest.mark.parametrize(("robot", "method", "count"), CASES, ids=NAMES)
def test_out_takes_the_result(robot, method, count) -> None:
    call, arrays = getattr(robot, method), STATE[robot][:count]
    expected = call(*arrays)
    place = np.zeros_like(expected)
    assert call(*arrays, out=place) is place
    np.testing.assert_array_equal(place, expected)
    rows = tuple(np.stack([array] * 5) for array in arrays)
    place = np.zeros((5, *expected.shape))
    assert call(*rows, out=place) is place
    np.testing.assert_array_equal(place, np.stack([expected] * 5))
    for wrong in (place[:4], place.astype(np.float32), place.tolist()):
        with pytest.raises(InputError, match=r"out .*expected a writeable float64 array of shape \(5"):
            call(*rows, out=wrong)


@pytest.mark.parametrize("robot", [ARM, PLATFORM], ids=["arm", "platform"])
def test_all_methods_that_take_out_are_listed(robot) -> None:
    functions = inspect.getmembers(type(robot), inspect.isfunction)
    public = {name: inspect.signature(function) for name, function in functions if name[0] != "_"}
    assert {name for name, signature in public.items() if "out" in signature.parameters} == {
        *ARRAYS[robot]
    }


@pytest.mark.parametrize("robot", [ARM, PLATFORM], ids=["arm", "platform"])
@pytest.mark.parametrize("method", ["inverse_dynamics", "forward_dynamics", "bias"])
def test_flags_are_flags_before_and_after_a_call(robot, method) -> None:
    call, arrays = getattr(robot, method), STATE[robot][: ARRAYS[robot][method]]
    for flag in (True, False):
        expected = call(*arrays, friction=flag)
        np.testing.assert_array_equal(call(*arrays, friction=np.bool_(flag)), expected)
        for wrong in (int(flag), float(flag), "no", None, [flag]):
            for errors in ("raise", "nan"):
                with pytest.raises(InputError, match=r"friction|an option is of a wrong type"):
                    call(*arrays, friction=wrong, errors=errors)


def test_options_are_not_mixed_up() -> None:
    arrays = STATE[ARM]
    kinds = [(f, r, name) for f in (True, False) for r in (True, False) for name in (None, "lagrange")]
    for _ in range(2):  # made, then remembered
        for friction, rotors, formulation in kinds:
            options = {"friction": friction, "rotors": rotors}
            expected = ARM.kernel("inverse_dynamics", **options, formulation=formulation)(*arrays)
            got = ARM.inverse_dynamics(*arrays, **options, formulation=formulation)
            np.testing.assert_array_equal(got, expected)


def test_unusual_arrays_after_usual_ones() -> None:
    q, qd, qdd = STATE[ARM]
    expected = ARM.inverse_dynamics(q, qd, qdd)
    np.testing.assert_array_equal(ARM.inverse_dynamics(list(q), tuple(qd), qdd), expected)
    np.testing.assert_array_equal(ARM.inverse_dynamics(q.astype(">f8"), qd, qdd), expected)
    block = ARM.inverse_dynamics(np.broadcast_to(q, (2, 3, 6)), qd, qdd)
    np.testing.assert_array_equal(block, np.broadcast_to(expected, (2, 3, 6)))
    with pytest.raises(InputError, match="unknown formulation"):
        ARM.inverse_dynamics(q, qd, qdd, formulation="newton")
    with pytest.raises(InputError, match="wrong type"):
        ARM.inverse_dynamics(q, qd, qdd, formulation=["lagrange"])
    with pytest.raises(InputError, match=r"qd is nan, joint 2 \(shoulder\)"):
        ARM.inverse_dynamics(q, np.where(np.arange(6) == 1, np.nan, qd), qdd)


def test_poses_of_six_and_seven_numbers_take_turns() -> None:
    pose, twist, acceleration = STATE[PLATFORM]
    upright = np.concatenate([pose[:3], [0.0, 0.1, 0.0]])
    seven = np.concatenate([pose[:3], [np.cos(0.05), 0.0, np.sin(0.05), 0.0]])
    for _ in range(3):
        by_angles = PLATFORM.inverse_dynamics(upright, twist, acceleration)
        by_quaternion = PLATFORM.inverse_dynamics(seven, twist, acceleration)
        np.testing.assert_allclose(by_angles, by_quaternion, rtol=1e-12)


def test_a_subclass_keeps_its_own_method() -> None:
    class Doubled(lw.Arm):
        def inverse_dynamics(self, *arrays, **options):
            return 2 * super().inverse_dynamics(*arrays, **options)

    q, qd, qdd = STATE[ARM]
    arm = Doubled(ARM.model)
    for _ in range(2):
        np.testing.assert_array_equal(
            arm.inverse_dynamics(q, qd, qdd), 2 * ARM.inverse_dynamics(q, qd, qdd)
        )
