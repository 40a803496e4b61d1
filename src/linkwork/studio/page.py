"""One browser window: a session of its own, drawn and moved from one thread."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from linkwork.core.errors import LinkworkError
from linkwork.core.rotations import quaternion_of, rotation_of
from linkwork.model.geometry import Transform
from linkwork.model.mechanism import POSE
from linkwork.robot.robot import Array, Robot
from linkwork.studio.camera import Camera
from linkwork.studio.gallery import GalleryPanel
from linkwork.studio.host import Client, Event, Host, Node, WorkPanel
from linkwork.studio.links import LinkedView, path_of
from linkwork.studio.panel_analysis import ReachPanel, VibrationPanel, WorkspacePanel
from linkwork.studio.panel_design import DesignPanel
from linkwork.studio.panel_export import ExportPanel, animation, frame_times, picture
from linkwork.studio.panel_motion import MotionPanel, Plots
from linkwork.studio.panel_pose import PosePanel
from linkwork.studio.panel_readings import WIDTH as LEFT_WIDTH
from linkwork.studio.panel_readings import ReadingsPanel
from linkwork.studio.panel_view import Looks, ViewPanel
from linkwork.studio.readouts import GRID_DARK, GRID_LIGHT
from linkwork.studio.robot_file import Shelf
from linkwork.studio.scene import drawing_of, grid_cell, handles_of, put
from linkwork.studio.session import Session

FRAME = 1 / 60  # seconds between drawings while something moves
WORDS = 1 / 20  # seconds between changes of numbers and plots: faster than anybody reads
PATIENCE = 0.25  # seconds between looks at the file while nothing happens
ANIMATION_WIDTH = 640  # pixels
CONTROL_WIDTH = 400  # numbers of vectors have the room they need


class StudioPage(Host):
    """The views over one session. Only `post` is called from other threads."""

    def __init__(self, client: Client, shelf: Shelf, view: LinkedView, looks: Looks, base: str) -> None:
        self.client, self.shelf, self.base = client, shelf, base
        self.gui, self.scene = client.gui, client.scene
        self.view, self.looks = view, looks
        if view.dark is not None:
            looks.dark = view.dark
        self._actions: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._dirty = True
        self._words_at = 0.0
        self._words_due = True
        self._held: Node = None  # the handle that a person drags
        self._traced: Array | None = None
        self._traced_robot: Robot | None = None
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
                self.gallery.show()
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
        in_gallery = self.shelf.is_gallery and self.view == LinkedView()
        try:
            self.session = Session(self.shelf.get(self.view.robot or self.shelf.given))
            self.session.restore(self.view)
        except LinkworkError as error:
            self.session = Session(self.shelf.get(self.shelf.given))
            self.tell("The link cannot be followed", str(error))
        self._build(self.view.camera, in_gallery)
        if in_gallery or self.view.playing:
            self.motion.toggle()

    def _take(self, name: str) -> None:
        self.session = Session(self.shelf.get(name))
        self._build(None)

    def _build(self, camera: tuple[float, ...] | None, in_gallery: bool = False) -> None:
        """Everything anew, for a new robot."""
        self._traced, self.complaint = None, None
        with self.client.atomic():
            self.scene.reset()
            self.gui.reset()
            self._theme()
            self._scene()
            self._panels(in_gallery)
        plots_come = self.session.motion is not None
        self.camera.look(self.drawing.points, camera, plots_come)
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
            dark_mode=self.looks.dark,
            show_logo=False,
            show_share_button=False,
            control_width="medium",
            brand_color=(0, 114, 178),
        )
        self.gui.set_panel_label(f"Linkwork studio: {self.session.source.name}")

    def _color_grid(self) -> None:
        self.grid.cell_color, self.grid.section_color = GRID_DARK if self.looks.dark else GRID_LIGHT

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
        self._light()
        self.handles = handles_of(self.scene, self.session.robot, 0.2 * size)
        for handle in self.handles:
            self.listen(handle.on_update, partial(self._dragged, handle))

    def _light(self) -> None:
        """Shadows and reflections cost seconds where there is no graphics card."""
        shadows = self.looks.shadows
        self.scene.configure_environment_map("warehouse" if shadows else None)
        self.scene.configure_default_lights(cast_shadow=shadows)
        self.scene.add_light_ambient("/light", intensity=1.2, visible=not shadows)

    def _redraw(self) -> None:
        """The scene anew, for a changed design."""
        with self.client.atomic():
            self.drawing.remodel(self.session.robot)

    def _panels(self, in_gallery: bool) -> None:
        session = self.session
        self.readings = ReadingsPanel(self, session)
        self.plots = Plots(self.gui, self.camera)
        self.work = WorkPanel(self)
        tabs = self.gui.add_tab_group()
        if in_gallery:
            self._gallery(tabs)
        with tabs.add_tab("Pose", "hand-move"):
            self.pose = PosePanel(self, session, self.shelf.names, self._take, self.work, self._undo)
        with tabs.add_tab("Motion", "player-play"):
            self.motion = MotionPanel(self, session, self.plots, self.work)
        with tabs.add_tab("View", "eye"):
            ViewPanel(self, session, self.looks, self.camera, self._recolor, self._rebuild)
        with tabs.add_tab("Design", "ruler-2"):
            self.design = DesignPanel(self, session, self.drawing.size, self._redraw)
        self.analyses: list[WorkspacePanel | ReachPanel | VibrationPanel] = []
        # A surface can show where it ends if coordinates place the tool's body.
        has_workspace = {*POSE[:3]} <= {*session.robot.coordinates.names}
        with tabs.add_tab("Analysis", "wave-sine"):
            reach = WorkspacePanel if has_workspace else ReachPanel
            self.analyses.append(reach(self, session, self.work))
            if session.robot.stiffness_field is not None:
                self.analyses.append(VibrationPanel(self, session))
        with tabs.add_tab("Export", "download"):
            self.export = ExportPanel(self, session, self.work, self._picture, self._animate, self._link)
        if not in_gallery:
            self._gallery(tabs)
        self.gui.main_panel.dock_right()
        self.gui.main_panel.set_width(CONTROL_WIDTH)

    def _gallery(self, tabs: Node) -> None:
        with tabs.add_tab("Gallery", "layout-grid"):
            self.gallery = GalleryPanel(self, self.shelf.thumbnails, lambda path: self.base + path)

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
            ("Undo", "Z", "cmd/ctrl", self._undo),
        )
        for label, key, modifier, action in keys:
            command = self.gui.add_command(label, hotkey=key, modifier=modifier)
            self.on_trigger(command, action)

    # What the person does

    def _dragged(self, handle: Node, event: Event) -> None:
        self._held = None if event.phase == "end" else handle
        self.session.playback.playing = False
        place = np.concatenate([handle.position, handle.wxyz])
        target = Transform.of(rotation_of(place), place[:3])
        self.session.drag(target.matrix(), self.looks.turning)
        self.show_again()

    def _undo(self) -> None:
        if self.session.undo():
            self._redraw()
        self.show_again()

    def _recolor(self) -> None:
        self._theme()
        self._light()
        self._color_grid()

    def _rebuild(self) -> None:
        self._build(self.camera.now)

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
            looks, drawing = self.looks, self.drawing
            drawing.show(session.drawn(reading), scale, self.readings.switched_on, looks.colors)
            drawing.show_ghost(session.ghost)
            drawing.show_labels(looks.labels)
            drawing.show_frames(looks.frames)
            self._trace()
            visible = looks.handle and not session.moving and not self.design.handles
            tool = session.handle
            for handle in self.handles:
                put(handle, visible=visible)
                if handle is not self._held:
                    put(handle, position=tool[:3, 3], wxyz=quaternion_of(tool[:3, :3]))
            self._words_due = True
            if time.monotonic() - self._words_at >= WORDS:
                self._words_at, self._words_due = time.monotonic(), False
                self.readings.show(reading, session, looks.colors)
                self.pose.show()
                self.motion.show()
                self.design.show()
                for panel in self.analyses:
                    panel.show()

    def _trace(self) -> None:
        """The way of the tool, when there is another motion or another design."""
        session = self.session
        shown = session.way if self.looks.trace else None
        if shown is not self._traced or session.robot is not self._traced_robot:
            self._traced, self._traced_robot = shown, session.robot
            self.drawing.show_trace(shown)

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
        image = self._rendered(camera.image_height, camera.image_width)
        return picture(image, self.looks.dark)

    def _rendered(self, height: int, width: int) -> NDArray[np.uint8]:
        try:
            image = self.client.get_render(height, width, transport_format="png", timeout=20.0)
        except (TimeoutError, RuntimeError) as error:
            advice = "bring the window to the front and try again"
            raise LinkworkError(f"the browser has not drawn the picture ({error}); {advice}.") from None
        return np.asarray(image, dtype=np.uint8)

    def _animate(self, teller: Host) -> None:
        """The motion picture by picture, each in its turn, so that the page goes on."""
        motion, camera = self.motion.choose_any(), self.client.camera
        times, images = frame_times(motion.duration), list[NDArray[np.uint8]]()
        height = round(ANIMATION_WIDTH * camera.image_height / max(camera.image_width, 1))
        robot = self.session.robot

        def step() -> None:
            if self.session.motion is not motion or self.session.robot is not robot:
                return
            self.motion.seek(times[len(images)])
            self.session.playback.playing = False
            self._show()
            images.append(self._rendered(height, ANIMATION_WIDTH))
            teller.tell("Animation", f"picture {len(images)} of {len(times)}", good=True)
            if len(images) < len(times):
                self.post(step)
            else:
                made = animation(images, self.looks.dark, motion.duration)
                self.send(f"{robot.name}.gif", made)

        self.post(step)

    def _link(self) -> str:
        return self.base + path_of(self.session.view(self.camera.now, self.looks.dark))
