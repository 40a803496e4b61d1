"""An arm at one state as a page shows it."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.mechanics.arm import kinematics, newton_euler, payload
from linkwork.mechanics.arm.chain import layout
from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.snapshot import point_mass, snapshot


def of_arm(arm: ArmDynamics, qd: SX, qdd: SX, mass: SX) -> Outputs:
    """Joints, torques, and reactions with a payload of this mass at the tip."""
    load = point_mass(mass)
    carried = payload.loaded(arm.chain, qd, qdd, load)
    frames = kinematics.link_frames(arm.chain, layout(arm.model))
    wrenches = newton_euler.wrenches(carried, qd, qdd)
    return snapshot(
        [(T[0:3, 0:3], T[0:3, 3]) for T in frames],
        {
            "position": ca.vertsplit(arm.q),
            "velocity": ca.vertsplit(qd),
            "effort": ca.vertsplit(replace(arm, load=load).inverse(qd, qdd)),
        },
        {"force": [f for f, _ in wrenches], "moment": [n for _, n in wrenches]},
    )
