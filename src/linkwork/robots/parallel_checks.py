"""Faults of a parallel robot as a whole: whether its coordinates are its freedoms, and home is regular.

The coordinates that a file declares are believed by all equations, so they are checked when it is read,
at home and at poses around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwork.robots.family_struts import pair_of
from linkwork.robots.faults import listed
from linkwork.robots.geometry import Array
from linkwork.robots.parallel import COORDINATES, ParallelLeg, ParallelModel
from linkwork.robots.parallel_mobility import (
    Assembly,
    Screws,
    assembled,
    displaced,
    is_point,
    spatial_columns,
    units,
)
from linkwork.robots.validation import Found
from linkwork.rotations import skew

AWAY = (0.03, 0.003, 0.0003)  # of the machine's size, or radians; less where home is next to the edge
POSES = 3
CLOSED = 1e-9
SINGULAR = 1e-6
MOVES = 1e-8


def model_faults(model: ParallelModel, places: Sequence[int]) -> Iterator[Found]:
    """Faults that show only when all numbers are known; `places` of the legs in the file."""
    found = list(_leg_faults(model, places))
    found += list(_count_faults(model))
    if not found:
        found += list(_mobility_faults(model))
    if not found:
        found += list(_home_faults(model))
    yield from found


def _leg_faults(model: ParallelModel, places: Sequence[int]) -> Iterator[Found]:
    for leg, place in zip(model.legs, places, strict=True):
        if any(joint.apart for joint in leg.joints) and not pair_of(leg):
            yield (
                ("legs", place, "joints"),
                f"{leg.name} has apart, which is for two rods side by side: the thin link of a U joint"
                " without friction that goes to a U joint at the platform with the same outer axis."
                " Write the leg so, or leave apart out",
            )
        values = np.linalg.svd(_home_jacobian(leg, model), compute_uv=False)
        if values[-1] <= SINGULAR * values[0] or values[0] == 0.0:
            yield (
                ("legs", place, "joints"),
                f"{leg.name} is at a serial singularity at home: its joints do not move the point where"
                " it holds the platform in independent directions (a stretched or folded leg, or a joint"
                " whose axis passes through that point). Choose another home, or move the joints",
            )


def _home_jacobian(leg: ParallelLeg, model: ParallelModel) -> Array:
    """Of the equations that close the leg, at home, lengths by the machine's size."""
    tip = model.home[:3] if leg.frame else leg.end.at
    size, columns = model.size(), []
    for joint in leg.joints:
        linear = np.cross(joint.axis, tip - joint.at) if joint.is_revolute else joint.axis
        angular = joint.axis if joint.is_revolute else np.zeros(3)
        # A slide is measured in units of the machine's size.
        unit = 1 / size if joint.is_revolute else 1.0
        columns.append(np.concatenate([linear * unit, angular] if leg.frame else [linear * unit]))
    return np.array(columns).T


def _count_faults(model: ParallelModel) -> Iterator[Found]:
    actuators, d = len(model.actuators), model.freedoms
    if actuators < d:
        names = listed(joint.name for joint in model.actuators) or "none"
        yield (
            ("legs",),
            f"{actuators} joints are actuated ({names}) for {d} coordinates"
            f" ({listed(model.coordinates)}); allowed: at least {d}. Add actuated: true"
            " to joints, or declare fewer coordinates",
        )


