"""What the joints of one leg of a Stewart platform carry."""

from __future__ import annotations

from typing import NamedTuple

from linkwork.mechanics.expressions import SX


class LegReactions(NamedTuple):
    """In base axes; friction of the joint itself is not included."""

    spherical_force: SX  # platform on leg
    universal_force: SX  # base on leg
    universal_moment: SX  # base on leg, along the normal of the joint's cross
    prismatic_force: SX  # lower on upper part, actuator included
    prismatic_moment: SX  # lower on upper part, about the base point
    prismatic_moment_at_platform: SX  # the same about the platform point
