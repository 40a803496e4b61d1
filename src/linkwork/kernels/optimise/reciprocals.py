"""Reciprocals that follow from others: 1/(a b) = 1/a 1/b, and 1/y = (1/sqrt y)^2.

Only reciprocals that are needed anyway serve, so every use saves a division. 1/a = b 1/(a b) is not
used: where b is zero it would spoil a good 1/a.
"""

from __future__ import annotations

from linkwork.kernels.optimise.expressions import Expressions, Rewriting


def derived_reciprocals(source: Expressions) -> Expressions:
    """Fewer inverses, if some follow from others."""
    kinds, parts = source.kinds, source.parts
    inverted = {parts[k][0] >> 1 for k in source.needed if kinds[k] == "inverse"}
    roots = {parts[k][0]: 2 * k for k in inverted if kinds[k] == "sqrt"}
    squares = {k for k in inverted if 2 * k in roots and roots[2 * k] not in roots}
    products = {
        k for k in inverted if kinds[k] == "product" and all(p >> 1 in inverted for p in parts[k])
    } - squares
    if not squares and not products:
        return source
    rewriting = Rewriting(source)
    target = rewriting.target

    def inverse(literal: int) -> int:
        index, value = literal >> 1, rewriting(literal)
        if index in squares:
            r = target.inverse(target.item("sqrt", (value,)))
            return target.product((r, r))
        if index in products:
            return target.product([inverse(part) for part in parts[index]])
        return target.inverse(value)

    for index in source.needed:
        if kinds[index] == "inverse":
            rewriting.moved[index] = inverse(parts[index][0])
        else:
            rewriting.copy(index)
    return rewriting.finished()
