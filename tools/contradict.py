"""Random samples against certificates: python -m tools.contradict [SAMPLES]

Regions that come as near to the limits as is proven are sampled at random, by the robot's own margins in
floating point. Prints how many samples of how many contradict what was proven: it must be none.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.kinematics.singularity import dimensionless_jacobian

AT_ONCE = 200_000
SLACK = 1e-9  # of margins, which are computed in floating point and end exactly at limits
HALVINGS = 7
CASES = {
    "simona": {"condition": 8.0, "leg_diameter": 0.12},
    "pi-h811": {},
    "delta": {"condition": 4.0},
    "par4": {"condition": 6.0},
}


def widest(robot: lw.Robot, asked: dict[str, float]) -> lw.Certification:
    """The widest box about home, all directions alike, that is proven with few boxes."""
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    names, units = robot.coordinates.by_angles.names, robot.coordinates.by_angles.units
    scale = np.where(np.array(units) == "rad", 1.0, robot.size)
    least, most, best = 0.0, 0.3, None
    for _ in range(HALVINGS):
        away = (least + most) / 2
        low, high = home - away * scale, home + away * scale
        region = {name: [low[k], high[k]] for k, name in enumerate(names)}
        found = lw.certify(robot, region, boxes=30_000, smallest=0.01, **asked)  # type: ignore[arg-type]
        if found.verdict == "proven":
            least, best = away, found
        else:
            most = away
    assert best is not None
    return best


def contradictions(found: lw.Certification, samples: int, asked: dict[str, float]) -> Iterator[int]:
    """Of every part of the samples, how many break what was proven."""
    robot, rng = found.robot, np.random.default_rng(1)
    low, high = np.array([*found.region.values()]).T
    thick: dict[str, Any] = {"leg_diameter": asked["leg_diameter"]} if "leg_diameter" in asked else {}
    for start in range(0, samples, AT_ONCE):
        count = min(AT_ONCE, samples - start)
        c = robot.coordinates.from_angles(rng.uniform(low, high, (count, len(low))))
        broken = robot.margins(c, **thick).least < -SLACK
        if "condition" in asked:
            some = slice(0, count, 10)  # they take ten times as long
            number = np.linalg.cond(dimensionless_jacobian(robot, c[some]))
            broken[some] |= number > asked["condition"] * (1 + SLACK)
        yield int(broken.sum())


def main(samples: int) -> int:
    total = 0
    for name, asked in CASES.items():
        begun = time.perf_counter()
        found = widest(lw.load(name), asked)
        wrong = sum(contradictions(found, samples // len(CASES), asked))
        total += wrong
        print(
            f"{found}: {wrong} of {samples // len(CASES)} samples contradict it "
            f"({time.perf_counter() - begun:.0f} s)",
            flush=True,
        )
    print(f"{total} contradictions in all")
    return 1 if total else 0


if __name__ == "__main__":
    raise SystemExit(main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000))
