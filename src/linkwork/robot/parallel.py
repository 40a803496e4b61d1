"""Parallel robots as users meet them: mechanisms whose names and results go by legs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from linkwork.core.errors import InputError
from linkwork.mechanics.mechanism.leg_methods import leg_methods
from linkwork.mechanics.mechanism.methods import METHODS
from linkwork.mechanics.methods import Methods, Options
from linkwork.model.families.parallel import ParallelModel, mechanism_of_parallel
from linkwork.model.mechanism import MechanismModel
from linkwork.model.parameters import (
    FreeParameters,
    Parameters,
    all_free,
    parallel_parameters,
    parallel_with,
    parameter_values,
)
from linkwork.robot.compiled import CallOptions, Errors, RuntimeInputs
from linkwork.robot.coordinates import Coordinates, JointNames
from linkwork.robot.description import ActuatedElement
from linkwork.robot.results import LegJointMotion, ParallelReactions
from linkwork.robot.robot import Robot, agreed, poses

if TYPE_CHECKING:
    from linkwork.files.faults import Document


class ParallelRobot(Robot):
    """Dynamics of a platform on arbitrary legs: a `Robot` with results by legs, as its file has them.

    Coordinates are those of the platform, (..., d). A robot with all six freedoms takes a pose, (..., 7)
    or (..., 6), a twist and an acceleration, as `Platform` does. A robot with three rotations may take
    a unit quaternion for roll, pitch, yaw; its velocities and accelerations are then angular. A `wrench`
    acts on the platform, in platform axes at its origin; nothing carries the moment on a platform that
    is a point, as that of a five-bar, and it is left out. Efforts tau are those of the actuated joints,
    in the order of the legs.
    """

    described_by = ParallelModel
    called = "a parallel robot"
    model: ParallelModel

    def __repr__(self) -> str:
        legs, names = f"{len(self.model.legs)} legs", ", ".join(self.model.coordinates)
        return f"<ParallelRobot {self.name}: {legs}, {names}>"

    @cached_property
    def mechanism(self) -> MechanismModel:
        """Bodies, joints, rods, cylinders and coordinates that the legs and the platform are."""
        return mechanism_of_parallel(self.model)

    def check_mobility(self, document: Document, source: str) -> None:
        """A RobotFileError if the legs let the platform move otherwise than its coordinates say, or if
        home is a parallel singularity."""
        from linkwork.robot.diagnosis import check_home, check_mobility

        check_mobility(self.mechanism, document, source)
        check_home(self.mechanism, document, source)

    # What it is, by legs.

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.model.leg_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of the legs, universal joints as two."""
        return tuple(joint.name for joint in self.model.joints)

    @property
    def actuated_element(self) -> ActuatedElement:
        """What carries the efforts: legs, or joints where a leg has several motors."""
        return "leg" if self._actuated_once else "joint"

    @property
    def _actuated_once(self) -> bool:
        return max(sum(joint.actuated for joint in leg.joints) for leg in self.model.legs) == 1

    @cached_property
    def efforts(self) -> Coordinates:
        """Named by legs where every leg has one motor."""
        units = super().efforts.units
        names = tuple(joint.name for joint in self.model.actuators)
        if self._actuated_once:
            driven = [leg for leg in self.model.legs if any(joint.actuated for joint in leg.joints)]
            names = tuple(leg.name for leg in driven)
        return Coordinates(names, names, units)

    @property
    def joints(self) -> JointNames:
        """The joint names; `robot.joints(c, cd, cdd)` is how all joints and the platform move."""
        return JointNames(self.joint_names, self._leg_motion)

    # What it computes, by legs.

    def _leg_motion(
        self, c: ArrayLike, cd: ArrayLike, cdd: ArrayLike, *, errors: Errors = "raise"
    ) -> LegJointMotion:
        q, qd, qdd, position, R, twist, acceleration = self._run("joints", (c, cd, cdd), (), errors)
        return LegJointMotion(q, qd, qdd, poses(position, R), twist, acceleration)

    # Its own form is a contract; `reactions` has the one of all mechanisms.
    def joint_reactions(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> ParallelReactions:
        """Forces and moments in every joint of every leg, and where legs hold the platform.

        A robot with more constraints than statics needs (`determinate` is False) has parts that depend
        on the elasticity of its links: those are NaN, the determinate ones are given.
        """
        joints, closures, *other = self._run("joint_reactions", (c, cd, cdd), (wrench,), errors)
        if other:
            joints, closures = agreed(joints, other[0]), agreed(closures, other[1])
        return ParallelReactions(joints[..., :3], joints[..., 3:], closures[..., :3], closures[..., 3:])

    # Parameters: ten of the platform, fifteen of every joint, whatever the mechanism has made of them.

    @property
    def parameters(self) -> Parameters:
        """What the efforts are linear in: platform, links, rotors and friction of the joints."""
        return parallel_parameters(self.model)

    def _free_parameters(self) -> FreeParameters:
        return all_free(self.parameters)

    def with_parameters(self, values: ArrayLike) -> ParallelRobot:
        """The same robot with other values of `parameters`."""
        return type(self)(parallel_with(self.model, parameter_values(self.parameters, values)))

    # How it is computed.

    def _options(self, method: str, inputs: RuntimeInputs, options: CallOptions) -> Options:
        if method == "regressor" and any(leg.end.viscous for leg in self.model.legs):
            raise InputError(
                f"{self.name}: viscous friction of S joints at the platform is not among the parameters,"
                " so efforts are not linear in these alone. Leave it out of the file."
            )
        return super()._options(method, inputs, options)

    _held = "the platform"

    def _block_name(self, unknowns: tuple[str, ...]) -> str:
        """The leg that a block of the plan is: names of joints begin with those of their legs."""
        found = [leg for leg in self.leg_names if any(name.startswith(f"{leg} ") for name in unknowns)]
        return ", ".join(found) or super()._block_name(unknowns)

    def _methods(self) -> Methods:
        return {**METHODS, **leg_methods(self.model)}
