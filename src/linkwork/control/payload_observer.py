"""The load at a robot's tool, found while it moves: recursive least squares with a forgetting factor.

The mean force that the momenta of the robot without the load lack over a sample
(`mechanics/momentum.py`) is linear in the ten parameters of the load, and no acceleration is in it:

    f = -(change of P / T - mean of B) phi + sum_j (G' tau)_j d_j,

P phi and B phi being what the load adds to p and b, and 1 + d_j the scale of the efforts of actuator j:
how true they are is known as well as `gain_error` says. Both sides pass one low-pass; a sample counts as
the share of it that is independent of those before. The information matrix is kept, not its inverse:
with a forgetting factor of 1 the estimate is that of all samples at once, to rounding. What is known
before the first sample is never forgotten, so that no estimate runs away while nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.observers import STARTED, Block, Observer, Settings, pole
from linkwork.core.arguments import flag, not_negative, numbers, positive
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.mechanics.bodies import PARAMETERS, body_of
from linkwork.mechanics.expressions import SX, row_major, times, zeros
from linkwork.mechanics.linear import solve_symmetric
from linkwork.mechanics.momentum import kept_sizes, load_columns, sample
from linkwork.mechanics.plant import Plant
from linkwork.model.parameters import BODY
from linkwork.robot.robot import Array, Robot

REACH = 0.3  # of the robot's size, at which a load may be
STATES = 64  # of a random motion, whose efforts tell of what size the robot's are
NOISE = 0.02  # of them
LEAST = 1e-3  # of the robot's mass: lighter loads are none


def possible_load(load: SX, least: float, reach: float) -> SX:
    """The load as a model may be told of it: as it is if a body can have these parameters, else a point
    of its mass, not farther away than `reach`; none below the `least` mass.

    While a load is picked up or dropped, samples with and without it are mixed, and no body fits.
    """
    m, h = load[0], load[1:4]
    J = body_of(load).J
    second = ca.trace(J) / 2 * SX.eye(3) - J
    pivots = _pivots(ca.vertcat(ca.horzcat(second, h), ca.horzcat(h.T, m)))
    exists = ca.logic_and(m > least, ca.mmin(ca.vertcat(*pivots)) > 0)
    mass = ca.if_else(m > least, m, 0)
    center = h / ca.if_else(m > least, m, 1)
    center = center * ca.fmin(1, reach / ca.sqrt(ca.sumsqr(center) + (1e-9 * reach) ** 2))
    x, y, z = (center[k] for k in range(3))
    inertia = (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)
    point = mass * ca.vertcat(1, center, *inertia)
    return ca.if_else(exists, load, point)


def _pivots(matrix: SX) -> list[SX]:
    """Of a symmetric matrix; all are positive where it is positive definite."""
    left, found = matrix, []
    for _ in range(matrix.size1()):
        pivot = left[0, 0]
        found.append(pivot)
        column = left[1:, 0]
        left = left[1:, 1:] - times(column, column.T) / ca.if_else(pivot > 0, pivot, 1)
    return found


class LoadEstimate(NamedTuple):
    """The ten parameters of the load (..., 10), about the tool's origin in its axes: mass, first moment,
    xx yy zz xy xz yz; the scale of every actuator's efforts (..., n); and the load again as a model may
    be told of it, a body that can exist."""

    load: Array
    scales: Array
    carried: Array

    @property
    def mass(self) -> Array:
        """Mass of the load [kg]."""
        return self.load[..., 0]

    @property
    def center(self) -> Array:
        """Where the load is, in the axes of the tool [m]; NaN while it weighs nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.load[..., 1:4] / self.load[..., :1])


