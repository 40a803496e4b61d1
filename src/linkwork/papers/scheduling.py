"""How many steps a graph of operations takes on several processors that share their results at once."""

from __future__ import annotations

from heapq import heappop, heappush

from linkwork.kernels.counts import COUNTED
from linkwork.kernels.graph import Graph


def _waiting(graph: Graph) -> tuple[list[list[int]], list[int]]:
    """For every node the counted ones it waits for, and which are counted; signs are free."""
    sources: list[list[int]] = []
    counted = []
    for k, node in enumerate(graph.nodes):
        needed: list[int] = []
        for below in (node.a, node.b):
            if below >= 0:
                needed += [below] if graph.nodes[below].op in COUNTED else sources[below]
        sources.append(needed)
        if node.op in COUNTED:
            counted.append(k)
    return sources, counted


def steps(graph: Graph, processors: int) -> int:
    """Steps of one multiplication or addition each; whatever waits longest for its end comes first.

    Hu's rule: ready operations start in the order of their longest chain to a result, which no schedule
    beats by more than a part of that chain.
    """
    sources, counted = _waiting(graph)
    users: dict[int, list[int]] = {k: [] for k in counted}
    missing = {}
    for k in counted:
        needed = set(sources[k])
        missing[k] = len(needed)
        for source in needed:
            users[source].append(k)
    height: dict[int, int] = {}
    for k in reversed(counted):
        height[k] = 1 + max((height[user] for user in users[k]), default=0)
    ready: list[tuple[int, int]] = []
    for k in counted:
        if not missing[k]:
            heappush(ready, (-height[k], k))
    count = 0
    while ready:
        started = [heappop(ready)[1] for _ in range(min(processors, len(ready)))]
        count += 1
        for k in started:
            for user in users[k]:
                missing[user] -= 1
                if not missing[user]:
                    heappush(ready, (-height[user], user))
    return count
