"""linkwork cache and linkwork --version: what the kernel cache holds, and what kernels depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from linkwork.cli.arguments import AsJson
from linkwork.cli.output import print_json


def cache(
    clear: Annotated[
        bool,
        typer.Option("--clear", help="Delete all entries, also plans of `minimize_operations`."),
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
    from linkwork.kernels import cache as disk
    from linkwork.kernels.cache import CACHE_VARIABLE, cache_folder

    folder = cache_folder()
    deleted = disk.clear(folder) if clear and folder else []
    files = disk.files(folder) if folder else []
    kinds = Counter(file.kind for file in files)
    facts: dict[str, Any] = {
        "folder": None if folder is None else str(folder),
        **{name: kinds[kind] for kind, name in disk.KINDS.items()},
        "size": sum(file.size for file in files),
        "limit": disk.limit(),
    }
    if clear:
        facts["deleted"] = len(deleted)
    if json:
        print_json(facts)
        return
    off = f"off ({CACHE_VARIABLE} says so, or the folder is not yours alone)"
    shown = {**facts, "folder": folder or off}
    shown |= {name: f"{facts[name] / disk.MEBIBYTE:.1f} MiB" for name in ("size", "limit")}
    _print_pairs(shown)


def _print_pairs(shown: Mapping[str, object]) -> None:
    width = max(map(len, shown))
    for name, value in shown.items():
        print(f"{name:<{width}}  {value}")


def show_version(as_json: bool) -> None:
    """Everything that decides what the kernels are, and where they are kept."""
    import os
    import platform

    import casadi
    import llvmlite.binding as llvm

    from linkwork import __version__
    from linkwork.kernels.cache import cache_folder
    from linkwork.kernels.machine import host

    target = host()
    features = [name[1:] for name in target.features.split(",") if name.startswith("+")]
    folder = cache_folder()
    facts = {
        "linkwork": __version__,
        "python": platform.python_version(),
        "casadi": casadi.CasadiMeta.version(),
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        "system": platform.platform(),
        "cpu": target.cpu,
        "cores": os.cpu_count(),
        "lanes": target.lanes,
        "features": features,
        "cache": None if folder is None else str(folder),
    }
    if as_json:
        print_json(facts)
        return
    vector = [name for name in features if name.startswith(("sse", "avx", "fma", "neon", "sve"))]
    _print_pairs({**facts, "features": " ".join(vector), "cache": folder or "off"})
