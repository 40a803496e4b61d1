"""Does everything agree? The laws that any mechanism obeys, on random states around home."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analysis.differences import relative
from linkwork.interface.robot import Array, Mechanism
from linkwork.robots.mechanism import BASE, MechanismModel

TOLERANCE = 1e-10


@dataclass(frozen=True)
class MechanismAgreement:
    """The result of `check` for a mechanism. Differences are relative to the largest value.

    Laws of efforts are left out (None) where there are fewer motors than freedoms.
    """

    robot: str
    states: int
    forward_dynamics: float | None  # accelerations back from the efforts
    task_space: float | None  # actuation' tau against M cdd + h
    effort_parts: float | None  # their sum against the efforts
    jacobians: float  # Jx cd against Jq times actuator velocities
    forward_kinematics: float | None  # actuators back from the coordinates found [m, rad]
    balance: float | None  # reactions of the base against the weight of everything at rest
    symmetry: float  # of M
    smallest_eigenvalue: float  # of M
    largest_condition: float  # of Jx
    tolerance: float = TOLERANCE

    @property
    def _differences(self) -> dict[str, float]:
        found = {
            "forward after inverse dynamics": self.forward_dynamics,
            "actuation' tau against M cdd + h": self.task_space,
            "parts of the efforts": self.effort_parts,
            "Jx cd against Jq actuator velocities": self.jacobians,
            "actuators of the coordinates found": self.forward_kinematics,
            "reactions of the base against weight": self.balance,
            "symmetry of M": self.symmetry,
        }
        return {name: value for name, value in found.items() if value is not None}

    @property
    def ok(self) -> bool:
        """All differences within the tolerance and M positive definite."""
        return max(self._differences.values()) <= self.tolerance and self.smallest_eigenvalue > 0.0

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.states} random states about home, largest relative differences"]
        lines += [f"  {name:<40}{value:10.1e}" for name, value in self._differences.items()]
        lines.append(f"  {'smallest eigenvalue of M':<40}{self.smallest_eigenvalue:10.1e}")
        lines.append(f"  {'largest condition number of Jx':<40}{self.largest_condition:10.1f}")
        verdict = "agrees" if self.ok else "does NOT agree"
        lines.append(f"  {verdict} within {self.tolerance:.0e}")
        return "\n".join(lines)


def random_coordinates(robot: Any, states: int, rng: np.random.Generator) -> Array:
    """Positions about home at which all loops close."""
    c = robot.random_motion(4 * states, int(rng.integers(2**31)))[0]
    reached = np.isfinite(robot.inverse_kinematics(c, errors="nan")).all(axis=-1)
    return c[reached][:states]


def check_mechanism(robot: Any, states: int, seed: int) -> MechanismAgreement:
    """See `linkwork.analysis.agreement.check`."""
    rng = np.random.default_rng(seed)
    c = random_coordinates(robot, states, rng)
    cd, cdd = rng.normal(size=(2, len(c), robot.freedoms))
    M, h, actuation = robot.task_space(c, cd)
    Jx, Jq = robot.jacobians(c)
    of_efforts: dict[str, float | None] = dict.fromkeys(
        ("forward_dynamics", "task_space", "effort_parts", "forward_kinematics", "balance")
    )
    if robot.n >= robot.freedoms:
        tau = robot.inverse_dynamics(c, cd, cdd)
        back = robot.forward_dynamics(c, cd, tau, errors="nan")
        total, *parts = robot.effort_parts(c, cd, cdd)
        actuators = robot.inverse_kinematics(c)
        found = robot.forward_kinematics(actuators, errors="nan")  # from home
        again = robot.inverse_kinematics(found, errors="nan")
        need = np.einsum("nij,nj->ni", M, cdd) + h
        of_efforts = {
            "forward_dynamics": relative(back, cdd),
            "task_space": relative(np.einsum("nad,na->nd", actuation, tau), need),
            "effort_parts": max(relative(sum(parts), tau), relative(total, tau)),
            "forward_kinematics": float(np.abs(again - actuators).max()),
            "balance": _balance(robot, c),
        }
    return MechanismAgreement(
        robot=robot.name,
        states=len(c),
        jacobians=relative(np.einsum("nad,nd->na", Jx, cd), Jq * robot.actuator_motion(c, cd).velocity),
        symmetry=relative(M, np.swapaxes(M, -1, -2)),
        smallest_eigenvalue=float(np.linalg.eigvalsh(M).min()),
        largest_condition=float(robot.condition_number(c).max()),
        tolerance=TOLERANCE,
        **of_efforts,
    )


def _balance(robot: Mechanism, c: Array) -> float | None:
    """At rest the base carries the weight of everything, whatever the joints do to each other.

    None where statics does not tell all that the base carries, or a spring to it carries a part.
    """
    model, still = robot.mechanism, np.zeros((len(c), robot.freedoms))
    if any(BASE in spring.joins for spring in model.springs):
        return None
    found = robot.reactions(c, still, still)
    carried = np.zeros((len(c), 3))
    for name, joins in _ends(model):
        if BASE in joins:
            sign = 1.0 if joins[0] == BASE else -1.0
            carried += sign * found.force[:, found.names.index(name)]
    if not np.isfinite(carried).all():
        return None
    weight = np.broadcast_to(-model.mass * np.asarray(model.gravity), carried.shape)
    return relative(carried, weight)


def _ends(model: MechanismModel) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names of reactions, and the bodies between which they act; "" is a rod or a cylinder."""
    for joint in model.joints:
        yield joint.name, joint.joins
    for strut in model.struts:
        yield f"{strut.name} start", (strut.joins[0], "")
        yield f"{strut.name} end", ("", strut.joins[1])
