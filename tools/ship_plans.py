"""Search the plans of fewest operations for the bundled arms and write the file that ships them.

    python -m tools.ship_plans [evaluations] [robot ...]

Takes about a minute per arm for 30,000 evaluations. A plan in the file is the start of the search for
its robot and is only replaced by a better one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import linkwork as lw
from linkwork.robot.loading import SHIPPED, digest

FILE = Path(lw.__file__).parent / "model" / "library" / SHIPPED


def main(evaluations: int, robots: list[str]) -> None:
    for name in robots or lw.bundled_names("arm"):
        arm = lw.minimize_operations(lw.load_arm(name), evaluations=evaluations, store=False)
        counts = arm.kernel("inverse_dynamics", friction=False, rotors=False).counts
        plans = json.loads(FILE.read_text("utf-8"))
        plans[name] = {"digest": digest(arm.model), "plan": json.loads(arm.model.operation_plan)}
        FILE.write_text(json.dumps(plans, indent=1, sort_keys=True) + "\n", "utf-8")
        print(f"{name}: {counts.multiplications} + {counts.additions}", flush=True)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
    main(count, sys.argv[2:])
