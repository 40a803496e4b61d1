"""A mechanism at one state as a page shows it."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, any_normals, cross, number, skew, times
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.places import displaced, strut_axes
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import State
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.snapshot import REACTION, point_mass, snapshot
from linkwork.robots.geometry import Array
from linkwork.robots.mechanism import Cylinder, Rod
from linkwork.robots.mechanism_elements import passive_bounded

Frame = tuple[SX, SX]
AGREE = 1e-9  # two solutions of statics, relative to the largest wrench
UNDETERMINED = -1  # a magnitude that statics alone does not determine


def of_mechanism(robot: MechanismDynamics, cdd: SX, mass: SX) -> Outputs:
    """Actuators, efforts, joints and frames with a payload of this mass at the tool's origin."""
    carried = robot.sharing(load=point_mass(mass))
    state = robot.moving(cdd)
    q, qd, _ = robot.actuators(state)
    measured = {"position": ca.vertsplit(q), "velocity": ca.vertsplit(qd)}
    if len(robot.model.effort_names) >= robot.freedoms:
        measured["effort"] = ca.vertsplit(carried.inverse(cdd))
    bounded = passive_bounded(robot.model)
    if bounded:
        passive = [robot.dynamics.joint_motion(each.name, state)[0] for each in bounded]
        measured["passive_joint_position"] = passive
    found = snapshot(frames(robot), measured, {})
    return {**found, **reactions(carried, cdd)} if "effort" in measured else found


def reactions(robot: MechanismDynamics, cdd: SX) -> Outputs:
    """Magnitudes; of two solutions where statics leaves many, those of the components they agree on."""
    found = Reactions(robot.but(), by_name(robot.model, cdd))
    slides = {f"{each.name} slide": strut_axes(robot.place, each) for each in robot.model.cylinders}

    def borne(name: str, F: SX, N: SX) -> SX:
        """In a slide the force across it, along which its motor acts, and the moment about its end."""
        if name not in slides:
            return ca.vertcat(F, N)
        T, start, end = slides[name]
        return ca.vertcat(F - ca.dot(F, T[:, 0]) * T[:, 0], N - cross(end - start, F))

    one = [borne(*each) for each in found.joints(found.solved())]
    other = one
    if found.holds.left:
        other = [borne(*each) for each in found.joints(found.solved(second=True))]
    size = ca.mmax(ca.fabs(ca.vertcat(*one, *other)))
    outputs: Outputs = {}
    for kind, part in (("force", slice(0, 3)), ("moment", slice(3, 6))):
        values = []
        for w, v in zip(one, other, strict=True):
            agree = ca.fabs(w[part] - v[part]) <= AGREE * size
            known = ca.norm_2(ca.if_else(agree, w[part], 0))
            values.append(known if other is one else ca.if_else(ca.mmax(agree) > 0, known, UNDETERMINED))
        outputs[f"{REACTION}{kind}"] = ca.vertcat(*values), (len(values),)
    return outputs


def frames(robot: MechanismDynamics) -> list[Frame]:
    """Displacements from home of the bodies, of the rods, and of barrel and rod of every cylinder."""
    state = robot.place
    found: list[Frame] = []
    for part in robot.model.parts:
        body = displaced(state, part.name)
        found.append((body.R, body.p))
    found += [_rod_frame(state, rod) for rod in robot.model.rods]
    for cylinder in robot.model.cylinders:
        found += _cylinder_frames(state, cylinder)
    return found


def _rod_frame(state: State, rod: Rod) -> Frame:
    """By the shortest turn from home; that of its spin is not seen."""
    start = displaced(state, rod.joins[0]).point(rod.start)
    end = displaced(state, rod.joins[1]).point(rod.end)
    before, after = number((rod.end - rod.start) / rod.length), (end - start) / rod.length
    K = skew(cross(before, after))
    R = SX.eye(3) + K + times(K, K) / (1 + ca.dot(before, after))
    return R, start - times(R, number(rod.start))


def _cylinder_frames(state: State, cylinder: Cylinder) -> list[Frame]:
    T, start, end = strut_axes(state, cylinder)
    R = times(T, number(home_axes(cylinder).T))
    return [(R, start - times(R, number(cylinder.start))), (R, end - times(R, number(cylinder.end)))]


def home_axes(cylinder: Cylinder) -> Array:
    """Axes of a cylinder at home, along it first, as columns."""
    x = (cylinder.end - cylinder.start) / cylinder.length
    if cylinder.axis is None:
        y, z = (np.array(ca.DM(each)).ravel() for each in any_normals(number(x)))
        return np.stack([x, y, z], axis=1)
    y = np.cross(cylinder.axis, x)
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)
