"""Numbers behind Turney's report: agreement, strobing, counts, chains of operations, Runge-Kutta."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush

import numpy as np

from linkwork.analysis import general_arm
from linkwork.analysis.operation_table import TRACED, general_model
from linkwork.analysis.printed_counts import TURNEY_2, TURNEY_3, TURNEY_4, Polynomial, PrintedTable
from linkwork.kernels import Kernel
from linkwork.kernels.graph import COUNTED, Graph
from linkwork.papers.count_tables import fitted
from linkwork.papers.evaluation import evaluated
from linkwork.robot.arm import Arm
from linkwork.robot.loading import load_arm
from linkwork.robot.robot import Array
from linkwork.simulation import simulate


def _waiting(graph: Graph) -> tuple[list[list[int]], list[int]]:
    """For every node the counted ones it waits for, and which are counted; signs are free."""
    sources: list[list[int]] = []
    counted = []
    for k, node in enumerate(graph.nodes):
        needed: list[int] = []
        for below in (node.a, node.b):
            if below >= 0:
                needed += [below] if graph.nodes[below].op in COUNTED else sources[below]
        sources.append(needed)
        if node.op in COUNTED:
            counted.append(k)
    return sources, counted


def steps(graph: Graph, processors: int) -> int:
    """Steps of one multiplication or addition each; whatever waits longest for its end comes first.

    Hu's rule: ready operations start in the order of their longest chain to a result, which no schedule
    beats by more than a part of that chain.
    """
    sources, counted = _waiting(graph)
    users: dict[int, list[int]] = {k: [] for k in counted}
    missing = {}
    for k in counted:
        needed = set(sources[k])
        missing[k] = len(needed)
        for source in needed:
            users[source].append(k)
    height: dict[int, int] = {}
    for k in reversed(counted):
        height[k] = 1 + max((height[user] for user in users[k]), default=0)
    ready: list[tuple[int, int]] = []
    for k in counted:
        if not missing[k]:
            heappush(ready, (-height[k], k))
    count = 0
    while ready:
        started = [heappop(ready)[1] for _ in range(min(processors, len(ready)))]
        count += 1
        for k in started:
            for user in users[k]:
                missing[user] -= 1
                if not missing[user]:
                    heappush(ready, (-height[user], user))
    return count


STATES = 500


@cache
def example_arms() -> tuple[Arm, Arm]:
    return load_arm("puma560"), Arm(general_model(6))


@cache
def torque_differences(arm: Arm) -> dict[str, float]:
    """Of every formulation against Newton-Euler on random states, over the largest torque."""
    q, qd, qdd = arm.random_states(STATES, seed=0)
    found = {
        name: evaluated(
            arm, "inverse_dynamics", q, qd, qdd, friction=False, rotors=False, formulation=name
        )[0]
        for name in arm.formulations
    }
    truth = found["newton-euler"]
    scale = np.abs(truth).max()
    return {name: float(np.abs(tau - truth).max() / scale) for name, tau in found.items()}


@dataclass(frozen=True)
class Strobing:
    """Section 3: M and C by strobing, relative to the largest element by Lagrange."""

    mass_matrix: float
    by_recipe: float  # C as the report says
    corrected: float  # C with the two centrifugal parts taken off, and halved


def strobing(arm: Arm) -> Strobing:
    q, _, _ = arm.random_states(50, seed=1)
    weightless = np.zeros(3)
    n = arm.n
    units = np.eye(n)
    M = arm.mass_matrix(q, rotors=False, formulation="lagrange")
    columns = arm.inverse_dynamics(
        q[:, None], np.zeros(n), units, gravity=weightless, friction=False, rotors=False
    )
    C = arm.coriolis_matrices(q, formulation="lagrange")
    # tau[s, j, k] with the rates of joints j and k set to 1.
    both = np.minimum(units[:, None] + units[None, :], 1.0)
    tau = arm.bias(q[:, None, None], both, gravity=weightless)
    recipe = np.moveaxis(tau, -1, 1)
    own = np.einsum("sijj->sij", recipe)
    corrected = (recipe - own[..., :, None] - own[..., None, :]) / 2
    diagonal = np.arange(n)
    corrected[..., diagonal, diagonal] = own
    scale = np.abs(C).max()
    return Strobing(
        float(np.abs(columns - M).max() / np.abs(M).max()),
        float(np.abs(recipe - C).max() / scale),
        float(np.abs(corrected - C).max() / scale),
    )


PROCESSORS = (1, 2, 3, 4, 6, 8, 12, 16, 32)


@cache
def modified_kernel(n: int, formulation: str = "modified-newton-euler") -> Kernel:
    """Of a general arm, by the modified set or another formulation."""
    return Arm(general_model(n)).kernel(
        "inverse_dynamics", formulation=formulation, friction=False, rotors=False
    )


@dataclass(frozen=True)
class KernelChain:
    """Operations of a kernel, and the most of them that wait for each other."""

    operations: int
    longest: int


def longest_chain(formulation: str, n: int = 6) -> KernelChain:
    graph = modified_kernel(n, formulation).graph
    return KernelChain(steps(graph, 1), steps(graph, len(graph.nodes)))


def longest_chains(sizes: range) -> list[int]:
    """Operations that wait for each other in the modified Newton-Euler kernel of a general arm."""
    return [modified_kernel(n).depth for n in sizes]


def schedule(n: int) -> dict[int, int]:
    """Steps of one operation each that so many processors take."""
    graph = modified_kernel(n).graph
    return {p: steps(graph, p) for p in PROCESSORS}


@dataclass(frozen=True)
class StrobingCount:
    """Multiplications and additions of M and of all C^i by strobing, beside Lagrange's, at n links."""

    mass_matrix: tuple[Polynomial, Polynomial]
    coriolis: tuple[Polynomial, Polynomial]


