"""linkwork size: which actuators motions need."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.arguments import (
    AsJson,
    Friction,
    Gravity,
    OutputFile,
    Payload,
    Period,
    ReportFile,
    RobotName,
    Rotors,
    Strict,
    loaded,
    motion_names,
    motion_of,
    robot_of,
)
from linkwork.cli.identify import ColumnMap, columns_of
from linkwork.cli.output import (
    check_files,
    limit_in_words,
    print_json,
    print_table,
    put_data,
    put_report,
    say,
    show_margin,
)
from linkwork.core.text import number, shown_unit

if TYPE_CHECKING:
    from linkwork.analysis.catalog import CatalogFit
    from linkwork.analysis.drive_choice import DriveChoice, DriveOption
    from linkwork.analysis.sizing import Sizing
    from linkwork.core.table_files import Columns, Plain
    from linkwork.model.urdf.chain import ChainSelection

MOST_SHOWN = 8  # actuators of a catalog
RPM = 30 / math.pi


def size(
    robot: RobotName,
    motion: Annotated[
        list[str],
        typer.Option(
            "--motion",
            "-m",
            metavar="MOTION",
            help="Bundled name or file; repeatable.",
            autocompletion=motion_names,
        ),
    ],
    catalog: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Catalog of actuators: a CSV with name, stroke, force, continuous_force, "
            "velocity, power, retracted_length, force_velocity (SI units).",
        ),
    ] = None,
    drives: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Catalog of motors, gears, belts, screws and amplifiers: YAML or CSV.",
        ),
    ] = None,
    rank: Annotated[
        str, typer.Option(metavar="price|mass|margin", help="Ranking of the drives.")
    ] = "price",
    reserve: Annotated[
        float, typer.Option(metavar="MARGIN", help="Margin that drives must keep, such as 0.2.")
    ] = 0.0,
    inertia_ratio: Annotated[
        float | None, typer.Option(metavar="RATIO", help="Largest allowed inertia ratio.")
    ] = None,
    one_drive: Annotated[
        bool | None,
        typer.Option(
            "--one-drive/--each-drive",
            help="Same drive for all actuators (default for legs), or one for each.",
        ),
    ] = None,
    period: Period = 0.01,
    pause: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="Dwell after each motion, holding position."),
    ] = 0.0,
    duty: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Duty cycle instead of --pause, such as 0.6."),
    ] = None,
    braked: Annotated[
        bool, typer.Option("--braked", help="Brakes hold during the dwell; motor current is zero.")
    ] = False,
    ambient: Annotated[float, typer.Option(metavar="DEG_C", help="Ambient temperature.")] = 40.0,
    columns: ColumnMap = None,
    payload: Payload = None,
    gravity: Gravity = None,
    friction: Friction = True,
    rotors: Rotors = True,
    chain: ChainSelection | None = None,
    strict: Strict = False,
    output: OutputFile = None,
    report: ReportFile = None,
    json: AsJson = False,
) -> None:
    """Actuator requirements over all motions: effort, stroke, speed and power.

    \b
    Examples:
      linkwork size simona -m heave -m pitch --report sizing.html
    """
    from linkwork.analysis.catalog import read_catalog
    from linkwork.analysis.drive_choice import DriveSearch
    from linkwork.analysis.drive_loads import Duty
    from linkwork.analysis.sizing import size_actuators as sizing_of
    from linkwork.core.arguments import one_of
    from linkwork.model.drive_catalog import read_drive_parts

    check_files(output, report, None)
    how = Duty(pause, duty, braked, ambient)
    search = None
    if drives is not None:
        best: Any = one_of(rank, ("price", "mass", "margin"), "--rank")
        search = DriveSearch(read_drive_parts(drives), best, reserve, inertia_ratio, one_drive)
    choice = None if catalog is None else read_catalog(catalog)
    found = loaded(robot_of(robot, gravity, friction, rotors, chain, strict), payload)
    motions = {name: motion_of(found, name, strict, columns_of(columns)) for name in motion}
    sizing = sizing_of(found, motions, period=period, catalog=choice, duty=how, drives=search)
    if output is not None or not json:
        put_data(_columns(sizing), output)
    if report is not None:
        from linkwork.reports.sizing import sizing_report

        put_report(lambda command, _: sizing_report(sizing, command), report)
    if json:
        print_json(_facts(sizing))
    else:
        _show(sizing, stderr=output is not None or not sys.stdout.isatty())
    for one in sizing.studies:
        for broken in one.violations:
            say(f"warning: {one.motion_name}: {limit_in_words(broken, found.angle_unit)}")


def _columns(sizing: Sizing) -> Columns:
    rows = [asdict(demand) for demand in sizing.demands]
    columns = {key: [row[key] for row in rows] for key in rows[0] if key != "at"}
    columns["share"] = [float("nan") if value is None else value for value in columns["share"]]
    columns["stroke"] = [demand.stroke for demand in sizing.demands]
    columns["peak_motion"] = [demand.at[0] for demand in sizing.demands]
    columns["peak_time"] = [demand.at[1] for demand in sizing.demands]
    return {**columns, **_drive_columns(sizing)}


def _drive_columns(sizing: Sizing) -> Columns:
    """Of the drives by name of the actuator, NaN where one has none or a number is not known."""
    facts = {fact["name"]: fact for fact in _drive_facts(sizing)}
    limits = dict.fromkeys(limit for fact in facts.values() for limit in fact["margins"])
    columns: dict[str, Any] = {}
    for key in next(iter(facts.values()), {}):
        if key not in ("name", "drive", "margins", "peak_at", "limited_by"):
            found = [facts.get(demand.name, {}).get(key) for demand in sizing.demands]
            columns[f"drive_{key}"] = [float("nan") if each is None else float(each) for each in found]
    for limit in limits:
        every = [facts.get(demand.name, {}).get("margins", {}).get(limit) for demand in sizing.demands]
        name = f"margin_{limit.replace(' ', '_').replace('-', '_')}"
        columns[name] = [float("nan") if each is None else each["margin"] for each in every]
    return columns


def _drive_facts(sizing: Sizing) -> list[dict[str, Any]]:
    found = []
    for demand in sizing.drives.demands:
        facts = {each.name: getattr(demand, each.name) for each in fields(demand)}
        margins = {limit: {"margin": m, "in": motion} for limit, (m, motion) in demand.margins.items()}
        facts |= {"drive": demand.drive.in_words, "margins": margins}
        found.append({**facts, "margin": demand.margin, "limited_by": demand.limited_by})
    return found


def _facts(sizing: Sizing) -> Plain:
    demands = [{**asdict(demand), "stroke": demand.stroke} for demand in sizing.demands]
    return {
        "robot": sizing.robot.name,
        "motions": [one.motion_name for one in sizing.studies],
        "actuators": demands,
        "worst": asdict(sizing.worst),
        "margin": sizing.margin and asdict(sizing.margin),
        "of_all": sizing.of_all,
        "catalog": [_fit(fit) for fit in sizing.fits],
        "duty": asdict(sizing.duty),
        "drives": _drive_facts(sizing),
        "supply": [
            {**asdict(each), "resistor_power": each.resistor_power, "drawn_power": each.drawn_power}
            for each in sizing.drives.supplies
        ],
        "choices": [
            {
                "of": choice.names,
                "combinations": len(choice),
                "excluded": choice.excluded,
                "feasible": [_option(option) for option in choice.best(len(choice.feasible))],
            }
            for choice in sizing.choices
        ],
    }


def _percent(margin: float) -> str:
    return f"{100 * margin:+.1f} %" if abs(margin) < 1e6 else "none"


def _fit(fit: CatalogFit) -> Plain:
    margins = {what: {"margin": margin, "of": of} for what, (margin, of) in fit.margins.items()}
    least = {"margin": fit.margin, "limited_by": fit.limited_by, "serves": fit.serves}
    return {"actuator": asdict(fit.actuator), **least, "margins": margins}


def _show(sizing: Sizing, stderr: bool) -> None:
    units = [shown_unit(demand.place, sizing.robot.angle_unit) for demand in sizing.demands]
    alike = len({*units}) == 1  # then the heads of the columns have the unit
    names = ", ".join(one.motion_name for one in sizing.studies)
    greatest = max(abs(demand.power) for demand in sizing.demands)  # rounding beside it is shown as 0
    rows = []
    for demand, (factor, unit) in zip(sizing.demands, units, strict=True):
        same = [other.stroke for other in sizing.demands if other.place == demand.place]
        furthest, after = factor * max(same), "" if alike else f" {unit}"
        share = "-" if demand.share is None else f"{100 * demand.share:.0f} %"
        rows.append(
            (
                demand.name,
                demand.unit,
                number(demand.peak),
                demand.at[0],
                number(demand.rms),
                number(factor * demand.lowest, scale=furthest) + after,
                number(factor * demand.highest, scale=furthest) + after,
                number(factor * demand.stroke) + after,
                number(factor * demand.velocity) + (after and f"{after}/s"),
                number(demand.power, scale=greatest),
                number(demand.mean_power, scale=greatest),
                share,
            )
        )
    of, per_second = (f" [{units[0][1]}]", f" [{units[0][1]}/s]") if alike else ("", "")
    headers = (
        "name",
        "unit",
        "peak",
        "in",
        "RMS",
        *(f"{word}{of}" for word in ("lowest", "highest", "stroke")),
    )
    headers += (f"speed{per_second}", "peak power [W]", "mean power [W]", "envelope used")
    title = f"{sizing.robot.name} along {names}"
    print_table(headers, rows, title=title, left=("unit", "in"), stderr=stderr)
    show_margin(sizing.margin, stderr)
    if sizing.of_all is not None:
        low, high = sizing.of_all
        words = f"{number(low)} to {number(high)} m, stroke {number(high - low)} m"
        print(f"one actuator for all legs: {words}", file=sys.stderr if stderr else sys.stdout)
    _show_drives(sizing, stderr)
    for choice in sizing.choices:
        _show_choice(choice, stderr)
    if sizing.fits:
        serving = [fit for fit in sizing.fits if fit.serves]
        kinds = list(dict.fromkeys(what for fit in sizing.fits for what in fit.margins))
        print_table(
            ("actuator", "least margin", "limited by", *(what.replace("_", " ") for what in kinds)),
            [
                (
                    fit.actuator.name,
                    _percent(fit.margin),
                    fit.limited_by,
                    *(_percent(fit.margins[what][0]) if what in fit.margins else "-" for what in kinds),
                )
                for fit in sizing.fits[:MOST_SHOWN]
            ],
            title=f"{len(serving)} of {len(sizing.fits)} actuators of the catalog meet the requirement",
            left=("limited by",),
            stderr=stderr,
        )


def _option(option: DriveOption) -> Plain:
    parts = {place: part.name for place, part in option.drive.named_parts.items()}
    facts = {"price": option.price, "mass": option.mass, "margin": option.margin}
    return {
        "parts": parts,
        **facts,
        "limited_by": option.limited_by,
        **option.numbers,
        "margins": dict(option.margins),
    }


def _show_choice(choice: DriveChoice, stderr: bool) -> None:
    def known(value: float | None) -> str:
        return "-" if value is None or math.isnan(value) else number(value)

    rows = [
        (
            option.drive.in_words,
            known(option.price),
            known(option.mass),
            known(option.numbers["peak_torque"]),
            known(option.numbers["rms_torque"]),
            known(RPM * option.numbers["peak_speed"]),
            known(option.numbers["winding"]),
            known(option.numbers["inertia_ratio"]),
            _percent(option.margin),
            option.limited_by,
        )
        for option in choice.best(MOST_SHOWN)
    ]
    headers: tuple[str, ...] = ("drive", "price", "mass [kg]", "peak [N m]", "RMS [N m]", "speed [rpm]")
    headers += ("winding [deg C]", "inertia ratio", "least margin", "limited by")
    count = f"{len(choice.feasible)} of {len(choice)} combinations serve {', '.join(choice.names)}"
    if rows:
        print_table(headers, rows, title=count, left=("limited by",), stderr=stderr)
    excluded = ", ".join(f"{limit} {number(how_many)}" for limit, how_many in choice.excluded.items())
    said = f"excluded, by the limit that is broken most: {excluded}" if excluded else ""
    for line in (count if not rows else "", said):
        if line:
            print(line, file=sys.stderr if stderr else sys.stdout)


def _show_drives(sizing: Sizing, stderr: bool) -> None:
    demands = sizing.drives.demands
    if not demands:
        return

    def known(value: float | None) -> str:
        return "-" if value is None else number(value)

    rows = [
        (
            demand.name,
            demand.drive.in_words,
            number(demand.peak_torque),
            number(demand.rms_torque),
            number(RPM * demand.peak_speed),
            known(demand.rms_current),
            known(demand.copper_power),
            known(demand.winding),
            known(demand.inertia_ratio),
            _percent(demand.margin),
            demand.limited_by,
        )
        for demand in demands
    ]
    headers: tuple[str, ...] = ("name", "drive", "peak [N m]", "RMS [N m]", "speed [rpm]", "RMS [A]")
    headers += ("copper [W]", "winding [deg C]", "inertia ratio", "least margin", "limited by")
    print_table(headers, rows, title="at the motors", left=("drive", "limited by"), stderr=stderr)
    for each in sizing.drives.supplies:
        print(
            f"supply of all drives, {each.motion}: {number(each.drawn_power)} W, peak "
            f"{number(each.peak_power)} W; {number(each.returned_energy)} J come back per cycle of "
            f"{number(each.period)} s, {number(each.resistor_power)} W in a braking resistor, peak "
            f"{number(each.returned_peak)} W",
            file=sys.stderr if stderr else sys.stdout,
        )
