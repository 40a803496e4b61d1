"""Kernels as WebAssembly: the same numbers as the machine code."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.core.errors import KernelError
from linkwork.kernels import Kernel
from linkwork.kernels.graph import Graph, GraphBuilder
from linkwork.kernels.wasm import wasm_module
from linkwork.kernels.wasm.encoding import signed, unsigned
from tests.kernels.random_graphs import INPUTS, Doubtful, bounded_outputs, graphs
from tests.kernels.samples import sample
from tests.kernels.wasm_engine import Engine


def both(kernel: Kernel, arrays: list[Any]) -> tuple[Any, Any, bool, bool]:
    """Rows of results by WebAssembly and by machine code, and their flags."""
    rows = len(arrays[0])
    width = sum(math.prod(shape) for shape in kernel.outputs.values())
    engine = Engine(wasm_module({"kernel": kernel.graph}))
    found, flag = engine.run("kernel", np.concatenate(arrays, axis=1), width)
    native, nonfinite = kernel.evaluate(tuple(arrays))
    native = native if isinstance(native, tuple) else (native,)
    return found, np.concatenate([each.reshape(rows, -1) for each in native], axis=1), flag, nonfinite


def test_every_operation() -> None:
    kernel = sample()
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 6)) * rng.choice([0.1, 1.0, 10.0], size=(200, 1))
    found, native, flag, nonfinite = both(kernel, [rows[:, :3], rows[:, 3:]])
    np.testing.assert_allclose(found, native, rtol=1e-14, atol=1e-300)
    assert not flag
    assert not nonfinite


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("column", range(6))
def test_flags_of_nonfinite_inputs_agree(wrong: float, column: int) -> None:
    rows = np.random.default_rng(2).normal(size=(3, 6))
    rows[1, column] = wrong
    *_, flag, nonfinite = both(sample(), [rows[:, :3], rows[:, 3:]])
    assert flag
    assert nonfinite


def test_sine_and_cosine_of_any_angle() -> None:
    x = ca.SX.sym("x", 1)
    kernel = Kernel(ca.Function("pair", [x], [ca.vertcat(ca.sin(x), ca.cos(x))], ["x"], ["y"]), ((2,),))
    quarters = np.arange(-40, 41) * np.pi / 2
    angles = np.concatenate([quarters, np.nextafter(quarters, 9e9), [1e6, 1.0000001e6, -1e15, 1e300]])
    found, *_ = both(kernel, [angles[:, None]])
    expected = np.array([[math.sin(angle), math.cos(angle)] for angle in angles])
    np.testing.assert_allclose(found, expected, rtol=4e-16, atol=0)


@settings(max_examples=60)
@given(graphs(), st.lists(st.floats(-4, 4), min_size=INPUTS, max_size=INPUTS))
def test_random_graphs_are_right_within_rounding(graph: Graph, inputs: list[float]) -> None:
    try:
        expected = bounded_outputs(graph, inputs)
    except Doubtful:
        return
    found, flag = Engine(wasm_module({"g": graph})).run("g", np.array([inputs]), len(expected))
    assert not flag
    for value, (right, bound) in zip(found[0], expected, strict=True):
        assert abs(value - right) <= 8 * bound + 1e-300


def test_several_kernels_share_a_module() -> None:
    arm = lw.load("ur5")
    names = ("inverse_dynamics", "gravity_load", "forward_kinematics")
    kernels = {name: arm.kernel(name) for name in names}
    module = wasm_module({name: kernel.graph for name, kernel in kernels.items()})
    assert len(module) < 4000
    engine = Engine(module)
    motion = np.random.default_rng(3).normal(size=(3, 5, 6))
    for name, kernel in kernels.items():
        arrays = motion[: len(kernel.inputs)]
        width = math.prod(next(iter(kernel.outputs.values())))
        found, _ = engine.run(name, np.concatenate(arrays, axis=1), width)
        native = np.asarray(kernel(*arrays)).reshape(5, -1)
        assert np.abs(found - native).max() <= 1e-14 * np.abs(native).max()


def test_no_rows_and_many_rows() -> None:
    kernel = lw.load("ur5").kernel("gravity_load")
    engine = Engine(wasm_module({"g": kernel.graph}))
    assert engine.run("g", np.empty((0, 6)), 6)[1] is False
    rows = np.random.default_rng(4).normal(size=(20_000, 6))
    native = kernel(rows)
    np.testing.assert_allclose(engine.run("g", rows, 6)[0], native, rtol=0, atol=1e-13)


def test_deep_chains_do_not_nest_deeply() -> None:
    builder = GraphBuilder()
    value = builder.node("input", value=(0, 0))
    for k in range(5000):
        value = builder.binary("add", builder.unary("sqrt", value), builder.constant(1.0 + k))
    graph = Graph(tuple(builder.nodes), ("x",), (1,), ("y",), ((1,),), ((value,),))
    found, _ = Engine(wasm_module({"g": graph})).run("g", np.array([[2.0]]), 1)
    expected = 2.0
    for k in range(5000):
        expected = math.sqrt(expected) + 1.0 + k
    assert found[0, 0] == expected


def test_a_kernel_without_inputs_is_refused() -> None:
    builder = GraphBuilder()
    graph = Graph((), (), (), ("y",), ((1,),), ((builder.constant(1.0),),))
    with pytest.raises(KernelError, match="has no inputs"):
        wasm_module({"constant": graph})


def test_numbers_of_the_format() -> None:
    assert unsigned(624485) == bytes([0xE5, 0x8E, 0x26])  # the example of the specification of DWARF
    assert unsigned(127) == b"\x7f"
    assert signed(-123456) == bytes([0xC0, 0xBB, 0x78])
    assert signed(63) == b"\x3f"
    assert signed(64) == b"\xc0\x00"
    assert signed(-64) == b"\x40"
