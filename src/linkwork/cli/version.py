"""linkwork --version."""

from __future__ import annotations

from linkwork.cli.output import print_json


def show_version(as_json: bool) -> None:
    """Everything that decides what the kernels are, and where they are kept."""
    import os
    import platform

    import casadi
    import llvmlite.binding as llvm

    from linkwork import __version__
    from linkwork.kernels.cache import cache_folder
    from linkwork.kernels.target import host_target

    target = host_target()
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
    words = {**facts, "features": " ".join(vector), "cache": folder or "off"}
    width = max(map(len, words))
    for name, value in words.items():
        print(f"{name:<{width}}  {value}")
