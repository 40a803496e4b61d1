"""What of a mechanism has a coordinate, friction or a motor: joints that turn or slide, cylinders."""

from __future__ import annotations

from linkwork.robots.geometry import Transform
from linkwork.robots.mechanism import BASE, Cylinder, MechanismJoint, MechanismModel

Element = MechanismJoint | Cylinder
Terms = tuple[tuple[str, float], ...]


def elements(model: MechanismModel) -> tuple[Element, ...]:
    """Joints that turn or slide, and cylinders, in the order of the file; a joint to a body that is a
    point acts as a ball and is none."""
    points = {part.name for part in model.parts if part.point}
    found: dict[str, Element] = {
        joint.name: joint
        for joint in model.joints
        if joint.kind == "prismatic" or (joint.is_revolute and not points.intersection(joint.joins))
    }
    found |= {each.name: each for each in model.cylinders}
    ordered = [name for name in model.order if name in found]
    return tuple(found[name] for name in (*ordered, *(n for n in found if n not in ordered)))


def dry_elements(model: MechanismModel) -> tuple[Element, ...]:
    """Those that have Coulomb friction."""
    return tuple(each for each in elements(model) if each.friction.is_dry)


def ball_joints(model: MechanismModel) -> tuple[MechanismJoint, ...]:
    """Universal and ball joints, which have viscous friction at most."""
    points = {part.name for part in model.parts if part.point}
    return tuple(
        joint
        for joint in model.joints
        if joint.kind in ("universal", "spherical") and not points.intersection(joint.joins)
    )


def motor_terms(model: MechanismModel) -> dict[str, Terms]:
    """What every effort acts on: joints or cylinders by name, with ratios."""
    motors = {motor.name: motor.terms for motor in model.motors}
    return {name: motors.get(name, ((name, 1.0),)) for name in model.effort_names}


def driven_names(model: MechanismModel) -> set[str]:
    """Joints and cylinders that a motor acts on."""
    return {name for terms in motor_terms(model).values() for name, _ in terms}


def passive_bounded(model: MechanismModel) -> tuple[Element, ...]:
    """Those without a motor whose positions have limits."""
    driven = driven_names(model)
    return tuple(
        each for each in elements(model) if each.name not in driven and each.limits.position is not None
    )


def is_tree(model: MechanismModel) -> bool:
    """Whether bodies hang on joints alone, each on one, so that no loop must close."""
    tied = model.rods or model.cylinders or model.couplings
    return not tied and len(model.joints) == len(model.parts)


def is_chain(model: MechanismModel) -> bool:
    """Whether every body hangs on the one before."""
    bodies = [part.name for part in model.parts]
    joined = [joint.joins for joint in model.joints]
    return is_tree(model) and joined == list(zip((BASE, *bodies), bodies, strict=False))


def tool_frame(model: MechanismModel) -> tuple[str, Transform]:
    """The body that wrenches and loads act on, and the frame there: declared, posed, or the last."""
    if model.tool is not None:
        return model.tool
    posed = [each.of for each in model.coordinates if each.pose is not None]
    name = posed[-1] if posed else model.parts[-1].name
    return name, model.part(name).frame


def reaction_names(model: MechanismModel) -> tuple[str, ...]:
    """Where reactions are told: in every joint, at both ends of rods, at ends and slide of cylinders."""
    joints = [joint.name for joint in model.joints]
    rods = [f"{rod.name} {part}" for rod in model.rods for part in ("start", "end")]
    slides = [f"{each.name} {part}" for each in model.cylinders for part in ("start", "slide", "end")]
    return (*joints, *rods, *slides)
