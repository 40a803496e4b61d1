"""Environment variables that change how kernels are made and called, for one process."""

from __future__ import annotations

import os

from linkwork.core.errors import InputError


def switched_off(variable: str) -> bool:
    """Whether a variable whose values are on and off, with on as the default, is off."""
    setting = os.environ.get(variable) or "on"
    if setting not in ("on", "off"):
        raise InputError(f"{variable} = {setting!r}: expected on or off. Unset it for on.")
    return setting == "off"
