"""A motion of a robot, measured once: what terminal, tables, reports and studio show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.conditioning import Conditioning, conditioning
from linkwork.analysis.effort_parts import effort_parts
from linkwork.analysis.peaks import Peak, Violation, peaks, violations
from linkwork.analysis.reactions import reaction_magnitudes
from linkwork.errors import InputError
from linkwork.interface.quantity import Quantity
from linkwork.interface.results import MechanismReactions
from linkwork.interface.robot import Array, Errors, Robot
from linkwork.names import one_of

# Models of the papers that differ from the exact one; all other formulations are exact.
APPROXIMATE = ("dasgupta1998", "pedrammehr2012")


@dataclass(frozen=True, eq=False)
class Study:
    """The inverse dynamics of a robot along a sampled motion.

    The efforts are computed when the study is made; parts, reactions and conditioning when they are
    first asked for, and then kept.
    """

    robot: Robot
    motion_name: str
    time: Array
    position: Array  # joints (N, n), or poses (N, 7)
    velocity: Array
    acceleration: Array
    wrench: Array | None
    effort: Quantity
    measured: tuple[Quantity, ...]  # everything that may have limits, the effort first
    by_formulation: Mapping[str, Array]  # efforts (N, n) by the names asked for; empty if none were

    @property
    def noun(self) -> str:
        """What carries the efforts."""
        return self.robot.noun

    @property
    def moving(self) -> tuple[Quantity, ...]:
        """Positions, velocities and angles of the actuators with their limits."""
        return self.measured[1:]

    @cached_property
    def power(self) -> Array:
        """Of every actuator [W], (N, n)."""
        velocity = self.robot.actuator_motion(self.position, self.velocity).velocity
        assert velocity is not None
        return self.effort.values * velocity

    @cached_property
    def peaks(self) -> tuple[Peak, ...]:
        """Of the effort of every joint or leg."""
        return peaks(self.time, self.effort, self.power)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """Every limit of the robot file that the motion breaks."""
        return violations(self.time, self.measured)

    @cached_property
    def parts(self) -> dict[str, Array]:
        """Efforts by cause."""
        motion = (self.position, self.velocity, self.acceleration)
        return effort_parts(self.robot, *motion, self.wrench)

    @cached_property
    def joint_reactions(self) -> MechanismReactions:
        """Forces and moments in the joints by name, (N, k, 3) each, base axes."""
        motion = (self.position, self.velocity, self.acceleration)
        return self.robot.reactions(*motion, self.wrench)

    @cached_property
    def reactions(self) -> tuple[Quantity, ...]:
        """Their magnitudes."""
        return reaction_magnitudes(self.robot, self.position, self.joint_reactions)

    @cached_property
    def conditioning(self) -> tuple[Conditioning, ...]:
        """How well the mechanism moves along the motion; the first is the condition number."""
        return conditioning(self.robot, self.position)

    def compared_with_exact(self) -> Study:
        """The same study; if published models are among its formulations, the exact one leads them."""
        names = list(self.by_formulation)
        if not names or any(name not in APPROXIMATE for name in names):
            return self
        return replace(self, by_formulation={"exact": self.effort.values, **self.by_formulation})

    def by(self, formulation: str) -> Study:
        """The same motion with the efforts of another formulation of `by_formulation`."""
        effort = replace(self.effort, values=self.by_formulation[formulation])
        return replace(self, effort=effort, measured=(effort, *self.moving))


def study(
    robot: Robot,
    motion_name: str,
    time: Array,
    motion: Sequence[Array],
    *,
    formulations: Sequence[str] = (),
    wrench: ArrayLike | None = None,
    errors: Errors = "raise",
) -> Study:
    """Measure a motion.

    Args:
        time, motion: samples, as `Trajectory.sample` returns them.
        formulations: names to compare. The effort of the study is that of the first exact one, or the
            robot's own if there is none.
        wrench: tip wrench of an arm, wrench on a platform, (6,) or (N, 6).
        errors: "nan" makes efforts of impossible samples NaN.
    """
    if len(time) < 2:
        raise InputError(f"a study needs two samples of a motion or more; there are {len(time)}.")
    position, velocity, acceleration = motion
    state = (position, velocity, acceleration)
    for what, values, names in (
        ("position", position, robot.coordinates.names),
        ("velocity", velocity, robot.velocities.names),
    ):
        if values.shape != (len(time), len(names)):
            raise InputError(
                f"{robot.name} needs {len(names)} numbers for a {what} ({', '.join(names)}), one row "
                f"per instant; the motion has an array of shape {values.shape} for {len(time)} instants."
            )
    given = None if wrench is None else np.asarray(wrench, dtype=np.float64)
    options: dict[str, Any] = {"errors": errors}
    if given is not None:
        options[robot.wrench_option] = given
    efforts: dict[str, Array] = {}
    for name in dict.fromkeys(formulations):
        one_of(name, robot.formulations, "formulation")
        efforts[name] = robot.inverse_dynamics(*state, formulation=name, **options)
    exact = [values for name, values in efforts.items() if name not in APPROXIMATE]
    effort = exact[0] if exact else robot.inverse_dynamics(*state, **options)
    measured = effort_first(robot.quantities(position, velocity, effort), effort)
    return Study(robot, motion_name, time, *state, given, measured[0], measured, efforts)


def effort_first(quantities: Sequence[Quantity], effort: Array) -> tuple[Quantity, ...]:
    """What a robot measures of a motion, the quantity of these efforts in front."""
    return tuple(sorted(quantities, key=lambda what: what.values is not effort))
