"""Arms, platforms and parallel robots expanded into mechanisms: the same mass in the same place, and the
same freedoms, by screws at home."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linkwork.core.rotations import rotation_about_axis, rotation_of, rotation_rpy, skew
from linkwork.model.bundled import bundled_names
from linkwork.model.families.arm import ArmModel, mechanism_of_arm, with_tool
from linkwork.model.families.parallel import ParallelModel, mechanism_of_parallel
from linkwork.model.families.stewart import LegLimits, PlatformModel, home_pose, mechanism_of_platform
from linkwork.model.geometry import Body, Transform
from linkwork.model.mechanism import BASE, Cylinder, MechanismModel, Rod
from linkwork.model.robot_files import load_model
from tests.random_arms import random_arm, special_arm
from tests.random_parallel import random_parallel
from tests.random_platforms import random_platform

Array = np.ndarray
Placed = tuple[float, Array, Array]  # mass, center, inertia about it, base axes


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def placed(body: Body, R: Array, p: Array) -> Placed:
    return body.mass, R @ body.center_of_mass + p, R @ body.inertia @ R.T


def composite(bodies: Iterable[Placed]) -> Array:
    """Mass, first moments and inertia about the origin."""
    total = np.zeros(13)
    for mass, center, inertia in bodies:
        about = inertia - mass * skew(center) @ skew(center)
        total += np.concatenate([[mass], mass * center, about.ravel()])
    return total


def strut_frame(strut: Cylinder) -> Array:
    x = unit(strut.end - strut.start)
    y = unit(np.cross(np.eye(3)[np.argmin(np.abs(x))] if strut.axis is None else strut.axis, x))
    return np.column_stack([x, y, np.cross(x, y)])


def mechanism_bodies(model: MechanismModel) -> Iterable[Placed]:
    for part in model.parts:
        yield placed(part.body, np.eye(3), np.zeros(3))
    for rod in model.rods:
        along = np.outer(*[unit(rod.end - rod.start)] * 2)
        inertia = rod.axial * along + rod.across * (np.eye(3) - along)
        yield rod.mass, rod.start + rod.center * (rod.end - rod.start), inertia
    for cylinder in model.cylinders:
        R = strut_frame(cylinder)
        yield placed(cylinder.barrel, R, cylinder.start)
        yield placed(cylinder.rod, R, cylinder.end)


def arm_bodies(model: ArmModel) -> Iterable[Placed]:
    T = np.eye(4)
    for joint in model.joints:
        motion = np.eye(4)
        if joint.is_revolute:
            motion[:3, :3] = rotation_about_axis(joint.axis, joint.offset)
        else:
            motion[:3, 3] = joint.offset * joint.axis
        T = T @ joint.before.matrix() @ motion @ joint.after.matrix()
        yield placed(joint.body, T[:3, :3], T[:3, 3])


def platform_bodies(model: PlatformModel, home: Array) -> Iterable[Placed]:
    R, p = rotation_of(home), home[:3]
    yield placed(model.platform, R, p)
    for leg in model.legs:
        end = R @ leg.platform_point + p
        x = unit(end - leg.base_point)
        y = unit(np.cross(leg.fixed_axis, x))
        frame = np.column_stack([x, y, np.cross(x, y)])
        yield placed(leg.lower, frame, leg.base_point)
        yield placed(leg.upper, frame, end)


def parallel_bodies(model: ParallelModel) -> Iterable[Placed]:
    yield placed(model.platform, rotation_rpy(*model.home[3:]), model.home[:3])
    for before, joint in zip((None, *model.joints), model.joints, strict=False):
        if before is None or not joint.apart:
            yield placed(joint.body, np.eye(3), np.zeros(3))
            continue
        half = Body.of(joint.body.mass / 2, joint.body.center_of_mass, joint.body.inertia / 2)
        for side in (0.5, -0.5):  # two rods beside each other
            yield placed(half, np.eye(3), side * joint.apart * before.axis)


class Screws:
    """Rows of velocities that what joins the bodies forbids: of all twists, then of spins of rods."""

    def __init__(self, model: MechanismModel) -> None:
        self.model, self.rows = model, []
        self.places = {part.name: 6 * k for k, part in enumerate(model.parts)}
        self.spins = {rod.name: 6 * len(model.parts) + k for k, rod in enumerate(model.rods)}
        self.width = 6 * len(model.parts) + len(model.rods)
        for joint in model.joints:
            self._add_joint(joint)
        for part in model.parts:
            if part.point:
                self.rows += list(self.turn(part.name))
        for rod in model.rods:
            self._add_rod(rod)
        for cylinder in model.cylinders:
            if cylinder.hinge == "revolute":
                a, b = cylinder.joins
                self.rows.append(
                    cylinder.axis @ (self.velocity(b, cylinder.end) - self.velocity(a, cylinder.end))
                )

    def turn(self, name: str) -> Array:
        result = np.zeros((3, self.width))
        if name != BASE:
            k = self.places[name]
            result[:, k + 3 : k + 6] = np.eye(3)
        return result

    def velocity(self, name: str, point: Array) -> Array:
        """Of a point of a body; twists are at the origin of the base."""
        result = -skew(point) @ self.turn(name)
        if name != BASE:
            k = self.places[name]
            result[:, k : k + 3] = np.eye(3)
        return result

    def _add_joint(self, joint: Any) -> None:
        a, b = joint.joins
        moves = self.velocity(b, joint.at) - self.velocity(a, joint.at)
        turns = self.turn(b) - self.turn(a)
        if any(part.point for part in self.model.parts if part.name in joint.joins):
            turns = np.zeros((0, self.width))
        across: Any = [] if len(joint.axes) != 1 else np.linalg.svd(joint.axes[0][None])[2][1:]
        if joint.kind == "prismatic":
            self.rows += [*turns, *(across @ moves)]
            return
        self.rows += list(moves)
        if joint.kind == "revolute" and len(turns):
            self.rows += list(across @ turns)
        elif joint.kind == "universal":
            self.rows.append(np.cross(*joint.axes) @ turns)
        elif joint.kind == "fixed":
            self.rows += list(turns)

    def _add_rod(self, rod: Rod) -> None:
        a, b = rod.joins
        s = unit(rod.end - rod.start)
        moves = self.velocity(b, rod.end) - self.velocity(a, rod.start)
        self.rows.append(s @ moves)
        w = skew(s) @ moves / rod.length
        w[:, self.spins[rod.name]] += s
        held = [(axis, name) for axis, name in ((rod.axis, a), (rod.far_axis, b)) if axis is not None]
        for axis, name in held:
            self.rows.append(np.cross(axis, np.cross(axis, s)) @ (w - self.turn(name)))
        if not held:
            self.rows.append(np.eye(self.width)[self.spins[rod.name]])

    def freedoms(self) -> Array:
        """Twists and spins that are left, as columns."""
        rows = np.array([unit(row) for row in self.rows]).reshape(-1, self.width)
        _, values, vh = np.linalg.svd(rows)
        return vh[int((values > 1e-9).sum()) :].T

    def coordinate(self, of: str, pose: str | None) -> Array:
        """The row of a coordinate's velocity."""
        if pose is None:
            joint = next(each for each in self.model.joints if each.name == of)
            a, b = joint.joins
            if joint.is_revolute:
                return joint.axes[0] @ (self.turn(b) - self.turn(a))
            return joint.axes[0] @ (self.velocity(b, joint.at) - self.velocity(a, joint.at))
        part = self.model.part(of)
        k = ("x", "y", "z", "roll", "pitch", "yaw").index(pose)
        return self.velocity(of, part.frame.p)[k] if k < 3 else self.turn(of)[k - 3]


