"""Random mechanisms: modules of known mobility, set on one another, drawn at home.

A module adds bodies, joints and as many coordinates as it has freedoms. What stands near a singular
place at home is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwork.core.rotations import rotation_rpy
from linkwork.model.geometry import Transform
from linkwork.model.joint import Friction
from linkwork.model.mechanism import (
    BASE,
    POSE,
    Coordinate,
    Coupling,
    MechanismModel,
    Motor,
    PointSpring,
    Spring,
)
from tests.mechanism_sketch import Array, Plane, Sketch

Place = tuple[str, Array]  # a body and a point near which the next module starts
Module = Callable[[Sketch, str, Array], Place]


def chain(s: Sketch, host: str, at: Array, least: int = 1) -> Place:
    """One to three turns and slides."""
    for k in range(s.rng.integers(least, 4)):
        kind = "P" if s.chance(0.25) else "R"
        after = at + s.near(0.4)
        link = s.body(f"link-{k}", at, after)
        s.count(s.joint(f"joint-{k}", kind, host, link, at, s.direction(), **s.driven()))
        host, at = link, after
    return host, at


def arm_with_cylinder(s: Sketch, host: str, at: Array) -> Place:
    """A boom on a hydraulic cylinder in the plane of its pin; its length may be the coordinate."""
    plane = Plane(s, at)
    boom = s.body("boom", at, plane.at(0.8, 0.1))
    foot, eye = plane.at(0.25, -0.3) + plane.jitter(), plane.at(0.5, 0.15) + plane.jitter()
    hinge = s.joint("hinge", "R", host, boom, plane.pin(at), plane.k)
    pin = plane.k if s.chance(0.6) else None
    name = s.cylinder("cylinder", host, boom, foot, eye, pin, motor=True)
    s.count(name if s.chance(0.4) else hinge)
    return boom, plane.at(0.8, 0.1)


def four_bar(s: Sketch, host: str, at: Array) -> Place:
    """A parallelogram, or any four-bar; driven at the crank, sometimes also at the rocker."""
    plane = Plane(s, at)
    A, D = plane.at(0, 0), plane.at(0.5, 0.05)
    B = plane.at(0.15, 0.5) + plane.jitter()
    exact = s.chance(0.5)
    C = D + (B - A) if exact else plane.at(0.7, 0.6) + plane.jitter(0.1)
    crank, link, rocker = s.body("crank", A, B), s.body("coupler", B, C), s.body("rocker", D, C)
    motor = s.driven()
    names = [
        s.joint("crank", "R", host, crank, plane.pin(A), plane.k, **motor),
        s.joint("knee", "R", crank, link, plane.pin(B), plane.k),
        s.joint("rocker", "R", host, rocker, plane.pin(D), plane.k, **s.driven(0.2)),
        s.joint(
            "end", "R", *((link, rocker) if s.chance(0.5) else (rocker, link)), plane.pin(C), plane.k
        ),
    ]
    s.count(
        names[0] if s.chance(0.7) else names[2] if s.chance(0.5) else names[1] if not exact else names[2]
    )
    return (link, C) if s.chance(0.7) else (rocker, C)


def slider_crank(s: Sketch, host: str, at: Array) -> Place:
    plane = Plane(s, at)
    B, C = plane.at(0.1, 0.3) + plane.jitter(), plane.at(0.7, 0.05) + plane.jitter()
    crank, link, slider = s.body("crank", at, B), s.body("link", B, C), s.body("slider", C)
    turn = s.joint("crank", "R", host, crank, plane.pin(at), plane.k, **s.driven())
    s.joint("big-end", "R", crank, link, plane.pin(B), plane.k)
    s.joint("small-end", "R", link, slider, plane.pin(C), plane.k)
    slide = s.joint(
        "slide", "P", host, slider, C + s.near(0.1), plane.e1 + 0.2 * s.rng.normal() * plane.e2
    )
    s.count(turn if s.chance(0.6) else slide)
    return slider, C


def five_bar(s: Sketch, host: str, at: Array) -> Place:
    """Two cranks whose links meet in a pin, or in a point that is a body."""
    plane = Plane(s, at)
    A, B = plane.at(0, 0), plane.at(0.4, 0)
    C, D = plane.at(-0.25, 0.4) + plane.jitter(), plane.at(0.65, 0.4) + plane.jitter()
    E = plane.at(0.2, 0.8) + plane.jitter()
    left, right = s.body("left", A, C), s.body("right", B, D)
    a, b = s.body("link-a", C, E), s.body("link-b", D, E)
    names = [
        s.joint("left", "R", host, left, plane.pin(A), plane.k, **s.driven()),
        s.joint("right", "R", host, right, plane.pin(B), plane.k, **s.driven()),
    ]
    s.joint("elbow-a", "R", left, a, plane.pin(C), plane.k)
    s.joint("elbow-b", "R", right, b, plane.pin(D), plane.k)
    if s.chance(0.5):
        s.joint("tip", "R", a, b, plane.pin(E), plane.k)
        s.count(*names)
        return b, E
    tip = s.body("tip", E, point=True)
    bare = {"friction": Friction(), "spring": None}
    s.joint("tip-a", "R", a, tip, E, plane.k, **bare)
    s.joint("tip-b", "R", b, tip, E, plane.k, **bare)
    if host == BASE and s.chance(0.6):
        poses = np.sort(np.argsort(np.abs(plane.k))[:2])
        s.coordinates += [Coordinate(tip, POSE[k]) for k in poses]
    else:
        s.count(*names)
    return b, D


def drive(s: Sketch, name: str, host: str, plate: str, start: Array, end: Array) -> str:
    """A leg that moves one point of a plate: cylinder, crank with rod, or slide with rod."""
    kind = s.rng.integers(3)
    if kind == 0:
        return s.cylinder(name, host, plate, start, end, motor=True)
    toward = np.cross(end - start, s.rng.normal(size=3))
    toward /= np.linalg.norm(toward)
    if kind == 1:
        tip = start + 0.25 * toward
        carrier = s.body(f"crank {name}", start, tip)
        axis = np.cross(toward, end - start) + 0.05 * s.near(1.0)
        moving = s.joint(name, "R", host, carrier, start, axis, **s.driven())
    else:
        tip = start + 0.2 * toward
        carrier = s.body(f"carriage {name}", start)
        moving = s.joint(name, "P", host, carrier, start, end - tip + 0.3 * s.near(1.0), **s.driven())
    s.rod(f"rod {name}", carrier, plate, tip, end)
    return moving


def platform(s: Sketch, host: str, at: Array) -> Place:
    """Three to six driven legs, the rest plain rods to the host; coordinates are found later."""
    freedoms = int(s.rng.integers(3, 7))
    up = s.direction()
    plane = Plane(s, at)
    plane.k, plane.e1 = up, np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    plane.e1 /= np.linalg.norm(plane.e1)
    plane.e2 = np.cross(up, plane.e1)
    top = at + 0.7 * up
    frame = Transform.of(rotation_rpy(*s.near(0.4)) if s.chance(0.5) else None, top + s.near(0.05))
    plate = s.body("plate", top, frame=frame)
    actuators = []
    for k in range(6):
        pair, side = divmod(k, 2)
        low = 2 * np.pi * (pair + (side - 0.5) * 0.25) / 3 + s.rng.normal() * 0.06
        high = 2 * np.pi * (pair + (side - 0.5) * 0.75) / 3 + s.rng.normal() * 0.06
        start = plane.at(0.5 * np.cos(low), 0.5 * np.sin(low)) + s.near(0.04)
        end = plane.at(0.3 * np.cos(high), 0.3 * np.sin(high)) + 0.7 * up + s.near(0.04)
        if k < freedoms:
            actuators.append(drive(s, f"leg-{k}", host, plate, start, end))
        else:
            s.rod(f"stay-{k}", host, plate, start, end)
    if s.chance(0.25):
        s.count(*actuators)
    else:
        kept = range(6) if freedoms == 6 else _best_poses(s, plate, host, freedoms)
        s.coordinates += [Coordinate(plate, POSE[k], host) for k in kept]
    return plate, top


def _best_poses(s: Sketch, plate: str, host: str, freedoms: int) -> list[int]:
    """Pose coordinates that its plain rods leave free, the best conditioned."""
    frame = s.parts[plate].frame
    rows = []
    for rod in s.rods.values():
        if rod.joins == (host, plate):
            direction = (rod.end - rod.start) / rod.length
            rows.append(np.concatenate([direction, 2 * np.cross(rod.end - frame.p, direction)]))
    free = np.linalg.svd(np.array(rows))[2][len(rows) :]
    chosen: list[int] = []
    for _ in range(freedoms):
        scores = [-1.0 if k in chosen else np.linalg.svd(free[:, [*chosen, k]])[1][-1] for k in range(6)]
        chosen.append(int(np.argmax(scores)))
    return sorted(chosen)


def translator(s: Sketch, host: str, at: Array) -> Place:
    """A Delta: cranks or slides, each with two parallel rods, or with one that has U joints."""
    radius, small, drop, gap = 0.25, 0.06, 0.6, 0.06
    single = s.chance(0.3)
    crank = s.chance(0.6)
    top = at - drop * np.eye(3)[2]
    plate = s.body("plate", top, frame=Transform.of(None, top))
    motors = []
    for k in range(3):
        turn = 2 * np.pi * k / 3 + (s.rng.normal() * 0.1 if s.chance(0.5) else 0.0)
        out, side = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
        foot = at + radius * out
        elbow = foot + (0.25 * out + [0, 0, -0.08] if crank else 0.1 * out)
        arm = s.body(f"arm-{k}", foot, elbow)
        kind, axis = ("R", side) if crank else ("P", np.array([0, 0, 1.0]))
        motors.append(s.joint(f"motor-{k}", kind, host, arm, foot, axis, **s.driven()))
        end = top + small * out
        if single:
            mass = s.rng.uniform(0.1, 0.5)
            more = {"mass": mass, "across": 0.03 * mass, "axial": 0.01 * mass}
            s.rod(f"rod-{k}", arm, plate, elbow, end, axis=side, far_axis=side, **more)
            continue
        for name, shift in (("left", gap), ("right", -gap)):
            s.rod(f"{name}-{k}", arm, plate, elbow + shift * side, end + shift * side)
    if s.chance(0.7):
        s.coordinates += [Coordinate(plate, POSE[k], host) for k in range(3)]
    else:
        s.count(*motors)
    return plate, top


def ankle(s: Sketch, host: str, at: Array) -> Place:
    """A body on a universal joint, or on two turns, moved by two legs."""
    up = s.direction()
    first = s.square_to(up)
    second = np.cross(up, first)
    foot = s.body("foot", at, at + 0.2 * up)
    if s.chance(0.5):
        cross = s.body("cross", at)
        names = [
            s.joint("pitch", "R", host, cross, at, first),
            s.joint("roll", "R", cross, foot, at + 0.03 * up, second + 0.1 * s.near(1.0)),
        ]
    else:
        second -= first * (first @ second)
        s.joint("ball", "U", host, foot, at, first, second)
        names = []
    legs = []
    for k, side in enumerate((-1.0, 1.0)):
        end = at + 0.2 * (first + side * 0.7 * second) + 0.1 * up
        start = at + 0.25 * (first + side * 0.8 * second) - 0.6 * up + s.near(0.03)
        legs.append(drive(s, f"leg-{k}", host, foot, start, end))
    s.count(*(names if names and s.chance(0.7) else legs))
    return foot, at + 0.2 * up


def spatial_loop(s: Sketch, host: str, at: Array) -> Place:
    """One loop of seven freedoms: R S U R, R U S R, R S with a rod, or seven turns."""
    kind = s.rng.integers(4)
    side, up = np.array([0.6, 0.1, 0.0]) + s.near(0.1), s.near(0.1) + 0.4 * np.eye(3)[2]
    A, D, B, C = at, at + side, at + up + s.near(0.08), at + side + up + s.near(0.12)
    crank, rocker = s.body("crank", A, B), s.body("rocker", D, C)
    turn = s.joint("crank", "R", host, crank, A, np.cross(up, s.rng.normal(size=3)), **s.driven())
    other = s.joint("rocker", "R", host, rocker, D, np.cross(side, up) + s.near(0.2))
    if kind == 0:
        s.rod("rod", crank, rocker, B, C)
    elif kind < 3:
        coupler = s.body("coupler", B, C)
        axis = np.cross(C - B, s.rng.normal(size=3))
        axes = axis, np.cross(axis, s.rng.normal(size=3))
        first, second = ("S", ()), ("U", axes)
        if kind == 2:
            first, second = second, first
        s.joint("near", first[0], crank, coupler, B, *first[1])
        s.joint("far", second[0], coupler, rocker, C, *second[1])
    else:
        bodies = [crank, *(s.body(f"piece-{k}", B, C) for k in range(4)), rocker]
        for k in range(5):
            place = B + k / 4 * (C - B) + s.near(0.15)
            s.joint(f"turn-{k}", "R", bodies[k], bodies[k + 1], place, s.rng.normal(size=3))
    s.count(turn if s.chance(0.7) else other)
    return rocker, C


def spherical_loop(s: Sketch, host: str, at: Array) -> Place:
    """Four turns through one point: three of its closure's rows say nothing new."""
    axes = [
        np.array(v) + s.near(0.1) for v in ([1, 0, 0.1], [0.6, 0.1, 0.8], [0.1, 0.7, 0.7], [0, 1, 0.1])
    ]
    places = [at + 0.3 * axis for axis in axes]
    a, b, c = (s.body(name, *places[k : k + 2]) for k, name in enumerate(("input", "middle", "output")))
    first = s.joint("input", "R", host, a, places[0], axes[0], **s.driven())
    s.joint("one", "R", a, b, places[1], axes[1])
    s.joint("two", "R", b, c, places[2], axes[2])
    last = s.joint("output", "R", host, c, places[3], axes[3])
    s.count(first if s.chance(0.7) else last)
    return c, places[2]


