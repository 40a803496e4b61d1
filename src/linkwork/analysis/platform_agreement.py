"""Does everything agree for a Stewart platform? The laws that it obeys, on random states about home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.differences import rate_kernel, relative
from linkwork.interface.platform import Platform
from linkwork.interface.robot import Array
from linkwork.robots.platform import PlatformModel
from linkwork.rotations import from_vector, multiply, rotation_of

TOLERANCE = 1e-10
SPREAD, TURN = 0.05, 0.1  # of the poses: shares of the mean leg length, rad
NUDGE = 1e-3  # of the guess from which poses are found again, the same way


@dataclass(frozen=True)
class PlatformAgreement:
    """The result of `check` for a platform. Differences are relative to the largest value of a kind."""

    robot: str
    states: int
    forward_dynamics: float  # accelerations back from the forces
    task_space: float  # J' F against M a + h
    force_parts: float  # massless legs against the platform's own need, friction against its loss
    reactions: float  # actuator forces in the prismatic joints
    leg_rates: float  # J twist against leg kinematics
    forward_kinematics: float  # poses back from the lengths [m and quaternion]
    symmetry: float  # of M
    power_balance: float  # power of the forces against the rate of energy
    smallest_eigenvalue: float  # of M
    largest_condition: float  # of J, lengths in platform sizes
    published: dict[str, float]  # formulations of the papers; their deviations are no faults
    tolerance: float = TOLERANCE

    @property
    def _differences(self) -> dict[str, float]:
        return {
            "forward after inverse dynamics": self.forward_dynamics,
            "J' F against M a + h": self.task_space,
            "parts of the forces": self.force_parts,
            "forces from the joint reactions": self.reactions,
            "J twist against leg rates": self.leg_rates,
            "pose back from leg lengths": self.forward_kinematics,
            "symmetry of M": self.symmetry,
            "power balance": self.power_balance,
        }

    @property
    def ok(self) -> bool:
        """All differences within the tolerance and M positive definite."""
        return max(self._differences.values()) <= self.tolerance and self.smallest_eigenvalue > 0.0

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self.states} random states about home, largest relative differences"]
        lines += [f"  {name:<40}{value:10.1e}" for name, value in self._differences.items()]
        lines.append(f"  {'smallest eigenvalue of M':<40}{self.smallest_eigenvalue:10.1e}")
        lines.append(f"  {'largest condition number':<40}{self.largest_condition:10.1f}")
        for name, value in self.published.items():
            lines.append(f"  {name + ' as published (no fault)':<40}{value:10.1e}")
        verdict = "agrees" if self.ok else "does NOT agree"
        lines.append(f"  {verdict} within {self.tolerance:.0e}")
        return "\n".join(lines)


def check_platform(
    platform: Platform, states: int, seed: int, advance: Callable[[int], None]
) -> PlatformAgreement:
    """See `linkwork.analysis.agreement.check`."""
    rng = np.random.default_rng(seed)
    pose = random_poses(platform, states, rng)
    twist, acceleration = rng.normal(size=(2, states, 6))
    force = platform.inverse_dynamics(pose, twist, acceleration)
    back = platform.forward_dynamics(pose, twist, force, errors="nan")
    advance(2)
    J = platform.jacobian(pose)
    M, h = platform.task_space(pose, twist)
    legs = platform.leg_kinematics(pose, twist, acceleration)
    free = platform.inverse_dynamics(pose, twist, acceleration, friction=False)
    advance(2)
    reactions = platform.joint_reactions(pose, twist, acceleration)
    along = np.einsum("...i,...i->...", reactions.prismatic_force, legs.direction)
    guess = _moved(platform, pose, NUDGE * rng.uniform(-1, 1, (states, 6)))
    found = platform.forward_kinematics(legs.length, guess, errors="nan")
    advance(2)
    wanted = np.einsum("...ij,...j->...i", M, acceleration) + h
    power = (free * legs.rate).sum(axis=-1)
    return PlatformAgreement(
        robot=platform.name,
        states=states,
        forward_dynamics=relative(back, acceleration),
        task_space=relative(np.einsum("...ji,...j->...i", J, force), wanted),
        force_parts=_parts_difference(platform, (pose, twist, acceleration), force),
        reactions=relative(along, force),
        leg_rates=relative(np.einsum("...ij,...j->...i", J, twist), legs.rate),
        forward_kinematics=relative(_same_sign(found, pose), pose),
        symmetry=relative(np.swapaxes(M, -1, -2), M),
        power_balance=relative(_energy_rate(platform, pose, twist, acceleration), power),
        smallest_eigenvalue=float(np.linalg.eigvalsh(M).min()),
        largest_condition=float(platform.condition_number(pose, "platform").max()),
        published=_published(platform, (pose, twist, acceleration), force),
    )


def random_poses(platform: Platform, states: int, rng: np.random.Generator) -> Array:
    """Poses about home."""
    return _moved(platform, platform.home, rng.uniform(-1, 1, (states, 6)))


def _moved(platform: Platform, pose: Array, steps: Array) -> Array:
    """Poses shifted and turned by steps of -1 to 1 in every direction."""
    size = SPREAD * float(platform.leg_lengths(platform.home).mean())
    from_here = np.broadcast_to(pose, (len(steps), 7))
    turned = multiply(from_vector(TURN * steps[:, 3:]), from_here[:, 3:])
    return np.concatenate([from_here[:, :3] + size * steps[:, :3], turned], axis=1)


def _same_sign(found: Array, pose: Array) -> Array:
    """Quaternions of both signs are one orientation."""
    sign = np.where((found[:, 3:] * pose[:, 3:]).sum(axis=1) < 0, -1.0, 1.0)
    return np.concatenate([found[:, :3], sign[:, None] * found[:, 3:]], axis=1)


def _parts_difference(platform: Platform, state: tuple[Array, Array, Array], force: Array) -> float:
    """The parts by laws that do not use each other: their sum alone would agree whatever they are."""
    pose, twist, acceleration = state
    parts = platform.force_parts(pose, twist, acceleration)
    rate = platform.leg_kinematics(pose, twist, acceleration).rate
    pushed = np.einsum("...ji,...j->...i", platform.jacobian(pose), parts.massless)
    smooth = ((force - parts.friction) * rate).sum(axis=-1)
    power = (force * rate).sum(axis=-1)
    return max(
        relative(pushed, _platform_need(platform.model, *state)),
        relative(smooth + _friction_loss(platform, *state), power),
        relative(parts.massless + parts.leg_inertia + parts.friction, force),
    )


def _platform_need(model: PlatformModel, pose: Array, twist: Array, acceleration: Array) -> Array:
    """Force and moment at the reference point for the platform's own mass, by Newton and Euler."""
    body, R, w, al = model.platform, rotation_of(pose), twist[:, 3:], acceleration[:, 3:]
    arm = R @ body.center_of_mass
    inertia = R @ body.inertia @ np.swapaxes(R, -1, -2)
    force = acceleration[:, :3] + np.cross(al, arm) + np.cross(w, np.cross(w, arm)) - model.gravity
    force = body.mass * force
    spin = np.einsum("...ij,...j->...i", inertia, w)
    turning = np.einsum("...ij,...j->...i", inertia, al) + np.cross(w, spin)
    return np.concatenate([force, np.cross(arm, force) + turning], axis=1)


