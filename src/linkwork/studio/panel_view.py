"""The tab of the view: from where, in which units and colors, and what is drawn besides the robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from linkwork.studio.camera import VIEWS, Camera
from linkwork.studio.host import Host, Node
from linkwork.studio.readouts import COLOR_CHOICES
from linkwork.studio.session import Session
from linkwork.studio.units import CHOICES, Units


@dataclass
class Looks:
    """What a person has chosen to see; it stays when another robot comes."""

    dark: bool
    shadows: bool
    colors: str = COLOR_CHOICES[0]
    handle: bool = True
    turning: bool = True
    labels: bool = True
    frames: bool = False
    trace: bool = True


class ViewPanel:
    """Args:
    relight: called when colors of the page or shadows change.
    rebuild: called when units change, which stand in labels everywhere.
    """

    def __init__(
        self,
        host: Host,
        session: Session,
        looks: Looks,
        camera: Camera,
        relight: Callable[[], None],
        rebuild: Callable[[], None],
    ) -> None:
        self.host, self.session, self.looks, self.rebuild = host.corner(), session, looks, rebuild
        gui = host.gui
        views = gui.add_button_group("view from", tuple(VIEWS))
        self.host.on_click(views, lambda: camera.view(views.value))
        self.units = gui.add_dropdown("units", tuple(CHOICES), initial_value=session.units.name)
        self.host.on_update(self.units, self._measured)
        self.colors = gui.add_dropdown("colors show", COLOR_CHOICES, initial_value=looks.colors)
        self.host.on_update(self.colors, self._colored)
        joints = session.moves_joints
        self._box("path of the tool", "trace")
        self._box("names of motors", "labels")
        self._box("frames of bodies", "frames")
        self._box("handle to drag", "handle")
        self._box("handle also turns the tool", "turning", visible=joints and session.turns_tool)
        self._box("shadows", "shadows", relight)
        self._box("dark", "dark", relight)

    def _box(
        self, label: str, name: str, then: Callable[[], None] | None = None, visible: bool = True
    ) -> None:
        box = self.host.gui.add_checkbox(label, getattr(self.looks, name), visible=visible)
        self.host.on_update(box, partial(self._ticked, box, name, then))

    def _ticked(self, box: Node, name: str, then: Callable[[], None] | None) -> None:
        setattr(self.looks, name, box.value)
        if then is not None:
            then()
        self.host.show_again()

    def _colored(self) -> None:
        self.looks.colors = self.colors.value
        self.host.show_again()

    def _measured(self) -> None:
        self.session.measure_in(Units(*CHOICES[self.units.value]))
        self.rebuild()