def _mobility_faults(model: ParallelModel) -> Iterator[Found]:
    d, size = model.freedoms, model.size()
    others = tuple(k for k in range(6) if k not in model.independent)
    point = is_point(model)
    follow = tuple(k for k in others if not (point and k >= 3))
    for away in AWAY:
        six = np.tile(model.home, (1 + POSES, 1))
        units = np.where(np.arange(6) < 3, size, 1.0)[list(model.independent)]
        steps = np.random.default_rng(0).uniform(0.4, 1.0, (POSES, d)) * np.array([[1], [-1], [1]])
        six[1:, list(model.independent)] += away * units * steps
        tried = assembled(model, six, follow)
        if tried.error < CLOSED:
            break
    rank, null = _freedoms(model, tried, 0, point)
    if rank != 6 - d:
        yield ("coordinates",), _wrong_number(model, rank, null)
        return
    if stuck := _stuck(model, tried, follow):
        yield (
            ("coordinates",),
            f"{listed(stuck)} cannot move at home. The platform can move {_described(null)};"
            " declare those",
        )
        return
    if d == 6:  # legs that take no freedom at home take none beside it
        return
    if not tried.error < CLOSED:
        yield (
            ("coordinates",),
            f"{listed(model.coordinates)} cannot move independently: near home the legs do not close"
            f" (by {tried.error * size:.2g} m). Declare other coordinates, or correct the joints",
        )
        return
    locked = [k for k in follow if k not in model.dependent]
    moved = np.abs(tried.six[:, locked] - model.home[locked]).max(axis=0) if locked else np.zeros(0)
    names = [
        COORDINATES[k] for k, way in zip(locked, moved, strict=True) if way > MOVES * max(size, 1.0)
    ]
    if names:
        yield (
            ("coordinates",),
            f"{listed(names)} moves too when {listed(model.coordinates)} move; the robot's own motion is"
            f" another. Add parasitic: [{listed([*model.parasitic, *names])}], or declare other"
            " coordinates",
        )
        return
    for pose in range(1, 1 + POSES):
        rank, null = _freedoms(model, tried, pose, point)
        if rank != 6 - d:
            yield ("coordinates",), _wrong_number(model, rank, null, " near home")
            return


def _freedoms(model: ParallelModel, tried: Assembly, pose: int, point: bool) -> tuple[int, Array]:
    """Rank of the legs' constraints at a pose, and what the platform can do, (freedoms, 6)."""
    G = tried.constraints(model.size())[pose]
    if point:
        G = np.vstack([G, np.eye(6)[3:]])
    _, s, vt = np.linalg.svd(np.vstack([G, np.zeros((6, 6))]))
    rank = int((s > SINGULAR).sum())
    return rank, vt[rank:]


def _stuck(model: ParallelModel, tried: Assembly, follow: tuple[int, ...]) -> list[str]:
    """Coordinates that the legs hold at home, whatever else may move with them."""
    G = tried.constraints(model.size())[0]
    along = G[:, list(follow)]
    wanted = G[:, list(model.independent)]
    rest = wanted - along @ (np.linalg.pinv(along, rcond=SINGULAR) @ wanted) if follow else wanted
    left = np.abs(rest).max(axis=0) if len(rest) else np.zeros(model.freedoms)
    return [name for name, miss in zip(model.coordinates, left, strict=True) if miss > SINGULAR]


def _wrong_number(model: ParallelModel, rank: int, null: Array, where: str = " at home") -> str:
    names = listed(model.coordinates)
    if 6 - rank < model.freedoms:
        return (
            f"the legs leave the platform {6 - rank} freedoms{where}, but {model.freedoms} coordinates"
            f" are declared ({names}). It can move {_described(null)}; declare those"
        )
    extra = null - null[:, list(model.independent)] @ np.eye(6)[list(model.independent)]
    vt = np.linalg.svd(extra)[2]
    return (
        f"the platform has {6 - rank} freedoms{where}, but {model.freedoms} coordinates are declared"
        f" ({names}). It can also move {_described(vt[: max(1, 6 - rank - model.freedoms)])}; declare"
        " that too and actuate it, or let the legs hold it"
    )


def _described(motions: Array) -> str:
    """Independent motions, each with as few coordinates as they allow."""
    texts = []
    for motion in _echelon(motions):
        parts = [f"{COORDINATES[k]}" for k in range(6) if abs(motion[k]) > 1e-3 * np.abs(motion).max()]
        texts.append("+".join(parts))
    return listed(texts) or "nowhere"


