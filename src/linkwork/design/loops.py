"""Metrics of closed loops: variants are loads, friction and gains, run as one batch of rollouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.control import ComputedTorque, TaskSpaceControl
from linkwork.control.controllers import LawController
from linkwork.core.errors import InputError, LinkworkError
from linkwork.design.metrics import MotionSamples, sampled
from linkwork.motion.bundled import motion_for
from linkwork.robot.robot import Array, Robot
from linkwork.simulation import rollout

# What may vary from loop to loop: the name in a study, and that of the variation.
VARIATIONS = {
    "payload": "payload",
    "friction_scale": "friction_scale",
    "controller.kp": "kp",
    "controller.kv": "kv",
}
METRICS = ("tracking_error", "rms_error", "peak_effort")


@dataclass(frozen=True, eq=False)
class LoopEvaluator:
    """Metrics of a robot under control along motions; a loop that is lost fails."""

    robot: Robot
    fields: tuple[str, ...]
    sources: tuple[str, ...]
    motions: tuple[MotionSamples, ...]
    metrics: tuple[str, ...]
    controller: Mapping[str, float]
    loop: str | None = None

    @property
    def states(self) -> int:
        """Of the robot per variant."""
        return sum(len(motion.time) for motion in self.motions)

    def __call__(self, values: Array) -> tuple[dict[str, Array], list[str]]:
        """Metrics (V,) by name of loops with these values (V, k), and the reason where one fails."""
        found = {name: np.zeros(len(values)) for name in METRICS}
        reasons = [""] * len(values)
        given = {VARIATIONS[name]: values[:, [k]] for k, name in enumerate(self.fields)}
        for source, controller in zip(self.sources, self._controllers, strict=True):
            for gain in ("kp", "kv"):
                if gain in given:
                    size = len(np.atleast_1d(getattr(controller, gain)))
                    given[gain] = np.repeat(given[gain][:, :1], size, axis=1)
            run = rollout(
                self.robot,
                controller,
                batch=len(values),
                variations=given,
                loop=self.loop,
                progress=False,
            )
            parts = {
                "tracking_error": run.largest_error,
                "rms_error": run.rms_error,
                "peak_effort": run.largest_effort,
            }
            for name, numbers in parts.items():
                found[name] = np.maximum(found[name], np.abs(numbers).max(axis=1))
            for row in np.flatnonzero(run.diverged):
                reasons[row] = f"the loop along {source} is unstable."
        failed = np.array([bool(reason) for reason in reasons])
        return {name: np.where(failed, np.nan, found[name]) for name in self.metrics}, reasons

    @cached_property
    def _controllers(self) -> list[LawController]:
        return self.controllers()

    def controllers(self) -> list[LawController]:
        """One for each motion."""
        robot = self.robot
        law: Callable[..., LawController] = ComputedTorque if robot.moved_by_motors else TaskSpaceControl
        return [law(robot, motion_for(robot, source), **self.controller) for source in self.sources]


def loop_evaluator(
    robot: Robot,
    fields: Sequence[str],
    motions: Sequence[str],
    metrics: Sequence[str],
    controller: Mapping[str, float],
    loop: str | None,
) -> LoopEvaluator:
    """Closed loops with a controller's gains and period, and the preset of a digital loop."""
    if wrong := [name for name in fields if name not in VARIATIONS]:
        raise InputError(
            f"{wrong[0]} cannot vary under control; allowed: {', '.join(VARIATIONS)}. Fields of the "
            "robot vary in a study without controller."
        )
    if wrong := [name for name in metrics if name not in METRICS]:
        raise InputError(f"{wrong[0]} is not a metric of loops; allowed: {', '.join(METRICS)}.")
    samples = tuple(sampled(robot, source, controller.get("period", 0.01)) for source in motions)
    names = tuple(fields), tuple(motions), samples, tuple(metrics)
    found = LoopEvaluator(robot, *names, controller, loop)
    try:
        found.controllers()
    except LinkworkError as error:
        raise InputError(f"controller: {error}") from error
    return found
