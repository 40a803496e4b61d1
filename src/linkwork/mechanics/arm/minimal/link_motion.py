"""Motion of one link of the minimal recursion: w, al, the operator U and the acceleration A."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.mechanics.arm.minimal.scalars import Pair, Scalar, Vector

Matrix = tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class Transverse:
    """What parallel axes have in common: w and the z column across z, after the first one's twist."""

    w: Pair
    column: Pair


@dataclass(frozen=True)
class Motion:
    """Of one link, in its axes. U by rows; A lacks the unit, and A[2] the factor `height` too."""

    w: Vector
    al: Vector
    U: Matrix
    products: Vector  # wy wz, wx wz, wx wy
    spread: Scalar  # Uxx - Uzz
    A: Vector
    height: float


def acceleration_operator(w: Vector, al: Vector) -> Matrix:
    """U by rows."""
    (x, y, z), (p, q, r) = w, al
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (-(yy + zz), xy - r, xz + q), (xy + r, -(xx + zz), yz - p), (xz - q, yz + p, -(xx + yy))


def motion_of(
    w: Vector, column: Vector, alz: Scalar, squared: str, doubled: bool, A: Vector, height: float
) -> Motion:
    """The rest of a link's motion from w, the z column of U and al_z."""
    x, y, z = w
    Uxz, Uyz, Uzz = column
    xy, xz, yz, zz = x * y, x * z, y * z, z * z
    aly, alx = Uxz - xz, yz - Uyz
    if doubled:
        z2 = z + z
        Uzx, Uzy = x * z2 - Uxz, y * z2 - Uyz
    else:
        Uzx, Uzy = xz - aly, yz + alx
    if squared == "x":
        xx = x * x
        spread = xx - zz
        Uxx, Uyy = Uzz + spread, -(xx + zz)
    else:
        yy = y * y
        Uxx, Uyy = -(yy + zz), Uzz + (yy - zz)
        spread = Uxx - Uzz
    U = ((Uxx, xy - alz, Uxz), (xy + alz, Uyy, Uyz), (Uzx, Uzy, Uzz))
    return Motion(w, (alx, aly, alz), U, (yz, xz, xy), spread, A, height)


def across_twist(
    parent: Motion, ca: float, sa: float
) -> tuple[Vector, tuple[Scalar, Scalar, Scalar | None], Scalar]:
    """w, the column of U along the next z, and al about it, in axes turned by the twist.

    Uzz of a general twist is left to the squares of w: None.
    """
    x, y, z = parent.w
    U = parent.U
    w = (x, ca * y + sa * z, ca * z - sa * y)
    alz = ca * parent.al[2] - sa * parent.al[1]
    if sa == 0.0:
        return w, (ca * U[0][2], U[1][2], U[2][2]), alz
    if ca == 0.0:
        return w, (-sa * U[0][1], -U[2][1], U[1][1]), alz
    return w, (ca * U[0][2] - sa * U[0][1], w[1] * w[2] - parent.al[0], None), alz
