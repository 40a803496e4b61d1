"""The main calls of arms, platforms and mechanisms; run as a script, it saves what they give."""

from __future__ import annotations

import sys

import numpy as np

import linkwork as lw


def main_calls() -> dict[str, np.ndarray]:
    """Results by name: one state, few, many, broadcast, lists, given arrays, a loop, NaN."""
    results: dict[str, np.ndarray] = {}
    for name in ("ur5", "dasgupta1998", "delta"):
        robot = lw.load(name)
        inverse = robot.kernel("inverse_dynamics")
        rows = robot.random_states(30)
        one = tuple(row[0] for row in rows)
        results[f"{name} one"] = robot.inverse_dynamics(*one)
        results[f"{name} list"] = robot.inverse_dynamics(*[list(part) for part in one])
        results[f"{name} few"] = robot.inverse_dynamics(*rows)
        results[f"{name} broadcast"] = robot.inverse_dynamics(rows[0], one[1], rows[2])
        many = tuple(np.tile(row, (2000, 1)) for row in rows)
        results[f"{name} many"] = robot.inverse_dynamics(*many)
        out = np.zeros((30, len(results[f"{name} one"])))
        results[f"{name} out"] = robot.inverse_dynamics(*rows, out=out)
        bad = rows[0].copy()
        bad[3, 0] = np.nan
        results[f"{name} nan"] = robot.inverse_dynamics(bad, *rows[1:], errors="nan")
        results[f"{name} forward"] = robot.forward_dynamics(*rows[:2], results[f"{name} few"])
        results[f"{name} matrix"] = robot.mass_matrix(many[0])
        loop = inverse.bind()
        assert not loop(*one)
        (results[f"{name} loop"],) = (np.array(getattr(loop, key)) for key in inverse.outputs)
    return results


if __name__ == "__main__":
    np.savez(sys.argv[1], **main_calls())
