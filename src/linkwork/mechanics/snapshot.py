"""What a page shows of one state of a robot: outputs of the methods called `snapshot`.

Besides the state they take the mass of a payload, a point at the tip or at the platform's origin, and a
factor of the robot's own gravity. Frames are those of the bodies that `drawing/shape.py` draws, without
the base. Reactions are magnitudes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from linkwork.mechanics.bodies import CompositeBody
from linkwork.mechanics.expressions import (
    SX,
    any_normals,
    cross,
    number,
    place_of,
    skew,
    stack,
    times,
    zeros,
)
from linkwork.mechanics.mechanism.cones import cone_cosines
from linkwork.mechanics.mechanism.coordinates import by_name
from linkwork.mechanics.mechanism.motion import displaced
from linkwork.mechanics.mechanism.reactions import Reactions
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.mechanism.struts import strut_axes
from linkwork.mechanics.methods import Outputs
from linkwork.mechanics.platform.legs import legs_of
from linkwork.mechanics.platform.margins import angle_cosines
from linkwork.model.families.stewart import PlatformModel, home_pose
from linkwork.model.geometry import Array
from linkwork.model.mechanism import Cylinder, Rod, passive_bounded

SNAPSHOT = "snapshot"
PAYLOAD, WEIGHT = "payload", "gravity_factor"
SIZES = {PAYLOAD: 1, WEIGHT: 1}
REACTION = "reaction_"
AGREE = 1e-9  # two solutions of statics, relative to the largest wrench
ROUNDING = 1e-12  # of the largest wrench: a component that is nothing
UNDETERMINED = -1  # a magnitude that statics alone does not determine
Frame = tuple[SX, SX]


def point_mass(mass: SX) -> CompositeBody:
    """A load without extent at the origin."""
    return CompositeBody(mass, zeros(3), zeros(3, 3))


def scaled_gravity(own: NDArray[np.float64], factor: SX) -> SX:
    """A robot's own gravity times a factor; what is zero stays so, as planar robots need it."""
    return ca.vertcat(*[float(g) * factor if g else SX(0) for g in own])


def snapshot(frames: Sequence[Frame], measured: Mapping[str, Sequence[SX]]) -> Outputs:
    """Outputs from rotations and places of bodies, and numbers per actuator or joint."""
    placed = stack([ca.horzcat(R, p) for R, p in frames])
    outputs: Outputs = {"frames": (placed, (len(frames), 3, 4))}
    for name, values in measured.items():
        outputs[name] = ca.vertcat(*values), (len(values),)
    return outputs


def of_mechanism(robot: MechanismDynamics, cdd: SX, mass: SX) -> Outputs:
    """Actuators, efforts, joints and frames with a payload of this mass at the tool's origin."""
    carried = robot.sharing(load=point_mass(mass))
    state = robot.moving(cdd)
    q, qd, _ = robot.actuators(state)
    measured = {"position": ca.vertsplit(q), "velocity": ca.vertsplit(qd)}
    if len(robot.model.effort_names) >= robot.dof:
        measured["effort"] = ca.vertsplit(carried.inverse(cdd))
    bounded = passive_bounded(robot.model)
    if bounded:
        passive = [robot.dynamics.joint_motion(each.name, state)[0] for each in bounded]
        measured["passive_joint_position"] = passive
    if robot.model.cones:
        measured["cone_angle"] = [_angle(cosine) for cosine in cone_cosines(robot)]
    found = snapshot(frames(robot), measured)
    return {**found, **reactions(carried, cdd)} if "effort" in measured else found


def reactions(robot: MechanismDynamics, cdd: SX) -> Outputs:
    """Magnitudes; of two solutions where statics leaves many, those of the components they agree on,
    unless they are zero."""
    found = Reactions(robot.but(), by_name(robot.model, cdd))
    slides = {f"{each.name} slide": strut_axes(robot.place, each) for each in robot.model.cylinders}

    def borne(name: str, F: SX, N: SX) -> SX:
        """In a slide the force across it, along which its motor acts, and the moment about its end."""
        if name not in slides:
            return ca.vertcat(F, N)
        T, start, end = slides[name]
        return ca.vertcat(F - ca.dot(F, T[:, 0]) * T[:, 0], N - cross(end - start, F))

    solved = [[borne(*each) for each in wrenches] for _, wrenches in found.solutions()]
    one, other = solved[0], solved[-1]
    size = ca.mmax(ca.fabs(ca.vertcat(*one, *other)))
    outputs: Outputs = {}
    for kind, part in (("force", slice(0, 3)), ("moment", slice(3, 6))):
        values = []
        for w, v in zip(one, other, strict=True):
            agree = ca.fabs(w[part] - v[part]) <= AGREE * size
            known = ca.norm_2(ca.if_else(agree, w[part], 0))
            tells = ca.logic_or(ca.mmin(agree) > 0, known > ROUNDING * size)
            tells = ca.logic_and(tells, ca.mmax(agree) > 0)
            values.append(known if other is one else ca.if_else(tells, known, UNDETERMINED))
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


def _rod_frame(state: MechanismState, rod: Rod) -> Frame:
    """By the shortest turn from home; that of its spin is not seen."""
    start = displaced(state, rod.joins[0]).point(rod.start)
    end = displaced(state, rod.joins[1]).point(rod.end)
    before, after = number((rod.end - rod.start) / rod.length), (end - start) / rod.length
    K = skew(cross(before, after))
    R = SX.eye(3) + K + times(K, K) / (1 + ca.dot(before, after))
    return R, start - times(R, number(rod.start))


def _cylinder_frames(state: MechanismState, cylinder: Cylinder) -> list[Frame]:
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


def of_platform(robot: MechanismDynamics, model: PlatformModel, acceleration: SX, mass: SX) -> Outputs:
    """Legs, forces, angles and reactions with a payload of this mass at the reference point."""
    carried = robot.sharing(load=point_mass(mass))
    legs = legs_of(robot, robot.moving(acceleration))
    directions = [leg.frame[2] for leg in legs]
    measured = {
        "position": [leg.frame[0] for leg in legs],
        "velocity": [leg.motion[0] for leg in legs],
        "effort": ca.vertsplit(carried.inverse(acceleration)),
        **_joint_angles(model, robot.c, directions),
    }
    found = snapshot([_from_home(model, robot.c)], measured)
    return {**found, **reactions(carried, acceleration)}


def _from_home(model: PlatformModel, pose: SX) -> Frame:
    """How the platform has gone from home."""
    (place, turn), (position, R) = place_of(number(home_pose(model))), place_of(pose)
    moved = times(R, turn.T)
    return moved, position - times(moved, place)


def _joint_angles(model: PlatformModel, pose: SX, directions: list[SX]) -> dict[str, list[SX]]:
    """From the mounting axes; nothing without limits."""
    limits = [leg.limits for leg in model.legs]
    if not any(each.universal_angle or each.spherical_angle for each in limits):
        return {}
    universal, spherical = zip(*angle_cosines(model, pose, directions), strict=True)
    return {
        "universal_angle": [_angle(cosine) for cosine in universal],
        "spherical_angle": [_angle(cosine) for cosine in spherical],
    }


def _angle(cosine: SX) -> SX:
    return ca.acos(ca.fmax(ca.fmin(cosine, 1), -1))
