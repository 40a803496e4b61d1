"""What an identification looks for, and what is known of it before any log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.identification.held_back import Comparison, usual_of
from linkwork.identification.logs import Log
from linkwork.identification.physical import parameter_sizes
from linkwork.identification.smoothing import smoothed
from linkwork.model.parameters import FRICTION, ROTOR, FreeParameters
from linkwork.robot.base_parameters import BaseParameters
from linkwork.robot.robot import Array, Robot


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Base parameters of a robot with a wide prior about the file's values.

    `known` are parameters that stay as they are, `sizes` how large each may be.
    """

    robot: Robot
    free: FreeParameters
    base: BaseParameters
    known: Array  # (p,)
    sizes: Array  # (p,)
    prior_error: Array  # (b,)
    precision: Array  # (b, b)

    @staticmethod
    def of(
        robot: Robot, parts: Sequence[Log], friction: bool, rotors: bool, shared_legs: bool
    ) -> Unknowns:
        """Sizes come from the efforts and motions of the logs."""
        base = robot.base_parameters(friction=friction, rotors=rotors, shared_legs=shared_legs)
        left_out = (*(() if friction else FRICTION), *(() if rotors else (ROTOR,)))
        free = robot.free_parameters(shared_legs=shared_legs).without(left_out)
        own = robot.parameters.values
        sizes = _sizes(robot, parts)
        spread = base.matrix @ (free.matrix * (free.inverse @ sizes))
        expected = spread @ spread.T
        precision: Array = np.asarray(np.linalg.inv(expected), dtype=np.float64)
        known = own - free.matrix @ (free.inverse @ own)
        return Unknowns(robot, free, base, known, sizes, np.sqrt(np.diagonal(expected)), precision)

    @property
    def friction_only(self) -> NDArray[np.bool_]:
        """Base parameters (b,) that only friction has a share in."""
        kinds = [name.rpartition(".")[2] for name in self.robot.parameters.names]
        rubs = np.array([kind in FRICTION for kind in kinds])
        return np.asarray(~((np.abs(self.base.matrix) > 0) & ~rubs).any(axis=1))

    def comparison(self, parts: Sequence[Log]) -> Comparison:
        """Choices that these logs decide."""
        base = self.base
        return Comparison(self.robot, tuple(parts), base.basis, self.known, self.precision, base.values)


def _sizes(robot: Robot, parts: Sequence[Log]) -> Array:
    """Of all parameters, from efforts and motions of usual smoothness."""

    def rms(rows: list[Array]) -> Array:
        return np.asarray(np.sqrt((np.concatenate(rows) ** 2).mean(axis=0)))

    usual = usual_of(parts)
    moved = [robot.actuator_motion(*smoothed(robot, part, usual)) for part in parts]
    effort = rms([part.effort for part in parts])
    velocity = rms([part.velocity for part in moved if part.velocity is not None])
    acceleration = rms([part.acceleration for part in moved if part.acceleration is not None])
    return parameter_sizes(robot, np.maximum(effort, 1e-9), velocity, acceleration)
