"""Wrenches in every joint.

With tau known, h~ = h - e_a tau_a are the efforts that the tip's wrench K' h~ supplies. What the
platform still needs is carried by wrenches that no joint effort feels: those of legs with fewer joints
than equations, and moments of universal and revolute joints at the platform. Where they are as many
as the freedoms that are missing, statics determines them; where they are more, it does not: what two
solutions agree on, one of them braced against itself, is determinate. Newton-Euler from the tip
inwards gives every joint's wrench.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, cross, number, times, zeros
from linkwork.mechanics.linear import solve_orthogonal, solve_symmetric
from linkwork.mechanics.parallel.dynamics import Dynamics
from linkwork.mechanics.parallel.leg_dynamics import joint_wrenches
from linkwork.mechanics.parallel.leg_motion import link_motions
from linkwork.mechanics.parallel.mechanism import LegState
from linkwork.robots.geometry import Array, Transform
from linkwork.robots.parallel import ParallelModel
from linkwork.robots.parallel_mobility import is_overconstrained, is_point


@dataclass(frozen=True, eq=False)
class Reactions:
    """Force, then moment, base axes: of the link before on each joint's link about its point, and of
    the platform on each leg about the point where it holds it (of a frame: the platform's origin)."""

    joints: list[SX]
    closures: list[SX]


@dataclass(frozen=True, eq=False)
class _Carrier:
    """A wrench of unknown size on a leg's tip: force and moment in frame n."""

    leg: int
    force: SX
    moment: SX


def unknown_wrenches(model: ParallelModel) -> int:
    """How many constraint wrenches the legs can carry."""
    count = 0
    for leg in model.legs:
        if leg.frame:
            count += 6 - len(leg.joints)
        else:
            count += 3 - len(leg.joints) + {"universal": 1, "revolute": 2}.get(leg.end.kind, 0)
    return count


def is_determinate(model: ParallelModel) -> bool:
    """Whether statics alone determines all reactions: no two legs carry the same wrench."""
    return not is_overconstrained(model)


def tension(model: ParallelModel) -> Array | None:
    """Constraint wrenches of a robot braced against itself, any; None if statics allows no bracing."""
    if is_determinate(model):
        return None
    mass = model.platform.mass + sum(joint.body.mass for joint in model.joints)
    draw = np.random.default_rng(0).uniform(0.5, 1.5, unknown_wrenches(model))
    return np.asarray((1.0 + 10.0 * mass) * draw)


def _end_moments(leg: LegState, R: SX, home_R: SX) -> list[SX]:
    """Moments that the joint at the platform transmits, frame n."""
    end = leg.chain.leg.end
    if leg.chain.leg.frame or end.kind not in ("universal", "revolute"):
        return []
    in_link = leg.chain.tip.R  # base axes at home to frame n
    if end.kind == "universal":
        leg_axis, platform_axis = end.axes
        turned = leg.configuration.from_base(times(times(R, home_R.T), number(platform_axis)))
        return [cross(number(in_link @ leg_axis), turned)]
    axis = end.axes[0]
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, other)
    first /= np.linalg.norm(first)
    return [number(in_link @ first), number(in_link @ np.cross(axis, first))]


def _carriers(state: Dynamics) -> list[_Carrier]:
    pose = state.posture.pose
    home_R = number(state.posture.mechanism.model.home_frame.R)
    result = []
    for index, leg in enumerate(state.legs):
        for c in leg.constraints:
            result.append(_Carrier(index, c[0:3], c[3:6] if leg.chain.leg.frame else zeros(3)))
        moments = _end_moments(leg, pose.R, home_R)
        if moments:
            columns = leg.configuration.angular_columns()
            for moment in moments:
                torque = ca.vertcat(*[ca.dot(column, moment) for column in columns])
                result.append(_Carrier(index, -leg.K.transposed(torque), moment))
    return result


def _at_platform(leg: LegState, force: SX, moment: SX) -> SX:
    if leg.chain.leg.frame:
        return leg.at_platform(ca.vertcat(force, moment))
    turning = ca.vertcat(zeros(3), leg.configuration.to_base(moment))
    return leg.at_platform(force) + turning


