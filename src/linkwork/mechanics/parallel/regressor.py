"""Efforts of a parallel robot as a linear function of its parameters: tau = Y(c, cd, cdd) pi.

Parameters: the ten inertial ones of the platform about its origin; of every joint the ten of its link
about the joint's point, in base axes at home, its rotor, and its friction (viscous, Coulomb forward and
backward, offset).
"""

from __future__ import annotations

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times
from linkwork.mechanics.parallel.dynamics import Dynamics
from linkwork.mechanics.parallel.leg_dynamics import felt
from linkwork.mechanics.parallel.leg_motion import LinkMotion, link_motions
from linkwork.mechanics.parallel.mechanism import LegState
from linkwork.mechanics.regressor import WrenchColumns, wrench_columns


def regressor(state: Dynamics, cd: SX, cdd: SX) -> SX:
    """Y, n x (10 + 15 joints)."""
    place = state.posture
    twist = place.twist(cd)
    acceleration = place.drift(cd) + place.twist(cdd)
    wrenches = _platform_columns(state, twist, acceleration)
    for leg in state.legs:
        wrenches += _leg_columns(state, leg, twist, acceleration)
    columns = [state.efforts_for(times(place.T.T, wrench)) for wrench in wrenches]
    return ca.horzcat(*columns)


def _platform_columns(state: Dynamics, twist: SX, acceleration: SX) -> list[SX]:
    """Wrench at the platform's origin per parameter of the platform, base axes."""
    R = state.posture.pose.R
    a = acceleration[0:3] - state.load.gravity
    w, al, a = (times(R.T, v) for v in (twist[3:6], acceleration[3:6], a))
    return ca.horzsplit(ca.vertcat(*wrench_columns(w, al, a).turned(R)))


def _leg_columns(state: Dynamics, leg: LegState, twist: SX, acceleration: SX) -> list[SX]:
    """Wrench at the platform's origin per parameter of every joint of a leg, base axes."""
    chain = leg.chain
    qd = state.joint_velocities(leg, twist)
    qdd = state.joint_accelerations(leg, twist, acceleration)
    motions = link_motions(leg.configuration, qd, qdd, state.base_of(leg))
    unit, columns = SX.eye(chain.n), dict[int, list[SX]]()
    for k, step in enumerate(chain.steps):
        if step.kind == "fixed":
            continue
        j = step.joint
        drive = (qdd[j], qd[j], qd[j] > 0, qd[j] < 0, SX(1))
        efforts = _body_efforts(leg, k, motions[k]) + [unit[:, j] * part for part in drive]
        columns[j] = [leg.at_platform(leg.K.transposed(h)) for h in efforts]
    return [column for j in range(chain.n) for column in columns[j]]


def _body_efforts(leg: LegState, k: int, motion: LinkMotion) -> list[SX]:
    """Efforts of all joints per inertial parameter of the link of step k."""
    chain, configuration = leg.chain, leg.configuration
    home, joint = chain.frames_at_home()[k], chain.leg.joints[chain.steps[k].joint]
    R, arm = number(home.R), number(home.R.T @ (joint.at - home.p))  # the joint's point in frame k
    A = motion.A + times(motion.U, arm)
    own: WrenchColumns = wrench_columns(*(times(R, v) for v in (motion.w, motion.al, A)))
    force, moment = own.turned(R.T).about(arm)
    result = []
    for F, N in zip(ca.horzsplit(force), ca.horzsplit(moment), strict=True):
        h = SX.zeros(chain.n)
        for i in reversed(range(k + 1)):
            if chain.steps[i].kind != "fixed":
                h[chain.steps[i].joint] = felt(chain.steps[i], (F, N))
            f = configuration.into(i, F)
            F, N = f, configuration.into(i, N) + cross(configuration.origin(i), f)
        result.append(h)
    return result
