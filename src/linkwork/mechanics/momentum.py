"""What acts on a robot beside its actuators, from the balance of its momenta.

The momenta of the coordinates are p = M v, and

    pd = G' tau + b + f,    b = Md v - h,

where G' tau is what the efforts do to the coordinates, h the forces that a motion without acceleration
needs (velocity, weight, springs, friction) and f what is looked for. Md v is the exact derivative of p
along the motion with v held, so b is C' v - g - friction for joints (De Luca and Mattone 2003), and as
good for the twist of a platform. Over a sample, f is what p has gained more than the integral of the
rest; no acceleration is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from linkwork.mechanics.bodies import PARAMETERS
from linkwork.mechanics.expressions import SX, row_major, times, zeros
from linkwork.mechanics.linear import solve_orthogonal, solve_symmetric
from linkwork.mechanics.plant import Plant

DAMPING = 1e-9  # of the greatest column: keeps wrenches finite in singular positions
SQUARED_DAMPING = 1e-12  # where the robot has fewer freedoms than a wrench components


@dataclass(frozen=True)
class Layout:
    """Vectors one after the other in one, by name."""

    sizes: Mapping[str, int]

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    def split(self, whole: SX) -> dict[str, SX]:
        found, at = {}, 0
        for name, size in self.sizes.items():
            found[name] = whole[at : at + size]
            at += size
        return found

    def joined(self, parts: Mapping[str, SX]) -> SX:
        return ca.densify(ca.vertcat(*[parts[name] for name in self.sizes]))


def momentum_and_force(plant: Plant, x: SX, inputs: Mapping[str, SX]) -> tuple[SX, SX]:
    """p and b."""
    size = plant.position_size
    p, h = plant.momentum(x, inputs)
    held = SX.sym("held", plant.velocity_size)
    position = SX.sym("position", size)
    of_place = ca.substitute(p, ca.vertcat(x), ca.vertcat(position, held))
    change = ca.jtimes(of_place, position, plant.position_rate(ca.vertcat(position, held)))
    return p, ca.substitute(change, ca.vertcat(position, held), x) - h


def load_columns(plant: Plant, x: SX) -> tuple[SX, SX]:
    """What each of the ten parameters of a load at the tool adds to p and b, (d, 10) each."""
    load = SX.sym("load", PARAMETERS)
    parts = momentum_and_force(plant, x, {"payload": load})
    p, b = (ca.substitute(ca.jacobian(part, load), load, zeros(PARAMETERS)) for part in parts)
    return p, b


def acting(plant: Plant, x: SX) -> SX:
    """G' (d, n): what unit efforts do to the coordinates."""
    return plant.actuator_jacobian(x).T


@dataclass(frozen=True)
class Sample:
    """What a robot's state and efforts tell of the time since the sample before.

    `force` is the mean of f, `acted` (d, n) that of what the efforts did to the coordinates, a column
    for each; `kept` is for the next sample.
    """

    force: SX
    acted: SX
    kept: dict[str, SX]


def kept_sizes(plant: Plant) -> dict[str, int]:
    """What is kept from sample to sample, by name."""
    d = plant.velocity_size
    sizes = {"momentum": d, "force": d}
    return sizes if plant.actuated_coordinates else {**sizes, "acting": d * plant.effort_size}


def sample(plant: Plant, x: SX, effort: SX, before: Mapping[str, SX], period: SX) -> Sample:
    """The balance from one sample to the next, the effort being the mean of what acted between them."""
    d, n = plant.velocity_size, plant.effort_size
    p, b = momentum_and_force(plant, x, {})
    kept = {"momentum": p, "force": b}
    if plant.actuated_coordinates:
        acted = ca.diag(effort)
    else:
        now = acting(plant, x)
        kept["acting"] = row_major(now)
        mean = (ca.reshape(before["acting"], n, d).T + now) / 2
        acted = ca.horzcat(*[mean[:, k] * effort[k] for k in range(n)])
    gained = (p - before["momentum"]) / period - (b + before["force"]) / 2
    return Sample(gained - ca.sum2(acted), acted, kept)


def wrench_columns(plant: Plant, x: SX, moments: bool) -> SX:
    """What a wrench on the robot at its tool does to the coordinates, in the tool's axes (d, 6 or 3)."""
    wrench = SX.sym("wrench", 6)
    cd = SX.sym("cd", plant.velocity_size)
    state = ca.vertcat(x[0 : plant.position_size], cd)
    power = plant.wrench_sign * plant.wrench_power(state, wrench)
    columns = ca.jacobian(ca.gradient(power, cd), wrench)
    return columns if moments else columns[:, 0:3]


def tool_wrench(plant: Plant, x: SX, force: SX, moments: bool, length: float) -> SX:
    """The wrench at the tool that explains forces on the coordinates: force, then moment.

    By least squares where there are more freedoms than components, else the smallest one, in which a
    moment counts as a force at a `length`. Components that do no work are zero.
    """
    A, weights = wrench_columns(plant, x, moments), (1.0,) * 3 + (1 / length,) * 3
    acting = [k for k in range(A.size2()) if not A[:, k].is_zero()]
    scaled = [A[:, k] * weights[k] for k in acting]
    found = zeros(6)
    if not acting:
        return found
    d, count = A.size1(), len(acting)
    size = sum((ca.sumsqr(column) for column in scaled), SX(0)) / count
    if d >= count:
        damping = DAMPING * ca.sqrt(size)
        columns = [ca.vertcat(column, *_unit(k, count, damping)) for k, column in enumerate(scaled)]
        solved = solve_orthogonal(columns, ca.vertcat(force, zeros(count)))
    else:
        rows = ca.horzcat(*scaled)
        damping = SQUARED_DAMPING * size * count / d
        solved = times(rows.T, solve_symmetric(times(rows, rows.T) + damping * SX.eye(d), force))
    for k, place in enumerate(acting):
        found[place] = weights[place] * solved[k]
    return ca.densify(found)


def _unit(k: int, count: int, value: SX) -> list[SX]:
    return [value if j == k else SX(0) for j in range(count)]
