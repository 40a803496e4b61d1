"""Mechanisms that do not move as their files say, refused where the file says it."""

from __future__ import annotations

from linkwork.mechanics.mechanism.analysis import MobilityError
from linkwork.mechanics.mechanism.home import massless_coordinates
from linkwork.mechanics.mechanism.robot_dynamics import planned
from linkwork.robots.document import Document
from linkwork.robots.faults import error_of
from linkwork.robots.mechanism import MechanismModel


def check_mobility(model: MechanismModel, document: Document, source: str) -> None:
    """A RobotFileError, at the line of `coordinates`, if the mechanism moves otherwise."""
    try:
        plan = planned(model)
        if idle := massless_coordinates(plan):
            text = f"{model.name} at home: {', '.join(idle)} can move without moving any mass"
            raise MobilityError(f"{text}: no acceleration follows from a force.")
    except MobilityError as error:
        text = str(error)
        what = f"{text.rstrip('.')}. {way_out(model, text)}"
        raise error_of(source, [document.fault(("coordinates",), what)]) from None


def way_out(model: MechanismModel, text: str) -> str:
    """What to do about it."""
    spinning = _between_balls(model)
    if "without moving any mass" in text:
        return "Give the bodies that it moves mass or inertia, or the joint a rotor."
    if "still move" in text:
        if spinning:
            return (
                f"{', '.join(spinning)} may spin between two balls: write it as a rod (`rods:`), which"
                " has no spin."
            )
        return (
            "Declare more coordinates, or add what holds them: a joint, a rod or a coupling that was"
            " left out."
        )
    if "cannot move" in text:
        return "Take them out of the coordinates, or take out a joint that holds them."
    if "depend on each other" in text:
        return "Declare coordinates that move on their own."
    return ""


def _between_balls(model: MechanismModel) -> list[str]:
    """Bodies that only two ball joints hold."""
    found = []
    for part in model.parts:
        kinds = [joint.kind for joint in model.joints if part.name in joint.joins]
        struts = [each for each in model.struts if part.name in each.joins]
        if kinds == ["spherical", "spherical"] and not struts:
            found.append(part.name)
    return found
