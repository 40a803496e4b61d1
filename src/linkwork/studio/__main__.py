"""`python -m linkwork.studio ROBOT`."""

from __future__ import annotations

import argparse
import sys

from linkwork.cli.studio import run
from linkwork.errors import LinkworkError


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m linkwork.studio", description=run.__doc__)
    parser.add_argument("robot", help="bundled name, .yaml or .urdf")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--no-browser", action="store_true")
    given = parser.parse_args()
    try:
        run(given.robot, given.host, given.port, given.dark, not given.no_browser)
    except LinkworkError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
