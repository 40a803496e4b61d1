"""Plots under the scene: forces, differences, positions and conditioning over time, with the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.interface.robot import Array
from linkwork.simulation import Simulation
from linkwork.studio import readouts
from linkwork.studio.camera import MARGIN, PLOTS_HEIGHT, Camera
from linkwork.studio.colours import LINES
from linkwork.studio.series import Series

HEIGHT = 200
NOW = "rgba(128,128,128,0.55)"
PAST = "rgba(128,128,128,0.13)"


class Chart:
    """One plot. The past is shaded up to the cursor, so that the cursor is seen in any zoom."""

    def __init__(
        self,
        gui: Any,
        time: Array,
        curves: Sequence[tuple[str, Array, bool]],
        label: str,
        logarithmic: bool = False,
    ) -> None:
        self.time = time
        self.values = [np.where(np.isfinite(values), values, np.nan) for _, values, _ in curves]
        half = max(1, sum(not dashed for _, _, dashed in curves))
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        for k, (name, _, dashed) in enumerate(curves):
            line: dict[str, Any] = {"label": name, "stroke": LINES[k % half % len(LINES)], "width": 2}
            if dashed:
                line["dash"] = (8, 5)
            series.append({**line, "points": {"show": False}})
        series.append(
            {"label": "now", "scale": "now", "stroke": NOW, "fill": PAST, "points": {"show": False}}
        )
        y: dict[str, Any] = {"distr": 3, "log": 10} if logarithmic else {}
        self.node = gui.add_uplot(
            (time, *self.values, np.zeros(len(time))),
            tuple(series),
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

    def __init__(self, gui: Any, camera: Camera) -> None:
        self.gui, self.camera = gui, camera
        self.panel = gui.add_panel(visible=False)
        self.charts: list[Chart] = []
        self.tabs: list[Any] = []

    def clear(self) -> None:
        for tab in self.tabs:
            tab.remove()
        self.tabs, self.charts = [], []
        self._appear(False)

    def _appear(self, visible: bool) -> None:
        if self.panel.visible != visible:
            self.panel.visible = visible
            self.camera.make_room(visible)

    def fill(self, series: Series, run: Simulation | None) -> None:
        """Draw new plots. A simulation adds the effort it took and its error."""
        for tab in self.tabs:
            tab.remove()
        self.tabs, self.charts = [], []
        unit = " or ".join(dict.fromkeys(series.units))
        what = {"N": "force", "N m": "torque"}.get(unit, "effort")
        efforts = [
            (name, series.efforts[series.reference][:, k], False) for k, name in enumerate(series.names)
        ]
        difference = series.difference
        if series.compared is not None:
            efforts += [
                (f"{name}′", series.efforts[series.compared][:, k], True)
                for k, name in enumerate(series.names)
            ]
        told = f"solid: {series.reference}; dashed ′: {series.compared}" if series.compared else ""
        self._add(f"{what.capitalize()}s", series.time, efforts, f"{what} [{unit}]", note=told)
        if difference is not None:
            curves = [(name, difference[:, k], False) for k, name in enumerate(series.names)]
            label = f"{series.compared} − {series.reference} [{unit}]"
            self._add("Difference", series.time, curves, label)
        if run is not None:
            self._add_simulation(run, unit)
        if series.actuators is not None:
            where = series.actuators
            curves = [(name, where.values[:, k], False) for k, name in enumerate(where.channels)]
            unit = " or ".join(dict.fromkeys(where.units))
            self._add(f"Leg {where.name}s", series.time, curves, f"{where.name} [{unit}]")
        for unit_shown in dict.fromkeys(name.rsplit("[", 1)[1] for name in series.shown_names):
            curves = [
                (name.rsplit(" [", 1)[0], series.shown[:, k], False)
                for k, name in enumerate(series.shown_names)
                if name.endswith(f"[{unit_shown}")
            ]
            title = "Angles" if unit_shown in ("deg]", "rad]") else "Positions"
            self._add(title, series.time, curves, f"{title.lower()} [{unit_shown}")
        condition = [("condition number", series.condition, False)]
        self._add("Conditioning", series.time, condition, "condition number", logarithmic=True)
        if not self.panel.visible:
            width = self.camera.width - 2 * MARGIN
            self.panel.float(x=MARGIN, y=-MARGIN, width=width, height=PLOTS_HEIGHT)
        self._appear(True)

    def _add_simulation(self, run: Simulation, unit: str) -> None:
        keep = np.unique(np.linspace(0, len(run.time) - 1, 400).astype(int))
        curves = [(name, run.effort[keep, k], False) for k, name in enumerate(run.labels)]
        self._add("Simulated effort", run.time[keep], curves, f"effort [{unit}]")
        if run.error is not None:
            names = run.names()["error"]
            curves = [(name, run.error[keep, k], False) for k, name in enumerate(names)]
            self._add("Tracking error", run.time[keep], curves, "error [rad or m]")

    def _add(
        self,
        title: str,
        time: Array,
        curves: Sequence[tuple[str, Array, bool]],
        label: str,
        logarithmic: bool = False,
        note: str = "",
    ) -> None:
        tab = self.panel.add_tab(title)
        self.tabs.append(tab)
        with tab:
            if note:
                self.gui.add_html(readouts.note(note))
            self.charts.append(Chart(self.gui, time, curves, label, logarithmic))

    def show(self, now: float) -> None:
        for chart in self.charts:
            chart.show(now)