def three_legs(s: Sketch, host: str, at: Array) -> Place:
    """3-RPS and 3-RRS as bodies and joints, in motor coordinates, or the planar 3-RRR."""
    planar, slides = s.chance(0.4), s.chance(0.5)
    top = at + (0.0 if planar else 0.6) * np.eye(3)[2]
    plate = s.body("plate", top, frame=Transform.of(None, top))
    motors, up = [], np.array([0, 0, 1.0])
    for k in range(3):
        turn = 2 * np.pi * k / 3 + s.rng.normal() * (0.15 if planar else 0.05)
        out, side = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
        start, end = at + 0.5 * out, top + 0.2 * out
        middle = (start + end) / 2 + (0.25 * side + 0.05 * out if planar else 0.3 * out)
        lower, upper = s.body(f"lower-{k}", start, middle), s.body(f"upper-{k}", middle, end)
        axis = up if planar else side
        if planar or not slides:
            motors.append(s.joint(f"foot-{k}", "R", host, lower, start, axis, **s.driven()))
            s.joint(f"knee-{k}", "R", lower, upper, middle, axis)
        else:
            s.joint(f"foot-{k}", "R", host, lower, start, axis)
            motors.append(s.joint(f"slide-{k}", "P", lower, upper, start, end - start, **s.driven()))
        s.joint(f"end-{k}", "R" if planar else "S", upper, plate, end, *((axis,) if planar else ()))
    if s.chance(0.5):
        s.count(*motors)
    else:
        poses = ("x", "y", "yaw") if planar else ("z", "roll", "pitch")
        s.coordinates += [Coordinate(plate, pose, host) for pose in poses]
    return plate, top


