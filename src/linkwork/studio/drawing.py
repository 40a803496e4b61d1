"""What a page asks of a robot in the scene."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from linkwork.interface.robot import Array


class Drawing(ABC):
    """Built once for a robot; `show` moves and colours it.

    `middle` and `size` tell the camera where to look, `floor` [m] where the ground is. Readings and
    robots are of the kind that is drawn.
    """

    middle: Array
    size: float
    floor: float

    @abstractmethod
    def show(self, reading: Any, scale: Array, switched_on: frozenset[str]) -> None:
        """Put everything where the reading says; `scale` are the efforts of full colour."""

    @abstractmethod
    def show_labels(self, visible: bool) -> None:
        """Names of joints or legs."""

    @abstractmethod
    def show_frames(self, visible: bool) -> None:
        """Axes of the links."""

    @abstractmethod
    def show_ghost(self, position: Array | None) -> None:
        """Where the reference is while a simulation is shown."""

    @abstractmethod
    def remodel(self, robot: Any) -> None:
        """After a change of the design: bodies anew."""
