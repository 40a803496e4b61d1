"""A figure as SVG inside a page: ids of its own, colors that follow the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from linkwork.drawing.style import COLORS, GRID, INK, MUTED, PAPER, VIOLATION, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colors of the house style, and the variable of the page that takes their place.
VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    PAPER: "--paper",
    VIOLATION: "--violation",
    "#000000": "--ink",
    **{color.lower(): f"--c{k}" for k, color in enumerate(COLORS[:-1])},
}
NUMBER = re.compile(r"-?\d+\.\d{3,}")
IDS = re.compile(r'(\bid="|href="#|url\(#)')


def standalone_svg(figure: Figure) -> str:
    """A whole SVG file, light."""
    return _shorter(render(figure, "svg").decode())


def inline_svg(drawing: str, name: str, label: str) -> str:
    """The element <svg> of a file made by `standalone_svg`, to stand in a page.

    `name` makes its ids unique there; `label` (escaped) is what a screen reader says.
    """
    element = drawing[drawing.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = IDS.sub(lambda match: f"{match[1]}{name}-", element)
    for color, variable in VARIABLES.items():
        element = re.sub(rf"{color}\b", f"var({variable})", element, flags=re.IGNORECASE)
    opening = re.match(r"<svg[^>]*>", element)
    assert opening is not None
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', opening[0])
    assert size is not None
    width, height = float(size[1]) * 4 / 3, float(size[2]) * 4 / 3  # points to CSS pixels
    tag = (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" '
        f'role="img" aria-label="{label}" viewBox="{size[0][9:-1]}" '
        f'width="{width:.0f}" height="{height:.0f}">'
    )
    return tag + element[opening.end() :].strip()


def _shorter(drawing: str) -> str:
    """Without comments, and coordinates to a hundredth of a point."""
    drawing = re.sub(r"<!--.*?-->", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r">\s+<", ">\n<", drawing)

    def path(match: re.Match[str]) -> str:
        numbers = NUMBER.sub(lambda number: f"{float(number[0]):.2f}", match[2])
        # A command that repeats need not be written again.
        shorter = re.sub(
            r"(?<=L )([^A-Za-z]*(?: L [^A-Za-z]*)+)",
            lambda run: run[0].replace("L ", ""),
            " ".join(numbers.split()),
        )
        return match[1] + shorter + '"'

    return re.sub(r'(\sd=")([^"]*)"', path, drawing)
