"""Parallel robots as the mechanisms they are: names and results by legs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.interface.coordinates import Coordinates
from linkwork.interface.mechanism import Mechanism
from linkwork.interface.mechanism_names import JointNames
from linkwork.interface.results import JointMotion, ParallelReactions
from linkwork.interface.robot import Array, Errors, Noun
from linkwork.kernels import Recipe
from linkwork.kernels.recipes import Expression
from linkwork.mechanics.mechanism import leg_joints
from linkwork.mechanics.mechanism.methods import METHODS, MOTION, Options, express, guarded
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.methods import Method, Outputs, Symbols
from linkwork.robots.families import mechanism_of_parallel
from linkwork.robots.family_views import LegView, leg_view
from linkwork.robots.geometry import Body
from linkwork.robots.mechanism import MechanismJoint
from linkwork.robots.parallel import ParallelModel
from linkwork.rotations import rotation_of

LEG_JOINTS = "leg_joints"


class ParallelMechanism(Mechanism):
    """A platform on legs; `family` is the description that its file has."""

    def __init__(self, family: ParallelModel) -> None:
        super().__init__(mechanism_of_parallel(family))
        self.family = family

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.family,)

    def __repr__(self) -> str:
        names = ", ".join(self.family.coordinates)
        return f"<Mechanism {self.name}: {len(self.family.legs)} legs, {names}>"

    # What it is, by legs.

    @property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs."""
        return self.family.leg_names

    @property
    def noun(self) -> Noun:
        return "leg" if self._actuated_once else "joint"

    @property
    def _actuated_once(self) -> bool:
        return max(sum(joint.actuated for joint in leg.joints) for leg in self.family.legs) == 1

    @cached_property
    def efforts(self) -> Coordinates:
        """Named by legs where every leg has one motor."""
        units = super().efforts.units
        names = tuple(joint.name for joint in self.family.actuators)
        if self._actuated_once:
            driven = [leg for leg in self.family.legs if any(joint.actuated for joint in leg.joints)]
            names = tuple(leg.name for leg in driven)
        return Coordinates(names, names, units)

    @property
    def joints(self) -> JointNames:
        """Names of all joints of the legs, universal joints as two; `robot.joints(c, cd, cdd)` is how
        they and the platform move."""
        names = tuple(joint.name for joint in self.family.joints)
        return JointNames(names, self._leg_motion)

    @cached_property
    def legs(self) -> tuple[LegView, ...]:
        """What the mechanism has made of the legs."""
        return tuple(leg_view(leg) for leg in self.family.legs)

    def _with_load(self, load: Body) -> Mechanism:
        return type(self)(replace(self.family, platform=self.family.platform.merged_with(load)))

    # What it computes, by legs.

    def _leg_motion(
        self, c: ArrayLike, cd: ArrayLike, cdd: ArrayLike, *, errors: Errors = "raise"
    ) -> JointMotion:
        q, qd, qdd, *_ = self._run(LEG_JOINTS, (c, cd, cdd), (), errors)
        whole = self.joint_motion(c, cd, cdd, errors=errors)
        return JointMotion(q, qd, qdd, whole.pose, whole.twist, whole.acceleration)

    def leg_reactions(
        self,
        c: ArrayLike,
        cd: ArrayLike,
        cdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> ParallelReactions:
        """Forces and moments in every joint of every leg, and where legs hold the platform."""
        found = self.joint_reactions(c, cd, cdd, wrench, errors=errors)
        places = {name: k for k, name in enumerate(found.names)}
        views = [view for leg in self.legs for view in leg.joints]
        rows = [places[view.reaction] for view in views]
        force, moment = found.force[..., rows, :], found.moment[..., rows, :].copy()
        _, _, _, rubbing, *arms = self._run(LEG_JOINTS, (c, cd, cdd), (), errors)
        slides = [k for k, view in enumerate(views) if view.slides_in_cylinder]
        if slides:
            moment[..., slides, :] -= _about(arms[0], force[..., slides, :])
        rows = [places[leg.closure] for leg in self.legs]
        held, turned = -found.force[..., rows, :], rubbing - found.moment[..., rows, :]
        pose = self.body_pose(c, errors=errors)
        for k, leg in enumerate(self.legs):
            if isinstance(leg.end, MechanismJoint) and leg.leg.end.kind == "rigid":
                arm = self._from_origin(pose, leg.end.at)  # of the joint, from the platform's origin
                turned[..., k, :] += _about(arm, held[..., k, :])
        return ParallelReactions(force, moment, held, turned)

    def _from_origin(self, pose: Array, at: Array) -> Array:
        """A point of the platform that is at `at` at home, from its origin, base axes."""
        home = self.family.home_frame
        own = home.R.T @ (at - home.p)
        R = np.stack([rotation_of(each) for each in pose.reshape(-1, 7)])
        return (R @ own).reshape(*pose.shape[:-1], 3)

    # How it is computed.

    _held = "the platform"

    def _block_name(self, unknowns: tuple[str, ...]) -> str:
        """The leg that a block of the plan is."""
        found = [leg.leg.name for leg in self.legs if _parts(leg) & {*_stems(unknowns)}]
        return ", ".join(found) or super()._block_name(unknowns)

    def _methods(self) -> Mapping[str, Method[Any, Options]]:
        return {**METHODS, LEG_JOINTS: self._leg_joints_method()}

    def _leg_joints_method(self) -> Method[MechanismDynamics, Options]:
        family = self.family

        def express_them(robot: MechanismDynamics, s: Symbols, options: Options) -> Outputs:
            return leg_joints.outputs(robot, family, s["cdd"])

        return Method(MOTION, guarded(express_them))

    def _express(self, method: str, options: Options) -> Expression:
        return express(self.model, method, options, self._methods()[method])

    def _recipe(self, method: str, options: Options) -> Recipe:
        if method != LEG_JOINTS:
            return super()._recipe(method, options)
        return Recipe((self.family, self.model, method, options), lambda: self._express(method, options))


def _parts(leg: LegView) -> set[str]:
    return {leg.end.name, *(view.part.name for view in leg.joints)}


def _stems(unknowns: tuple[str, ...]) -> list[str]:
    """Joints of unknowns; a universal joint's are numbered."""
    return [name.rpartition(".")[0] if name[-2:] in (".1", ".2") else name for name in unknowns]


def _about(arm: Array, force: Array) -> Array:
    """The moment of a force at the end of an arm; what is unknown counts only where it has one."""
    x, y, z = (
        np.where(arm[..., j] == 0, 0.0, arm[..., j] * force[..., k])
        - np.where(arm[..., k] == 0, 0.0, arm[..., k] * force[..., j])
        for j, k in ((1, 2), (2, 0), (0, 1))
    )
    return np.stack([x, y, z], axis=-1)


@lru_cache(maxsize=64)
def as_mechanism(robot: Any) -> Mechanism:
    """Every robot as a mechanism: a parallel robot's positions, velocities and efforts are the same."""
    return robot if isinstance(robot, Mechanism) else ParallelMechanism(robot.model)
