"""Sparse linear systems in numbers of extended precision."""

from __future__ import annotations

from linkwork.mechanics.arm.minimal.null_space import Number


def solve_sparse(system: list[tuple[dict[int, Number], Number]]) -> list[Number]:
    """Elimination with rows as dictionaries, since each holds few of the unknowns."""
    waiting = [(dict(row), right) for row, right in system]
    eliminated: list[tuple[int, dict[int, Number], Number]] = []
    while waiting:
        # The row with fewest unknowns, and its largest one.
        place = min(range(len(waiting)), key=lambda k: len(waiting[k][0]) or len(system) + 1)
        row, right = waiting.pop(place)
        if not row:
            raise ValueError("the conditions do not determine the parameters")
        pivot = max(row, key=lambda j: abs(row[j]))
        eliminated.append((pivot, row, right))
        for k, (other, value) in enumerate(waiting):
            if pivot in other:
                factor = other.pop(pivot) / row[pivot]
                for j, x in row.items():
                    if j != pivot:
                        other[j] = other.get(j, 0) - factor * x
                waiting[k] = (other, value - factor * right)
    solution: dict[int, Number] = {}
    for pivot, row, right in reversed(eliminated):
        known = sum((x * solution[j] for j, x in row.items() if j != pivot), 0 * right)
        solution[pivot] = (right - known) / row[pivot]
    return [solution[j] for j in sorted(solution)]
