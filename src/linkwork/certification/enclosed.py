"""Expressions of a robot that certificates enclose, and their kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.certification.boxes import Array, Boxes, points
from linkwork.certification.loops import Loops
from linkwork.certification.tolerances import Tolerances
from linkwork.kernels.intervals import IntervalKernel
from linkwork.kinematics.singularity import by_position
from linkwork.mechanics.expressions import SX
from linkwork.mechanics.mechanism.methods import CLOSED
from linkwork.mechanics.methods import Expression
from linkwork.mechanics.snapshot import PAYLOAD
from linkwork.robot.compiled import RuntimeInputs, recipe_of
from linkwork.robot.coordinates import turns
from linkwork.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class Demands:
    """What must hold, besides the limits of the robot file.

    Args:
        condition: the greatest condition number; infinite asks for no singularity, None for neither.
        leg_diameter: [m] of a platform's legs; 0 does not ask whether they touch.
        wrench, acceleration: lowest and highest values, (2, 6) and (2, d), that actuators must bear.
        moving: whether boxes have velocities and accelerations of their own, to which that is added.
    """

    condition: float | None
    leg_diameter: float
    wrench: Array
    acceleration: Array
    moving: bool = False


CHOICES = ("chosen",)  # the name of inputs that are choices, see `kernels/intervals.py`


class Enclosed:
    """A robot whose expressions are enclosed over boxes: coordinates, rotations by angles, then numbers
    of the robot that have tolerances, then what closes loops that have no closed form."""

    def __init__(self, robot: Robot, tolerances: Tolerances | None = None) -> None:
        self.robot, self.d = robot, robot.dof
        self.tolerances = Tolerances() if tolerances is None else tolerances
        self.loops = Loops(self)
        self.size = self.d + len(self.tolerances) + self.loops.count
        self.scale = np.where(np.array(turns(robot.mechanism)), robot.length_scale, 1.0)
        # Columns of turns are divided by it where motors are counted, multiplied where the tool is.

    @cached_property
    def weights(self) -> Array:
        """By which widths of boxes are compared."""
        own = np.where(self.scale == 1.0, 1.0 / self.robot.length_scale, 1.0)
        return np.concatenate([own, self.tolerances.weights])

    @cache  # noqa: B019  a robot of one proof
    def _expression(self, method: str) -> ca.Function:
        """Of a method of the robot, without friction."""
        spec = self.robot._methods()[method]
        size = "pose_size" if "pose" in spec.inputs else "position_size"
        given: dict[str, Any] = {size: self.d} if {"c", "pose"}.intersection(spec.inputs) else {}
        given |= {"friction": False} if "friction" in spec.options else {}
        if self.tolerances.fields:
            given["parameters"] = self.tolerances.names
        wanted = ("wrench", *((PAYLOAD,) if self.tolerances.payload else ()))
        runtime = tuple(name for name in spec.runtime if name in wanted)
        runtime += (CLOSED,) if self.loops.count else ()
        options = self.robot._options(method, RuntimeInputs(runtime, None), given)
        return self.robot._express(method, options)[0]

    def express(self, method: str, at: SX, **inputs: SX) -> list[SX]:
        """Outputs of a method at coordinates and numbers of the robot; inputs left out are zero."""
        function = self._expression(method)
        first = self.d + len(self.tolerances)
        known = inputs | self.tolerances.symbols(at[self.d : first]) | {CLOSED: at[first:]}
        known |= dict.fromkeys(("c", "pose", "q"), at[: self.d])
        sizes = (function.numel_in(k) for k in range(function.n_in()))
        given = [
            known[name] if name in known else SX.zeros(size)
            for name, size in zip(function.name_in(), sizes, strict=True)
        ]
        found = function(*given)
        return list(found) if isinstance(found, tuple | list) else [found]

    def need(self, at: SX, velocity: SX, acceleration: SX, wrench: SX) -> SX:
        """What a motion and a wrench need at the coordinates."""
        words = dict.fromkeys(("cd", "twist"), velocity)
        words |= dict.fromkeys(("cdd", "acceleration"), acceleration)
        return self.express("conditions", at, wrench=wrench, **words)[3]

    def at_rest(self, at: SX) -> tuple[SX, SX, SX]:
        """Positions of joints and cylinders, Jx and Jq."""
        q, Jx, Jq, _ = self.express("conditions", at)
        return q, ca.reshape(Jx, self.d, self.robot.n).T, Jq

    def moved(self, at: SX, rates: SX, changes: SX) -> tuple[SX, SX]:
        """Velocity and acceleration of the robot from those of roll, pitch, yaw beside the others."""
        velocity, acceleration = SX(rates), SX(changes)
        for three in self.robot.coordinates.turned:
            _, p, y = ca.vertsplit(at[three])
            E = ca.vertcat(
                ca.horzcat(ca.cos(y) * ca.cos(p), -ca.sin(y), 0),
                ca.horzcat(ca.sin(y) * ca.cos(p), ca.cos(y), 0),
                ca.horzcat(-ca.sin(p), 0, 1),
            )
            turning = E @ rates[three]
            velocity[three] = turning
            acceleration[three] = E @ changes[three] + ca.jtimes(turning, at, _padded(rates, at))
        return velocity, acceleration

    @property
    def rank_shape(self) -> tuple[int, int]:
        if not self.robot.moved_by_motors:
            return self.robot.n, self.d
        return (3 if by_position(self.robot) else 6), self.d

    def rank_matrix(self, at: SX) -> SX:
        """The matrix of `kinematics/singularity.py` whose singular values count."""
        if not self.robot.moved_by_motors:
            return ca.mtimes(self.at_rest(at)[1], ca.diag(1 / ca.DM(self.scale)))
        J = ca.reshape(self.express("jacobian", at)[0], self.d, 6).T
        by = self.robot.length_scale
        turning = np.where(self.scale == by, 1.0, by)
        J = ca.mtimes(J, ca.diag(ca.DM(turning)))
        rows = ca.vertcat(J[0:3, :] / by, J[3:6, :])
        return rows[: self.rank_shape[0], :]

    def kernel(
        self,
        what: str,
        asked: tuple[object, ...],
        express: Callable[[], Expression],
        smooth: bool = False,
    ) -> IntervalKernel:
        known = self.tolerances.names, self.tolerances.payload
        ingredients = ("enclosed", what, self.robot.model, self.d, known, *asked)
        return IntervalKernel(recipe_of(ingredients, express), CHOICES, smooth=smooth)


def _padded(rates: SX, at: SX) -> SX:
    """With zeros for what does not change."""
    return ca.vertcat(rates, SX.zeros(at.numel() - rates.numel()))


class Vector:
    """A vector of c and other inputs, enclosed as it is written, and more sharply in small boxes by its
    mean value form g(p) + g'(box) (box - p).

    `express` gives the vector of symbols; `asked` is all that it depends on besides the robot. A chosen
    position, the middle of the box, is the last of the symbols where the vector is made of choices too.
    `smooth` says that the vector is itself made of mean value forms, which hold only where no choice
    between two expressions changes within the box.
    """

    def __init__(
        self,
        robot: Enclosed,
        what: str,
        express: Callable[..., SX],
        length: int,
        others: Sequence[int] = (),
        asked: tuple[object, ...] = (),
        choosing: bool = False,
        smooth: bool = False,
    ) -> None:
        self._robot, self._what, self._asked, self._choosing = robot, what, asked, choosing
        self._smooth = smooth
        self._express, self.length, self._sizes = express, length, others

    def _traced(self) -> tuple[SX, list[SX], SX]:
        c = SX.sym("c", self._robot.size)
        others = [SX.sym(f"with{k}", size) for k, size in enumerate(self._sizes)]
        others += [SX.sym(CHOICES[0], c.numel())] if self._choosing else []
        return c, others, self._express(c, *others)

    def _as_written(self) -> Expression:
        c, others, g = self._traced()
        return _function([c, *others], g)

    def _by_mean_value(self) -> Expression:
        c, others, g = self._traced()
        p = SX.sym("p", c.numel())  # g itself makes sure that none of its choices changes in the box
        return _function([c, p, *others], ca.vertcat(mean_value(g, c, p), g))

    @cached_property
    def _natural(self) -> IntervalKernel:
        return self._robot.kernel(self._what, self._asked, self._as_written, self._smooth)

    @cached_property
    def _mean(self) -> IntervalKernel:
        return self._robot.kernel(f"{self._what}, mean", self._asked, self._by_mean_value, smooth=True)

    @property
    def expression(self) -> ca.Function:
        """What is enclosed as it is written."""
        return self._natural.casadi

    def natural(self, boxes: Boxes, *others: Array) -> tuple[Array, Array]:
        """Lower and upper bounds (N, k)."""
        chosen = (boxes.middle,) if self._choosing else ()
        (found,) = self._natural(boxes.ends, *others, *chosen)
        return found[:, 0], found[:, 1]

    def sharper(self, boxes: Boxes, *others: Array) -> tuple[Array, Array]:
        """The sharper of the mean value form and what is written; infinite if one is unknown."""
        chosen = (boxes.middle,) if self._choosing else ()
        (found,) = self._mean(boxes.ends, points(boxes.middle).ends, *others, *chosen)
        mean, natural = np.split(found, 2, axis=2)
        return np.maximum(mean[:, 0], natural[:, 0]), np.minimum(mean[:, 1], natural[:, 1])


def mean_value(g: SX, c: SX, p: SX) -> SX:
    """A vector or matrix of c about p, of the same shape."""
    flat = ca.vec(g)
    mean = ca.substitute(flat, c, p) + ca.jacobian(flat, c) @ (c - p)
    return ca.reshape(mean, g.shape)


def _function(symbols: list[SX], g: SX) -> Expression:
    names = [symbol[0].name().rpartition("_")[0] or symbol.name() for symbol in symbols]
    return ca.Function("enclosed", symbols, [ca.densify(g)], names, ["g"]), ((g.numel(),),)
