"""`python -m linkwork.studio ROBOT` is `linkwork studio ROBOT`."""

from __future__ import annotations

import sys

from linkwork.cli.running import run

sys.exit(run(["studio", *sys.argv[1:]]))
