"""Does everything agree? All formulations on random states, and the laws that any arm obeys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.differences import rate_kernel, relative
from linkwork.analysis.mechanism_agreement import MechanismAgreement, check_mechanism
from linkwork.analysis.platform_agreement import PlatformAgreement, check_platform
from linkwork.errors import InputError
from linkwork.interface.arm import Arm
from linkwork.interface.robot import Array, Robot
from linkwork.progress import progress_bar
from linkwork.robots.arm import ArmModel

TOLERANCE = 1e-10
STEPS = 9  # of the bar, about as many as there are kernels to compile


@dataclass(frozen=True)
class Agreement:
    """The result of `check`. Differences are relative to the largest value of the same kind."""

    robot: str
    states: int
    formulations: dict[str, float]  # against newton-euler
    mass_matrices: dict[str, float]  # against composite bodies
    coriolis_matrices: float  # lagrange against strobing
    forward_dynamics: float  # accelerations back from the torques
    symmetry: float  # of M
    smallest_eigenvalue: float  # of M
    skew_symmetry: float  # of dM/dt - 2 C(q, qd)
    power_balance: float  # power of the torques against the rate of energy
    tolerance: float = TOLERANCE

    @property
    def ok(self) -> bool:
        """All differences within the tolerance and M positive definite."""
        differences = [*self.formulations.values(), *self.mass_matrices.values()]
        differences += [self.coriolis_matrices, self.forward_dynamics, self.symmetry]
        differences += [self.skew_symmetry, self.power_balance]
        return max(differences) <= self.tolerance and self.smallest_eigenvalue > 0.0

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.states} random states, largest relative differences"]
        lines += [f"  torque, {name:<24}{value:10.1e}" for name, value in self.formulations.items()]
        lines += [f"  M, {name:<29}{value:10.1e}" for name, value in self.mass_matrices.items()]
        rest = {
            "C, lagrange": self.coriolis_matrices,
            "forward after inverse dynamics": self.forward_dynamics,
            "symmetry of M": self.symmetry,
            "skew symmetry of dM/dt - 2C": self.skew_symmetry,
            "power balance": self.power_balance,
        }
        lines += [f"  {name:<32}{value:10.1e}" for name, value in rest.items()]
        lines.append(f"  {'smallest eigenvalue of M':<32}{self.smallest_eigenvalue:10.1e}")
        verdict = "agrees" if self.ok else "does NOT agree"
        lines.append(f"  {verdict} within {self.tolerance:.0e}")
        return "\n".join(lines)


def random_states(model: ArmModel, count: int, seed: int) -> tuple[Array, Array, Array]:
    """Positions within the limits (a full turn or +-1 m where there are none), rates, accelerations."""
    rng = np.random.default_rng(seed)
    low, high = [], []
    for joint in model.joints:
        reach = np.pi if joint.is_revolute else 1.0
        bounds = joint.limits.position or (-reach, reach)
        low.append(bounds[0])
        high.append(bounds[1])
    shape = (count, model.n)
    return rng.uniform(low, high, shape), rng.normal(size=shape), rng.normal(size=shape)


def _strobed_mass_matrix(robot: Arm, q: Array) -> Array:
    """M column by column from inverse dynamics, its symmetry not assumed."""
    rows = robot.inverse_dynamics(
        q[:, None, :], np.zeros(robot.n), np.eye(robot.n), gravity=np.zeros(3), friction=False
    )
    return np.swapaxes(rows, -1, -2)


def _energy_rate(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    state, rate = np.concatenate([q, qd], axis=-1), np.concatenate([qd, qdd], axis=-1)
    parts = [rate_kernel(arm.kernel("energy"), k).evaluate((state, rate))[0] for k in range(2)]
    return (parts[0] + parts[1])[..., 0]


def check(
    robot: Robot, states: int = 1000, seed: int = 0, *, progress: bool | None = False
) -> Agreement | PlatformAgreement | MechanismAgreement:
    """Compare all formulations of a robot's dynamics with each other and with the laws of mechanics.

    Args:
        robot: any robot from `lw.load`.
        states: how many random states.
        seed: of the random numbers; the same seed gives the same report.
        progress: show a bar if it takes long; None shows it on a terminal.
    """
    Robot.expect(robot, "check")
    if isinstance(states, bool) or not isinstance(states, int) or states < 1:
        raise InputError(f"states = {states!r}: allowed is a whole number from 1 up.")
    with progress_bar(STEPS, f"checking {robot.name}", progress) as advance:
        # Whoever has formulations to compare compares them; the others have laws alone.
        for name, checked in FORMULATED.items():
            if name in robot.formulations:
                return checked(robot, states, seed, advance)
        return check_mechanism(robot, states, seed)


def _check_arm(robot: Arm, states: int, seed: int, advance: Callable[[int], None]) -> Agreement:
    q, qd, qdd = random_states(robot.model, states, seed)
    reference = robot.inverse_dynamics(q, qd, qdd, friction=False, formulation="newton-euler")
    torques, masses = {}, {}
    for name in robot.formulations[1:]:
        tau = robot.inverse_dynamics(q, qd, qdd, friction=False, formulation=name)
        torques[name] = relative(tau, reference)
        advance(1)
    M = robot.mass_matrix(q)
    for name in ("strobing", "lagrange", "natural-complement"):
        masses[name] = relative(robot.mass_matrix(q, formulation=name), M)
        advance(1)
    strobed = _strobed_mass_matrix(robot, q)
    C = robot.coriolis_matrices(q)
    advance(1)
    M_rate = rate_kernel(robot.kernel("mass_matrix"), 0).evaluate((q, qd))[0].reshape(M.shape)
    # C(q, qd) with elements sum_k C[i, j, k] qd_k is the choice that makes dM/dt - 2C skew.
    skew = M_rate - 2 * np.einsum("...ijk,...k->...ij", C, qd)
    symmetric_part = skew + np.swapaxes(skew, -1, -2)
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False)
    back = robot.forward_dynamics(q, qd, tau, friction=False, errors="nan")
    power = np.einsum("...i,...i->...", tau, qd)
    return Agreement(
        robot=robot.name,
        states=states,
        formulations=torques,
        mass_matrices=masses,
        coriolis_matrices=relative(robot.coriolis_matrices(q, formulation="lagrange"), C),
        forward_dynamics=relative(back, qdd),
        symmetry=relative(np.swapaxes(strobed, -1, -2), strobed),
        smallest_eigenvalue=float(np.linalg.eigvalsh(M).min()),
        skew_symmetry=relative(symmetric_part + M, M),
        power_balance=relative(_energy_rate(robot, q, qd, qdd), power),
    )


Found = Agreement | PlatformAgreement | MechanismAgreement
FORMULATED: dict[str, Callable[..., Found]] = {
    "newton-euler": _check_arm,
    "dasgupta1998": check_platform,
}
