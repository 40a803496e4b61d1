"""Counted scalars know the rules of the graph and become the expressions that were counted."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.mechanics.chain.minimal.scalars import CountedGraph


def test_rules() -> None:
    graph = CountedGraph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert 0.0 * x == 0.0
    assert (1.0 * x).index == x.index
    assert (-1.0 * x).index == (-x).index
    assert x - x == 0.0
    assert (x * y).index == (y * x).index
    assert (x - y).index == -(y - x).index
    assert (x * -y).index == -(x * y).index
    assert (0.5 * x).index == -(-0.5 * x).index
    assert graph.cost([x * y + 0.5 * x]) == (3, 0)
    assert graph.cost([0.0]) == (0, 0)


def test_only_what_results_need_is_counted() -> None:
    graph = CountedGraph()
    x, y = graph.symbol("x"), graph.symbol("y")
    c, s = graph.cosine_sine(x + y)
    minus_c, minus_s = graph.cosine_sine(-(x + y))
    assert (minus_c.index, minus_s.index) == (c.index, -s.index)
    assert graph.cost([c * x, s * x]) == (3, 1)
    assert graph.cost([c * x]) == (2, 1)
    assert graph.cost([x * y]) == (1, 0)


def test_expressions() -> None:
    graph = CountedGraph()
    x, y = graph.symbol("x"), graph.symbol("y")
    c, s = graph.cosine_sine(x)
    results = [c * y - 2.0 * s, -(x + 3.0), 1.5]
    u, v = ca.SX.sym("u"), ca.SX.sym("v")
    drawn = ca.vertcat(*graph.expressions(results, {"x": u * v, "y": v}))
    value = ca.Function("f", [u, v], [drawn])(0.3, 0.7)
    angle = 0.21
    expected = [np.cos(angle) * 0.7 - 2 * np.sin(angle), -(angle + 3), 1.5]
    np.testing.assert_allclose(np.asarray(value).ravel(), expected, rtol=1e-15)
