"""dtype="float32": the same methods in single precision, against double precision."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError
from tests.every_method import states

# Of the largest number of a result: seven digits, less what a robot's own arithmetic cancels.
CLOSE = 5e-6
METHODS = {
    "inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "bias": 2, "gravity_load": 1,
    "jacobian": 1, "energy": 2,
}  # fmt: skip


def inputs(robot: lw.Robot, method: str, rows: int) -> list[np.ndarray]:
    """States of a batch, rounded to single precision."""
    drawn = states(robot, rows)
    last = "tau" if method == "forward_dynamics" else "cdd"
    return [drawn[name].astype(np.float32) for name in ("c", "cd", last)][: METHODS[method]]


@pytest.mark.parametrize("name", ["planar-2r", "stanford", "dasgupta1998", "delta", "palletizer"])
def test_methods_of_all_kinds_of_robots(name: str) -> None:
    robot = lw.load(name)
    for method in METHODS:
        single = inputs(robot, method, 37)
        exact = getattr(robot, method)(*[each.astype(float) for each in single])
        found = getattr(robot, method)(*single, dtype="float32")
        for x, y in zip(np.atleast_1d(exact), np.atleast_1d(found), strict=True):
            assert y.dtype == np.float32
            assert np.abs(x - y).max() <= CLOSE * np.abs(x).max()


ARM = lw.load("planar-2r")


def test_kernels_take_and_give_single_precision() -> None:
    q, qd, qdd = inputs(ARM, "inverse_dynamics", 5)
    kernel = ARM.kernel("inverse_dynamics", dtype=np.float32)
    assert kernel is ARM.kernel("inverse_dynamics", dtype="float32")
    assert kernel is not ARM.kernel("inverse_dynamics")
    assert kernel.dtype == np.float32
    assert "float32" in repr(kernel)
    expected = kernel(q, qd, qdd)
    ways = {
        "one state": np.stack([kernel(*state) for state in zip(q, qd, qdd, strict=True)]),
        "doubles": kernel(q.astype(float), qd, qdd.tolist()),
        "strides": kernel(q[::-1].copy()[::-1], np.asfortranarray(qd), qdd),
        "two batch axes": kernel(*(each[:, None] for each in (q, qd, qdd)))[:, 0],
        "a copy": pickle.loads(pickle.dumps(kernel))(q, qd, qdd),
        "out": kernel(q, qd, qdd, out=np.empty_like(q)),
        "in place": kernel(q, qd, held := qdd.copy(), out=held),
    }
    for way, found in ways.items():
        np.testing.assert_array_equal(found, expected, err_msg=way)
        assert found.dtype == np.float32, way
    loop = kernel.bind()
    loop.q, loop.qd, loop.qdd = q[0], qd[0], qdd[0]
    assert loop.tau.dtype == np.float32
    assert not loop()
    np.testing.assert_array_equal(loop.tau, expected[0])


def test_large_batches_are_divided_and_agree_with_small_ones() -> None:
    arrays = [np.resize(each, (150_001, 2)) for each in inputs(ARM, "inverse_dynamics", 1009)]
    found = ARM.inverse_dynamics(*arrays, dtype="float32")
    few = ARM.inverse_dynamics(*(each[:1009] for each in arrays), dtype="float32")
    np.testing.assert_array_equal(found, np.resize(few, found.shape))


def test_nonfinite_numbers_are_told() -> None:
    q, qd, qdd = inputs(ARM, "inverse_dynamics", 5)
    qd[3, 1] = np.nan
    with pytest.raises(InputError, match=r"inverse_dynamics: qd .*row 3"):
        ARM.inverse_dynamics(q, qd, qdd, dtype="float32")
    found = ARM.inverse_dynamics(q, qd, qdd, dtype="float32", errors="nan")
    assert np.isnan(found).all(axis=1).tolist() == [False, False, False, True, False]


@pytest.mark.parametrize("dtype", ["float16", "single precision", None, int, 1])
def test_other_precisions_are_refused(dtype) -> None:
    message = r"dtype = .*: expected float64 or float32\."
    with pytest.raises(InputError, match=message):
        ARM.kernel("inverse_dynamics", dtype=dtype)
    with pytest.raises(InputError, match=message):
        ARM.inverse_dynamics(np.zeros(2), np.zeros(2), np.zeros(2), dtype=dtype)
