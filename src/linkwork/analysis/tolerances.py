"""Errors of the tool from tolerances of the parts: by exact derivatives, and of random machines.

To first order errors are sums: standard deviations add as squares, worst cases as magnitudes. Every
random machine (Monte Carlo) is put together and solved itself; it has the same deviations wherever it
is asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.analysis.tolerance_file import Accuracy, Source, read_tolerances, sources_of
from linkwork.core.arguments import not_negative, whole
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.kinematics.assembled import Assembled, Placed
from linkwork.kinematics.redrawn import redrawn
from linkwork.robot.robot import Array, Robot

AXES = ("x", "y", "z", "rx", "ry", "rz")
MOST = 1_000_000  # machines times poses
CONFIDENCE = 1.96  # normal quantile of a 95 % interval


@dataclass(frozen=True, eq=False)
class Tolerances:
    """Errors of a robot's tool at P poses: six numbers, displacement [m] and rotation [rad], base axes.

    `sensitivity` (P, 6, s) is what a unit of each of the sources does; `values` (N, s) are those of N
    random machines and `errors` (N, P, 6) theirs, NaN where one cannot be put together.
    """

    robot: Robot
    poses: Array
    sources: tuple[Source, ...]
    accuracy: Accuracy | None
    sensitivity: Array
    values: Array
    errors: Array

    @cached_property
    def _spread(self) -> Array:
        return np.array([each.deviation for each in self.sources])

    @property
    def mean(self) -> Array:
        """(P, 6) to first order: not zero where the temperature has a mean change."""
        return np.asarray(self.sensitivity @ [each.mean for each in self.sources])

    @property
    def standard_deviation(self) -> Array:
        """(P, 6) to first order."""
        return np.asarray(np.linalg.norm(self.sensitivity * self._spread, axis=-1))

    @property
    def sampled_mean(self) -> Array:
        """(P, 6) of the random machines."""
        return np.asarray(np.nanmean(self.errors, axis=0))

    @property
    def sampled_deviation(self) -> Array:
        """(P, 6) of the random machines."""
        return np.asarray(np.nanstd(self.errors, axis=0, ddof=1))

    @property
    def worst_case(self) -> Array:
        """(P, 6) to first order, every source at the end of its tolerance."""
        sizes = np.array([each.tolerance for each in self.sources])
        return np.asarray(np.abs(self.mean) + np.abs(self.sensitivity) @ sizes)

    @cached_property
    def position_error(self) -> Array:
        """Distances (N, P) of the tool from where the file has it [m]."""
        return np.asarray(np.linalg.norm(self.errors[..., :3], axis=-1))

    @cached_property
    def angle_error(self) -> Array:
        """Angles (N, P) by which the tool is turned [rad]."""
        return np.asarray(np.linalg.norm(self.errors[..., 3:], axis=-1))

    def quantile(self, share: float) -> tuple[Array, Array]:
        """Distance and angle (P,) that this share of all machines keeps."""
        kept = not_negative(share, "share", "1")
        if kept > 1:
            raise InputError(f"share = {share!r}: expected a number from 0 to 1.")
        lost = np.inf  # a machine that cannot be put together keeps nothing
        found = [
            np.quantile(np.nan_to_num(each, nan=lost), kept, axis=0, method="higher")
            for each in (self.position_error, self.angle_error)
        ]
        return np.asarray(found[0]), np.asarray(found[1])

    @cached_property
    def accurate(self) -> Array | None:
        """Which machines (N,) keep the required accuracy at all poses; None if none is required."""
        if self.accuracy is None:
            return None
        return np.asarray(self._used.max(axis=1) <= 1)

    @cached_property
    def _used(self) -> Array:
        """(N, P): the greater share of the accuracy required; without one, of the greatest error."""
        limits = (self.accuracy.position, self.accuracy.angle) if self.accuracy else (None, None)
        shares = []
        for error, limit in zip((self.position_error, self.angle_error), limits, strict=True):
            if self.accuracy is None:
                limit = float(np.nanmax(error)) or 1.0
            if limit is not None:
                shares.append(np.nan_to_num(error, nan=np.inf) / limit)
        return np.asarray(np.max(shares, axis=0))

    @property
    def yield_share(self) -> float | None:
        """Of the machines that keep the required accuracy at all poses."""
        return None if self.accurate is None else float(self.accurate.mean())

    @property
    def yield_interval(self) -> tuple[float, float] | None:
        """Of the yield at 95 %, for the number of machines that were tried (Wilson 1927)."""
        if self.accurate is None:
            return None
        n, p, z = len(self.accurate), float(self.accurate.mean()), CONFIDENCE
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, float(middle - half)), min(1.0, float(middle + half))

    @property
    def worst(self) -> NDArray[np.intp]:
        """Numbers of the machines by their greatest error anywhere, the worst first."""
        return np.argsort(-self._used.max(axis=1), kind="stable")

    @property
    def worst_pose(self) -> int:
        """Where the errors are greatest: in position, of 95 % of all machines."""
        return int(np.argmax(self.quantile(0.95)[0]))

    def worst_at(self, machine: int) -> int:
        """The pose at which a machine is worst."""
        return int(np.argmax(self._used[self._machine(machine)]))

    def _machine(self, machine: int) -> int:
        return whole(machine, "machine", 0, len(self.values) - 1)

    def variant(self, machine: int) -> Robot:
        """A random machine as a robot, where its rigid parts fit together."""
        mix = np.stack([each.deviations for each in self.sources], axis=1)
        return redrawn(Assembled(self.robot), mix @ self.values[self._machine(machine)])

    def contributions(self, pose: int) -> Array:
        """Shares (s, 2) of the variance of position and of rotation at a pose."""
        at = whole(pose, "pose", 0, len(self.poses) - 1)
        squares = (self.sensitivity[at] * self._spread) ** 2
        parts = np.stack([squares[:3].sum(axis=0), squares[3:].sum(axis=0)], axis=1)
        whole_sum = parts.sum(axis=0)
        return np.asarray(parts / np.where(whole_sum > 0, whole_sum, 1.0))


@checked
def tolerances(
    robot: Robot,
    tolerances: Mapping[str, Any] | str | os.PathLike[str],
    poses: ArrayLike | None = None,
    *,
    samples: int = 2000,
    seed: int = 0,
) -> Tolerances:
    """Errors of a robot's tool from tolerances of its parts, and how many machines are accurate enough.

    Args:
        tolerances: a YAML file or a mapping with its fields.
        poses: coordinates (P, ...) where errors are asked; None is home.
        samples: how many random machines.
    """
    count = whole(samples, "samples", 2)
    machine = Assembled(robot)
    spec = read_tolerances(tolerances)
    sources = sources_of(machine, spec)
    c = robot._positions(robot.home if poses is None else poses)
    c = c.reshape(-1, c.shape[-1])
    if not len(c) or len(c) * count > MOST:
        raise InputError(
            f"tolerances: {len(c)} poses and {count} machines; expected 1 pose or more and "
            f"{MOST} together, one for each machine at each pose."
        )
    rng = np.random.default_rng(seed)
    values = np.stack([each.drawn(rng, count) for each in sources], axis=1)
    mix = np.stack([each.deviations for each in sources], axis=1)  # (k, s)
    here, by_deviation = machine.sensitivities(c)
    errors = np.empty((count, len(c), 6))
    for k in range(len(c)):
        found = machine.solved(np.repeat(c[k : k + 1], count, axis=0), values @ mix.T)
        errors[:, k] = found.error_from(Placed(*(each[k : k + 1] for each in here)))
    return Tolerances(robot, c, sources, spec.accuracy, by_deviation @ mix, values, errors)
