"""The workspace in the scene: a surface coloured by the limit that ends it."""

from __future__ import annotations

from typing import Any

from linkwork.analysis.workspace import KINDS
from linkwork.studio import readouts
from linkwork.studio.colours import LINES
from linkwork.studio.host import Host
from linkwork.studio.panel_work import WorkPanel
from linkwork.studio.reach import Reach, reach_of
from linkwork.studio.session import Session

OPACITY = 0.45


class WorkspacePanel:
    """Buttons to compute and to hide it, and the legend."""

    def __init__(self, host: Host, session: Session, work: WorkPanel) -> None:
        self.host, self.session, self.work = host, session, work
        self.meshes: list[Any] = []
        self._model: Any = None
        gui = host.gui
        with gui.add_folder("Workspace"):
            gui.add_html(readouts.note("where the tool can be, oriented as it is now"))
            find = gui.add_button("Show workspace", icon="cube")
            self.hiding = gui.add_button("Hide workspace", icon="eye-off", visible=False)
            self.legend = gui.add_html("", visible=False)
        host.on_click(find, self.compute)
        host.on_click(self.hiding, self.hide)

    def compute(self) -> None:
        model: Any = self.session.robot.model
        pose = self.session.state.position
        self.work.start(
            "Workspace",
            lambda report: reach_of(model, pose, report),
            lambda reach: self._keep(reach, model),
        )

    def _keep(self, reach: Reach, model: Any) -> None:
        self.hide()
        self._model = model
        for kind in reach.shares:
            vertices, faces = reach.surface.part(kind)
            self.meshes.append(
                self.host.scene.add_mesh_simple(
                    f"/workspace/{kind}",
                    vertices,
                    faces,
                    color=_colour(kind),
                    opacity=OPACITY,
                    side="double",
                    cast_shadow=False,
                    receive_shadow=False,
                )
            )
        self.legend.content = readouts.legend(
            f"Volume {reach.shown_volume}, ended by",
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


def _line(kind: int) -> str:
    """A robot has limits of one half of KINDS only."""
    return LINES[kind % len(LINES)]


def _colour(kind: int) -> tuple[int, ...]:
    return tuple(bytes.fromhex(_line(kind).removeprefix("#")))
