"""Robots as linear systems: the equations of motion about one state, with springs in their drives.

The state is a small motion from the operating point in the axes of the velocity, in which turns are
rotation vectors, and its rate. With flexible drives the motors are masses of their own: each turns its
joint (or pushes its leg) through a spring k and a damper d,

    M_l cdd + D_l cd + K_g c = G' (k (m - G c) + d (md - G cd)),   J mdd + v md = tau - k (m - G c) - d (md - G cd)

with G = d(actuators)/dc, J and v what rotor and motor feel, M_l and D_l the mechanism without them, and K_g the
stiffness of gravity, springs and loads at the efforts that hold it.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.core.arguments import flag, not_negative, numbers, positive, texts
from linkwork.core.checked import checked
from linkwork.core.errors import InputError
from linkwork.model.mechanism import elements
from linkwork.robot.compiled import Array
from linkwork.robot.results import needs_stiffness

if TYPE_CHECKING:
    from linkwork.robot.robot import Robot

INPUTS = ("efforts", "wrench")
OUTPUTS = ("coordinates", "velocities", "actuators", "tool")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
TOOL = ("tool.x", "tool.y", "tool.z", "tool.rx", "tool.ry", "tool.rz")
RATE = "d({})/dt"


@dataclass(frozen=True, eq=False)
class StateSpace:
    """xd = A x + B u, y = C x + D u for small changes about an operating point.

    Arrays are (..., rows, columns); `states`, `inputs` and `outputs` name them, in SI units and radians.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A [1/s], (..., n)."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)

    @checked
    def response(self, frequencies: ArrayLike) -> NDArray[np.complex128]:
        """C (j w - A)^-1 B + D at frequencies [Hz] (F,): (..., F, outputs, inputs)."""
        return at_points(self.A, self.B, self.C, self.D, 2j * np.pi * hertz(frequencies))

    @checked
    def discrete(self, period: float, delay: float = 0.0) -> StateSpace:
        """Of samples: x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k], the inputs held for a period.

        By the matrix exponential, exact between samples. Inputs act `delay` seconds later: those still
        on their way are further states, named `input(t - i T)`.
        """
        T, late = positive(period, "period", "s"), not_negative(delay, "delay", "s")
        whole = int(np.ceil(late / T - 1e-12))
        A, B = held(self.A, self.B, T)
        if not whole:
            return StateSpace(A, B, self.C, self.D, self.states, self.inputs, self.outputs)
        # Within a period an input of before is felt first, for `early` seconds, then the next one.
        early = late - (whole - 1) * T
        rest, new = held(self.A, self.B, T - early)
        old = rest @ held(self.A, self.B, early)[1]
        n, m = self.B.shape[-2:]
        waiting, batch = whole * m, A.shape[:-2]
        big = np.zeros((*batch, n + waiting, n + waiting))
        inlet = np.zeros((*batch, n + waiting, m))
        outlet = np.zeros((*batch, self.C.shape[-2], n + waiting))
        big[..., :n, :n], outlet[..., :n] = A, self.C
        # x takes what has waited longest, then the one behind it; the newest enters at the end.
        big[..., :n, n : n + m] = old
        if whole == 1:
            inlet[..., :n, :] = new
        else:
            big[..., :n, n + m : n + 2 * m] = new
        big[..., n : n + waiting - m, n + m :] = np.eye(waiting - m)
        inlet[..., n + waiting - m :, :] = np.eye(m)
        outlet[..., n : n + m] = self.D
        names = [f"{name}(t - {k} T)" for k in range(whole, 0, -1) for name in self.inputs]
        through = np.zeros_like(self.D)
        return StateSpace(big, inlet, outlet, through, (*self.states, *names), self.inputs, self.outputs)


def hertz(frequencies: ArrayLike) -> Array:
    """Frequencies [Hz] (F,), none below zero."""
    found = np.atleast_1d(numbers(frequencies, "frequencies"))
    if found.ndim != 1 or not found.size or (found < 0).any():
        raise InputError(f"frequencies = {frequencies!r}: expected one or several, >= 0 [Hz].")
    return found


def at_points(
    A: Array, B: Array, C: Array, D: Array, s: NDArray[np.complexfloating]
) -> NDArray[np.complex128]:
    """C (s - A)^-1 B + D at complex numbers (F,): (..., F, p, m)."""
    shifted = s[:, None, None] * np.eye(A.shape[-1]) - A[..., None, :, :]
    try:
        inner = np.linalg.solve(shifted, B[..., None, :, :].astype(np.complex128))
    except np.linalg.LinAlgError:
        raise InputError(
            "a frequency is that of an undamped pole, where the response is infinite."
        ) from None
    return np.asarray(C[..., None, :, :] @ inner + D[..., None, :, :])


