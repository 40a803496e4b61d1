"""What is probably not meant in a drive: numbers in other units, a ratio the other way round."""

from __future__ import annotations

import math
from collections.abc import Iterator

from linkwork.files.faults import Path
from linkwork.model.drive import Drive
from linkwork.model.plausibility import Finding

SLOWEST_MOTOR = 0.2  # gear ratio: below, it was written the other way round
LARGEST_LEAD, LARGEST_PULLEY = 0.2, 2.0  # [m]
LARGEST_MOTOR, LARGEST_CONSTANT, FASTEST_MOTOR = 2.0, 200.0, 2100.0  # [kg m^2], [N m/A], [rad/s]


def drive_findings(path: Path, drive: Drive) -> Iterator[Finding]:
    """Findings of one drive, which stands at `path`."""
    motor, screw, pulley = drive.motor, drive.screw, drive.pulley
    asked = [
        (("motor", "inertia"), motor.inertia, LARGEST_MOTOR, "kg m^2", "kg cm^2", 1e-4),
        (("motor", "torque_constant"), motor.torque_constant, LARGEST_CONSTANT, "N m/A", "mN m/A", 1e-3),
        (("screw", "lead"), None if screw is None else abs(screw.lead), LARGEST_LEAD, "m", "mm", 1e-3),
        (
            ("pulley", "diameter"),
            None if pulley is None else pulley.diameter,
            LARGEST_PULLEY,
            "m",
            "mm",
            1e-3,
        ),
    ]
    for where, value, most, unit, other, factor in asked:
        if value is not None and value > most:
            what = f"{value:g} {unit} is more than any drive has; did you mean {factor * value:g} "
            yield Finding("drive", (*path, *where), f"{what}({value:g} {other})?")
    for name in ("rated_speed", "max_speed"):
        speed = getattr(motor, name)
        if speed is not None and speed > FASTEST_MOTOR:
            what = f"{speed:g} rad/s is {speed * 30 / math.pi:.0f} rpm; did you mean {speed:g} rpm?"
            yield Finding("drive", (*path, "motor", name), what)
    for name, gear in (("gear", drive.gear), ("belt", drive.belt)):
        if gear is not None and abs(gear.ratio) < SLOWEST_MOTOR:
            what = f"{gear.ratio:g} is input turns per output turn; did you mean {1 / gear.ratio:g}?"
            yield Finding("drive", (*path, name, "ratio"), what)
    if motor.rated_torque and motor.peak_torque and motor.peak_torque < motor.rated_torque:
        what = f"{motor.peak_torque:g} N m is less than the rated torque, {motor.rated_torque:g} N m"
        yield Finding("drive", (*path, "motor", "peak_torque"), what)
