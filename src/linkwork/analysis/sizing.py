"""Which actuators a robot needs for its motions: forces, strokes, speeds and power of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analysis.averages import mean, root_mean_square
from linkwork.analysis.catalogue import Catalogue, Fit, fits, read_catalogue
from linkwork.analysis.study import Study, study
from linkwork.errors import InputError
from linkwork.interface.quantity import Quantity
from linkwork.interface.robot import Array, Robot
from linkwork.motion.bundled import Motion, motion_for
from linkwork.motion.inputs import instants_with_end


@dataclass(frozen=True)
class Demand:
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


@dataclass(frozen=True, eq=False)
class Sizing:
    """Demands of a robot's actuators along several motions."""

    robot: Robot
    studies: tuple[Study, ...]
    catalogue: Catalogue | None = None

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """Of every joint or leg."""
        return tuple(self._demand(k) for k in range(self.robot.n))

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
    def fits(self) -> tuple[Fit, ...]:
        """Actuators of the catalogue, those that serve everywhere first, closest fit first."""
        return () if self.catalogue is None else fits(self.catalogue, self.demands)

    def cloud(self, k: int) -> tuple[Array, Array]:
        """Speeds and efforts (N,) of one actuator in all motions."""
        speeds = [_speeds(one)[:, k] for one in self.studies]
        return np.concatenate(speeds), np.concatenate([one.effort.values[:, k] for one in self.studies])

    def _demand(self, k: int) -> Demand:
        efforts = [one.effort.values[:, k] for one in self.studies]
        peaks = [float(np.abs(values).max()) for values in efforts]
        which = int(np.argmax(peaks))
        when = self.studies[which].time[int(np.argmax(np.abs(efforts[which])))]
        places = [_positions(one).values[:, k] for one in self.studies]
        powers = [np.abs(one.power[:, k]) for one in self.studies]
        times = [one.time for one in self.studies]
        lowest = float(min(values.min() for values in places))
        highest = float(max(values.max() for values in places))
        rounding = 1e-12 * max(-lowest, highest)
        envelope = self.robot.limits.envelope(k)
        shares = [what.values[:, k] for one in self.studies for what in one.measured if _is_share(what)]
        return Demand(
            name=self.robot.efforts.names[k],
            unit=self.robot.efforts.units[k],
            peak=peaks[which],
            at=(self.studies[which].motion_name, float(when)),
            rms=max(root_mean_square(t, f) for t, f in zip(times, efforts, strict=True)),
            lowest=0.0 if abs(lowest) < rounding else lowest,
            highest=0.0 if abs(highest) < rounding else highest,
            velocity=float(max(np.abs(_speeds(one)[:, k]).max() for one in self.studies)),
            power=float(max(values.max() for values in powers)),
            mean_power=max(mean(t, p) for t, p in zip(times, powers, strict=True)),
            share=float(max(values.max() for values in shares)) if envelope else None,
        )


def size(
    robot: Robot,
    motions: Mapping[str, Motion] | Sequence[Any] | str,
    *,
    period: float = 0.01,
    catalogue: Catalogue | str | os.PathLike[str] | None = None,
    wrench: Any = None,
) -> Sizing:
    """What actuators must give along one motion or several.

    Args:
        motions: by name; or a list of trajectories, bundled names and motion files.
        period: [s] between samples; the end of a motion is always one.
        catalogue: actuators to choose from, or the path of their table, see `read_catalogue`.
        wrench: tip wrench of an arm, wrench on a platform, (6,).
    """
    named = _named(Robot.expect(robot, "size"), motions)
    if catalogue is not None and not isinstance(catalogue, Catalogue):
        catalogue = read_catalogue(catalogue)
    studies = []
    for name, motion in named.items():
        time = instants_with_end(motion.duration, period)
        studies.append(study(robot, name, time, motion.at(time), wrench=wrench))
    return Sizing(robot, tuple(studies), catalogue)


def _named(robot: Any, motions: Any) -> dict[str, Motion]:
    if isinstance(motions, Mapping):
        named = dict(motions)
    else:
        alone = isinstance(motions, str) or hasattr(motions, "at")
        if not alone and not isinstance(motions, Iterable):
            raise InputError(f"motions = {motions!r}: allowed are names, files and trajectories.")
        listed = [motions] if alone else list(motions)
        named = {}
        for k, motion in enumerate(listed):
            name = motion if isinstance(motion, str) else f"motion {k + 1}"
            named[name] = motion_for(robot, motion) if isinstance(motion, str) else motion
    if not named:
        raise InputError("size needs one motion or more.")
    for name, motion in named.items():
        if not hasattr(motion, "at"):
            raise InputError(f"motion {name!r} is {type(motion).__name__}; allowed are trajectories.")
    return named


def _positions(one: Study) -> Quantity:
    """Positions of the actuators: the first of what moves."""
    return one.moving[0]


def _speeds(one: Study) -> Array:
    return one.moving[1].values


def _is_share(what: Quantity) -> bool:
    return what.limit.endswith("_velocity")
