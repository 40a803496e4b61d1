"""Robots in words and numbers, for tables and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork.robots.files import Model


def joints_in_words(model: Model) -> str:
    """`6 RRRRRR` for an arm, `6 legs UPS` for a platform, `3 legs RUU` for a Delta."""
    from linkwork.robots.parallel import ParallelModel
    from linkwork.robots.platform import PlatformModel

    if isinstance(model, ParallelModel):
        kinds = "/".join(dict.fromkeys(leg.joints_in_words for leg in model.legs))
        return f"{len(model.legs)} legs {kinds}"
    if isinstance(model, PlatformModel):
        return f"6 legs {'/'.join(sorted({leg.joints for leg in model.legs}))}"
    return f"{model.n} " + "".join("R" if joint.is_revolute else "P" for joint in model.joints)


def total_mass(model: Model) -> float:
    """Of everything that moves [kg]."""
    from linkwork.robots.parallel import ParallelModel
    from linkwork.robots.platform import PlatformModel

    if isinstance(model, ParallelModel):
        return model.platform.mass + sum(joint.body.mass for joint in model.joints)
    if isinstance(model, PlatformModel):
        return model.platform.mass + sum(leg.lower.mass + leg.upper.mass for leg in model.legs)
    return sum(joint.body.mass for joint in model.joints)


def effort_units(model: Model) -> list[str]:
    """Of the torque of every joint or the force of every leg."""
    from linkwork.robots.parallel import ParallelModel
    from linkwork.robots.platform import PlatformModel

    if isinstance(model, ParallelModel):
        return ["N m" if joint.is_revolute else "N" for joint in model.actuators]
    if isinstance(model, PlatformModel):
        return ["N"] * len(model.legs)
    return ["N m" if joint.is_revolute else "N" for joint in model.joints]


def effort_limits(model: Model) -> list[float | None]:
    from linkwork.robots.parallel import ParallelModel
    from linkwork.robots.platform import PlatformModel

    if isinstance(model, ParallelModel):
        return [joint.limits.effort for joint in model.actuators]
    if isinstance(model, PlatformModel):
        return [leg.limits.force for leg in model.legs]
    return [joint.limits.effort for joint in model.joints]


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table; nothing if there is none."""
    if value is None:
        return "-"
    return "0" if value == 0 else f"{value:.{digits}g}"


def vector(values: Any, digits: int = 4) -> str:
    return " ".join(number(float(value), digits) for value in values)


def span(bounds: tuple[float, float] | None, factor: float = 1.0) -> str:
    return "-" if bounds is None else f"{bounds[0] * factor:.4g} .. {bounds[1] * factor:.4g}"