def held(A: Array, B: Array, time: float) -> tuple[Array, Array]:
    """exp(A t), and what an input that is held for that time does."""
    from scipy.linalg import expm

    n, m = B.shape[-2:]
    both = np.zeros((*A.shape[:-2], n + m, n + m))
    both[..., :n, :n], both[..., :n, n:] = A, B
    found = np.asarray(expm(time * both))
    return found[..., :n, :n], found[..., :n, n:]


class Drives(NamedTuple):
    """Of the motors, (n,): springs, dampers, inertia and viscous friction at the motor."""

    stiffness: Array
    damping: Array
    rotor: Array
    viscous: Array


def linearized(
    robot: Robot,
    c: ArrayLike | None,
    cd: ArrayLike | None,
    tau: ArrayLike | None,
    *,
    inputs: str | Sequence[str],
    outputs: str | Sequence[str],
    flexible: bool,
    stiffness: ArrayLike | None,
    damping_ratio: float,
    friction: bool,
) -> StateSpace:
    """What `Robot.linearize` says."""
    given, asked = _named(inputs, INPUTS, "inputs"), _named(outputs, OUTPUTS, "outputs")
    ratio = not_negative(damping_ratio, "damping_ratio", "")
    loose = flag(flexible, "flexible") or stiffness is not None
    position = robot.home if c is None else robot._as_home(c)
    still = np.zeros((*position.shape[:-1], robot.dof))
    velocity = still if cd is None else _fitted(cd, "cd", still.shape)
    if loose and velocity.any():
        raise InputError("linearize: flexible drives are linearized at rest; leave cd out.")
    if tau is None:
        effort = robot.inverse_dynamics(position, velocity, still, friction=friction)
    else:
        effort = _fitted(tau, "tau", (*position.shape[:-1], robot.n))
    dc, dcd, dtau = robot.forward_dynamics_derivatives(position, velocity, effort, friction=friction)
    if not np.isfinite(dcd).all():
        raise InputError(
            f"linearize: friction of {robot.name} has no slope here (viscous_power below 1 at rest); "
            "take friction=False."
        )
    M = robot.mass_matrix(position)
    G = _actuation(robot, position)
    pushes = [dtau] if "efforts" in given else []
    if "wrench" in given:
        pushes.append(_of_wrench(robot, position, velocity, effort))
    d, n = robot.dof, robot.n
    push = np.concatenate(pushes, axis=-1)
    turning = _turning(robot, velocity)
    differences = robot.coordinates.differences
    names = (*differences, *map(RATE.format, differences))
    if not loose:
        A = np.block([[turning, np.broadcast_to(np.eye(d), dc.shape)], [dc, dcd]])
        B = np.concatenate([np.zeros_like(push), push], axis=-2)
        motors = np.concatenate([G, np.zeros_like(G)], axis=-1)
    else:
        drives = _drives(robot, M, dc, G, stiffness, ratio, friction)
        k, damp, J, v = drives
        Gt = np.swapaxes(G, -1, -2)
        inverse = np.linalg.inv(M - Gt * J @ G)
        eye, zero = np.eye(d), np.zeros((d, d))
        # M dc and M dcd are minus stiffness and damping of the mechanism with its motors let go.
        of_c = inverse @ (M @ dc - Gt * k @ G), inverse @ (M @ dcd + Gt * v @ G - Gt * damp @ G)
        of_m = inverse @ (Gt * k), inverse @ (Gt * damp)
        batch = dc.shape[:-2]

        def full(block: Array) -> Array:
            return np.broadcast_to(block, (*batch, *block.shape[-2:]))

        rows = [
            [full(zero), full(np.zeros((d, n))), full(eye), full(np.zeros((d, n)))],
            [full(np.zeros((n, d))), full(np.zeros((n, n))), full(np.zeros((n, d))), full(np.eye(n))],
            [of_c[0], of_m[0], of_c[1], of_m[1]],
            [(k / J)[:, None] * G, full(-np.diag(k / J)), (damp / J)[:, None] * G,
             full(-np.diag((damp + v) / J))],
        ]  # fmt: skip
        A = np.block(rows)
        columns = []
        if "efforts" in given:
            columns.append(full(np.concatenate([np.zeros((n + 2 * d, n)), np.diag(1 / J)])))
        if "wrench" in given:
            felt = inverse @ (M @ pushes[-1])
            none = np.zeros((*batch, d + n, 6)), np.zeros((*batch, n, 6))
            columns.append(np.concatenate([none[0], felt, none[1]], axis=-2))
        B = np.concatenate(columns, axis=-1)
        motor_names = tuple(f"motor.{name}" for name in robot.efforts.names)
        names = (*differences, *motor_names, *map(RATE.format, (*differences, *motor_names)))
        motors = full(np.concatenate([np.zeros((n, d)), np.eye(n), np.zeros((n, d + n))], axis=-1))
    size = A.shape[-1]
    first_rate = size // 2
    C: list[Array] = []
    told: list[str] = []
    for what in asked:
        part = np.zeros((*A.shape[:-2], d, size))
        if what == "coordinates":
            part[..., :d], own = np.eye(d), differences
        elif what == "velocities":
            part[..., first_rate : first_rate + d], own = np.eye(d), tuple(robot.velocities.names)
        elif what == "actuators":
            part, own = np.asarray(motors), tuple(robot.efforts.names)
        else:
            J_tool = robot.jacobian(position)
            part, own = np.zeros((*A.shape[:-2], 6, size)), TOOL
            part[..., :d] = J_tool
        C.append(part)
        told += own
    out = np.concatenate(C, axis=-2)
    acting = [name for what in given for name in (robot.efforts.names if what == "efforts" else WRENCH)]
    D = np.zeros((*A.shape[:-2], out.shape[-2], B.shape[-1]))
    return StateSpace(A, B, out, D, tuple(names), tuple(acting), tuple(told))


