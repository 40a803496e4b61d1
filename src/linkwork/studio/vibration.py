"""Small vibrations where a robot stands: frequencies, and a mode made great and slow to be seen."""

from __future__ import annotations

import numpy as np

from linkwork.interface.modes import Modes
from linkwork.interface.robot import Array
from linkwork.rotations import from_vector, multiply
from linkwork.studio.probe import Probe

AMPLITUDE = 0.06  # greatest way of a mode, of the robot's size
PERIOD = 1.0  # seconds, whatever the true frequency


class Vibration:
    """Modes of a robot with stiffness, by its probe; `mode` is the one that moves, None for none."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.mode: int | None = None
        self.time = 0.0
        self._known: tuple[Array, Array, Modes] | None = None

    def advance(self, seconds: float) -> bool:
        """Let real time pass; tells whether anything moved."""
        if self.mode is None:
            return False
        self.time = (self.time + seconds) % PERIOD
        return True

    def modes(self, position: Array, load: Array) -> Modes:
        """Where the robot stands, under its load; NaN where it is singular."""
        if self._known is None or self._known[0] is not position or self._known[1] is not load:
            self._known = (position, load, self.probe.modes(position, load))
        return self._known[2]

    def displaced(self, position: Array, load: Array) -> Array:
        """Where the mode has brought the robot by now."""
        if self.mode is None:
            return position
        shape = self.modes(position, load).shapes[:, self.mode]
        # A turn counts as the way at a typical distance.
        turning = ["rad" in unit for unit in self.probe.robot.velocities.units]
        ways = np.abs(shape) * np.where(turning, self.probe.length, 1.0)
        if not ways.max() > 0:
            return position
        way = AMPLITUDE * self.probe.robot.size / ways.max() * np.sin(2 * np.pi * self.time / PERIOD)
        return moved(position, way * shape)


def moved(position: Array, motion: Array) -> Array:
    """A position after a small motion: of joints, or a translation and a rotation vector, base axes."""
    if len(position) == len(motion):
        return position + motion
    turned = multiply(from_vector(motion[3:]), position[3:])
    return np.concatenate([position[:3] + motion[:3], turned])
