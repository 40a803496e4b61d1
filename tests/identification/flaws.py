"""Logs of a small arm as real robots write them: every flaw alone, and all at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import linkwork as lw
from linkwork.identification.logs import Log, checked_log
from linkwork.identification.regression import moves

NOISE = np.array([0.25, 0.25, 0.06])  # [N m]
GAINS = np.array([10.0, 10.7, 8.5])  # [N m/A]
PERIOD = 0.01  # [s]
TICKS, SHARES = (0.008, 0.010, 0.012, 0.030), (0.2, 0.59, 0.2, 0.01)  # [s], of an uneven clock
LAG = 0.9  # from sample to sample, of noise that lasts


@dataclass(frozen=True)
class Flaws:
    """What is wrong with a log."""

    uneven: bool = False  # stamps are those of the instants, but these are not even
    quantum: float = 0.0  # [rad] of positions
    repeated: float = 0.0  # share of rows that are the row before
    delay: float = 0.0  # [s] of efforts behind positions
    currents: bool = False  # instead of efforts, with noise that lasts and wild values
    drift: float = 0.0  # share by which viscous friction falls as the robot warms


FLAWS = {
    "clock": Flaws(uneven=True),
    "quantization": Flaws(quantum=1e-4),
    "repeated rows": Flaws(repeated=0.03),
    "delay": Flaws(delay=0.008),
    "current noise": Flaws(currents=True),
    "temperature drift": Flaws(drift=0.06),
    "all": Flaws(True, 1e-4, 0.03, 0.008, True, 0.06),
}


def small_arm() -> lw.Robot:
    """Three joints with gears, as its file has it."""
    links = []
    for name, d, a, alpha, mass, center, inertia, viscous, coulomb in (
        ("base", 0.2, 0.0, "90 deg", 4.0, [0, -0.05, 0.01], [0.03, 0.02, 0.03], 3.0, 2.0),
        ("upper", 0.0, 0.4, 0, 5.0, [-0.2, 0.0, 0.03], [0.02, 0.1, 0.1], 4.0, 2.5),
        ("fore", 0.0, 0.3, 0, 2.5, [-0.15, 0.01, 0.0], [0.006, 0.03, 0.03], 1.0, 0.8),
    ):
        link = {"name": name, "joint": "revolute", "d": d, "a": a, "alpha": alpha, "mass": mass}
        link |= {"center_of_mass": center, "inertia": inertia}
        link |= {"rotor": {"inertia": 2.0e-5, "gear_ratio": 100}}
        links.append(link | {"friction": {"viscous": viscous, "coulomb": coulomb}})
    return lw.load({"kind": "arm", "name": "small-arm", "convention": "standard", "links": links})


def motion(seed: int) -> lw.Excitation:
    return lw.Excitation([0.0, -0.6, 0.8], [1.6, 1.0, 1.4], 0.08, 6, seed)


def flawed_log(robot: lw.Robot, true: lw.Robot, flaws: Flaws, seed: int) -> Log:
    """What a controller writes of the true robot, as it is read for the robot of the file."""
    rng, moved = np.random.default_rng(seed), motion(seed % 5)
    end = float(moved.duration)
    time = np.arange(0, end, PERIOD)
    if flaws.uneven:
        time = np.cumsum(rng.choice(TICKS, p=SHARES, size=len(time)))
        time = time[time < end]
    position = moved.at(time)[0]
    effort = true_efforts(true, moved, np.maximum(time - flaws.delay, 0.0), flaws)
    effort = effort + NOISE * rng.normal(size=effort.shape)
    if flaws.quantum:
        position = np.round(position / flaws.quantum) * flaws.quantum
    if flaws.currents:
        shocks = np.sqrt(1 - LAG**2) * rng.normal(size=effort.shape)
        noise = np.zeros_like(shocks)
        for row in range(1, len(noise)):
            noise[row] = LAG * noise[row - 1] + shocks[row]
        effort = effort + 0.3 * NOISE * noise
        effort[rng.random(effort.shape) < 0.005] *= 3
        effort = effort / GAINS
    again = np.flatnonzero(rng.random(len(time)) < flaws.repeated)
    for rows in (position, effort):
        rows[again] = rows[np.maximum(again - 1, 0)]
    return checked_log(robot, f"log {seed}", time, position, effort, currents=flaws.currents)


def true_efforts(true: lw.Robot, moved: lw.Excitation, time: np.ndarray, flaws: Flaws) -> np.ndarray:
    """Without noise; as the robot warms, viscous friction falls about its mean."""
    states = moved.at(time)
    kinds = [name.rpartition(".")[2] for name in true.parameters.names]
    viscous = np.where([kind == "viscous" for kind in kinds], true.parameters.values, 0.0)
    cooler = flaws.drift * (0.5 - time / float(moved.duration))
    return true.inverse_dynamics(*states) + cooler[:, None] * (true.regressor(*states) @ viscous)


def prediction_ratio(found: lw.Identification, true: lw.Robot, flaws: Flaws) -> np.ndarray:
    """RMS of what the identified robot would leave of a new log over that of the noise, per joint."""
    moved = motion(50)
    time = np.arange(0, float(moved.duration), PERIOD)
    states = moved.at(time)
    error = found.robot.inverse_dynamics(*states) - true_efforts(true, moved, time, flaws)
    counted = moves(true, states[1])
    squares = (counted * error**2).sum(axis=0) / counted.sum(axis=0)
    return np.sqrt(1 + squares / NOISE**2)


def is_plausible(found: lw.Identification) -> bool:
    """Whether masses and their centers are those of such links."""
    values = dict(zip(found.robot.parameters.names, found.robot.parameters.values, strict=True))
    file = dict(zip(found.original.parameters.names, found.original.parameters.values, strict=True))
    for owner in found.robot.efforts.names:
        mass = values[f"{owner}.m"]
        center = np.array([values[f"{owner}.m{axis}"] for axis in "xyz"]) / mass
        if not 0.3 < mass / file[f"{owner}.m"] < 3 or np.linalg.norm(center) > 0.5:
            return False
    return True
