"""Points, turns, distances and closures of a tree at one state, from Pinocchio's Jacobians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="there is no Pinocchio for this system")

import pinocchio as pin

from linkwork.model.mechanism import BASE
from tests.oracles.mechanism_graph import Closure, across, roll_pitch_yaw, unit

if TYPE_CHECKING:
    from tests.oracles.pinocchio_mechanism import Oracle


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@dataclass(frozen=True)
class Scalar:
    """A coordinate: its value, its row of rates, and what its acceleration has at qdd = 0."""

    value: float
    row: np.ndarray
    drift: float


class Kinematics:
    """The tree at q, qd: points, Jacobians and their drifts, in base axes."""

    def __init__(self, oracle: Oracle, q: np.ndarray, qd: np.ndarray) -> None:
        self.oracle, self.q, self.qd = oracle, q, qd
        data = oracle.data
        pin.computeJointJacobiansTimeVariation(oracle.tree, data, q, qd)
        self.J, self.drift = (np.array(columns).reshape(6, -1) for columns in (data.J, data.dJ))
        self.places = [(np.array(place.rotation), np.array(place.translation)) for place in data.oMi]
        self.cached: dict[int, tuple] = {}

    def rotation(self, node: int) -> np.ndarray:
        return self.places[node + 1][0]

    def point(self, node: int, home: np.ndarray) -> np.ndarray:
        if node < 0:
            return home
        R, p = self.places[node + 1]
        return R @ (home - self.oracle.graph.steps[node].at) + p

    def spatial(self, node: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian at the base's origin (linear, angular), velocity, and acceleration without qdd."""
        if node not in self.cached:
            J = self.J * self.oracle.support[node]
            self.cached[node] = J, J @ self.qd, (self.drift * self.oracle.support[node]) @ self.qd
        return self.cached[node]

    def point_motion(self, node: int, home: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian, velocity and drift of a point of a body."""
        J, v, a = self.spatial(node)
        x = self.point(node, home)
        velocity = v[:3] + np.cross(v[3:], x)
        drift = a[:3] + np.cross(a[3:], x) + np.cross(v[3:], velocity)
        return J[:3] - skew(x) @ J[3:], velocity, drift

    def turn(self, a: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Angular velocity of b relative to a: Jacobian, value and drift of its base components."""
        Ja, va, aa = self.spatial(a)
        Jb, vb, ab = self.spatial(b)
        return Jb[3:] - Ja[3:], vb[3:] - va[3:], ab[3:] - aa[3:]

    def along(self, a: int, b: int, vector: np.ndarray, at_a: np.ndarray, at_b: np.ndarray) -> Scalar:
        """Component of the way from a point of a to a point of b along a vector of a."""
        n, wa = self.rotation(a) @ vector, self.spatial(a)[1][3:]
        alpha = self.spatial(a)[2][3:]
        d = self.point(b, at_b) - self.point(a, at_a)
        (Ja, va, aa), (Jb, vb, ab) = self.point_motion(a, at_a), self.point_motion(b, at_b)
        row = n @ (Jb - Ja) + np.cross(n, d) @ self.spatial(a)[0][3:]
        nd = np.cross(wa, n)
        ndd = np.cross(alpha, n) + np.cross(wa, nd)
        return Scalar(float(n @ d), row, float(n @ (ab - aa) + 2 * nd @ (vb - va) + ndd @ d))

    def angle(self, a: int, b: int, axis: np.ndarray) -> Scalar:
        """Turn of b relative to a about an axis that both share."""
        first, second = across(axis)
        k = unit(axis)
        moved = self.rotation(a).T @ self.rotation(b) @ first
        value = float(np.arctan2(moved @ second, moved @ first))
        n, (J, w, drift) = self.rotation(a) @ k, self.turn(a, b)
        nd = np.cross(self.spatial(a)[1][3:], n)
        return Scalar(value, n @ J, float(n @ drift + nd @ w))

    def distance(self, a: int, b: int, at_a: np.ndarray, at_b: np.ndarray) -> Scalar:
        d = self.point(b, at_b) - self.point(a, at_a)
        (Ja, va, aa), (Jb, vb, ab) = self.point_motion(a, at_a), self.point_motion(b, at_b)
        length, v = float(np.linalg.norm(d)), vb - va
        s = d / length
        return Scalar(length, s @ (Jb - Ja), float(s @ (ab - aa) + (v @ v - (s @ v) ** 2) / length))

    def closure(self, each: Closure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        values, rows, drifts = [], [], []
        if each.point:
            (Ja, _, aa), (Jb, _, ab) = (
                self.point_motion(each.a, each.at),
                self.point_motion(each.b, each.at),
            )
            values.append(self.point(each.b, each.at) - self.point(each.a, each.at))
            rows.append(Jb - Ja)
            drifts.append(ab - aa)
        for vector in each.flat:
            scalar = self.along(each.a, each.b, vector, each.at, each.at)
            values.append([scalar.value])
            rows.append(scalar.row[None])
            drifts.append([scalar.drift])
        wa, wb = self.spatial(each.a)[1][3:], self.spatial(each.b)[1][3:]
        for of_a, of_b in each.angles:
            u, v = self.rotation(each.a) @ of_a, self.rotation(each.b) @ of_b
            J, w, drift = self.turn(each.a, each.b)
            lever = np.cross(v, u)
            rate = np.cross(np.cross(wb, v), u) + np.cross(v, np.cross(wa, u))
            values.append([u @ v - of_a @ of_b])
            rows.append((lever @ J)[None])
            drifts.append([lever @ drift + rate @ w])
        return np.concatenate(values), np.concatenate(rows), np.concatenate(drifts)

    def pose(self, of: str, relative_to: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position and matrix of a frame seen from another; Jacobian of the twist (6) and its drift."""
        model, nodes = self.oracle.model, self.oracle.graph.nodes
        frame, b = model.part(of).frame, nodes[of]
        a = nodes[relative_to]
        R0, p0 = (np.eye(3), np.zeros(3))
        if relative_to != BASE:
            R0, p0 = model.part(relative_to).frame.R, model.part(relative_to).frame.p
        Ra, Rb = self.rotation(a) @ R0, self.rotation(b) @ frame.R
        rows = [self.along(a, b, R0[:, k], p0, frame.p) for k in range(3)]
        J, w, drift = self.turn(a, b)
        wa = self.spatial(a)[1][3:]
        turning = Ra.T @ (drift - np.cross(wa, w))
        twist = np.vstack([*(row.row for row in rows), Ra.T @ J])
        value = np.concatenate([[row.value for row in rows], roll_pitch_yaw(Ra.T @ Rb)])
        return value, twist, np.concatenate([[row.drift for row in rows], turning])


def angle_rates(angles: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B with rates of roll pitch yaw = B w, and what their second derivatives have besides B alpha."""
    _, pitch, yaw = angles
    E = np.column_stack(
        [
            [np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), -np.sin(pitch)],
            [-np.sin(yaw), np.cos(yaw), 0.0],
            [0.0, 0.0, 1.0],
        ]
    )
    B = np.linalg.inv(E)
    rate = B @ w
    ez, ey, ex = E[:, 2], E[:, 1], E[:, 0]
    Ed = np.column_stack(
        [np.cross(rate[2] * ez + rate[1] * ey, ex), np.cross(rate[2] * ez, ey), np.zeros(3)]
    )
    return B, -B @ Ed @ rate
