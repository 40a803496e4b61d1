"""The tab of exports: picture, tables, report, robot file, link; and their files as bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.study import study
from linkwork.core.errors import InputError
from linkwork.core.table_files import write_table
from linkwork.core.whole_files import scratch_folder
from linkwork.reports.inverse import inverse_report
from linkwork.reports.simulation import simulation_report
from linkwork.robot.loading import robot_of
from linkwork.robot.robot import Array
from linkwork.studio.host import Host, WorkPanel
from linkwork.studio.session import Session

REPORT_SAMPLES = 401
RATE, FEWEST, MOST, COLORS = 10.0, 12, 80, 128  # of an animation: pictures per second, least, most
LIGHT, DARK = (255, 255, 255), (20, 20, 20)


def series_table(session: Session, ending: str) -> bytes:
    """The series of the motion as .csv or .parquet; without a motion, the present state in one row."""
    if session.series is None and session.motion is not None:
        raise InputError("the series are still being computed; try again in a moment.")
    columns = session.present() if session.series is None else session.series.columns()
    if session.simulation is not None:
        run = session.simulation.columns()
        at = np.searchsorted(run["time"], columns["time [s]"]).clip(0, len(run["time"]) - 1)
        more = {f"simulated {name}": values[at] for name, values in run.items() if name != "time"}
        columns = {**columns, **more}
    with scratch_folder() as folder:
        path = folder / f"series{ending}"
        write_table(path, columns)
        return path.read_bytes()


def motion_report(session: Session, progress: Callable[[float], None]) -> bytes:
    """The HTML report of the motion, or of its simulation if there is one."""
    if session.motion is None or session.motion_name is None:
        raise InputError("a report is about a motion; choose one in the tab Motion first.")
    # Compiled: a report computes hundreds of states by every method.
    robot = robot_of(session.design.model)
    progress(0.1)
    if session.simulation is not None:
        page = simulation_report(robot, session.simulation)
    else:
        time = np.linspace(0.0, session.motion.duration, REPORT_SAMPLES)
        named = () if session.series is None else tuple(session.series.efforts)
        wrench = session.load if session.load.any() else None
        states = session.motion.at(time)
        name, carried = session.motion_name, session.motion.payload_at(time)
        found = study(robot, name, time, states, formulations=named, wrench=wrench, payload=carried)
        progress(0.2)
        page = inverse_report(found.compared_with_exact())
    progress(0.8)
    return page.html().encode()


def picture(image: NDArray[np.uint8], dark: bool) -> bytes:
    """A view with a transparent ground as PNG on the ground of the page."""
    file = io.BytesIO()
    _on_ground(image, dark).save(file, "PNG", optimize=True)
    return file.getvalue()


def animation(images: Sequence[NDArray[np.uint8]], dark: bool, duration: float) -> bytes:
    """Views along a motion of `duration` seconds as a GIF that repeats."""
    first, *others = [_on_ground(image, dark).quantize(COLORS) for image in images]
    each = max(20, round(1000 * duration / len(images)))  # viewers slow down what is faster
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=each, loop=0)
    return file.getvalue()


def frame_times(duration: float) -> Array:
    """Of the pictures of an animation [s]."""
    count = int(np.clip(round(RATE * duration), FEWEST, MOST))
    return np.linspace(0.0, duration, count, endpoint=False)


def _on_ground(image: NDArray[np.uint8], dark: bool) -> Any:
    from PIL import Image

    ground = Image.new("RGBA", (image.shape[1], image.shape[0]), (*(DARK if dark else LIGHT), 255))
    ground.alpha_composite(Image.fromarray(image))
    return ground.convert("RGB")


class ExportPanel:
    """Buttons that hand files to the browser, and the link of what is seen.

    Args:
        picture: the view as PNG.
        animate: begins to make the motion as a GIF; tells how far it has come.
        link: the address that brings the view back.
    """

    def __init__(
        self,
        host: Host,
        session: Session,
        work: WorkPanel,
        picture: Callable[[], bytes],
        animate: Callable[[Host], None],
        link: Callable[[], str],
    ) -> None:
        self.host, self.session = host.corner(), session
        gui = host.gui
        name = session.robot.name
        self._file("Picture of the view (.png)", "photo", f"{name}.png", picture)
        self.host.button("Animation of the motion (.gif)", "movie", lambda: animate(self.host))
        for ending in (".csv", ".parquet"):
            make = partial(series_table, session, ending)
            self._file(f"Series ({ending})", "table", f"{name}{ending}", make)
        report = partial(motion_report, session)
        here = self.host
        here.button(
            "Report of the motion (.html)",
            "report",
            lambda: work.start("Report", report, lambda html: here.send(f"{name}.html", html), here),
        )
        self._file("Robot file (.yaml)", "robot", f"{name}.yaml", lambda: session.design.text().encode())
        with gui.add_folder("Link to this view"):
            self.address = gui.add_text("address", "", disabled=False)
            host.button("Make the link", "link", lambda: self._linked(link))

    def _file(self, title: str, icon: str, name: str, make: Callable[[], bytes]) -> None:
        """A button that hands a file to the browser."""
        self.host.button(title, icon, lambda: self.host.send(name, make()))

    def _linked(self, link: Callable[[], str]) -> None:
        self.address.value = link()
