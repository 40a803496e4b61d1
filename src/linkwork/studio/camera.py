"""The camera of one window: it sees the whole robot in what panels leave of the scene."""

from __future__ import annotations

import numpy as np

from linkwork.robot.robot import Array
from linkwork.studio.host import Client

FIELD_OF_VIEW = 0.75  # radians, vertical: little distortion
VIEWS = {  # from the robot to the eye
    "slanted": (1.0, -1.15, 0.62),
    "front": (0.0, -1.0, 0.0),
    "side": (1.0, 0.0, 0.0),
    "top": (0.0, -1e-3, 1.0),
}
FIRST = "slanted"
NARROWEST = 300  # pixels
PHONE = 576  # pixels: below, panels are a sheet over the lower part of the scene
SHEET = 0.46  # of the height, as the page's style has it
PLOTS_HEIGHT = 318  # pixels that the panel of plots takes from the scene
MARGIN = 10
AROUND = 0.72  # of the room: the robot at home; the rest is for its motion


class Camera:
    """Fitted to points of the robot until a person moves it.

    Args:
        panels: width that the panels at the sides take from the window, in pixels.
    """

    def __init__(self, client: Client, panels: float) -> None:
        self.client, self.panels = client, panels
        self._window_width = client.camera.image_width  # before the panels are there
        self._points: Array = np.zeros((1, 3))
        self._given: tuple[float, ...] | None = None
        self._arrived = False  # the browser has told that it stands there
        self._view: str | None = FIRST
        self._plots = False
        client.camera.on_update(self._reported)

    def _reported(self, camera: Client) -> None:
        self._arrived = self._arrived or self._stands_as_given

    @property
    def now(self) -> tuple[float, ...]:
        """The place of the eye, and the point it looks at."""
        camera = self.client.camera
        return tuple(float(x) for x in (*camera.position, *camera.look_at))

    @property
    def is_phone(self) -> bool:
        return bool(self._window_width < PHONE)

    @property
    def width(self) -> float:
        """Of the scene between the panels; before the browser tells of them, what they will leave."""
        now = self.client.camera.image_width
        untold = now >= self._window_width and not self.is_phone
        return float(max(now - self.panels if untold else now, NARROWEST))

    def look(self, points: Array, given: tuple[float, ...] | None, plots_come: bool) -> None:
        """At points (N, 3), or as a link gives it, which has made room for plots already."""
        self._points, self._plots = points, plots_come
        self._view = FIRST if given is None else None
        self.client.camera.fov = FIELD_OF_VIEW
        if given is None:
            self.view(FIRST)
        else:
            self._put(given)

    def view(self, name: str) -> None:
        """One of VIEWS, with all of the robot in sight."""
        way = np.array(VIEWS[name])
        self._put(self._fitted(way / np.linalg.norm(way)))
        self._view = name

    def make_room(self, plots_shown: bool) -> None:
        """When the plots appear or go: fit anew, or pan a camera that a person has moved."""
        if plots_shown == self._plots:
            return
        self._plots = plots_shown
        moved_by_hand = self._arrived and not self._stands_as_given
        if self._view is not None and not moved_by_hand:
            self.view(self._view)
            return
        self._view = None
        position, target = np.split(np.array(self.now), 2)
        way = position - target
        up = np.cross(way, np.cross([0.0, 0.0, 1.0], way))
        seen = 2 * np.linalg.norm(way) * np.tan(FIELD_OF_VIEW / 2)
        share = PLOTS_HEIGHT / 2 / max(self.client.camera.image_height, 2 * PLOTS_HEIGHT)
        size = np.linalg.norm(up)
        if size > 1e-9:
            shift = up / size * seen * share * (-1.0 if plots_shown else 1.0)
            self._put((*(position + shift), *(target + shift)))

    @property
    def _stands_as_given(self) -> bool:
        now, given = np.array(self.now), np.array(self._given or self.now)
        far = np.linalg.norm(given[:3] - given[3:])
        return bool(np.abs(now - given).max() < 1e-3 * far)

    def _put(self, place: tuple[float, ...]) -> None:
        camera = self.client.camera
        self._given, self._arrived = tuple(map(float, place)), False
        with self.client.atomic():
            camera.up_direction = (0.0, 0.0, 1.0)
            camera.position, camera.look_at = place[:3], place[3:]

    def _fitted(self, toward: Array) -> tuple[float, ...]:
        """Eye and target from which all points fill what is free of the scene."""
        height = float(max(self.client.camera.image_height, 2 * PLOTS_HEIGHT))
        below = SHEET * height if self.is_phone else PLOTS_HEIGHT + 2 * MARGIN if self._plots else 0.0
        half = np.tan(FIELD_OF_VIEW / 2)
        room = AROUND * half * np.array([self.width, height - below]) / height
        right = np.cross([0.0, 0.0, 1.0], toward)
        right /= np.linalg.norm(right)
        up = np.cross(toward, right)
        middle = (self._points.min(axis=0) + self._points.max(axis=0)) / 2
        distance = 0.0
        for _ in range(8):  # points that are nearer to the eye look larger
            away = self._points - middle
            flat, near = np.stack([away @ right, away @ up], axis=1), away @ toward
            distance = max(float((np.abs(flat) / room + near[:, None]).max()), 1e-6)
            seen = flat / (distance - near[:, None]).clip(1e-9)
            off = distance * (seen.min(axis=0) + seen.max(axis=0)) / 2
            middle = middle + off[0] * right + off[1] * up
        target = middle - up * (distance * half * below / height)
        return (*(target + distance * toward), *target)
