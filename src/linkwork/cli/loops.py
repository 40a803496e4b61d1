"""Digital loops by the text of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.cli.arguments import numbers_of
from linkwork.errors import InputError

if TYPE_CHECKING:
    from linkwork.simulation import DigitalLoop

WHOLE = ("position_bits", "effort_bits", "seed")
PER_ACTUATOR = ":"  # between numbers of one setting, since commas are between settings


def loop_of(text: str | None) -> DigitalLoop | None:
    """A preset, or settings `name=value` with commas between, or a preset and what differs from it.

    A setting that is a truth value may stand alone; one number for every actuator has colons between.
    """
    from dataclasses import replace

    from linkwork.names import one_of
    from linkwork.simulation.digital_loop import PRESETS, option_names

    if text is None:
        return None
    first, *others = [part.strip() for part in text.split(",") if part.strip()] or [""]
    names = option_names()
    begin = PRESETS["ideal"]
    if "=" in first or first in names:
        others = [first, *others]
    else:
        begin = PRESETS[one_of(first, PRESETS, "digital loop")]
    given: dict[str, Any] = {}
    for part in others:
        name, equals, value = part.partition("=")
        one_of(name, names, "setting of --loop")
        given[name] = _value(name, value if equals else "yes")
    return replace(begin, **given)


def _value(name: str, text: str) -> Any:
    if name == "velocity":
        return text
    if name == "effort_limits":
        if text not in ("yes", "no"):
            raise InputError(f"--loop effort_limits={text}: allowed are yes and no.")
        return text == "yes"
    values = numbers_of(text.replace(PER_ACTUATOR, ","), f"--loop {name}")
    if name in WHOLE and len(values) == 1 and values[0] == round(values[0]):
        return int(values[0])
    return float(values[0]) if len(values) == 1 else tuple(float(each) for each in values)
