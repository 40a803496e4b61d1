"""One robot along one motion: what the library computes, and what each command tells of it.

A fact is what it is about, a name (of a motor, a joint, a limit) and a number or numbers over time;
facts of the same name must be the same wherever they are told.
"""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

import linkwork as lw
from linkwork.core.table_files import text_of_cell
from linkwork.model.mechanism import is_chain
from linkwork.motion.bundled import motion_for
from tests.cli.process import run

Fact = tuple[str, str, Any]
STEPS = 300  # of a motion, as many as the studio takes
LONG_ENOUGH = 0.03  # seconds of a simulation
PAYLOAD = 0.2  # [kg]
EXACT = 1e-11  # of the greatest number of its kind
DOWNLOAD = re.compile(r'download="table-\d+\.csv" href="data:text/csv;charset=utf-8,([^"]*)"')


def margin_of(values: np.ndarray, low: float, high: float) -> float:
    """(limit - demand) / limit, least over samples: of a range, from its middle."""
    if not np.isfinite(high - low):
        return float("inf")
    middle, half = (high + low) / 2, (high - low) / 2
    return min((half - abs(value - middle)) / half for value in values.tolist())


class Told:
    """A robot, a motion and a folder in which commands run."""

    def __init__(self, source: str, motion: str, folder: Path) -> None:
        self.source, self.motion, self.folder = source, motion, folder
        self.robot: Any = lw.load(source)
        self.trajectory = motion_for(self.robot, motion)
        self.period = self.trajectory.duration / STEPS

    def run(self, *words: str, code: int = 0) -> str:
        """A command in this process and folder; its standard output."""
        return run(*words, cwd=self.folder, code=code).stdout

    def file(self, name: str) -> Path:
        return self.folder / name

    def columns(self, name: str) -> dict[str, np.ndarray]:
        with self.file(name).open(newline="") as file:
            header, *rows = csv.reader(file)
        return dict(zip(header, np.array(rows, dtype=float).T, strict=True))

    def tables(self, name: str) -> list[list[dict[str, str]]]:
        """The tables of a report, as readers download them; of two heads alike the first is kept."""
        found = []
        for link in DOWNLOAD.findall(self.file(name).read_text(encoding="utf-8")):
            header, *rows = csv.reader(io.StringIO(unquote(link)))
            first = [k for k, head in enumerate(header) if head not in header[:k]]
            found.append([{header[k]: text_of_cell(row[k]) for k in first} for row in rows])
        return found

    # What the library says

    @cached_property
    def samples(self) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        time, state = self.trajectory.sample(self.period)
        return time, tuple(state)

    @cached_property
    def facts(self) -> dict[tuple[str, str], Any]:
        """Everything there is to tell, from the methods of the robot and NumPy alone."""
        robot, (time, state) = self.robot, self.samples
        effort = robot.inverse_dynamics(*state)
        moving = robot.actuator_motion(*state[:2])
        power = effort * moving.velocity
        facts: dict[tuple[str, str], Any] = {("time", ""): time}
        for k, motor in enumerate(robot.efforts.names):
            most = int(np.argmax(np.abs(effort[:, k])))
            square = np.trapezoid(effort[:, k] ** 2, time) / time[-1]
            own = {
                "effort": effort[:, k],
                "peak": effort[most, k],
                "peak magnitude": abs(effort[most, k]),
                "peak time": time[most],
                "RMS": np.sqrt(square),
                "limit": robot.limits.effort[k],
                "lowest": moving.position[:, k].min(),
                "highest": moving.position[:, k].max(),
                "stroke": np.ptp(moving.position[:, k]),
                "speed": np.abs(moving.velocity[:, k]).max(),
                "power": np.abs(power[:, k]).max(),
            }
            facts |= {(what, motor): value for what, value in own.items()}
        reactions = robot.reactions(*state)
        for k, joint in enumerate(reactions.names):
            for letter, vectors in (("f", reactions.force), ("m", reactions.moment)):
                facts |= {
                    ("reaction", f"{joint}_{letter}{axis}"): vectors[:, k, j]
                    for j, axis in enumerate("xyz")
                }
        condition = robot.condition_number(state[0], errors="nan")
        facts["condition", ""] = condition
        facts["worst condition", ""] = condition.max()
        facts["condition at the worst instant", ""] = condition[self.worst]
        broken = robot.check_limits(*state, time=time).breaks
        facts["broken limits", ""] = ordered((each.name, each.value, each.allowed) for each in broken)
        facts["any limit broken", ""] = bool(broken)
        margins = [np.inf]
        for what in robot.quantities(*state[:2], effort):
            for k, channel in enumerate(what.channels):
                values = what.values[:, k]
                margins.append(margin_of(values, what.low[k], what.high[k]))
                facts["margin", f"{what.name} {channel}"] = margins[-1]
                facts["range", f"{what.name} {channel}"] = (values.min(), values.max())
        facts["least margin", ""] = min(margins)
        for what in ("peak magnitude", "RMS", "stroke", "speed", "power"):
            of_all = [value for (one, _), value in facts.items() if one == what]
            facts["greatest", what] = max(of_all)
        facts["of all", "stroke"] = moving.position.max() - moving.position.min()
        for (what, name), value in [*facts.items()]:
            if what in ("effort", "reaction"):
                facts[f"{what} at the worst instant", name] = value[self.worst]
        for yes in ("agrees", "refused", "told"):
            facts[yes, ""] = True
        facts |= {("files", name): True for name in ("plot.svg", "boundary")}
        at_home = robot.condition_number(robot.home, errors="nan")
        facts["condition at home", ""] = at_home
        for name in robot.formulations:
            options = {key: False for key in ("friction", "rotors") if is_chain(robot.mechanism)}
            kernel = robot.kernel("inverse_dynamics", formulation=name, **options)
            facts["operations", name] = kernel.counts.multiplications
        facts |= {("bodies", body): True for body in robot.bodies}
        return facts

    def known(self, what: str) -> dict[tuple[str, str], Any]:
        """The facts among which those of this kind are."""
        if what == "loaded":
            return self.loaded
        return self.simulated if what.startswith("simulated") else self.facts

    def scale(self, what: str) -> float:
        """The greatest finite number of this kind."""
        kind = {"lowest": "stroke", "highest": "stroke", "broken limits": "stroke"}.get(what, what)
        of_all = [value for (one, _), value in self.known(what).items() if one == kind]
        finite = [np.abs(np.where(np.isfinite(value), value, 0.0)).max() for value in of_all]
        return float(max(finite, default=0.0))

    @cached_property
    def law(self) -> Any:
        """What follows a motion if nothing else is said."""
        own = self.robot.coordinates.names == self.robot.efforts.names
        return (lw.ComputedTorque if own else lw.TaskSpaceControl)(self.robot, self.trajectory)

    @cached_property
    def simulated(self) -> dict[tuple[str, str], Any]:
        """Facts about the robot under control."""
        robot = self.robot
        run = lw.simulate(robot, self.law, duration=LONG_ENOUGH)
        facts: dict[tuple[str, str], Any] = {("simulated", name): x for name, x in run.columns().items()}
        for k, motor in enumerate(robot.efforts.names):
            most = int(np.argmax(np.abs(run.effort[:, k])))
            facts["simulated peak", motor] = run.effort[most, k]
            square = np.trapezoid(run.effort[:, k] ** 2, run.time) / run.time[-1]
            facts["simulated RMS", motor] = np.sqrt(square)
        energies = [sum(robot.energy(c, cd)) for c, cd in zip(run.position, run.velocity, strict=True)]
        facts["simulated", "energy change"] = energies[-1] - energies[0]
        facts["simulated", "largest error"] = np.abs(run.error).max()
        for what in robot.quantities(run.position, run.velocity, run.effort):
            for k, channel in enumerate(what.channels):
                values, name = what.values[:, k], f"{what.name} {channel}"
                facts["simulated margin", name] = margin_of(values, what.low[k], what.high[k])
                facts["simulated range", name] = (values.min(), values.max())
        names = robot.coordinates.names
        facts |= {("simulated end", name): run.position[-1, k] for k, name in enumerate(names)}
        return facts

    @cached_property
    def loaded(self) -> dict[tuple[str, str], Any]:
        """Facts about the robot with a payload, which moves freely from home."""
        run = lw.simulate(self.robot.with_payload(PAYLOAD), duration=LONG_ENOUGH)
        return {("loaded", name): values for name, values in run.columns().items()}

    @cached_property
    def worst(self) -> int:
        """The sample of the greatest effort."""
        return int(np.argmax(np.abs(self.robot.inverse_dynamics(*self.samples[1])).max(axis=1)))

    @cached_property
    def inverse(self) -> dict[str, Any]:
        """The JSON of inverse dynamics; beside it lie all.csv, report.html and plot.svg."""
        words = ("inverse", self.source, "-m", self.motion, "--period", repr(self.period), "--json")
        also = ("--state", "--parts", "--reactions", "-o", "all.csv", "--plot", "plot.svg")
        found: dict[str, Any] = json.loads(self.run(*words, *also, "--report", "report.html"))
        return found


def ordered(broken: Any) -> list[tuple[str, float, float]]:
    return sorted((name, float(value), float(limit)) for name, value, limit in broken)
