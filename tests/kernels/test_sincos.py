"""Sine and cosine against mpmath, in units of the last place."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import mpmath
import numpy as np
import pytest

from linkwork.kernels import Kernel
from linkwork.kernels.machine import host
from linkwork.kernels.reals import DOUBLE, SINGLE, Real

ULPS = 2.0


def kernel(lanes: int, fma: bool, real: Real = DOUBLE) -> Kernel:
    x = ca.SX.sym("x", 1)
    function = ca.Function("pair", [x], [ca.sin(x), ca.cos(x)], ["x"], ["s", "c"])
    return Kernel(function, ((1,), (1,)), replace(host(), lanes=lanes, fma=fma, real=real))


def worst_ulps(values: np.ndarray, angles: np.ndarray, function) -> float:
    with mpmath.workprec(300):
        return max(
            float(abs(mpmath.mpf(float(v)) - function(mpmath.mpf(float(x)))) / np.spacing(abs(v)))
            for v, x in zip(values, angles, strict=True)
        )


def difficult_angles() -> np.ndarray:
    """Everyday angles, large ones, and doubles next to multiples of pi/2, where digits cancel."""
    rng = np.random.default_rng(0)
    with mpmath.workprec(300):
        multiples = [float(int(k) * mpmath.pi / 2) for k in rng.integers(-636000, 636000, 1500)]
    tiny = 10.0 ** rng.uniform(-300, -1, 300)
    return np.concatenate(
        [rng.uniform(-7, 7, 1500), rng.uniform(-1e6, 1e6, 1500), multiples, tiny, [0.0, 1e6, -1e6]]
    )


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("fma", [True, False])
def test_two_ulps_up_to_a_million(lanes: int, fma: bool) -> None:
    if fma and not host().fma:
        fma = False
    angles = difficult_angles()
    sine, cosine = kernel(lanes, fma)(angles[:, None])
    assert worst_ulps(sine[:, 0], angles, mpmath.sin) <= ULPS
    assert worst_ulps(cosine[:, 0], angles, mpmath.cos) <= ULPS


def test_right_beyond_a_million() -> None:
    angles = np.array([1.0000001e6, 1e9, -3e15, 1e22, 1e300, -1.7e308, 0.5])
    sine, cosine = kernel(4, host().fma)(angles[:, None])
    assert worst_ulps(sine[:, 0], angles, mpmath.sin) <= ULPS
    assert worst_ulps(cosine[:, 0], angles, mpmath.cos) <= ULPS


def test_large_angle_beside_small_ones_in_a_vector() -> None:
    angles = np.array([0.1, 1e12, 0.3, 0.4, 0.5, np.pi, 0.7])
    sine, _ = kernel(4, host().fma)(angles[:, None])
    assert worst_ulps(sine[:, 0], angles, mpmath.sin) <= ULPS


@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
@pytest.mark.parametrize("fma", [True, False])
def test_two_ulps_in_single_precision(lanes: int, fma: bool) -> None:
    """Everyday angles, those next to multiples of pi/2, and the C library beyond ten thousand."""
    rng = np.random.default_rng(0)
    multiples = rng.integers(-6300, 6300, 1500) * (np.pi / 2)
    angles = np.concatenate(
        [rng.uniform(-7, 7, 1500), rng.uniform(-1e4, 1e4, 1500), multiples, [0, 1e-30, 1e4, 3e5, -1e30]]
    ).astype(np.float32)
    sine, cosine = kernel(lanes, fma and host().fma, SINGLE)(angles[:, None])
    assert sine.dtype == np.float32
    assert worst_ulps(sine[:, 0], angles, mpmath.sin) <= ULPS
    assert worst_ulps(cosine[:, 0], angles, mpmath.cos) <= ULPS
