"""The optimizer: equal values, never more operations, the same graph in every run."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.kernels import Kernel
from linkwork.kernels.graph import Counts, Graph, GraphBuilder, graph_counts
from linkwork.kernels.optimize import optimized
from tests.kernels.random_graphs import (
    INPUTS,
    RATIONAL,
    Doubtful,
    bounded_outputs,
    graphs,
    rational_outputs,
)

RATIONALS = st.lists(
    st.fractions(-4, 4, max_denominator=7).filter(bool), min_size=INPUTS, max_size=INPUTS
)
FLOATS = st.lists(st.floats(0.1, 3.0), min_size=INPUTS, max_size=INPUTS)
MANY = settings(max_examples=150, deadline=None)


@MANY
@given(graphs(RATIONAL), RATIONALS)
def test_values_are_equal_in_exact_arithmetic(graph: Graph, inputs: list[Fraction]) -> None:
    try:
        expected = rational_outputs(graph, inputs)
    except ZeroDivisionError:
        assume(False)
    assert rational_outputs(optimized(graph), inputs) == expected


@MANY
@given(graphs(), FLOATS)
def test_values_differ_by_rounding_only(graph: Graph, inputs: list[float]) -> None:
    try:
        before, after = bounded_outputs(graph, inputs), bounded_outputs(optimized(graph), inputs)
    except Doubtful:
        assume(False)
    for (x, dx), (y, _) in zip(before, after, strict=True):
        assert abs(x - y) <= 4 * dx


def _total(counts: Counts) -> int:
    return counts.flops + counts.divisions + counts.square_roots


@MANY
@given(graphs(largest=80))
def test_never_more_operations(graph: Graph) -> None:
    before, once = graph_counts(graph), graph_counts(optimized(graph))
    twice = graph_counts(optimized(optimized(graph)))
    for fewer, more in ((once, before), (twice, once)):
        assert _total(fewer) <= _total(more)
        assert fewer.divisions <= more.divisions
        assert fewer.square_roots <= more.square_roots
        assert fewer.sine_cosines <= more.sine_cosines


@MANY
@given(graphs())
def test_operands_come_first_and_inputs_stay(graph: Graph) -> None:
    result = optimized(graph)
    assert all(max(node.a, node.b) < k for k, node in enumerate(result.nodes))
    assert result.input_sizes == graph.input_sizes
    assert [len(column) for column in result.outputs] == [len(column) for column in graph.outputs]


def kernel_of(*outputs: ca.SX, symbols: ca.SX) -> Kernel:
    function = ca.Function("f", [symbols], [ca.vertcat(*outputs)], ["x"], ["y"])
    return Kernel(function, ((len(outputs),),))


def counts_of(*outputs: ca.SX, symbols: ca.SX) -> tuple[int, int, int, int]:
    counts = kernel_of(*outputs, symbols=symbols).counts
    return counts.multiplications, counts.additions, counts.divisions, counts.square_roots


X = ca.SX.sym("x", 6)
a, b, c, d, e, f = (X[k] for k in range(6))


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ((a * b + a * c,), (1, 1, 0, 0)),  # factoring
        ((a * b - a * c + a * d - e,), (1, 3, 0, 0)),
        ((3 * a - 3 * b,), (1, 1, 0, 0)),  # a constant factor
        ((3 * a * b + 4 * a * b + c,), (2, 1, 0, 0)),  # constant multiples
        ((a * b * c + a * b * d,), (2, 1, 0, 0)),  # a factor of two factors
        ((a * b + (a * c), a * c), (2, 1, 0, 0)),  # a c is needed anyway: nothing to gain
        (((a + b) + c, (b + d) + a), (0, 3, 0, 0)),  # a + b
        (((a - b) + c, (b + d) - a), (0, 3, 0, 0)),  # a - b and b - a
        (((a * b) * c, (a * d) * b), (3, 0, 0, 0)),  # a b
        ((a * a * b, (a * c) * a, (a * d) * b, (a * e) * b), (6, 0, 0, 0)),  # a b, of a a b too
        ((2.5 * a, -2.5 * a), (1, 0, 0, 0)),  # constants up to sign
        ((2.0 * (3.0 * a) + b,), (1, 1, 0, 0)),  # constants merge
        ((a + a + a,), (1, 0, 0, 0)),
        ((a / 3 + b / 3,), (1, 1, 0, 0)),  # no division by constants
        ((a / d, b / d), (2, 0, 1, 0)),  # one reciprocal
        ((a / d + b / d,), (0, 1, 1, 0)),
        ((a / ca.sqrt(d), b / d, c / d, e / ca.sqrt(d)), (5, 0, 1, 1)),  # 1/d from 1/sqrt(d)
        ((a / b, c / b, a / d, c / d, e / (b * d), f / (b * d)), (7, 0, 2, 0)),  # 1/(b d)
    ],
)
def test_rules(outputs, expected) -> None:
    assert counts_of(*outputs, symbols=X) == expected


def test_nothing_hides_what_is_not_finite() -> None:
    """x - x and 0 x are zero for finite x only."""
    builder = GraphBuilder()
    x, y, z = (builder.node("input", value=(0, k)) for k in range(3))
    quotient = builder.binary("div", x, y)
    difference = builder.binary("sub", builder.binary("add", quotient, z), quotient)
    nothing = builder.binary("mul", builder.constant(0.0), quotient)
    for output in (difference, builder.binary("add", nothing, z)):
        graph = Graph(tuple(builder.nodes), ("x",), (3,), ("y",), ((1,),), ((output,),))
        with pytest.raises(ZeroDivisionError):
            rational_outputs(optimized(graph), [Fraction(1), Fraction(0), Fraction(1)])


def test_negative_outputs_need_no_negation() -> None:
    kernel = kernel_of(-(a + b - c), -(3 * d), -(a * b), symbols=X)
    assert [node.op for node in kernel.graph.nodes].count("neg") == 1  # that of a b
    x = np.array([1.0, 2.0, 4.0, 5.0, 0.0, 0.0])
    np.testing.assert_array_equal(kernel(x), [1.0, -15.0, -2.0])


def test_sums_wait_for_the_last_term_only() -> None:
    late = ca.sqrt(ca.sqrt(ca.sqrt(a * b)))
    kernel = kernel_of(((late + c) + d) + e, symbols=X)
    assert kernel.depth == 5


def _methods(name: str) -> list[tuple[str, Kernel]]:
    robot = lw.load(name)
    methods = ["inverse_dynamics", "forward_dynamics", "energy"]
    return [(method, robot.kernel(method)) for method in methods]


@pytest.mark.parametrize("name", ["ur5", "puma560", "stanford", "panda", "dasgupta1998"])
def test_kernels_of_robots(name) -> None:
    for method, kernel in _methods(name):
        function = kernel.casadi
        plain = Kernel(function, tuple(kernel.outputs.values()), optimize=False)
        new, old = kernel.counts, plain.counts
        assert new.flops < old.flops, method
        assert new.divisions <= old.divisions
        assert new.square_roots <= old.square_roots
        assert plain.traced_counts == kernel.traced_counts  # the papers' measure knows no optimizer


PROGRAM = """
import hashlib, linkwork as lw
for name in ("puma560", "dasgupta1998"):
    graph = lw.load(name).kernel("inverse_dynamics").graph
    print(hashlib.sha256(repr((graph.nodes, graph.outputs)).encode()).hexdigest())
"""


def test_every_run_makes_the_same_graph() -> None:
    """The cache finds machine code by its text."""
    texts = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LINKWORK_CACHE": "off"}
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        texts.add(run.stdout)
    assert len(texts) == 1
    assert texts.pop().count("\n") == 2
