"""The loop as it really is: what lies between a robot and the law that controls it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import flag, not_negative, numbers, one_of, positive, whole
from linkwork.core.errors import InputError

VELOCITIES = ("exact", "differenced", "filtered", "observer")
WITH_BANDWIDTH = ("filtered", "observer")
LONGEST_WORD = 48  # bits: beyond, a converter is finer than double precision

Each = float | tuple[float, ...]  # one number for all actuators, or one each


@dataclass(frozen=True)
class DigitalLoop:
    """Sensors, computer and converters between a robot and its controller. The default is ideal.

    Positions are read at the actuators: the joints of an arm, the legs of a platform, whose pose is then
    found by forward kinematics. A number may be one for all actuators, or one each. Times are in
    seconds, positions in rad or m, efforts in N m or N.

    Args:
        resolution: step to which positions are rounded.
        noise: standard deviation of normal noise on every reading.
        bias: constant offset of the readings.
        latency: age of the readings when the computer gets them.
        position_bits: word length of the converter that reads positions; its step is
            `position_range` / 2**bits, and readings end at the range.
        position_range: lowest and highest position of that converter; the limits of the robot file if
            None.
        velocity: where velocities come from: "exact"; "differenced" positions; the same "filtered" by a
            low-pass of first order; or an "observer" of second order that is told the reference's
            acceleration.
        bandwidth: of filter or observer [Hz].
        delay: from a sample to the effort that it causes; a part of the period, or several.
        effort_limits: whether efforts saturate at the limits of the robot file.
        effort_bits: word length of the converter that gives efforts out, over plus and minus
            `effort_range`, where it saturates too.
        effort_range: greatest effort of that converter; the limits of the robot file if None.
        wrist_resolution, wrist_noise, wrist_bias: of the sensor at an arm's wrist (or under a platform's
            load) that measures the external wrench, one number or six [N, N m]. It does not feel the
            payload.
        jitter: samples come up to this late, evenly distributed; the computer does not know.
        seed: of noise and jitter.
    """

    resolution: Each = 0.0
    noise: Each = 0.0
    bias: Each = 0.0
    latency: float = 0.0
    position_bits: int | None = None
    position_range: tuple[float, float] | None = None
    velocity: str = "exact"
    bandwidth: float | None = None
    delay: float = 0.0
    effort_limits: bool = False
    effort_bits: int | None = None
    effort_range: Each | None = None
    wrist_resolution: Each = 0.0
    wrist_noise: Each = 0.0
    wrist_bias: Each = 0.0
    jitter: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "resolution": _each(self.resolution, "resolution"),
            "noise": _each(self.noise, "noise"),
            "bias": _each(self.bias, "bias", signed=True),
            "wrist_resolution": _of_wrist(self.wrist_resolution, "wrist_resolution"),
            "wrist_noise": _of_wrist(self.wrist_noise, "wrist_noise"),
            "wrist_bias": _of_wrist(self.wrist_bias, "wrist_bias", signed=True),
            "seed": whole(self.seed, "seed", 0),
            "effort_limits": flag(self.effort_limits, "effort_limits"),
        }
        for name in ("latency", "delay", "jitter"):
            checked[name] = not_negative(getattr(self, name), name, "s")
        for name in ("position_bits", "effort_bits"):
            checked[name] = _bits(getattr(self, name), name)
        one_of(self.velocity, VELOCITIES, "source of velocities")
        checked["bandwidth"] = self._checked_bandwidth()
        checked["position_range"] = self._checked_range()
        if self.effort_range is not None:
            _needs(self.effort_bits, "effort_range", "effort_bits")
            checked["effort_range"] = _each(self.effort_range, "effort_range", above_zero=True)
        if self.position_bits is not None and np.any(checked["resolution"]):
            raise InputError(
                "resolution and position_bits both tell the step of the readings; give one."
            )
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _checked_bandwidth(self) -> float | None:
        if self.velocity in WITH_BANDWIDTH:
            if self.bandwidth is None:
                raise InputError(f'velocity="{self.velocity}" needs its bandwidth [Hz].')
            return positive(self.bandwidth, "bandwidth", "Hz")
        if self.bandwidth is not None:
            raise InputError(
                f'bandwidth goes with velocity="filtered" or "observer", not with "{self.velocity}".'
            )
        return None

    def _checked_range(self) -> tuple[float, float] | None:
        if self.position_range is None:
            return None
        _needs(self.position_bits, "position_range", "position_bits")
        ends = numbers(self.position_range, "position_range")
        if ends.shape != (2,) or not ends[0] < ends[1]:
            raise InputError(
                f"position_range = {self.position_range!r}: expected a pair, lowest below highest."
            )
        return float(ends[0]), float(ends[1])

    @property
    def ideal(self) -> bool:
        """Whether it is no more than sampling: the controller knows all at once and acts at once."""
        return self == DigitalLoop(seed=self.seed)

    @property
    def lag(self) -> float:
        """From the state of a robot to the effort that answers it, beside the holding [s]."""
        return self.latency + self.delay

    @property
    def exact_sensors(self) -> bool:
        """Whether a controller is told the state as it is."""
        told = (self.resolution, self.noise, self.bias, self.latency, self.position_bits or 0)
        return not any(np.any(value) for value in told) and self.velocity == "exact"

    @property
    def needs_period(self) -> tuple[str, ...]:
        """What makes sense only for a controller that samples."""
        names = [name for name in ("noise", "latency", "delay", "jitter") if np.any(getattr(self, name))]
        return (*names, *(["velocity"] if self.velocity != "exact" else []))

    def assumptions(self) -> dict[str, str]:
        """What the loop has in place of perfect parts, and where it is ideal, in words."""
        steps = {
            True: f"converter of {self.position_bits} bits",
            False: f"rounded to {_listed(self.resolution)}" if np.any(self.resolution) else "exact",
        }[self.position_bits is not None]
        extra = _said(noise=self.noise, bias=self.bias)
        speed = "" if self.bandwidth is None else f", bandwidth {self.bandwidth:g} Hz"
        outputs = ["saturated at the limits of the robot file"] if self.effort_limits else []
        if self.effort_bits is not None:
            outputs.append(f"converter of {self.effort_bits} bits")
        wrist = _said(resolution=self.wrist_resolution, noise=self.wrist_noise, bias=self.wrist_bias)
        return {
            "positions": ", ".join([steps, *extra]),
            "velocities": self.velocity + speed,
            "age of readings": f"{self.latency:g} s" if self.latency else "none (ideal)",
            "computing delay": f"{self.delay:g} s" if self.delay else "none (ideal)",
            "force-torque sensor": ", ".join(wrist) or "exact (ideal)",
            "sampling": f"up to {self.jitter:g} s late" if self.jitter else "without jitter (ideal)",
            "efforts": ", ".join(outputs) or "exact and unlimited (ideal)",
        }

    @classmethod
    def preset(cls, name: str) -> DigitalLoop:
        """A loop by name: see `PRESETS`."""
        return PRESETS[one_of(name, PRESETS, "digital loop")]


def _needs(value: object, name: str, other: str) -> None:
    if value is None:
        raise InputError(f"{name} goes with {other}; give both.")


def _bits(value: int | None, name: str) -> int | None:
    if value is None:
        return None
    bits = whole(value, name, 1)
    if bits > LONGEST_WORD:
        raise InputError(f"{name} = {bits}: expected 1 to {LONGEST_WORD} bits.")
    return bits


def _each(value: ArrayLike, name: str, *, signed: bool = False, above_zero: bool = False) -> Each:
    array = numbers(value, name)
    wrong = array.ndim > 1 or (not signed and (array < 0).any()) or (above_zero and (array <= 0).any())
    if wrong:
        kind = "numbers" if signed else "numbers above 0" if above_zero else "numbers >= 0"
        raise InputError(f"{name} = {value!r}: expected {kind}, one for all actuators or one each.")
    return float(array) if array.ndim == 0 else tuple(float(each) for each in array)


def _of_wrist(value: ArrayLike, name: str, *, signed: bool = False) -> Each:
    """One number, or one for each of three forces and three moments."""
    checked = _each(value, name, signed=signed)
    if isinstance(checked, tuple) and len(checked) != 6:
        raise InputError(f"{name} has {len(checked)} numbers; expected one or six [N, N m].")
    return checked


def _listed(value: float | Sequence[float]) -> str:
    return ", ".join(f"{each:.4g}" for each in np.atleast_1d(value))


def _said(**values: Each) -> list[str]:
    """What is not zero, with its name."""
    return [f"{word} {_listed(value)}" for word, value in values.items() if np.any(value)]


# lee1982: one step of the paper's 12-bit converter and the 3 ms that it reckons for a set point. The
# paper is silent about velocities; with positions alone they are differenced. servo-drive: round numbers
# of our own for a drive with an encoder of 20 bits to the turn and a field bus.
PRESETS: dict[str, DigitalLoop] = {
    "ideal": DigitalLoop(),
    "lee1982": DigitalLoop(resolution=4.26e-4, velocity="differenced", delay=3e-3),
    "servo-drive": DigitalLoop(
        resolution=2 * np.pi / 2**20,
        latency=1e-4,
        velocity="filtered",
        bandwidth=200.0,
        delay=1e-3,
        effort_limits=True,
        effort_bits=16,
        jitter=2e-5,
    ),
}


def loop_of(given: DigitalLoop | str | None) -> DigitalLoop:
    """A loop as users name it: an object, the name of a preset, or nothing for the ideal one."""
    if given is None:
        return PRESETS["ideal"]
    if isinstance(given, str):
        return DigitalLoop.preset(given)
    if not isinstance(given, DigitalLoop):
        raise InputError(f"loop is {given!r}: expected a DigitalLoop or one of {', '.join(PRESETS)}.")
    return given


def option_names() -> tuple[str, ...]:
    """The fields of a loop, as command lines name them."""
    return tuple(field.name for field in fields(DigitalLoop))
