"""How well a mechanism moves along a motion: condition numbers without units, manipulability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from linkwork.interface.arm import Arm
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array, Mechanism, Robot


@dataclass(frozen=True, eq=False)
class Conditioning:
    """A number along a motion (N,); `name` says what it is, `of_efforts` that efforts grow with it."""

    name: str
    values: Array
    least_is_best: bool = True
    of_efforts: bool = False


@singledispatch
def conditioning(robot: Robot, position: Array) -> tuple[Conditioning, ...]:
    """The condition number first; nothing for a kind of robot that has no such number."""
    return ()


@conditioning.register
def _arm(robot: Arm, position: Array) -> tuple[Conditioning, ...]:
    """Of the Jacobian, lengths divided by the RMS distance of the joints from the tip.

    An arm of up to three joints is judged by how it moves its tip, unless it cannot but turn it.
    """
    frames = robot.link_frames(position)
    points = np.concatenate([np.zeros((len(position), 1, 3)), frames[..., :3, 3]], axis=1)
    reach = float(np.sqrt(((points[:, -1:] - points[:, :-1]) ** 2).sum(axis=-1).mean())) or 1.0
    somewhere = robot.jacobian(0.4 + 0.3 * np.arange(robot.n))[:3]  # no special place
    alone = robot.n <= 3 and np.linalg.matrix_rank(somewhere, tol=1e-9 * reach) == robot.n
    return _of_jacobian(robot.jacobian(position), reach, "tip's position" if alone else "")


def _of_jacobian(J: Array, reach: float, position: str) -> tuple[Conditioning, ...]:
    """Of all of J (N, 6, n), lengths in units of a reach, or of the rows of a `position` alone."""
    scaled, scale = np.concatenate([J[..., :3, :] / reach, J[..., 3:, :]], axis=-2), f"{reach:.3g} m"
    scale = f"{f'of the {position}, ' if position else ''}lengths in units of {scale}"
    singular = np.linalg.svd(scaled[..., :3, :] if position else scaled, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        number = singular[..., 0] / singular[..., -1]
    return (
        Conditioning(f"condition number, {scale}", np.nan_to_num(number, nan=np.inf, posinf=np.inf)),
        Conditioning("manipulability, in the same units", np.prod(singular, axis=-1), False),
    )


@conditioning.register
def _platform(robot: Platform, position: Array) -> tuple[Conditioning, ...]:
    return (
        Conditioning(
            "condition number, lengths in units of the platform's radius",
            robot.condition_number(position, "platform"),
            of_efforts=True,
        ),
        Conditioning(
            "condition number as in the papers (lengths in m)", robot.condition_number(position)
        ),
    )


@conditioning.register
def _mechanism(robot: Mechanism, position: Array) -> tuple[Conditioning, ...]:
    """Of Jx (parallel singularities), the least Jq (serial ones), and of what closes the loops.

    Where the coordinates are the motors there are no such singularities: what counts is the tool.
    """
    number = robot.condition_number(position)
    if robot.moved_by_motors:
        same, manipulability = _of_jacobian(robot.jacobian(position), robot.size, "")
        return replace(same, values=number), manipulability
    near = robot.singularities(position)
    found = (
        Conditioning(
            "condition number of Jx (parallel singularities), lengths in units of the platform's radius",
            number,
            of_efforts=True,
        ),
        Conditioning(
            "least Jq by its value at home (zero in a serial singularity)",
            near.serial.min(axis=-1),
            False,
        ),
    )
    if (near.constraint == 1.0).all():
        return found
    name = "condition number of what closes the loops (constraint singularities)"
    return (*found, Conditioning(name, near.constraint))
