"""Enclosures against exact ranges of single operations (mpmath, 60 digits) and random expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import mpmath
import numpy as np
import pytest

from linkwork.core.errors import InputError, KernelError
from linkwork.kernels.intervals import IntervalKernel
from linkwork.kernels.machine import host

SX = ca.SX
Array = np.ndarray
COUNT = 300


def kernel(expression: Callable[..., SX], inputs: int, lanes: int = 0) -> IntervalKernel:
    x = SX.sym("x", inputs)
    g = ca.densify(ca.vertcat(expression(*ca.vertsplit(x))))
    target = replace(host(), lanes=lanes) if lanes else None
    return IntervalKernel.of(ca.Function("g", [x], [g]), ((g.numel(),),), target=target)


def nasty(rng: np.random.Generator, count: int = COUNT) -> tuple[Array, Array]:
    """Everyday intervals, points, wide and tiny ones, ends next to multiples of pi/2 and to zero."""
    middle = rng.uniform(-7, 7, count)
    kinds = rng.integers(0, 6, count)
    middle[kinds == 1] = rng.integers(-9, 9, (kinds == 1).sum()) * (np.pi / 2)
    middle[kinds == 2] = 10.0 ** rng.uniform(-300, -5, (kinds == 2).sum())
    middle[kinds == 3] = rng.integers(-3, 4, (kinds == 3).sum())
    width = 10.0 ** rng.uniform(-18, 1.2, count) * (kinds != 5)
    return middle - width, middle + width


def exact(function: Callable[..., object], ends: list[tuple[float, float]]) -> tuple[object, object]:
    """The exact range, enclosed in 60 digits."""
    mpmath.iv.dps = 60
    found = function(*[mpmath.iv.mpf([low, high]) for low, high in ends])
    return found.a, found.b


SINGLE = {
    "sum": (2, lambda x, y: x + y, lambda x, y: x + y),
    "difference": (2, lambda x, y: x - y, lambda x, y: x - y),
    "product": (2, lambda x, y: x * y, lambda x, y: x * y),
    "square": (1, lambda x: x * x, lambda x: x**2),
    "quotient": (2, lambda x, y: x / (40 + y), lambda x, y: x / (40 + y)),
    "root": (1, lambda x: ca.sqrt(40 + x), lambda x: mpmath.iv.sqrt(40 + x)),
    "sine": (1, ca.sin, mpmath.iv.sin),
    "cosine": (1, ca.cos, mpmath.iv.cos),
    "constant factor": (1, lambda x: -0.1 * x, lambda x: mpmath.iv.mpf(-0.1) * x),
}


@pytest.mark.parametrize("name", SINGLE)
def test_contains_the_exact_range_and_little_more(name: str) -> None:
    inputs, ours, theirs = SINGLE[name]
    rng = np.random.default_rng(len(name))
    low, high = (
        np.stack(each, axis=1) for each in zip(*[nasty(rng) for _ in range(inputs)], strict=True)
    )
    (found,) = kernel(ours, inputs)(np.concatenate([low, high], axis=1))
    assert np.isfinite(found).all()
    for row in range(COUNT):
        least, most = exact(theirs, list(zip(low[row].tolist(), high[row].tolist(), strict=True)))
        a, b = found[row, :, 0].tolist()
        assert mpmath.mpf(a) <= least.a, (low[row], high[row])
        assert mpmath.mpf(b) >= most.b, (low[row], high[row])
        size = max(abs(float(least.a)), abs(float(most.b)))
        slack = 1e-14 if name in ("sine", "cosine") else 1e-15 * 40 if "root" in name else 4e-15 * size
        # Extrema that are nearer than 1e-9 of a turn count as inside: 2e-17 of the value.
        assert float(least.a) - a <= slack + 1e-280
        assert b - float(most.b) <= slack + 1e-280


def some_expression(x: SX, y: SX, z: SX) -> SX:
    inside = ca.if_else(x * y > z, ca.fmin(x, z), ca.fmax(y, ca.sin(z)))
    angle = ca.atan2(x, ca.sqrt(1 + y * y)) + ca.acos(ca.fmax(-1, ca.fmin(1, z / 4)))
    return ca.vertcat(inside, angle, ca.fabs(x - y) / (3 + ca.cos(z)), ca.sign(x) * y, ca.exp(x / 9))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_contains_values_at_random_points(lanes: int) -> None:
    rng = np.random.default_rng(lanes)
    middle, width = rng.uniform(-3, 3, (2000, 3)), 10.0 ** rng.uniform(-12, 0.3, (2000, 3))
    low, high = middle - width, middle + width
    (found,) = kernel(some_expression, 3, lanes)(np.concatenate([low, high], axis=1))
    x = SX.sym("x", 3)
    function = ca.Function("g", [x], [some_expression(*ca.vertsplit(x))]).map(len(low))
    for _ in range(20):
        at = low + (high - low) * rng.uniform(0, 1, low.shape)
        values = np.array(function(at.T)).T
        assert (found[:, 0] <= values).all()
        assert (values <= found[:, 1]).all()
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("expression", "low", "high"),
    [
        (lambda x: 1 / x, -1.0, 1.0),
        (lambda x: 1 / x, 0.0, 1.0),
        (ca.sqrt, -1e-9, 1.0),
        (ca.acos, 0.0, 1.0000001),
        (ca.log, 0.0, 1.0),
        (lambda x: ca.atan2(x, -1), -1.0, 1.0),
        (lambda x: 1 / ca.if_else(x < 0.5, 1, 0), 0.0, 1.0),
        (lambda x: ((1e90 * x) ** 2) ** 2, 0.0, 1.0),
        (lambda x: ca.fmin(1 / x, 0) * ca.sqrt(x), -1.0, 2.0),
    ],
)
def test_no_finite_answer_where_there_is_no_enclosure(expression, low: float, high: float) -> None:
    (found,) = kernel(lambda x: expression(x) + x, 1)(np.array([[low, high]]))
    assert found[0, 0, 0] == -np.inf
    assert found[0, 1, 0] == np.inf


def test_choices_are_single_numbers() -> None:
    """Preconditioned by any number at all, the enclosure holds; by a good one it is sharp."""
    x, chosen = SX.sym("x"), SX.sym("chosen")
    function = ca.Function("g", [x, chosen], [1 - x / chosen], ["x", "chosen"], ["g"])
    boxes = IntervalKernel.of(function, ((1,),), ("chosen",))
    for number in (2.0, 3.0, -7.0):
        (found,) = boxes(np.array([[1.9, 2.1]]), np.array([[number]]))
        ends = sorted([1 - 1.9 / number, 1 - 2.1 / number])
        assert found[0, :, 0] == pytest.approx(ends, abs=1e-14)
        assert found[0, 0, 0] <= ends[0]
        assert found[0, 1, 0] >= ends[1]
    (found,) = boxes(np.array([[1.9, 2.1]]), np.array([[0.0]]))
    assert np.isinf(found).all()


def test_what_cannot_be_enclosed_is_refused() -> None:
    with pytest.raises(KernelError, match="no enclosure"):
        kernel(lambda x: ca.copysign(x, x - 1), 1)(np.array([[0.0, 1.0]]))
    plain = kernel(lambda x: x + 1, 1)
    for wrong in ([[2.0, 1.0]], [[0.0, 2e6]], [[np.nan, 1.0]]):
        with pytest.raises(InputError, match="ends of intervals"):
            plain(np.array(wrong))
