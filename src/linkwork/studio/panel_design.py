"""The tab of the design: numbers of the parts, points to drag, the robot file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from linkwork.studio.design import HEIGHT, DesignField, changes_for, place_of, points_of
from linkwork.studio.host import Event, Host, Node
from linkwork.studio.session import Session

DIGITS = 6  # a micrometer; more have no room


class DesignPanel:
    """Fields of the chosen part, and handles at its points.

    Args:
        redraw: called after an edit, to bring the scene up to date.
    """

    def __init__(self, host: Host, session: Session, size: float, redraw: Callable[[], None]) -> None:
        self.host, self.session, self.size, self.redraw = host.corner(), session, size, redraw
        host = self.host
        self.fields: list[tuple[DesignField, Node]] = []
        self.handles: dict[str, Node] = {}
        self.held: str | None = None
        gui = host.gui
        self.shape = {
            name: gui.add_slider(
                f"{name} [m]", _rounded_down(value / 3), _rounded_down(3 * value), 1e-4, round(value, 4)
            )
            for name, value in session.design.shape.items()
        }
        for name, slider in self.shape.items():
            host.on_update(slider, partial(self._reshaped, name))
        self.part = gui.add_dropdown("Part", session.design.parts)
        host.on_update(self.part, self._picked)
        self.everywhere = gui.add_checkbox("masses and centers of all legs alike", False)
        self.everywhere.visible = bool(session.design.shape)
        self.folder = gui.add_folder("Numbers of this part")
        self._form()
        movable = session.design.has_points
        self.dragging = gui.add_checkbox("drag its points in the scene", False, visible=movable)
        host.on_update(self.dragging, self._handles)
        host.button("Save as robot file (.yaml)", "device-floppy", self._save)
        host.button("Back to the file", "arrow-back-up", self._undo)

    def file(self) -> bytes:
        return self.session.design.text().encode()

    def _save(self) -> None:
        self.host.send(f"{self.session.robot.name}.yaml", self.file())

    def _form(self) -> None:
        gui, design, part = self.host.gui, self.session.design, self.part.value
        for _, node in self.fields:
            node.remove()
        self.fields = []
        with self.folder:
            for field in design.fields(part):
                value = design.value(part, field)
                if field.is_vector:
                    node = gui.add_vector3(field.label, _rounded(value), step=self._step(field))
                else:
                    node = gui.add_number(field.label, round(value, DIGITS), step=self._step(field))
                self.host.on_update(node, partial(self._edited, field, node))
                self.fields.append((field, node))

    def _step(self, field: DesignField) -> float:
        """Of the arrows beside a number; lengths in proportion to the robot."""
        fixed = {"": 0.01, "deg": 1.0, "kg": 0.1}
        return fixed.get(field.unit) or float(10.0 ** np.floor(np.log10(self.size / 200)))

    def _picked(self) -> None:
        self._form()
        self._handles()

    def _edited(self, field: DesignField, node: Node) -> None:
        shared = field.path[-1] in ("mass", "center_of_mass") and len(field.path) > 1
        self._edit({field: node.value}, self.everywhere.value and shared)

    def _edit(self, changes: Mapping[DesignField, ArrayLike], everywhere: bool = False) -> None:
        self.session.remember(f"design {self.part.value}")
        try:
            self.session.design.edit(self.part.value, changes, everywhere)
        finally:
            self.show()  # a number that is refused goes back to what it was
        self.session.design_changed()
        self.redraw()
        self.host.show_again()

    def _reshaped(self, name: str) -> None:
        """A radius or the height; another height is another home, where the robot then stands."""
        self.session.remember(name)
        try:
            self.session.design.reshape(name, float(self.shape[name].value))
        finally:
            self.show()
        self.session.design_changed()
        if name == HEIGHT:
            self.session.go_home()
        self.redraw()
        self.host.show_again()

    def _undo(self) -> None:
        self.session.reload()
        self.redraw()
        self.host.show_again()

    def _handles(self) -> None:
        for handle in self.handles.values():
            handle.remove()
        self.handles, self.held = {}, None
        if not self.dragging.value:
            return
        for name in points_of(self.session.design, self.part.value):
            handle = self.host.scene.add_transform_controls(
                f"/design/{name}", scale=0.14 * self.size, disable_rotations=True, depth_test=False
            )
            self.handles[name] = handle
            self.host.listen(handle.on_update, partial(self._dragged, name))
        self.host.show_again()

    def _dragged(self, name: str, event: Event) -> None:
        if name not in self.handles:
            return
        self.held = None if event.phase == "end" else name
        place = np.round(self.handles[name].position, DIGITS)
        design, part = self.session.design, self.part.value
        self._edit(changes_for(design, part, name, place, self.session.read()))

    def show(self) -> None:
        """Numbers and handles as the design has them."""
        design, part = self.session.design, self.part.value
        for name, value in design.shape.items():
            self.shape[name].value = round(value, 4)
        for field, node in self.fields:
            value = design.value(part, field)
            node.value = _rounded(value) if field.is_vector else round(value, DIGITS)
        if self.handles:
            reading = self.session.read()
            for name, handle in self.handles.items():
                if name != self.held:
                    handle.position = place_of(design, part, name, reading)


def _rounded_down(value: float) -> float:
    return float(np.floor(value * 1e4) / 1e4)


def _rounded(value: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (round(float(number), DIGITS) for number in value)
    return x, y, z