def geared(s: Sketch, host: str, at: Array) -> Place:
    """Joints that follow one another by ratio: on a chain, or as a gripper's two fingers."""
    fingers = s.chance(0.5)
    a, b = s.body("first", at, at + s.near(0.3)), s.body("second", at, at + s.near(0.4))
    second_host, place = (host, at + s.near(0.2)) if fingers else (a, at + s.near(0.4))
    kind = "P" if s.chance(0.3) else "R"
    lead = s.joint("lead", "R" if not fingers else kind, host, a, at, s.direction(), **s.driven())
    follow = s.joint("follow", kind, second_host, b, place, s.direction())
    s.couplings.append(Coupling(((follow, 1.0), (lead, float(s.rng.choice([1.0, -0.5, -1.0, 0.37]))))))
    s.count(lead if s.chance(0.8) else follow)
    return b, place


def differential(s: Sketch, host: str, at: Array) -> Place:
    """Two turns moved by two motors with ratios."""
    cross, hand = s.body("cross", at), s.body("hand", at, at + s.near(0.2))
    axis = s.direction()
    names = [
        s.joint("pitch", "R", host, cross, at, axis),
        s.joint("roll", "R", cross, hand, at + s.near(0.05), s.square_to(axis)),
    ]
    for name, ratios in (("one", (1.0, 1.0)), ("two", (1.5, -1.0))):
        rotor = s.rng.uniform(0.01, 0.2) if s.chance(0.6) else 0.0
        s.motors.append(Motor(f"{s.tag}{name}", tuple(zip(names, ratios, strict=True)), rotor))
    s.count(*names)
    return hand, at + s.near(0.2)


