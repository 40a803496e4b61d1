"""A platform at one state as a page shows it."""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.snapshot import reactions
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.platform.legs import legs_of
from linkwork.mechanics.platform.margins import angle_cosines
from linkwork.mechanics.pose import place_of
from linkwork.mechanics.snapshot import point_mass, snapshot
from linkwork.robots.platform import PlatformModel, home_pose


def of_platform(robot: MechanismDynamics, model: PlatformModel, acceleration: SX, mass: SX) -> Outputs:
    """Legs, forces, angles and reactions with a payload of this mass at the reference point."""
    carried = robot.sharing(load=point_mass(mass))
    legs = legs_of(robot, robot.moving(acceleration))
    directions = [leg.frame[2] for leg in legs]
    measured = {
        "position": [leg.frame[0] for leg in legs],
        "velocity": [leg.motion[0] for leg in legs],
        "effort": ca.vertsplit(carried.inverse(acceleration)),
        **_joint_angles(model, robot.c, directions),
    }
    found = snapshot([_from_home(model, robot.c)], measured, {})
    return {**found, **reactions(carried, acceleration)}


def _from_home(model: PlatformModel, pose: SX) -> tuple[SX, SX]:
    """How the platform has gone from home."""
    (place, turn), (position, R) = place_of(number(home_pose(model))), place_of(pose)
    moved = times(R, turn.T)
    return moved, position - times(moved, place)


def _joint_angles(model: PlatformModel, pose: SX, directions: list[SX]) -> dict[str, list[SX]]:
    """From the legs' directions at home; nothing without limits."""
    limits = [leg.limits for leg in model.legs]
    bounded = any(each.universal_angle or each.spherical_angle for each in limits)
    if model.home is None or not bounded:
        return {}
    universal, spherical = zip(*angle_cosines(model, pose, directions), strict=True)
    return {
        "universal_angle": [_angle(cosine) for cosine in universal],
        "spherical_angle": [_angle(cosine) for cosine in spherical],
    }


def _angle(cosine: SX) -> SX:
    return ca.acos(ca.fmax(ca.fmin(cosine, 1), -1))
