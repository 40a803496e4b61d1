"""Names, labels and units of the coordinates, velocities and efforts of a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwork.interface.coordinates import POSE, TWIST, Coordinates
from linkwork.mechanics.mechanism.coordinates import Layout, free_bodies, home_size
from linkwork.robots import mechanism as model_of
from linkwork.robots.mechanism import BASE, Coordinate, MechanismModel
from linkwork.robots.mechanism_elements import elements, motor_terms

QUATERNION = ("qw", "qx", "qy", "qz")
RATES = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")


class JointNames(tuple[str, ...]):
    """Names of joints. Called with a motion, as `robot.joints(c, cd, cdd)`, it tells how they move."""

    _motion: Callable[..., Any]

    def __new__(cls, names: tuple[str, ...], motion: Callable[..., Any]) -> JointNames:
        found = super().__new__(cls, names)
        found._motion = motion
        return found

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._motion(*arguments, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)


def only_body(model: MechanismModel) -> str | None:
    """The body whose pose coordinates, seen from the base, are all coordinates there are."""
    first = model.coordinates[0]
    alike = all(
        each.pose is not None and each.of == first.of and each.relative_to == BASE
        for each in model.coordinates
    )
    return first.of if alike else None


def _is_turn(model: MechanismModel, each: Coordinate) -> bool:
    if each.pose is not None:
        return each.pose in model_of.POSE[3:]
    return any(joint.name == each.of and joint.is_revolute for joint in model.joints)


def turns(model: MechanismModel) -> tuple[bool, ...]:
    """Which coordinates are angles."""
    return tuple(_is_turn(model, each) for each in model.coordinates)


def position_names(model: MechanismModel) -> tuple[str, ...]:
    """Of the coordinates, rotations by angles; those of one body alone have its name left out."""
    alone = only_body(model)
    return tuple(each.pose if alone and each.pose else each.name for each in model.coordinates)


def coordinates_of(model: MechanismModel) -> Coordinates:
    """Of positions as home has them. Those of one body alone have its name left out."""
    alone = only_body(model)
    if alone is not None and alone in free_bodies(model):
        return POSE
    layout = Layout.of(model, home_size(model))
    names = [""] * layout.size
    units = ["1"] * layout.size
    given = zip(layout.places, position_names(model), turns(model), strict=True)
    for place, name, turning in given:
        names[place], units[place] = name, "rad" if turning else "m"
    for body, place in layout.quaternions.items():
        names[place : place + 4] = [f"{body}.{word}" for word in QUATERNION]
        units[place : place + 4] = ["1"] * 4
    return Coordinates(tuple(names), tuple(names), tuple(units))


def velocities_of(model: MechanismModel) -> Coordinates:
    alone, free = only_body(model), free_bodies(model)
    if alone is not None and alone in free:
        return TWIST
    names, labels = [], []
    for each in model.coordinates:
        if each.pose is None:
            names.append(each.name)
            labels.append(f"velocity of {each.name}")
            continue
        k = model_of.POSE.index(each.pose)
        word = (TWIST.names if each.of in free else RATES)[k]
        names.append(word if alone is not None else f"{each.of}.{word}")
        what = TWIST.labels[k] if each.of in free else f"velocity of {each.pose}"
        labels.append(what if alone is not None else f"{each.of}: {what}")
    units = tuple("rad/s" if turning else "m/s" for turning in turns(model))
    return Coordinates(tuple(names), tuple(labels), units)


def effort_units(model: MechanismModel) -> tuple[str, ...]:
    """N m of motors that turn, N of those that push."""
    turning = {each.name for each in elements(model) if getattr(each, "is_revolute", False)}
    return tuple("N m" if terms[0][0] in turning else "N" for terms in motor_terms(model).values())
