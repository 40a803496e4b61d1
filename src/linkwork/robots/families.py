"""Arms, Stewart platforms and parallel robots as mechanisms: the same numbers, drawn at home."""

from __future__ import annotations

from numpy.typing import ArrayLike

from linkwork.robots.arm import Friction, Limits
from linkwork.robots.family_arm import mechanism_of_arm
from linkwork.robots.family_parallel import PLATFORM, mechanism_of_parallel
from linkwork.robots.geometry import Transform, distance, tidy
from linkwork.robots.mechanism import BASE, POSE, Coordinate, Cylinder, MechanismModel, Part, kept_of
from linkwork.robots.platform import Leg, LegLimits, PlatformModel
from linkwork.rotations import pose_array, rotation_of

__all__ = ["mechanism_of_arm", "mechanism_of_parallel", "mechanism_of_platform"]


def mechanism_of_platform(model: PlatformModel, home: ArrayLike) -> MechanismModel:
    """Six cylinders, named like the legs, carry the platform; `home` is a pose of six or seven numbers.

    Cylinders count from home, so do the limits of their lengths. Limits of the joints' angles have no
    place here.
    """
    pose = pose_array(home, "home")
    return platform_at(model, Transform.of(rotation_of(pose), pose[:3]))


def platform_at(model: PlatformModel, frame: Transform) -> MechanismModel:
    """Drawn with the platform's frame there; numbers of the model may be expressions."""
    platform = Part(PLATFORM, model.platform.seen_from(frame.inverse()), frame)
    return MechanismModel(
        parts=(platform,),
        coordinates=tuple(Coordinate(PLATFORM, name) for name in POSE),
        cylinders=tuple(_cylinder(leg, frame) for leg in model.legs),
        tool=(PLATFORM, frame),
        order=model.leg_names,
        **kept_of(model),
    )


def _cylinder(leg: Leg, frame: Transform) -> Cylinder:
    end = tidy(frame.R @ leg.platform_point + frame.p)
    friction, universal = leg.friction, leg.joints == "UPS"
    length = distance(leg.base_point, end)
    return Cylinder(
        leg.name,
        (BASE, PLATFORM),
        leg.base_point,
        end,
        "universal" if universal else "spherical",
        leg.fixed_axis if universal else None,
        leg.lower,
        leg.upper,
        motor=True,
        friction=Friction(friction.prismatic, friction.coulomb, -friction.coulomb),
        universal=friction.universal,
        spherical=friction.spherical,
        limits=_from_home(leg.limits, length),
        stiffness=leg.stiffness,
    )


def _from_home(limits: LegLimits, length: float) -> Limits:
    position = None
    if limits.length is not None:
        position = limits.length[0] - length, limits.length[1] - length
    return Limits(position, limits.rate, limits.force, limits.force_velocity)
