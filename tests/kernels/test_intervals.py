"""Enclosures against exact ranges of single operations (mpmath, 60 digits) and random expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import flint
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


FLINT = {
    "sum": (2, lambda x, y: x + y, lambda x, y: x + y),
    "difference": (2, lambda x, y: x - y, lambda x, y: x - y),
    "product": (2, lambda x, y: x * y, lambda x, y: x * y),
    "square": (1, lambda x: x * x, lambda x: x**2),
    "quotient": (2, lambda x, y: x / y, lambda x, y: x / y),
    "root": (1, ca.sqrt, lambda x: x.sqrt()),
    "sine": (1, ca.sin, lambda x: x.sin()),
    "cosine": (1, ca.cos, lambda x: x.cos()),
    "angle": (2, ca.atan2, lambda y, x: flint.arb.atan2(y, x)),
    "arc cosine": (1, ca.acos, lambda x: x.acos()),
    "arc sine": (1, ca.asin, lambda x: x.asin()),
    "arc tangent": (1, ca.atan, lambda x: x.atan()),
    "exponential": (1, ca.exp, lambda x: x.exp()),
}


def hostile(rng: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Ends with random bits over all sizes that inputs may have, denormals, zeros of both signs, points,
    neighbors, multiples of pi/2 and their neighbors, and ends of the permitted range."""
    sizes = 10.0 ** rng.uniform(-320, 6, (2, count)) * rng.choice([-1, 1], (2, count))
    everyday = rng.uniform(-7, 7, (2, count))
    unit = rng.uniform(-1, 1, (2, count))
    special = rng.choice(
        [0.0, -0.0, 5e-324, -5e-324, 2.3e-308, 1.0, -1.0, 1e6, -1e6, 1e-290], (2, count)
    )
    turns = np.nextafter(rng.integers(-600_000, 600_000, (2, count)) * (np.pi / 2),
                         rng.choice([-np.inf, np.inf], (2, count)))  # fmt: skip
    kinds = rng.integers(0, 5, (2, count))
    found = np.choose(kinds, [sizes, everyday, unit, special, turns])
    near = rng.integers(0, 3, count) == 0
    found[1, near] = np.nextafter(found[0, near], np.where(rng.uniform(size=near.sum()) < 0.3, 0, 1e6))
    found = np.clip(found, -1e6, 1e6)
    return found.min(axis=0), found.max(axis=0)


@pytest.mark.parametrize("name", FLINT)
@pytest.mark.parametrize("count", [2_000, pytest.param(300_000, marks=pytest.mark.long)])
def test_contains_the_values_at_hostile_ends(name: str, count: int) -> None:
    """Exact values at the ends and inside, by balls of 120 bits: none may lie outside.

    The long test has some ten million values of three million intervals.
    """
    inputs, ours, theirs = FLINT[name]
    rng = np.random.default_rng(count)
    low, high = (
        np.stack(each, axis=1)
        for each in zip(*[hostile(rng, count) for _ in range(inputs)], strict=True)
    )
    enclose = kernel(ours, inputs)
    (found,) = enclose(np.concatenate([low, high], axis=1))
    least, most = found[:, 0, 0], found[:, 1, 0]
    assert (least <= most).all()
    bounded = np.isfinite(least)
    assert bounded.mean() > {"angle": 0.4, "root": 0.2, "quotient": 0.2}.get(name, 0.1)
    inside = np.clip(low + (high - low) * rng.uniform(0, 1, low.shape), low, high)
    with flint.ctx.workprec(120):
        for row in np.flatnonzero(bounded):
            for at in (low[row], high[row], inside[row]):
                value = theirs(*map(flint.arb, at.tolist()))
                outside = value < flint.arb(float(least[row])) or value > flint.arb(float(most[row]))
                assert not outside, (name, low[row], high[row], at)


def test_angles_beyond_what_is_reduced_exactly_give_all_of_a_wave() -> None:
    """Arguments of sines grow out of inputs: where turns are not known exactly, nothing is claimed."""
    grown = kernel(lambda x: ca.sin(1e9 * x * x), 1)
    (found,) = grown(np.array([[999.99999, 1000.0], [0.01, 0.01001]]))
    assert (found[0, :, 0] == [-1.0, 1.0]).all()
    assert found[1, 1, 0] == 1.0  # some turns


def test_with_and_without_fused_operations() -> None:
    rng = np.random.default_rng(5)
    low, high = (
        np.stack(each, axis=1) for each in zip(*[nasty(rng, 4000) for _ in range(2)], strict=True)
    )
    x = SX.sym("x", 2)
    g = ca.Function("g", [x], [ca.vertcat(x[0] * x[1] + x[0], ca.sin(x[0]) * x[1] - x[1] * x[0])])
    for fma in (True, False):
        boxes = IntervalKernel.of(g, ((2,),), target=replace(host(), fma=fma and host().fma))
        (found,) = boxes(np.concatenate([low, high], axis=1))
        with flint.ctx.workprec(200):
            for row in range(0, len(low), 4):
                for at in (low[row], high[row]):
                    a, b = map(flint.arb, at.tolist())
                    for k, value in enumerate((a * b + a, a.sin() * b - b * a)):
                        assert not value < flint.arb(float(found[row, 0, k]))
                        assert not value > flint.arb(float(found[row, 1, k]))


def test_a_choice_that_changes_within_a_box_has_no_mean_value_form() -> None:
    """The derivative of a step is zero on both sides, and says nothing of the step."""
    x, p = SX.sym("x"), SX.sym("p")
    step = ca.if_else(x > 0, 1, -1)
    mean = ca.substitute(step, x, p) + ca.jacobian(step, x) * (x - p)
    function = ca.Function("g", [x, p], [ca.vertcat(mean, step)])
    boxes = IntervalKernel.of(function, ((2,),), smooth=True)
    (found,) = boxes(np.array([[-1.0, 2.0], [1.0, 2.0]]), np.array([[0.5, 0.5], [1.5, 1.5]]))
    assert (np.isinf(found[0])).all()
    assert found[1] == pytest.approx(np.ones((2, 2)))
