"""The fit behind a calibration: what can be told, least squares, noise, intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import InputError, LinkworkError
from linkwork.identification.measured_poses import MeasuredPoses
from linkwork.kinematics.assembled import Assembled, Placed
from linkwork.kinematics.deviations import FRAME, TOOL, Deviation, carried_by, tool_of
from linkwork.model.geometry import Transform
from linkwork.robot.base_parameters import independent_columns
from linkwork.robot.robot import Array

PLAUSIBLE = {"m": 0.003, "rad": 0.003}  # deviations: of the machine's size, and of an angle
ORDER = ("offset", "length", "position", "direction")
SHARES = (1.0, 0.5, 0.2, 0.05, 0.01)  # of a step
ROUNDING = 1e-9
STEPS, NEAR = 30, 1e-4  # steps, and the last one beside the standard deviations
REWEIGHTED = 4  # times that the noise is estimated
TOLD = 1e-3  # of a plausible deviation: smaller terms of a combination are not named
LEAST_NOISE = 1e-9  # of the machine's size: exact poses have rounding
LEAST_SHARE = 1e-5  # of the greatest singular value, for the same reason


class Found(NamedTuple):
    """Deviations that carry what is told, the combinations (b, k) and singular values; all deviations
    (k,), standard deviations of those that carry, of noise (r,); what is left (N, r) by the file, of the
    fit, and of every pose that is left out."""

    kept: list[int]
    matrix: Array
    singular_values: Array
    values: Array
    deviation: Array
    noise: Array
    before: Array
    after: Array
    left_out: Array


@dataclass(frozen=True, eq=False)
class CalibrationFit:
    """Measured poses beside what a machine with deviations would do."""

    machine: Assembled
    data: MeasuredPoses
    c: Array
    measures: int  # numbers of a pose that were measured, 3 or 6
    there: Placed  # the measured tool in base axes, as far as known
    frame: Transform  # of measurement in base axes, to begin with
    usable: list[int]  # deviations that are asked for

    @staticmethod
    def of(machine: Assembled, data: MeasuredPoses, frame: bool) -> CalibrationFit:
        c = machine.coordinates(data.readings)
        here, _ = machine.nominal(c)
        start = _alignment(data.places, here.tool) if frame else Transform()
        axes = here.axes if data.axes is None else start.R.T @ data.axes
        there = Placed(here.R, here.p, (data.places - start.p) @ start.R, axes)
        unasked = () if frame else (FRAME,)
        if tool_of(machine.robot.mechanism)[0] not in carried_by(machine.robot.mechanism):
            unasked = (*unasked, TOOL)  # what moves the tool's body moves it
        usable = [k for k, each in enumerate(machine.deviations) if each.owner not in unasked]
        return CalibrationFit(machine, data, c, 3 if data.axes is None else 6, there, start, usable)

    @property
    def deviations(self) -> tuple[Deviation, ...]:
        return tuple(self.machine.deviations[k] for k in self.usable)

    def left(self, values: Array, guess: Placed | None = None) -> tuple[Array, Placed]:
        """What is measured beyond what deviations (k,) explain, (N, r); where the machine is then."""
        found = self.machine.solved(self.c, np.tile(self.every(values), (len(self.c), 1)), guess)
        return self.there.error_from(found)[:, : self.measures], found

    def jacobian(self, values: Array, here: Placed) -> Array:
        """Of what is measured by the deviations that are asked for (N r, k)."""
        _, S = self.machine.sensitivities(self.c, np.tile(self.every(values), (len(self.c), 1)), here)
        return S[:, : self.measures, self.usable].reshape(-1, len(self.usable))

    @cached_property
    def plausible(self) -> Array:
        """Of the deviations that are asked for, (k,)."""
        return plausible_sizes(self.deviations, self.machine.robot.size)

    def solved(self) -> Found:
        """The deviations that explain the poses best."""
        N, r = len(self.c), self.measures
        before, here = self.left(np.zeros(len(self.usable)))
        noise = (
            np.where(np.arange(r) < 3, self.machine.robot.size, 1.0) * 1e-3
        )  # replaced by what is left
        values = np.zeros(len(self.usable))
        drawn = self.jacobian(values, here)  # of the file's machine, whose parallels are exact
        kept, matrix, sizes = self._told(drawn, noise)
        for _ in range(REWEIGHTED):
            values, after, here, fit = self._minimum(values, kept, noise, here)
            noise = self._noise(fit, after)
            kept, matrix, sizes = self._told(drawn, noise)
            values = np.where(np.isin(np.arange(len(values)), kept), values, 0.0)
        values, after, _, fit = self._minimum(values, kept, noise, here)
        unseen = _weighted(drawn, noise) - _weighted(drawn[:, kept], noise) @ matrix
        felt = fit.step(unseen) * self.plausible  # too weak to be told, as large as it may be
        deviation = np.sqrt(fit.deviation**2 + (felt**2).sum(axis=1))
        left_out = _left_out(fit.Q.reshape(N, r, -1), after / noise) * noise
        return Found(kept, matrix, sizes, values, deviation, noise, before, after, left_out)

    def every(self, values: Array) -> Array:
        """Deviations (K,) of the whole machine."""
        found = np.zeros(len(self.machine.deviations))
        found[self.usable] = values
        return found

    def _told(self, J: Array, noise: Array) -> tuple[list[int], Array, Array]:
        """Deviations that carry what is told, the combinations (b, k), singular values."""
        scaled = _weighted(J, noise) * self.plausible
        sizes = np.asarray(np.linalg.svd(scaled, compute_uv=False), dtype=np.float64)
        rank = int((sizes > max(1.0, LEAST_SHARE * sizes[0])).sum())
        free = len(J) - rank
        if not rank or free < 1:
            raise InputError(
                f"calibrate: {len(self.c)} poses have {len(J)} numbers, for {rank} deviations that they "
                "could tell; measure more poses, spread over the workspace."
            )
        lengths = np.linalg.norm(scaled, axis=0)
        present = np.flatnonzero(lengths > 1e-9 * lengths.max())
        columns = np.asarray(np.linalg.qr(scaled[:, present] / lengths[present], mode="r"))
        chosen = independent_columns(columns, self._preferred(present), min(rank, len(present)))
        kept = sorted(present[chosen].tolist())
        own = scaled[:, kept]
        matrix = np.linalg.lstsq(own, scaled, rcond=None)[0] / self.plausible
        matrix *= self.plausible[kept][:, None]
        matrix[:, kept] = np.eye(len(kept))
        return kept, matrix, sizes

    def _preferred(self, present: NDArray[np.intp]) -> list[int]:
        """The frame first, which is no part of the robot; zeros and lengths before places and axes; the
        tool last."""

        def rank(k: int) -> tuple[int, int]:
            each = self.deviations[int(present[k])]
            group = -1 if each.owner == FRAME else len(ORDER) if each.owner == TOOL else None
            return (ORDER.index(each.kind) if group is None else group, k)

        return sorted(range(len(present)), key=rank)

    def _minimum(
        self, values: Array, kept: list[int], noise: Array, here: Placed
    ) -> tuple[Array, Array, Placed, _Fit]:
        """Least squares in these deviations, the others as they are; what is left (N, r), where the
        machine is, and the fit there."""

        def cost(left: Array, values: Array) -> float:
            return float(((left / noise) ** 2).sum() + ((values / self.plausible) ** 2).sum())

        left, here = self.left(values, here)
        for _ in range(STEPS):
            J = self.jacobian(values, here)[:, kept]
            fit = _Fit.of(_weighted(J, noise), self.plausible[kept])
            step = fit.step((left / noise).ravel(), values[kept])
            if (np.abs(step) <= NEAR * fit.deviation).all():
                return values, left, here, fit
            for share in SHARES:  # back toward where the machine can be put together
                tried = values.copy()
                tried[kept] += share * step
                after, there = self.left(tried, here)
                if cost(after, tried) <= cost(left, values) * (1 + ROUNDING):
                    break
            else:
                break
            values, left, here = tried, after, there
        raise LinkworkError(
            "calibrate: the search did not converge; deviations are too large for the file as a "
            "start, or the poses tell too little. Check readings (units, signs, order), poses and, if "
            "it is not the base, the frame of measurement (frame=True); measure more poses."
        )

    def _noise(self, fit: _Fit, left: Array) -> Array:
        """Of places and angles, by what is left and the numbers that they have beyond the fit."""
        taken = (fit.Q**2).sum(axis=-1).reshape(left.shape)
        found = np.empty(left.shape[1])
        for part in (slice(0, 3), slice(3, None)):
            own = left[:, part]
            if own.size:
                free = max(own.size - float(taken[:, part].sum()), 1.0)
                found[part] = np.sqrt((own**2).sum() / free)
        least = LEAST_NOISE * np.where(np.arange(len(found)) < 3, self.machine.robot.size, 1.0)
        return np.maximum(found, least)


class _Fit(NamedTuple):
    """A linear fit: what is measured and, below it, the prior; Q of the measured rows alone."""

    Q: Array
    prior: Array
    inverse: Array

    @staticmethod
    def of(J: Array, plausible: Array) -> _Fit:
        Q, R = np.linalg.qr(np.concatenate([J, np.diag(1 / plausible)]))
        inverse = np.linalg.inv(R)
        return _Fit(Q[: len(J)], Q[len(J) :].T / plausible, inverse)

    @property
    def deviation(self) -> Array:
        """Standard deviations."""
        return np.asarray(np.sqrt((self.inverse**2).sum(axis=1)))

    def step(self, left: Array, values: Array | float = 0.0) -> Array:
        """What explains rows that are left, from values on."""
        pulled = self.prior @ values if isinstance(values, np.ndarray) else 0.0
        return np.asarray(self.inverse @ (self.Q.T @ left - pulled))


def plausible_sizes(deviations: tuple[Deviation, ...], size: float) -> Array:
    """Of deviations in a machine of a size."""
    return np.array([PLAUSIBLE[each.unit] * (size if each.unit == "m" else 1.0) for each in deviations])


def told_terms(matrix: Array, deviations: tuple[Deviation, ...], size: float) -> Array:
    """Combinations without terms that plausible deviations do not make felt."""
    plausible = plausible_sizes(deviations, size)
    felt = np.abs(matrix) * plausible
    return np.asarray(np.where(felt > TOLD * felt.max(axis=1, keepdims=True), matrix, 0.0))


def _weighted(J: Array, noise: Array) -> Array:
    return np.asarray(J / np.tile(noise, len(J) // len(noise))[:, None])


def _left_out(Q: Array, left: Array) -> Array:
    """Residuals (N, r) of every pose if the others alone were used, to first order."""
    found = np.empty_like(left)
    for k, (q, own) in enumerate(zip(Q, left, strict=True)):
        found[k] = np.linalg.lstsq(np.eye(len(own)) - q @ q.T, own, rcond=None)[0]
    return found


def _alignment(measured: Array, here: Array) -> Transform:
    """The frame that brings points of the robot to measured ones best (Kabsch 1976)."""
    if len(here) < 3:
        raise InputError("calibrate: a frame of measurement takes three poses or more.")
    a, b = here - here.mean(axis=0), measured - measured.mean(axis=0)
    U, sizes, Vt = np.linalg.svd(b.T @ a)
    if sizes[1] <= 1e-9 * sizes[0]:
        raise InputError("calibrate: the tool was measured along a line, which tells no frame.")
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    return Transform.of(R, measured.mean(axis=0) - R @ here.mean(axis=0))
