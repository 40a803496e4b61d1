"""Least squares of a load at the tool, beside what the robot itself needs.

Efforts of actuator k as logged are y = s (W x + L p): x are base parameters, p the ten of the load,
which has columns only in the logs that carry it, and s scales the log: 1 if its gain is right. Friction
may be another with and without the load, since it depends on load and temperature. Rows are summed up by
stretch and actuator once; all estimates are made of those sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.covariance import STRETCHES
from linkwork.identification.regression import LeastSquares, Problem
from linkwork.mechanics.bodies import PARAMETERS
from linkwork.robot.robot import Array

ROUNDS = 30  # of Gauss and Newton
SETTLED = 1e-9  # of the scales
MOST_STEP = 0.5  # of a scale, in one round


@dataclass(frozen=True, eq=False)
class Prior:
    """What is known of the unknowns (u,) and of the scales (n,) before any log."""

    values: Array
    precision: Array  # (u, u)
    scales: Array  # (n, n), covariance about 1


@dataclass(frozen=True, eq=False)
class Fit:
    """Unknowns with the load last, and scales of the efforts."""

    unknowns: Array
    scales: Array
    covariance: Array  # (u + n, u + n), of noise and of what the prior leaves open

    @property
    def load(self) -> Array:
        return self.unknowns[-PARAMETERS:]


@dataclass(frozen=True, eq=False)
class Sums:
    """Products of columns (K, n, u, u), with efforts (K, n, u), and of efforts (K, n), by stretch."""

    columns: Array
    right: Array
    square: Array
    count: Array  # (K, n)

    @staticmethod
    def of(
        groups: Sequence[tuple[Problem, LeastSquares, Array]], own: NDArray[np.bool_], sigma: Array
    ) -> Sums:
        """Of logs without and with the load: their problem, its fit, and columns of the load (T, n, 10).

        Args:
            own: base parameters that each group has for itself, as friction (b,).
            sigma: of residuals, per actuator.
        """
        parts = []
        for k, (problem, fit, load) in enumerate(groups):
            apart = [
                problem.rows[:, :, own] if k == g else 0 * problem.rows[:, :, own]
                for g in range(len(groups))
            ]
            W = np.concatenate([problem.rows[:, :, ~own], *apart, load], axis=2)
            weight = fit.counts / sigma**2
            ends = np.linspace(0, len(W), STRETCHES + 1).astype(np.int64)
            for first, last in pairwise(ends):
                at = slice(first, last)
                A = W[at].transpose(1, 0, 2)
                weighted = A * weight[at].T[:, :, None]
                y = fit.measured[at]
                parts.append(
                    (
                        weighted.swapaxes(1, 2) @ A,
                        np.einsum("jtu,tj->ju", weighted, y),
                        (weight[at] * y**2).sum(axis=0),
                        fit.counts[at].sum(axis=0),
                    )
                )
        stacked = [
            np.stack(each).reshape(len(groups), STRETCHES, *each[0].shape)
            for each in zip(*parts, strict=True)
        ]
        return Sums(*(each.sum(axis=0) for each in stacked))

    def without(self, k: int) -> Sums:
        """All stretches but one, of every group."""
        values = (self.columns, self.right, self.square, self.count)
        return Sums(*(np.delete(each, k, axis=0) for each in values))

    def fit(self, prior: Prior) -> Fit:
        """By Gauss and Newton; scales stay at 1 where the prior is sure of them."""
        A, b = self.columns.sum(axis=0), self.right.sum(axis=0)
        n, u = b.shape
        x, s = prior.values, np.ones(n)
        spread = prior.scales + 1e-18 * np.eye(n)
        sharp = np.linalg.inv(spread)
        for _ in range(ROUNDS):
            felt = np.einsum("jab,b->ja", A, x)  # A x of every actuator
            whole = np.zeros((u + n, u + n))
            whole[:u, :u] = np.einsum("j,jab->ab", s**2, A) + prior.precision
            whole[:u, u:] = (s[:, None] * felt).T
            whole[u:, :u] = whole[:u, u:].T
            whole[u:, u:] = np.diag(felt @ x) + sharp
            right = np.concatenate(
                [
                    (s[:, None] * (b - s[:, None] * felt)).sum(axis=0)
                    + prior.precision @ (prior.values - x),
                    (b - s[:, None] * felt) @ x + sharp @ (1 - s),
                ]
            )
            step = np.linalg.solve(whole, right)
            x = x + step[:u]
            s = s + np.clip(step[u:], -MOST_STEP * s, MOST_STEP * s)
            if np.abs(step[u:]).max() < SETTLED and np.abs(step[:u]).max() <= SETTLED * np.abs(x).max():
                break
        return Fit(x, s, np.asarray(np.linalg.inv(whole)))
