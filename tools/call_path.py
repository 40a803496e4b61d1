"""The modules that one call of inverse dynamics passes, in the order in which they are first entered.

    python -m tools.call_path [robot]

Three calls: with an empty kernel cache, so that everything is made; of a robot loaded again, whose
kernel the cache holds; of the same robot once more. docs/architecture.md follows the same way.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import linkwork
import linkwork as lw

PACKAGE = Path(linkwork.__file__).parent


def modules_of(call: Callable[[], object]) -> list[str]:
    """Modules of the package in which functions ran, in order of first entry."""
    found: dict[str, None] = {}

    def enter(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            found[path.relative_to(PACKAGE).with_suffix("").as_posix()] = None

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(found)


def main(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        os.environ["LINKWORK_CACHE"] = folder
        for title in ("cold: nothing is in the cache", "the cache holds the kernel"):
            robot = lw.load(name)
            state = [robot.home, *np.zeros((2, len(robot.velocities)))]
            modules = modules_of(partial(robot.inverse_dynamics, *state))
            print(f"{title}: {len(modules)} modules\n  " + "\n  ".join(modules))
        modules = modules_of(partial(robot.inverse_dynamics, *state))
        print("warm, the same robot again:\n  " + "\n  ".join(modules))


if __name__ == "__main__":
    main(*sys.argv[1:] or ["puma560"])
