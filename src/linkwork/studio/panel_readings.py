"""The left panel: what the robot feels now, and which reactions are drawn."""

from __future__ import annotations

import numpy as np

from linkwork.robot.robot import Array
from linkwork.studio import readouts
from linkwork.studio.host import Host, Node
from linkwork.studio.reading import StateReading
from linkwork.studio.session import Session

WIDTH = 320
NAMES = {"N m": "torques", "N": "forces"}
INDETERMINATE = "left out: what depends on the elasticity of links (overconstrained robot)"


class ReadingsPanel:
    """Limits, condition number, efforts; switches for the reactions of every joint."""

    def __init__(self, host: Host, session: Session) -> None:
        gui = host.gui
        self.panel = gui.add_panel()
        self.scale: Array = np.ones(session.robot.n)
        self.switches: dict[str, Node] = {}
        with self.panel.add_tab("Readings", "gauge"):
            gui.add_html(readouts.note(session.source.title))
            self.notice = gui.add_html("", visible=False)
            self.fault = gui.add_html("", visible=False)
            self.limits = gui.add_html("")
            self.gauge = gui.add_html("")
            self.bars = gui.add_html("")
            self.legend = gui.add_html("")
            self.strokes = gui.add_html("")
            self.velocities = gui.add_html("")
            self.tip = gui.add_html("", visible=session.moves_joints)
            self._build_switches(host, session)
            gui.add_html(readouts.note("arrows: green forces, purple moments; scaled to the largest"))
            if not session.robot.determinate:
                gui.add_html(readouts.note(INDETERMINATE))
        self.panel.dock_left()
        self.panel.set_width(WIDTH)

    def _build_switches(self, host: Host, session: Session) -> None:
        gui = host.gui
        found = session.read().reactions
        kinds = list(dict.fromkeys(reaction.kind for reaction in found))
        for kind in kinds:
            title = "Reactions" if len(kinds) == 1 else f"Reactions: {kind}s"
            with gui.add_folder(title, expand_by_default=len(kinds) == 1):
                everyone = gui.add_checkbox(f"all {kind}s", False)
                own = {
                    reaction.name: gui.add_checkbox(reaction.owner, False)
                    for reaction in found
                    if reaction.kind == kind
                }
                self.switches.update(own)

                def switch_all(boxes: dict[str, Node] = own, leader: Node = everyone) -> None:
                    for box in boxes.values():
                        box.value = leader.value
                    host.show_again()

                host.on_update(everyone, switch_all)
                for box in own.values():
                    host.on_update(box, host.show_again)

    @property
    def switched_on(self) -> frozenset[str]:
        return frozenset(name for name, box in self.switches.items() if box.value)

    def rescale(self, reading: StateReading, allowed: Array) -> Array:
        """Bars grow with the efforts but never shrink while one looks, so that they can be compared."""
        wanted = readouts.effort_scale(reading.effort, allowed)
        grown = np.where(np.isfinite(allowed), wanted, np.maximum(wanted, self.scale))
        self.scale = grown
        return grown

    def show(self, reading: StateReading, session: Session, colors: str) -> None:
        robot, units, carrier = session.robot, session.units, session.robot.actuated_element.capitalize()
        self.limits.content = readouts.limits(reading, session.has_limits)
        found = (reading.singularity, *reading.others)
        self.gauge.content = "".join(readouts.gauge(each) for each in found)
        title = f"{carrier} {NAMES.get(robot.efforts.unit, 'efforts')}"
        self.bars.content = readouts.bars(reading, robot.efforts, self.scale, title, colors)
        self.legend.content = readouts.color_legend(colors, robot.efforts.names)
        if reading.measured:
            stroke, velocity = reading.measured[:2]
            self.strokes.content = readouts.strokes(stroke, f"{carrier} {stroke.name}s", units)
            self.velocities.content = readouts.velocities(velocity, f"{carrier} velocities", units)
        if session.moves_joints:
            self.tip.content = readouts.pose(session.handle, "Pose of the tool", units)

    def tell(self, title: str, text: str, good: bool) -> None:
        """A message where it covers nothing of the scene; an empty text takes it away."""
        self.notice.visible = bool(text)
        if text:
            self.notice.content = readouts.said(title, text, good)

    def show_fault(self, fault: str | None) -> None:
        """A robot file that cannot be read: the last good robot stays, and this says so."""
        self.fault.visible = fault is not None
        if fault is not None:
            lines = [*fault.splitlines(), "The last good version is shown."]
            self.fault.content = readouts.alarm("Robot file at fault", lines)
