"""Forces, conditioning and positions along a motion: what the plots show and the tables hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.study import study
from linkwork.control import ComputedTorque, TaskSpaceControl, gains
from linkwork.control.base import Controller, State
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array, Robot
from linkwork.motion.bundled import Motion
from linkwork.simulation import Simulation, simulate
from linkwork.studio.controls import controls_of, values_of
from linkwork.studio.probe import Probe

SAMPLES = 301
SIMULATION_STEP = 1e-3
Report = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Series:
    """Arrays over time. `efforts` by formulation, the reference first; `shown` as the sliders show."""

    time: Array
    shown: Array
    efforts: dict[str, Array]
    condition: Array
    names: tuple[str, ...]
    units: tuple[str, ...]
    shown_names: tuple[str, ...]
    actuators: Quantity | None = None  # where they are, if the sliders do not show it

    @property
    def reference(self) -> str:
        return next(iter(self.efforts))

    @property
    def compared(self) -> str | None:
        return next(iter(list(self.efforts)[1:]), None)

    @property
    def difference(self) -> Array | None:
        """Compared minus reference, (N, n)."""
        if self.compared is None:
            return None
        return self.efforts[self.compared] - self.efforts[self.reference]

    def columns(self) -> dict[str, Array]:
        """Every column by name and unit, for tables."""
        table = {"time [s]": self.time}
        for k, name in enumerate(self.shown_names):
            table[name] = self.shown[:, k]
        where = self.actuators
        if where is not None:
            for k, (name, unit) in enumerate(zip(where.channels, where.units, strict=True)):
                table[f"{name} {where.name} [{unit}]"] = where.values[:, k]
        for formulation, values in self.efforts.items():
            for k, name in enumerate(self.names):
                table[f"{name} {formulation} [{self.units[k]}]"] = values[:, k]
        return {**table, "condition number": self.condition}


def compute_series(probe: Probe, motion: Motion, formulations: Sequence[str], report: Report) -> Series:
    """Along the motion, by the formulations given; impossible samples are NaN."""
    robot = probe.robot
    time = np.linspace(0.0, motion.duration, SAMPLES)
    report(0.1)
    found = study(robot, "", time, motion.at(time), formulations=formulations, errors="nan")
    report(0.7)
    return Series(
        time=time,
        shown=np.array([values_of(robot, row) for row in found.position]),
        efforts=dict(found.by_formulation),
        condition=probe.conditions(found.position),
        names=robot.efforts.names,
        units=robot.efforts.units,
        shown_names=tuple(control.label for control in controls_of(robot)),
        actuators=None if robot.moved_by_motors else found.moving[0],
    )


class Watched(Controller):
    """A controller that tells how far the simulation has come, and stops it when asked to."""

    def __init__(self, inner: Controller, duration: float, report: Report) -> None:
        self.inner, self.duration, self.report = inner, duration, report
        self.trajectory, self.period = inner.trajectory, inner.period

    def start(self) -> None:
        self.inner.start()

    def effort(self, time: float, state: State) -> Array:
        self.report(time / self.duration)
        return self.inner.effort(time, state)


def closed_loop(
    robot: Robot,
    motion: Motion,
    bandwidth: float,
    payload: float,
    offset: Array,
    report: Report,
) -> Simulation:
    """The robot under control along the motion.

    Args:
        bandwidth: of the controller [Hz].
        payload: mass at the tip of an arm that the controller does not know [kg].
        offset: error at the start, of every number of the position [rad or m].
    """
    kp, kv = gains(bandwidth)
    start = np.array(motion.at(0.0)[0])
    law = ComputedTorque if robot.coordinates.names == robot.efforts.names else TaskSpaceControl
    controller: Controller = law(robot, motion, kp=kp, kv=kv, period=SIMULATION_STEP)
    return simulate(
        robot,
        Watched(controller, motion.duration, report),
        start=(start + offset, motion.at(0.0)[1]),
        step=SIMULATION_STEP,
        payload=payload if payload else None,
    )
