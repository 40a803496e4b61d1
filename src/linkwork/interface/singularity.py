"""How near to a singular position is too near: condition numbers, and what happens beyond them.

A condition number is the ratio of the greatest to the least singular value of the Jacobian. With lengths
measured in the size of the robot it has no unit: about so many times the load must the greatest actuator
effort be in the worst direction.
"""

from __future__ import annotations

# Efforts are of the order of the load: a designer aims here.
WELL_CONDITIONED = 10.0
# Bundled platforms stand at 10 to 30 in their home pose; bundled motions and the studio call it usable.
USABLE = 30.0
# Efforts are those of the singularity nearby rather than of the motion: reports and terminal warn.
NEAR_SINGULAR = 1e3
# No machine has actuators for it: a simulated platform has fallen out of its legs' hold.
LOST = 1e5
# More than half of the digits of double precision are gone: a singular position, rounded.
SINGULAR = 1e9

GRADES = ((WELL_CONDITIONED, "good"), (USABLE, "fair"), (LOST, "poor"))


def grade_of(condition: float) -> str:
    """ "good", "fair", "poor" or "singular"."""
    return next((name for most, name in GRADES if condition < most), "singular")
