"""Entry points that CPython calls: what they take, what they refuse, and what they leave behind."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import weakref

import casadi as ca
import numpy as np
import pytest

from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.kernels.abi import builtin, entry, layout
from linkwork.kernels.bound import BoundKernel
from linkwork.kernels.kernel import Results
from tests.kernels.samples import sample

RNG = np.random.default_rng(0)
# Other interpreters may lay objects out in another way; then there is nothing to test.
pytestmark = pytest.mark.skipif(not layout.layout_fits(), reason="another layout of objects")


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return sample()


def test_this_interpreter_is_understood() -> None:
    """On the machines that Linkwork is made for, the quick way must not be lost unnoticed."""
    if sys.implementation.name == "cpython" and sys.maxsize > 2**32:
        assert layout.layout_fits()


def slow(kernel: Kernel, *arrays) -> Results:
    """By the careful way, which the other tests compare with CasADi."""
    return kernel._evaluate_batch(arrays, None)[0]


WIDE = RNG.normal(size=(12, 9))
READ_ONLY = RNG.normal(size=(5, 3))
READ_ONLY.flags.writeable = False
ROW = RNG.normal(size=3)
BAD = np.array([1.0, np.nan, 2.0])


@pytest.mark.parametrize(
    "arrays",
    [
        (ROW, ROW[::-1]),
        (WIDE[:3, 4], WIDE[1, 2:8:2]),  # strided vectors
        (WIDE[4, 2:5], np.broadcast_to(WIDE[0, 0], 3)),  # stride 0
        (WIDE[:5, :3], WIDE[5:10, 3:6]),
        (WIDE[::2, 1:4], WIDE[::-2, 5:8]),  # rows forward and backward
        (READ_ONLY, ROW),
        (ROW, READ_ONLY),
        (np.broadcast_to(ROW, (5, 3)), READ_ONLY),
        (READ_ONLY[:1], READ_ONLY),  # one row serves all
        (READ_ONLY[:1], ROW),
        (RNG.normal(size=(100, 3)), RNG.normal(size=(100, 3))),  # the interpreter is handed over
        (pickle.loads(pickle.dumps(READ_ONLY)), ROW),
    ],
)
def test_taken(kernel, arrays) -> None:
    result = kernel.fast(*arrays)
    expected = slow(kernel, *arrays)
    assert isinstance(result, tuple)
    for got, want in zip(result, expected, strict=True):
        assert type(got) is np.ndarray
        assert got.flags.carray
        assert got.flags.owndata
        np.testing.assert_array_equal(got, want)
    places = [np.full(want.shape, -1.0) for want in expected]
    assert kernel.fill(*arrays, *places) is True
    for got, want in zip(places, expected, strict=True):
        np.testing.assert_array_equal(got, want)


class Subclass(np.ndarray):
    pass


REFUSED = [
    (),
    (ROW,),
    (ROW, ROW, ROW),
    (list(ROW), ROW),
    (ROW, tuple(ROW)),
    (None, ROW),
    (1.0, ROW),
    (np.float64(1.0), ROW),
    (ROW.astype(np.float32), ROW),
    (ROW.astype(np.int64), ROW),
    (ROW.astype(complex), ROW),
    (ROW.astype(">f8"), ROW),
    (ROW.astype(object), ROW),
    (ROW[:2], ROW),
    (np.zeros(4), ROW),
    (np.zeros(()), ROW),
    (np.zeros((0, 3)), ROW),
    (np.zeros((2, 2, 3)), ROW),
    (np.zeros((2, 4)), ROW),
    (np.zeros((2, 3)), np.zeros((4, 3))),
    (np.zeros((4, 3)), np.zeros((2, 3))),
    (np.asfortranarray(np.zeros((4, 3))), ROW),
    (np.zeros((4, 6))[:, ::2], ROW),
    (ROW.view(Subclass), ROW),
    (np.ma.masked_array(ROW), ROW),
    (np.frombuffer(bytes(25), dtype=np.uint8)[1:].view(np.float64), ROW),  # not aligned
    (np.zeros((3, 25), dtype=np.uint8)[:, :24].view(np.float64), ROW),  # rows at odd distances
    (BAD, ROW),
    (np.array([1.0, np.inf, 2.0]), ROW),
    (np.zeros((10**7, 3))[:: 10**6].repeat(1, 0), np.zeros((2, 3))),
]


@pytest.mark.parametrize("arrays", REFUSED, ids=range(len(REFUSED)))
def test_refused(kernel, arrays) -> None:
    """Whatever is unusual is left to the careful way."""
    assert kernel.fast(*arrays) is None


def test_too_many_rows_are_for_threads(kernel) -> None:
    rows = machine_limit(kernel) + 1
    x = np.zeros((rows, 3)) + 0.5
    assert kernel.fast(x, x) is None
    assert kernel.fast(x[1:], x[1:]) is not None


def machine_limit(kernel: Kernel) -> int:
    return int(kernel.fast.__self__.max_rows)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "change",
    [
        lambda parts, same: (parts,),
        lambda parts, same: (parts, same, same),
        lambda parts, same: (parts, same.astype(np.float32)),
        lambda parts, same: (parts, same[:4]),
        lambda parts, same: (parts, same[0]),
        lambda parts, same: (parts, same[:, :2]),
        lambda parts, same: (parts, np.asfortranarray(same)),
        lambda parts, same: (parts, np.broadcast_to(same[0], (5, 3))),
        lambda parts, same: (parts, same.view(Subclass)),
        lambda parts, same: (parts, same.tolist()),
        lambda parts, same: (same, parts),
    ],
)
def test_arrays_for_results_that_are_refused(kernel, change) -> None:
    results = [np.zeros((5, *shape)) for shape in kernel.outputs.values()]
    assert kernel.fill(READ_ONLY, ROW, *change(*results)) is None
    with pytest.raises(InputError, match="out"):
        kernel(READ_ONLY, ROW, out=change(*results))


@pytest.mark.parametrize(
    ("rows", "place", "taken"),
    [
        (slice(0, 30), slice(30, 60), True),
        (slice(30, 60), slice(0, 30), True),
        (slice(0, 30), slice(29, 59), False),
        (slice(0, 30), slice(0, 30), False),
        (slice(29, None, -1), slice(30, 60), True),
        (slice(59, 29, -1), slice(30, 60), False),
        (slice(0, 1), slice(0, 1), True),  # one row is read before it is written
    ],
)
def test_results_in_the_memory_of_inputs(rows, place, taken) -> None:
    x = ca.SX.sym("x", 2)
    kernel = Kernel(ca.Function("f", [x], [2 * x], ["x"], ["y"]), ((2,),))
    memory = RNG.normal(size=(60, 2))
    before = memory.copy()
    assert kernel.fill(memory[rows], memory[place]) is (True if taken else None)
    memory = before.copy()
    kernel(memory[rows], out=memory[place])
    np.testing.assert_array_equal(memory[place], 2 * before[rows])


def test_fill_tells_of_nonfinite_numbers(kernel) -> None:
    results = [np.zeros(shape) for shape in kernel.outputs.values()]
    assert kernel.fill(BAD, ROW, *results) is False
    assert np.isnan(results[1][1])


def test_keywords_are_an_error(kernel) -> None:
    with pytest.raises(TypeError):
        kernel.fast(ROW, y=ROW)


def test_out(kernel) -> None:
    results = tuple(np.zeros((5, *shape)) for shape in kernel.outputs.values())
    returned = kernel(READ_ONLY.tolist(), ROW, out=results)
    assert all(a is b for a, b in zip(returned, results, strict=True))
    np.testing.assert_array_equal(results[1], READ_ONLY)
    x = ca.SX.sym("x", 2)
    single = Kernel(ca.Function("f", [x], [2 * x], ["x"], ["y"]), ((2,),))
    given = RNG.normal(size=(30, 2))
    before = given.copy()
    assert single(given, out=given) is given  # in place
    np.testing.assert_array_equal(given, 2 * before)
    long = np.concatenate([before, before])
    single(long[:30], out=long[1:31])  # overlapping rows count as they were before
    np.testing.assert_array_equal(long[1:31], 2 * before)
    with pytest.raises(InputError, match=r"float64 array of shape \(30, 2\) in C order"):
        single(before, out=[0.0] * 30)


def test_scalars_per_state_have_no_axis() -> None:
    x = ca.SX.sym("x", 2)
    kernel = Kernel(ca.Function("f", [x], [x[0] * x[1], x], ["x"], ["product", "same"]), ((), (2,)))
    product, _ = kernel.fast(np.array([2.0, 3.0]))
    assert (product.shape, float(product)) == ((), 6.0)
    assert kernel.fast(np.ones((4, 2)))[0].shape == (4,)


def test_a_kernel_with_too_many_inputs_takes_the_careful_way() -> None:
    size = entry.MOST_INPUTS + 1
    x = ca.SX.sym("x", size)
    kernel = Kernel(ca.Function("f", [x], [2 * x[0]], ["x"], ["y"]), ((1,),))
    assert kernel.fast(np.ones(size)) is None
    assert kernel(np.ones(size)) == [2.0]
    assert kernel.bind()(np.ones(size)) is False


def test_without_builtin_functions_numbers_are_the_same(monkeypatch, kernel) -> None:
    expected = kernel(READ_ONLY, ROW)
    monkeypatch.setattr(builtin, "layout_fits", lambda: False)
    plain = sample()
    assert plain.fast(READ_ONLY, ROW) is None
    for got, want in zip(plain(READ_ONLY, ROW), expected, strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(InputError, match="not finite"):
        plain(BAD, ROW)


def test_another_layout_is_noticed(monkeypatch) -> None:
    for name in ("DATA", "DIMENSIONS", "STRIDES", "FLAGS", "DESCRIPTION", "TYPE_NUMBER"):
        with monkeypatch.context() as changed:
            changed.setattr(layout, name, getattr(layout, name) + 8)
            assert not layout.layout_fits.__wrapped__(), name


def test_a_function_alone_keeps_its_code_alive() -> None:
    x = ca.SX.sym("x", 2)
    kernel = Kernel(ca.Function("f", [x], [3 * x], ["x"], ["y"]), ((2,),))
    function, code = kernel.fast, weakref.ref(kernel.code)
    del kernel
    gc.collect()
    np.testing.assert_array_equal(function(np.ones(2)), [3.0, 3.0])
    assert code() is not None
    del function
    gc.collect()
    assert code() is None


def exercise(kernel: Kernel, loop: BoundKernel, results: list[np.ndarray], times: int) -> None:
    """Every way through the entry points, with the same objects: NumPy's zeros() leaks one by itself."""
    batch, bad = READ_ONLY, BAD
    fast, fill = kernel.fast, kernel.fill
    for _ in range(times):
        fast(ROW, ROW)
        fast(batch, ROW)
        fast(bad, ROW)
        fast(None, ROW)
        fill(batch, ROW, *results)
        fill(bad, ROW, *results)
        loop()


