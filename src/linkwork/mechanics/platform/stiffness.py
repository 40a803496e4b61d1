"""How a platform at rest gives way when its actuators are held: legs are springs along their axes.

With B(X, F) = H F - load(X) = 0 at rest and leg forces F = F0 - k (L - L0), a small motion dX of the
pose meets -dB = H (k J + dF/dX) dX, where dF/dX are the derivatives of the holding forces: the second
part is what gravity, the load and the turning of loaded legs add.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.mechanics.expressions import SX, number, zeros
from linkwork.mechanics.platform.derivatives import of_inverse
from linkwork.mechanics.platform.dynamics import PlatformDynamics


def stiffness(platform: PlatformDynamics) -> SX:
    """K (6 x 6): wrench in base axes per small motion (translation, rotation vector), base axes."""
    twist = SX.sym("twist", 6)
    moving = of_inverse(replace(platform, twist=twist), zeros(6))
    holding = ca.substitute(moving.dpose, twist, zeros(6))
    H = ca.horzcat(*platform.state.H())
    given = [0.0 if leg.stiffness is None else leg.stiffness for leg in platform.model.legs]
    k = ca.vertcat(*map(number, given))
    return ca.mtimes(H, ca.mtimes(ca.diag(k), H.T) + holding)
