"""One browser window: a session of its own, drawn and moved from one thread."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from collections.abc import Callable

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.rotations import quaternion_of, rotation_of
from linkwork.model.geometry import Transform
from linkwork.model.mechanism import POSE
from linkwork.studio.host import Client, Event, Host, WorkPanel
from linkwork.studio.links import LinkedView, path_of
from linkwork.studio.panel_analysis import VibrationPanel, WorkspacePanel
from linkwork.studio.panel_design import DesignPanel
from linkwork.studio.panel_export import ExportPanel, picture
from linkwork.studio.panel_motion import MotionPanel, Plots
from linkwork.studio.panel_pose import PosePanel
from linkwork.studio.panel_readings import WIDTH as LEFT_WIDTH
from linkwork.studio.panel_readings import ReadingsPanel
from linkwork.studio.readouts import GRID_DARK, GRID_LIGHT
from linkwork.studio.robot_file import Shelf
from linkwork.studio.scene import Camera, drawing_of, grid_cell, put
from linkwork.studio.session import Session

FRAME = 1 / 60  # seconds between drawings while something moves
WORDS = 1 / 20  # seconds between changes of numbers and plots: faster than anybody reads
PATIENCE = 0.25  # seconds between looks at the file while nothing happens
CONTROL_WIDTH = 400  # numbers of vectors have the room they need


class StudioPage(Host):
    """The views over one session. Only `post` is called from other threads."""

    def __init__(self, client: Client, shelf: Shelf, view: LinkedView, dark: bool, base: str) -> None:
        self.client, self.shelf, self.base = client, shelf, base
        self.gui, self.scene = client.gui, client.scene
        self.view, self.is_dark = view, dark if view.dark is None else view.dark
        self._actions: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._dirty = True
        self._words_at = 0.0
        self._words_due = True
        self._held = False
        self._built = False
        self._fault_shown: str | None = None
        self._told: tuple[str, str, bool] | None = None
        self._told_until = 0.0
        self.camera = Camera(client, LEFT_WIDTH + CONTROL_WIDTH)
        self.thread = threading.Thread(target=self._run, name="studio page", daemon=True)

    # Life

    def post(self, action: Callable[[], object]) -> None:
        self._actions.put(action)

    def close(self) -> None:
        self._closed.set()
        self.post(lambda: self.work.stop())

    def _run(self) -> None:
        if not self._attempt(self._open):
            return
        before, looked = time.monotonic(), 0.0
        while not self._closed.is_set():
            moving = self.session.moving or self.work.job is not None or self._words_due
            self._wait(FRAME if moving else PATIENCE)
            now = time.monotonic()
            if self.session.advance(now - before):
                self._dirty = True
            before = now
            if now - looked > PATIENCE:
                looked = now
                self._attempt(self._look_at_file)
                self._forget_told()
                self.work.show()
            if self._dirty or self._words_due:
                self._attempt(self._show)

    def _wait(self, seconds: float) -> None:
        """For something to do; then do all there is, so that only the last of many moves is drawn."""
        try:
            self._attempt(self._actions.get(timeout=seconds))
            while not self._closed.is_set():
                self._attempt(self._actions.get_nowait())
        except queue.Empty:
            pass

    def _attempt(self, action: Callable[[], object]) -> bool:
        try:
            action()
            return True
        except LinkworkError as error:
            self.tell("Not possible", str(error))
        except Exception as error:
            if not self._closed.is_set():
                traceback.print_exc()
                self.tell("A fault of the studio", f"{type(error).__name__}: {error}")
        return False

    # Building

    def _open(self) -> None:
        try:
            self.session = Session(self.shelf.get(self.view.robot or self.shelf.given))
            self.session.restore(self.view)
        except LinkworkError as error:
            self.session = Session(self.shelf.get(self.shelf.given))
            self.tell("The link cannot be followed", str(error))
        self._build(self.view.camera)

    def _take(self, name: str) -> None:
        self.session = Session(self.shelf.get(name))
        self._build(None)

    def _build(self, camera: tuple[float, ...] | None) -> None:
        """Everything anew, for a new robot."""
        with self.client.atomic():
            self.scene.reset()
            self.gui.reset()
            self._theme()
            self._scene()
            self._panels()
        plots_come = self.session.motion is not None
        self.camera.look(self.drawing.middle, self.drawing.size, camera, plots_come)
        self._keys()
        if self.session.motion is not None:
            self.motion.fit_clock()
            self.motion.compute()
        self._built = True
        self.readings.show_fault(self.session.source.fault)
        self._show_told()
        self._dirty = True

    def _theme(self) -> None:
        self.gui.configure_theme(
            dark_mode=self.is_dark,
            show_logo=False,
            show_share_button=False,
            control_width="medium",
            brand_color=(0, 114, 178),
        )
        self.gui.set_panel_label(f"Linkwork studio: {self.session.source.name}")

    def _color_grid(self) -> None:
        self.grid.cell_color, self.grid.section_color = GRID_DARK if self.is_dark else GRID_LIGHT

    def _scene(self) -> None:
        self.drawing = drawing_of(self.scene, self.session)
        size = self.drawing.size
        cell = grid_cell(size)
        self.grid = self.scene.add_grid(
            "/floor",
            width=40 * cell,
            height=40 * cell,
            cell_size=cell,
            section_size=5 * cell,
            fade_distance=6 * size,
            position=(self.drawing.middle[0], self.drawing.middle[1], self.drawing.floor),
        )
        self._color_grid()
        self.handle = self.scene.add_transform_controls(
            "/handle", scale=0.2 * size, line_width=3.0, depth_test=False
        )
        self.listen(self.handle.on_update, self._dragged)

    def _redraw(self) -> None:
        """The scene anew, for a changed design."""
        with self.client.atomic():
            self.drawing.remodel(self.session.robot)

    def _panels(self) -> None:
        session = self.session
        self.readings = ReadingsPanel(self, session)
        self.plots = Plots(self.gui, self.camera)
        self.work = WorkPanel(self)
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Pose", "hand-move"):
            self.pose = PosePanel(self, session, self.shelf.names, self._take, self.is_dark)
        with tabs.add_tab("Motion", "player-play"):
            self.motion = MotionPanel(self, session, self.plots, self.work)
        with tabs.add_tab("Design", "ruler-2"):
            self.design = DesignPanel(self, session, self.drawing.size, self._redraw)
        self.analyses: list[WorkspacePanel | VibrationPanel] = []
        # A surface can show where it ends if coordinates place the tool's body.
        has_workspace = {*POSE[:3]} <= {*session.robot.coordinates.names}
        if session.robot.stiffness_field is not None or has_workspace:
            with tabs.add_tab("Analysis", "wave-sine"):
                if has_workspace:
                    self.analyses.append(WorkspacePanel(self, session, self.work))
                if session.robot.stiffness_field is not None:
                    self.analyses.append(VibrationPanel(self, session))
        with tabs.add_tab("Export", "download"):
            self.export = ExportPanel(self, session, self.work, self._picture, self._link)
        self.on_update(self.pose.dark, self._recolor)
        for node in (self.pose.drag, self.pose.labels, self.pose.frames):
            self.on_update(node, self.show_again)
        self.gui.main_panel.dock_right()
        self.gui.main_panel.set_width(CONTROL_WIDTH)

    def _keys(self) -> None:
        """Hotkeys; the browser also lists them under Ctrl+K."""
        keys: tuple[tuple[str, str, str | None, Callable[[], object]], ...] = (
            ("Play or pause", "space", None, lambda: self.motion.toggle()),
            ("Step forward", "arrowright", None, lambda: self.motion.step(1)),
            ("Step back", "arrowleft", None, lambda: self.motion.step(-1)),
            ("Ten steps forward", "arrowright", "shift", lambda: self.motion.step(10)),
            ("Ten steps back", "arrowleft", "shift", lambda: self.motion.step(-10)),
            ("To the start", "home", None, lambda: self.motion.seek(0.0)),
            ("To the end", "end", None, lambda: self.motion.seek(self.session.playback.duration)),
            ("Home pose", "H", None, lambda: self.pose.go_home()),
        )
        for label, key, modifier, action in keys:
            command = self.gui.add_command(label, hotkey=key, modifier=modifier)
            self.on_trigger(command, action)

    # What the person does

    def _dragged(self, event: Event) -> None:
        self._held = event.phase != "end"
        self.session.playback.playing = False
        place = np.concatenate([self.handle.position, self.handle.wxyz])
        target = Transform.of(rotation_of(place), place[:3])
        self.session.drag(target.matrix(), self.pose.turning.value)
        self.show_again()

    def _recolor(self) -> None:
        self.is_dark = self.pose.dark.value
        self._theme()
        self._color_grid()

    def _look_at_file(self) -> None:
        """Every page polls; the source looks once and tells by its version and fault."""
        source = self.session.source
        source.poll()
        if source.version != self.session.version and self.session.design.changed:
            self.session.version = source.version
            text = f"{source.name} has changed. Your edits are kept; Back to the file takes the new one."
            self.tell("Robot file", text)
        elif source.version != self.session.version:
            self.session.reload()
            self._build(self.camera.now)
            self.tell("Robot file", f"{source.name} has changed and was loaded again.", good=True)
        elif source.fault != self._fault_shown:
            self.readings.show_fault(source.fault)
        self._fault_shown = source.fault

    # What the page answers

    def show_again(self) -> None:
        self._dirty = True

    def _show(self) -> None:
        self._dirty = False
        session = self.session
        reading = session.read()
        scale = self.readings.rescale(reading, session.robot.limits.effort)
        with self.client.atomic():
            self.drawing.show(session.drawn(reading), scale, self.readings.switched_on)
            self.drawing.show_ghost(session.ghost)
            self.drawing.show_labels(self.pose.labels.value)
            self.drawing.show_frames(self.pose.frames.value)
            moving = session.moving
            put(self.handle, visible=self.pose.drag.value and not moving and not self.design.handles)
            if not self._held:
                handle = session.handle
                put(self.handle, position=handle[:3, 3], wxyz=quaternion_of(handle[:3, :3]))
            self._words_due = True
            if time.monotonic() - self._words_at >= WORDS:
                self._words_at, self._words_due = time.monotonic(), False
                self.readings.show(reading, session)
                self.pose.show()
                self.motion.show()
                self.design.show()
                for panel in self.analyses:
                    panel.show()

    def tell(self, title: str, text: str, good: bool = False) -> None:
        """In the panel of readings, where it covers nothing; until the time is up."""
        self._told_until = time.monotonic() + (4.0 if good else 15.0)
        self._told = (title, text, good)
        self._show_told()

    def _show_told(self) -> None:
        if self._told is not None and self._built:
            self.readings.tell(*self._told)

    def _forget_told(self) -> None:
        if self._told is not None and time.monotonic() > self._told_until:
            self._told = None
            self.readings.tell("", "", True)

    def send(self, name: str, content: bytes) -> None:
        self.client.send_file_download(name, content, save_immediately=True)

    def _picture(self) -> bytes:
        camera = self.client.camera
        try:
            image = self.client.get_render(
                camera.image_height, camera.image_width, transport_format="png", timeout=20.0
            )
        except (TimeoutError, RuntimeError) as error:
            advice = "bring the window to the front and try again"
            raise LinkworkError(f"the browser has not drawn the picture ({error}); {advice}.") from None
        return picture(np.asarray(image, dtype=np.uint8), self.is_dark)

    def _link(self) -> str:
        return self.base + path_of(self.session.view(self.camera.now, self.is_dark))
