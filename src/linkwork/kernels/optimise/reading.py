"""From a graph to collections: chains of additions and multiplications become sums and products."""

from __future__ import annotations

from linkwork.kernels.graph import Graph, Node
from linkwork.kernels.optimise.expressions import Expressions, Rewriting

EVEN = {"cos", "abs"}
ODD = {"sin", "tan", "sign", "atan", "asin", "tanh"}
COLLECTIONS = {"sum", "product"}


def _literal(expressions: Expressions, node: Node, a: int, b: int) -> int:
    op = node.op
    if op == "mul":
        return expressions.product((a, b))
    if op == "add":
        return expressions.sum((a, b))
    if op == "sub":
        return expressions.sum((a, b ^ 1))
    if op == "const":
        return expressions.constant(node.value[0])
    if op == "input":
        return expressions.item("input", value=node.value)
    if op == "neg":
        return a ^ 1
    if op == "div":
        return expressions.product((a, expressions.inverse(b)))
    if op in EVEN:
        return expressions.item(op, (a & ~1,))
    if op in ODD:
        return expressions.item(op, (a & ~1,)) ^ (a & 1)
    return expressions.item(op, (a,) if node.b < 0 else (a, b))


def read(graph: Graph) -> Expressions:
    """The outputs of a graph, one column after the other."""
    expressions = Expressions()
    literals: list[int] = []
    for node in graph.nodes:
        a = literals[node.a] if node.a >= 0 else -1
        b = literals[node.b] if node.b >= 0 else -1
        literals.append(_literal(expressions, node, a, b))
    expressions.outputs = [literals[index] for column in graph.outputs for index in column]
    return expressions


def flattened(source: Expressions) -> Expressions:
    """Sums within sums and products within products dissolve where nothing else needs them."""
    kinds, uses = source.kinds, source.uses
    dissolved = {
        part >> 1
        for index in source.needed
        if kinds[index] in COLLECTIONS
        for part in source.parts[index]
        if kinds[part >> 1] == kinds[index] and uses[part >> 1] == 1
    }
    if not dissolved:
        return source
    rewriting = Rewriting(source)
    pieces: dict[int, list[int]] = {}  # what a dissolved item leaves behind
    for index in source.needed:
        if index not in dissolved and kinds[index] not in COLLECTIONS:
            rewriting.copy(index)
            continue
        parts: list[int] = []
        for part in source.parts[index]:
            if part >> 1 in dissolved and kinds[part >> 1] == kinds[index]:
                sign = part & 1
                parts += [piece ^ sign for piece in pieces[part >> 1]]
            else:
                parts.append(rewriting(part))
        if index in dissolved:
            pieces[index] = parts
        else:
            rewriting.moved[index] = rewriting.target.made(kinds[index], parts)
    return rewriting.finished()