def _named(given: str | Sequence[str], allowed: Sequence[str], what: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else texts(given, what, f"names of {', '.join(allowed)}")
    wrong = [name for name in names if name not in allowed]
    if wrong or not names or len({*names}) < len(names):
        raise InputError(
            f"linearize: {what} = {given!r}: expected one or several of {', '.join(allowed)}."
        )
    return names


def _fitted(value: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    array = numbers(value, name)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise InputError(f"linearize: {name} has shape {array.shape}; expected {shape}.") from None


def _actuation(robot: Robot, position: Array) -> Array:
    """Velocities of the motors per velocity of the coordinates, (..., n, d)."""
    d = robot.dof
    rows = np.broadcast_to(position[..., None, :], (*position.shape[:-1], d, position.shape[-1]))
    found = robot.actuator_motion(rows, np.broadcast_to(np.eye(d), (*position.shape[:-1], d, d)))
    assert found.velocity is not None
    return np.swapaxes(found.velocity, -1, -2)


def _of_wrench(robot: Robot, c: Array, cd: Array, tau: Array) -> Array:
    """cdd per unit force and moment on the tool, (..., d, 6): it enters linearly."""
    one = robot.forward_dynamics(c, cd, tau)
    units = [robot.on_tool(row) for row in np.eye(6)]
    found = [robot.forward_dynamics(c, cd, tau, **{robot.wrench_option: unit}) - one for unit in units]  # type: ignore[arg-type]
    return np.stack(found, axis=-1)


def _turning(robot: Robot, velocity: Array) -> Array:
    """Of rotation vectors in the axes of the base: they turn with the body, w x r."""
    found = np.zeros((*velocity.shape, velocity.shape[-1]))
    for three in robot.coordinates.turned:
        wx, wy, wz = np.moveaxis(velocity[..., three], -1, 0)
        zero = np.zeros_like(wx)
        cross = np.stack([zero, -wz, wy, wz, zero, -wx, -wy, wx, zero], axis=-1)
        found[..., three, three] = cross.reshape(*velocity.shape[:-1], 3, 3)
    return found


def _drives(
    robot: Robot,
    M: Array,
    dc: Array,
    G: Array,
    stiffness: ArrayLike | None,
    ratio: float,
    friction: bool,
) -> Drives:
    """Springs, dampers and rotors of the motors. Dampers are in proportion to the springs: the lowest
    natural frequency at home of these positions, motors held, has the damping ratio."""
    known = {each.name: each for each in (*elements(robot.mechanism), *robot.mechanism.motors)}
    motors = [known[name] for name in robot.efforts.names]
    if stiffness is None:
        field = robot.stiffness_field or "stiffness"
        own = [getattr(each, "stiffness", None) for each in motors]
        needs_stiffness(robot.name, robot.efforts.names, own, field)
        k = np.array(own, dtype=np.float64)
    else:
        k = _fitted(stiffness, "stiffness", (robot.n,))
    if not (k > 0).all():
        raise InputError(
            f"linearize: stiffness = {stiffness!r}: expected numbers above 0 [N/m or N m/rad]."
        )
    J = np.array([each.rotor for each in motors])
    if missing := [
        name for name, inertia in zip(robot.efforts.names, J, strict=True) if not inertia > 0
    ]:
        raise InputError(
            f"linearize: the motors of {', '.join(missing)} of {robot.name} have no inertia, which a "
            "spring between motor and load needs; give rotor: or drive: in the robot file."
        )
    v = np.zeros(robot.n)
    if friction:
        v = np.array([each.friction.viscous if hasattr(each, "friction") else 0.0 for each in motors])
    Gt = np.swapaxes(G, -1, -2)
    loaded = np.linalg.solve(M - Gt * J @ G, Gt * k @ G - M @ dc)
    lowest = np.sqrt(np.linalg.eigvals(loaded).real.min(axis=-1).clip(0.0)).min()
    damping = np.zeros(robot.n) if not ratio else 2 * ratio / lowest * k
    return Drives(k, damping, J, v)
