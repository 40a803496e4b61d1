"""One control sample as an expression: sensors, estimates, law and converters, with their memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.control.base import LawInputs
from linkwork.control.integral import unwound
from linkwork.interface.robot import Robot
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.linear import solve_orthogonal
from linkwork.mechanics.plant import Plant
from linkwork.simulation.digital_loop import DigitalLoop
from linkwork.simulation.instruments import Estimate, Instruments

TALLIES = ("worst", "squares", "peak")
MEASURED = "measured"  # the wrench at the wrist, where it does not follow from the state


@dataclass(frozen=True, eq=False)
class Sampling:
    """What shapes the kernel of a control sample: a plant, a digital loop and a kind of law."""

    robot: Robot
    plant: Plant
    loop: DigitalLoop
    period: float
    inputs: LawInputs

    @cached_property
    def tools(self) -> Instruments:
        return Instruments.of(self.loop, self.robot, self.period)

    @property
    def ingredients(self) -> tuple[object, ...]:
        """Frozen data that names it; when things happen is none of the kernel's business."""
        shaping = replace(self.loop, seed=0, delay=0.0, latency=0.0, jitter=0.0)
        return shaping, self.period, self.inputs, self.plant

    @cached_property
    def _touching(self) -> SX | None:
        return self.plant.contact_wrench(SX.sym("x", self.plant.state_size))

    @property
    def memory(self) -> dict[str, int]:
        """What is kept from sample to sample, by name, and its size."""
        n, found = self.plant.effort_size, {}
        if not self.loop.exact_sensors and not self.plant.actuated_coordinates:
            found["near"] = self.plant.position_size
        if self.loop.velocity != "exact":
            found |= {"seen_position": n, "seen_velocity": n}
        if self.inputs.integral:
            found["integrated"] = self.plant.velocity_size
        return found

    @property
    def given(self) -> dict[str, int]:
        """What a sample is told beside its state: standard normal numbers, the acceleration of the
        reference at the actuators, the gain of the integral, and the wrench at the wrist."""
        n, found = self.plant.effort_size, {}
        if self.tools.noise.any():
            found["normal"] = n
        if self.loop.velocity == "observer":
            found["acceleration"] = n
        if self.inputs.integral:
            found["ki"] = self.plant.velocity_size
        if self.inputs.tip_wrench and np.any(self.loop.wrist_noise):
            found["wrist_normal"] = 6
        if self.inputs.tip_wrench and self._touching is None:
            found[MEASURED] = 6
        return found

    def references(self, law: ca.Function) -> dict[str, SX]:
        """Symbols of the reference and of kp and kv."""
        return {law.name_in(k): SX.sym(law.name_in(k), law.size1_in(k)) for k in range(2, 7)}

    def effort(
        self, law: ca.Function, x: SX, references: dict[str, SX], symbols: dict[str, SX]
    ) -> tuple[SX, dict[str, SX]]:
        """The effort that a sample causes, and the memory after it."""
        position, velocity, after = self._seen(x, symbols)
        signals = [position, velocity, *references.values()]
        if self.inputs.integral:
            signals.append(symbols["ki"] * symbols["integrated"])
        if self.inputs.tip_wrench:
            touch = symbols.get(MEASURED)
            wrench = self.plant.contact_wrench(x) if touch is None else touch
            signals.append(self.tools.wrist(wrench, symbols.get("wrist_normal")))
        answer = law(*signals)
        wanted = answer[0] if self.inputs.integral else answer
        if self.inputs.integral:
            own = self.plant.actuated_coordinates
            step = unwound(answer[1], wanted, self.tools.effort_bound, own)
            after["integrated"] = symbols["integrated"] + self.period * step
        return self.tools.given_out(wanted), after

    def _seen(self, x: SX, symbols: dict[str, SX]) -> tuple[SX, SX, dict[str, SX]]:
        """Position and velocity as the computer knows them, and its memory."""
        p, plant = self.plant.position_size, self.plant
        if self.loop.exact_sensors:
            return x[0:p], x[p:], {}
        J = plant.actuator_jacobian(x)
        reading = self.tools.reading(plant.actuator_position(x), symbols.get("normal"))
        before, after = None, {}
        if self.loop.velocity != "exact":
            before = Estimate(symbols["seen_position"], symbols["seen_velocity"])
        acceleration = symbols.get("acceleration", SX(0))
        now = self.tools.estimate(reading, ca.mtimes(J, x[p:]), acceleration, before)
        if before is not None:
            after = {"seen_position": now.position, "seen_velocity": now.velocity}
        if plant.actuated_coordinates:
            return now.position, now.velocity, after
        position = plant.position_of_actuators(now.position, symbols["near"])
        there = plant.actuator_jacobian(ca.vertcat(position, x[p:]))
        columns = [there[:, k] for k in range(plant.velocity_size)]
        velocity = solve_orthogonal(columns, now.velocity)
        return position, velocity, {"near": position, **after}
