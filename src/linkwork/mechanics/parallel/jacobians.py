"""The two Jacobians of Gosselin and Angeles: Jx cd = Jq qa', both regular everywhere.

nu is the unit vector, at the tip of an actuator's leg, that is normal to what the leg's passive joints
can do. Jq = nu . J_a is the lever arm of a revolute actuator [m] or the cosine of the pressure angle of
a prismatic one: zero in a serial singularity. Rows of Jx are nu' P T: singular in a parallel one.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.parallel.kinematics import Posture
from linkwork.mechanics.parallel.left_inverse import Tall
from linkwork.mechanics.parallel.mechanism import LegState


def normal(leg: LegState, actuated: int) -> SX:
    """nu of a joint of a leg, frame n: what moves when this joint alone does."""
    others = [column for k, column in enumerate(leg.columns) if k != actuated]
    if len(leg.columns) == 3 == leg.chain.equations:
        nu = cross(others[0], others[1])
    else:
        # Beyond the passive columns, what the leg cannot do at all does not count either.
        constraints = [number(c) for c in leg.plan.home_constraints.T]
        across = Tall.of(others) if others else None
        span = [across.projected(c) if across else c for c in constraints]
        blocked = Tall.of([*others, *span]) if others or span else None
        guide = number(leg.plan.home_jacobian[:, actuated])
        nu = blocked.projected(guide) if blocked else guide
    return nu / ca.norm_2(nu)


def of(posture: Posture) -> tuple[SX, SX]:
    """Jx (actuators x freedoms) and the diagonal of Jq."""
    rows, levers = [], []
    for leg in posture.legs:
        for k, joint in enumerate(leg.chain.leg.joints):
            if joint.actuated:
                nu = normal(leg, k)
                rows.append(times(leg.at_platform(nu).T, posture.T))
                levers.append(ca.dot(nu, leg.columns[k]))
    return ca.vertcat(*rows), ca.vertcat(*levers)
