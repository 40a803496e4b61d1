"""What motions ask of every actuator of a robot; which of a catalog serve is in `catalog.py`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.catalog import Catalog, CatalogFit, Requirement, fits, read_catalog
from linkwork.analysis.drive_choice import DriveChoice, DriveSearch, drive_choices
from linkwork.analysis.drive_loads import ActuatorLoads, Duty, actuator_loads
from linkwork.analysis.drives import DriveStudy, drives_under
from linkwork.analysis.study import Study, mean, study
from linkwork.core.arguments import whole
from linkwork.core.checked import checked
from linkwork.core.earlier_names import with_earlier_names
from linkwork.core.errors import InputError
from linkwork.model.drive_catalog import DriveParts
from linkwork.motion.bundled import motion_for
from linkwork.motion.inputs import instants_with_end
from linkwork.motion.trajectory import Motion
from linkwork.robot.limits import LeastMargin, Quantity
from linkwork.robot.robot import Array, Robot


@dataclass(frozen=True)
class ActuatorDemand:
    """What all motions together ask of one actuator; SI units.

    Peaks are magnitudes, `at` names the motion and the instant of the greatest effort. The RMS effort
    and the mean power (of magnitudes) are those of the motion in which they are greatest. `share` is the
    greatest share of the actuator's effort-velocity envelope, None without one.
    """

    name: str
    unit: str
    peak: float
    at: tuple[str, float]
    rms: float
    lowest: float
    highest: float
    velocity: float
    power: float
    mean_power: float
    share: float | None

    @property
    def place(self) -> str:
        """The unit of positions."""
        return "rad" if self.unit == "N m" else "m"

    @property
    def stroke(self) -> float:
        """From the lowest to the highest position."""
        return self.highest - self.lowest


@dataclass(frozen=True)
class Worst:
    """The instant at which an effort is greatest, and the reactions in all joints then."""

    motion: str
    time: float
    actuator: str
    reactions: dict[str, Array]  # magnitudes by kind, of the joints or legs `channels` by kind
    channels: dict[str, tuple[str, ...]]


@with_earlier_names
@dataclass(frozen=True, eq=False)
class Sizing:
    """Demands of a robot's actuators along several motions."""

    robot: Robot
    studies: tuple[Study, ...]
    catalog: Catalog | None = None
    duty: Duty = field(default_factory=Duty)
    search: DriveSearch | None = None

    @cached_property
    def loads(self) -> tuple[ActuatorLoads, ...]:
        """What motions ask of the actuators, without drives."""
        return actuator_loads(self.studies)

    @cached_property
    def drives(self) -> DriveStudy:
        """What the drives of the robot file must do; nothing where it has none."""
        return drives_under(self.robot, self.loads if any(self.robot.drives) else (), self.duty)

    @cached_property
    def choices(self) -> tuple[DriveChoice, ...]:
        """Drives of a catalog, for each group of actuators that get the same one."""
        if self.search is None:
            return ()
        return drive_choices(self.robot, self.loads, self.duty, self.search)

    @cached_property
    def demands(self) -> tuple[ActuatorDemand, ...]:
        """Of every joint or leg."""
        return tuple(self._demand(k) for k in range(self.robot.n))

    @cached_property
    def margin(self) -> LeastMargin | None:
        """The least margin of all limits in all motions; None if the file has none."""
        found = [one.margin for one in self.studies if one.margin is not None]
        return min(found, key=lambda each: each.value, default=None)

    @cached_property
    def angles(self) -> dict[str, dict[str, float]]:
        """Greatest magnitudes of what else has limits, such as angles of passive joints, by what it is
        and by the names of joints or legs."""
        found: dict[str, dict[str, float]] = {}
        for one in self.studies:
            for what in one.moving[2:]:
                if not _is_share(what):
                    most = found.setdefault(what.label, dict.fromkeys(what.channels, 0.0))
                    for channel, values in zip(what.channels, what.values.T, strict=True):
                        most[channel] = max(most[channel], float(np.abs(values).max()))
        return found

    @cached_property
    def worst(self) -> Worst:
        """When the greatest effort of all occurs, as a share of its limit if there are limits."""
        limits = self.robot.limits.effort
        scale = np.where(np.isfinite(limits), limits, 1.0) if np.isfinite(limits).all() else 1.0
        found = [np.abs(one.effort.values) / scale for one in self.studies]
        which = int(np.argmax([values.max() for values in found]))
        row, k = np.unravel_index(np.argmax(found[which]), found[which].shape)
        one = self.studies[which]
        reactions = {what.label: what.values[row] for what in one.reactions}
        name = self.robot.efforts.names[k]
        channels = {what.label: what.channels for what in one.reactions}
        return Worst(one.motion_name, float(one.time[row]), name, reactions, channels)

    @cached_property
    def fits(self) -> tuple[CatalogFit, ...]:
        """Actuators of the catalog, those that serve everywhere first, closest fit first."""
        return () if self.catalog is None else fits(self.catalog, self.requirements)

    @property
    def of_all(self) -> tuple[float, float] | None:
        """Shortest and longest leg of all, which equal actuators must reach: of a Stewart platform."""
        if "leg_lengths" not in self.robot.kernel_methods:
            return None
        return min(each.lowest for each in self.demands), max(each.highest for each in self.demands)

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        """What the same actuator must give in every place."""
        found = []
        for k, each in enumerate(self.demands):
            low, high = (each.lowest, each.highest) if self.of_all is None else self.of_all
            shortest = None if self.of_all is None else low
            asked = (each.peak, each.rms, each.velocity, each.power)
            found.append(Requirement(each.name, high - low, shortest, *asked, self.cloud(k)))
        return tuple(found)

    def cloud(self, k: int) -> tuple[Array, Array]:
        """Speeds and efforts (N,) of one actuator in all motions."""
        k = whole(k, "k", 0, self.robot.n - 1)
        speeds = [one.moving[1].values[:, k] for one in self.studies]
        return np.concatenate(speeds), np.concatenate([one.effort.values[:, k] for one in self.studies])

    def _demand(self, k: int) -> ActuatorDemand:
        peaks = [one.peaks[k] for one in self.studies]
        which = int(np.argmax([abs(peak.value) for peak in peaks]))
        places = np.concatenate([one.moving[0].values[:, k] for one in self.studies])
        lowest, highest = float(places.min()), float(places.max())
        rounding = 1e-12 * max(-lowest, highest)
        shares = [what.values[:, k] for one in self.studies for what in one.measured if _is_share(what)]
        return ActuatorDemand(
            name=peaks[which].name,
            unit=peaks[which].unit,
            peak=abs(peaks[which].value),
            at=(self.studies[which].motion_name, peaks[which].time),
            rms=max(peak.rms for peak in peaks),
            lowest=0.0 if abs(lowest) < rounding else lowest,
            highest=0.0 if abs(highest) < rounding else highest,
            velocity=float(np.abs(self.cloud(k)[0]).max()),
            power=max(abs(peak.power or 0.0) for peak in peaks),
            mean_power=max(mean(one.time, np.abs(one.power[:, k])) for one in self.studies),
            share=float(np.max(np.concatenate(shares))) if self.robot.limits.envelope(k) else None,
        )


