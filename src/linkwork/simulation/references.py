"""What the control samples of a batch are told: references, computed many at once, and noise."""

from __future__ import annotations

import numpy as np

from linkwork.control.base import CompiledController
from linkwork.interface.robot import Array
from linkwork.simulation.sampling import Sampling
from linkwork.simulation.schedule import Schedule

PLANNED = 4096  # control samples whose reference is computed at once


class References:
    """For each sample the wanted position, the controller's reference, and what else a sample takes."""

    def __init__(
        self, controller: CompiledController, sampling: Sampling, plan: Schedule, batch: int
    ) -> None:
        self._controller, self._sampling, self._plan, self._batch = controller, sampling, plan, batch
        self._noise = np.random.default_rng(sampling.loop.seed)
        self._wrist = np.random.default_rng([sampling.loop.seed, 2])
        self._drawn: Array | None = None
        self._first = -PLANNED

    def normal(self, k: int) -> Array | None:
        """Standard normal numbers of sample `k`; samples come in order, the first may be asked twice."""
        if "normal" not in self._sampling.given:
            return None
        if k or self._drawn is None:
            self._drawn = self._noise.standard_normal((self._batch, self._sampling.plant.effort_size))
        return self._drawn

    def of(self, k: int) -> tuple[Array, list[Array], dict[str, Array]]:
        if not 0 <= k - self._first < PLANNED:
            self._plan_ahead(k)
        row = k - self._first
        given: dict[str, Array] = {}
        for name in self._sampling.given:
            if name == "normal":
                drawn = self.normal(k)
                assert drawn is not None
                given[name] = drawn
            elif name == "acceleration":
                given[name] = self._accelerations[row]
            elif name == "ki":
                assert self._controller.ki is not None
                given[name] = self._controller.ki
            elif name == "wrist_normal":
                given[name] = self._wrist.standard_normal((self._batch, 6))
        return self._wanted[row], [part[row] for part in self._reference], given

    def _plan_ahead(self, k: int) -> None:
        """The references of some thousand samples from `k` on."""
        trajectory, plan = self._controller.trajectory, self._plan
        assert trajectory is not None
        self._first = k
        some = slice(k, k + PLANNED)
        # The computer follows its clock; errors are measured where the robot is when it is read.
        self._wanted = np.asarray(trajectory.at(plan.reads[some])[0])
        self._reference = [np.asarray(part) for part in self._controller.reference(plan.samples[some])]
        if "acceleration" in self._sampling.given:
            motion = trajectory.at(plan.samples[some])
            found = self._sampling.robot.actuator_motion(*motion).acceleration
            assert found is not None
            self._accelerations = found
