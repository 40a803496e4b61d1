"""Counting scalars know the rules of the graph and draw what they counted."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.mechanics.sketch import Sketch


def test_rules() -> None:
    sketch = Sketch()
    x, y = sketch.symbol("x"), sketch.symbol("y")
    assert 0.0 * x == 0.0
    assert (1.0 * x).index == x.index
    assert (-1.0 * x).index == (-x).index
    assert x - x == 0.0
    assert (x * y).index == (y * x).index
    assert (x - y).index == -(y - x).index
    assert (x * -y).index == -(x * y).index
    assert (0.5 * x).index == -(-0.5 * x).index
    assert sketch.cost([x * y + 0.5 * x]) == (3, 0)
    assert sketch.cost([0.0]) == (0, 0)


def test_only_what_results_need_is_counted() -> None:
    sketch = Sketch()
    x, y = sketch.symbol("x"), sketch.symbol("y")
    c, s = sketch.cosine_sine(x + y)
    minus_c, minus_s = sketch.cosine_sine(-(x + y))
    assert (minus_c.index, minus_s.index) == (c.index, -s.index)
    assert sketch.cost([c * x, s * x]) == (3, 1)
    assert sketch.cost([c * x]) == (2, 1)
    assert sketch.cost([x * y]) == (1, 0)


def test_drawn_as_expressions() -> None:
    sketch = Sketch()
    x, y = sketch.symbol("x"), sketch.symbol("y")
    c, s = sketch.cosine_sine(x)
    results = [c * y - 2.0 * s, -(x + 3.0), 1.5]
    u, v = ca.SX.sym("u"), ca.SX.sym("v")
    drawn = ca.vertcat(*sketch.drawn(results, {"x": u * v, "y": v}))
    value = ca.Function("f", [u, v], [drawn])(0.3, 0.7)
    angle = 0.21
    expected = [np.cos(angle) * 0.7 - 2 * np.sin(angle), -(angle + 3), 1.5]
    np.testing.assert_allclose(np.asarray(value).ravel(), expected, rtol=1e-15)
