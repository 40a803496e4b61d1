"""Many drives in one actuator through one cycle, a motion and the pause after it: demands and margins.

A margin is (limit - demand) / limit; infinite where a part has no such limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.drive_loads import ActuatorLoads, Duty
from linkwork.analysis.drive_train import DriveTable, Flow
from linkwork.analysis.winding import resistance_factor, steady_cycle
from linkwork.model.drive import REFERENCE
from linkwork.robot.limits import envelope_share
from linkwork.robot.robot import Array


@dataclass(frozen=True, eq=False)
class Cycle:
    """Demands of the motors by name (B,), margins by limit (B,); NaN is not known, see `QUANTITIES`.

    `samples` are those of the motion, and of the pause if there is one.
    """

    demands: dict[str, Array]
    margins: dict[str, Array]
    samples: Samples

    @property
    def margin(self) -> Array:
        """The least (B,)."""
        return np.asarray(np.min([*self.margins.values()], axis=0))


@dataclass(frozen=True, eq=False)
class Samples:
    """(B, N) of a cycle, at the motor; the last is the pause if there is one. `weights` [s], (N,)."""

    time: Array
    weights: Array
    torque: Array
    speed: Array
    current: Array
    voltage: Array
    electrical: Array  # power [W]
    copper: Array
    lost: Array  # in shafts and meshes [W]
    effort: Array  # at the joint, of the load alone
    joint_speed: Array


def cycle(table: DriveTable, loads: ActuatorLoads, k: int, duty: Duty, *, warm: bool = True) -> Cycle:
    """Of drives (B,) in actuator k; unless `warm`, with cold windings and no temperatures."""
    pause = duty.pause_after(loads.duration)
    effort, speed, acceleration = loads.effort[:, k], loads.speed[:, k], loads.acceleration[:, k]
    time, weights = loads.time, loads.weights
    if pause > 0:
        held = 0.0 if duty.braked else loads.holding[-1, k]
        effort, speed, acceleration = (
            np.append(effort, held),
            np.append(speed, 0),
            np.append(acceleration, 0),
        )
        time, weights = np.append(time, time[-1] + pause), np.append(weights, pause)
    flow = table.train.carries(effort, speed, acceleration)
    if pause > 0 and duty.braked:
        unbraked = np.isnan(table.number("motor", "brake_torque"))
        flow.torque[unbraked, -1] = loads.holding[-1, k] / table.train.ratio[unbraked, 0]
    current = flow.torque / table.number("motor", "torque_constant")[:, None]
    joule = table.number("motor", "resistance")[:, None] * current**2
    hot, demands = np.full(len(table), min(1.0, resistance_factor(duty.ambient))), {}
    if warm:
        demands = _temperatures(table, joule, flow, loads, pause, duty.ambient)
        mean = demands.pop("mean")
        hot = resistance_factor(np.where(np.isfinite(mean), mean, REFERENCE))
    copper = joule * hot[:, None]
    electrical = copper + flow.power()
    emf = table.number("motor", "torque_constant")[:, None] * flow.speed
    voltage = (table.number("motor", "resistance") * hot)[:, None] * current + emf
    samples = Samples(
        time, weights, flow.torque, flow.speed, current, voltage, electrical, copper,
        flow.lost, effort, speed,
    )  # fmt: skip
    demands |= _demands(samples)
    demands["holding_torque"] = np.abs(loads.holding[:, k]).max() / np.abs(table.train.ratio[:, 0])
    inertia = loads.inertia[:, k]
    felt = np.nanmax(inertia) if np.isfinite(inertia).any() else np.nan
    own = table.train.motor.inertia[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        at_motor = felt / table.train.ratio**2 + table.train.inertia
        demands["inertia_ratio"] = at_motor[:, 0] / own
    return Cycle(demands, _margins(table, samples, demands, flow, duty.ambient), samples)


def _demands(s: Samples) -> dict[str, Array]:
    span = s.weights.sum()

    def mean(values: Array) -> Array:
        return np.asarray(values @ s.weights / span)

    power = s.torque * s.speed
    return {
        "peak_torque": np.abs(s.torque).max(axis=1),
        "rms_torque": np.sqrt(mean(s.torque**2)),
        "peak_speed": np.abs(s.speed).max(axis=1),
        "mean_speed": mean(np.abs(s.speed)),
        "peak_power": np.abs(power).max(axis=1),
        "peak_current": np.abs(s.current).max(axis=1),
        "rms_current": np.sqrt(mean(s.current**2)),
        "voltage": np.abs(s.voltage).max(axis=1),
        "copper_power": mean(s.copper),
        "friction_power": mean(s.lost),
        "electrical_power": mean(s.electrical),
        "drawn_energy": np.maximum(s.electrical, 0.0) @ s.weights,
        "returned_energy": np.maximum(-s.electrical, 0.0) @ s.weights,
    }


def _temperatures(
    table: DriveTable, joule: Array, flow: Flow, loads: ActuatorLoads, pause: float, ambient: float
) -> dict[str, Array]:
    """Of windings and housings, NaN without the numbers for them."""
    found = {name: np.full(len(table), np.nan) for name in ("winding", "housing", "mean")}
    steps, n = np.diff(loads.time), len(loads.time)

    def between(values: Array) -> Array:
        """(B, K): means of the steps, and the pause."""
        return np.hstack([(values[:, : n - 1] + values[:, 1:n]) / 2, values[:, n:]])

    known = [(rows, bodies) for bodies, rows in table.each("motor", "thermal")]
    if not known:
        return found
    rows = np.concatenate([each for each, _ in known])
    bodies = [body for each, body in known for _ in each]
    usable = np.isfinite(joule[rows]).all(axis=1)
    rows, bodies = rows[usable], [body for body, good in zip(bodies, usable, strict=True) if good]
    if len(rows):
        durations = np.append(steps, pause) if pause > 0 else steps
        heat = between(joule[rows]), between(flow.motor_drag[rows])
        temperatures = steady_cycle(bodies, *heat, durations, ambient)
        for name in found:
            found[name][rows] = getattr(temperatures, name)
    return found


def _margins(
    table: DriveTable, s: Samples, demands: dict[str, Array], flow: Flow, ambient: float
) -> dict[str, Array]:
    found: dict[str, Array] = {}

    def judge(limit: str, place: str, name: str, demand: Array, offset: float = 0.0) -> None:
        allowed = table.number(place, name)
        with np.errstate(divide="ignore", invalid="ignore"):
            margin = 1 - (demand - offset) / (allowed - offset)
        known = np.isfinite(allowed) & ~np.isnan(demand)
        if known.any():
            found[limit] = np.where(known, margin, np.inf)

    judge("rated torque", "motor", "rated_torque", demands["rms_torque"])
    judge("peak torque", "motor", "peak_torque", demands["peak_torque"])
    judge("rated speed", "motor", "rated_speed", demands["mean_speed"])
    judge("greatest speed", "motor", "max_speed", demands["peak_speed"])
    for envelope, rows in table.each("motor", "torque_speed"):
        share = envelope_share(envelope, s.speed[rows], s.torque[rows]).max(axis=1)
        found.setdefault("torque-speed curve", np.full(len(table), np.inf))[rows] = 1 - share
    judge("voltage", "amplifier", "voltage", demands["voltage"])
    judge("rated current", "amplifier", "rated_current", demands["rms_current"])
    judge("peak current", "amplifier", "peak_current", demands["peak_current"])
    if "winding" in demands:
        limits = [each.winding_limit for each, _ in table.each("motor", "thermal")]
        if any(limit is not None for limit in limits):
            found["winding temperature"] = _of_winding(table, demands["winding"], ambient)
    span = s.weights.sum()
    for place, output in flow.outputs.items():
        rms = np.sqrt(output**2 @ s.weights / span)
        judge(f"rated load of the {place}", place, "rated_load", rms)
        judge(f"peak load of the {place}", place, "peak_load", np.abs(output).max(axis=1))
        judge(f"speed of the {place}", place, "max_speed", np.abs(flow.inputs[place]).max(axis=1))
    judge("brake", "motor", "brake_torque", demands["holding_torque"])
    return found


def _of_winding(table: DriveTable, winding: Array, ambient: float) -> Array:
    """By how far above the surroundings it may be."""
    margin = np.full(len(table), np.inf)
    for bodies, rows in table.each("motor", "thermal"):
        if bodies.winding_limit is not None:
            known: NDArray[np.bool_] = ~np.isnan(winding[rows])
            share = (winding[rows] - ambient) / (bodies.winding_limit - ambient)
            margin[rows] = np.where(known, 1 - share, np.inf)
    return margin
