"""Colours of the studio: told apart by every eye (Okabe and Ito), on light and on dark."""

from __future__ import annotations

import numpy as np

from linkwork.simulation.plot import COLOURS

RGB = tuple[int, int, int]

PUSH: RGB = (0, 114, 178)
PULL: RGB = (230, 159, 0)
IDLE: RGB = (170, 174, 180)
BROKEN: RGB = (214, 40, 40)
METAL: RGB = (196, 200, 206)
BODY: RGB = (92, 103, 120)
BASE: RGB = (70, 78, 92)
JOINT: RGB = (52, 58, 70)
GHOST: RGB = (0, 158, 115)
FORCE: RGB = (0, 140, 100)
MOMENT: RGB = (150, 45, 125)
GRID_LIGHT: tuple[RGB, RGB] = (215, 218, 222), (165, 170, 178)  # of cells, of sections
GRID_DARK: tuple[RGB, RGB] = (48, 50, 54), (76, 80, 86)
# The last of the list is black, which nobody sees on a dark page.
LINES = COLOURS[:6]
GRADES = {"good": "#009E73", "fair": "#E69F00", "poor": "#D55E00", "singular": "#D62828"}


def hexadecimal(colour: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def effort_colour(value: float, scale: float, broken: bool) -> RGB:
    """Grey without effort, blue for a positive one, amber for a negative one; red beyond a limit."""
    if broken:
        return BROKEN
    if not np.isfinite(value):
        return IDLE
    share = min(abs(value) / scale, 1.0) ** 0.7 if scale > 0 else 0.0
    full = PUSH if value > 0 else PULL
    mixed = [round(a + (b - a) * share) for a, b in zip(IDLE, full, strict=True)]
    return mixed[0], mixed[1], mixed[2]
