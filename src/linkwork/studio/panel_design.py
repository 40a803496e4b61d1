"""The tab of the design: numbers of the parts, points to drag, the robot file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwork.studio.design import Field
from linkwork.studio.design_points import in_part, in_space
from linkwork.studio.host import Host
from linkwork.studio.session import Session

DIGITS = 7


class DesignPanel:
    """Fields of the chosen part, and handles at its points.

    Args:
        rebuilt: called after an edit, to build the scene anew.
    """

    def __init__(self, host: Host, session: Session, size: float, rebuilt: Callable[[], None]) -> None:
        self.host, self.session, self.size, self.rebuilt = host, session, size, rebuilt
        self.fields: list[tuple[Field, Any]] = []
        self.handles: list[tuple[Field, Any]] = []
        self.held: Field | None = None
        gui = host.gui
        self.part = gui.add_dropdown("Part", session.design.parts)
        host.on_update(self.part, self._picked)
        self.everywhere = gui.add_checkbox(
            "masses and centres for all parts alike", False, visible=not session.is_arm
        )
        self.folder = gui.add_folder("Numbers")
        self.dragging = gui.add_checkbox("drag its points in the scene", False)
        host.on_update(self.dragging, self._handles)
        undo = gui.add_button("Back to the file", icon="arrow-back-up")
        host.on_click(undo, self._undo)
        self._form()

    def _form(self) -> None:
        gui, design, part = self.host.gui, self.session.design, self.part.value
        for _, node in self.fields:
            node.remove()
        self.fields = []
        holder = design.holder(part)
        with self.folder:
            for field in design.fields(part):
                value = field.read(holder)
                if field.is_vector:
                    node = gui.add_vector3(field.label, _rounded(value), step=self._step(field))
                else:
                    node = gui.add_number(field.label, float(value), min=0.0, step=0.001)
                self.host.on_update(node, partial(self._edited, field, node))
                self.fields.append((field, node))

    def _step(self, field: Field) -> float:
        return 0.01 if not field.unit else float(10.0 ** np.floor(np.log10(self.size / 200)))

    def _picked(self) -> None:
        self._form()
        self._handles()

    def _edited(self, field: Field, node: Any) -> None:
        self._edit(field, node.value)

    def _edit(self, field: Field, value: Any) -> None:
        everywhere = self.everywhere.value and not field.is_point and field.unit != ""
        try:
            self.session.design.edit(self.part.value, field, value, everywhere)
        finally:
            self.show()  # a refused number goes back to what it was
        self.session.design_changed()
        self.rebuilt()
        self.host.show_again()

    def _undo(self) -> None:
        self.session.reload()
        self.rebuilt()
        self.show()
        self.host.show_again()

    def _handles(self) -> None:
        for _, handle in self.handles:
            handle.remove()
        self.handles = []
        if not self.dragging.value:
            return
        for k, field in enumerate(self.session.design.fields(self.part.value)):
            if field.is_point:
                handle = self.host.scene.add_transform_controls(
                    f"/design/{k}", scale=0.16 * self.size, disable_rotations=True, depth_test=False
                )
                self.handles.append((field, handle))
                self.host.listen(handle.on_update, partial(self._dragged, field, handle))
        self.show()

    def _dragged(self, field: Field, handle: Any, event: Any) -> None:
        self.held = None if event.phase == "end" else field
        index = self.session.design.parts.index(self.part.value)
        place = in_part(self.session.read(), index, field, handle.position)
        self._edit(field, np.round(place, DIGITS))

    def show(self) -> None:
        """Numbers and handles as the design has them."""
        design, part = self.session.design, self.part.value
        holder = design.holder(part)
        for field, node in self.fields:
            value = field.read(holder)
            node.value = _rounded(value) if field.is_vector else float(value)
        if self.handles:
            reading, index = self.session.read(), design.parts.index(part)
            for field, handle in self.handles:
                if field is not self.held:
                    handle.position = in_space(reading, index, field, field.read(holder))


def _rounded(value: Any) -> tuple[float, float, float]:
    x, y, z = (round(float(number), DIGITS) for number in value)
    return x, y, z
