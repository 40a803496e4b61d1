"""How a mechanism at rest gives way when its motors are held: drives are springs along their motion.

With efforts tau0 - k (q - q0) a small motion dc meets Ga' (k Ga + dtau/dc) dc, where dtau/dc are the
derivatives of the efforts that hold it: what gravity, springs, the load and turning links add.
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.mechanism.derivatives import by_position
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics


def stiffness(robot: MechanismDynamics) -> SX:
    """K (d x d): generalised force per small motion of the coordinates, in their tangent space."""
    still = robot.sharing(cd=None)
    held = by_position(still, zeros(robot.freedoms))
    known = {each.name: each.stiffness for each in robot.model.elements if each.stiffness is not None}
    k = [number(known.get(name, 0.0)) for name in robot.model.effort_names]
    Ga = robot.actuation
    return times(Ga.T, times(ca.diag(ca.vertcat(*k)), Ga) + held)
