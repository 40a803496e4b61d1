"""Jacobians of a mechanism, exact derivatives of both its dynamics, and its stiffness.

Jx cd = Jq qa'. A motor whose joint is an unknown u of a block has the equations of that block between
itself and the coordinates: J_u u' = r(cd). With y, the row of cofactors of J_u that belongs to the
joint, y J_u u' is the determinant times its velocity: Jq = det / |y|, Jx = y r / |y|. So Jq is the lever
arm [m] of a revolute joint that a rod follows, or the cosine of the pressure angle of a slide, and zero
in a serial singularity. Motors that are coordinates, and cylinders, have Jq = 1.

Derivatives: where rotations are a quaternion, the position varies in its tangent space: translations and
a rotation vector in the axes that the pose is seen from, exp(dtheta~) R. Otherwise they are by the
coordinates themselves. With Ga' tau = need(c, cd, cdd), of which both sides are differentiated at given
efforts and accelerations: Ga' dtau = dneed - dGa' tau, M dcdd = Ga' dtau + dGa' tau - dneed. Blocks that
are solved by Newton's method are differentiated with its steps: where these have converged, so have
their derivatives.

Stiffness: at rest with its motors held, drives are springs along their motion. With efforts
tau0 - k (q - q0) a small motion dc meets Ga' (k Ga + dtau/dc) dc, where dtau/dc are the derivatives of
the efforts that hold it: what gravity, springs, the load and turning links add.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.mechanics.expressions import SX, number, times, zeros
from linkwork.mechanics.linear import SMALL, Cramer, Square, solve_symmetric
from linkwork.mechanics.mechanism.blocks import accelerations
from linkwork.mechanics.mechanism.closures import Closure, Length
from linkwork.mechanics.mechanism.planning.placement_plan import PlacementBlock, unknown_columns
from linkwork.mechanics.mechanism.robot_dynamics import MechanismDynamics
from linkwork.mechanics.mechanism.state import MechanismState
from linkwork.mechanics.methods import Outputs
from linkwork.model.mechanism import MechanismModel, driven_names, motor_terms, tool_frame


def radius(model: MechanismModel) -> float:
    """RMS distance [m] of what holds the tool's body from its origin: turns become ways by it."""
    body, frame = tool_frame(model)
    points = [joint.at for joint in model.joints if body in joint.joins and joint.kind != "prismatic"]
    for strut in model.struts:
        points += [strut.start] if strut.joins[0] == body else []
        points += [strut.end] if strut.joins[1] == body else []
    ways = [float(np.linalg.norm(point - frame.p)) for point in points]
    return float(np.sqrt(np.mean(np.square(ways)))) if any(ways) else model.size


def jacobians(robot: MechanismDynamics) -> tuple[SX, SX]:
    """Jx (actuators x freedoms) and the diagonal of Jq."""
    rows, levers = [SX(0, robot.dof)], [SX(0, 1)]
    solved = {name: k for k, block in enumerate(robot.plan.blocks) for name in block.unknowns}
    for k, terms in enumerate(motor_terms(robot.model).values()):
        (name, ratio), *others = terms
        if others or name not in solved:
            rows.append(robot.actuation[k, :])
            levers.append(SX(1))
            continue
        row, lever = _of_unknown(robot, name, solved[name])
        rows.append(ratio * row)
        levers.append(lever)
    return ca.vertcat(*rows), ca.vertcat(*levers)


def _of_unknown(robot: MechanismDynamics, name: str, k: int) -> tuple[SX, SX]:
    """A row of Jx and its Jq for a joint that is solved for in block k."""
    block, factor = robot.plan.blocks[k], robot.dynamics.solution.factors[k]
    nothing = dict.fromkeys(block.unknowns, SX(0))
    still = robot.dynamics.solution.moved(replace(robot.dynamics.inputs, rates={}, accelerations={}))
    # The joint's own velocity is a difference of unknowns where the host is turned by the same block.
    share = [
        _accelerated(still, block, nothing | {unknown: SX(1)}).accelerations[name]
        for unknown in block.unknowns
    ]
    y, determinant = _cofactors(factor, share)
    size = ca.norm_2(ca.vertcat(*[_force(c) * each for c, each in zip(block.closures, y, strict=True)]))
    lever, row = determinant / size, []
    y, lever = [_side_at_home(block) * each for each in y], _side_at_home(block) * lever
    for unit in robot.units:
        known = _accelerated(unit, block, nothing)
        right = [-closure.change(known) for closure in block.closures]
        through = sum((a * b for a, b in zip(y, right, strict=True)), SX(0))
        row.append(through / size + lever * known.accelerations[name])
    return ca.horzcat(*row), lever


def _accelerated(state: MechanismState, block: PlacementBlock, unknown: dict[str, SX]) -> MechanismState:
    """A state at rest with chosen accelerations of a block's unknowns."""
    found = replace(state, a=dict(state.a), al=dict(state.al), accelerations=dict(state.accelerations))
    accelerations(found, block, unknown)
    return found


def _cofactors(factor: Square, share: list[SX]) -> tuple[list[SX], SX]:
    """y and det with y J = det * share."""
    n = len(share)
    if isinstance(factor, Cramer):
        y = [sum((share[i] * factor.cofactors[j][i] for i in range(n)), SX(0)) for j in range(n)]
        return y, factor.determinant
    return factor.transposed(share), SX(1)


def _side_at_home(block: PlacementBlock) -> float:
    """The sign of a block's determinant at home, so that levers are positive there."""
    if block.kind == "dyad" or (block.kind == "rod" and block.placings[0].kind == "slide"):
        return -block.sign
    known = block.kind == "rod" or (block.kind == "newton" and len(block.unknowns) <= SMALL)
    return block.sign if known else 1.0