def check(model: MechanismModel, bodies: Iterable[Placed]) -> None:
    expected = composite(bodies)
    found = composite(mechanism_bodies(model))
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()
    names = [part.name for part in model.parts]
    links = [each.name for each in model.ties]
    assert len(set(names)) == len(names)
    assert BASE not in names
    assert len(set(links)) == len(links)
    assert {*model.order} == {each.name for each in model.elements}
    for each in model.ties:
        assert set(each.joins) <= {BASE, *names}
    screws = Screws(model)
    left = screws.freedoms()
    assert left.shape[1] == len(model.coordinates)
    rows = np.array([screws.coordinate(each.of, each.pose) for each in model.coordinates])
    assert np.linalg.matrix_rank(rows @ left, tol=1e-7) == len(model.coordinates)


def parallel(source: Any) -> ParallelModel:
    model = load_model(source) if isinstance(source, str | dict) else source
    assert isinstance(model, ParallelModel)
    return model


@pytest.mark.parametrize("name", bundled_names("parallel-robot"))
def test_bundled_parallel_robots(name: str) -> None:
    model = parallel(name)
    found = mechanism_of_parallel(model)
    check(found, parallel_bodies(model))
    assert found.effort_names == tuple(joint.name for joint in model.actuators)
    assert [each.pose for each in found.coordinates] == list(model.coordinates)
    assert (found.name, found.source, found.accept) == (model.name, model.source, model.accept)