@checked
def size_actuators(
    robot: Robot,
    motions: Mapping[str, Motion] | Sequence[Motion | str | os.PathLike[str]] | str,
    *,
    period: float = 0.01,
    catalog: Catalog | str | os.PathLike[str] | None = None,
    wrench: ArrayLike | None = None,
    duty: Duty | None = None,
    drives: DriveSearch | DriveParts | str | os.PathLike[str] | None = None,
) -> Sizing:
    """What actuators must give along one motion or several.

    Args:
        motions: by name; or a list of trajectories, bundled names and motion files.
        period: [s] between samples; the end of a motion is always one.
        catalog: actuators to choose from, or the path of their table, see `read_catalog`.
        wrench: tip wrench of an arm, wrench on a platform, (6,).
        duty: how each motion repeats, for the motors of drives: `Duty(pause=2.0)`.
        drives: motors, gears, screws to choose from (`read_drive_parts`), or the path of their file; a
            `DriveSearch` says what the best is.
    """
    named = _named(Robot.expect(robot, "size_actuators"), motions)
    if catalog is not None and not isinstance(catalog, Catalog):
        catalog = read_catalog(catalog)
    search = None if drives is None else DriveSearch.of(drives)
    studies = []
    for name, motion in named.items():
        time = instants_with_end(motion.duration, period)
        carried = motion.payload_at(time)
        studies.append(study(robot, name, time, motion.at(time), wrench=wrench, payload=carried))
    return Sizing(robot, tuple(studies), catalog, duty or Duty(), search)


def _named(robot: Robot, motions: Any) -> dict[str, Motion]:
    if isinstance(motions, Mapping):
        named = dict(motions)
    else:
        alone = isinstance(motions, str) or hasattr(motions, "at")
        if not alone and not isinstance(motions, Iterable):
            raise InputError(f"motions = {motions!r}: expected names, files and trajectories.")
        listed = [motions] if alone else list(motions)
        named = {}
        for k, motion in enumerate(listed):
            name = motion if isinstance(motion, str) else f"motion {k + 1}"
            named[name] = motion_for(robot, motion) if isinstance(motion, str) else motion
    if not named:
        raise InputError("size needs one motion or more.")
    for name, motion in named.items():
        if not hasattr(motion, "at"):
            raise InputError(f"motion {name!r} is {type(motion).__name__}; expected trajectories.")
    return named


def _is_share(what: Quantity) -> bool:
    return what.limit.endswith("_velocity")
