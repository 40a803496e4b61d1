"""Lee, Chung, Mudge and Turney (1982), section 5: computed torque on a PUMA arm, simulated.

The paper's PUMA 600 link data, its velocity profile and its duration are not given: the public PUMA 560
in Lee's frames and a profile of a stated duration stand in. Friction is in neither plant nor model, as
in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from linkwork.control import (
    AdaptiveComputedTorque,
    ComputedTorque,
    Controller,
    RobustComputedTorque,
)
from linkwork.core.arguments import one_of
from linkwork.motion import Cubic, JointTrajectory, LinearParabolicBlend, Quintic
from linkwork.robot.arm import Arm
from linkwork.robot.loading import load_arm
from linkwork.simulation import DigitalLoop, Simulation, SimulationError, simulate
from linkwork.simulation.loads import Payload

ARM = "puma560-lee"
START = np.radians([90.0, 0.0, 90.0, 0.0, 0.0, 0.0])
END = np.radians([45.0, 30.0, 0.0, 45.0, 60.0, 90.0])
KP, KV, PERIOD = 100.0, 20.0, 0.01
BOUND = 4.26e-4  # rad: one step of the 12-bit converter that the paper compares with
CONVERTER = DigitalLoop(resolution=BOUND)  # positions to 12 bits, velocities exact
BANDWIDTH = 20.0  # rad/s, of the observer of the robust law
DURATION = 3.0  # s: long enough for the paper's bound, since the paper does not say
MRAD = 1e3  # per rad: errors are given in mrad throughout
CONTROLLERS = ("computed-torque", "adaptive", "robust")
LEARNING = 5.0  # kg per N m of mismatch, of the adaptive law
PROFILES = ("quintic", "cubic", "blends", "short blends")
SHORT = 0.5  # s of a short blend


@cache
def puma(name: str = ARM) -> Arm:
    """The PUMA 560, read once: its kernels stay with it."""
    return load_arm(name)


def motion(duration: float, profile: str = "quintic") -> JointTrajectory:
    """Lee's motion; blends take a third of the duration each, short ones SHORT."""
    one_of(profile, PROFILES, "profile")
    if profile == "quintic":
        return Quintic(START, END, duration)
    if profile == "cubic":
        return Cubic(START, END, duration)
    return LinearParabolicBlend(START, END, duration, duration / 3 if profile == "blends" else SHORT)


def experiment(
    duration: float = 3.0,
    *,
    controller: str = "computed-torque",
    payload: Payload = None,
    lookahead: float = 0.0,
    loop: DigitalLoop | str | None = None,
    profile: str = "quintic",
    rotors: bool = True,
    step: float = 1e-3,
    arm: str = ARM,
    learning_rate: float = LEARNING,
    forgetting: float = 0.0,
    resets: ArrayLike = (),
) -> Simulation:
    """Lee's motion under his control law; with a payload that the controller does not know, if given.

    Args:
        controller: "computed-torque" as in the paper, "adaptive" learns the load, "robust" observes
            what it does.
        payload: as `simulate` takes it, also one that is picked up and dropped.
        lookahead: of the computed torque [s]; half a period, 0.005, centers the held torque.
        loop: sensors and computer; None is ideal, CONVERTER reads positions to 12 bits, "lee1982" also
            differences them and takes the 3 ms that the paper reckons.
        profile: "quintic", "cubic", "blends" or "short blends".
        rotors: whether plant and computed torque contain the motors' inertia.
        step: of the integration [s].
        arm: in whose frames Lee's angles are taken; his own by default.
        learning_rate, forgetting, resets: of the adaptive law, as in `AdaptiveComputedTorque`.
    """
    one_of(controller, CONTROLLERS, "controller")
    robot = puma(arm)
    trajectory = motion(duration, profile)
    law: Controller
    if controller == "adaptive":
        law = AdaptiveComputedTorque(
            robot, trajectory, KP, KV, PERIOD,
            learning_rate=learning_rate, forgetting=forgetting, resets=resets, friction=False,
        )  # fmt: skip
    elif controller == "robust":
        law = RobustComputedTorque(
            robot, trajectory, KP, KV, PERIOD, bandwidth=BANDWIDTH, friction=False, rotors=rotors
        )
    else:
        law = ComputedTorque(
            robot, trajectory, KP, KV, PERIOD, lookahead=lookahead, friction=False, rotors=rotors
        )
    return simulate(robot, law, payload=payload, friction=False, rotors=rotors, loop=loop, step=step)


def largest(run: Simulation) -> float:
    """Error of any joint at any time [rad]."""
    assert run.error is not None
    return float(np.abs(run.error).max())


def in_mrad(error: float) -> str:
    return f"{MRAD * error:.3g} mrad"


# none; what the paper reckons; a whole period; where the loop itself gives way
DELAYS = (0.0, 3e-3, 10e-3, 60e-3)
VELOCITIES = {
    "exact": DigitalLoop(),
    "differenced positions": DigitalLoop(velocity="differenced"),
    "observer, 15 Hz": DigitalLoop(velocity="observer", bandwidth=15.0),
}
BITS = (12, 16)
DURATIONS = (3.0, 6.0)


@dataclass(frozen=True)
class Outcome:
    """Largest error of any joint in steps of the 12-bit converter; `lost` is when the loop diverged."""

    error: float
    lost: float | None = None

    @property
    def holds(self) -> bool:
        return self.lost is None and self.error <= 1.0

    def __str__(self) -> str:
        if self.lost is not None:
            return f"unstable at {self.lost:.1f} s"
        return f"{self.error:.2f}" if self.error < 100 else f"{self.error:.0f}"


@dataclass(frozen=True)
class Claim:
    """What became of one loop on one motion."""

    delay: float
    velocity: str
    bits: int
    duration: float
    outcome: Outcome


def loop_with(velocity: str, delay: float, bits: int) -> DigitalLoop:
    """The converter's range stays that of the paper's 12 bits."""
    return replace(VELOCITIES[velocity], delay=delay, resolution=BOUND / 2 ** (bits - 12))


def outcome(loop: DigitalLoop, duration: float) -> Outcome:
    lost = None
    try:
        run = experiment(duration, loop=loop, step=PERIOD)
    except SimulationError as error:
        run, lost = error.result, error.time
    assert run.error is not None
    return Outcome(float(np.abs(run.error).max() / BOUND), lost)


def claims() -> list[Claim]:
    """Every combination of delay, source of velocities, word length and duration."""
    return [
        Claim(delay, velocity, bits, duration, outcome(loop_with(velocity, delay, bits), duration))
        for delay in DELAYS
        for velocity in VELOCITIES
        for bits in BITS
        for duration in DURATIONS
    ]


def kept_from() -> float:
    """The duration [s] from which the claim holds with 12 bits, their differences and 3 ms of delay: the
    first tenth of a second that keeps it."""
    loop = DigitalLoop.preset("lee1982")

    def error(duration: float) -> float:
        return outcome(loop, round(duration, 1)).error

    found = round(float(brentq(lambda d: error(d) - 1.0, 4.0, 8.0, xtol=0.1)), 1) - 0.1
    while error(found) > 1.0:
        found += 0.1
    return round(found, 1)