@pytest.mark.parametrize("seed", range(40))
def test_random_parallel_robots(seed: int) -> None:
    model = random_parallel(seed)
    found = mechanism_of_parallel(model)
    check(found, parallel_bodies(model))
    assert found.effort_names == tuple(joint.name for joint in model.actuators)


@pytest.mark.parametrize("name", bundled_names("arm"))
def test_bundled_arms(name: str) -> None:
    model = load_model(name)
    assert isinstance(model, ArmModel)
    found = mechanism_of_arm(model)
    check(found, arm_bodies(model))
    assert found.effort_names == found.order == model.joint_names
    assert [each.name for each in found.coordinates] == list(model.joint_names)


@pytest.mark.parametrize("seed", range(12))
def test_random_arms(seed: int) -> None:
    for n in (1, 3, 7):
        for convention in ("standard", "modified", "general"):
            model = random_arm(seed, n, convention)
            check(mechanism_of_arm(model), arm_bodies(model))
        model = special_arm(seed, n)
        check(mechanism_of_arm(model), arm_bodies(model))


def test_joints_of_an_arm_move_its_parts_as_the_arm_does() -> None:
    model = random_arm(3, 6, "general")
    found = mechanism_of_arm(model)
    q = np.random.default_rng(0).uniform(-1, 1, 6)
    moved, expected = np.eye(4), np.eye(4)
    for joint, own, x in zip(found.joints, model.joints, q, strict=True):
        step = np.eye(4)
        axis = joint.axes[0]
        if joint.is_revolute:
            step[:3, :3] = rotation_about_axis(axis, x)
            step[:3, 3] = joint.at - step[:3, :3] @ joint.at
        else:
            step[:3, 3] = x * axis
        moved = moved @ step
        motion = np.eye(4)
        if own.is_revolute:
            motion[:3, :3] = rotation_about_axis(own.axis, x + own.offset)
        else:
            motion[:3, 3] = (x + own.offset) * own.axis
        expected = expected @ own.before.matrix() @ motion @ own.after.matrix()
    assert found.tool is not None
    assert np.abs(moved @ found.tool[1].matrix() - expected).max() < 1e-13


def test_the_tool_of_an_arm_is_not_the_frame_of_its_last_part() -> None:
    bare = random_arm(1, 3, "standard")
    tool = Transform.of(rotation_rpy(0.1, 0.2, 0.3), [0.1, 0.0, 0.2])
    model = with_tool(bare, tool)
    found, plain = mechanism_of_arm(model), mechanism_of_arm(bare)
    check(found, arm_bodies(model))
    assert found.tool is not None
    expected = plain.parts[-1].frame @ tool
    assert found.tool[0] == "joint3"
    assert np.abs(found.tool[1].matrix() - expected.matrix()).max() < 1e-14
    assert np.abs(found.parts[-1].frame.matrix() - plain.parts[-1].frame.matrix()).max() < 1e-14


def test_a_joint_may_have_the_name_of_the_base() -> None:
    model = random_arm(1, 2, "standard")
    first, second = model.joints
    named = replace(model, joints=(replace(first, name="base"), second))
    found = mechanism_of_arm(named)
    assert [joint.joins for joint in found.joints] == [("base", "base-link"), ("base-link", "joint2")]
    check(found, arm_bodies(named))


