"""linkwork identify and linkwork excite: parameters of a robot from logs, and motions that show them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.arguments import AsJson, ReportFile, RobotName, numbers_of, robot_of
from linkwork.cli.output import check_files, print_json, print_table, put_report, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from linkwork.core.table_files import Plain
    from linkwork.identification import Identification
    from linkwork.identification.identify import Source
    from linkwork.identification.predictions import Prediction
    from linkwork.model.urdf.chain import ChainSelection
    from linkwork.robot.robot import Robot

LARGEST_MAP = 1_000_000  # bytes of a file with a map of columns

OfFriction = Annotated[
    bool, typer.Option("--friction/--no-friction", help="Identify friction and offsets.")
]
OfRotors = Annotated[bool, typer.Option("--rotors/--no-rotors", help="Identify rotor inertia.")]
SharedLegs = Annotated[
    bool, typer.Option("--shared-legs", help="All legs of a platform share the same parameters.")
]

ColumnMap = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="MAP",
        help="Map other column names: 't [ms]=stamp,q#=pos_#', or a .yaml.",
    ),
]


def identify(
    robot: RobotName,
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG",
            help="Log of time, positions and efforts: .csv, .npz, .parquet, ROS bag or bundled name.",
        ),
    ],
    validate: Annotated[
        list[str] | None,
        typer.Option("--validate", metavar="LOG", help="Log for validation; repeatable."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the identified robot: .yaml, or .urdf for arms. Overwrites.",
        ),
    ] = None,
    report: ReportFile = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(metavar="HZ", help="Filter bandwidth; default: chosen by cross-validation."),
    ] = None,
    friction: OfFriction = True,
    rotors: OfRotors = True,
    shared_legs: SharedLegs = False,
    confidence: Annotated[
        float, typer.Option(metavar="P", help="Confidence level of the intervals.")
    ] = 0.95,
    gains: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Drive gains [N m/A] for logged currents: one, or one per drive; 'file': from its "
            "masses.",
        ),
    ] = None,
    loaded: Annotated[
        list[str] | None,
        typer.Option(
            "--loaded", metavar="LOG", help="Log with a payload of known mass, to identify the gains."
        ),
    ] = None,
    load: Annotated[
        float | None, typer.Option("--load", metavar="KG", help="Mass of that payload.")
    ] = None,
    columns: ColumnMap = None,
    payload: Annotated[
        list[str] | None,
        typer.Option(
            "--payload",
            metavar="LOG=KG,X,Y,Z",
            help="Payload during a log: mass, center of mass in the tool frame; repeatable.",
        ),
    ] = None,
    joint_efforts: Annotated[
        bool,
        typer.Option(
            "--joint-efforts",
            help="Logged efforts are joint efforts, not motor efforts of coupled drives.",
        ),
    ] = False,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Identify masses, inertia and friction of a robot from logs, with confidence intervals.

    Columns go by names: t, positions as in motion files, efforts as tau1 ... or effort_<joint> ...;
    velocities and accelerations are taken if there are any. Currents i1 ... need --gains. Errors
    in a log are reported with line and column, and nothing is written.

    \b
    Examples:
      linkwork identify planar-2r planar-2r-log -o identified.yaml
      linkwork identify planar-2r planar-2r-log --report identify.html
      linkwork identify ur10e.urdf log.csv --gains 10,10.7,8.5,9,9.5,10.1
      linkwork identify arm.urdf a.mcap b.mcap --payload b.mcap=2.8,0,0,0.05
      linkwork identify arm.yaml log.csv --columns 't [ms]=stamp,q#=pos_#'
    """
    from linkwork.core.table_files import ending_of
    from linkwork.identification import identify as identified
    from linkwork.model.robot_files import ENDINGS, write_robot

    check_files(None, report, None)
    if output is not None:
        ending_of(output, ENDINGS)
    described = robot_of(robot, chain=chain)
    found = identified(
        described,
        _carrying(described, logs, payload or [], columns, joint_efforts),
        validate=validate or (),
        bandwidth=bandwidth,
        friction=friction,
        rotors=rotors,
        shared_legs=shared_legs,
        confidence=confidence,
        gains=gains if gains is None or gains == "file" else numbers_of(gains, "--gains"),
        loaded=loaded or (),
        load=load,
        columns=columns_of(columns),
        joint_efforts=joint_efforts,
    )
    if output is not None:
        for left_out in write_robot(found.robot, output):
            say(f"warning: {left_out}")
        say(f"wrote {output}")
    if report is not None:
        from linkwork.reports.identification import identification_report

        put_report(partial(identification_report, found), report)
    if json:
        print_json(_facts(found))
    else:
        _show(found)


def columns_of(text: str | None) -> dict[str, str] | None:
    """A map of columns as an option or a file has it."""
    from linkwork.core.errors import InputError

    if text is None:
        return None
    if text.endswith((".yaml", ".yml")):
        from linkwork.core.input_files import read_bytes
        from linkwork.files.faults import FaultyError
        from linkwork.files.yaml_lines import read_yaml

        try:
            document = read_yaml(read_bytes(text, LARGEST_MAP)).data
        except FaultyError as error:
            raise InputError(f"{text}: {error}.") from None
        if not isinstance(document, dict):
            raise InputError(f"{text}: expected lines such as 'q#: actual_q_#'.")
        return {str(ours): str(theirs) for ours, theirs in document.items()}
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(ours.strip() and theirs.strip() for ours, _, theirs in pairs):
        raise InputError(f"--columns {text}: expected pairs such as 't [ms]=stamp,q#=pos_#'.")
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}


