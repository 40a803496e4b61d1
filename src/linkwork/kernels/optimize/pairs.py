"""Pairs that several collections have in common are computed once, the most frequent pair first.

a + b + c and a + b - d share a + b, and a - b + c shares it with b - a + d up to sign. The greedy rule
is Breuer's; a heap finds the next pair, and only members of several collections are looked at.
"""

from __future__ import annotations

import heapq
from collections import Counter

from linkwork.kernels.optimize.expressions import Expressions, Parts, Rewriting

Pair = tuple[int, int]


def _pair(x: int, y: int) -> tuple[Pair, int]:
    """Two members with the first positive, and the sign that was taken out."""
    if y < x:
        x, y = y, x
    sign = x & 1
    return (x ^ sign, y ^ sign), sign


class _Sharing:
    """Collections while pairs are taken out of them. Pairs are numbered on from `first`."""

    def __init__(self, collections: list[Parts], first: int) -> None:
        self.first = first
        self.pairs: list[Pair] = []
        self.homes: dict[Pair, dict[int, None]] = {}
        self.changed: dict[int, None] = {}
        self.collections: list[list[int]] = [list(members) for members in collections]
        seen = Counter([member >> 1 for members in collections for member in members])
        # Members of one collection alone are in no common pair.
        self.common: list[list[int]] = [
            [member for member in members if seen[member >> 1] > 1] for members in collections
        ]
        for home, members in enumerate(self.common):
            for k, x in enumerate(members):
                for y in members[k + 1 :]:
                    self.homes.setdefault(_pair(x, y)[0], {})[home] = None
        self.heap = [(-len(homes), pair) for pair, homes in self.homes.items() if len(homes) > 1]
        heapq.heapify(self.heap)

    def run(self) -> None:
        while self.heap:
            size, pair = heapq.heappop(self.heap)
            homes = self.homes[pair]
            if len(homes) == -size:
                self._take_out(pair)
            elif len(homes) > 1:
                heapq.heappush(self.heap, (-len(homes), pair))

    def _take_out(self, pair: Pair) -> None:
        new = 2 * (self.first + len(self.pairs))
        self.pairs.append(pair)
        grown: dict[Pair, None] = {}
        for home in list(self.homes[pair]):
            members = self.common[home]
            sign = 0 if _holds(members, pair, 0) else 1
            x, y = pair[0] ^ sign, pair[1] ^ sign
            rest = list(members)
            rest.remove(x)
            rest.remove(y)
            for gone in (x, y):
                for other in members:
                    self.homes.get(_pair(gone, other)[0], {}).pop(home, None)
            self.changed[home] = None
            whole = self.collections[home]
            whole.remove(x)
            whole.remove(y)
            added = new ^ sign
            whole.append(added)
            for again in {x, y}.intersection(rest):  # powers: x x x
                for other in rest:
                    if other != again or rest.count(again) > 1:
                        self.homes[_pair(again, other)[0]][home] = None
            for other in rest:
                key = _pair(added, other)[0]
                self.homes.setdefault(key, {})[home] = None
                grown[key] = None
            rest.append(added)
            self.common[home] = rest
        for key in grown:
            if len(self.homes[key]) > 1:
                heapq.heappush(self.heap, (-len(self.homes[key]), key))


def _holds(members: list[int], pair: Pair, sign: int) -> bool:
    x, y = pair[0] ^ sign, pair[1] ^ sign
    return x in members and y in members and (x != y or members.count(x) > 1)


def shared_pairs(source: Expressions) -> Expressions:
    """Common pairs of sums, and of products, as items of their own."""
    members: dict[int, list[int]] = {}
    pairs: list[tuple[str, Pair]] = []
    for kind in ("product", "sum"):
        chosen = [k for k in source.needed if source.kinds[k] == kind]
        sharing = _Sharing([source.parts[k] for k in chosen], len(source.kinds) + len(pairs))
        sharing.run()
        pairs += [(kind, pair) for pair in sharing.pairs]
        members |= {chosen[home]: sharing.collections[home] for home in sharing.changed}
    if not pairs:
        return source
    rewriting = Rewriting(source)
    rewriting.moved += [-1] * len(pairs)

    def resolve(literal: int) -> int:
        index = literal >> 1
        if rewriting.moved[index] < 0:  # a pair: what it consists of is known by now
            kind, pair = pairs[index - len(source.kinds)]
            rewriting.moved[index] = rewriting.target.made(kind, [resolve(part) for part in pair])
        return rewriting(literal)

    for index in source.needed:
        if index in members:
            parts = [resolve(part) for part in members[index]]
            rewriting.moved[index] = rewriting.target.made(source.kinds[index], parts)
        else:
            rewriting.copy(index)
    return rewriting.finished()