@dataclass(frozen=True)
class PayloadBlock(Block):
    """Unknowns are the load in `sizes_of_load`, and with a gain error the scales in that."""

    sizes_of_load: tuple[float, ...]
    noise: tuple[float, ...]
    gain_error: float

    settings = ("period", "bandwidth", "forgetting")

    def result_sizes(self, plant: Plant) -> dict[str, int]:
        return {"load": PARAMETERS, "scales": plant.effort_size, "carried": PARAMETERS}

    def unknowns(self, plant: Plant) -> int:
        return PARAMETERS + (plant.effort_size if self.gain_error else 0)

    def sizes(self, plant: Plant) -> dict[str, int]:
        d, u = plant.velocity_size, self.unknowns(plant)
        loaded = {"load_momentum": PARAMETERS * d, "load_force": PARAMETERS * d}
        filtered = {"filtered": d, "columns": d * u}
        return {
            **kept_sizes(plant), **loaded, **filtered, "information": u * (u + 1) // 2, "known": u,
        }  # fmt: skip

    def known_before(self, plant: Plant) -> Array:
        """The information (u, u) that there is without a sample, in units of the sizes."""
        found, n = np.eye(self.unknowns(plant)), plant.effort_size
        if self.gain_error:  # gains of one source are wrong alike, and each for itself
            found[PARAMETERS:, PARAMETERS:] = np.linalg.inv(np.ones((n, n)) + np.eye(n))
        return found

    def step(
        self, plant: Plant, x: SX, effort: SX, before: dict[str, SX], given: Settings
    ) -> tuple[dict[str, SX], dict[str, SX]]:
        d, n, u = plant.velocity_size, plant.effort_size, self.unknowns(plant)
        period, rest = given["period"], pole(given["bandwidth"], given["period"])
        now, (P, B) = sample(plant, x, effort, before, period), load_columns(plant, x)
        earlier = [ca.reshape(before[name], PARAMETERS, d).T for name in ("load_momentum", "load_force")]
        scale = SX(ca.diag(ca.DM(self.sizes_of_load)))
        columns = times((B + earlier[1]) / 2 - (P - earlier[0]) / period, scale)
        if self.gain_error:
            columns = ca.horzcat(columns, self.gain_error * now.acted)
        # The first sample has nothing before it: it leaves zeros.
        force = before["filtered"] + (1 - rest) * (before[STARTED] * now.force - before["filtered"])
        old = ca.reshape(before["columns"], u, d).T
        columns = old + (1 - rest) * (before[STARTED] * columns - old)
        weights = SX(ca.DM([each**-2 for each in self.noise])) * (1 - rest) / (1 + rest)
        weighted = times(ca.diag(weights), columns)
        information, known = SX(u, u), given["forgetting"] * before["known"]
        known = known + times(weighted.T, force)
        places = [(i, j) for i in range(u) for j in range(i + 1)]
        kept = []
        for k, (i, j) in enumerate(places):
            more = ca.dot(weighted[:, i], columns[:, j])
            kept.append(given["forgetting"] * before["information"][k] + more)
            information[i, j] = information[j, i] = kept[-1]
        found = solve_symmetric(information + SX(ca.DM(self.known_before(plant))), known)
        following = {
            **now.kept,
            "load_momentum": row_major(P),
            "load_force": row_major(B),
            "filtered": force,
            "columns": row_major(columns),
            "information": ca.vertcat(*kept),
            "known": known,
        }
        scales = 1 + (self.gain_error * found[PARAMETERS:] if self.gain_error else zeros(n))
        load, (m, moment) = times(scale, found[0:PARAMETERS]), self.sizes_of_load[:2]
        carried = possible_load(load, LEAST * m, moment / m)
        return following, {"load": load, "scales": scales, "carried": carried}

    def covariance(self, plant: Plant, memory: Array) -> Array:
        """Of the ten parameters of the load after samples."""
        layout, u = self.layout(plant), self.unknowns(plant)
        names = list(layout.sizes)
        first = sum(layout.sizes[name] for name in names[: names.index("information")])
        information = np.zeros((u, u))
        low = np.tril_indices(u)
        information[low] = memory[first : first + len(low[0])]
        information = information + np.tril(information, -1).T
        inverse = np.linalg.inv(information + self.known_before(plant))[:PARAMETERS, :PARAMETERS]
        sizes = np.array(self.sizes_of_load)
        return np.asarray(sizes[:, None] * inverse * sizes)