def _carrying(
    robot: Robot, logs: list[str], payloads: list[str], columns: str | None, joint_efforts: bool
) -> list[Source]:
    """The logs, those with payloads read."""
    from linkwork.core.errors import InputError
    from linkwork.identification import read_log

    carried: dict[str, tuple[Any, ...]] = {}
    for text in payloads:
        log, equals, words = text.rpartition("=")
        numbers = numbers_of(words, "--payload")
        if not equals or log not in logs or len(numbers) not in (1, 4):
            raise InputError(
                f"--payload {text}: expected one of the logs and a mass [kg], or a mass and a "
                f"center of mass [m], such as {logs[0]}=2.8,0,0,0.05."
            )
        carried[log] = (numbers[0], numbers[1:])[: 1 if len(numbers) == 1 else 2]
    return [
        read_log(
            robot,
            log,
            columns=columns_of(columns),
            payload=carried[log],
            joint_efforts=joint_efforts,
        )
        if log in carried
        else log
        for log in logs
    ]


def _facts(found: Identification) -> Plain:
    def leaves(logs: Iterable[Prediction]) -> list[Plain]:
        return [
            {
                "log": log.source,
                "rms": log.rms,
                "rms_file": log.rms_before,
                "counted": log.moving.mean(axis=0),
            }
            for log in logs
        ]

    return {
        "robot": found.robot.name,
        "bandwidth": found.bandwidth,
        "outliers": found.outliers,
        "noise": found.noise,
        "confidence": found.confidence,
        "base_parameters": [
            {
                "name": found.base.names[k],
                "file": found.base.values[k],
                "estimate": found.estimate[k],
                "standard_error": found.standard_error[k],
                "interval": found.interval[k],
                "possible": found.physical[k],
                "shown": bool(found.shown[k]),
            }
            for k in range(len(found.base))
        ],
        "logs": leaves(found.predictions),
        "validation": leaves(found.validation),
        "friction": [friction._asdict() for friction in found.friction],
        "delay": found.delay._asdict(),
        "gains": found.gains and vars(found.gains),
        "coverage_between_logs": found.coverage,
        "pull_price": found.pull_price,
        "bandwidth_curve": found.curve and {"bandwidth": found.curve.bandwidth, "rms": found.curve.rms},
        "hints": found.hints,
        "notes": found.notes,
    }


def _show(found: Identification) -> None:
    from linkwork.core.text import number

    rows = []
    for k, label in enumerate(found.base.labels):
        half = (found.interval[k, 1] - found.interval[k, 0]) / 2
        estimate = (number(found.estimate[k]), number(half, 2)) if found.shown[k] else ("as file", "-")
        rows.append((number(found.base.values[k]), *estimate, number(found.physical[k]), label))
    headers = (
        "file",
        "estimate",
        f"± ({100 * found.confidence:g} %)",
        "physically consistent",
        "base parameter",
    )
    print_table(headers, rows, left=("base parameter",))
    left = [
        (
            Path(log.source).name,
            name,
            number(log.rms_before[k]),
            number(log.rms[k]),
            f"{100 * log.moving[:, k].mean():.0f} %",
        )
        for log in (*found.predictions, *found.validation)
        for k, name in enumerate(found.robot.efforts.names)
    ]
    print_table(
        ("log", found.robot.actuated_element, "RMS, file", "identified", "rows"),
        left,
        left=("log", found.robot.actuated_element),
    )
    print("RMS over the rows in which the actuator moves; nearly at rest friction has no direction.")
    print(str(found).splitlines()[0])
    for line in found.choices:
        print(line)
    for line in (*found.notes, *found.hints):
        say(f"note: {line}")


def excite(
    robot: RobotName,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The motion file, .yaml. Replaced."),
    ] = None,
    period: Annotated[
        float,
        typer.Option("--base-period", metavar="S", help="Base period of the Fourier series."),
    ] = 10.0,
    harmonics: Annotated[int, typer.Option(metavar="N", help="Number of harmonics, at least 3.")] = 5,
    periods: Annotated[int, typer.Option(metavar="N", help="Number of repetitions.")] = 1,
    friction: Annotated[
        bool | None,
        typer.Option("--friction/--no-friction", help="Show friction; default: if the robot has any."),
    ] = None,
    rotors: Annotated[
        bool | None,
        typer.Option("--rotors/--no-rotors", help="Show rotors; default: if the robot has any."),
    ] = None,
    shared_legs: SharedLegs = False,
    candidates: Annotated[
        int, typer.Option(metavar="N", help="Random motions to start from and compare with.")
    ] = 100,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Design an exciting trajectory for identification, within the limits.

    Minimizes the condition number of the base regressor and compares it with random motions.
    Collisions are not checked.

    \b
    Example:
      linkwork excite planar-2r -o motion.yaml
    """
    from linkwork.core.table_files import ending_of
    from linkwork.core.whole_files import write_bytes
    from linkwork.files.yaml_lines import yaml_text
    from linkwork.identification import excite as excited

    if output is not None:
        ending_of(output, (".yaml", ".yml"))
    found = excited(
        robot_of(robot, chain=chain),
        period=period,
        harmonics=harmonics,
        periods=periods,
        friction=friction,
        rotors=rotors,
        shared_legs=shared_legs,
        candidates=candidates,
        seed=seed,
        progress=None,
    )
    if output is not None:
        write_bytes(output, yaml_text(found.document).encode())
        say(f"wrote {output}")
    if json:
        facts = {"robot": robot, "condition": found.condition, "random": found.random}
        print_json({**facts, "motion": found.document, "output": output and str(output)})
    else:
        print(found)
