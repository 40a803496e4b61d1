"""Fixed transforms and rigid bodies as plain numbers, and what no body can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.rotations import DUST, clean, rotation_about_axis, skew
from linkwork.files import quantities as q
from linkwork.files.declared import ALWAYS, At
from linkwork.files.faults import warn

Array = NDArray[np.float64]
Values = Any  # a number or an array of them, or expressions, which stand for inputs of a kernel
SAME = 1e-9  # [m] or of a direction: below, points and axes are the same
LONGEST = 20.0  # [m] a link, a leg, an offset of a machine; beyond, millimeters were meant


def frozen(array: ArrayLike) -> Array:
    """A read-only float64 copy."""
    result = np.array(array, dtype=np.float64)
    result.setflags(write=False)
    return result


def tidy(values: Values) -> Values:
    """A read-only array; expressions, which stand for inputs of a kernel, as they are."""
    return frozen(values) if isinstance(values, np.ndarray) else values


def vanishes(value: object) -> bool:
    """Whether a number is zero; an expression is not."""
    return isinstance(value, int | float) and value == 0


def distance(start: Values, end: Values) -> Values:
    """Between two points, of numbers or of expressions."""
    way = end - start
    return (way.T @ way) ** 0.5


def second_axis(axis: Array, way: Array) -> Array | None:
    """Of a universal joint, across its first axis and the way (a unit vector) to the next joint."""
    across = np.cross(axis, way)
    size = float(np.linalg.norm(across))
    return frozen(across / size) if size > SAME else None


class Algebra(NamedTuple):
    """How values are put together: of numbers, or of expressions."""

    array: Callable[[list[Values]], Values]  # from nested lists
    cos: Callable[[Values], Values]
    sin: Callable[[Values], Values]


NUMBERS = Algebra(frozen, math.cos, math.sin)


def arrayed(quantity: q.FieldQuantity[Any]) -> q.FieldQuantity[Array]:
    """A quantity that is read as a read-only array."""
    return replace(quantity, read=lambda value: frozen(quantity.read(value)))


MASS = q.number("kg", q.NOT_NEGATIVE)
POINT, DIRECTION = arrayed(q.point), arrayed(q.direction)
INERTIA = arrayed(q.inertia)
NOWHERE, NO_INERTIA = frozen(np.zeros(3)), frozen(np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Transform:
    """A fixed rigid displacement: child components c are R c + p in the parent."""

    R: Array = field(default_factory=lambda: frozen(np.eye(3)))
    p: Array = field(default_factory=lambda: frozen(np.zeros(3)))

    @staticmethod
    def of(R: ArrayLike | None = None, p: ArrayLike | None = None) -> Transform:
        rotation = np.eye(3) if R is None else np.asarray(R, dtype=np.float64)
        return Transform(frozen(clean(rotation)), frozen(np.zeros(3) if p is None else p))

    def __matmul__(self, other: Transform) -> Transform:
        return Transform.of(self.R @ other.R, _clean_length(self.R @ other.p + self.p))

    @property
    def moves(self) -> bool:
        """Whether it is more than the identity."""
        return bool(self.p.any() or (np.eye(3) != self.R).any())

    def inverse(self) -> Transform:
        return Transform.of(self.R.T, _clean_length(-self.R.T @ self.p))

    def matrix(self) -> Array:
        result = np.eye(4)
        result[:3, :3] = self.R
        result[:3, 3] = self.p
        return result


def displacement(kind: str, axis: Array, position: float) -> Transform:
    """What a revolute or prismatic joint does to the link it carries."""
    if kind == "revolute":
        return Transform.of(rotation_about_axis(axis, position))
    return Transform.of(None, position * axis)


def _clean_length(vector: Array) -> Array:
    if not isinstance(vector, np.ndarray):
        return vector
    scale = float(np.abs(vector).max())
    return np.where(np.abs(vector) < DUST * scale, 0.0, vector)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], center of mass [m] and inertia about it [kg m^2], in the link frame."""

    mass: Annotated[float, MASS, ALWAYS, At("mass"), "may be zero"] = 0.0
    center_of_mass: Annotated[Array, POINT, ALWAYS, At("center_of_mass"), "in its frame"] = field(
        default_factory=lambda: NOWHERE
    )
    inertia: Annotated[Array, INERTIA, ALWAYS, At("inertia"), "about the center of mass"] = field(
        default_factory=lambda: NO_INERTIA
    )

    @property
    def is_nothing(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return self.mass == 0.0 and not self.inertia.any()

    @staticmethod
    def of(mass: float, center_of_mass: ArrayLike, inertia: ArrayLike) -> Body:
        return Body(float(mass), frozen(center_of_mass), frozen(inertia))

    def seen_from(self, frame: Transform) -> Body:
        """The same body in the components of `frame`, a frame given in the body's present one."""
        R = frame.R
        center = _clean_length(R.T @ (self.center_of_mass - frame.p))
        inertia = R.T @ self.inertia @ R
        inertia = _clean_length((inertia + inertia.T) / 2)
        return Body(self.mass, tidy(center), tidy(inertia))

    def merged_with(self, other: Body) -> Body:
        """Both bodies as one (same frame)."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return Body.of(0.0, self.center_of_mass, self.inertia + other.inertia)
        center = (self.mass * self.center_of_mass + other.mass * other.center_of_mass) / mass
        inertia = np.zeros((3, 3))
        for body in (self, other):
            cross = skew(body.center_of_mass - center)
            inertia += body.inertia - body.mass * cross @ cross
        return Body.of(mass, center, inertia)


@dataclass(frozen=True, eq=False)
class Payload:
    """What a robot file says that the tool carries, in the tool's frame, and the body that carries it as
    it is without; that of the model has both."""

    body: Body
    carrier: Body


# Tables round to a few digits, and a product of inertia then leaves a slightly negative moment.
CLEARLY_NEGATIVE = 1e-6


def is_impossible(inertia: Array) -> bool:
    """No body has a negative principal moment, or one larger than the other two together."""
    moments = np.linalg.eigvalsh(inertia)
    slack = CLEARLY_NEGATIVE * np.abs(moments).max()
    return bool(moments[0] < -slack or moments[2] > moments[0] + moments[1] + slack)


def warn_if_negative(inertia: Array, link: str) -> None:
    """A negative principal moment of one link; identified models may have one."""
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < -CLEARLY_NEGATIVE * np.abs(moments).max():
        warn(
            f"link {link!r}: the inertia about the center of mass has a negative principal moment,"
            f" {moments[0]:.6g} kg m^2; is it given about another point?"
        )
