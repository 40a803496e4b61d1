"""How friction depends on the velocity, chosen for each actuator by what predicts held-back efforts.

Tried are friction that grows with the load of the joint, powers of viscous friction and Stribeck
friction within several velocities. A richer law is taken where it predicts clearly better than viscous
and Coulomb friction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.identification.held_back import FOLDS, Folds, folds_of, without_outliers
from linkwork.identification.logs import Log
from linkwork.identification.regression import moves
from linkwork.identification.unknowns import Unknowns
from linkwork.mechanics.friction import stribeck_shape, viscous_shape
from linkwork.model.joint import Friction
from linkwork.model.mechanism import MechanismModel
from linkwork.model.parameters import LOAD_FRICTION
from linkwork.robot.arm import Arm
from linkwork.robot.robot import Array, Robot

POWERS = (1.0, 0.8, 0.65, 0.5, 0.35)
SHARES = (
    0.0,
    0.02,
    0.035,
    0.06,
    0.1,
    0.15,
    0.22,
    0.33,
)  # of the greatest velocity: Stribeck velocities; 0 is none
WORTH = 0.02  # least share of an actuator's held-back squared error that a richer law must take away
CLEAR = 2.0  # standard errors over folds, by which it must
Law = tuple[float, float, bool]  # power of viscous friction, share for Stribeck friction, under load
DRY = ("coulomb_forward", "coulomb_backward")
PLAIN: Law = (1.0, 0.0, False)
MOST_UNDER_LOAD = 0.5  # of what a joint carries; gears of more do not turn back
UNKNOWN = 1e-3  # of the sharpness of a prior by the size of the effort


class FrictionChoice(NamedTuple):
    """The law of one actuator, and its held-back RMS beside that of viscous and Coulomb friction."""

    name: str
    power: float
    stribeck_velocity: float
    rms: float
    plain_rms: float
    under_load: bool


def chosen_friction(
    unknowns: Unknowns, parts: Sequence[Log], bandwidth: float
) -> tuple[FrictionChoice, ...]:
    """For every actuator the law that predicts best, if that is not viscous and Coulomb friction."""
    robot, names, comparison = unknowns.robot, unknowns.base.names, unknowns.comparison(parts)
    if not _can_have_shapes(robot):
        return ()
    W, efforts, velocity = comparison.rows(bandwidth)
    used = moves(robot, velocity)
    T, n, b = W.shape
    names_of = robot.efforts.names
    tried = [k for k in range(n) if f"{names_of[k]}.viscous" in names and used[:, k].any()]
    bodies = ~unknowns.friction_only
    plain, _, size = comparison.reference(bandwidth)
    known = comparison.precision, comparison.prior
    x = Folds.of(W, plain, used, folds_of(used)).estimate(range(b), size, *known)
    carried = np.abs(W[:, :, bodies] @ x[bodies])
    shapes = {
        k: np.column_stack(
            [_shapes(velocity[:, k], used[:, k]), carried[:, k] * np.sign(velocity[:, k])]
        )
        for k in tried
    }
    count = len(POWERS) + len(SHARES) - 1
    more = np.zeros((T, n, n * count))
    for k, columns in shapes.items():
        more[:, k, k * count : (k + 1) * count] = columns
    # Nothing is known of them beforehand.
    size = np.maximum(np.abs(more).max(axis=(0, 1)), 1e-12)
    spread = np.repeat(efforts.std(axis=0), count)
    wide = np.diag(np.concatenate([np.zeros(b), (UNKNOWN * size / np.maximum(spread, 1e-12)) ** 2]))
    wide[:b, :b] = comparison.precision
    prior = np.concatenate([comparison.prior, np.zeros(n * count)])
    # Outliers of no law: what a plain one leaves near rest is none.
    W = np.concatenate([W, more], axis=2)
    clean, _, sigma = without_outliers(W, efforts, used, wide, prior)
    fold = folds_of(used)
    found = []
    for k in tried:
        own = [*range(b), *range(b + k * count, b + (k + 1) * count)]
        search = _Search(
            Folds.of(W[:, :, own], clean, used, fold),
            k,
            b,
            names.index(f"{names_of[k]}.viscous"),
            tuple(_starting(names, f"{names_of[k]}.{kind}") for kind in DRY),
            sigma,
            wide[np.ix_(own, own)],
            prior[own],
            can_grow=f"{names_of[k]}.{LOAD_FRICTION}" not in names,
        )
        best = search.best()
        if best != PLAIN:
            greatest = float(np.abs(velocity[used[:, k], k]).max())
            rms, plain_rms = (search.rms(law) for law in (best, PLAIN))
            found.append(
                FrictionChoice(names_of[k], best[0], best[1] * greatest, rms, plain_rms, best[2])
            )
    return tuple(found)


@dataclass(eq=False)
class _Search:
    """Laws (power, share, under load) of one actuator, by their held-back errors."""

    folds: Folds
    k: int  # the actuator
    b: int  # base parameters, whose columns come first
    viscous: int  # the column of viscous friction
    dry: tuple[int | None, ...]  # those of Coulomb friction, forward and backward, if it has both
    sigma: Array
    precision: Array
    prior: Array
    can_grow: bool  # with the load; not if the robot has that already
    known: dict[Law, Array] = field(default_factory=dict)

    def best(self) -> Law:
        """Each part of a law must be worth it for itself; then all are chosen together."""
        law = PLAIN
        while True:
            richer = [each for each in self._richer(law) if self._is_possible(each)]
            following = min(richer, key=self._sum, default=law)
            if not self._is_better(following, law):
                break
            law = following
        if law == PLAIN:
            return law
        powers = POWERS[1:] if law[0] != 1 else POWERS[:1]
        shares = SHARES[1:] if law[1] else SHARES[:1]
        alike = [each for each in product(powers, shares, (law[2],)) if self._is_possible(each)]
        return min(alike, key=self._sum)

    def rms(self, law: Law) -> float:
        return float(np.sqrt(self._sum(law) / max(float(self.folds.count[:, self.k].sum()), 1.0)))

    def _richer(self, law: Law) -> Iterator[Law]:
        power, share, loaded = law
        if self.can_grow and not loaded:
            yield power, share, True
        if power == 1:
            yield from ((each, share, loaded) for each in POWERS[1:])
        if not share:
            yield from ((power, each, loaded) for each in SHARES[1:])

    def _is_better(self, law: Law, than: Law) -> bool:
        if law == than:
            return False
        gain = self._errors(than) - self._errors(law)
        doubt = float(gain.std(ddof=1)) * np.sqrt(FOLDS)
        return bool(gain.sum() > max(WORTH * self._sum(than), CLEAR * doubt))

    def _kept(self, law: Law) -> list[int]:
        power, share, loaded = law
        kept = [c for c in range(self.b) if power == 1 or c != self.viscous]
        kept += [self.b + POWERS.index(power) - 1] if power != 1 else []
        kept += [self.b + len(POWERS) + SHARES.index(share) - 2] if share else []
        return [*kept, self.b + len(POWERS) + len(SHARES) - 2] if loaded else kept

    def _given(self, kept: list[int]) -> tuple[Array, Array, Array]:
        return self.sigma, self.precision[np.ix_(kept, kept)], self.prior[kept]

    def _is_possible(self, law: Law) -> bool:
        """Less friction near rest than farther away, or against the motion, is none."""
        kept = self._kept(law)
        now = self.folds.estimate(kept, *self._given(kept))
        forward, backward = (c if c is None else float(now[kept.index(c)]) for c in self.dry)
        if law != PLAIN and forward is not None and backward is not None and forward < backward:
            return False
        own = [now[j] for j, c in enumerate(kept) if c >= self.b or c == self.viscous]
        return min(own) > 0 and (not law[2] or own[-1] < MOST_UNDER_LOAD)

    def _errors(self, law: Law) -> Array:
        if law not in self.known:
            kept = self._kept(law)
            self.known[law] = self.folds.squared_errors(kept, *self._given(kept))[:, self.k]
        return self.known[law]

    def _sum(self, law: Law) -> float:
        return float(self._errors(law).sum())


def _starting(names: Sequence[str], name: str) -> int | None:
    """The base parameter that begins with a parameter."""
    return next((k for k, each in enumerate(names) if each.split()[0] == name), None)


def _shapes(velocity: Array, used: NDArray[np.bool_]) -> Array:
    """Columns (T, c): viscous friction by all powers but the first, Stribeck friction."""
    greatest = float(np.abs(velocity[used]).max())
    found = [_viscous(power, velocity) for power in POWERS[1:]]
    found += [_stribeck(share * greatest, velocity) for share in SHARES[1:]]
    return np.stack(found, axis=1)


def _viscous(power: float, velocity: Array) -> Array:
    return _evaluated(lambda v: viscous_shape(Friction(viscous_power=power), v), velocity)


def _stribeck(within: float, velocity: Array) -> Array:
    law = Friction(stribeck_velocity=within)
    return _evaluated(lambda v: stribeck_shape(law, v, v), velocity)


def _evaluated(shape: Any, velocity: Array) -> Array:
    """An expression of a velocity, for many."""
    v = ca.SX.sym("v")
    return np.asarray(ca.Function("shape", [v], [shape(v)])(velocity[None, :])).reshape(-1)


def _can_have_shapes(robot: Robot) -> bool:
    return isinstance(robot.model, MechanismModel) or isinstance(robot, Arm)


def with_laws(robot: Robot, choices: tuple[FrictionChoice, ...]) -> Robot:
    """The robot whose friction depends on the velocity like this, with coefficients yet to be found."""
    laws = {each.name: each for each in choices}
    if not laws:
        return robot
    model: Any = robot.model
    if isinstance(model, MechanismModel):
        rubbing = ("joints", "cylinders", "motors")
        changes = {part: _changed(getattr(model, part), laws) for part in rubbing}
        return Robot(replace(model, **changes))
    return Arm(replace(model, joints=_changed(model.joints, laws), operation_plan=""))


def _changed(joints: Any, laws: Mapping[str, FrictionChoice]) -> Any:
    found = []
    for joint in joints:
        if joint.name in laws:
            law = laws[joint.name]
            shape: dict[str, Any] = {"viscous_power": law.power}
            shape["stribeck_velocity"] = law.stribeck_velocity
            if law.under_load:
                shape["load_friction"] = 0.0
            joint = replace(joint, friction=replace(joint.friction, **shape))
        found.append(joint)
    return tuple(found)
