"""linkwork motions: what is bundled."""

from __future__ import annotations

from linkwork.cli.options import AsJson
from linkwork.cli.output import print_json, print_table


def motions(json: AsJson = False) -> None:
    """List the bundled motions.

    \b
    Example:
      linkwork motions
    """
    from linkwork.motion.bundled import BUNDLED

    rows = [{"name": m.name, "robots": m.robots, "what": m.what} for m in BUNDLED.values()]
    if json:
        print_json(rows)
        return
    print_table(("name", "for", "what"), [tuple(row.values()) for row in rows], left=("for", "what"))
