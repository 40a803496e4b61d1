"""Factoring: a b + a c = a (b + c) saves a multiplication, 2 a + 3 a = 5 a an addition too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from linkwork.kernels.optimize.expressions import Expressions, Rewriting


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


class Term:
    """A term of a sum as its factors; `loose` if nothing else needs their product."""

    __slots__ = ("factors", "loose", "sign")

    def __init__(self, sign: int, factors: list[int], loose: bool) -> None:
        self.sign = sign
        self.factors = factors
        self.loose = loose

    def without(self, factor: int) -> Term:
        rest = list(self.factors)
        rest.remove(factor)
        return Term(self.sign, rest, True)


def factored(source: Expressions) -> Expressions:
    """Every sum with its common factors taken out, the most frequent first."""
    promising = {k for k in source.needed if source.kinds[k] == "sum" and _is_promising(source, k)}
    if not promising:
        return source
    rewriting = Rewriting(source)
    for index in source.needed:
        if index in promising:
            terms = [_term(source, part, rewriting) for part in source.parts[index]]
            rewriting.moved[index] = _sum(rewriting.target, terms)
        else:
            rewriting.copy(index)
    return rewriting.finished()


def _is_promising(source: Expressions, index: int) -> bool:
    """Whether factors can be taken out of a sum."""
    seen: set[int] = set()
    for part in source.parts[index]:
        factors = source.parts[part >> 1] if _is_loose(source, part) else (part & ~1,)
        if not seen.isdisjoint(factors):
            break
        seen.update(factors)
    else:
        return False
    terms = [_term(source, part, lambda literal: literal) for part in source.parts[index]]
    return bool(_best(source, terms)[1])


def _is_loose(source: Expressions, part: int) -> bool:
    return source.kinds[part >> 1] == "product" and source.uses[part >> 1] == 1


def _term(source: Expressions, part: int, moved: Callable[[int], int]) -> Term:
    if _is_loose(source, part):
        literals = [moved(factor) for factor in source.parts[part >> 1]]
        return Term((part ^ sum(literals)) & 1, [literal & ~1 for literal in literals], True)
    literal = moved(part)
    return Term(literal & 1, [literal & ~1], False)


def _sum(target: Expressions, terms: list[Term]) -> int:
    """The sum of terms, factored as long as that saves an operation."""
    while len(terms) > 1:
        factor, members = _best(target, terms)
        if not members:
            break
        inner = _sum(target, [terms[k].without(factor) for k in members])
        inside = set(members)
        terms = [term for k, term in enumerate(terms) if k not in inside]
        if target.kinds[inner >> 1] == "product":
            terms.append(Term(inner & 1, [factor, *target.parts[inner >> 1]], True))
        else:
            terms.append(Term(inner & 1, [factor, inner & ~1], True))
    return target.sum([target.product(term.factors) ^ term.sign for term in terms])


def _best(target: Expressions, terms: list[Term]) -> tuple[int, list[int]]:
    """The factor whose removal saves most, and the terms to take it from; no terms if none saves."""
    frequent = Counter(factor for term in terms for factor in set(term.factors))
    best: tuple[int, list[int]] = (-1, [])
    most = 0
    for factor in sorted(factor for factor, count in frequent.items() if count > 1):
        found = [k for k, term in enumerate(terms) if factor in term.factors]
        # Terms that are constant multiples of the factor become one.
        multiples = [k for k in found if _is_multiple(target, terms[k], factor)]
        loose = [k for k in found if terms[k].loose and len(terms[k].factors) > 1]
        saved = len(loose) - 1 + max(0, len(multiples) - 1)
        if saved > most:
            chosen = sorted({*loose, *multiples}) if len(multiples) > 1 else loose
            best, most = (factor, chosen), saved
    return best


def _is_multiple(target: Expressions, term: Term, factor: int) -> bool:
    if len(term.factors) == 1:
        return True
    if len(term.factors) > 2:
        return False
    a, b = term.factors
    return (b if a == factor else a) >> 1 in target.numbers
