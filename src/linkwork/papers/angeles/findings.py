"""Numbers behind sections 7.4 and 7.5: the complement, a simulation by it, torques as printed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.analysis.general_arm import counted, general_chain
from linkwork.kernels.graph import Counts
from linkwork.mechanics.chain import angeles
from linkwork.mechanics.chain.chain import Link
from linkwork.mechanics.expressions import SX, cross, times
from linkwork.motion import Quintic
from linkwork.papers.angeles.as_printed import frames, prismatic_branch, short_arm
from linkwork.papers.evaluation import evaluated
from linkwork.papers.random_arms import torques_of
from linkwork.robot.arm import Arm
from linkwork.robot.loading import load_arm
from linkwork.robot.results import NaturalComplement
from linkwork.robot.robot import Array
from linkwork.simulation import Simulation, simulate

# Section 7.4.1, multiplications and additions as the text lists them: revolute, prismatic.
PRINTED = {
    "Q": ((4, 0), (4, 0)),
    "c": ((8, 10), (16, 15)),
    "w": ((8, 5), (8, 4)),
    "cd": ((20, 16), (14, 11)),
    "wd": ((10, 7), (8, 4)),
    "cdd": ((32, 28), (20, 19)),
}


def _link(revolute: bool) -> Link:
    return replace(general_chain(1, factored=True).links[0], revolute=revolute)


def outward_rows(revolute: bool) -> dict[str, Counts]:
    """Of one joint; what rows share belongs to the first that needs it."""
    link = _link(revolute)
    base = angeles.CenterOfMassMotion(*(SX.sym(name, 3) for name in ("w", "wd", "c", "cd", "cdd")))
    q, qd, qdd = (SX.sym(name, 1) for name in ("q", "qd", "qdd"))
    motion = angeles.outward(base, SX.sym("delta", 3), [link], q, qd, qdd)[0]
    rows: dict[str, Counts] = {"Q": counted(link.rotation.matrix)}
    before, parts = Counts(), []
    # c of a prismatic joint forms u, which cd and cdd use as well.
    for name in ("c", "w", "cd", "wd", "cdd"):
        parts.append(getattr(motion, name))
        total = counted(*parts)
        rows[name] = Counts(
            total.multiplications - before.multiplications, total.additions - before.additions
        )
        before = total
    return rows


def inward_rows() -> dict[str, Counts]:
    """Rows 1, 2, 5, 6 and 7 of Algorithm 7.4.2."""
    link = _link(True)
    w, wd, cdd, f, n, phi, delta = (
        SX.sym(name, 3) for name in ("w", "wd", "cdd", "f", "n", "phi", "delta")
    )
    inertial = times(link.I, wd) + cross(w, times(link.I, w))
    own = inertial + cross(link.rho, f)
    passed = link.rotation.to_parent(n) + cross(delta, phi)
    return {
        "row 1": counted(link.m * cdd - f),
        "row 2": counted(own - n),
        "row 5": counted(link.rotation.to_parent(f)),
        "row 6": counted(link.m * cdd + phi),
        "row 7": counted(own + passed),
    }


ARMS = ("planar-2r", "puma560", "stanford")
STATES = 200


@dataclass(frozen=True)
class ComplementCheck:
    """What (7.50)-(7.58) promise, on random states; differences relative to the largest element."""

    arm: str
    n: int
    orthogonality: float  # |K T|, (7.55b)
    rank: tuple[int, int]  # of K, smallest and largest
    power: float  # |T' w^C|, (7.51) for every motion
    inertia: float  # T' M T against composite bodies, (7.58)
    torques: float  # (7.57) against Newton-Euler
    smallest_eigenvalue: float  # of T' M T


def complement_check(name: str) -> ComplementCheck:
    arm = load_arm(name)
    q, qd, qdd = arm.random_states(STATES, seed=0)
    found = NaturalComplement(*evaluated(arm, "natural_complement", q, qd, qdd))
    T_transposed = np.swapaxes(found.T, -1, -2)
    ranks = np.linalg.matrix_rank(found.K)
    M = arm.mass_matrix(q, rotors=False)
    wrench = found.constraint_wrench.reshape(STATES, -1)
    tau, truth = (
        evaluated(arm, "inverse_dynamics", q, qd, qdd, friction=False, rotors=False, formulation=kind)[0]
        for kind in ("natural-complement", "newton-euler")
    )
    return ComplementCheck(
        arm=name,
        n=arm.n,
        orthogonality=float(np.abs(found.K @ found.T).max()),
        rank=(int(ranks.min()), int(ranks.max())),
        power=float(np.abs(np.einsum("sij,sj->si", T_transposed, wrench)).max() / np.abs(wrench).max()),
        inertia=float(np.abs(found.inertia - M).max() / np.abs(M).max()),
        torques=float(np.abs(tau - truth).max() / np.abs(truth).max()),
        smallest_eigenvalue=float(np.linalg.eigvalsh(found.inertia).min()),
    )


@dataclass(frozen=True)
class PrintedTorques:
    """Torques of the Stanford arm along a motion: right, and by the algorithms as printed."""

    labels: tuple[str, ...]
    prismatic: tuple[bool, ...]
    time: Array
    right: Array
    wrong: dict[str, Array]


START = np.array([0.0, -1.2, 0.5, 0.0, 0.6, 0.0])
END = np.array([1.2, -0.4, 0.9, 1.0, -0.4, 0.8])


def printed_torques(duration: float = 2.0) -> PrintedTorques:
    arm = load_arm("stanford")
    time = np.linspace(0.0, duration, 81)
    states = Quintic(START, END, duration).at(time)
    right = torques_of(arm.model, angeles.torques, states)
    rules = {
        "7.4.1, prismatic branch": prismatic_branch,
        "(7.38d)": short_arm,
        "7.4.2, frames": frames,
    }
    wrong = {name: torques_of(arm.model, rule, states) for name, rule in rules.items()}
    kinds = tuple(not joint.is_revolute for joint in arm.model.joints)
    return PrintedTorques(arm.joint_names, kinds, time, right, wrong)


@dataclass(frozen=True)
class Swing:
    """The two-link arm falling from the horizontal: by (7.57) and by `simulate`."""

    time: Array
    q: Array
    energy: Array  # kinetic plus potential, change since the start [J]
    kinetic: float  # largest [J]
    reference: Simulation


def _rate(arm: Arm, x: Array) -> Array:
    """(7.45) by (7.57): I qdd = -T'(M Td + W M T) qd + T' w^G."""
    q, qd = x[: arm.n], x[arm.n :]
    free = np.zeros(arm.n)
    return np.concatenate([qd, arm.forward_dynamics(q, qd, free, formulation="natural-complement")])


def swing(duration: float = 2.0, step: float = 0.004) -> Swing:
    arm = load_arm("planar-2r")
    count = round(duration / step)
    states = np.zeros((count + 1, 2 * arm.n))
    for k in range(count):
        x = states[k]
        a = _rate(arm, x)
        b = _rate(arm, x + step / 2 * a)
        c = _rate(arm, x + step / 2 * b)
        d = _rate(arm, x + step * c)
        states[k + 1] = x + step / 6 * (a + 2 * b + 2 * c + d)
    q, qd = states[:, : arm.n], states[:, arm.n :]
    kinetic, potential = arm.energy(q, qd)
    total = kinetic + potential
    reference = simulate(arm, None, duration=duration, start=np.zeros(arm.n), step=step / 2)
    return Swing(np.linspace(0.0, duration, count + 1), q, total - total[0], kinetic.max(), reference)
