"""What drives have to move: efforts, speeds and inertias of the actuators along motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.analysis.study import Study, study
from linkwork.core.arguments import not_negative
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.robot.compiled import CallOptions
from linkwork.robot.robot import Array, Robot

REST = 1e-9  # of the greatest speed: slower is rest, where friction takes nothing


@checked
@dataclass(frozen=True)
class Duty:
    """How motions repeat: each goes on for ever, with a pause after it in which the robot is held.

    `pause` [s], or `share`: of the time that the motion takes. With `braked` the brakes hold in the
    pause and motors that have one have no current. `ambient` [deg C] is where housings lose heat to.
    """

    pause: float = 0.0
    share: float | None = None
    braked: bool = False
    ambient: float = 40.0

    def __post_init__(self) -> None:
        not_negative(self.pause, "pause", "s")
        if self.share is not None and not 0 < self.share <= 1:
            percent = f" Did you mean {self.share / 100:g}?" if 1 < self.share <= 100 else ""
            raise InputError(f"share = {self.share:g}: expected a number above 0, up to 1.{percent}")
        if self.share is not None and self.pause:
            raise InputError("share and pause say the same; give one of them.")
        if not -273.15 < self.ambient < 200:
            raise InputError(f"ambient = {self.ambient:g}: expected a temperature [deg C] below 200.")

    def pause_after(self, duration: float) -> float:
        """[s], of a motion that takes so long."""
        return self.pause if self.share is None else duration * (1 / self.share - 1)


@dataclass(frozen=True, eq=False)
class ActuatorLoads:
    """What a motion asks of the actuators (N, n), without drives: efforts that the joints need, their
    speeds and accelerations, efforts that hold the robot at rest, and inertias that the actuators feel
    while all others are held (NaN where that is not known)."""

    motion: str
    time: Array
    effort: Array
    speed: Array
    acceleration: Array
    holding: Array
    inertia: Array

    @cached_property
    def weights(self) -> Array:
        """[s] for which samples count (N,), by trapezia."""
        steps = np.diff(self.time)
        return np.asarray((np.append(steps, 0.0) + np.append(0.0, steps)) / 2)

    @property
    def duration(self) -> float:
        return float(self.time[-1] - self.time[0])


def actuator_loads(studies: Sequence[Study]) -> tuple[ActuatorLoads, ...]:
    """Of motions of one robot, or of several."""
    bare = {id(one.robot): one.robot.with_drives(None) for one in studies if any(one.robot.drives)}
    return tuple(_loads(one, _without_drives(one, bare)) for one in studies)


def _without_drives(one: Study, bare: Mapping[int, Robot]) -> Study:
    """The same motion of the robot without drives."""
    robot = bare.get(id(one.robot))
    if robot is None:
        return one
    payload = None if one.load is None else np.where(one.load.carried, one.load.mass, 0.0)
    motion = (one.position, one.velocity, one.acceleration)
    return study(robot, one.motion_name, one.time, motion, wrench=one.wrench, payload=payload)


def _loads(one: Study, bare: Study) -> ActuatorLoads:
    robot, still = bare.robot, np.zeros_like(bare.velocity)
    moved = robot.actuator_motion(bare.position, bare.velocity, bare.acceleration)
    assert moved.velocity is not None
    assert moved.acceleration is not None
    speed = np.where(np.abs(moved.velocity) <= REST * np.abs(moved.velocity).max(0), 0.0, moved.velocity)
    options: CallOptions = {} if bare.wrench is None else {robot.wrench_option: bare.wrench}
    holding = robot.inverse_dynamics(bare.position, still, still, **options)
    M = robot.mass_matrix(bare.position)
    if bare.load is not None:
        loaded = bare.load.robot
        holding = bare.load.put(holding, loaded.inverse_dynamics(bare.position, still, still, **options))
        M = bare.load.put(M, loaded.mass_matrix(bare.position))
    return ActuatorLoads(
        one.motion_name,
        bare.time,
        bare.effort.values,
        speed,
        moved.acceleration,
        holding,
        _felt(bare, M),
    )


def _felt(bare: Study, M: Array) -> Array:
    """Inertias (N, n) in the directions in which one actuator moves and the others are held."""
    robot, d = bare.robot, M.shape[-1]
    found = np.full((len(bare.time), robot.n), np.nan)
    if robot.n != d:
        return found
    columns = []
    for unit in np.eye(d):
        moved = robot.actuator_motion(bare.position, np.broadcast_to(unit, bare.velocity.shape))
        assert moved.velocity is not None
        columns.append(moved.velocity)
    G = np.stack(columns, axis=-1)  # velocities of the actuators are G cd
    regular = np.isfinite(G).all(axis=(1, 2)) & (np.abs(np.linalg.det(G)) > 0)
    moves = np.linalg.inv(G[regular])
    found[regular] = np.einsum("nik,nij,njk->nk", moves, M[regular], moves)
    return found
