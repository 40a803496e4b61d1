"""Platforms by their own kind and as mechanisms: same states, same run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw
from benchmarks.timing import repeated, side_by_side
from linkwork.robots.families import mechanism_of_platform

BATCH = 20_000
MANY = 2000
PLATFORMS = ("simona", "pi-h811", "small-hexapod", "dasgupta1998")
SPREAD = 0.01  # about home [rad, of the machine's size]
console = Console(width=120)


def pair(name: str) -> tuple[lw.Platform, lw.Mechanism]:
    """A robot of its own kind, and as a mechanism."""
    platform = lw.load_platform(name)
    return platform, lw.Mechanism(mechanism_of_platform(platform.model, platform.home))


def ratios(name: str) -> list[float]:
    """Times as a mechanism over times of its own kind: inverse, forward, reactions, one call."""
    own, general = pair(name)
    rng = np.random.default_rng(0)
    home = np.asarray(own.home)
    d = len(own.velocities)
    c = np.repeat(home[None], BATCH, axis=0)
    free = 3 if own.coordinates.is_pose else len(home)  # orientations stay unit quaternions
    c[:, :free] += SPREAD * own.size * rng.uniform(-1, 1, (BATCH, free))
    cd, cdd = rng.normal(size=(2, BATCH, d))
    tau = own.inverse_dynamics(c, cd, cdd, friction=False)
    one = (c[0], cd[0], cdd[0])
    calls: dict[str, Callable[[], object]] = {}
    for which, robot in (("own", own), ("general", general)):
        calls |= {
            f"{which} inverse": lambda r=robot: r.inverse_dynamics(c, cd, cdd, friction=False),
            f"{which} forward": lambda r=robot: r.forward_dynamics(c, cd, tau, friction=False),
            f"{which} reactions": lambda r=robot: r.joint_reactions(c, cd, cdd),
            f"{which} call": repeated(lambda r=robot: r.inverse_dynamics(*one), MANY),
        }
    times = side_by_side(calls)
    return [
        times[f"general {k}"] / times[f"own {k}"] for k in ("inverse", "forward", "reactions", "call")
    ]


def main() -> None:
    titles = ("robot", "inverse", "forward", "reactions", "one call")
    table = Table(
        title="As a mechanism over its own kind (below 1: faster), one core", title_justify="left"
    )
    for column in titles:
        table.add_column(column, justify="left" if column == "robot" else "right")
    lw.set_threads(1)
    for name in PLATFORMS:
        table.add_row(name, *(f"{ratio:.2f}" for ratio in ratios(name)))
    lw.set_threads(None)
    console.print(table)


if __name__ == "__main__":
    main()
