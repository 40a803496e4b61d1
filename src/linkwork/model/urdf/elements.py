"""The links and joints of a URDF, each read on its own: XML with lines, attributes as quantities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar
from xml.parsers import expat

from linkwork.core.rotations import rotation_rpy
from linkwork.files import quantities as q
from linkwork.files.faults import Fault, FaultyError, listed, shown, suggestion
from linkwork.model.geometry import Array, Body, Transform, frozen
from linkwork.model.joint import Friction, JointKind, Limits

LARGEST_URDF = 20 * 2**20
MOST_ELEMENTS = 10_000
DEEPEST = 50


@dataclass
class Element:
    tag: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def named(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        return next(self.named(tag), None)


def read_xml(raw: bytes | str) -> Element:
    """The root element; FaultyError if the text is not XML that a robot needs."""
    if len(raw) > LARGEST_URDF:
        raise FaultyError([Fault("", f"more than {LARGEST_URDF} bytes; robot files are smaller")])
    builder = _Builder()
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        what = f"not valid XML: {expat.ErrorString(error.code)}"
        raise FaultyError([Fault("", what, error.lineno)]) from None
    except (LookupError, ValueError) as error:
        raise FaultyError([Fault("", f"the text encoding cannot be read: {error}", 1)]) from None
    return builder.root.children[0]


class _Builder:
    def __init__(self) -> None:
        self.root = Element("", 0, {})
        self.open = [self.root]
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        # Entities, the way to make XML explode or read other files, can be declared only there.
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def _fail(self, what: str) -> None:
        raise FaultyError([Fault("", what, self.parser.CurrentLineNumber)])

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            self._fail(f"more than {MOST_ELEMENTS} elements; a robot file has at most that many")
        if len(self.open) > DEEPEST:
            self._fail(f"nested deeper than {DEEPEST} levels; a robot file is flatter than that")
        if tag.startswith("xacro:"):
            self._fail(f"<{tag}> is a macro; expand the file first, for instance with `xacro`")
        element = Element(tag, self.parser.CurrentLineNumber, attributes)
        self.open[-1].children.append(element)
        self.open.append(element)

    def _text(self, text: str) -> None:
        self.open[-1].text += text

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _refuse_doctype(self, *declaration: object) -> None:
        self._fail("<!DOCTYPE> is not allowed, nor are entities; remove it")


T = TypeVar("T")


@dataclass
class AttributeReader:
    """A faulty value is noted and reads as its default, so that reading goes on.

    `remarks` are texts about what is accepted but probably not meant.
    """

    faults: list[Fault] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def note(self, element: Element, where: str, what: str) -> None:
        self.faults.append(Fault(where, what, element.line))

    def inner(self, element: Element, tag: str, where: str) -> Element | None:
        """A child element that has to be there."""
        inner = element.first(tag)
        if inner is None:
            self.note(element, where, f"has no <{tag}>; add one")
        return inner

    def text(self, element: Element, attribute: str, where: str) -> str:
        """An attribute that has to be there: a name, or a word."""
        text = element.attributes.get(attribute, "").strip()
        if not text:
            self.note(
                element, where, f'has no {attribute}; write {attribute}="..." into <{element.tag}>'
            )
            return text
        try:
            return q.name(text)
        except ValueError as error:
            self.note(element, f"{where} {attribute}", str(error))
            return text

    def number(
        self,
        element: Element | None,
        attribute: str,
        where: str,
        read: Callable[[object], float],
        default: float | None = None,
    ) -> float:
        """A number; without a default the attribute has to be there."""
        if element is not None and default is None and attribute not in element.attributes:
            self.note(element, f"{where} {element.tag}", f"has no {attribute}; add it")
        return self.values(element, attribute, where, lambda parts: read(_only(parts)), default or 0.0)

    def vector(
        self,
        element: Element | None,
        attribute: str,
        where: str,
        read: Callable[[object], q.Vector],
        default: q.Vector = (0.0, 0.0, 0.0),
    ) -> q.Vector:
        return self.values(element, attribute, where, read, default)

    def values(
        self,
        element: Element | None,
        attribute: str,
        where: str,
        read: Callable[[list[object]], T],
        default: T,
    ) -> T:
        """What the words of an attribute say."""
        if element is None or attribute not in element.attributes:
            return default
        words = element.attributes[attribute].split()
        try:
            return read([float(word) if q.NUMBER.fullmatch(word) else word for word in words])
        except ValueError as error:
            self.note(element, f"{where} {element.tag} {attribute}", str(error))
            return default


def _only(parts: list[object]) -> object:
    """The one item of a list; if there are none or several, the list, which is not a number."""
    return parts[0] if len(parts) == 1 else parts


MOVING: dict[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
}
TYPES = ("fixed", *MOVING)
REFUSED_TYPES = ("planar", "floating")

DAMPING = q.number("N m s or N s/m", q.NOT_NEGATIVE)
EFFORT = q.number("N m or N", q.NOT_NEGATIVE)
SPEED = q.number("rad/s or m/s", q.NOT_NEGATIVE)
PLACE = q.number("rad or m")


@dataclass(frozen=True)
class UrdfLink:
    """A link; without an <inertial> it has no body."""

    name: str
    line: int
    body: Body | None = None


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: multiplier * its position + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class UrdfJoint:
    """A joint; `type` is the URDF's own word, parent and child are link names."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    origin: Transform
    rpy: tuple[float, ...]  # of the origin, as it is written
    axis: Array
    friction: Friction
    limits: Limits
    mimic: Mimic | None = None


