"""Tables of a report: peaks, ranges beside their limits, the robot itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.averages import root_mean_square
from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.quantity import Quantity, intervals
from linkwork.interface.robot import Array
from linkwork.reports.cells import NBSP


@dataclass(frozen=True)
class Table:
    """What Page.table takes."""

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    marks: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Violation:
    """A limit of one channel, broken."""

    quantity: str
    channel: str
    unit: str
    value: float
    limit: float
    at: float
    first: float
    duration: float

    def __str__(self) -> str:
        return (
            f"{self.quantity} of {self.channel}: {self.value:.4g} {self.unit} at t = {self.at:.4g} s, "
            f"limit {self.limit:.4g} {self.unit}, beyond it for {self.duration:.3g} s from "
            f"t = {self.first:.4g} s on"
        ).replace("-", "−")


def violations(time: Array, quantities: Sequence[Quantity]) -> list[Violation]:
    """Every limit that is broken, the worst value of each."""
    found = []
    for what in quantities:
        for k, channel in enumerate(what.channels):
            values = what.values[:, k]
            for limit, excess in (
                (float(what.low[k]), what.low[k] - values),
                (float(what.high[k]), values - what.high[k]),
            ):
                broken = excess > 0
                if broken.any():
                    worst = int(np.argmax(excess))
                    spans = intervals(time, broken)
                    found.append(
                        Violation(
                            what.name,
                            channel,
                            what.units[k],
                            float(values[worst]),
                            limit,
                            float(time[worst]),
                            float(time[int(np.argmax(broken))]),
                            sum(end - start for start, end in spans),
                        )
                    )
    return found


def peak_table(time: Array, effort: Quantity, power: Array | None, noun: str) -> Table:
    """Peaks of the efforts, when they occur, their RMS, how much of the limit they use."""
    mixed = len(set(effort.units)) > 1
    unit = "" if mixed else f" [{effort.units[0]}]"
    bounded = effort.bounded
    header = [noun, f"peak {effort.name}{unit}", "at [s]", f"RMS{unit}"]
    header += [f"limit{unit}", "used [%]"] if bounded else []
    header += ["peak power [W]", "at [s]"] if power is not None else []
    rows, marks = [], set()
    for k, name in enumerate(effort.channels):
        values = effort.values[:, k]
        peak = int(np.argmax(np.abs(values)))
        rms = root_mean_square(time, values)
        row: list[object] = [f"{name} [{effort.units[k]}]" if mixed else name]
        row += [float(values[peak]), float(time[peak]), rms]
        if bounded:
            limit = float(effort.high[k])
            finite = bool(np.isfinite(limit))
            used = 100 * abs(float(values[peak])) / limit if finite else None
            row += [limit if finite else None, used]
            if used is not None and used > 100:
                marks |= {(k, 1), (k, 5)}
        if power is not None:
            most = int(np.argmax(np.abs(power[:, k])))
            row += [float(power[most, k]), float(time[most])]
        rows.append(tuple(row))
    return Table(tuple(header), tuple(rows), frozenset(marks))


def range_table(time: Array, quantities: Sequence[Quantity], noun: str) -> Table:
    """Least and greatest values of what has limits, beside them, and the margin that is left."""
    header = ("quantity", noun, "least", "at [s]", "greatest", "at [s]", "allowed", "margin", "unit")
    rows: list[tuple[object, ...]] = []
    marks = set()
    for what in quantities:
        for k, channel in enumerate(what.channels):
            one = what.channel(k)
            if not one.bounded:
                continue
            values, low, high = one.values[:, 0], float(one.low[0]), float(one.high[0])
            a, b = int(np.argmin(values)), int(np.argmax(values))
            margin = min(float(values[a]) - low, high - float(values[b]))
            allowed = f"±{high:.4g}" if low == -high else f"{low:.4g} … {high:.4g}".replace("-", "−")
            marks |= {(len(rows), 7)} if margin < 0 else set()
            marks |= {(len(rows), 2)} if values[a] < low else set()
            marks |= {(len(rows), 4)} if values[b] > high else set()
            extremes = (float(values[a]), float(time[a]), float(values[b]), float(time[b]))
            rows.append(
                (what.name.replace(" ", NBSP), channel, *extremes, allowed, margin, what.units[k])
            )
    return Table(header, tuple(rows), frozenset(marks))


def robot_table(robot: Arm | Platform) -> Table:
    """Joints or legs as the robot file describes them."""
    return _arm_table(robot) if isinstance(robot, Arm) else _platform_table(robot)


def robot_words(robot: Arm | Platform) -> str:
    """What the robot is, in a sentence or two."""
    if isinstance(robot, Arm):
        joints = robot.model.joints
        kinds = "".join("R" if joint.is_revolute else "P" for joint in joints)
        words = (
            f"**{robot.name}** is a serial arm of {robot.n} joints ({kinds}); its links weigh "
            f"{sum(joint.body.mass for joint in joints):.4g} kg together."
        )
    else:
        body = robot.model.platform
        legs = sum(leg.lower.mass + leg.upper.mass for leg in robot.model.legs)
        words = (
            f"**{robot.name}** is a Stewart platform with six legs. Platform and payload weigh "
            f"{body.mass:.4g} kg, with the centre of mass at ({_numbers(body.center_of_mass)}) m; the "
            f"legs weigh {legs:.4g} kg together."
        )
    source = f"\n\nSource: {robot.model.source.strip()}" if robot.model.source else ""
    return f"{words} Gravity is ({_numbers(robot.model.gravity)}) m/s².{source}"


def _arm_table(arm: Arm) -> Table:
    header = (
        "joint", "kind", "link mass [kg]", "rotor at the joint [kg m² or kg]",
        "viscous friction [N m s or N s/m]", "position limits", "rate limit", "effort limit",
    )  # fmt: skip
    rows = []
    for joint in arm.model.joints:
        limits, unit = joint.limits, "rad" if joint.is_revolute else "m"
        place = "–"
        if limits.position is not None:
            place = f"{_numbers(limits.position, ' … ')} {unit}"
        effort = "N m" if joint.is_revolute else "N"
        rows.append(
            (
                joint.name,
                joint.kind,
                joint.body.mass,
                joint.rotor.reflected or None,
                joint.friction.viscous or None,
                place,
                "–" if limits.velocity is None else f"{limits.velocity:.4g} {unit}/s",
                "–" if limits.effort is None else f"{limits.effort:.4g} {effort}",
            )
        )
    return Table(header, tuple(rows))


def _platform_table(platform: Platform) -> Table:
    header = (
        "leg",
        "joints",
        "base point [m]",
        "platform point [m]",
        "lower part [kg]",
        "upper part [kg]",
    )
    rows = [
        (
            leg.name,
            leg.joints,
            _numbers(leg.base_point),
            _numbers(leg.platform_point),
            leg.lower.mass,
            leg.upper.mass,
        )
        for leg in platform.model.legs
    ]
    return Table(header, tuple(rows))


def _numbers(values: Sequence[float] | Array, between: str = ", ") -> str:
    return between.join(f"{value:.4g}" for value in values).replace("-", "−")