def _friction_loss(platform: Platform, pose: Array, twist: Array, acceleration: Array) -> Array:
    """Power [W] that the viscous friction of all joints takes from the motion."""
    legs = platform.leg_kinematics(pose, twist, acceleration)
    between = legs.angular_velocity - twist[:, None, 3:]
    loss = np.zeros(len(pose))
    for k, leg in enumerate(platform.model.legs):
        if leg.joints == "SPS":  # it spins along with the platform
            along = (between[:, k] * legs.direction[:, k]).sum(axis=-1, keepdims=True)
            between[:, k] -= along * legs.direction[:, k]
        loss += leg.friction.prismatic * legs.rate[:, k] ** 2
        loss += leg.friction.universal * (legs.angular_velocity[:, k] ** 2).sum(axis=-1)
        loss += leg.friction.spherical * (between[:, k] ** 2).sum(axis=-1)
    return loss


def _energy_rate(platform: Platform, pose: Array, twist: Array, acceleration: Array) -> Array:
    spin = np.concatenate([np.zeros((len(pose), 1)), twist[:, 3:]], axis=1)
    pose_rate = np.concatenate([twist[:, :3], multiply(spin, pose[:, 3:]) / 2], axis=1)
    state = np.concatenate([pose, twist], axis=1)
    rate = np.concatenate([pose_rate, acceleration], axis=1)
    kinetic, potential = (
        rate_kernel(platform.kernel("energy"), output).evaluate((state, rate))[0] for output in range(2)
    )
    return (kinetic + potential)[..., 0]


def _published(platform: Platform, state: tuple[Array, Array, Array], force: Array) -> dict[str, float]:
    free = any(leg.joints == "SPS" for leg in platform.model.legs)
    names = [name for name in platform.formulations if name != "exact"]
    if free:  # pedrammehr2012 needs universal joints
        names = [name for name in names if name == "dasgupta1998"]
    return {name: relative(platform.inverse_dynamics(*state, formulation=name), force) for name in names}
