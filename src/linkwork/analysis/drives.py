"""Drives along motions: what the motor of every actuator must do, what feeds it, and what is left.

The load of an actuator is what its joint needs without a drive; from it follow torque and speed of the
motor, through every stage, with inertia, friction and efficiencies (`drive_train.py`), current, losses
and temperatures (`winding.py`), and a margin of every limit that a part has (`drive_cycle.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.drive_cycle import Cycle, Samples, cycle
from linkwork.analysis.drive_loads import ActuatorLoads, Duty, actuator_loads
from linkwork.analysis.drive_train import DriveTable
from linkwork.analysis.study import Study
from linkwork.core.checked import checked
from linkwork.model.drive import Drive
from linkwork.robot.robot import Array, Robot


@dataclass(frozen=True, eq=False)
class DriveDemand:
    """What all motions ask of the drive of one actuator, at the motor; SI units, temperatures in deg C.

    Every number is that of the motion in which it is greatest, over motion and pause. Currents and what
    follows from them are None without torque constant and resistance, temperatures without `thermal`
    (infinite: the winding heats up without end). `holding_torque` holds the load at rest without the
    help of friction; `holds` says whether brake or self-locking do it without power. `inertia_ratio` is
    what the motor's shaft carries, over its own. Energies are of one cycle, at the motor's terminals.
    `margins` are (limit - demand) / limit by limit, and the motion that leaves it.
    """

    name: str
    drive: Drive
    peak_torque: float
    peak_at: tuple[str, float]
    rms_torque: float
    peak_speed: float
    mean_speed: float
    peak_power: float
    peak_current: float | None
    rms_current: float | None
    voltage: float | None
    copper_power: float | None
    friction_power: float
    electrical_power: float | None
    drawn_energy: float | None
    returned_energy: float | None
    winding: float | None
    housing: float | None
    holding_torque: float
    holds: bool
    inertia_ratio: float | None
    margins: Mapping[str, tuple[float, str]]

    @property
    def margin(self) -> float:
        """The least of all; infinite if its parts have no limits."""
        return min((margin for margin, _ in self.margins.values()), default=math.inf)

    @property
    def limited_by(self) -> str:
        """Of what the least margin is."""
        return min(self.margins, key=lambda each: self.margins[each][0], default="nothing")


@dataclass(frozen=True)
class Supply:
    """What all drives together draw from one supply in a motion, and give back; in W, energies in J per
    cycle. `mean_power` is that of both together. If nothing stores what comes back, `resistor_power` is
    what a braking resistor turns into heat on average, and `drawn_power` what the supply gives."""

    motion: str
    period: float
    peak_power: float
    mean_power: float
    returned_peak: float
    returned_energy: float

    @property
    def resistor_power(self) -> float:
        return self.returned_energy / self.period

    @property
    def drawn_power(self) -> float:
        return self.mean_power + self.resistor_power


@dataclass(frozen=True, eq=False)
class DriveStudy:
    """The drives of a robot along motions; `cycles` by actuator, one for each motion."""

    robot: Robot
    duty: Duty
    loads: tuple[ActuatorLoads, ...]
    cycles: Mapping[str, tuple[Cycle, ...]]

    @property
    def demands(self) -> tuple[DriveDemand, ...]:
        """Of every actuator that has a drive."""
        drives = dict(zip(self.robot.efforts.names, self.robot.drives, strict=True))
        motions = [each.motion for each in self.loads]
        found = []
        for name, cycles in self.cycles.items():
            drive = drives[name]
            assert drive is not None
            found.append(_demand(name, drive, cycles, motions))
        return tuple(found)

    @property
    def supplies(self) -> tuple[Supply, ...]:
        """Of every motion; none if a motor's torque constant or resistance is not known."""
        found = []
        for m, load in enumerate(self.loads):
            samples = [cycles[m].samples for cycles in self.cycles.values()]
            power = np.sum([each.electrical[0] for each in samples], axis=0)
            if not np.isfinite(power).all():
                return ()
            weights = samples[0].weights
            back = np.maximum(-power, 0.0)
            peak, mean = float(power.max()), float(power @ weights / weights.sum())
            energy = float(back @ weights)
            period = float(weights.sum())
            found.append(Supply(load.motion, period, peak, mean, float(back.max()), energy))
        return tuple(found)

    def samples(self, name: str, motion: int = 0) -> Samples:
        """What the drive of an actuator does along a motion, arrays of one row."""
        return self.cycles[name][motion].samples


@checked
def drive_study(robot: Robot, studies: Sequence[Study], duty: Duty | None = None) -> DriveStudy:
    """The drives of the robot file along studied motions of this robot."""
    loads = actuator_loads(studies) if any(robot.drives) else ()
    return drives_under(robot, loads, duty or Duty())


def drives_under(robot: Robot, loads: tuple[ActuatorLoads, ...], how: Duty) -> DriveStudy:
    """The drives of the robot file under loads."""
    cycles: dict[str, tuple[Cycle, ...]] = {}
    for k, (name, drive) in enumerate(zip(robot.efforts.names, robot.drives, strict=True)):
        if drive is not None:
            table = DriveTable.of([drive])
            cycles[name] = tuple(cycle(table, each, k, how) for each in loads)
    return DriveStudy(robot, how, loads, cycles)


def _demand(name: str, drive: Drive, cycles: Sequence[Cycle], motions: Sequence[str]) -> DriveDemand:
    most: dict[str, float | None] = {}
    for what in cycles[0].demands:
        values = [float(each.demands[what][0]) for each in cycles]
        most[what] = None if any(map(math.isnan, values)) else max(values)
    which = int(np.argmax([each.demands["peak_torque"][0] for each in cycles]))
    samples = cycles[which].samples
    margins: dict[str, tuple[float, str]] = {}
    for motion, one in zip(motions, cycles, strict=True):
        for limit, (margin,) in one.margins.items():
            if margin < margins.get(limit, (math.inf, ""))[0]:
                margins[limit] = (float(margin), motion)
    braked = margins.get("brake", (-1.0, ""))[0] >= 0
    peak: Array = np.abs(samples.torque[0])
    return DriveDemand(
        name,
        drive,
        peak_at=(motions[which], float(samples.time[int(peak.argmax())])),
        holds=braked or drive.locks,
        margins=margins,
        **most,  # type: ignore[arg-type]
    )
