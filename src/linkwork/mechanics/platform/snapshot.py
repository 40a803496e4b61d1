"""A platform at one state as a page shows it."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.platform import legs
from linkwork.mechanics.platform.dynamics import PlatformDynamics
from linkwork.mechanics.platform.pose import place_of
from linkwork.mechanics.snapshot import point_mass, snapshot
from linkwork.robots.platform import PlatformModel


def of_platform(platform: PlatformDynamics, acceleration: SX, mass: SX) -> Outputs:
    """Legs, forces, angles and reactions with a payload of this mass at the reference point."""
    carried = replace(platform, load=point_mass(mass))
    state = carried.state
    position, R = place_of(platform.pose)
    measured = {
        "position": [at.L for at in state.legs],
        "velocity": [legs.rates(at, state.twist).Ld for at in state.legs],
        "effort": ca.vertsplit(carried.inverse(acceleration)),
        **_joint_angles(platform.model, [at.s for at in state.legs], R),
    }
    found = carried.reactions(acceleration)
    across = [
        leg.prismatic_force - ca.dot(leg.prismatic_force, at.s) * at.s
        for leg, at in zip(found, state.legs, strict=True)
    ]
    return snapshot(
        [(R, position)],
        measured,
        {
            "spherical_force": [leg.spherical_force for leg in found],
            "universal_force": [leg.universal_force for leg in found],
            "universal_moment": [leg.universal_moment for leg in found],
            "prismatic_side_force": across,
            "prismatic_moment": [leg.prismatic_moment_at_platform for leg in found],
        },
    )


def _joint_angles(model: PlatformModel, directions: list[SX], R: SX) -> dict[str, list[SX]]:
    """From the legs' directions at home, as base and platform see them; nothing without limits."""
    limits = [leg.limits for leg in model.legs]
    bounded = any(each.universal_angle or each.spherical_angle for each in limits)
    if model.home is None or not bounded:
        return {}
    place, turn = place_of(number(model.home))
    universal, spherical = [], []
    for leg, s in zip(model.legs, directions, strict=True):
        along = times(turn, number(leg.platform_point)) + place - number(leg.base_point)
        home = along / ca.norm_2(along)
        universal.append(_angle(ca.dot(s, home)))
        spherical.append(_angle(ca.dot(times(R.T, s), times(turn.T, home))))
    return {"universal_angle": universal, "spherical_angle": spherical}


def _angle(cosine: SX) -> SX:
    return ca.acos(ca.fmax(ca.fmin(cosine, 1), -1))
