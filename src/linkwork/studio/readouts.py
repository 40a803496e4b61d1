"""Colors of the studio, and readings as pieces of its page. Foreign words are escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from linkwork.core.rotations import angles_rpy
from linkwork.core.text import number, numbers, with_unit
from linkwork.drawing.shape import COLORS as SHADES
from linkwork.drawing.shape import RGB
from linkwork.drawing.style import COLORS
from linkwork.kinematics.singularity import USABLE, WELL_CONDITIONED
from linkwork.robot.coordinates import Coordinates
from linkwork.robot.limits import Quantity
from linkwork.robot.robot import Array
from linkwork.studio.reading import ConditionReading, StateReading
from linkwork.studio.units import Units

PUSH: RGB = (0, 114, 178)
PULL: RGB = (230, 159, 0)
IDLE: RGB = SHADES["motor"]
METAL: RGB = SHADES["link"]
BROKEN: RGB = (214, 40, 40)
GHOST: RGB = (0, 158, 115)
TRACE: RGB = (204, 121, 167)
FORCE: RGB = (0, 140, 100)
MOMENT: RGB = (150, 45, 125)
GRID_LIGHT: tuple[RGB, RGB] = (215, 218, 222), (165, 170, 178)  # of cells, of sections
GRID_DARK: tuple[RGB, RGB] = (48, 50, 54), (76, 80, 86)
# The last of the list is black, which nobody sees on a dark page.
LINES = COLORS[:6]
GRADES = {"good": "#009E73", "fair": "#E69F00", "poor": "#D55E00", "singular": "#D62828"}


def hexadecimal(color: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def effort_color(value: float, scale: float, broken: bool) -> RGB:
    """Gray without effort, blue for a positive one, amber for a negative one; red beyond a limit."""
    if broken:
        return BROKEN
    if not np.isfinite(value):
        return IDLE
    share = min(abs(value) / scale, 1.0) ** 0.7 if scale > 0 else 0.0
    full = PUSH if value > 0 else PULL
    mixed = [round(a + (b - a) * share) for a, b in zip(IDLE, full, strict=True)]
    return mixed[0], mixed[1], mixed[2]


COLOR_CHOICES = ("forces and torques", "which motor is which", "nothing")
BY_EFFORT, BY_MOTOR, PLAIN = COLOR_CHOICES


def identity_color(k: int) -> RGB:
    """Of motor k, as in the plots."""
    r, g, b = bytes.fromhex(LINES[k % len(LINES)].removeprefix("#"))
    return r, g, b


def motor_color(colors: str, k: int, value: float, scale: float, broken: bool) -> RGB:
    """Of motor k in the scene and beside its number, by one of COLOR_CHOICES."""
    if broken or colors == BY_EFFORT:
        return effort_color(value, scale, broken)
    return identity_color(k) if colors == BY_MOTOR else IDLE


def color_legend(colors: str, names: Sequence[str]) -> str:
    """What the colors of motors mean."""
    if colors == BY_MOTOR:
        entries = [(hexadecimal(identity_color(k)), name) for k, name in enumerate(names)]
    elif colors == BY_EFFORT:
        entries = [(hexadecimal(PUSH), "pushes, or turns +"), (hexadecimal(PULL), "pulls, or turns −")]
    else:
        entries = []
    return legend("", [*entries, (RED, "beyond its limit")])


TRACK = "rgba(128,128,128,0.22)"
BOX = "padding:0.1em 0.85em;font-size:0.85em;line-height:1.35;"
RED = hexadecimal(BROKEN)
NEUTRAL = hexadecimal(METAL)
NEGLIGIBLE = 1e-9  # of a full bar
WORST = 1000.0  # the end of the gauge


def effort_scale(effort: Array, allowed: Array) -> Array:
    """What a full bar means for every joint: its limit, or a round number above the greatest effort."""
    finite = np.abs(effort[np.isfinite(effort)])
    greatest = float(finite.max()) if len(finite) else 1.0
    return np.where(np.isfinite(allowed), allowed, _round_above(greatest))


def _round_above(value: float) -> float:
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return float(next(unit * k for k in (1, 1.5, 2, 3, 5, 7.5, 10) if unit * k >= value))


def bars(
    reading: StateReading, efforts: Coordinates, scale: Array, title: str, colors: str = BY_EFFORT
) -> str:
    """A bar per leg or joint, from the middle: right for positive, left for negative efforts."""
    rows = []
    for k, name in enumerate(efforts.names):
        value, broken = float(reading.effort[k]), k in reading.overloaded
        piece = _from_middle(
            value, scale[k], hexadecimal(motor_color(colors, k, value, scale[k], broken))
        )
        data = f'data-effort="{escape(name)}" data-value="{value!r}"'
        rows.append(_row(name, piece, _shown(value, scale[k], efforts.units[k]), broken, data))
    return _block(title, rows)


def strokes(what: Quantity, title: str, units: Units) -> str:
    """Where every joint or leg is in its range; without a range, only the number."""
    rows = []
    for k, name in enumerate(what.channels):
        value, low, high = (float(part) for part in (what.values[0, k], what.low[k], what.high[k]))
        broken, piece, travel = bool(what.broken[0, k]), "", 1.0
        if math.isfinite(low) and math.isfinite(high):
            travel = high - low
            share = 100 * min(max((value - low) / travel, 0.0), 1.0)
            piece = _piece(0, share, RED if broken else NEUTRAL)
        text = units.shown(0.0 if abs(value) < NEGLIGIBLE * travel else value, what.units[k])
        rows.append(_row(name, piece, text, broken))
    return _block(title, rows)


def velocities(what: Quantity, title: str, units: Units) -> str:
    """Velocities as shares of their limits, or of the greatest of them."""
    values = what.values[0]
    scale = effort_scale(values, what.high)
    rows = []
    for k, name in enumerate(what.channels):
        value, broken = float(values[k]), bool(what.broken[0, k])
        piece = _from_middle(value, scale[k], RED if broken else NEUTRAL)
        text = units.shown(value, what.units[k]) if abs(value) > NEGLIGIBLE * scale[k] else "0"
        rows.append(_row(name, piece, text, broken))
    return _block(title, rows)


def pose(matrix: Array, title: str, units: Units) -> str:
    """Position and angles of a frame (4, 4)."""
    factor, unit = units.unit("rad")
    longer, length = units.unit("m")
    turned = factor * np.array(angles_rpy(matrix[:3, :3]))
    rows = [
        _line(f"x y z [{length}]", numbers(longer * matrix[:3, 3])),
        _line(f"roll pitch yaw [{unit}]", numbers(np.where(np.abs(turned) < 1e-9, 0.0, turned))),
    ]
    return _block(title, rows)


def legend(title: str, entries: Sequence[tuple[str, str]]) -> str:
    """Colors and what they mean."""
    rows = [
        f'<div style="display:flex;gap:0.5em;align-items:center">'
        f'<span style="width:0.9em;height:0.9em;border-radius:2px;background:{color}"></span>'
        f"<span>{escape(text)}</span></div>"
        for color, text in entries
    ]
    return _block(title, rows)


def frequencies(found: Array) -> str:
    """A line per mode; what loads push over has none."""
    rows = []
    for k, value in enumerate(found):
        text = f"{number(float(value))} Hz" if math.isfinite(value) else "unstable"
        rows.append(f'<div data-frequency="{float(value)!r}">{_line(f"mode {k + 1}", text)}</div>')
    return _block("Natural frequencies", rows)


def _block(title: str, rows: Sequence[str]) -> str:
    head = f"<b>{escape(title)}</b>" if title else ""
    return f'<div style="{BOX}">{head}{"".join(rows)}</div>'


def _line(name: str, text: str) -> str:
    return (
        f'<div style="display:flex;justify-content:space-between;gap:0.5em">'
        f"<span>{escape(name)}</span>"
        f'<span style="white-space:nowrap;font-variant-numeric:tabular-nums">{escape(text)}</span></div>'
    )


def _row(name: str, piece: str, text: str, broken: bool, data: str = "") -> str:
    """Name, bar and number; the number has the room it needs."""
    weight = f"color:{RED};font-weight:600;" if broken else ""
    return (
        f'<div title="{escape(name)}: {escape(text)}" {data} style="display:flex;gap:0.5em;'
        f'align-items:center;margin:0.2em 0;{weight}">'
        f'<span style="flex:0 1 6.6em;overflow:hidden;text-overflow:ellipsis;white-space:nowrap">'
        f"{escape(name)}</span>"
        f'<span style="flex:1;height:0.85em;background:{TRACK};position:relative;border-radius:2px">'
        f"{piece}</span>"
        f'<span style="flex:none;min-width:6.9em;text-align:right;white-space:nowrap;'
        f'font-variant-numeric:tabular-nums">{escape(text)}</span></div>'
    )


def _piece(left: float, width: float, color: str) -> str:
    return (
        f'<span style="position:absolute;left:{left:.2f}%;width:{width:.2f}%;top:0;bottom:0;'
        f'background:{color};border-radius:2px"></span>'
    )


def _from_middle(value: float, scale: float, color: str) -> str:
    """To the right for a positive value, to the left for a negative one, and a tick at nothing."""
    share = 50 * min(abs(value) / scale, 1.0) if math.isfinite(value) else 0.0
    return _piece(50 - share if value < 0 else 50, share, color) + (
        '<span style="position:absolute;left:50%;top:-2px;bottom:-2px;width:1px;'
        'background:currentColor;opacity:0.5"></span>'
    )


def _shown(value: float, scale: float, unit: str) -> str:
    """Four figures; what is nothing beside the scale is shown as nothing."""
    if not math.isfinite(value):
        return "none"
    return f"0 {unit}" if abs(value) < NEGLIGIBLE * scale else with_unit(value, unit)


def gauge(found: ConditionReading) -> str:
    """The condition number on a logarithmic scale from 1 to 1000, and what is lost."""
    condition = found.condition
    share = 1.0 if not math.isfinite(condition) else math.log10(max(condition, 1.0)) / math.log10(WORST)
    place = 100 * min(share, 1.0)
    color = GRADES[found.grade]
    text = "infinite" if not math.isfinite(condition) else number(condition, 3)
    good, fair = (100 * math.log10(most) / math.log10(WORST) for most in (WELL_CONDITIONED, USABLE))
    stops = (
        f"{GRADES['good']} 0 {good:.0f}%,{GRADES['fair']} {good:.0f}% {fair:.0f}%,"
        f"{GRADES['poor']} {fair:.0f}% 95%,{GRADES['singular']} 95%"
    )
    ticks = "".join(
        f'<span style="position:absolute;left:{at}%;transform:translateX({shift}%)">{label}</span>'
        for at, shift, label in ((0, 0, "1"), (33.3, -50, "10"), (66.7, -50, "100"), (100, -100, "1000"))
    )
    return (
        f'<div style="{BOX}" data-condition="{condition!r}" data-grade="{found.grade}">'
        f'<b>{escape(found.title)}</b> <span style="float:right;color:{color};font-weight:700">{text}'
        f'</span><div style="position:relative;height:0.7em;border-radius:4px;margin-top:0.35em;'
        f'background:linear-gradient(to right,{stops});opacity:0.9">'
        f'<span style="position:absolute;left:calc({place:.2f}% - 2px);top:-4px;bottom:-4px;width:4px;'
        f'border-radius:2px;background:currentColor"></span></div>'
        f'<div style="position:relative;height:1.2em;opacity:0.6;font-size:0.85em">{ticks}</div>'
        f"<div>{escape(found.text)}</div></div>"
    )


def limits(reading: StateReading, has_limits: bool) -> str:
    """Broken limits in red with their names, or that all are kept."""
    if reading.fault is not None:
        return alarm("No forces", [reading.fault])
    if reading.broken_limits:
        return alarm("Limits broken", [found.text for found in reading.broken_limits])
    words = "All limits kept" if has_limits else "The robot file gives no limits"
    if reading.margin is not None:
        words += f", least margin {reading.margin}"
    color = GRADES["good"] if has_limits else "inherit"
    mark = "&#10003; " if has_limits else ""
    return f'<div style="{BOX}color:{color}" data-limits="kept">{mark}{words}</div>'


def alarm(title: str, lines: Sequence[str]) -> str:
    items = "".join(
        f'<div style="margin-top:0.2em;white-space:pre-wrap">{escape(line)}</div>' for line in lines
    )
    return (
        f'<div style="{BOX}" role="alert" data-alarm="{escape(title)}">'
        f'<div style="border:1px solid {RED};border-left-width:5px;border-radius:4px;'
        f'padding:0.4em 0.6em;background:{RED}18;">'
        f'<b style="color:{RED}">{escape(title)}</b>{items}</div></div>'
    )


def said(title: str, text: str, good: bool) -> str:
    """A message to the person."""
    return note(f"{title}: {text}") if good else alarm(title, text.splitlines())


def note(text: str) -> str:
    return f'<div style="{BOX}opacity:0.8;white-space:pre-wrap">{escape(text)}</div>'
