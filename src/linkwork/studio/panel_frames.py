"""User frame, object frame and pivot, as controllers of positioning hexapods have them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from linkwork.analysis.axis_limits import axis_limits
from linkwork.analysis.workspace import AxisRange
from linkwork.core.rotations import to_angles
from linkwork.core.text import number
from linkwork.kinematics.user_frames import UserFrames
from linkwork.robot.loading import robot_of
from linkwork.robot.robot import Array
from linkwork.studio.host import Host, Node, WorkPanel
from linkwork.studio.readouts import BOX
from linkwork.studio.session import Session
from linkwork.studio.units import Units

DIGITS, STEP = 6, 1e-3  # of the numbers that are shown
STAND = 1e-9  # of a pose: nearer is where it is


def axis_table(found: Sequence[AxisRange], units: Units) -> str:
    """From where to where each axis goes, and why not farther."""
    rows = []
    for each in found:
        factor, unit = units.unit(each.unit)
        for end, why in ((each.lowest, each.lowest_limit), (each.highest, each.highest_limit)):
            rows.append(
                f"<tr><td>{each.axis}</td><td style='text-align:right;white-space:nowrap'>"
                f"{number(factor * end)} {unit}</td>"
                f"<td style='padding-left:0.8em'>{escape(why or 'no limit')}</td></tr>"
            )
    return f'<div style="{BOX}" data-axes="{len(found)}"><table>{"".join(rows)}</table></div>'


class FramesPanel:
    """Where the frames stand, the pose in them, and how far its axes go."""

    def __init__(self, host: Host, session: Session, work: WorkPanel) -> None:
        self.session, self.work, self._limits_at = session, work, np.zeros(7)
        gui, unit = host.gui, session.units.unit("m")[1]
        turn = session.units.unit("rad")[1]
        with gui.add_folder("User frame and pivot", expand_by_default=False):
            self.host = host = host.corner()
            self.pivot = gui.add_vector3(f"pivot [{unit}]", (0.0, 0.0, 0.0), step=STEP)
            host.on_update(self.pivot, self._pivoted)
            self.places: dict[str, tuple[Node, Node]] = {}
            for name in ("user", "object"):
                nodes = [
                    gui.add_vector3(f"{name} frame {what}", (0.0, 0.0, 0.0), step=STEP)
                    for what in (f"x y z [{unit}]", f"roll pitch yaw [{turn}]")
                ]
                self.places[name] = (nodes[0], nodes[1])
                for node in nodes:
                    host.on_update(node, self._framed)
            self.pose = (
                gui.add_vector3(f"x y z in them [{unit}]", (0.0, 0.0, 0.0), step=STEP),
                gui.add_vector3(f"roll pitch yaw in them [{turn}]", (0.0, 0.0, 0.0), step=STEP),
            )
            for node in self.pose:
                host.on_update(node, self._moved)
            host.button("How far each axis goes", "arrows-horizontal", self._limits)
            self.table = gui.add_html("", visible=False)
        self._show_frames()

    def _read(self, nodes: tuple[Node, Node]) -> Array:
        """x y z roll pitch yaw of two fields, in SI units."""
        scales = [self.session.units.unit(unit)[0] for unit in ("m", "rad")]
        parts = [np.array(node.value) / scale for node, scale in zip(nodes, scales, strict=True)]
        return np.concatenate(parts)

    def _write(self, nodes: tuple[Node, Node], pose: Array) -> None:
        parts, units = (pose[:3], to_angles(pose[3:])), ("m", "rad")
        for node, part, unit in zip(nodes, parts, units, strict=True):
            scaled = self.session.units.unit(unit)[0] * np.asarray(part)
            node.value = tuple(round(float(x), DIGITS) for x in scaled)

    def _show_frames(self) -> None:
        for name, nodes in self.places.items():
            self._write(nodes, getattr(self.session.frames, name))

    def _pivoted(self) -> None:
        point = np.array(self.pivot.value) / self.session.units.unit("m")[0]
        self.session.frames = UserFrames.about(point, self.session.robot)
        self._show_frames()
        self.host.show_again()

    def _framed(self) -> None:
        self.session.frames = UserFrames(*(self._read(nodes) for nodes in self.places.values()))
        self.host.show_again()

    def _moved(self) -> None:
        self.session.playback.playing = False
        self.session.place(self.session.frames.to_base(self._read(self.pose)))
        self.host.show_again()

    def _limits(self) -> None:
        session, frames = self.session, self.session.frames
        session.playback.playing = False
        model, pose = session.robot.model, frames.from_base(session.state.position)

        def keep(found: tuple[AxisRange, ...]) -> None:
            self._limits_at = session.state.position
            self.table.content, self.table.visible = axis_table(found, session.units), True

        self.work.start(
            "Axis limits", lambda report: axis_limits(robot_of(model), pose, frames), keep, self.host
        )

    def show(self) -> None:
        """The pose in the frames; limits of another place are none of this one."""
        position = self.session.state.position
        self._write(self.pose, self.session.frames.from_base(position))
        if self.table.visible and np.abs(position - self._limits_at).max() > STAND:
            self.table.visible = False