def check_references(kernel: Kernel, times: int) -> None:
    watched = [ROW, READ_ONLY, BAD, np.ndarray, np.dtype(np.float64), kernel.fast, kernel.fill]
    same = kernel, kernel.bind(), [np.zeros((5, *shape)) for shape in kernel.outputs.values()]
    exercise(*same, 10)
    gc.collect()
    before = [sys.getrefcount(each) for each in watched]
    blocks = sys.getallocatedblocks()
    exercise(*same, times)
    gc.collect()
    assert [sys.getrefcount(each) for each in watched] == before
    assert abs(sys.getallocatedblocks() - blocks) < 100
    if sys.version_info < (3, 12):  # they are immortal later
        counts = [sys.getrefcount(each) for each in (None, True, False)]
        exercise(*same, times)
        after = [sys.getrefcount(each) for each in (None, True, False)]
        assert all(abs(a - b) < 50 for a, b in zip(counts, after, strict=True))


def test_reference_counts(kernel) -> None:
    check_references(kernel, 5000)


@pytest.mark.long
def test_reference_counts_and_memory_of_ten_million_calls(kernel) -> None:
    resource = pytest.importorskip("resource")
    check_references(kernel, 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    check_references(kernel, 1_500_000)  # seven calls each
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 4096  # KiB; one leaked array of each call would be hundreds of MB


def test_threads_that_call(kernel) -> None:
    data = RNG.normal(size=(4, 500, 2, 3))
    wrong = []

    def work(block) -> None:
        for x, y in block:
            if not np.array_equal(kernel.fast(x, y)[1], x):
                wrong.append(x)

    workers = [threading.Thread(target=work, args=(block,)) for block in data]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_kernels_pickle(kernel) -> None:
    again = pickle.loads(pickle.dumps(kernel))
    for got, want in zip(again(ROW, ROW), kernel(ROW, ROW), strict=True):
        np.testing.assert_array_equal(got, want)
    assert again.inputs == kernel.inputs
    assert again.outputs == kernel.outputs
