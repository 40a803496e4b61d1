"""Fewer operations for the same values: constants, factors, pairs and reciprocals are shared.

Graph -> collections (reading) -> passes (reciprocals, factoring, pairs) -> graph (writing). Results
differ from those of the graph as given by rounding only; comparisons and choices are left alone.
"""

from __future__ import annotations

from linkwork.kernels.graph import Counts, Graph, graph_counts
from linkwork.kernels.optimize.expressions import flattened, read
from linkwork.kernels.optimize.factoring import derived_reciprocals, factored
from linkwork.kernels.optimize.pairs import shared_pairs
from linkwork.kernels.optimize.writing import written

# A round finds what the one before made possible, mostly little. Making a large kernel is not to wait
# for that.
ROUNDS = 4
LARGE = 2000


def optimized(graph: Graph) -> Graph:
    """An equivalent graph with as few operations as the passes find, never more than before."""
    expressions = read(graph)
    for _ in range(ROUNDS if len(graph.nodes) < LARGE else 1):
        before = expressions
        for improve in (flattened, derived_reciprocals, factored, shared_pairs):
            expressions = improve(expressions)
        if expressions is before:
            break
    result = written(expressions, graph)
    return result if _no_worse(graph_counts(result), graph_counts(graph)) else graph


def _no_worse(new: Counts, old: Counts) -> bool:
    """No more operations in all. A multiplication may replace a division, never the reverse."""
    return (
        new.divisions <= old.divisions
        and new.square_roots <= old.square_roots
        and _total(new) <= _total(old)
    )


def _total(counts: Counts) -> int:
    return counts.flops + counts.divisions + counts.square_roots
