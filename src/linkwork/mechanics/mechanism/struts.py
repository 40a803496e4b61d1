"""Cylinders, and rods that spin with a universal joint, in their own axes: x = s along the strut.

The universal joint's axis k is fixed in the body at the strut's foot, y = k x s, z = s x y. It ties
the spin about s to the swing: with t = (k.s)/|k x s|, w_s = t w_z, relative to the foot's body. A strut
without such an axis does not spin, one on a pin has t = 0. Both parts of a cylinder turn about the foot;
the mass of its rod is given to the body at its end (`masses.py`), of which the first moment stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import (
    SX,
    acceleration_operator,
    any_normals,
    congruent,
    cross,
    number,
    squared,
    times,
    turning,
    vector,
    zeros,
)
from linkwork.mechanics.mechanism.masses import inertia_matrix
from linkwork.mechanics.mechanism.motion import AbsoluteMotion, axes_of, displaced
from linkwork.mechanics.mechanism.state import MechanismState, SeenPoint
from linkwork.mechanics.mechanism.universal import SMALLEST_SINE, Spinning, Tie
from linkwork.mechanics.mechanism.wrenches import Wrenches
from linkwork.model.geometry import vanishes
from linkwork.model.mechanism import Cylinder, Rod


@dataclass(frozen=True, eq=False)
class Strut:
    """A strut in one state."""

    element: Cylinder | Rod
    state: MechanismState

    @cached_property
    def ends(self) -> tuple[SeenPoint, SeenPoint]:
        return self.state.both(self.element)

    @cached_property
    def S(self) -> SX:
        foot, tip = self.ends
        return tip.p - foot.p

    @cached_property
    def frame(self) -> tuple[SX, SX, SX, SX, SX, SX]:
        """L, 1/L, s, y, z, t."""
        S, L2 = self.S, ca.sumsqr(self.S)
        axis = self.element.axis
        if axis is None:
            L = ca.sqrt(L2)
            inverse = 1 / L
            s = S * inverse
            return L, inverse, s, *any_normals(s), SX(0)
        k = self.state.seen_direction(self.ends[0], axis)
        across = cross(k, S)
        if isinstance(self.element, Cylinder) and self.element.hinge == "revolute":
            L = ca.sqrt(L2)
            inverse = 1 / L
            s, y = S * inverse, across * inverse
            z = k if S[2].is_zero() and k.is_constant() else cross(s, y)
            return L, inverse, s, y, z, SX(0)
        across2 = ca.sumsqr(across)
        Y = ca.sqrt(across2)
        if isinstance(self.element, Rod):
            L = SX(self.element.length)
            inverse, inverse_Y = 1 / L, 1 / ca.if_else(across2 > SMALLEST_SINE**2 * L2, Y, 0)
        else:
            L = ca.sqrt(L2)
            both = 1 / ca.if_else(across2 > SMALLEST_SINE**2 * L2, L * Y, 0)
            inverse, inverse_Y = both * Y, both * L
        s, y = S * inverse, across * inverse_Y
        return L, inverse, s, y, cross(s, y), ca.dot(k, S) * inverse_Y

    def components(self, v: SX) -> SX:
        _, _, s, y, z, _ = self.frame
        return vector(ca.dot(s, v), ca.dot(y, v), ca.dot(z, v))

    def from_components(self, v: SX) -> SX:
        _, _, s, y, z, _ = self.frame
        return s * v[0] + y * v[1] + z * v[2]

    @property
    def spins(self) -> bool:
        """Whether its spin follows from a universal joint."""
        return self.element.axis is not None

    @cached_property
    def motion(self) -> tuple[SX, SX, SX, SX]:
        """Ld, Ldd, and angular velocity and acceleration relative to the foot's body, components."""
        foot, tip = self.ends
        _, inverse, *_, t = self.frame
        S = self.S
        Sd = tip.v - foot.v - cross(foot.w, S)
        Sdd = tip.a - foot.a - cross(foot.al, S) - squared(foot.w, S) - 2 * cross(foot.w, Sd)
        d, dd = self.components(Sd), self.components(Sdd)
        wz, wy = d[1] * inverse, -d[2] * inverse
        ws, twice = t * wz, 2 * d[0]
        az = (dd[1] - twice * wz) * inverse - ws * wy
        ay = ws * wz - (dd[2] + twice * wy) * inverse
        hinge = not self.spins or t.is_zero()
        as_ = SX(0) if hinge else t * az - wy * wz * (1 + t * t)
        Ldd = dd[0] + self.frame[0] * (wy * wy + wz * wz)
        return d[0], Ldd, vector(ws, wy, wz), vector(as_, ay, az)

    # Masses, in components: inertia about foot (barrel) and end (rod), first moments likewise.

    @cached_property
    def inertia(self) -> SX:
        element = self.element
        if isinstance(element, Rod):
            return ca.diag(vector(SX(element.axial), 0, 0))
        origin = np.zeros(3)
        return self._without_free_spin(
            inertia_matrix(element.barrel, origin) + inertia_matrix(element.rod, origin)
        )

    def _without_free_spin(self, inertia: SX) -> SX:
        """What is free to spin does not feel its inertia about itself."""
        if not self.spins:
            inertia[0, :] = inertia[:, 0] = SX(0)
        return inertia

    @property
    def second_moments(self) -> SX:
        """J, of which the inertia is tr(J) - J."""
        return ca.trace(self.inertia) / 2 * SX.eye(3) - self.inertia

    @cached_property
    def moments(self) -> tuple[SX, SX, SX]:
        """Mass and first moment of the barrel about the foot, first moment of the rod about the end."""
        element = self.element
        if isinstance(element, Rod):
            return SX(0), zeros(3), zeros(3)
        barrel, rod = element.barrel, element.rod
        first = barrel.mass * number(barrel.center_of_mass)
        return SX(barrel.mass), first, rod.mass * number(rod.center_of_mass)

    def absolute(self, motion: AbsoluteMotion) -> tuple[SX, SX, SX, SX]:
        """Angular velocity and acceleration, and accelerations of foot and end, components."""
        foot, tip = self.ends
        W, Al, A = (self.components(each) for each in motion.absolute(foot))
        _, _, w, al = self.motion
        return W + w, Al + al + cross(W, w), A, self.components(motion.absolute(tip)[2])

    def moved(self, motion: AbsoluteMotion) -> tuple[SX, SX, SX]:
        """Accelerations of foot and end and angular acceleration of a strut that is at rest."""
        foot, tip = self.ends
        _, Al, A = motion.absolute(foot)
        return A, motion.absolute(tip)[2], self.components(Al) + self.motion[3]

    def wrench_of(self, moved: tuple[SX, SX, SX]) -> tuple[SX, SX, SX]:
        """What goes with the three accelerations of `moved` in the kinetic energy."""
        foot, tip, al = moved
        mass, lower, upper = self.moments
        N = times(self.inertia, al)
        at_foot, at_tip = mass * foot, zeros(3)
        if not lower.is_zero():
            N = N + cross(lower, self.components(foot))
            at_foot = at_foot + self.from_components(cross(al, lower))
        if not upper.is_zero():
            N = N + cross(upper, self.components(tip))
            at_tip = self.from_components(cross(al, upper))
        return at_foot, at_tip, N

    @dataclass(frozen=True)
    class Load:
        """What a strut needs, in components: forces at end and foot, moments there, and its parts."""

        tip: SX
        foot: SX
        held: SX  # moment of the universal joint at the foot, without its friction
        upper: SX  # force of the rod, less what its mass needs at the end
        rubbing: SX  # friction of the joints at foot and end, as the strut's motion needs it
        ball: SX

        @property
        def at_foot(self) -> SX:
            return self.held - self.rubbing

        @property
        def at_tip(self) -> SX:
            return -self.ball

    def load(self, motion: AbsoluteMotion, friction: bool) -> Load:
        """With the mass of the rod at the end."""
        L, inverse, *_, t = self.frame
        w, al, A, tip_A = self.absolute(motion)
        mass, lower, upper = self.moments
        U = acceleration_operator(w, al)
        pushed = times(U, upper)
        N = turning(U, self.second_moments) + cross(lower, A) + cross(upper, tip_A)
        N = N + vector(0, -L * pushed[2], L * pushed[1])
        rubbing, ball = self._joint_friction(self.motion[2]) if friction else (zeros(3), zeros(3))
        N = N + rubbing + ball
        f = vector(pushed[0], (N[2] + t * N[0]) * inverse, -N[1] * inverse)
        rest = mass * A + times(U, lower) + pushed - f
        moment = vector(N[0], 0, -t * N[0]) if self.spins else zeros(3)
        return Strut.Load(f, rest, moment, pushed, rubbing, ball)

    def need(self, wrenches: Wrenches, motion: AbsoluteMotion, friction: bool, along: SX) -> None:
        """What its motion needs, put on the bodies at both ends; `along` is what its drive takes."""
        (foot, tip), load, push = self.ends, self.load(motion, friction), vector(along, 0, 0)
        at_tip, at_foot = (_some(self.from_components(each)) for each in (load.at_tip, load.at_foot))
        wrenches.add(tip, self.from_components(load.tip + push), at_tip)
        wrenches.add(foot, self.from_components(load.foot - push), at_foot)

    def reactions(
        self, motion: AbsoluteMotion, push: SX, sideways: SX, friction: bool
    ) -> dict[str, tuple[SX, SX]]:
        """Forces and moments at a cylinder's start and end and in its slide, components.

        Args:
            push: effort along it less all that is passive.
            sideways: multiplier of the plane in which a pin keeps it.
        """
        assert isinstance(self.element, Cylinder)
        load, S = self.load(motion, friction), vector(self.frame[0], 0, 0)
        across, moment = zeros(3), load.at_foot
        if not sideways.is_zero():
            assert self.element.axis is not None
            across = sideways * self.components(
                self.state.seen_direction(self.ends[0], self.element.axis)
            )
            moment = moment - cross(S, across)
        w, al, _, tip_A = self.absolute(motion)
        inertia = self._without_free_spin(inertia_matrix(self.element.rod, np.zeros(3)))
        own = times(inertia, al) + cross(w, times(inertia, w)) + cross(self.moments[2], tip_A)
        held = load.upper - load.tip - across  # by the slide; along the strut there is the push
        in_slide = vector(push, held[1], held[2])
        along = vector(push, 0, 0)
        return {
            "start": (load.foot - across + along, moment),
            "slide": (in_slide, own + load.ball + cross(S, in_slide)),
            "end": (along - load.tip - self.element.rod.mass * tip_A - across, zeros(3)),
        }

    def _joint_friction(self, w_rel: SX) -> tuple[SX, SX]:
        """Viscous moments on the strut in its joints at foot and end, components."""
        foot, tip = self.ends
        if isinstance(self.element, Rod):
            near, far = self.element.viscous
        else:
            near, far = self.element.universal, self.element.spherical
        rubbing = near * w_rel
        ball = zeros(3)
        if not vanishes(far):
            ball = far * (w_rel - self.components(tip.w - foot.w))
            if not self.spins:
                ball = vector(0, ball[1], ball[2])
        return rubbing, ball

    def push(self, wrenches: Wrenches, force: SX) -> None:
        """A force along the strut that the bodies at both ends need, apart when positive."""
        wrenches.add_pair(*self.ends, self.frame[2] * force)

    def apparent_mass(self) -> SX:
        """Force per acceleration of the end with the foot at rest, view axes (3 x 3, symmetric)."""
        _, i, s, y, z, t = self.frame
        own, h = self.inertia, self.moments[2]
        i2 = i * i
        yy = (t * (t * own[0, 0] + 2 * own[0, 2]) + own[2, 2]) * i2 + 2 * i * (h[0] - t * h[2])
        yz = t * i * h[1] - (t * own[0, 1] + own[1, 2]) * i2
        zz = own[1, 1] * i2 + 2 * i * h[0]
        sy, sz = -i * h[1], -i * h[2]
        T = ca.horzcat(s, y, z)
        Q = ca.vertcat(ca.horzcat(0, sy, sz), ca.horzcat(sy, yy, yz), ca.horzcat(sz, yz, zz))
        return congruent(Q, T.T)


