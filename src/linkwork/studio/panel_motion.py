"""The tab of motions and the plots under the scene: choose, play, compare formulations, simulate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.table_files import Plain
from linkwork.core.whole_files import scratch_folder
from linkwork.motion.bundled import motion_for
from linkwork.motion.plausibility import motion_findings
from linkwork.motion.trajectory import Motion
from linkwork.robot.robot import Array
from linkwork.simulation import Simulation
from linkwork.studio import readouts
from linkwork.studio.camera import MARGIN, PLOTS_HEIGHT, Camera
from linkwork.studio.host import Gui, Host, Node, WorkPanel
from linkwork.studio.motion import (
    SPEEDS,
    MotionSeries,
    Report,
    between,
    closed_loop,
    compute_series,
    default_motion,
)
from linkwork.studio.readouts import LINES
from linkwork.studio.session import Session

NONE = "none"
CONDITION = "condition number"  # over decades
HEIGHT = 200
NOW = "rgba(128,128,128,0.55)"
PAST = "rgba(128,128,128,0.13)"


class Chart:
    """Curves (N, k) over time by name; dashed ones have the colors of those before them.

    The past is shaded up to the cursor, so that the cursor is seen in any zoom.
    """

    def __init__(
        self,
        gui: Gui,
        time: Array,
        names: Sequence[str],
        values: Array,
        label: str,
        solid: int | None,
    ) -> None:
        self.time = time
        self.values = np.where(np.isfinite(values), values, np.nan).T
        solid = solid or len(names)
        hidden = {"points": {"show": False}}
        lines: list[Plain] = [{"label": "t [s]"}]
        for k, name in enumerate(names):
            dash = {} if k < solid else {"dash": (8, 5)}
            stroke = LINES[k % solid % len(LINES)]
            lines.append({"label": name, "stroke": stroke, "width": 2, **dash, **hidden})
        lines.append({"label": "now", "scale": "now", "stroke": NOW, "fill": PAST, **hidden})
        y = {"distr": 3, "log": 10} if label == CONDITION else {}
        self.node = gui.add_uplot(
            (time, *self.values, np.zeros(len(time))),
            tuple(lines),
            scales={"x": {"time": False}, "y": y, "now": {"range": (0, 1)}},
            axes=({"label": "time [s]", "size": 44}, {"label": label, "size": 68}),
            legend={"show": True},
            height=HEIGHT,
        )

    def show(self, now: float) -> None:
        past = (self.time <= now).astype(np.float64)
        self.node.data = (self.time, *self.values, past)


class Plots:
    """A panel of plots for one series; `show` moves the cursor."""

    def __init__(self, gui: Gui, camera: Camera) -> None:
        self.gui, self.camera = gui, camera
        self.panel = gui.add_panel(visible=False)
        self.charts: list[Chart] = []
        self.tabs: list[Node] = []

    def clear(self) -> None:
        self._empty()
        self._appear(False)

    def _empty(self) -> None:
        for tab in self.tabs:
            tab.remove()
        self.tabs, self.charts = [], []

    def _appear(self, visible: bool) -> None:
        if self.panel.visible != visible:
            self.panel.visible = visible
            self.camera.make_room(visible)

    def fill(self, series: MotionSeries, run: Simulation | None) -> None:
        """Draw new plots. A simulation adds the effort it took and its error."""
        self._empty()
        time, efforts, shown = series.study.time, series.study.robot.efforts, series.shown
        unit, names = " or ".join(dict.fromkeys(efforts.units)), efforts.names
        what = {"N": "force", "N m": "torque"}.get(unit, "effort")
        reference, *compared = series.efforts
        dashed = [f"{name}′" for name in names] if compared else []
        values = np.concatenate([*series.efforts.values()], axis=1)
        told = f"solid: {reference}; dashed ′: {compared[0]}" if compared else ""
        title, label = f"{what.capitalize()}s", f"{what} [{unit}]"
        self._add(title, time, (*names, *dashed), values, label, len(names), told)
        if series.difference is not None:
            label = f"{compared[0]} − {reference} [{unit}]"
            self._add("Difference", time, names, series.difference, label)
        if run is not None:
            self._add_simulation(run, unit)
        if (where := series.actuators) is not None:
            label = f"{where.name} [{' or '.join(dict.fromkeys(where.units))}]"
            self._add(f"Leg {where.name}s", time, where.channels, where.values, label)
        for each in dict.fromkeys(shown.units):
            own = [k for k, unit in enumerate(shown.units) if unit == each]
            title = "Angles" if each in ("deg", "rad") else "Positions"
            named = [shown.channels[k] for k in own]
            self._add(title, time, named, shown.values[:, own], f"{title.lower()} [{each}]")
        self._add("Conditioning", time, (CONDITION,), series.condition[:, None], CONDITION)
        if not self.panel.visible:
            width = self.camera.width - 2 * MARGIN
            self.panel.float(x=MARGIN, y=-MARGIN, width=width, height=PLOTS_HEIGHT)
        self._appear(True)

    def _add_simulation(self, run: Simulation, unit: str) -> None:
        keep = np.unique(np.linspace(0, len(run.time) - 1, 400).astype(int))
        time = run.time[keep]
        self._add("Simulated effort", time, run.labels, run.effort[keep], f"effort [{unit}]")
        if run.error is not None:
            names = run.names()["error"]
            self._add("Tracking error", time, names, run.error[keep], "error [rad or m]")

    def _add(
        self, title: str, time: Array, names: Sequence[str], values: Array, label: str,
        solid: int | None = None, note: str = "",
    ) -> None:  # fmt: skip
        tab = self.panel.add_tab(title)
        self.tabs.append(tab)
        with tab:
            if note:
                self.gui.add_html(readouts.note(note))
            self.charts.append(Chart(self.gui, time, names, values, label, solid))

    def show(self, now: float) -> None:
        for chart in self.charts:
            chart.show(now)


class MotionPanel:
    """Everything along time."""

    def __init__(self, host: Host, session: Session, plots: Plots, work: WorkPanel) -> None:
        self.host, self.session, self.plots, self.work = host.corner(), session, plots, work
        host = self.host
        self.ends = {"start": session.state.position, "end": session.state.position}
        gui = host.gui
        names = (NONE, *(choice.name for choice in session.choices))
        self.choice = gui.add_dropdown("Motion", names, initial_value=session.motion_name or NONE)
        host.on_update(self.choice, self._chosen)
        self.upload = gui.add_upload_button("Load a file (.csv, .npz, .yaml)", icon="upload")
        host.listen(self.upload.on_upload, lambda event: self._loaded(event.target.value))
        self._build_ends(gui)
        self._build_clock(gui)
        self._build_comparison(gui)
        self._build_simulation(gui)

    def _build_ends(self, gui: Gui) -> None:
        with gui.add_folder("From here to there", expand_by_default=False):
            self.here = self.host.corner()
            self.marks = gui.add_button_group("present pose is", ("start", "end"))
            self.here.on_click(self.marks, self._marked)
            self.duration = gui.add_number("duration [s]", 2.0, min=0.05, max=600.0, step=0.1)
            self.here.button("Make this motion", "route", self._between)

    def _build_clock(self, gui: Gui) -> None:
        with gui.add_folder("Clock"):
            self.play = self.host.button("Play", "player-play", self.toggle, hint="space bar")
            steps = gui.add_button_group("step", ("|◀", "◀", "▶", "▶|"))
            self.host.on_click(steps, lambda: self._stepped(steps.value))
            self.time = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.host.on_update(self.time, self._scrubbed)
            self.speed = gui.add_dropdown("speed", tuple(f"{s:g}×" for s in SPEEDS), initial_value="1×")
            self.host.on_update(self.speed, self._paced)
            self.repeat = gui.add_checkbox("repeat", True)
            self.host.on_update(self.repeat, self._paced)

    def _build_comparison(self, gui: Gui) -> None:
        known = self.session.robot.formulations
        with gui.add_folder("Compare formulations"):
            self.reference = gui.add_dropdown("reference", known, initial_value=known[0])
            self.compared = gui.add_dropdown("against", (NONE, *known[1:]), initial_value=NONE)
            for node in (self.reference, self.compared):
                self.host.on_update(node, self.compute)

    def _build_simulation(self, gui: Gui) -> None:
        arm = self.session.moves_joints
        with gui.add_folder("Closed loop", expand_by_default=False):
            self.loop = self.host.corner()
            self.bandwidth = gui.add_number("bandwidth [Hz]", 1.6, min=0.05, max=50.0, step=0.1)
            self.payload = gui.add_number(
                "unknown payload [kg]", 0.0, min=0.0, max=10000.0, step=0.1, visible=arm
            )
            turns = self.session.robot.coordinates.units[0] == "rad"
            label = "start off by [deg or mm]" if arm else f"start off by [{'deg' if turns else 'mm'}]"
            self.offset = gui.add_number(label, 5.0 if arm or turns else 20.0, step=0.5)
            self.loop.button("Simulate", "player-track-next", self._simulate)
            self.loop.button("Back to the reference", "arrow-back-up", self._forget_simulation)

    # Choosing

    def _chosen(self) -> None:
        if self.choice.value == NONE:
            self.session.forget_motion()
            self.plots.clear()
            self.host.show_again()
            return
        chosen = next(c for c in self.session.choices if c.name == self.choice.value)
        self.take(chosen.make(), chosen.name)

    def take(self, motion: Motion, name: str) -> None:
        """Follow a motion from now on; work on the one before is given up."""
        self.work.stop()
        self.session.choose(motion, name)
        self.choice.value = name if name in self.choice.options else NONE
        self.fit_clock()
        self.compute()

    def fit_clock(self) -> None:
        """Fit the clock to the motion."""
        playback = self.session.playback
        self.time.value = 0.0
        self.time.max = playback.duration
        self.time.step = playback.duration / 1000
        self.host.show_again()

    def _loaded(self, file: Node) -> None:
        name = re.sub(r"[^\w.-]", "_", Path(file.name).name) or "motion"
        with scratch_folder() as folder:
            path = folder / name
            path.write_bytes(file.content)
            try:
                motion = motion_for(self.session.robot, str(path))
                found = motion_findings(self.session.robot, motion, str(path))
            except LinkworkError as error:
                raise InputError(str(error).replace(f"{folder}/", "")) from None
        self.take(motion, name)
        if found:
            hints = (str(each).replace(f"{folder}/", "") for each in found)
            self.host.tell("Was this motion meant so?", "\n".join(hints))

    def _marked(self) -> None:
        self.ends[self.marks.value] = self.session.state.position
        self.here.tell("Noted", f"The {self.marks.value} is the pose you see.", good=True)

    def _between(self) -> None:
        motion = between(
            self.session.robot, self.ends["start"], self.ends["end"], float(self.duration.value)
        )
        self.take(motion, "from here to there")

    # The clock

    def choose_any(self) -> Motion:
        """The motion of now; where there is none, one that shows what the robot can do."""
        if self.session.motion is None:
            chosen = default_motion(self.session.choices)
            self.take(chosen.make(), chosen.name)
        assert self.session.motion is not None
        return self.session.motion

    def toggle(self) -> None:
        self.choose_any()
        self.session.playback.toggle()
        self.host.show_again()

    def step(self, count: int) -> None:
        self.choose_any()
        self.session.playback.step(count)
        self.session.follow()
        self.host.show_again()

    def seek(self, time: float) -> None:
        self.choose_any()
        self.session.playback.seek(time)
        self.session.follow()
        self.host.show_again()

    def _stepped(self, way: str) -> None:
        if way in ("◀", "▶"):
            self.step(1 if way == "▶" else -1)
        else:
            self.seek(0.0 if way == "|◀" else self.session.playback.duration)

    def _scrubbed(self) -> None:
        self.session.playback.playing = False
        self.seek(self.time.value)

    def _paced(self) -> None:
        self.session.playback.speed = float(self.speed.value.rstrip("×"))
        self.session.playback.repeat = self.repeat.value

    # Long work

    def compute(self) -> None:
        """Series and plots of the motion, by the formulations chosen."""
        session = self.session
        if session.motion is None:
            return
        robot, motion, wanted = session.robot, session.motion, [self.reference.value]
        units = session.units
        if self.compared.value not in (NONE, self.reference.value):
            wanted.append(self.compared.value)

        def keep(found: MotionSeries) -> None:
            if session.motion is motion and session.robot is robot:
                session.series = found
                self.draw()

        self.work.start(
            "Series",
            lambda report: compute_series(robot, motion, wanted, report, units),
            keep,
            self.host,
        )

    def draw(self) -> None:
        if self.session.series is not None:
            self.plots.fill(self.session.series, self.session.simulation)
        self.host.show_again()

    def _simulate(self) -> None:
        session = self.session
        robot, motion = session.robot, self.choose_any()
        off, angle = float(self.offset.value) / 1000, np.radians(float(self.offset.value))
        start = np.array([angle if unit == "rad" else off for unit in robot.coordinates.units])
        if not session.moves_joints:  # along the first coordinate
            start[1:] = 0.0
        bandwidth, payload = float(self.bandwidth.value), float(self.payload.value)

        def work(report: Report) -> Simulation:
            return closed_loop(robot, motion, bandwidth, payload, start, report)

        def keep(found: Simulation) -> None:
            if session.motion is motion and session.robot is robot:
                session.simulation = found
                session.follow()
                self.draw()

        self.work.start("Simulation", work, keep, self.loop)

    def _forget_simulation(self) -> None:
        self.session.simulation = None
        self.session.follow()
        self.draw()

    # What is shown

    def show(self) -> None:
        playback = self.session.playback
        self.play.label = "Pause" if playback.playing else "Play"
        self.play.icon = "player-pause" if playback.playing else "player-play"
        if self.session.motion is not None:
            self.time.value = round(playback.time, 6)
            self.plots.show(playback.time)
