"""A parallel robot at one state as a page shows it."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.mechanics.expressions import SX, number, skew, times, zeros
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.parallel import reactions
from linkwork.mechanics.parallel.state import ParallelDynamics
from linkwork.mechanics.snapshot import REACTION, point_mass, snapshot
from linkwork.robots.parallel import ParallelLeg

AGREE = 1e-9  # two solutions of statics, relative to the largest wrench
UNDETERMINED = -1  # a magnitude that statics alone does not determine


def of_parallel(robot: ParallelDynamics, cdd: SX, mass: SX) -> Outputs:
    """Actuators, efforts, joints and reactions with a payload of this mass at the platform's origin."""
    carried = replace(robot, load=point_mass(mass))
    place, model, cd = robot.posture, robot.model, robot.velocity
    twist = place.twist(cd)
    q, qd, frames = [], [], [(place.pose.R, place.pose.position)]
    for leg in place.legs:
        own = leg.configuration.joint_coordinates()
        q += own
        qd += ca.vertsplit(robot.reduced.joint_velocities(leg, twist))
        frames += _link_frames(leg.chain.leg, own)
    joints = list(enumerate(model.joints))
    actuated = [k for k, joint in joints if joint.actuated]
    measured = {
        "position": [q[k] for k in actuated],
        "velocity": [qd[k] for k in actuated],
        "effort": ca.vertsplit(carried.inverse(cdd)),
    }
    bounded = [k for k, joint in joints if not joint.actuated and joint.limits.position is not None]
    if bounded:
        measured["passive_joint_position"] = [q[k] for k in bounded]
    return {**snapshot(frames, measured, {}), **_reactions(carried, cdd)}


def _reactions(robot: ParallelDynamics, cdd: SX) -> Outputs:
    """Magnitudes; of two solutions where statics leaves many, those of the components they agree on."""
    braced = reactions.tension(robot.model)
    found = reactions.of(robot.true, robot.velocity, cdd)
    others = found if braced is None else reactions.of(robot.true, robot.velocity, cdd, braced)
    outputs: Outputs = {}
    for name in ("joint", "closure"):
        wrenches, other = getattr(found, f"{name}s"), getattr(others, f"{name}s")
        size = ca.mmax(ca.fabs(ca.vertcat(*wrenches, *other)))
        for kind, part in (("force", slice(0, 3)), ("moment", slice(3, 6))):
            values = []
            for w, v in zip(wrenches, other, strict=True):
                if braced is None:
                    values.append(ca.norm_2(w[part]))
                else:
                    agree = ca.fabs(w[part] - v[part]) <= AGREE * size
                    known = ca.norm_2(ca.if_else(agree, w[part], 0))
                    values.append(ca.if_else(ca.mmax(agree) > 0, known, UNDETERMINED))
            outputs[f"{REACTION}{name}_{kind}"] = ca.vertcat(*values), (len(values),)
    return outputs


def _link_frames(leg: ParallelLeg, q: list[SX]) -> list[tuple[SX, SX]]:
    """Displacements from home of the links of a leg, without the last one."""
    R, p, frames = SX(ca.DM.eye(3)), zeros(3), []
    for joint, value in zip(leg.joints[:-1], q[:-1], strict=True):
        axis, at = number(joint.axis), number(joint.at)
        if joint.is_revolute:
            K = skew(axis)
            turn = SX(ca.DM.eye(3)) + ca.sin(value) * K + (1 - ca.cos(value)) * times(K, K)
            p = p + times(R, at - times(turn, at))
            R = times(R, turn)
        else:
            p = p + times(R, axis * value)
        frames.append((R, p))
    return frames