def link_of(element: Element, read: AttributeReader) -> UrdfLink:
    name = read.text(element, "name", "link")
    inertial = element.first("inertial")
    body = None if inertial is None else _body(inertial, f"link {name!r} inertial", read)
    return UrdfLink(name, element.line, body)


def joint_of(element: Element, read: AttributeReader) -> UrdfJoint:
    name = read.text(element, "name", "joint")
    where = f"joint {name!r}"
    joint_type = _type(element, where, read)
    moves = joint_type in MOVING
    return UrdfJoint(
        name,
        element.line,
        joint_type,
        parent=_end(element, "parent", where, read),
        child=_end(element, "child", where, read),
        origin=_origin(element, where, read),
        rpy=tuple(read.vector(element.first("origin"), "rpy", where, q.vector("rad"))),
        axis=_axis(element, where, read) if moves else frozen((1.0, 0.0, 0.0)),
        friction=_friction(element, where, read) if moves else Friction(),
        limits=_limits(element, joint_type, where, read) if moves else Limits(),
        mimic=_mimic(element, where, read) if moves else None,
    )


def _type(element: Element, where: str, read: AttributeReader) -> str:
    written = read.text(element, "type", where)
    if written in REFUSED_TYPES:
        what = f"type {written} is not a joint of a serial arm; allowed: {listed(TYPES)}"
        read.note(element, where, what)
    elif written and written not in TYPES:
        hint = suggestion(written, TYPES)
        read.note(element, where, f"type {shown(written)} is not known{hint}; allowed: {listed(TYPES)}")
    return written


def _mimic(element: Element, where: str, read: AttributeReader) -> Mimic | None:
    mimic = element.first("mimic")
    if mimic is None:
        return None
    return Mimic(
        read.text(mimic, "joint", f"{where} mimic"),
        read.number(mimic, "multiplier", where, q.number(), 1.0),
        read.number(mimic, "offset", where, q.number(), 0.0),
    )


def _end(element: Element, tag: str, where: str, read: AttributeReader) -> str:
    end = read.inner(element, tag, where)
    return "" if end is None else read.text(end, "link", f"{where} {tag}")


def _origin(element: Element, where: str, read: AttributeReader) -> Transform:
    origin = element.first("origin")
    rpy = read.vector(origin, "rpy", where, q.vector("rad"))
    return Transform.of(rotation_rpy(*rpy), read.vector(origin, "xyz", where, q.vector("m")))


def _axis(element: Element, where: str, read: AttributeReader) -> Array:
    # Along x unless said: the URDF's default, not ours.
    return frozen(read.vector(element.first("axis"), "xyz", where, q.direction, (1.0, 0.0, 0.0)))


def _body(inertial: Element, where: str, read: AttributeReader) -> Body:
    mass = read.inner(inertial, "mass", where)
    tensor = read.inner(inertial, "inertia", where)
    xx, xy, xz, yy, yz, zz = (
        read.number(tensor, name, where, q.number("kg m^2"))
        for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    body = Body.of(
        read.number(mass, "value", where, q.number("kg", q.NOT_NEGATIVE)),
        (0.0, 0.0, 0.0),
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
    )
    return body.seen_from(_origin(inertial, where, read).inverse())


def _friction(element: Element, where: str, read: AttributeReader) -> Friction:
    dynamics = element.first("dynamics")
    viscous = read.number(dynamics, "damping", where, DAMPING, 0.0)
    coulomb = read.number(dynamics, "friction", where, EFFORT, 0.0)
    return Friction(viscous, coulomb, -coulomb)


def _limits(element: Element, joint_type: str, where: str, read: AttributeReader) -> Limits:
    limit = element.first("limit")
    if limit is None:
        if joint_type != "continuous":
            hint = ", or make it continuous" if joint_type == "revolute" else ""
            what = f"has no <limit>; add one with lower, upper, effort and velocity{hint}"
            read.note(element, where, what)
        return Limits()
    velocity = read.number(limit, "velocity", where, SPEED)
    effort = read.number(limit, "effort", where, EFFORT)
    for name, value in (("velocity", velocity), ("effort", effort)):
        if value == 0.0:
            read.remarks.append(f"{where}: {name} limit 0 is taken as no limit")
    position = None if joint_type == "continuous" else _position(limit, where, read)
    return Limits(position, velocity or None, effort or None)


def _position(limit: Element, where: str, read: AttributeReader) -> tuple[float, float] | None:
    low = read.number(limit, "lower", where, PLACE, 0.0)
    high = read.number(limit, "upper", where, PLACE, 0.0)
    if low > high:
        read.note(limit, f"{where} limit", f"lower {low:g} is above upper {high:g}; exchange them")
    if low == high:
        read.remarks.append(f"{where}: limit from {low:g} to {high:g} is taken as no limit")
    return (low, high) if low < high else None
