"""How friction depends on the velocity, chosen for each actuator by what predicts held-back efforts.

Tried are powers of viscous friction and Stribeck friction within several velocities. A richer law is
taken where it predicts clearly better than viscous and Coulomb friction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.identification.held_back import (
    FOLDS,
    Comparison,
    Folds,
    folds_of,
    without_outliers,
)
from linkwork.identification.regression import moves
from linkwork.mechanics.friction import stribeck_shape, viscous_shape
from linkwork.model.joint import Friction
from linkwork.model.mechanism import MechanismModel
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
PLAIN = (1.0, 0.0)
UNKNOWN = 1e-3  # of the sharpness of a prior by the size of the effort


class FrictionChoice(NamedTuple):
    """The law of one actuator, and its held-back RMS beside that of viscous and Coulomb friction."""

    name: str
    power: float
    stribeck_velocity: float
    rms: float
    plain_rms: float


def chosen_friction(
    comparison: Comparison, names: tuple[str, ...], bandwidth: float
) -> tuple[FrictionChoice, ...]:
    """For every actuator the law that predicts best, if that is not viscous and Coulomb friction.

    Args:
        names: of the base parameters.
    """
    robot = comparison.robot
    if not _can_have_shapes(robot):
        return ()
    W, efforts, velocity = comparison.rows(bandwidth)
    used = moves(robot, velocity)
    T, n, b = W.shape
    names_of = robot.efforts.names
    tried = [k for k in range(n) if f"{names_of[k]}.viscous" in names and used[:, k].any()]
    shapes = {k: _shapes(velocity[:, k], used[:, k]) for k in tried}
    count = len(POWERS) + len(SHARES) - 2
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
        name, viscous = names_of[k], names.index(f"{names_of[k]}.viscous")
        greatest = float(np.abs(velocity[used[:, k], k]).max())
        own_columns = [*range(b), *range(b + k * count, b + (k + 1) * count)]
        folds = Folds.of(W[:, :, own_columns], clean, used, fold)
        precision, middle = wide[np.ix_(own_columns, own_columns)], prior[own_columns]
        errors = {}
        for power, share in product(POWERS, SHARES):
            kept = [c for c in range(b) if power == 1 or c != viscous]
            kept += [b + POWERS.index(power) - 1] if power != 1 else []
            kept += [b + len(POWERS) + SHARES.index(share) - 2] if share else []
            given = sigma, precision[np.ix_(kept, kept)], middle[kept]
            # Less friction near rest than farther away, or against the motion, is none.
            now = folds.estimate(kept, *given)
            own = [now[j] for j, c in enumerate(kept) if c >= b or c == viscous]
            if (power, share) == PLAIN or min(own) > 0:
                errors[power, share] = folds.squared_errors(kept, *given)[:, k]
        best = min(errors, key=lambda law: float(errors[law].sum()))
        gain = errors[PLAIN] - errors[best]
        doubt = float(gain.std(ddof=1)) * np.sqrt(FOLDS)
        if gain.sum() > max(WORTH * errors[PLAIN].sum(), CLEAR * doubt):
            total = max(float(folds.count[:, k].sum()), 1.0)
            rms = [float(np.sqrt(errors[law].sum() / total)) for law in (best, PLAIN)]
            found.append(FrictionChoice(name, best[0], best[1] * greatest, *rms))
    return tuple(found)


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
        changes = {part: _changed(getattr(model, part), laws) for part in ("joints", "cylinders")}
        return Robot(replace(model, **changes))
    return Arm(replace(model, joints=_changed(model.joints, laws), plan=""))


def _changed(joints: Any, laws: Mapping[str, FrictionChoice]) -> Any:
    found = []
    for joint in joints:
        if joint.name in laws:
            law = laws[joint.name]
            shape = {"viscous_power": law.power, "stribeck_velocity": law.stribeck_velocity}
            joint = replace(joint, friction=replace(joint.friction, **shape))
        found.append(joint)
    return tuple(found)