MODULES: dict[str, tuple[Module, float]] = {
    "chain": (chain, 3.0),
    "arm with cylinder": (arm_with_cylinder, 2.0),
    "four-bar": (four_bar, 3.0),
    "slider-crank": (slider_crank, 1.5),
    "five-bar": (five_bar, 1.5),
    "platform": (platform, 2.5),
    "translator": (translator, 1.5),
    "ankle": (ankle, 1.5),
    "spatial loop": (spatial_loop, 2.0),
    "spherical loop": (spherical_loop, 0.7),
    "three legs": (three_legs, 1.5),
    "geared": (geared, 1.2),
    "differential": (differential, 1.0),
}


def _extras(s: Sketch) -> None:
    """Springs and cylinders between any bodies, motors that are not needed, rigid attachments."""
    rigid = [part for part in s.parts.values() if not part.point]
    names = [BASE, *(part.name for part in rigid)]

    def two() -> tuple[str, str, Array, Array]:
        a, b = (str(name) for name in s.rng.choice(names, 2, replace=False))
        places = [s.parts[n].body.center_of_mass if n != BASE else np.zeros(3) for n in (a, b)]
        return a, b, places[0] + s.near(0.3) + [0, 0, 0.4], places[1] + s.near(0.3)

    if s.chance(0.2):
        a, b, start, end = two()
        stiffness = s.rng.uniform(10, 100)
        s.springs.append(
            PointSpring("spring", (a, b), start, end, Spring(stiffness, 0.3, s.rng.normal()))
        )
    if s.chance(0.15):
        a, b, start, end = two()
        s.cylinder("extra cylinder", a, b, start, end, **({"motor": True} if s.chance(0.5) else {}))
    if s.chance(0.15):
        lump = s.body("lump", rigid[-1].body.center_of_mass)
        s.joint("weld", "F", rigid[-1].name, lump, rigid[-1].body.center_of_mass)
    passive = [
        j for j in s.joints.values() if not j.motor and j.axes and j.kind in ("revolute", "prismatic")
    ]
    passive = [j for j in passive if not any(s.parts[n].point for n in j.joins if n != BASE)]
    if passive and s.chance(0.25):
        joint = passive[s.rng.integers(len(passive))]
        s.joints[joint.name] = replace(joint, motor=s.chance(0.5), rotor=s.rng.uniform(0.01, 0.1))


