"""Large results written past the caches hold the same numbers as small ones."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from linkwork.kernels import Kernel, abi
from linkwork.kernels.machine import host
from linkwork.kernels.row_loops import WORTHWHILE_BYTES, streams
from linkwork.kernels.threads import set_threads

LENGTHS = (450, 67)
ROWS = WORTHWHILE_BYTES // (8 * sum(LENGTHS)) + 8 + 3  # the last block is not whole


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 2)
    first = ca.vertcat(*[x[k % 3] + k if k % 5 else ca.SX(0) for k in range(LENGTHS[0])])
    second = ca.vertcat(*[y[k % 2] * x[k % 3] - k for k in range(LENGTHS[1])])
    function = ca.Function("wide", [x, y], [first, second], ["x", "y"], ["first", "second"])
    shapes = ((LENGTHS[0],), (LENGTHS[1],))
    assert streams(LENGTHS, host()) == ("linux" in host().triple)
    return Kernel(function, shapes)


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(ROWS, 3)), rng.normal(size=(ROWS, 2))


@pytest.fixture(scope="module")
def expected(kernel, arrays) -> tuple[np.ndarray, ...]:
    """In parts, each of which is small."""
    places = [slice(start, start + 100) for start in range(0, ROWS, 100)]
    parts = [kernel(*(array[place] for array in arrays)) for place in places]
    return tuple(np.concatenate([part[k] for part in parts]) for k in range(2))


@pytest.fixture(params=[1, 2])
def threads(request):
    set_threads(request.param)
    yield request.param
    set_threads(None)


def test_fresh_results(kernel, arrays, expected, threads) -> None:
    for got, wanted in zip(kernel(*arrays), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_arrays_of_the_caller(kernel, arrays, expected, shift, threads) -> None:
    """Those that do not begin with a cache line too; nothing is written beside them."""
    memories = [abi.empty((shift + ROWS * length + 9,)) for length in LENGTHS]
    for each in memories:
        each[:] = 7.0
    out = tuple(
        each[shift : shift + ROWS * length].reshape(ROWS, length)
        for each, length in zip(memories, LENGTHS, strict=True)
    )
    kernel(*arrays, out=out)
    for got, wanted, each in zip(out, expected, memories, strict=True):
        np.testing.assert_array_equal(got, wanted)
        assert (each[:shift] == 7.0).all()
        assert (each[shift + got.size :] == 7.0).all()


def test_rows_in_any_order_and_one_for_all(kernel, arrays) -> None:
    x, y = arrays
    first, second = kernel(x[::-1], y[5])
    np.testing.assert_array_equal(first[:, 1], x[::-1, 1] + 1)
    np.testing.assert_array_equal(second[:, 4], y[5, 0] * x[::-1, 1] - 4)


@pytest.mark.parametrize("row", [0, 1234, ROWS - 1])
def test_a_number_that_is_not_finite_is_seen(kernel, arrays, row, threads) -> None:
    x = arrays[0].copy()
    assert not kernel.evaluate(arrays)[1]
    x[row, 2] = np.nan
    assert kernel.evaluate((x, arrays[1]))[1]
