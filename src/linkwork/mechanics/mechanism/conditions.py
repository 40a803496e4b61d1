"""What a certificate is about: expressions that are enclosed over boxes of positions.

Jx and Jq are those of `jacobians.py`: Jx cd = Jq qa'. `need` is what the motion, gravity, a wrench and a
payload need at the coordinates; efforts tau that give it meet Jx' (tau / Jq) = need. Statics is
left unsolved: intervals solve a linear system more sharply than its elimination.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.mechanism import jacobians
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.methods import Options, Outputs, Symbols
from linkwork.mechanics.snapshot import PAYLOAD, point_mass
from linkwork.model.mechanism import elements


def conditions(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
    """Positions of all joints and cylinders, Jx, Jq and need."""
    names = [each.name for each in elements(robot.model)]
    at_rest = robot.dynamics.moving({})
    q = ca.vertcat(*[robot.dynamics.joint_motion(name, at_rest)[0] for name in names])
    Jx, Jq = jacobians.jacobians(robot)
    carried = robot.sharing(load=point_mass(s[PAYLOAD])) if PAYLOAD in s else robot
    need = carried.need(s["cdd"])
    return {
        "q": (q, (len(names),)),
        "Jx": (Jx, Jx.shape),
        "Jq": (Jq, (Jq.numel(),)),
        "need": (need, (robot.dof,)),
    }