def strobing_count() -> StrobingCount:
    """By the modified recursion, what is zero for links before the excited joint left out."""
    return StrobingCount(
        fitted(general_arm.count_strobed_mass_matrix, 2),
        fitted(general_arm.count_strobed_coriolis, 3),
    )


def strobing_passes(n: int = 6) -> tuple[int, int]:
    """Links that move, over all joints excited alone (columns of M), and over all pairs of them (C)."""
    return (
        sum(n - j for j in range(n)),
        sum(n - min(j, k) for j in range(n) for k in range(j, n)),
    )


@dataclass(frozen=True)
class Total:
    """One line of Table 1: printed, and traced by the same rule."""

    name: str
    printed: tuple[Polynomial, Polynomial]
    traced: tuple[Polynomial, Polynomial]


def totals() -> list[Total]:
    kinds: list[tuple[str, PrintedTable, int]] = [
        ("Lagrange", TURNEY_2, 3),
        ("Newton-Euler", TURNEY_3, 1),
        ("modified Newton-Euler", TURNEY_4, 1),
    ]
    return [
        Total(name, (table.multiplications, table.additions), fitted(TRACED[table.name], degree))
        for name, table, degree in kinds
    ]


def like_for_like() -> list[tuple[str, tuple[Polynomial, Polynomial], tuple[Polynomial, Polynomial]]]:
    """Newton-Euler and its modification with full and with diagonal inertias."""
    return [
        (
            "full inertia",
            fitted(general_arm.count_newton_euler_turney, 1),
            fitted(lambda n: general_arm.count_modified(n, diagonal=False), 1),
        ),
        (
            "diagonal inertia",
            fitted(lambda n: general_arm.count_newton_euler_turney(n, diagonal=True), 1),
            fitted(lambda n: general_arm.count_modified(n, diagonal=True), 1),
        ),
    ]


@dataclass(frozen=True)
class Saved:
    """Multiplications per link that the modification saves."""

    printed: int
    full: int
    diagonal: int


def saved_by_modification() -> Saved:
    def per_link(polynomial: Polynomial) -> int:
        return int(polynomial(2) - polynomial(1))

    (_, full, modified), (_, diagonal, cheaper) = like_for_like()
    return Saved(
        per_link(TURNEY_3.multiplications) - per_link(TURNEY_4.multiplications),
        per_link(full[0]) - per_link(modified[0]),
        per_link(diagonal[0]) - per_link(cheaper[0]),
    )


def strobed_step(duration: float = 0.5) -> tuple[float, float]:
    """Duration of a free fall, and how far the report's own steps lead from the fastest ones [rad/s]."""
    arm = example_arms()[0]
    ends = [
        simulate(arm, None, duration=duration, start=FALL, friction=False, formulation=name).qd[-1]
        for name in ("strobing", None)
    ]
    return duration, float(np.abs(ends[0] - ends[1]).max())


@dataclass(frozen=True)
class Integration:
    """A free fall of the PUMA 560 by Runge-Kutta steps: change of its energy, which should be none."""

    steps: Array  # [s]
    drift: Array  # [J]
    energy: float  # kinetic, largest [J]

    @property
    def order(self) -> float:
        """Slope of the drift over the step."""
        return float(np.polyfit(np.log(self.steps), np.log(self.drift), 1)[0])


FALL = np.array([0.0, 0.5, 0.3, 0.2, 0.4, 0.1])


def integration() -> Integration:
    arm = example_arms()[0]
    steps = np.array([0.02, 0.01, 0.005, 0.0025])
    runs = [
        simulate(
            arm,
            None,
            duration=0.5,
            start=FALL,
            step=float(step),
            friction=False,
            formulation="strobing",
        )
        for step in steps
    ]
    drift = np.array([np.ptp(run.energy) for run in runs])
    return Integration(steps, drift, float(runs[-1].kinetic.max()))
