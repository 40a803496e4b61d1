"""linkwork robots and linkwork motions: what is bundled."""

from __future__ import annotations

from typing import Any

from linkwork.cli.arguments import AsJson
from linkwork.cli.output import print_json, print_table

SHORT = {"stewart-platform": "platform", "parallel-robot": "parallel"}  # in a narrow table


def robots(json: AsJson = False) -> None:
    """List the bundled robots.

    \b
    Example:
      linkwork robots
    """
    from linkwork.core.text import number
    from linkwork.model.bundled import KIND_NAMES, bundled_names
    from linkwork.model.robot_files import load_model

    kinds = {name: kind for kind in KIND_NAMES for name in bundled_names(kind)}
    models = [load_model(name) for name in bundled_names()]
    rows: list[dict[str, Any]] = [
        {
            "name": model.name,
            "kind": kinds[model.name],
            "joints": model.in_brief,
            "mass": model.mass,
            "source": " ".join(model.source.split()),
        }
        for model in models
    ]
    if json:
        print_json(rows)
        return
    print_table(
        ("name", "kind", "joints", "mass [kg]", "source"),
        [
            (r["name"], SHORT.get(r["kind"], r["kind"]), r["joints"], number(r["mass"]), r["source"])
            for r in rows
        ],
        left=("kind", "joints", "source"),
    )


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
