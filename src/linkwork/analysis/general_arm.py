"""An arm of n revolute joints with every constant a symbol, for counting operations as the papers do.

Rotations are opaque matrices, the base moves in every way, and whatever depends on the links alone is
a symbol of its own, since it is computed off-line.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from linkwork.kernels.graph import Counts, traced_counts
from linkwork.mechanics.chain import angeles, lagrange, modified_newton_euler, newton_euler, strobing
from linkwork.mechanics.chain.chain import Chain, DenseRotation, FactoredRotation, JointTurn, Link
from linkwork.mechanics.expressions import SX, vector, zeros


def _symmetric(name: str, diagonal: bool) -> SX:
    xx, yy, zz, xy, xz, yz = (SX.sym(f"{name}{k}") for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    if diagonal:
        return ca.diag(ca.vertcat(xx, yy, zz))
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))


def _link(factored: bool, diagonal: bool) -> Link:
    c, s, lam, mu = (SX.sym(name) for name in ("c", "s", "lam", "mu"))
    dense = DenseRotation(SX.sym("R", 3, 3))
    return Link(
        revolute=True,
        rotation=FactoredRotation(c, s, lam, mu) if factored else dense,
        turn=JointTurn(c, s, SX.sym("C", 3, 3)),
        z=vector(0, mu, lam),
        m=SX.sym("m"),
        r=SX.sym("r", 3),
        rbar=SX.sym("rbar", 3),
        s=SX.sym("s", 3),
        rho=SX.sym("rho", 3),
        ms=SX.sym("ms", 3),
        I=_symmetric("I", diagonal),
        K=_symmetric("K", diagonal),
    )


def general_chain(
    n: int, *, factored: bool = False, diagonal: bool = False, free_tip: bool = True
) -> Chain:
    """Rotations by the factors of their twist, if asked, and inertias of principal axes."""
    symbols = {name: SX.sym(name, 3) for name in ("w0", "al0", "a0")}
    tip = (zeros(), zeros()) if free_tip else (SX.sym("f", 3), SX.sym("n", 3))
    return Chain(
        links=tuple(_link(factored, diagonal) for _ in range(n)),
        f_tip=tip[0],
        n_tip=tip[1],
        base_R=SX.eye(3),
        base_p=zeros(),
        **symbols,
    )


def counted(*outputs: SX) -> Counts:
    """Operations of expressions of symbols, together."""
    expression = ca.vertcat(*[ca.vec(SX(output)) for output in outputs])
    return traced_counts(ca.Function("count", [ca.vertcat(*ca.symvar(expression))], [expression]))


def _rates(n: int) -> tuple[SX, SX]:
    return SX.sym("qd", n), SX.sym("qdd", n)


def _controller(n: int, qdd: SX) -> SX:
    """qdd + Kv ed + Kp e with diagonal gains, which Lee's tables contain."""
    names = ("kv", "kp", "qd_ref", "q_ref", "qd_now", "q_now")
    kv, kp, qd_ref, q_ref, qd_now, q_now = (SX.sym(name, n) for name in names)
    return qdd + kv * (qd_ref - qd_now) + kp * (q_ref - q_now)


def _count_wrenches(chain: Chain, wrenches: Sequence[tuple[SX, SX]]) -> Counts:
    """All components of all wrenches, as the papers count, and the torques from them."""
    torques = [link.along_axis(f, n) for link, (f, n) in zip(chain.links, wrenches, strict=True)]
    return counted(*torques, *wrenches[0])


def count_newton_euler_turney(n: int, *, diagonal: bool = False) -> Counts:
    """With a full inertia as in his tables; with a diagonal one, to compare like with like."""
    chain, swing = general_chain(n, diagonal=diagonal), modified_newton_euler.swing_by_operator
    return _count_wrenches(chain, newton_euler.wrenches(chain, *_rates(n), swing))


def count_newton_euler_lee(n: int) -> Counts:
    chain, (qd, qdd) = general_chain(n), _rates(n)
    swing = newton_euler.swing_by_products
    return _count_wrenches(chain, newton_euler.wrenches(chain, qd, _controller(n, qdd), swing))


def count_modified(n: int, *, diagonal: bool) -> Counts:
    chain = general_chain(n, diagonal=diagonal)
    return _count_wrenches(chain, modified_newton_euler.wrenches(chain, *_rates(n)))


def count_lagrange(n: int) -> Counts:
    """Dense 4 x 4 products throughout; multiplying by Q is free and leaves a dense matrix."""
    qd, qdd = _rates(n)
    weights = []
    for _ in range(n):
        weight = zeros(3, 4)
        weight[2, :] = SX.sym("weight", 1, 4)  # gravity along z only
        weights.append(weight)
    pieces = lagrange.Pieces(
        T=tuple(SX.sym("T", 4, 4) for _ in range(n)),
        J=tuple(SX.sym("J", 4, 4) for _ in range(n)),
        weights=tuple(weights),
        revolute=(True,) * n,
        differentiate=lambda T, revolute: SX.sym("QT", 4, 4),
    )
    U = lagrange.Derivatives(pieces)
    return counted(*lagrange.torques_from(pieces, U, qd, qdd), *U.between.values())


def count_strobed_mass_matrix(n: int) -> Counts:
    """M column by column from the modified recursion, inputs that are zero left out: T 3 and 6."""
    return counted(strobing.mass_matrix(general_chain(n), modified_newton_euler.torques))


def count_strobed_coriolis(n: int) -> Counts:
    """All C^i from the modified recursion with one and with two velocities."""
    return counted(*strobing.coriolis_matrices(general_chain(n), modified_newton_euler.torques))


def count_angeles(n: int) -> Counts:
    """With c, cd and Q among the results, as the printed total contains them."""
    qd, qdd = _rates(n)
    chain = general_chain(n, factored=True, free_tip=False)
    base = angeles.CenterOfMassMotion(chain.w0, chain.al0, SX.sym("c0", 3), SX.sym("cd0", 3), chain.a0)
    q = SX.sym("q", n)
    motions = angeles.outward(base, SX.sym("delta0", 3), chain.links, q, qd, qdd)
    wrenches = angeles.inward(chain, q, motions)
    torques = [wrench.nu[2] for wrench in wrenches]
    rotations = [link.rotation.matrix for link in chain.links]
    first = wrenches[0]
    return counted(*torques, first.f, first.n, motions[-1].c, motions[-1].cd, *rotations)
