"""Kernels against CasADi's own evaluation: widths, tails, shapes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError, KernelError
from linkwork.kernels import Kernel, lowering
from linkwork.kernels.machine import LANES_VARIABLE, host, natural_lanes
from tests.kernels.samples import reference, sample

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("lanes", "doubled"), [(1, False), (2, False), (4, False), (4, True), (8, False)]
)
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7, 9])
def test_widths_tails_and_columns(monkeypatch, lanes: int, doubled: bool, rows: int, size: int) -> None:
    monkeypatch.setattr(lowering, "DOUBLED_OUTPUTS", 1000)
    kernel = sample(lanes, size, doubled)
    x, y = RNG.normal(size=(2, rows, size))
    parts, same = kernel(x, y)
    np.testing.assert_allclose(parts, reference(kernel, x, y), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(same, x)


@pytest.mark.parametrize(("lanes", "doubled"), [(2, False), (4, False), (4, True), (8, False)])
@pytest.mark.parametrize("rows", [1, 3, 5, 9, 11])
def test_rows_after_the_end_are_not_written(monkeypatch, lanes: int, doubled: bool, rows: int) -> None:
    """Guard rows stand after the rows that the machine code is asked for, and it is called directly."""
    monkeypatch.setattr(lowering, "DOUBLED_OUTPUTS", 1000)
    guards = 8
    kernel = sample(lanes, doubled=doubled)
    x, y = RNG.normal(size=(2, rows, 3))
    results = [np.full((rows + guards, *shape), -7.0) for shape in kernel.outputs.values()]
    words = [x.ctypes.data, 3, y.ctypes.data, 3, *(result.ctypes.data for result in results)]
    packet = (ctypes.c_int64 * len(words))(*words)
    assert kernel.code.batch(ctypes.addressof(packet), 0, rows) == 0
    np.testing.assert_array_equal(results[1][:rows], x)
    for result in results:
        np.testing.assert_array_equal(result[rows:], -7.0)


def test_broadcasting_strides_and_types() -> None:
    kernel = sample()
    x, y = RNG.normal(size=(4, 5, 3)), RNG.normal(size=(5, 3))
    expected = np.array([reference(kernel, row, y) for row in x])
    np.testing.assert_allclose(kernel(x, y)[0], expected, rtol=1e-14, atol=1e-15)
    wide = np.asfortranarray(RNG.normal(size=(7, 6)))
    sliced = wide[::2, ::2]
    np.testing.assert_allclose(
        kernel(sliced, y[0])[0], reference(kernel, sliced, y[0]), rtol=1e-14, atol=1e-15
    )
    read_only = np.broadcast_to(y[0], (4, 3))
    np.testing.assert_allclose(
        kernel(x[:, 0], read_only)[0], reference(kernel, x[:, 0], y[:1]), rtol=1e-14, atol=1e-15
    )
    integers = kernel([1, 2, 3], np.array([1, 2, 3], dtype=np.float32))[1]
    assert integers.dtype == np.float64
    np.testing.assert_array_equal(integers, [1.0, 2.0, 3.0])
    assert kernel(np.zeros((0, 3)), y[0])[0].shape == (0, kernel.outputs["parts"][0])


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (([1.0, 2.0], [1.0, 2.0, 3.0]), ["x has shape (2,)", "must be 3"]),
        ((1.0, [1.0, 2.0, 3.0]), ["x has shape ()"]),
        ((np.zeros((2, 3)), np.zeros((4, 3))), ["do not fit together", "x (2, 3)", "y (4, 3)"]),
        ((np.zeros(3),), ["1 arrays were given", "x, y"]),
        ((["a", "b", "c"], np.zeros(3)), ["x is not an array of real numbers"]),
        ((np.zeros(3, dtype=complex), np.zeros(3)), ["x is not an array of real numbers"]),
        (([[1.0], [1.0, 2.0]], np.zeros(3)), ["x is not an array of real numbers"]),
        ((np.array([1.0, np.nan, 2.0]), np.ones(3)), ["not finite"]),
    ],
)
def test_bad_arrays(arrays, words) -> None:
    with pytest.raises(InputError) as caught:
        sample()(*arrays)
    for word in words:
        assert word in str(caught.value)


def test_unused_input_that_is_not_finite_is_noticed() -> None:
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 1)
    function = ca.Function("f", [x, y], [2 * x[0] + ca.sign(y)], ["x", "y"], ["z"])
    kernel = Kernel(function, ((1,),))
    assert kernel([1.0, 5.0], [3.0]) == [3.0]
    for bad in (([1.0, np.nan], [3.0]), ([1.0, 5.0], [np.nan]), ([1.0, 5.0], [np.inf])):
        with pytest.raises(InputError):
            kernel(*bad)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_every_output_is_watched(wrong) -> None:
    """Constants and repeated outputs are not, since they tell nothing new."""
    x = ca.SX.sym("x", 11)
    outputs = ca.vertcat(1.0, x, 0.0, 3 * x[0], x[4], 0.0)
    kernel = Kernel(ca.Function("f", [x], [outputs], ["x"], ["y"]), ((outputs.numel(),),))
    good = np.ones((7, 11))
    assert not kernel.evaluate((good,))[1]
    for k in range(11):
        bad = good.copy()
        bad[5, k] = wrong
        assert kernel.evaluate((bad,))[1]
    constant = ca.vertcat(wrong, x[0])
    assert Kernel(ca.Function("f", [x], [constant], ["x"], ["y"]), ((2,),)).evaluate((good,))[1]


def test_infinite_divisor_is_noticed() -> None:
    x = ca.SX.sym("x", 2)
    kernel = Kernel(ca.Function("f", [x], [x[0] / x[1] + ca.atan(x[1])], ["x"], ["y"]), ((1,),))
    with pytest.raises(InputError):
        kernel([1.0, np.inf])


def test_functions_that_do_not_fit_are_refused() -> None:
    x, m = ca.SX.sym("x", 6), ca.MX.sym("m", 2)
    for function, shapes, word in (
        (ca.Function("f", [x], [x]), ((1,),), "6 elements"),
        (ca.Function("f", [x], [x]), ((7,),), "6 elements"),
        (ca.Function("f", [x], [ca.diag(x)]), ((6, 6),), "sparse"),
        (ca.Function("f", [x], [x]), (), "0 output shapes for 1"),
        (ca.Function("f", [ca.reshape(x, 2, 3)], [x]), ((6,),), "not a dense column"),
        (ca.Function("f", [m], [m]), ((2,),), "only SX"),
    ):
        with pytest.raises(KernelError, match=word):
            Kernel(function, shapes)
    named = Kernel(ca.Function("f", [x], [2 * x], ["kernel"], ["y"]), ((6,),))
    with pytest.raises(KernelError, match="named 'kernel'"):
        named.bind()


def test_counts_depth_and_sharing() -> None:
    x = ca.SX.sym("x", 2)
    a, b = x[0], x[1]
    once, again = a * b + 1, b * a + 1  # equal values, written twice
    function = ca.Function("f", [x], [ca.vertcat(once * ca.sqrt(again), ca.sin(a) * ca.cos(a), a / b)])
    kernel = Kernel(function, ((3,),))
    counts = kernel.counts
    assert (counts.multiplications, counts.additions) == (3, 1)
    assert (counts.divisions, counts.square_roots, counts.sine_cosines) == (1, 1, 1)
    assert kernel.traced_counts.multiplications == 4
    assert counts.flops == 4
    assert kernel.depth == 4


@pytest.mark.parametrize("libm", [False, True])
@pytest.mark.parametrize("single", [False, True])
def test_c_source_computes_the_same(single, libm, tmp_path) -> None:
    kernel = sample()  # every operation that there is
    source = kernel.c_source("every", single=single, libm=libm)
    assert "int every(const" in source
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("the text was made; compiling it needs a C compiler")
    (tmp_path / "kernel.c").write_text(source)
    library = tmp_path / "kernel.so"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    subprocess.run(
        [compiler, *strict, "-shared", "-fPIC", "-O1", "kernel.c", "-o", str(library), "-lm"],
        cwd=tmp_path,
        check=True,
    )
    kind = np.float32 if single else np.float64
    call = ctypes.CDLL(str(library)).every
    for x, y in RNG.normal(size=(20, 2, 3)).astype(kind):
        parts, same = np.empty(kernel.outputs["parts"], kind), np.empty(3, kind)
        status = call(*[a.ctypes.data_as(ctypes.c_void_p) for a in (x, y, parts, same)])
        wanted, _ = kernel(x, y)
        assert status == 0
        tolerance = 1e-6 if single else 1e-14
        np.testing.assert_allclose(parts, wanted, rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(same, x)


def test_lanes_variable(monkeypatch) -> None:
    monkeypatch.setenv(LANES_VARIABLE, "2")
    assert host().lanes == 2
    monkeypatch.setenv(LANES_VARIABLE, "3")
    with pytest.raises(KernelError, match="1, 2, 4, 8"):
        host()


@pytest.mark.parametrize(
    ("features", "lanes"),
    [({}, 2), ({"sse2": True}, 2), ({"avx": True}, 4), ({"avx": True, "avx512f": True}, 8)],
)
def test_natural_width(features, lanes) -> None:
    assert natural_lanes(features) == lanes


def test_twice_the_lanes_where_divisions_wait() -> None:
    """Forward dynamics of arms, and nothing that other rules would make slower."""
    target = replace(host(), lanes=4, doubled=True)
    for robot, method, doubled in (
        ("ur5", "forward_dynamics", True),
        ("ur5", "inverse_dynamics", False),
        ("ur5", "mass_matrix", False),
        ("dasgupta1998", "forward_dynamics", False),
    ):
        graph = lw.load(robot).kernel(method).graph
        text = lowering.assembly(graph, target)
        assert ("@wide" in text) is doubled
        assert ("<8 x double>" in text) is doubled


def test_unknown_operation_is_refused() -> None:
    x = ca.SX.sym("x")
    with pytest.raises(KernelError, match="has no machine code"):
        Kernel(ca.Function("f", [x], [ca.erf(x)]), ((1,),))


def test_long_graphs_are_cut_into_blocks(monkeypatch) -> None:
    """Values live across the cuts."""
    monkeypatch.setattr("linkwork.kernels.lowering.LONG", 100)
    monkeypatch.setattr("linkwork.kernels.lowering.BLOCK", 30)
    x = ca.SX.sym("x", 40)
    values = [x[k] for k in range(40)]
    for k in range(200):
        values.append(0.5 * values[-1] + values[-40] * ca.sin(x[k % 40]))
    function = ca.Function("long", [x], [ca.vertcat(*values[-3:])], ["x"], ["y"])
    kernel = Kernel(function, ((3,),), optimize=False)
    rows = RNG.uniform(-0.4, 0.4, (11, 40))
    expected = np.array([np.array(function(row))[:, 0] for row in rows])
    np.testing.assert_allclose(kernel(rows), expected, rtol=1e-12, atol=1e-15)
