"""A platform in the place where the stored one stands: scaled, turned, its legs in the nearest order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from linkwork.interface.assembly_paths import ComplexArray, Solved, parameters
from linkwork.interface.compiled import Array
from linkwork.rotations import inverse, multiply

ORDERS, CANDIDATES = 120, 8  # of the legs: looked at roughly, and exactly
NUCLEAR = 1.4  # sum of singular values over their norm, for a rough look


@dataclass(frozen=True, eq=False)
class Aligned:
    """Joint points (6, 3) in units of `scale`, origin at the first, turned by qa and qb, reordered."""

    base: Array
    points: Array
    qa: Array
    qb: Array
    scale: float
    order: NDArray[np.int64]
    a1: Array
    b1: Array

    def squares(self, lengths: Array) -> Array:
        """Squared leg lengths in units of the scale and in this order."""
        return np.asarray((lengths[self.order] / self.scale) ** 2)

    @cached_property
    def _without_lengths(self) -> ComplexArray:
        return parameters(self.base, self.points, np.zeros(6))

    def with_squares(self, squares: ComplexArray | Array) -> ComplexArray:
        found = self._without_lengths.copy()
        found[-6:-1] += squares[0] - squares[1:]
        found[-1] = squares[0]
        return found

    def with_lengths(self, lengths: Array) -> ComplexArray:
        """Parameters of the platform with these leg lengths [m]."""
        return self.with_squares(self.squares(lengths))

    @cached_property
    def _turns(self) -> tuple[Array, Array, Array]:
        """The matrix of e -> conj(qa) e qb for rows, Ra, and the forms of e, e -> e (Rb b1) conj(e)."""
        product, turned = _forms()
        rows = np.einsum("i,ijk->jk", inverse(self.qa), product) @ np.einsum(
            "ijk,j->ik", product, self.qb
        )
        Ra, Rb = _matrix(self.qa), _matrix(self.qb)
        return rows, Ra, np.einsum("ckij,c->kij", turned, Rb @ self.b1)

    def poses(self, solutions: Array) -> Array:
        """Poses (k, 7) of the platform as it is described, from real solutions (k, 8)."""
        e, h = solutions[:, :4], solutions[:, 4:]
        N = (e * e).sum(axis=1, keepdims=True)
        rows, Ra, turned = self._turns
        position = self.scale * np.einsum("kij,ni,nj->nk", _position(), h, e)
        position = (position - np.einsum("kij,ni,nj->nk", turned, e, e)) @ Ra / N + self.a1
        return np.concatenate([position, e @ rows / np.sqrt(N)], axis=1)


@cache
def _forms() -> tuple[Array, Array]:
    """Quaternion products (i, j -> k), and c, e, f -> vec(e c conj(f)) (3, 3, 4, 4)."""
    one = np.eye(4)
    product = multiply(one[:, None], one[None, :])
    e, c, f = one[None, :, None], one[1:, None, None], one[None, None, :]
    shape = (3, 4, 4, 4)
    turned = multiply(multiply(*_full(e, c, shape)), np.broadcast_to(inverse(f), shape))
    return product, np.moveaxis(turned[..., 1:], -1, 1)


def _full(a: Array, b: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape)


@cache
def _position() -> Array:
    """The forms of h, e -> vec(h conj(e)), (3, 4, 4)."""
    h, e = _full(np.eye(4)[:, None], np.eye(4)[None, :], (4, 4, 4))
    return np.moveaxis(multiply(h, inverse(e))[..., 1:], -1, 0)


@cache
def _orders() -> NDArray[np.int64]:
    every = np.array(list(permutations(range(6))))
    return every[np.random.default_rng(0).permutation(len(every))[:ORDERS]]


def _matrix(q: Array) -> Array:
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _turn(overlap: Array) -> Array:
    """The rotation that brings points nearest to others, from sum(other point'), as a quaternion
    (Horn 1987)."""
    S = overlap.T
    trace = np.trace(S)
    skew = np.array([S[1, 2] - S[2, 1], S[2, 0] - S[0, 2], S[0, 1] - S[1, 0]])
    K = np.empty((4, 4))
    K[0, 0], K[0, 1:], K[1:, 0] = trace, skew, skew
    K[1:, 1:] = S + S.T - trace * np.eye(3)
    return np.asarray(np.linalg.eigh(K)[1][:, 3])


@lru_cache(maxsize=4)
def _weights(start: Solved) -> tuple[Array, Array]:
    """Weights (orders x 3, 6) that make overlaps with the start from joint points, base and platform."""
    model = start.parameters.real
    found = []
    for wanted in (model[:15].reshape(5, 3), model[15:30].reshape(5, 3)):
        weights = np.empty((ORDERS, 3, 6))
        rows = np.arange(ORDERS)
        for k in range(1, 6):
            weights[rows, :, _orders()[:, k]] = wanted[k - 1]
        weights[rows, :, _orders()[:, 0]] = -wanted.sum(axis=0)
        found.append(weights.reshape(-1, 6))
    return found[0], found[1]


def aligned(base: Array, points: Array, lengths: Array, start: Solved) -> Aligned:
    """Bring a platform as near to the start as similarity and the order of the legs allow."""
    scale = float(np.sqrt((lengths**2).mean()))
    overlaps, squares = [], np.zeros(6)
    for own, weights in zip((base / scale, points / scale), _weights(start), strict=True):
        overlaps.append((weights @ own).reshape(ORDERS, 3, 3))
        squares += ((own[:, None] - own) ** 2).sum(axis=(1, 2))
    away = squares[_orders()[:, 0]]
    rough = away - 2 * NUCLEAR * sum(np.sqrt((part * part).sum(axis=(1, 2))) for part in overlaps)
    chosen = np.argpartition(rough, CANDIDATES)[:CANDIDATES]
    both = np.stack([part[chosen] for part in overlaps])
    sizes = np.linalg.svd(both, compute_uv=False)
    sizes[..., 2] *= np.sign(np.linalg.det(both))
    k = int(chosen[np.argmin(away[chosen] - 2 * sizes.sum(axis=(0, 2)))])
    order = _orders()[k]
    a1, b1 = base[order[0]], points[order[0]]
    qa, qb = (_turn(part[k]) for part in overlaps)
    a, b = (base[order] - a1) @ _matrix(qa).T / scale, (points[order] - b1) @ _matrix(qb).T / scale
    return Aligned(a, b, qa, qb, scale, order, a1, b1)
