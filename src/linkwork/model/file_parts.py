"""Parts that robot files of several kinds share, declared field by field: what every file begins with,
friction, bodies that are drawn at home."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from linkwork.files import quantities as q
from linkwork.files.declared import ALWAYS, REQUIRED, At, By, Data, Found, Named, Of, plain
from linkwork.files.faults import listed, shown
from linkwork.model.geometry import MASS, NOWHERE, POINT, Array, Body, frozen, is_impossible
from linkwork.model.joint import (
    LOAD_FRICTION,
    POWER,
    SIGNS,
    STRIBECK,
    STRIBECK_VELOCITY,
    VISCOUS,
    Friction,
    stribeck_refusal,
)
from linkwork.model.mechanism import JOINT_KINDS
from linkwork.model.plausibility import SUBJECTS

if TYPE_CHECKING:
    from linkwork.model.robot_files import Model

PARALLEL = 1e-12  # of a squared sine
ZERO: q.Vector = (0.0, 0.0, 0.0)
NO_INERTIA: q.Matrix = (ZERO, ZERO, ZERO)
Point = Annotated[q.Vector, q.point]
Inertia = Annotated[q.Matrix, q.inertia]


def _accepted(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; allowed: a list of {listed(SUBJECTS)}")
    return tuple(map(q.one_of(*SUBJECTS), value))


@dataclass(frozen=True, eq=False)
class WrittenPayload(Body):
    """A load of a file, which says its mass; in the axes of tool or platform."""

    makes: ClassVar[Any] = Body
    mass: Annotated[float, MASS, REQUIRED, "of the load"] = 0.0
    center_of_mass: Annotated[Array, POINT, "from the origin of tool or platform"] = field(
        default_factory=lambda: NOWHERE
    )


@dataclass(frozen=True, kw_only=True)
class RobotFile:
    """What files of every kind begin with."""

    kind: Annotated[str, q.FieldQuantity(str, "", "a word"), "kind of the file"]
    name: Annotated[str, q.name, "the robot's name"]
    gravity: Annotated[q.Vector, q.vector("m/s^2"), ALWAYS, At("gravity"), "base axes"] = (0, 0, -9.81)
    source: Annotated[str, q.source, "where the numbers come from"] = ""
    payload: Annotated[Body | None, Of(WrittenPayload), "on the tool, beside the bodies"] = None
    inertia_as_published: Annotated[bool, q.flag, "inertia that no body has is meant"] = False
    accept: Annotated[
        tuple[str, ...], q.FieldQuantity(_accepted, "", "a list"), "subjects of findings to silence"
    ] = ()


def head_of(model: Model, bodies: Iterable[Body]) -> dict[str, Any]:
    """The fields of a robot's file that every file has."""
    return {
        "kind": model.kind,
        "name": model.name,
        "gravity": model.gravity,
        "source": model.source,
        "inertia_as_published": any(is_impossible(body.inertia) for body in bodies),
        "accept": tuple(model.accept),
    }


