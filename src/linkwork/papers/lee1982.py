"""Lee, Chung, Mudge and Turney (1982), section 5: computed torque on a PUMA arm, simulated.

The paper's PUMA 600 link data, its velocity profile and its duration are not given: the public PUMA 560
and a quintic of a stated duration stand in. Friction is in neither plant nor model, as in the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control import AdaptiveComputedTorque, ComputedTorque, Controller
from linkwork.loading import load
from linkwork.motion import Quintic
from linkwork.names import one_of
from linkwork.simulation import Simulation, simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

START = np.radians([90.0, 0.0, 90.0, 0.0, 0.0, 0.0])
END = np.radians([45.0, 30.0, 0.0, 45.0, 60.0, 90.0])
KP, KV, PERIOD = 100.0, 20.0, 0.01
BOUND = 4.26e-4  # rad: one step of the 12-bit converter that the paper compares with
CONTROLLERS = ("computed-torque", "adaptive")


def experiment(
    duration: float = 3.0,
    *,
    controller: str = "computed-torque",
    payload: ArrayLike | None = None,
    lookahead: float = 0.0,
    resolution: float = 0.0,
) -> Simulation:
    """Lee's motion under his control law; with a payload that the controller does not know, if given.

    Args:
        controller: "computed-torque" as in the paper, "adaptive" learns the load.
        lookahead: of the computed torque [s]; half a period, 0.005, centres the held torque.
        resolution: of the position sensors [rad]; BOUND is the paper's converter.
    """
    one_of(controller, CONTROLLERS, "controller")
    arm = load("puma560")
    motion = Quintic(START, END, duration)
    law: Controller
    if controller == "adaptive":
        law = AdaptiveComputedTorque(arm, motion, KP, KV, PERIOD, friction=False)
    else:
        law = ComputedTorque(arm, motion, KP, KV, PERIOD, lookahead=lookahead, friction=False)
    return simulate(arm, law, payload=payload, friction=False, resolution=resolution)


def error_figure(run: Simulation, bound: float | None = BOUND) -> Figure:
    """The paper's Figures 3 to 8: position error of every joint, with the converter's resolution."""
    from matplotlib.figure import Figure

    assert run.error is not None
    figure = Figure(figsize=(9, 8), layout="constrained")
    axes = figure.subplots(3, 2, sharex=True)
    for k, ax in enumerate(axes.T.flat):
        ax.plot(run.time, 1e3 * run.error[:, k], color="#0072B2", linewidth=1.0)
        if bound is not None:
            for side in (-1, 1):
                ax.axhline(side * 1e3 * bound, color="#D55E00", linewidth=0.8, linestyle="--")
        ax.set_title(f"Figure {k + 3}: joint {k + 1} ({run.labels[k]})", fontsize=10)
        ax.set_ylabel("error [mrad]")
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    note = "" if bound is None else f"; dashed: {1e3 * bound:.3g} mrad, one step of a 12-bit converter"
    figure.suptitle(f"Lee (1982): position errors under computed torque{note}", fontsize=11)
    return figure
