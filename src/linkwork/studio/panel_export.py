"""The tab of exports: picture, tables, report, robot file, link."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from linkwork.studio import export
from linkwork.studio.host import Host
from linkwork.studio.panel_work import WorkPanel
from linkwork.studio.session import Session


class ExportPanel:
    """Buttons that hand files to the browser, and the link of what is seen.

    Args:
        picture: the view as PNG.
        link: the address that brings the view back.
    """

    def __init__(
        self,
        host: Host,
        session: Session,
        work: WorkPanel,
        picture: Callable[[], bytes],
        link: Callable[[], str],
    ) -> None:
        self.host, self.session = host, session
        gui = host.gui
        name = session.robot.name
        self._button(gui, "Picture of the view (.png)", "photo", f"{name}.png", picture)
        for ending, title in ((".csv", "Series (.csv)"), (".parquet", "Series (.parquet)")):
            self._button(gui, title, "table", f"{name}{ending}", partial(export.table, session, ending))
        report = gui.add_button("Report of the motion (.html)", icon="report")
        host.on_click(
            report,
            lambda: work.start(
                "Report", partial(export.report, session), lambda html: host.send(f"{name}.html", html)
            ),
        )
        self._button(
            gui, "Robot file (.yaml)", "robot", f"{name}.yaml", lambda: session.design.text().encode()
        )
        with gui.add_folder("Link to this view"):
            self.address = gui.add_text("address", "", disabled=False)
            again = gui.add_button("Make the link", icon="link")
            host.on_click(again, lambda: self._linked(link))

    def _button(self, gui: Any, title: str, icon: str, name: str, make: Callable[[], bytes]) -> None:
        button = gui.add_button(title, icon=icon)
        self.host.on_click(button, lambda: self.host.send(name, make()))

    def _linked(self, link: Callable[[], str]) -> None:
        self.address.value = link()