@checked
@dataclass(frozen=True, eq=False)
class PayloadObserver(Observer):
    """Mass, center of mass and inertia of the load at the tool, sample by sample.

    Args:
        robot: without the load, as identified as it can be.
        period: from sample to sample [s].
        bandwidth: of the low-pass before the estimate [Hz].
        forgetting: what a sample counts for after the next; 1 forgets nothing, 0.999 at 1 ms has a
            memory of one second.
        gain_error: by which share efforts may be wrong, all alike and each for itself (one standard
            deviation); 0 believes them.
        noise: standard deviation of what the model lacks of the forces on the coordinates [N m or N],
            one number or one each; if None, 2 % of the robot's own in a usual motion.
        friction, rotors: whether the model contains them.
    """

    robot: Robot
    period: float = 0.001
    bandwidth: float = 5.0
    forgetting: float = 1.0
    gain_error: float = 0.0
    noise: ArrayLike | None = None
    friction: bool = True
    rotors: bool = True

    def __post_init__(self) -> None:
        Robot.expect(self.robot, "PayloadObserver")
        positive(self.period, "period", "s")
        positive(self.bandwidth, "bandwidth", "Hz")
        if not 0 < self.forgetting <= 1:
            raise InputError(f"forgetting = {self.forgetting!r}: expected numbers > 0 up to 1.")
        not_negative(self.gain_error, "gain_error", "1")
        for name in ("friction", "rotors"):
            flag(getattr(self, name), name)
        d = len(self.robot.velocities)
        noise = _usual_noise(self.robot) if self.noise is None else numbers(self.noise, "noise")
        if noise.shape not in ((), (d,)) or (noise <= 0).any():
            raise InputError(f"noise = {self.noise!r}: expected a number > 0, or {d} of them.")
        object.__setattr__(self, "noise", np.broadcast_to(noise, (d,)).copy())

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        return {"load": BODY, "scales": self.robot.efforts.names, "carried": BODY}

    @property
    def block(self) -> PayloadBlock:
        m, length = sum(part.body.mass for part in self.robot.mechanism.parts), REACH * self.robot.size
        sizes = (m, *[m * length] * 3, *[m * length**2] * 6)
        noise = np.asarray(self.noise).tolist()
        return PayloadBlock(tuple(map(float, sizes)), tuple(noise), float(self.gain_error))

    def update(
        self, memory: ArrayLike, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike
    ) -> tuple[Array, LoadEstimate]:
        """The memory after a sample, and the load; arguments as of `MomentumObserver.update`."""
        following, results = self.advance(memory, position, velocity, effort)
        return following, LoadEstimate(*results)

    def over(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike) -> LoadEstimate:
        """Over samples (N, ...) at even times, one after the other."""
        return LoadEstimate(*self.results_over(position, velocity, effort))

    def uncertainty(self, memory: ArrayLike) -> Array:
        """Standard deviations (10,) of the load's parameters, as noise and gain error say."""
        kept = numbers(memory, "memory")
        if kept.shape != (size := self.start().shape):
            raise InputError(f"memory has shape {kept.shape}; expected {size}, as `update` gave it.")
        return np.sqrt(np.diagonal(self.block.covariance(self.plant, kept)))


def _usual_noise(robot: Robot) -> Array:
    """A share of the forces on the coordinates of a usual motion."""
    position, velocity, acceleration = robot.random_states(STATES)
    effort = robot.inverse_dynamics(position, velocity, acceleration, errors="nan")
    d = len(robot.velocities)
    if not robot.plant().actuated_coordinates:
        units = [robot.actuator_motion(position, row).velocity for row in np.eye(d)]
        per_unit = np.stack([np.asarray(each) for each in units], axis=-2)
        effort = np.einsum("...dn,...n->...d", per_unit, effort)
    typical = np.sqrt(np.nanmean(np.square(effort), axis=0))
    return np.asarray(NOISE * np.maximum(typical, 1e-3 * typical.max()))
