"""The camera of a window: where it begins, and room for the plots."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.interface.robot import Array

FIELD_OF_VIEW = 0.75  # radians, vertical: little distortion
DIRECTION = (1.0, -1.15, 0.62)  # from the robot to the eye
DISTANCE = 1.75  # of the robot's size
NARROWEST = 420  # pixels
PLOTS_HEIGHT = 318  # pixels that the panel of plots takes from the scene
MARGIN = 10


class Camera:
    """The camera of one window.

    Args:
        panels: width that the panels at the sides take from the window, in pixels.
    """

    def __init__(self, client: Any, panels: float) -> None:
        self.client = client
        self.panels = panels
        self._window_width = client.camera.image_width  # before the panels are there
        self._room_made = False

    @property
    def now(self) -> tuple[float, ...]:
        """The place of the eye, and the point it looks at."""
        camera = self.client.camera
        return tuple(float(x) for x in (*camera.position, *camera.look_at))

    @property
    def width(self) -> float:
        """Of the scene between the panels; before the browser tells of them, what they will leave."""
        now = self.client.camera.image_width
        return float(max(now if now < self._window_width else now - self.panels, NARROWEST))

    def look(
        self, middle: Array, size: float, given: tuple[float, ...] | None, plots_come: bool
    ) -> None:
        """At a robot of this size, or as a link gives it, which has made room for plots already."""
        self._room_made = plots_come
        if given is None:
            way = np.array(DIRECTION)
            narrow = self.client.camera.image_height / self.width
            way *= DISTANCE * max(1.0, 0.95 * narrow) * size / np.linalg.norm(way)
            target = middle - (self._room(way) if plots_come else 0.0)
            given = (*(target + way), *target)
        camera = self.client.camera
        with self.client.atomic():
            camera.up_direction = (0.0, 0.0, 1.0)
            camera.fov = FIELD_OF_VIEW
            camera.position, camera.look_at = given[:3], given[3:]

    def make_room(self, plots_shown: bool) -> None:
        """Pan when the plots appear or go."""
        if self._room_made and plots_shown:
            self._room_made = False
            return
        camera = self.client.camera
        position, target = np.array(camera.position), np.array(camera.look_at)
        shift = self._room(position - target) * (-1.0 if plots_shown else 1.0)
        with self.client.atomic():
            camera.position, camera.look_at = position + shift, target + shift

    def _room(self, way: Array) -> Array:
        """How far to pan a camera that stands `way` from its target, so that the robot comes into the
        middle of what the plots leave of the scene.
        """
        up = np.cross(way, np.cross([0.0, 0.0, 1.0], way))
        length = float(np.linalg.norm(up))
        if length < 1e-9:
            return np.zeros(3)
        seen = 2 * float(np.linalg.norm(way)) * np.tan(FIELD_OF_VIEW / 2)
        height = max(self.client.camera.image_height, 2 * PLOTS_HEIGHT)
        return np.asarray(up * (seen * (PLOTS_HEIGHT + 2 * MARGIN) / 2 / height / length))
