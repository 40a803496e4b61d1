"""Observers in a simulated loop: which there are, and whether they fit."""

from __future__ import annotations

from linkwork.control.base import Controller
from linkwork.control.observers import Observer
from linkwork.core.errors import InputError
from linkwork.robot.robot import Robot


def observers_of(
    robot: Robot, controller: Controller, observer: Observer | None
) -> tuple[Observer, ...]:
    """The controller's own, then the one of the call, each fit for the loop."""
    own = None if controller.observing is None else controller.observing.observer
    found = tuple(each for each in (own, observer) if each is not None)
    if own is not None and observer is not None and own.labels.keys() & observer.labels.keys():
        raise InputError("the controller has a PayloadObserver of its own; leave out the second one.")
    for each in found:
        believed, plant = each.plant, robot.plant()
        if (believed.position_size, believed.effort_size) != (plant.position_size, plant.effort_size):
            raise InputError(
                f"the observer is for {each.robot!r}, which has other coordinates than {robot!r}."
            )
        if controller.period is None or abs(controller.period - each.period) > 1e-9 * each.period:
            raise InputError(
                f"the observer has a period of {each.period:g} s; its controller samples "
                f"{'at no period' if controller.period is None else f'every {controller.period:g} s'}. "
                "Give both the same."
            )
    return found