@pytest.mark.parametrize("name", bundled_names("stewart-platform"))
def test_bundled_platforms(name: str) -> None:
    model = load_model(name)
    assert isinstance(model, PlatformModel)
    home = home_pose(model)
    found = mechanism_of_platform(model, home)
    check(found, platform_bodies(model, home))
    assert found.effort_names == model.leg_names
    assert [part.name for part in found.parts] == ["platform"]
    assert not found.joints
    assert not found.rods
    for leg, cylinder in zip(model.legs, found.cylinders, strict=True):
        assert cylinder.hinge == "universal"
        assert cylinder.axis is leg.fixed_axis
        assert cylinder.friction.viscous == leg.friction.prismatic
        if leg.limits.length is not None:
            assert cylinder.limits.position is not None
            lengths = np.array(cylinder.limits.position) + cylinder.length
            assert lengths == pytest.approx(leg.limits.length, abs=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_random_platforms(seed: int) -> None:
    model = random_platform(seed)
    rng = np.random.default_rng(seed)
    home = np.array([0, 0, 1.1, 0, 0, 0]) + 0.2 * rng.normal(size=6)
    found = mechanism_of_platform(model, home)
    check(found, platform_bodies(model, home))
    leg, cylinder = model.legs[2], found.cylinders[2]
    drag = leg.friction
    assert (cylinder.universal, cylinder.spherical) == (drag.universal, drag.spherical)


def test_legs_with_balls_at_both_ends_have_no_axis() -> None:
    model = load_model("simona")
    assert isinstance(model, PlatformModel)
    free = replace(
        model, legs=tuple(replace(leg, joints="SPS", limits=LegLimits()) for leg in model.legs)
    )
    found = mechanism_of_platform(free, home_pose(model))
    assert {(each.hinge, each.axis, each.limits.position) for each in found.cylinders} == {
        ("spherical", None, None)
    }
    check(found, platform_bodies(model, home_pose(model)))


SHAPES = {  # parts, joints, rods, cylinders
    "3-rps": (1, 0, 0, 3),
    "4-puu": (5, 4, 4, 0),
    "agile-eye": (7, 9, 0, 0),
    "delta": (4, 3, 6, 0),
    "five-bar": (5, 6, 0, 0),
    "hexaglide": (7, 6, 6, 0),
    "planar-3rrr": (7, 9, 0, 0),
    "rotary-hexapod": (7, 6, 6, 0),
    "tricept": (3, 3, 0, 3),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_the_bundled_parallel_robots_are_made_of(name: str) -> None:
    found = mechanism_of_parallel(parallel(name))
    shape = tuple(len(each) for each in (found.parts, found.joints, found.rods, found.cylinders))
    assert shape == SHAPES[name]


def test_axes_of_rods() -> None:
    delta, puu, hexaglide = (
        mechanism_of_parallel(parallel(name)).rods[0] for name in ("delta", "4-puu", "hexaglide")
    )
    assert (delta.axis, delta.far_axis) == (None, None)  # one of two rods, between balls
    assert (delta.name, delta.mass, delta.start[1]) == ("leg-1 U2 left", 0.2, pytest.approx(0.131 / 2))
    assert delta.axial == 0.0
    assert delta.center == pytest.approx(0.5)
    assert delta.joins == ("leg-1 R1", "platform")
    assert puu.axis == pytest.approx([0, 0, 1])
    assert puu.axial == pytest.approx(0.4 * 0.008**2 / 2)
    assert hexaglide.axis == pytest.approx([1, 0, 0])
    assert hexaglide.far_axis is None


def test_a_point_is_one_and_a_guide_is_fixed_to_its_platform() -> None:
    five_bar = mechanism_of_parallel(parallel("five-bar"))
    assert five_bar.part("platform").point
    assert not mechanism_of_parallel(parallel("delta")).part("platform").point
    tricept = mechanism_of_parallel(parallel("tricept"))
    assert [(joint.name, joint.kind) for joint in tricept.joints] == [
        ("guide U1", "universal"),
        ("guide P2", "prismatic"),
        ("guide end", "fixed"),
    ]


def hexapod(first: dict[str, Any], second: dict[str, Any], **end: Any) -> MechanismModel:
    """A 6-PUS hexapod of which one leg is special, and checked."""
    places = [(45, 15), (75, 105), (165, 135), (195, 225), (285, 255), (315, 345)]
    legs: list[dict[str, Any]] = []
    for k, (a, b) in enumerate(places):
        start = [0.5 * np.cos(np.radians(a)), 0.5 * np.sin(np.radians(a)), 0.0]
        tip = [0.25 * np.cos(np.radians(b)), 0.25 * np.sin(np.radians(b)), 0.5]
        special = (first, second, end) if k == 0 else ({}, {}, {})
        slide = {"P": [0, 0, 1], "at": start, "actuated": True, "link": {"mass": 1}, **special[0]}
        kind = {} if "S" in special[1] else {"U": [0, 0, 1]}
        link = {"link": {"mass": 0.3, "from": start, "to": tip}}
        joints = [slide, {**kind, "at": start, **link, **special[1]}]
        legs.append({"joints": [*joints, {"S": None, "at": tip, **special[2]}]})
    data = {"kind": "parallel-robot", "name": "h", "home": [0, 0, 0.5, 0, 0, 0], "legs": legs}
    data["platform"] = {"mass": 3, "inertia": [0.1, 0.1, 0.2]}
    model = parallel(data)
    found = mechanism_of_parallel(model)
    check(found, parallel_bodies(model))
    return found


def names(model: MechanismModel) -> list[str]:
    return [f"{joint.name}:{joint.kind}" for joint in model.joints if joint.name.startswith("leg-1 ")]


def test_thin_rods_are_between_balls() -> None:
    found = hexapod({}, {})
    assert len(found.rods) == 6
    assert names(found) == ["leg-1 P1:prismatic"]
    assert found.rods[0].axis is None
    assert found.rods[0].viscous == (0.0, 0.0)
    assert hexapod({}, {"S": None}).rods[0].axis is None
    assert hexapod({}, {"U": [[0.3, 0, 1], [0, 1, 0.2]]}).rods[0].axis is None


def test_friction_of_a_rod_needs_its_axis() -> None:
    rod = hexapod({}, {"viscous": 0.1}, viscous=0.2).rods[0]
    assert rod.viscous == (0.1, 0.2)
    assert rod.axis == pytest.approx([0, 0, 1])
    assert hexapod({}, {"S": None}, viscous=0.2).rods[0].axis is not None
    oblique = hexapod({}, {"U": [[0.3, 0, 1], [0, 1, 0.2]]}, viscous=0.2)
    assert len(oblique.rods) == 5
    assert names(oblique) == ["leg-1 P1:prismatic", "leg-1 U2:universal", "leg-1 S3:spherical"]
    assert oblique.joints[2].friction.viscous == 0.2


TWO = ["leg-1 P1:prismatic", "leg-1 U2a:revolute", "leg-1 U2b:revolute", "leg-1 S3:spherical"]


@pytest.mark.parametrize(
    "second",
    [
        {"cross": {"mass": 0.1}},
        {"coulomb": 0.1},
        {"U": [[0.3, 0, 1], [0, 1, 0.2]], "viscous": 0.1},
    ],
    ids=["cross", "coulomb", "oblique"],
)
def test_axes_with_mass_or_friction_of_their_own_are_joints(second: dict[str, Any]) -> None:
    assert names(hexapod({}, second)) == TWO


def test_a_link_off_its_line_is_a_body() -> None:
    link = {"mass": 0.3, "center_of_mass": [0.3, 0.3, 0.2]}
    found = hexapod({}, {"link": link})
    assert names(found) == ["leg-1 P1:prismatic", "leg-1 U2:universal", "leg-1 S3:spherical"]
    assert [part.name for part in found.parts][:2] == ["leg-1 P1", "leg-1 U2"]


def test_names_of_ends_do_not_collide() -> None:
    link = {"mass": 0.3, "center_of_mass": [0.3, 0.3, 0.2]}
    assert names(hexapod({}, {"name": "S3", "link": link}))[1:] == [
        "leg-1 S3:universal",
        "leg-1 end:spherical",
    ]


def changed(name: str, joint: int, end: dict[str, Any] | None = None, **fields: Any) -> MechanismModel:
    model = parallel(name)
    legs = []
    for leg in model.legs:
        joints = [replace(each, **fields) if k == joint else each for k, each in enumerate(leg.joints)]
        legs.append(replace(leg, joints=tuple(joints), end=replace(leg.end, **(end or {}))))
    other = replace(model, legs=tuple(legs))
    found = mechanism_of_parallel(other)
    check(found, parallel_bodies(other))
    return found


def test_cylinders_keep_what_they_can() -> None:
    model, found = parallel("3-rps"), mechanism_of_parallel(parallel("3-rps"))
    slide, cylinder = model.legs[1].joints[1], found.cylinders[1]
    assert cylinder.hinge == "revolute"
    assert cylinder.motor
    assert (cylinder.friction, cylinder.limits) == (slide.friction, slide.limits)
    viscous = replace(slide.friction, viscous=0.3)
    found = changed("3-rps", 0, {"viscous": 0.1}, friction=viscous)
    assert (found.cylinders[0].universal, found.cylinders[0].spherical) == (0.3, 0.1)


def test_legs_that_are_no_cylinders_stay_bodies() -> None:
    slide = parallel("3-rps").legs[0].joints[1]
    assert not changed("3-rps", 0, limits=slide.limits).cylinders
    assert not changed("3-rps", 0, friction=replace(slide.friction, coulomb_forward=1.0)).cylinders
    assert not changed("3-rps", 1, axis=slide.axis + np.array([0, 0, 1e-6])).cylinders
    assert len(changed("3-rps", 1, axis=-slide.axis).joints) == 9


def test_a_leg_closed_as_a_frame_expands_alike() -> None:
    data = {
        "kind": "parallel-robot",
        "name": "delta",
        "coordinates": ["x", "y", "z"],
        "home": [0, 0, -0.62, 0, 0, 0],
        "platform": {"mass": 0.7, "inertia": [1e-3, 1e-3, 2e-3]},
    }
    joints = [
        {"R": [0, 1, 0], "at": [0.2, 0, 0], "actuated": True, "link": {"mass": 0.9, "radius": 0.02}},
        {"U": [0, 1, 0], "at": [0.42, 0, -0.12], "link": {"mass": 0.24}},
        {"U": [0, 1, 0], "at": [0.05, 0, -0.62]},
    ]
    joints[0]["link"] |= {"from": [0.2, 0, 0], "to": [0.42, 0, -0.12]}
    joints[1]["link"] |= {"from": [0.42, 0, -0.12], "to": [0.05, 0, -0.62]}
    plain, framed = (
        mechanism_of_parallel(
            parallel({**data, "legs": [{"repeat": "3 around z", "joints": joints, "frame": frame}]})
        )
        for frame in (False, True)
    )
    assert len(plain.rods) == len(framed.rods) == 3
    for one, other in zip(plain.rods, framed.rods, strict=True):
        assert np.array_equal(one.far_axis, other.far_axis)
        assert one.name == other.name
    joints[2]["viscous"] = 0.01
    rubbing = mechanism_of_parallel(
        parallel({**data, "legs": [{"repeat": "3 around z", "joints": joints}]})
    )
    assert [rod.viscous for rod in rubbing.rods] == [(0.0, 0.01)] * 3


@pytest.mark.parametrize("name", ["tricept", "rotary-hexapod", "4-puu"])
def test_axes_tell_how_a_strut_turns_away_from_home(name: str) -> None:
    """Both turns of the leg's universal joint, and the strut's axes x, y = axis x x, z, move alike."""
    model = parallel(name)
    found = mechanism_of_parallel(model)
    leg, strut = model.legs[0], found.struts[0]
    first, second = (joint.axis for joint in leg.joints if joint.name[-1] in "ab")
    assert strut.axis is not None
    home = unit(strut.end - strut.start)
    for turns in np.random.default_rng(1).uniform(-0.5, 0.5, (5, 2)):
        R = rotation_about_axis(first, turns[0]) @ rotation_about_axis(second, turns[1])
        expected = R @ unit(np.cross(strut.axis, home))
        assert np.abs(unit(np.cross(strut.axis, R @ home)) - expected).max() < 1e-14