def _force(closure: Closure) -> float:
    """The force that a unit multiplier exerts at home."""
    return closure.element.length if isinstance(closure, Length) else 1.0


def block_jacobians(robot: MechanismDynamics) -> Outputs:
    """What tells why a state has no answer: of every block that solves for something, whether its bodies
    can be placed, how far it is from closing, and the side of its singularities; and the Jacobians of
    those without motors, whose singularities give the mechanism a freedom."""
    state, size, solution = robot.place, robot.model.size, robot.dynamics.solution
    driven = driven_names(robot.model)
    reach, closing, sides = [SX(0)], [SX(0)], [SX(1)]
    matrices: Outputs = {}
    for k, factor in solution.factors.items():
        block = robot.plan.blocks[k]
        reach.append(sum((ca.sum1(state.p[placing.body]) for placing in block.placings), SX(0)))
        errors = [closure.residual(state) / closure.unit(size) for closure in block.closures]
        closing.append(ca.norm_2(ca.vertcat(*errors)))
        sides.append(factor.determinant * block.sign if block.kind == "newton" else SX(1))
        if block.kind == "newton" and not driven.intersection(block.unknowns):
            n = len(block.unknowns)
            matrices[f"constraint_{k}"] = _unit_rows(robot, block, factor), (n, n)
    count = len(reach)
    found = {"reach": reach, "closing": closing, "side": sides}
    return {name: (ca.vertcat(*each), (count,)) for name, each in found.items()} | matrices


def _unit_rows(robot: MechanismDynamics, block: PlacementBlock, factor: Square) -> SX:
    """The Jacobian of a block with rows of unit length, turns as ways of the tool's joints."""
    J = ca.vertcat(*[ca.horzcat(*row) for row in factor.rows])  # type: ignore[attr-defined]
    columns = unknown_columns(block.placings)
    turning = np.array([placing.turns(k) for placing, k in columns])
    scale = np.where(turning, radius(robot.model), 1.0) if not turning.all() else np.ones(len(turning))
    size = ca.sqrt(ca.sum2(J * J))
    return times(SX(J / ca.repmat(size, 1, len(columns))), SX(ca.diag(number(1 / scale))))


class Partials(NamedTuple):
    """Derivatives of a vector by position (tangent), by velocity and by the third argument."""

    dc: SX
    dcd: SX
    third: SX


def _missing(robot: MechanismDynamics, tau: SX, cdd: SX) -> tuple[SX, SX]:
    """Derivatives of the balance Ga' tau - need, zero at this effort and acceleration, by c and cd."""
    effort, acceleration = SX.sym("effort", tau.numel()), SX.sym("acceleration", robot.dof)
    balance = robot.generalized(effort) - robot.need(acceleration)
    along = ca.jtimes(balance, robot.c, robot.layout.tangents(robot.c))
    partials = [along] if robot.cd is None else [along, ca.jacobian(balance, robot.cd)]
    found = ca.substitute(partials, [effort, acceleration], [tau, cdd])
    return found[0], found[-1]


def _is_square(robot: MechanismDynamics) -> bool:
    return len(robot.model.effort_names) == robot.dof


def derivatives_of_inverse(robot: MechanismDynamics, cdd: SX) -> Partials:
    """Of tau(c, cd, cdd)."""
    tau, d = robot.inverse(cdd), robot.dof
    if not _is_square(robot) or robot.load_shares is not None:  # the least norm changes with Ga
        along = ca.jtimes(tau, robot.c, robot.layout.tangents(robot.c))
        return Partials(along, ca.jacobian(tau, robot.velocity), ca.jacobian(tau, cdd))
    by_c, by_cd = _missing(robot, tau, cdd)
    solved = robot.efforts_for(ca.horzcat(-by_c, -by_cd, robot.mass_matrix()))
    return Partials(solved[:, 0:d], solved[:, d : 2 * d], solved[:, 2 * d :])


def by_position(robot: MechanismDynamics, cdd: SX) -> SX:
    """The first of `derivatives_of_inverse` alone."""
    tau = robot.inverse(cdd)
    if not _is_square(robot) or robot.load_shares is not None:
        return ca.jtimes(tau, robot.c, robot.layout.tangents(robot.c))
    return robot.efforts_for(-_missing(robot, tau, cdd)[0])


def derivatives_of_forward(robot: MechanismDynamics, tau: SX) -> Partials:
    """Of cdd(c, cd, tau)."""
    d, found = robot.dof, robot.forward(tau)
    if robot.load_shares is not None:
        along = ca.jtimes(found, robot.c, robot.layout.tangents(robot.c))
        return Partials(along, ca.jacobian(found, robot.velocity), ca.jacobian(found, tau))
    by_c, by_cd = _missing(robot, tau, found)
    solved = solve_symmetric(robot.mass_matrix(), ca.horzcat(by_c, by_cd, robot.actuation.T))
    return Partials(solved[:, 0:d], solved[:, d : 2 * d], solved[:, 2 * d :])


def stiffness(robot: MechanismDynamics) -> SX:
    """K (d x d): generalized force per small motion of the coordinates, in their tangent space."""
    still = robot.sharing(cd=None)
    held = by_position(still, zeros(robot.dof))
    known = {each.name: each.stiffness for each in robot.model.elements if each.stiffness is not None}
    k = [number(known.get(name, 0.0)) for name in robot.model.effort_names]
    Ga = robot.actuation
    return times(Ga.T, times(ca.diag(ca.vertcat(*k)), Ga) + held)
