"""Lee, Chung, Mudge and Turney (1982), section 5: computed torque on a PUMA arm, simulated.

The paper's PUMA 600 link data, its velocity profile and its duration are not given: the public PUMA 560
in Lee's frames and a profile of a stated duration stand in. Friction is in neither plant nor model, as
in the paper.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control import AdaptiveComputedTorque, ComputedTorque, Controller
from linkwork.interface.arm import Arm
from linkwork.interface.loading import load_arm
from linkwork.motion import Blend, Cubic, JointTrajectory, Quintic
from linkwork.names import one_of
from linkwork.simulation import DigitalLoop, Simulation, simulate

ARM = "puma560-lee"
START = np.radians([90.0, 0.0, 90.0, 0.0, 0.0, 0.0])
END = np.radians([45.0, 30.0, 0.0, 45.0, 60.0, 90.0])
KP, KV, PERIOD = 100.0, 20.0, 0.01
BOUND = 4.26e-4  # rad: one step of the 12-bit converter that the paper compares with
CONVERTER = DigitalLoop(resolution=BOUND)  # positions to 12 bits, velocities exact
DURATION = 3.0  # s: long enough for the paper's bound, since the paper does not say
MRAD = 1e3  # per rad: errors are given in mrad throughout
CONTROLLERS = ("computed-torque", "adaptive")
PROFILES = ("quintic", "cubic", "blends")


@cache
def puma(name: str = ARM) -> Arm:
    """The PUMA 560, read once: its kernels stay with it."""
    return load_arm(name)


def motion(duration: float, profile: str = "quintic") -> JointTrajectory:
    """Lee's motion; blends take a third of the duration each."""
    one_of(profile, PROFILES, "profile")
    if profile == "quintic":
        return Quintic(START, END, duration)
    if profile == "cubic":
        return Cubic(START, END, duration)
    return Blend(START, END, duration, duration / 3)


def experiment(
    duration: float = 3.0,
    *,
    controller: str = "computed-torque",
    payload: ArrayLike | None = None,
    lookahead: float = 0.0,
    loop: DigitalLoop | str | None = None,
    profile: str = "quintic",
    rotors: bool = True,
    step: float = 1e-3,
    arm: str = ARM,
) -> Simulation:
    """Lee's motion under his control law; with a payload that the controller does not know, if given.

    Args:
        controller: "computed-torque" as in the paper, "adaptive" learns the load.
        lookahead: of the computed torque [s]; half a period, 0.005, centres the held torque.
        loop: sensors and computer; None is ideal, CONVERTER reads positions to 12 bits, "lee1982" also
            differences them and takes the 3 ms that the paper reckons.
        profile: "quintic", "cubic" or "blends".
        rotors: whether plant and computed torque contain the motors' inertia.
        step: of the integration [s].
        arm: in whose frames Lee's angles are taken; his own by default.
    """
    one_of(controller, CONTROLLERS, "controller")
    robot = puma(arm)
    trajectory = motion(duration, profile)
    law: Controller
    if controller == "adaptive":
        law = AdaptiveComputedTorque(robot, trajectory, KP, KV, PERIOD, friction=False)
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
