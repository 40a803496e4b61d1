"""Linkwork: exact and fast dynamics of arms, parallel robots and mechanisms with loops and branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork import public
    from linkwork.public import *  # noqa: F403

    __all__ = public.__all__

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A name of `linkwork.public`; its module loads when the name is first asked for."""
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'linkwork' has no attribute {name!r}")
    import linkwork.public as public

    value = globals()[name] = getattr(public, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
