"""How large the parameters of a robot may be: the prior of the estimate, wide beside any real robot.

What a log cannot show then stays at the file's value, and what it can show is moved by far less than its
standard error.
"""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array, Robot
from linkwork.robots.mechanism_elements import is_chain
from linkwork.robots.parameters import BODY

LEAST_SHARE = 0.1  # of the whole mass and size, that any body of an arm may have
LEAST_LEG_SHARE = 0.02
STILL = 0.05  # of the greatest velocity or acceleration of all actuators
AT_ENDS = ("universal", "spherical", "viscous_start", "viscous_end")
LEVER = 0.1  # of the machine's size, from friction in a leg's joints to the leg's force


def parameter_sizes(robot: Robot, effort: Array, velocity: Array, acceleration: Array) -> Array:
    """One for each of `robot.parameters`.

    Args:
        effort, velocity, acceleration: RMS of each actuator, (n,).
    """
    own = robot.parameters
    masses = {name: float(m) for name, m in zip(own.names, own.values, strict=True) if _is_mass(name)}
    lengths = dict.fromkeys(masses, robot.size)
    # A file without masses: as heavy as the efforts can hold.
    total = sum(masses.values()) or float(effort.max()) / 9.81 / min(robot.size, 1.0)
    if is_chain(robot.mechanism):  # whatever is carried farther out is felt here
        beyond = np.cumsum(list(masses.values())[::-1])[::-1]
        shares = 1 - np.arange(len(masses)) / len(masses)
        for name, mass, share in zip(masses, beyond, shares, strict=True):
            masses[name] = max(float(mass), LEAST_SHARE * total)
            lengths[name] = robot.size * max(float(share), LEAST_SHARE)
    else:
        masses = {name: max(mass, LEAST_LEG_SHARE * total) for name, mass in masses.items()}
    actuators = robot.efforts.names
    # One that stands still has friction like the others, not any that is imaginable.
    velocity, acceleration = (
        np.maximum(part, max(STILL * float(part.max()), 1e-6)) for part in (velocity, acceleration)
    )
    found = []
    for name in own.names:
        owner, _, kind = name.rpartition(".")
        if kind in BODY:
            mass, length = masses[f"{owner}.m"], lengths[f"{owner}.m"]
            found.append(mass * length ** (0 if kind == "m" else 1 if kind[0] == "m" else 2))
            continue
        # A joint without a motor: whatever the strongest motor could move.
        k = actuators.index(owner) if owner in actuators else int(np.argmax(effort))
        tau, v, a = effort[k], velocity[k], acceleration[k]
        if kind in AT_ENDS:
            found.append(tau * LEVER * robot.size / (v / robot.size))
        else:
            per = {"viscous": v, "prismatic": v, "rotor": a, "stiffness": LEVER * robot.size}
            found.append(tau / per.get(kind, 1.0))
    return np.array(found)


def _is_mass(name: str) -> bool:
    return name.rpartition(".")[2] == BODY[0]
