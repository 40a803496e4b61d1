"""The tab of analyses: the workspace as a surface by its limits, and natural frequencies."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.workspace import KINDS
from linkwork.model.robot_files import Model
from linkwork.robot.robot import Array
from linkwork.studio import readouts
from linkwork.studio.host import Host, Node, WorkPanel
from linkwork.studio.reach import Reach, reach_of, tool_cloud
from linkwork.studio.readouts import LINES
from linkwork.studio.session import Session

OPACITY = 0.45
DOT = 0.008  # of the reach: a place of the tool


class WorkspacePanel:
    """Buttons to compute and to hide it, and the legend."""

    def __init__(self, host: Host, session: Session, work: WorkPanel) -> None:
        self.host, self.session, self.work = host, session, work
        self.meshes: list[Node] = []
        self._model: Model | None = None
        gui = host.gui
        with gui.add_folder("Workspace"):
            host = self.host = self.host.corner()
            gui.add_html(readouts.note("where the tool can be, oriented as it is now"))
            host.button("Show workspace", "cube", self.compute)
            self.hiding = host.button("Hide workspace", "eye-off", self.hide, visible=False)
            self.legend = gui.add_html("", visible=False)

    def compute(self) -> None:
        model = self.session.robot.model
        pose = self.session.state.position
        self.work.start(
            "Workspace",
            lambda report: reach_of(model, pose, report),
            lambda reach: self._keep(reach, model),
            self.host,
        )

    def _keep(self, reach: Reach, model: Model) -> None:
        self.hide()
        self._model = model
        for kind in reach.shares:
            vertices, faces = reach.surface.part(kind)
            self.meshes.append(
                self.host.scene.add_mesh_simple(
                    f"/workspace/{kind}",
                    vertices,
                    faces,
                    color=_color(kind),
                    opacity=OPACITY,
                    side="double",
                    cast_shadow=False,
                    receive_shadow=False,
                )
            )
        self.legend.content = readouts.legend(
            f"Volume {reach.shown_volume}, limited by",
            [(_line(k), f"{KINDS[k]}, {100 * share:.0f} %") for k, share in reach.shares.items()],
        )
        self._visible(True)

    def hide(self) -> None:
        for mesh in self.meshes:
            mesh.remove()
        self.meshes = []
        self._visible(False)

    def _visible(self, visible: bool) -> None:
        self.hiding.visible = self.legend.visible = visible

    def show(self) -> None:
        """The workspace of another design is none of this one."""
        if self.meshes and self.session.robot.model is not self._model:
            self.hide()


class ReachPanel:
    """Where the tool of an arm or of any mechanism can go, as a cloud of points."""

    def __init__(self, host: Host, session: Session, work: WorkPanel) -> None:
        self.session, self.work = session, work
        self.cloud: Node = None
        self._model: Model | None = None
        gui = host.gui
        with gui.add_folder("Reach"):
            self.host = host.corner()
            gui.add_html(readouts.note("where the tool comes at random positions within all limits"))
            self.host.button("Show reach", "cube", self.compute)
            self.hiding = self.host.button("Hide reach", "eye-off", self.hide, visible=False)
            self.legend = gui.add_html("", visible=False)

    def compute(self) -> None:
        model, units = self.session.robot.model, self.session.units
        self.work.start(
            "Reach",
            lambda report: tool_cloud(model, units, report),
            lambda places: self._keep(places, model),
            self.host,
        )

    def _keep(self, places: Array, model: Model) -> None:
        self.hide()
        self._model = model
        size = DOT * float(np.ptp(places, axis=0).max())
        self.cloud = self.host.scene.add_point_cloud(
            "/reach", places.astype(np.float32), _color(0), point_size=size, point_shape="circle"
        )
        units = self.session.units
        low, high = places.min(axis=0), places.max(axis=0)
        rows = [
            (_line(0), f"{name} from {units.shown(a, 'm')} to {units.shown(b, 'm')}")
            for name, a, b in zip("xyz", low, high, strict=True)
        ]
        self.legend.content = readouts.legend(f"{len(places)} places", rows)
        self.hiding.visible = self.legend.visible = True

    def hide(self) -> None:
        if self.cloud is not None:
            self.cloud.remove()
        self.cloud = None
        self.hiding.visible = self.legend.visible = False

    def show(self) -> None:
        """The reach of another design is none of this one."""
        if self.cloud is not None and self.session.robot.model is not self._model:
            self.hide()


def _line(kind: int) -> str:
    """A robot has limits of one half of KINDS only."""
    return LINES[kind % len(LINES)]


def _color(kind: int) -> tuple[int, ...]:
    return tuple(bytes.fromhex(_line(kind).removeprefix("#")))


STILL = "none"
UNITS = {"N": "N/m", "N m": "N m/rad"}  # of stiffness, by those of efforts
USUAL = {"N/m": 1e7, "N m/rad": 1e4}  # to begin with, where the robot file gives no stiffness


class VibrationPanel:
    """A stiffness if the file gives none, the list, and the mode that moves."""

    def __init__(self, host: Host, session: Session) -> None:
        self.host, self.session = host, session
        gui = host.gui
        units = [UNITS[unit] for unit in session.robot.efforts.units]
        with gui.add_folder("Vibration"):
            host = self.host = self.host.corner()
            self.stiffness = gui.add_number(
                f"stiffness of a {session.robot.actuated_element} [{', '.join(dict.fromkeys(units))}]",
                USUAL[units[0]],
                min=1e-3,
                visible=not session.has_stiffness,
            )
            host.button("Natural frequencies", "wave-sine", self.find)
            self.list = gui.add_html("", visible=False)
            options = (STILL, *(f"mode {k + 1}" for k in range(session.robot.dof)))
            self.mode = gui.add_dropdown("in motion", options, visible=False)
            self.stop = host.button("Stop vibration", "player-stop", self._stopped, visible=False)
        host.on_update(self.stiffness, self._stiffened)
        host.on_update(self.mode, self._chosen)

    def find(self) -> None:
        given = None if self.session.has_stiffness else float(self.stiffness.value)
        self.session.find_vibration(given)
        self.host.show_again()

    def _stiffened(self) -> None:
        if self.session.vibration is not None:
            self.find()

    def _chosen(self) -> None:
        vibration = self.session.vibration
        if vibration is not None:
            options = self.mode.options
            vibration.mode = None if self.mode.value == STILL else options.index(self.mode.value) - 1
            self.session.playback.playing = False
            self.host.show_again()

    def _stopped(self) -> None:
        self.mode.value = STILL
        self._chosen()

    def show(self) -> None:
        """Frequencies of where the robot stands now."""
        session, vibration = self.session, self.session.vibration
        self.stiffness.visible = not session.has_stiffness
        self.list.visible = self.mode.visible = vibration is not None
        self.stop.visible = vibration is not None and vibration.mode is not None
        if vibration is None:
            return
        self.mode.value = STILL if vibration.mode is None else f"mode {vibration.mode + 1}"
        found = vibration.modes(session.state.position, session.load).frequencies
        self.list.content = readouts.frequencies(np.asarray(found))
