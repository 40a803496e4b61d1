"""What a page shows of one state of a robot: outputs of the methods called `snapshot`.

Besides the state they take the mass of a payload, a point at the tip or at the platform's origin, and a
factor of the robot's own gravity. Frames are those of the bodies that `analysis/shape.py` draws, without
the base. Reactions are magnitudes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import SX, stack, zeros
from linkwork.mechanics.methods import Outputs

SNAPSHOT = "snapshot"
PAYLOAD, WEIGHT = "payload", "gravity_factor"
SIZES = {PAYLOAD: 1, WEIGHT: 1}
REACTION = "reaction_"


def point_mass(mass: SX) -> CompositeBody:
    """A load without extent at the origin."""
    return CompositeBody(mass, zeros(3), zeros(3, 3))


def scaled_gravity(own: NDArray[np.float64], factor: SX) -> SX:
    """A robot's own gravity times a factor; what is zero stays so, as planar robots need it."""
    return ca.vertcat(*[float(g) * factor if g else SX(0) for g in own])


def snapshot(
    frames: Sequence[tuple[SX, SX]],
    measured: Mapping[str, Sequence[SX]],
    reactions: Mapping[str, Sequence[SX]],
) -> Outputs:
    """Outputs from rotations and places of bodies, numbers per actuator, vectors per joint or leg."""
    placed = stack([ca.horzcat(R, p) for R, p in frames])
    outputs: Outputs = {"frames": (placed, (len(frames), 3, 4))}
    for name, values in measured.items():
        outputs[name] = ca.vertcat(*values), (len(values),)
    for name, vectors in reactions.items():
        outputs[REACTION + name] = ca.vertcat(*[ca.norm_2(v) for v in vectors]), (len(vectors),)
    return outputs