def _echelon(rows: Array) -> Array:
    """The reduced row echelon form of independent rows."""
    rows, done = rows.copy(), 0
    for column in range(rows.shape[1]):
        if done == len(rows):
            break
        best = done + int(np.argmax(np.abs(rows[done:, column])))
        if abs(rows[best, column]) < 1e-6:
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        others = np.arange(len(rows)) != done
        rows[others] -= np.outer(rows[others, column], rows[done])
        done += 1
    return rows


def _home_faults(model: ParallelModel) -> Iterator[Found]:
    """Home in a parallel singularity, or motions there that move no mass."""
    rates, T = _home_rates(model)
    joints, actuated = model.joints, [joint.actuated for joint in model.joints]
    size = model.size()
    units = np.where(np.array([joint.is_revolute for joint in joints]), 1.0, 1 / size)
    Ga = (units[:, None] * rates)[actuated]
    values = np.linalg.svd(Ga, compute_uv=False)
    if values[-1] <= SINGULAR * values[0]:
        yield (
            ("home",),
            "is a parallel singularity: the platform can move there while all actuators stand still."
            " Choose another home, or actuate other joints",
        )
        return
    M = _home_mass_matrix(model, rates, T)
    lowest, directions = np.linalg.eigh(M)
    if lowest[0] <= 1e-12 * lowest[-1]:
        names = [
            name
            for name, part in zip(model.coordinates, directions[:, 0], strict=True)
            if abs(part) > 0.1
        ]
        yield (
            ("platform",),
            f"moving {listed(names)} moves no mass, so accelerations have no answer. Give the platform"
            " mass and inertia, or the links and rotors",
        )


def _home_rates(model: ParallelModel) -> tuple[Array, Array]:
    """Velocities of all joints (n, d) and twists of the platform (6, d, spatial) of unit coordinates.

    A unit of a translation is the machine's size.
    """
    scale, screws = units(model.size()), Screws.of(model)
    at_rest = np.zeros((1, *screws.revolute.shape))
    legs = displaced(screws, at_rest)
    B = spatial_columns(model.home[None])[0] / scale
    T = B[:, list(model.independent)]
    if model.parasitic:
        G = Assembly(model.home[None], legs, at_rest, 0.0).constraints(model.size())[0]
        follow = np.linalg.lstsq(
            G[:, list(model.dependent)], -G[:, list(model.independent)], rcond=1e-9
        )[0]
        T = T + B[:, list(model.dependent)] @ follow
    rates = []
    for leg, columns in zip(model.legs, legs.J[0], strict=True):
        found = np.linalg.pinv(scale[:, None] * columns, rcond=1e-9) @ (scale[:, None] * T)
        rates.append(found[: len(leg.joints)])
    return np.vstack(rates), T


def _home_mass_matrix(model: ParallelModel, rates: Array, T: Array) -> Array:
    home, body = model.home_frame, model.platform
    M = _kinetic(body.mass, home.R @ body.center_of_mass + home.p, home.R @ body.inertia @ home.R.T, T)
    row = 0
    for leg in model.legs:
        twist = np.zeros_like(T)
        for joint in leg.joints:
            turns = joint.is_revolute
            linear = np.cross(joint.at, joint.axis) if turns else joint.axis
            twist = twist + np.outer(
                np.concatenate([linear, joint.axis if turns else np.zeros(3)]), rates[row]
            )
            part = joint.body
            M = M + _kinetic(part.mass, part.center_of_mass, part.inertia, twist)
            M = M + joint.rotor * np.outer(rates[row], rates[row])
            row += 1
    return M


def _kinetic(mass: float, center: Array, inertia: Array, twist: Array) -> Array:
    v = twist[:3] - skew(center) @ twist[3:]
    return np.asarray(mass * v.T @ v + twist[3:].T @ inertia @ twist[3:])
