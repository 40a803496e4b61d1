"""The gallery: a picture of every bundled robot, which leads to its motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from threading import Event, Thread

import numpy as np

from linkwork.drawing.projection import SLANTED
from linkwork.drawing.shape import COLORS, placed
from linkwork.model.bundled import KIND_NAMES, bundled_names
from linkwork.robot.loading import load
from linkwork.robot.robot import Robot
from linkwork.studio.controls import home_of
from linkwork.studio.design import interpreted
from linkwork.studio.host import Host
from linkwork.studio.links import LinkedView, path_of

FIRST = "simona"  # plays when the gallery opens
TITLES = (
    "Arms",
    "Hexapods (Stewart platforms)",
    "Parallel robots",
    "Mechanisms with loops and branches",
)
WIDTH, HEIGHT, EDGE = 120, 96, 8  # pixels of a picture
GRID = "display:grid;grid-template-columns:repeat(3,1fr);gap:6px;"
TILE = (
    "display:block;text-align:center;text-decoration:none;color:inherit;font-size:0.75em;padding:2px;"
    "border:1px solid rgba(128,128,128,0.3);border-radius:6px;"
)
BELOW = np.array([1.0, -1.0])  # pictures count downwards


def thumbnail(robot: Robot) -> str:
    """A small drawing of a robot at home, as SVG."""
    now = placed(robot, np.asarray(home_of(robot))[None])
    solids = [each for each in now.shape.solids if each.form in ("rod", "plate", "drum", "box")]
    places = [now.points(each)[0] for each in solids]
    flat = [SLANTED(points) * BELOW for points in places]
    low, high = (edge(np.concatenate(flat), axis=0) for edge in (np.min, np.max))
    scale = min((WIDTH - 2 * EDGE) / max(np.ptp([low[0], high[0]]), 1e-9),
                (HEIGHT - 2 * EDGE) / max(np.ptp([low[1], high[1]]), 1e-9))  # fmt: skip
    middle = np.array([WIDTH, HEIGHT]) / 2
    pieces = []
    for k in np.argsort([SLANTED.nearness(points) for points in places]):
        solid, points = solids[k], middle + scale * (flat[k] - (low + high) / 2)
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        color = "#{:02x}{:02x}{:02x}".format(*COLORS[solid.role])
        if solid.form == "plate":
            pieces.append(f'<polygon points="{path}" fill="{color}"/>')
        else:
            width = max(2 * scale * solid.radius, 1.5)
            pieces.append(f'<polyline points="{path}" stroke="{color}" stroke-width="{width:.1f}"/>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" fill="none" stroke-linejoin="round" '
        f'stroke-linecap="round" aria-hidden="true">{"".join(pieces)}</svg>'
    )


class Thumbnails:
    """Made once, in the background, for all windows; `ready` are those that there are, by name."""

    def __init__(self) -> None:
        self.ready: dict[str, str] = {}
        self.stopped = Event()
        self._thread = Thread(target=self._make, name="studio gallery", daemon=True)

    def start(self) -> None:
        if not self._thread.is_alive() and not self.ready:
            self._thread.start()

    def _make(self) -> None:
        for name in (name for _, names in families() for name in names):
            if self.stopped.wait(0.02):  # what is on the screen goes first
                return
            self.ready[name] = thumbnail(interpreted(load(name).model))


def families() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Titles, and the names of bundled robots below them."""
    for title, kind in zip(TITLES, KIND_NAMES, strict=True):
        yield title, bundled_names(kind)


class GalleryPanel:
    """Tiles that are links; a picture comes into its tile when it is made.

    Args:
        address: of the studio, which begins every link.
    """

    def __init__(self, host: Host, thumbnails: Thumbnails, address: Callable[[str], str]) -> None:
        self.thumbnails, self.address = thumbnails, address
        self._shown = -1
        host.gui.add_markdown("Robots that come with Linkwork. Click one to see it move.")
        self.sections = []
        for title, names in families():
            with host.gui.add_folder(title):
                self.sections.append((names, host.gui.add_html("")))
        thumbnails.start()
        self.show()

    def show(self) -> None:
        if self._shown == len(self.thumbnails.ready):
            return
        self._shown = len(self.thumbnails.ready)
        for names, node in self.sections:
            node.content = f'<div style="{GRID}">{"".join(map(self._tile, names))}</div>'

    def _tile(self, name: str) -> str:
        blank = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%"></svg>'
        where = self.address(path_of(LinkedView(robot=name, playing=True)))
        picture = self.thumbnails.ready.get(name, blank)
        return (
            f'<a href="{escape(where)}" data-robot="{name}" style="{TILE}">{picture}{escape(name)}</a>'
        )