def sketched(rng: np.random.Generator, modules: tuple[str, ...] | None = None) -> Sketch:
    s = Sketch(rng)
    weights = np.array([weight for _, weight in MODULES.values()])
    if modules is None:
        count = int(rng.choice([1, 2, 3], p=[0.4, 0.4, 0.2]))
        modules = tuple(str(n) for n in rng.choice(list(MODULES), count, p=weights / weights.sum()))
    places: list[Place] = [(BASE, s.near(0.2))]
    for k, name in enumerate(modules):
        s.tag = f"{chr(ord('a') + k)}-" if len(modules) > 1 else ""
        host, at = places[-1] if s.chance(0.75) else places[s.rng.integers(len(places))]
        places.append(MODULES[name][0](s, host, at + s.near(0.1)))
        s.modules.append(name)
    s.tag = ""
    _extras(s)
    return s


def random_mechanism(seed: int, modules: tuple[str, ...] | None = None) -> MechanismModel:
    """A mechanism in good shape at home; `modules` are names of MODULES, else drawn."""
    for attempt in range(60):
        s = sketched(np.random.default_rng([seed, attempt]), modules)
        model = s.model(f"random {seed}: " + " + ".join(s.modules))
        if well_posed(model):
            return model
    raise AssertionError(f"seed {seed} gives no mechanism in good shape")


def well_posed(model: MechanismModel) -> bool:
    """Whether freedoms are those declared, all moderate in the coordinates, and motors move them."""
    from tests.oracles.pinocchio_mechanism import Oracle

    oracle = Oracle(model)
    found = oracle.shape(np.zeros(oracle.nv))
    return (
        found.mobility == len(model.coordinates)
        and found.gain < 8
        and found.drives > 0.08
        and found.mass < 3e6
    )


def random_states(
    model: MechanismModel, rng: np.random.Generator, count: int
) -> tuple[Array, Array, Array]:
    """c, cd, cdd around home, where loops close and nothing is near singular."""
    from tests.oracles.pinocchio_mechanism import Oracle

    oracle = Oracle(model)
    n = len(model.coordinates)
    places = []
    for _ in range(count):
        spread = 0.25
        while True:
            c = oracle.home + rng.uniform(-spread, spread, n)
            q, residual = oracle.position(c)
            if residual < 1e-12 and oracle.shape(q).gain < 20 and oracle.shape(q).drives > 0.02:
                break
            spread *= 0.75
        places.append(c)
    cd, cdd = rng.normal(size=(2, count, n))
    return np.array(places), cd, 3 * cdd
