"""One benchmark in this process: its results as lines of JSON, in the order in which they are measured.

python -m benchmarks.measure NAME FILE
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import linkwork as lw


def main(name: str, file: Path) -> None:
    lw.set_threads(1)
    with file.open("w", encoding="utf-8") as stream:
        for each in importlib.import_module(name).results():
            stream.write(json.dumps(each.entry()) + "\n")
            stream.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
