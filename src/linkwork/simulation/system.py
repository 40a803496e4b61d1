"""A robot ready to be simulated: its plant as kernels, and how its state is read."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.control.base import State
from linkwork.core.arguments import flag, numbers
from linkwork.core.errors import InputError
from linkwork.kernels import Kernel
from linkwork.mechanics.plant import Plant
from linkwork.robot.limits import Quantity, first_outside
from linkwork.robot.robot import Array, Robot
from linkwork.simulation.loads import Payload, Wrench, external_of, touching
from linkwork.simulation.plant_functions import WRENCH, plant_kernel
from linkwork.simulation.stick_slip import CoulombBounds, Indices, Sliding, Step, advance

Start = ArrayLike | tuple[ArrayLike, ArrayLike] | None  # a position, or one and a velocity; or nothing


class System:
    """The plant of a simulation, with loads and wrenches that the robot's own model does not know."""

    def __init__(
        self,
        robot: Robot,
        payload: Payload = None,
        friction: bool = True,
        rotors: bool = True,
        wrench: Wrench = None,
        formulation: str | None = None,
    ) -> None:
        self.robot = Robot.expect(robot, "simulate")
        self.external = external_of(payload, wrench)
        parts = {"friction": flag(friction, "friction"), "rotors": flag(rotors, "rotors")}
        plant = self.robot.plant(**parts, formulation=formulation)
        self.plant: Plant = touching(plant, self.external.contact)
        self.load = None if self.external.loads is None else self.external.loads.at(0.0)
        loaded = () if self.load is None else ("payload",)
        pushed = (*loaded, WRENCH) if self.external.added else loaded
        self._names = {"step": pushed, "rate": pushed, "plant energy": loaded}
        self._kernels: dict[str, Kernel] = {}

    def _evaluate(self, name: str, arrays: tuple[Any, ...]) -> tuple[Any, bool]:
        """A function of the plant, and whether a number is not finite. Kernels are made when they are
        first needed: one that no integrator asks for would be traced for nothing."""
        if name not in self._kernels:
            self._kernels[name] = plant_kernel(name, self.plant, self._names.get(name, ()))
        return self._kernels[name].evaluate(arrays)

    @cached_property
    def friction(self) -> CoulombBounds | None:
        """Coulomb friction, if there is any."""
        return CoulombBounds.of(self.plant) if self.plant.coulomb else None

    @cached_property
    def sliding(self) -> Sliding:
        """What that friction opposes."""
        return Sliding(self.plant)

    @property
    def _loaded(self) -> tuple[Array, ...]:
        return () if self.load is None else (self.load,)

    def wrench_at(self, time: float, x: Array, before: bool = False) -> Array | None:
        """The external wrench, as the robot's dynamics methods take it; None if there is none. Where it
        jumps, the one after or the one `before`."""
        if self.external.table is not None:
            return self.external.table.at(time, before)
        if self.external.contact is not None:
            return np.asarray(self._evaluate("contact wrench", (x,))[0])
        if self.external.function is None:
            return None
        wrench = numbers(self.external.function(time, self.state(x)), "wrench")
        if wrench.shape != (6,):
            raise InputError(f"the function of the wrench gave shape {wrench.shape} instead of (6,).")
        return wrench

    def wrench_power(self, time: float, x: Array) -> float:
        """Power that an external wrench puts into the robot; that of contact is in the energy."""
        if not self.external.added:
            return 0.0
        return float(self._evaluate("wrench power", (x, self.wrench_at(time, x)))[0])

    def rate_at(
        self,
        time: float,
        x: Array,
        effort: Array,
        slip: Array | None = None,
        before: bool = False,
    ) -> tuple[Array, Array, bool]:
        """xd, the friction that holds what sticks (nothing without friction), and whether it is finite.

        Coordinates slip by the signs of their velocities unless `slip` tells otherwise. `before` takes a
        wrench that jumps as it was until then.
        """
        wrench = self.wrench_at(time, x, before) if self.external.added else None
        extra = self._loaded if wrench is None else (*self._loaded, wrench)
        if self.friction is None:
            xd, nonfinite = self._evaluate("rate", (x, effort, *extra))
            return xd, np.empty(0), nonfinite
        way = self.friction.slip(self.sliding.velocity(x)) if slip is None else slip
        (xd, hold), nonfinite = self._evaluate("rate", (x, effort, way, *extra))
        return xd, hold, nonfinite

    def after(self, time: float, x: Array, effort: Array, h: float) -> tuple[Array, bool]:
        """The state a Runge-Kutta step later, the effort held, and whether a number is not finite."""
        table = self.external.table

        def over(begin: Array, lengths: Array) -> tuple[Array, ...]:
            return self._loaded if table is None else (*self._loaded, table.over_steps(begin, lengths))

        if self.friction is None:
            whole = np.array([h])
            extra = over(np.float64(time), np.float64(h))  # type: ignore[arg-type]
            following, nonfinite = self._evaluate("step", (x, effort, whole, *extra))
            return following, nonfinite

        def step(
            index: Indices, states: Array, gone: Array, lengths: Array, slip: Array
        ) -> tuple[Array, Array]:
            arrays = (states, effort, lengths[:, None], slip, *over(time + gone, lengths))
            (reached, hold, _), _ = self._evaluate("step", arrays)
            return reached, hold

        return self.slipping(x, h, step)

    def slipping(self, x: Array, h: float, step: Step) -> tuple[Array, bool]:
        """One state after a step with all that sticks and slips on the way."""
        assert self.friction is not None
        state = x[None]
        slip = self.friction.slip(self.sliding.velocity(state))
        whole = np.array([h])
        reached, hold = step(np.zeros(1, dtype=np.intp), state, np.zeros(1), whole, slip)
        if not np.isfinite(reached).all():
            return reached[0], True
        reached = self.sliding.held(reached, slip == 0)
        turned = self.friction.crossed(slip, self.sliding.velocity(reached)).any()
        if turned or self.friction.released(slip, hold).any():
            reached = advance(step, self.friction, state, whole, self.sliding)
        return reached[0], not np.isfinite(reached).all()

    @property
    def position_size(self) -> int:
        return self.plant.position_size

    def split(self, x: Array) -> tuple[Array, Array]:
        """Position and velocity of states."""
        return x[..., : self.position_size], x[..., self.position_size :]

    def state(self, x: Array) -> State:
        return State(*self.split(x))

    def initial(self, start: Any) -> Array:
        """A state vector from what the user gives: a position, or (position, velocity), or nothing."""
        m = self.plant.velocity_size
        position, velocity = start_state(self.robot, self.robot.home if start is None else start)
        if position.shape != (self.position_size,) or velocity.shape != (m,):
            raise InputError(
                f"start has shapes {position.shape} and {velocity.shape}; it must be a position of "
                f"{self.position_size} numbers, or a pair of that and {m} velocities."
            )
        return np.concatenate([position, velocity])

    def projected(self, x: Array) -> Array:
        """A state on its manifold: quaternions of unit length."""
        return self.robot.coordinates.normalized(x)

    def energy(self, x: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy of states, with the load."""
        (kinetic, potential), _ = self._evaluate("plant energy", (x, *self._loaded))
        return kinetic, potential

    def actuator_jacobian(self, x: Array) -> Array | None:
        """Velocities of the actuators per velocity of the robot; None where they are the same."""
        if self.plant.actuated_coordinates:
            return None
        return np.asarray(self._evaluate("actuator jacobian", (x,))[0])

    def _bounded(self, x: Array) -> list[Quantity]:
        """Positions of joints or legs that the robot file bounds."""
        position, _ = self.split(self.projected(x))
        return [each for each in self.robot.quantities(position[None]) if each.bounded]

    def margin(self, x: Array) -> float:
        """Distance to the nearest limit; negative beyond it, large if there is none."""
        return float(min((each.distance.min() for each in self._bounded(x)), default=1e6))

    def outside(self, x: Array, slack: float = 0.0) -> str | None:
        """Which joint or leg stands beyond its limits (or within `slack` of them), as a sentence."""
        return first_outside(self._bounded(x), slack)


def start_state(robot: Robot, start: Any) -> tuple[Array, Array]:
    """Positions, or a pair with velocities, as numbers; roll, pitch and yaw become a quaternion where
    the robot has one."""
    pair = isinstance(start, tuple) and len(start) == 2
    position, velocity = start if pair else (start, np.zeros(len(robot.velocities)))
    array = numbers(position, "start")
    is_shorter = array.ndim and array.shape[-1] == len(robot.velocities)
    return robot.coordinates.from_angles(array) if is_shorter else array, numbers(velocity, "start")
