"""Forces, conditioning and positions along a motion: what the plots show and the tables hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.study import study
from linkwork.control import ComputedTorque, TaskSpaceControl, gains
from linkwork.control.base import Controller, State
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
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
    lengths: Array | None = None

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
        if self.lengths is not None:
            for k, name in enumerate(self.names):
                table[f"{name} length [m]"] = self.lengths[:, k]
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
    jacobians = probe.jacobians(found.position)
    condition = np.array([probe.singularity(matrix).condition for matrix in jacobians])
    return Series(
        time=time,
        shown=np.array([values_of(robot, row) for row in found.position]),
        efforts=dict(found.by_formulation),
        condition=condition,
        names=robot.efforts.names,
        units=robot.efforts.units,
        shown_names=tuple(control.label for control in controls_of(robot)),
        lengths=found.moving[0].values if robot.noun == "leg" else None,
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
    robot: Arm | Platform,
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
        offset: error at the start, of every joint [rad or m], or of the platform along x [m], (1,).
    """
    kp, kv = gains(bandwidth)
    start = np.array(motion.at(0.0)[0])
    controller: Controller
    if isinstance(robot, Arm):
        controller = ComputedTorque(robot, motion, kp=kp, kv=kv, period=SIMULATION_STEP)
        begin = start + offset
    else:
        controller = TaskSpaceControl(robot, motion, kp=kp, kv=kv, period=SIMULATION_STEP)
        begin = start + np.concatenate([offset, np.zeros(6)])
    return simulate(
        robot,
        Watched(controller, motion.duration, report),
        start=(begin, motion.at(0.0)[1]),
        step=SIMULATION_STEP,
        payload=payload if payload else None,
    )