@dataclass(frozen=True, eq=False)
class Spin:
    """A thin rod's own inertia about its axis, where a universal joint ties its spin to its swing.

    Where the rod's host turns about k itself, k is fixed in the root of its group as well, and the spin
    does not depend on that turn: the root is taken for the host.
    """

    rod: Rod
    state: MechanismState

    @cached_property
    def ends(self) -> tuple[SeenPoint, SeenPoint]:
        return self.state.both(self.rod)

    @cached_property
    def host(self) -> SeenPoint:
        """The foot, or the root of its group if that has the axis too."""
        foot, _ = self.ends
        plan = self.state.plan
        placing = plan.of_body.get(foot.body)
        if (
            placing is None
            or foot.group != placing.group
            or self.state.turns[foot.body].matrix is not None
        ):
            return foot
        axis = self.rod.axis
        assert axis is not None
        group = plan.groups[placing.group]
        along = float(np.abs(group.C[:, 2] @ axis)) > 1 - 1e-12
        if along or self.state.turns[foot.body].pair is None:
            return self.state.view(group.root, self.rod.start, placing.group)
        return foot

    @cached_property
    def tie(self) -> Tie:
        foot, tip = self.ends
        assert self.rod.axis is not None
        k = self.state.seen_direction(self.host, self.rod.axis)
        return Tie(tip.p - foot.p, k, self.rod.length)

    def moving(self, motion: AbsoluteMotion) -> Spinning:
        (foot, tip), host = self.ends, self.host
        W, Al, _ = motion.absolute(host)
        return self.tie.motion(W, Al, host.w, host.al, tip.v - foot.v, tip.a - foot.a)

    def need(self, wrenches: Wrenches, motion: AbsoluteMotion, at_foot: bool = False) -> None:
        """What the spin needs, put on the bodies at both ends, the moment on the host or at the foot."""
        foot, tip = self.ends
        f, moment = self.wrench(motion)
        wrenches.add_pair(foot, tip, f)
        wrenches.add(foot if at_foot else self.host, zeros(3), moment)

    def wrench(self, motion: AbsoluteMotion) -> tuple[SX, SX]:
        """Force at the end, and moment on the host.

        J (al_s swing/L - w_s S x Sd/L^3), with S x Sd by n, k and W; what of it is along the rod, whose
        length holds it, is left out.
        """
        tie, moving = self.tie, self.moving(motion)
        W = motion.absolute(self.host)[0]
        axial = self.rod.axial / self.rod.length**2
        change, rate = axial * moving.change, axial * moving.rate
        share = tie.inverse * (change * tie.kappa + rate * moving.along)
        f = share * tie.n - rate * moving.across * tie.k - rate * W
        return f, self.rod.length * change * tie.turn


def _some(v: SX) -> SX | None:
    return None if v.is_zero() else v


def strut_axes(state: MechanismState, strut: Rod | Cylinder) -> tuple[SX, SX, SX]:
    """Axes of a rod or cylinder, along it first, as columns in base axes; its start and its end."""
    here = Strut(strut, state)
    _, _, s, y, z, _ = here.frame
    T = times(axes_of(state, here.ends[0].group), ca.horzcat(s, y, z))
    start = displaced(state, strut.joins[0]).point(strut.start)
    return T, start, displaced(state, strut.joins[1]).point(strut.end)
