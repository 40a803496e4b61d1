"""The robot file on disk, and what a URDF shows of its links.

A file is loaded again when it changes; a broken one leaves the last good robot.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from linkwork.core.arguments import one_of
from linkwork.core.errors import LinkworkError
from linkwork.drawing.visuals import Visual, visuals_of
from linkwork.model.bundled import bundled_names
from linkwork.model.robot_files import fetched
from linkwork.model.urdf.chain import ChainSelection
from linkwork.robot.loading import load
from linkwork.robot.robot import Robot
from linkwork.studio.gallery import FIRST, Thumbnails


def label_of(given: str) -> str:
    """What a robot is called in the page and in links: its name, or that of its file without folders."""
    return given if given in bundled_names() else Path(given).name


class RobotSource:
    """A robot and where it comes from. `version` counts good loads, `fault` tells of a bad one."""

    def __init__(self, given: str, chain: ChainSelection | None = None) -> None:
        self.given, self.chain = given, chain or ChainSelection()
        self.path = None if given in bundled_names() else Path(fetched(given))
        self.name = label_of(given)
        self.version = 0
        self.fault: str | None = None
        self._lock = threading.Lock()
        self._seen = self._signature()
        self.robot = self._load()
        self.visuals = self._shapes()

    @property
    def title(self) -> str:
        """The robot's name, and the file it was read from."""
        name = self.robot.name
        return name if self.path is None else f"{name}, read from {self.name}"

    def _load(self) -> Robot:
        return load(self.given, tip=self.chain.tip, base=self.chain.base, fix=self.chain.fix)

    def _signature(self) -> tuple[int, ...] | None:
        if self.path is None:
            return None
        try:
            found = os.stat(self.path)
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _shapes(self) -> tuple[Visual, ...]:
        """What the file shows of its links."""
        return visuals_of(self.path, self.robot.model, self.chain) if self.path is not None else ()

    def poll(self) -> bool:
        """Look at the file; tells whether robot or fault are new."""
        with self._lock:
            now = self._signature()
            if now == self._seen:
                return False
            self._seen = now
            try:
                self.robot = self._load()
            except LinkworkError as error:
                self.fault = str(error)
            else:
                self.fault = None
                self.visuals = self._shapes()
                self.version += 1
            return True


class Shelf:
    """The robots that pages may show: the bundled ones, and the file that the studio was given.

    A studio that was given none opens its gallery.
    """

    def __init__(self, given: str | None, chain: ChainSelection | None = None) -> None:
        source = RobotSource(given or FIRST, chain)
        self.given, self.is_gallery = source.name, given is None
        self.thumbnails = Thumbnails()
        self._lock = threading.Lock()
        self._open = {source.name: source}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.given, *bundled_names())))

    def get(self, name: str) -> RobotSource:
        """By name; a link cannot make the studio open any other file."""
        one_of(name, self.names, "robot")
        with self._lock:
            if name not in self._open:
                self._open[name] = RobotSource(name)
            return self._open[name]