@dataclass(frozen=True)
class WrittenFriction:
    """Friction of a drive, measured at the joint or at the motor."""

    viscous: Annotated[float, VISCOUS, ALWAYS, At("viscous"), "against the velocity"] = 0.0
    coulomb: Annotated[
        tuple[float, float], q.coulomb, ALWAYS, At("coulomb_forward", "coulomb_backward", SIGNS), "dry"
    ] = (0.0, 0.0)
    offset: Annotated[float, q.number("N m or N"), At("offset"), "constant, either way"] = 0.0
    stribeck: Annotated[float, STRIBECK, At("stribeck"), "more than Coulomb friction near rest"] = 0.0
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY, "within which of rest it acts"] = 0.0
    viscous_power: Annotated[float, POWER, "of the velocity, with which viscous friction grows"] = 1.0
    load_friction: Annotated[
        float | None, LOAD_FRICTION, At("load_friction"), "more by this share of what the joint carries"
    ] = None
    side: Annotated[str, q.one_of("motor", "joint"), "where it was measured"] = "joint"

    def __post_init__(self) -> None:
        if refusal := stribeck_refusal(self.stribeck, self.stribeck_velocity):
            raise ValueError(refusal)

    @staticmethod
    def of(found: Friction) -> WrittenFriction:
        """As it is at the joint."""
        shape = (
            found.stribeck,
            found.stribeck_velocity,
            found.viscous_power,
            found.load_friction,
        )
        return WrittenFriction(found.viscous, found.coulomb, found.offset, *shape)

    def at_joint(self, gear_ratio: float) -> Friction:
        """|G| (B (|G| qd)^p + Tc ...) if it was measured at the motor."""
        gear = abs(gear_ratio) if self.side == "motor" else 1.0
        forward, backward = self.coulomb
        return Friction(
            gear ** (1 + self.viscous_power) * self.viscous,
            gear * forward,
            gear * backward,
            gear * self.offset,
            gear * self.stribeck,
            self.stribeck_velocity / gear,
            self.viscous_power,
            self.load_friction,
        )


def _share(value: object) -> float:
    result = q.number("-")(value)
    if not 0.0 <= result <= 1.0:
        raise ValueError(f"{shown(value)} is out of range; allowed: from 0 (at `from`) to 1 (at `to`)")
    return result


def _rod_inertia(value: object) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(
            f"{shown(value)} is not that of a rod; allowed: [axial, across], two numbers >= 0 [kg m^2]"
        )
    axial, across = (q.number("kg m^2", q.NOT_NEGATIVE)(item) for item in value)
    return axial, across


SHARE = q.FieldQuantity(_share, "", "a number from 0 to 1", 1)
WIDTH = q.number("m", q.NOT_NEGATIVE)
ROD_INERTIA = q.FieldQuantity(_rod_inertia, "kg m^2", "[axial, across]")


def solid_rod(mass: float, length: float, radius: float) -> tuple[float, float]:
    """Inertia of a solid cylinder about its center: along its axis, and across."""
    return mass * radius**2 / 2, mass * (3 * radius**2 + length**2) / 12


def _written_inertia(inertia: Any) -> object:
    assert q.inertia.write is not None
    return plain(inertia) if len(inertia) == 2 else q.inertia.write(inertia)


INERTIA_BY_FORM = By(
    lambda data: q.inertia if data.get("from") is None else ROD_INERTIA, _written_inertia
)


@dataclass(frozen=True, kw_only=True)
class DrawnBody:
    """A body at home in base axes: by its center of mass, or as a rod from end to end."""

    mass: Annotated[float, MASS, ALWAYS, At("body.mass"), "may be zero"] = 0.0
    center_of_mass: Annotated[q.Vector | None, q.point, "at home, base axes"] = None
    start: Annotated[q.Vector | None, q.point, Named("from"), "one end of a rod"] = None
    to: Annotated[q.Vector | None, q.point, "its other end"] = None
    radius: Annotated[float, WIDTH, "of a rod that is a solid cylinder"] = 0.0
    center: Annotated[float, SHARE, "center of mass as a share of the way along a rod"] = 0.5
    inertia: Annotated[Any, INERTIA_BY_FORM, "about the center of mass; of a rod [axial, across]"] = None

    @staticmethod
    def refusals(data: Data) -> Iterator[str]:
        if ("from" in data) != ("to" in data):
            yield "a rod needs both from: and to:"
        elif "from" not in data:
            if wrong := sorted({"radius", "center"} & data.keys()):
                yield f"{listed(wrong)} belongs to a rod; add from: and to:"
        elif "center_of_mass" in data:
            yield "has from: and to:, and center_of_mass; give one or the other"
        elif {"radius", "inertia"} <= data.keys():
            yield "has radius and inertia; give one or the other"

    def __post_init__(self) -> None:
        if self.start is not None and self.start == self.to:
            raise ValueError("is a rod of length zero; from: and to: are the same point")

    def body(self, at: Array) -> Body:
        """In base axes at home; without a place, at the joint."""
        if self.start is None or self.to is None:
            center = at if self.center_of_mass is None else np.array(self.center_of_mass)
            return Body.of(self.mass, center, np.zeros((3, 3)) if self.inertia is None else self.inertia)
        first, last = np.array(self.start), np.array(self.to)
        length = float(np.linalg.norm(last - first))
        e = (last - first) / length
        axial, across = self.inertia or solid_rod(self.mass, length, self.radius)
        along = np.outer(e, e)
        inertia = axial * along + across * (np.eye(3) - along)
        return Body.of(self.mass, first + self.center * (last - first), inertia)


