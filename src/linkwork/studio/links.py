"""A link that brings back what one saw: robot, pose, motion, time and camera, as words of an address."""

from __future__ import annotations

import math
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

from linkwork.core.errors import InputError

PREFIX = "/view/"
LONGEST = 4000  # characters; a link holds a few dozen numbers
MOST_NUMBERS = 100


@dataclass(frozen=True)
class LinkedView:
    """What a link holds; None is left as it is."""

    robot: str | None = None
    position: tuple[float, ...] | None = None
    motion: str | None = None
    time: float | None = None
    camera: tuple[float, ...] | None = None  # position, then the point looked at
    dark: bool | None = None
    playing: bool | None = None


def path_of(view: LinkedView) -> str:
    """The path of an address, for any host and port."""
    words = []
    for name in ("robot", "motion"):
        value = getattr(view, name)
        if value is not None:
            words.append(f"{name}={quote(value, safe='')}")
    for name in ("position", "camera"):
        value = getattr(view, name)
        if value is not None:
            words.append(f"{name}={','.join(f'{number:.9g}' for number in value)}")
    if view.time is not None:
        words.append(f"time={view.time:.9g}")
    for name in ("dark", "playing"):
        if getattr(view, name) is not None:
            words.append(f"{name}={int(getattr(view, name))}")
    return PREFIX + "&".join(words)


def view_of(path: str) -> LinkedView:
    """What the path of an address asks for; an InputError if it is damaged."""
    if not path.startswith(PREFIX):
        return LinkedView()
    text = path[len(PREFIX) :]
    if len(text) > LONGEST:
        raise InputError(f"the link has more than {LONGEST} characters; copy it again.")
    words = dict(parse_qsl(text))
    times = _numbers(words, "time")
    if times is not None and len(times) != 1:
        raise InputError("the link gives a time that is not one number; copy it again.")
    camera = _numbers(words, "camera")
    if camera is not None and len(camera) != 6:
        raise InputError("the link gives a camera that is not six numbers; copy it again.")
    return LinkedView(
        robot=words.get("robot"),
        position=_numbers(words, "position"),
        motion=words.get("motion"),
        time=None if times is None else times[0],
        camera=camera,
        dark=_flag(words, "dark"),
        playing=_flag(words, "playing"),
    )


def _flag(words: dict[str, str], name: str) -> bool | None:
    return None if name not in words else words[name] == "1"


def _numbers(words: dict[str, str], name: str) -> tuple[float, ...] | None:
    if name not in words:
        return None
    cells = words[name].split(",")
    try:
        found = tuple(float(cell) for cell in cells[:MOST_NUMBERS])
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise InputError(f"the link gives a {name} that is not made of numbers; copy it again.")
    return found
