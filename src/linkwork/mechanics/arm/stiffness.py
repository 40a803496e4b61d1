"""How an arm at rest gives way when its motors are held: drives are springs about their joints.

With torques tau = tau0 - k (q - q0) the equations of motion near rest are M dq'' + (k + dg/dq) dq = 0.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.arm.dynamics import ArmDynamics
from linkwork.mechanics.expressions import SX, number, zeros


def stiffness(arm: ArmDynamics) -> SX:
    """K (n x n): torque per small motion of the joints, with what gravity and a tip wrench add."""
    n = arm.model.n
    given = [0.0 if joint.stiffness is None else joint.stiffness for joint in arm.model.joints]
    k = ca.vertcat(*map(number, given))
    return ca.diag(k) + ca.jacobian(arm.rigid(zeros(n), zeros(n)), arm.q)