@dataclass(frozen=True)
class Turn:
    """A rotation of the base, which takes what is written once to one of its copies."""

    R: Array

    def vector(self, v: Sequence[float] | Array) -> Array:
        return frozen(self.R @ np.asarray(v, dtype=np.float64))

    def body(self, body: Body) -> Body:
        return Body.of(body.mass, self.R @ body.center_of_mass, self.R @ body.inertia @ self.R.T)


def _nothing(value: object) -> bool:
    if value is not None and value is not True:
        raise ValueError(f"{shown(value)} is not allowed; it has no axis: leave the field empty")
    return True


NOTHING = q.FieldQuantity(_nothing, "", "empty", write=lambda value: None)


def one_kind(data: Data, kinds: tuple[str, ...], allowed: str, needed: bool = True) -> Iterator[str]:
    """Of a part of which one of some fields tells the kind."""
    given = [kind for kind in kinds if kind in data]
    if len(given) > 1 or (needed and not given):
        yield f"{f'has {listed(given)}' if given else 'has no kind'}; allowed: one of {allowed}"


def parallel(first: q.Vector, second: q.Vector) -> bool:
    across = np.cross(first, second)
    return bool(across @ across <= PARALLEL * (np.dot(first, first) * np.dot(second, second)))


def two_axes(
    value: Sequence[object], read: Callable[[object], q.Vector], allowed: str
) -> tuple[q.Vector, q.Vector]:
    """Both axes of a universal joint."""
    if len(value) != 2:
        raise ValueError(f"{shown(value)} is not one axis or two; allowed: {allowed}")
    first, second = (read(item) for item in value)
    if parallel(first, second):
        raise ValueError("has two parallel axes; allowed: axes that span a plane")
    return first, second


def names_in(parts: object, default: str) -> Iterator[tuple[int, str]]:
    """Place and name of all parts in a list; an unnamed one is called `default` and its number."""
    for index, part in enumerate(parts if isinstance(parts, list | tuple) else ()):
        name = part.get("name") if isinstance(part, Mapping) else None
        yield index, name if isinstance(name, str) else f"{default}{index + 1}"


def repeated_names(owner: str, names: Iterable[tuple[int, str]]) -> Iterator[Found]:
    """Parts of the list `owner`, given by place and name, that share a name with an earlier one."""
    first: dict[str, int] = {}
    for index, name in names:
        if name in first:
            what = f"{name!r} is also the name of {owner}[{first[name]}]; names must be unique"
            yield (owner, index, "name"), what
        first.setdefault(name, index)


def merged(default: object, own: object) -> object:
    """`own` as written, with what it does not say taken from the defaults, part by part."""
    if isinstance(own, Mapping) and isinstance(default, Mapping):
        kinds = JOINT_KINDS.keys() & own.keys()  # a joint of its own kind does not inherit another
        kept = {name: value for name, value in default.items() if not (kinds and name in JOINT_KINDS)}
        fields = {name: merged(kept.get(name), value) for name, value in own.items()}
        return {**{name: value for name, value in kept.items() if name not in own}, **fields}
    if isinstance(own, list) and isinstance(default, list) and own and isinstance(own[0], Mapping):
        padded = [*default, *[None] * len(own)]
        return [merged(padded[k], item) for k, item in enumerate(own)]
    return own
