"""linkwork cache: what the kernel cache holds."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from linkwork.cli.options import AsJson
from linkwork.cli.output import print_json


def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete all entries, plans of `lw.minimise` included.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Show the cache of compiled kernels, or clear it.

    Kernels that are missing are compiled again when a robot needs them. LINKWORK_CACHE chooses the
    folder ('off' for none), LINKWORK_CACHE_LIMIT the size in MiB; the least recently used go first.

    \b
    Example:
      linkwork cache
    """
    from linkwork.kernels import cache_size
    from linkwork.kernels.cache import CACHE_VARIABLE, cache_folder

    folder = cache_folder()
    deleted = cache_size.clear(folder) if clear and folder else []
    files = cache_size.files(folder) if folder else []
    kinds = Counter(file.kind for file in files)
    facts: dict[str, Any] = {
        "folder": None if folder is None else str(folder),
        **{name: kinds[kind] for kind, name in cache_size.KINDS.items()},
        "size": sum(file.size for file in files),
        "limit": cache_size.limit(),
    }
    if clear:
        facts["deleted"] = len(deleted)
    if json:
        print_json(facts)
        return
    off = f"off ({CACHE_VARIABLE} says so, or the folder is not yours alone)"
    shown = {**facts, "folder": folder or off}
    shown |= {name: f"{facts[name] / cache_size.MEBIBYTE:.1f} MiB" for name in ("size", "limit")}
    width = max(map(len, shown))
    for name, value in shown.items():
        print(f"{name:<{width}}  {value}")
