"""Does everything agree? The laws that any parallel robot obeys, on random states around home."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analysis.differences import relative
from linkwork.interface.parallel import ParallelRobot
from linkwork.rotations import from_vector, multiply

TOLERANCE = 1e-10
SPREAD = 0.03  # of the machine's size, or radians


@dataclass(frozen=True)
class ParallelAgreement:
    """The result of `check` for a parallel robot. Differences are relative to the largest value."""

    robot: str
    states: int
    forward_dynamics: float  # accelerations back from the efforts
    task_space: float  # actuation' tau against M cdd + h
    effort_parts: float  # their sum against the efforts
    jacobians: float  # Jx cd against Jq times actuator velocities
    forward_kinematics: float  # actuators back from the coordinates found [m, rad]
    balance: float  # platform and legs against their weight at rest
    symmetry: float  # of M
    smallest_eigenvalue: float  # of M
    largest_condition: float  # of Jx
    tolerance: float = TOLERANCE

    @property
    def _differences(self) -> dict[str, float]:
        return {
            "forward after inverse dynamics": self.forward_dynamics,
            "actuation' tau against M cdd + h": self.task_space,
            "parts of the efforts": self.effort_parts,
            "Jx cd against Jq actuator velocities": self.jacobians,
            "actuators of the coordinates found": self.forward_kinematics,
            "reactions of the base against weight": self.balance,
            "symmetry of M": self.symmetry,
        }

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


def random_coordinates(robot: ParallelRobot, states: int, rng: np.random.Generator) -> np.ndarray:
    """Coordinates about home that all legs reach."""
    model, d = robot.model, robot.freedoms
    units = np.where(np.array(model.independent) < 3, model.size(), 1.0)
    steps = SPREAD * rng.uniform(-1, 1, (4 * states, d)) * units
    if d == 6:
        turned = multiply(from_vector(steps[:, 3:]), robot.home[3:])
        c = np.concatenate([robot.home[:3] + steps[:, :3], turned], axis=1)
    else:
        c = robot.home + steps
    reached = np.isfinite(robot.inverse_kinematics(c, errors="nan")).all(axis=-1)
    return c[reached][:states]


def check_parallel(robot: ParallelRobot, states: int, seed: int) -> ParallelAgreement:
    """See `linkwork.analysis.agreement.check`."""
    rng = np.random.default_rng(seed)
    c = random_coordinates(robot, states, rng)
    cd, cdd = rng.normal(size=(2, len(c), robot.freedoms))
    tau = robot.inverse_dynamics(c, cd, cdd)
    back = robot.forward_dynamics(c, cd, tau, errors="nan")
    M, h, actuation = robot.task_space(c, cd)
    parts = robot.effort_parts(c, cd, cdd)
    together = parts.platform + parts.legs + parts.rotors + parts.friction
    Jx, Jq = robot.jacobians(c)
    velocity = robot.actuator_motion(c, cd).velocity
    assert velocity is not None
    actuators = robot.inverse_kinematics(c)
    again = robot.inverse_kinematics(robot.forward_kinematics(actuators, c, errors="nan"), errors="nan")
    return ParallelAgreement(
        robot=robot.name,
        states=len(c),
        forward_dynamics=relative(back, cdd),
        task_space=relative(
            np.einsum("nad,na->nd", actuation, tau), np.einsum("nij,nj->ni", M, cdd) + h
        ),
        effort_parts=relative(together, tau),
        jacobians=relative(np.einsum("nad,nd->na", Jx, cd), Jq * velocity),
        forward_kinematics=float(np.abs(again - actuators).max()),
        balance=_balance(robot, c),
        symmetry=relative(M, np.swapaxes(M, -1, -2)),
        smallest_eigenvalue=float(np.linalg.eigvalsh(M).min()),
        largest_condition=float(robot.condition_number(c).max()),
    )


def _balance(robot: ParallelRobot, c: np.ndarray) -> float:
    """At rest the base carries the weight of everything, whatever the legs do to each other."""
    model = robot.model
    still = np.zeros((len(c), robot.freedoms))
    force = robot.joint_reactions(c, still, still).joint_force
    first, k = [], 0
    for leg in model.legs:
        first.append(k)
        k += len(leg.joints)
    carried = force[:, first].sum(axis=1)
    mass = model.platform.mass + sum(joint.body.mass for joint in model.joints)
    known = np.isfinite(carried)
    weight = np.broadcast_to(-mass * np.asarray(model.gravity), carried.shape)
    return float(np.abs(carried - weight)[known].max(initial=0.0) / np.abs(weight).max())
