"""Linkwork: exact and fast dynamics of serial arms and Stewart platforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork import public
    from linkwork.public import *  # noqa: F403

    __all__ = public.__all__

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A name of `linkwork.public`, which loads when the first one is asked for.

    Loading takes half a second, and a command that lists robots or completes a word is done before.
    All names load together: the kernel cache takes the fingerprint of the source files only once.
    """
    if not name.startswith("__") or name == "__all__":
        import linkwork.public as public

        for place in (vars(public), globals()):  # globals: submodules that are loaded by now
            if name in place:
                return place[name]
    raise AttributeError(f"module 'linkwork' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
