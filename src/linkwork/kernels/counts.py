"""How much work an expression is: operations by kind, and the longest chain of them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.kernels.graph import Graph

# A square is a multiplication, doubling an addition, a difference an addition; negation is free.
COUNTED = {
    "mul": "multiplications",
    "add": "additions",
    "sub": "additions",
    "div": "divisions",
    "sqrt": "square_roots",
}
TRACED = {
    ca.OP_MUL: "multiplications", ca.OP_SQ: "multiplications", ca.OP_ADD: "additions",
    ca.OP_SUB: "additions", ca.OP_TWICE: "additions", ca.OP_DIV: "divisions",
    ca.OP_INV: "divisions", ca.OP_SQRT: "square_roots",
}  # fmt: skip


@dataclass(frozen=True)
class Counts:
    """Operations of an expression. `sine_cosines` counts angles: the pair comes from one reduction."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    square_roots: int = 0
    sine_cosines: int = 0

    @property
    def flops(self) -> int:
        """Multiplications plus additions, the papers' measure."""
        return self.multiplications + self.additions


def graph_counts(graph: Graph) -> Counts:
    """Operations after common subexpressions are shared: what the kernel computes."""
    totals = dict.fromkeys(COUNTED.values(), 0)
    angles = set()
    for node in graph.nodes:
        if node.op in COUNTED:
            totals[COUNTED[node.op]] += 1
        elif node.op in ("sin", "cos"):
            angles.add(node.a)
    return Counts(**totals, sine_cosines=len(angles))


def traced_counts(function: ca.Function) -> Counts:
    """Operations of the expression as written, before common subexpressions are shared."""
    totals = dict.fromkeys(COUNTED.values(), 0)
    trigonometric = 0
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        if op in TRACED:
            totals[TRACED[op]] += 1
        elif op == ca.OP_SIN:
            trigonometric += 1
    return Counts(**totals, sine_cosines=trigonometric)


def depth(graph: Graph) -> int:
    """Length of the longest chain of operations that wait for each other."""
    levels: list[int] = []
    for node in graph.nodes:
        below = max((levels[k] for k in (node.a, node.b) if k >= 0), default=0)
        counted = node.op in COUNTED or node.op in ("sin", "cos")
        levels.append(below + counted)
    return max(levels, default=0)
