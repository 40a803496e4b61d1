"""Temperatures of motors in a cycle that repeats: two bodies, winding and housing.

    C_w dT_w/dt = R(T_w) i^2 - (T_w - T_h) / R_wh
    C_h dT_h/dt = friction + (T_w - T_h) / R_wh - (T_h - ambient) / R_ha

with the resistance of copper growing with its temperature. Between two samples the heat is constant and
the step exact; the steady cycle is the one that ends as it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.model.drive import COPPER, REFERENCE, Thermal
from linkwork.robot.robot import Array


@dataclass(frozen=True, eq=False)
class Temperatures:
    """Of the steady cycle [deg C], (B,): infinite where the winding heats up without end.

    `winding` and `housing` are the greatest, `mean` is that of the winding.
    """

    winding: Array
    housing: Array
    mean: Array


def steady_cycle(
    bodies: Sequence[Thermal], joule: Array, friction: Array, steps: Array, ambient: float
) -> Temperatures:
    """Of motors (B,) with copper losses at 25 deg C and friction [W], (B, K), in steps [s], (K,)."""
    per_second = np.array(
        [
            (1 / each.winding_to_housing / each.winding_capacity,
             1 / each.winding_to_housing / each.housing_capacity,
             1 / each.housing_to_ambient / each.housing_capacity,
             1 / each.winding_capacity, 1 / each.housing_capacity)
            for each in bodies
        ]
    ).T  # fmt: skip
    w, h, out, of_winding, of_housing = per_second

    def step(k: int, t: Array, whole: bool) -> tuple[Array, ...]:
        """State after a step and its mean in it, of columns (B, 2, m): without heat unless `whole`."""
        gain = COPPER * joule[:, k] * of_winding
        A = np.array([[gain - w, w], [h, -(h + out)]])  # (2, 2, B)
        dt = steps[k]
        middle = (A[0, 0] + A[1, 1]) / 2
        apart = np.sqrt(((A[0, 0] - A[1, 1]) / 2) ** 2 + A[0, 1] * A[1, 0])
        upper, lower = (middle + apart) * dt, (middle - apart) * dt
        B = A - middle * np.eye(2)[:, :, None]

        def of_matrix(f: Array, g: Array) -> Array:
            """f of the eigenvalues, as a matrix function of A dt."""
            return (f + g) / 2 * np.eye(2)[:, :, None] + (f - g) / (2 * apart) * B

        advance = of_matrix(np.exp(upper), np.exp(lower))
        after, within = np.einsum("ijb,bjm->bim", advance, t), t
        if whole:
            spread, later = of_matrix(_phi(upper), _phi(lower)), of_matrix(_phi2(upper), _phi2(lower))
            heat = np.stack(
                [
                    joule[:, k] * (1 - COPPER * (REFERENCE - ambient)) * of_winding,
                    friction[:, k] * of_housing,
                ]
            )
            after = after + dt * np.einsum("ijb,jb->bi", spread, heat)[:, :, None]
            within = np.einsum("ijb,bjm->bim", spread, t)
            within = within + dt * np.einsum("ijb,jb->bi", later, heat)[:, :, None]
        return after, within

    count, K = joule.shape
    cycle, start = np.broadcast_to(np.eye(2), (count, 2, 2)), np.zeros((count, 2, 1))
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(K):
            cycle, start = step(k, cycle, False)[0], step(k, start, True)[0]
    finite: Any = np.isfinite(cycle).all(axis=(1, 2)) & np.isfinite(start).all(axis=(1, 2))
    growth = np.linalg.eigvals(np.where(finite[:, None, None], cycle, 0.0))
    endless = np.asarray(~finite | (np.abs(growth).max(axis=-1) >= 1))
    cycle, start = (np.where(endless[:, None, None], 0.0, each) for each in (cycle, start))
    joule = np.where(endless[:, None], 0.0, joule)
    state: Array = np.linalg.solve(np.eye(2) - cycle, start).astype(np.float64)
    most, mean = state.copy(), np.zeros_like(state)
    for k in range(K):
        state, middle = step(k, state, True)
        most, mean = np.maximum(most, state), mean + middle * steps[k]
    hot = np.where(endless, np.inf, 0.0)
    highest: Array = most[:, :, 0] + ambient + hot[:, None]
    return Temperatures(highest[:, 0], highest[:, 1], mean[:, 0, 0] / steps.sum() + ambient + hot)


def _phi(z: Array) -> Array:
    """(exp(z) - 1) / z."""
    small = np.abs(z) < 1e-12
    return np.where(small, 1 + z / 2, np.expm1(z) / np.where(small, 1.0, z))


def _phi2(z: Array) -> Array:
    """(phi(z) - 1) / z."""
    small = np.abs(z) < 1e-4
    return np.where(small, 0.5 + z / 6 + z**2 / 24, (_phi(z) - 1) / np.where(small, 1.0, z))


def resistance_factor(temperature: Any) -> Any:
    """By which the resistance of copper is greater than at 25 deg C."""
    return 1 + COPPER * (temperature - REFERENCE)
