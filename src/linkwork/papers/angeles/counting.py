"""Tables 7.1 and 7.2 row by row: what one joint of a general arm needs."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.analysis.general_arm import general_chain
from linkwork.kernels.counts import Counts
from linkwork.mechanics.arm import angeles
from linkwork.mechanics.arm.chain import Link
from linkwork.mechanics.expressions import SX, cross, times
from linkwork.papers.count_tables import cost

# Section 7.4.1, multiplications and additions as the text lists them: revolute, prismatic.
PRINTED = {
    "Q": ((4, 0), (4, 0)),
    "c": ((8, 10), (16, 15)),
    "w": ((8, 5), (8, 4)),
    "cd": ((20, 16), (14, 11)),
    "wd": ((10, 7), (8, 4)),
    "cdd": ((32, 28), (20, 19)),
}


def _link(revolute: bool) -> Link:
    return replace(general_chain(1, factored=True).links[0], revolute=revolute)


def outward_rows(revolute: bool) -> dict[str, Counts]:
    """Of one joint; what rows share belongs to the first that needs it."""
    link = _link(revolute)
    base = angeles.Motion(*(SX.sym(name, 3) for name in ("w", "wd", "c", "cd", "cdd")))
    q, qd, qdd = (SX.sym(name, 1) for name in ("q", "qd", "qdd"))
    motion = angeles.outward(base, SX.sym("delta", 3), [link], q, qd, qdd)[0]
    rows: dict[str, Counts] = {"Q": cost(link.rotation.matrix)}
    before, parts = Counts(), []
    # c of a prismatic joint forms u, which cd and cdd use as well.
    for name in ("c", "w", "cd", "wd", "cdd"):
        parts.append(getattr(motion, name))
        total = cost(ca.vertcat(*parts))
        rows[name] = Counts(
            total.multiplications - before.multiplications, total.additions - before.additions
        )
        before = total
    return rows


def inward_rows() -> dict[str, Counts]:
    """Rows 1, 2, 5, 6 and 7 of Algorithm 7.4.2."""
    link = _link(True)
    w, wd, cdd, f, n, phi, delta = (
        SX.sym(name, 3) for name in ("w", "wd", "cdd", "f", "n", "phi", "delta")
    )
    inertial = times(link.I, wd) + cross(w, times(link.I, w))
    own = inertial + cross(link.rho, f)
    passed = link.rotation.to_parent(n) + cross(delta, phi)
    return {
        "row 1": cost(link.m * cdd - f),
        "row 2": cost(own - n),
        "row 5": cost(link.rotation.to_parent(f)),
        "row 6": cost(link.m * cdd + phi),
        "row 7": cost(own + passed),
    }
