"""The tab to move the robot: sliders, load."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from linkwork.kinematics.assembly_modes import AssemblyModes
from linkwork.robot.coordinates import only_body
from linkwork.robot.robot import Array, Robot
from linkwork.studio.controls import Control
from linkwork.studio.host import Host, WorkPanel
from linkwork.studio.panel_frames import FramesPanel
from linkwork.studio.session import Session

NO_MODES = "not searched yet"
MODE_COLUMNS, MODES_WIDTH = 2, 3.9  # drawings in a row; inches of a window over the page


LOADED = {
    "tip_wrench": "Of the tip on its surroundings, at the tip and in its axes.",
    "wrench": "On the tool, at its origin and in its axes.",
}


def mode_labels(found: AssemblyModes) -> dict[str, Array]:
    """Poses by what is worth knowing of each."""
    labels = {}
    for k, pose in enumerate(found.poses):
        labels[f"{k + 1}: condition {found.condition[k]:.3g}, {', '.join(found.notes(k))}"] = pose
    return labels


class PosePanel:
    """Sliders from the limits; a load."""

    def __init__(
        self,
        host: Host,
        session: Session,
        robots: Sequence[str],
        take: Callable[[str], None],
        work: WorkPanel,
        undo: Callable[[], None],
    ) -> None:
        self.host, self.session = host, session
        self._modes: dict[str, Array] = {}
        gui = host.gui
        self.robot = gui.add_dropdown("Robot", tuple(robots), initial_value=session.source.name)
        host.on_update(self.robot, lambda: take(self.robot.value))
        with gui.add_folder(_moved_things(session.robot)):
            host = self.host = self.host.corner()
            self.sliders = []
            for k, (control, given) in enumerate(zip(session.controls, session.values, strict=True)):
                value = _rounded(control, given)
                low, high = min(control.low, value), max(control.high, value)
                self.sliders.append(gui.add_slider(control.label, low, high, control.step, value))
                host.on_update(self.sliders[-1], partial(self._moved, k))
            host.button("Home pose", "home", self.go_home, hint="H")
            host.button("Undo", "arrow-back-up", undo, hint="Ctrl+Z")
        if session.robot.has_assembly_modes:
            with gui.add_folder("Assembly modes", expand_by_default=False):
                host = self.same = self.host.corner()
                host.button("Find all poses", "copy", self.find_modes)
                self.modes = gui.add_dropdown("pose", (NO_MODES,), initial_value=NO_MODES)
                host.button("Show side by side", "layout-grid", self.show_modes)
                host.on_update(self.modes, self._chosen_mode)
        with gui.add_folder("Load", expand_by_default=False):
            host = self.host
            gui.add_markdown(LOADED[session.robot.wrench_option])
            self.force = gui.add_vector3("force [N]", (0.0, 0.0, 0.0), step=1.0)
            self.moment = gui.add_vector3("moment [N m]", (0.0, 0.0, 0.0), step=0.1)
            for node in (self.force, self.moment):
                host.on_update(node, self._loaded)
        self.in_frames = FramesPanel(host, session, work) if session.robot.coordinates.is_pose else None

    def _moved(self, k: int) -> None:
        """One slider; the others may show rounded numbers, which must not move the robot."""
        self.session.playback.playing = False
        values = self.session.values
        values[k] = self.sliders[k].value
        self.session.move(values)
        self.host.show_again()

    def go_home(self) -> None:
        self.session.playback.playing = False
        self.session.go_home()
        self.host.show_again()

    def find_modes(self) -> AssemblyModes:
        """List all poses with the leg lengths of now; the first is the nearest to home."""
        robot: Any = self.session.robot  # one that has assembly modes
        lengths = robot.actuator_motion(self.session.state.position).position
        found: AssemblyModes = robot.assembly_modes(lengths)
        self._modes = mode_labels(found)
        self.modes.options = tuple(self._modes)
        self.same.tell("Assembly modes", f"{len(found.poses)} poses; {found.reason}.", True)
        return found

    def show_modes(self) -> None:
        """All poses as drawings in a window over the page."""
        from linkwork.reports.assembly_modes import modes_figure  # imported when needed: slow to load
        from linkwork.reports.svg import standalone_svg

        found = self.find_modes()
        drawing = standalone_svg(modes_figure(found, MODE_COLUMNS, MODES_WIDTH))
        window = self.host.gui.add_modal(f"Assembly modes: {len(found.poses)}")
        with window:
            self.host.gui.add_html(drawing[drawing.index("<svg") :])  # XML has a line before it
            self.host.button("Close", "x", window.close)

    def _chosen_mode(self) -> None:
        if self.modes.value in self._modes:
            self.session.playback.playing = False
            self.session.place(self._modes[self.modes.value])
            self.host.show_again()

    def _loaded(self) -> None:
        self.session.load = np.array([*self.force.value, *self.moment.value], dtype=np.float64)
        self.host.show_again()

    def show(self) -> None:
        for slider, control, value in zip(
            self.sliders, self.session.controls, self.session.values, strict=True
        ):
            shown = _rounded(control, value)
            # A robot that goes beyond the end of a slider takes the end along.
            if shown < slider.min:
                slider.min = shown
            if shown > slider.max:
                slider.max = shown
            slider.value = shown
        if self.in_frames is not None:
            self.in_frames.show()


def _moved_things(robot: Robot) -> str:
    """What the sliders move."""
    body = only_body(robot.mechanism)
    if body is not None:
        return f"Pose of the {body}"
    return "Joints" if robot.moved_by_motors else "Coordinates"


def _rounded(control: Control, value: float) -> float:
    """To a tenth of the slider's step."""
    return round(float(value), 1 - round(math.log10(control.step)))
