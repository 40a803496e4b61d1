"""What a robot is in a word and a number, from its description alone."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from linkwork.robots.arm import ArmModel
from linkwork.robots.mechanism import MechanismModel
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.platform import PlatformModel


@singledispatch
def joints_of(model: Any) -> str:
    """`6 RRRRRR` for an arm, `6 legs UPS` for a platform, `10 bodies, 4 DOF` for a mechanism."""
    return f"{len(model.legs)} legs"


@joints_of.register
def _(model: ArmModel) -> str:
    return f"{model.n} " + "".join("R" if joint.is_revolute else "P" for joint in model.joints)


@joints_of.register
def _(model: PlatformModel) -> str:
    return f"6 legs {'/'.join(sorted({leg.joints for leg in model.legs}))}"


@joints_of.register
def _(model: ParallelModel) -> str:
    kinds = "/".join(dict.fromkeys(leg.joints_in_words for leg in model.legs))
    return f"{len(model.legs)} legs {kinds}"


@joints_of.register
def _(model: MechanismModel) -> str:
    bodies, freedoms = len(model.parts), len(model.coordinates)
    return f"{bodies} {'bodies' if bodies > 1 else 'body'}, {freedoms} DOF"


@singledispatch
def total_mass(model: Any) -> float | None:
    """Of everything that moves [kg]."""
    return None


@total_mass.register
def _(model: MechanismModel) -> float:
    return model.mass


@total_mass.register
def _(model: ArmModel) -> float:
    return sum(joint.body.mass for joint in model.joints)


@total_mass.register
def _(model: PlatformModel) -> float:
    return model.platform.mass + sum(leg.lower.mass + leg.upper.mass for leg in model.legs)


@total_mass.register
def _(model: ParallelModel) -> float:
    return model.platform.mass + sum(joint.body.mass for joint in model.joints)
