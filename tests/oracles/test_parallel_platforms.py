"""Stewart platforms written as parallel robots: the dedicated exact model says the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.files.declared import plain, written
from linkwork.robot.platform import Platform

TOLERANCE = 1e-12


def as_parallel(platform: Platform) -> dict[str, Any]:
    """The same machine in the other format, everything at home in base axes."""
    pose = platform.home
    R, legs = rotation_of(pose), []
    for leg in platform.model.legs:
        tip = R @ leg.platform_point + pose[:3]
        s = tip - leg.base_point
        s = s / np.linalg.norm(s)
        y = np.cross(leg.fixed_axis, s)
        y = y / np.linalg.norm(y)
        T = np.column_stack([s, y, np.cross(s, y)])
        links = []
        for body, origin in ((leg.lower, leg.base_point), (leg.upper, tip)):
            inertia = T @ body.inertia @ T.T
            links.append(
                {
                    "mass": body.mass,
                    "center_of_mass": plain(T @ body.center_of_mass + origin),
                    "inertia": [plain(row) for row in (inertia + inertia.T) / 2],
                }
            )
        joints = [
            {
                "U": [plain(leg.fixed_axis), plain(y)],
                "at": plain(leg.base_point),
                "viscous": leg.friction.universal,
                "link": links[0],
            },
            {"P": plain(s), "actuated": True, "viscous": leg.friction.prismatic, "link": links[1]},
            {"S": None, "at": plain(tip), "viscous": leg.friction.spherical},
        ]
        legs.append({"joints": joints})
    return {
        "kind": "parallel-robot",
        "name": platform.name,
        "gravity": plain(platform.model.gravity),
        "home": plain(platform.model.home),
        "platform": written(platform.model.platform),
        "legs": legs,
    }


@pytest.mark.parametrize("name", ["simona", pytest.param("pi-h811", marks=pytest.mark.long)])
def test_dynamics_are_those_of_the_platform(name: str) -> None:
    platform = lw.load_platform(name)
    robot = lw.load_parallel(as_parallel(platform))
    rng = np.random.default_rng(0)
    size = float(platform.leg_lengths(platform.home).mean())
    six = np.concatenate([0.03 * size * rng.normal(size=(50, 3)), 0.05 * rng.normal(size=(50, 3))], 1)
    pose = six + platform.model.home
    twist, acceleration, wrench = rng.normal(size=(3, 50, 6))
    F = platform.inverse_dynamics(pose, twist, acceleration, wrench)
    ours = robot.inverse_dynamics(pose, twist, acceleration, wrench)
    assert np.abs(ours - F).max() < TOLERANCE * np.abs(F).max()
    a = platform.forward_dynamics(pose, twist, 1.01 * F, wrench)
    assert (
        np.abs(robot.forward_dynamics(pose, twist, 1.01 * F, wrench) - a).max() < 1e-11 * np.abs(a).max()
    )
    base = rng.normal(size=(50, 9))
    carried = platform.inverse_dynamics(pose, twist, acceleration, wrench, base_motion=base)
    ours = robot.inverse_dynamics(pose, twist, acceleration, wrench, base_motion=base)
    assert np.abs(ours - carried).max() < TOLERANCE * np.abs(carried).max()
    assert np.abs(carried - F).max() > 0.01 * np.abs(F).max()
    back = platform.forward_dynamics(pose, twist, carried, wrench, base_motion=base)
    assert np.abs(back - acceleration).max() < 1e-10 * np.abs(acceleration).max()
    slides = robot.inverse_kinematics(pose)
    lengths = platform.leg_lengths(pose) - platform.leg_lengths(platform.home)
    assert np.abs(slides - lengths).max() < 1e-12 * size