def of(state: Dynamics, cd: SX, cdd: SX, braced: Array | None = None) -> Reactions:
    """`braced` chooses another solution where statics leaves many."""
    place = state.posture
    twist = place.twist(cd)
    acceleration = place.drift(cd) + place.twist(cdd)
    tau = state.inverse(cd, cdd)
    forces, moments, rest = [], [], state.platform_load(twist, acceleration)
    actuator = 0
    for leg, inertia in zip(state.legs, state.inertias, strict=True):
        h = state.leg_efforts(leg, inertia, twist, acceleration)
        friction = state.end_friction(leg, twist)
        moment = zeros(3)
        if friction is not None:
            h, moment = h + friction[0], -friction[1]
        for k, joint in enumerate(leg.chain.leg.joints):
            if joint.actuated:
                h[k] = h[k] - tau[actuator]
                actuator += 1
        tip = leg.K.transposed(h)
        forces.append(tip[0:3])
        moments.append(moment + (tip[3:6] if leg.chain.leg.frame else zeros(3)))
        rest = rest + _at_platform(leg, forces[-1], moments[-1])
    carriers = _carriers(state)
    if carriers:
        columns = [_at_platform(state.legs[c.leg], c.force, c.moment) for c in carriers]
        for carrier, size in zip(
            carriers, _sizes(state.posture.mechanism.model, columns, -rest, place.T, braced), strict=True
        ):
            forces[carrier.leg] = forces[carrier.leg] + carrier.force * size
            moments[carrier.leg] = moments[carrier.leg] + carrier.moment * size
    joints, closures = [], []
    for index, leg in enumerate(state.legs):
        closures.append(_in_base(leg, forces[index], moments[index]))
        joints += _leg_joints(state, index, forces[index], moments[index], twist, acceleration)
    return Reactions(joints, closures)


def _sizes(model: ParallelModel, columns: list[SX], right: SX, T: SX, braced: Array | None) -> list[SX]:
    """x with sum of columns x = right; of more columns than needed, nearest to `braced` (or zero).

    Columns and T span orthogonal spaces, so C C' + T T' is regular and T does not change x. Nothing
    turns a platform that is a point: its moments are zero, and T takes them in.
    """
    if is_determinate(model):
        found = solve_orthogonal(columns, right)
        return [found[k] for k in range(len(columns))]
    C = ca.horzcat(*columns)
    if is_point(model):
        T = ca.horzcat(T, number(np.eye(6)[:, 3:]))
    start = np.zeros(len(columns)) if braced is None else braced
    x = solve_symmetric(times(C, C.T) + times(T, T.T), right - times(C, number(start)))
    return [float(start[k]) + ca.dot(column, x) for k, column in enumerate(columns)]


def _in_base(leg: LegState, force: SX, moment: SX) -> SX:
    return ca.vertcat(leg.configuration.to_base(force), leg.configuration.to_base(moment))


def _leg_joints(
    state: Dynamics, index: int, force: SX, moment: SX, twist: SX, acceleration: SX
) -> list[SX]:
    leg, inertia = state.legs[index], state.inertias[index]
    configuration, chain = leg.configuration, leg.chain
    qd = state.joint_velocities(leg, twist)
    qdd = state.joint_accelerations(leg, twist, acceleration)
    motions = link_motions(configuration, qd, qdd, state.base_of(leg))
    tip = force, moment + cross(number(chain.tip.p), force)
    wrenches = joint_wrenches(configuration, inertia, motions, tip)
    result: dict[int, SX] = {}
    frames = chain.frames_at_home()
    for k, (step, (F, N)) in enumerate(zip(chain.steps, wrenches, strict=True)):
        if step.kind == "fixed":
            continue
        at = number((frames[k].inverse() @ Transform.of(None, chain.leg.joints[step.joint].at)).p)
        N = N - cross(at, F)
        for j in reversed(range(k + 1)):
            F, N = configuration.into(j, F), configuration.into(j, N)
        R = number(chain.base.R)
        result[step.joint] = ca.vertcat(times(R, F), times(R, N))
    return [result[joint] for joint in range(chain.n)]
