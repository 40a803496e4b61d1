"""What bodies need, gathered from the last one placed to the first: the forward sweep transposed.

A wrench is force and moment about a body's origin, in the axes of its group; what acts on the root of a
group waits about the group's origin until the root itself is passed. Unknown joints feel nothing in
total: multipliers of their closures see to that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from linkwork.mechanics.expressions import SX, cross, number, times, vector, zeros
from linkwork.mechanics.mechanism.blocks import Solution
from linkwork.mechanics.mechanism.closures import Closure
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementBlock, Placing
from linkwork.mechanics.mechanism.state import MechanismState, SeenPoint, Z

Wrench = tuple[SX, SX]


@dataclass
class Wrenches:
    """On bodies, on roots of groups, and efforts felt at joints."""

    state: MechanismState
    of_body: dict[str, Wrench] = field(default_factory=dict)
    of_root: dict[int, Wrench] = field(default_factory=dict)
    at_joint: dict[str, SX] = field(default_factory=dict)

    def copy(self) -> Wrenches:
        return Wrenches(self.state, dict(self.of_body), dict(self.of_root), dict(self.at_joint))

    def add(self, view: SeenPoint, force: SX, moment: SX | None = None) -> None:
        """A force at the viewed point, and a moment, in the axes of the view."""
        if view.group is None:
            return
        if view.body == self.state.plan.groups[view.group].root:
            turning = cross(view.p, force) if moment is None else cross(view.p, force) + moment
            self._add_root(view.group, force, turning)
            return
        here = self.state.downward(view, force)
        turning = cross(view.lever, here)
        if moment is not None:
            turning = turning + self.state.downward(view, moment)
        self.add_body(view.body, here, turning)

    def add_pair(self, a: SeenPoint, b: SeenPoint, force: SX, moment: SX | None = None) -> None:
        """A force and a moment on b, and their opposites on a."""
        self.add(b, force, moment)
        self.add(a, -force, None if moment is None else -moment)

    def add_body(self, body: str, force: SX, moment: SX) -> None:
        F, N = self.of_body.get(body, (zeros(3), zeros(3)))
        self.of_body[body] = (F + force, N + moment)

    def _add_root(self, group: int, force: SX, moment: SX) -> None:
        F, N = self.of_root.get(group, (zeros(3), zeros(3)))
        self.of_root[group] = (F + force, N + moment)

    def felt(self, name: str, effort: SX) -> None:
        """An effort at a joint that places a body, or at a coordinate."""
        self.at_joint[name] = self.at_joint.get(name, SX(0)) + effort

    def swept(self, solution: Solution) -> SX:
        """Everything carried to the base; what is felt at the coordinates, (d)."""
        for k in reversed(range(len(self.state.plan.blocks))):
            block = self.state.plan.blocks[k]
            if block.unknowns:
                self._balance(block, solution, k)
            for placing in reversed(block.placings):
                self._pass(placing)
        coordinates = self.state.plan.model.coordinates
        return ca.vertcat(*[self.at_joint.get(each.name, SX(0)) for each in coordinates])

    def _balance(self, block: PlacementBlock, solution: Solution, k: int) -> None:
        felt = self.copy()
        unbalanced: dict[str, SX] = {}
        for placing in reversed(block.placings):
            unbalanced |= felt._pass(placing, balanced=False)
        h = [-unbalanced[name] for name in block.unknowns]
        if all(each.is_zero() for each in h):
            return
        multipliers = solution.factors[k].transposed(h)
        for closure, multiplier in zip(block.closures, multipliers, strict=True):
            self.multiply(closure, multiplier)

    def multiply(self, closure: Closure, multiplier: SX) -> None:
        closure.put(self, multiplier)

    def passing(self, placing: Placing, force: SX, moment: SX) -> None:
        """What a host gives to a body, at the body's origin; for those who want to know."""

    def _pass(self, placing: Placing, balanced: bool = True) -> dict[str, SX]:
        """A body's wrench to its host; what its unknowns feel: nothing once they are `balanced`."""
        state, body = self.state, placing.body
        self._take_from_groups(body)
        F, N = self.of_body.pop(body, (zeros(3), zeros(3)))
        self.passing(placing, F, N)
        unknown: dict[str, SX] = {}
        on_root = placing.host == state.plan.groups[placing.group].root
        match placing.kind:
            case "turn":
                sign = placing.way * placing.sense
                effort = self.at_joint.pop(placing.name, SX(0)) if placing.unknowns else SX(0)
                if placing.unknowns:
                    unknown[placing.name] = total = N[2] + sign * effort
                    N = vector(N[0], N[1], -sign * effort)
                    if not balanced:  # a body turns with the root of its group, not with its host
                        self._add_root(placing.group, zeros(3), total * Z)
                else:
                    self._distribute(placing, 0, sign * N[2])
            case "slide":
                along = ca.dot(state.slide_direction(placing), F)
                if placing.unknowns:
                    unknown[placing.name] = along + self.at_joint.pop(placing.name, SX(0))
                else:
                    self._distribute(placing, 0, along)
            case "pose":
                axes = (Z,) * 3 if state.is_spin(placing) else state.rpy_axes(placing)
                for k, name in enumerate(placing.names):
                    if k < 3:
                        value = F[k]
                    else:
                        value = N[k - 3] if state.is_spin(placing) else ca.dot(axes[k - 3], N)
                    if placing.terms[k] is None:
                        unknown[name] = value + self.at_joint.pop(name, SX(0))
                    else:
                        self._distribute(placing, k, value)
        moment = N + cross(state.levers[body], F) if placing.kind != "weld" else N
        if on_root:
            self._add_root(placing.group, F, moment)
        else:
            self.add_body(placing.host, F, moment)
        return unknown

    def _distribute(self, placing: Placing, k: int, effort: SX) -> None:
        """What a joint feels, to the coordinates that it follows."""
        name, terms = placing.names[k], placing.terms[k]
        assert terms is not None
        if terms == ((name, 1.0),):
            self.felt(name, effort)
            return
        total = effort + self.at_joint.pop(name, SX(0))
        for other, ratio in terms:
            self.felt(other, ratio * total)

    def _take_from_groups(self, body: str) -> None:
        state = self.state
        for k, group in enumerate(state.plan.groups):
            if group.root == body and k in self.of_root:
                force, moment = self.of_root.pop(k)
                K, turn = number(state.step(k)), state.turns[body]
                force, moment = turn.out(times(K, force)), turn.out(times(K, moment))
                lever = turn.out(state.offset_in(body, group.origin))
                self.add_body(body, force, moment + cross(lever, force))
