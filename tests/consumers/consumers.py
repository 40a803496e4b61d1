"""Who tells what: each consumer as a generator of facts, which `told.facts` knows too.

A consumer that refuses a robot says so with the exit status 2; then it tells nothing.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator

import casadi
import numpy as np
import yaml
from pypdf import PdfReader

import linkwork as lw
from linkwork.core.rotations import rotation_of
from linkwork.core.text import number, shown_unit, with_unit
from tests.consumers.told import EXACT, LONG_ENOUGH, PAYLOAD, Fact, Told, ordered

REFUSED: Fact = ("refused", "", True)

# inverse: one command writes all


def csv_file(told: Told) -> Iterator[Fact]:
    """Efforts, reactions, and the sum of the parts, which is the effort again."""
    assert told.inverse
    columns = told.columns("all.csv")
    yield "time", "", columns["time"]
    parts = {motor: np.zeros(len(columns["time"])) for motor in told.robot.efforts.names}
    for name, values in columns.items():
        cause, _, owner = name.partition("_")
        if cause in ("reaction", "effort"):
            yield cause, owner, values
        elif owner in parts:
            parts[owner] += values
    for motor, total in parts.items():
        yield "effort", motor, total


def json_facts(told: Told) -> Iterator[Fact]:
    found = told.inverse
    for peak in found["peaks"]:
        motor = peak["name"]
        yield "peak", motor, peak["peak"]
        yield "peak time", motor, peak["time"]
        yield "RMS", motor, peak["rms"]
        yield "limit", motor, np.inf if peak["limit"] is None else peak["limit"]
        yield "power", motor, abs(peak["power"])
    for what, ranges in found["ranges"].items():
        for each in ranges:
            yield "range", f"{what} {each['name']}", (each["lowest"], each["highest"])
    yield (
        "broken limits",
        "",
        ordered((b["channel"], b["value"], b["limit"]) for b in found["broken_limits"]),
    )
    yield "least margin", "", found["margin"]["value"] if found["margin"] else np.inf
    if found["condition"] is not None:
        yield "worst condition", "", found["condition"]["largest"]


def report(told: Told) -> Iterator[Fact]:
    """The tables of the page: peaks, limits with their margins."""
    assert told.inverse
    said = told.file("report.html").read_text(encoding="utf-8")
    yield "any limit broken", "", "<strong>The motion breaks" in said
    for table in told.tables("report.html"):
        if "RMS" in " ".join(table[0]):
            yield from _peaks(told, table)
        elif "margin [%]" in table[0]:
            yield from _margins(told, table)


def printed(told: Told) -> Iterator[Fact]:
    """The same page as PDF: peaks and RMS in the digits that people read."""
    words = ("inverse", told.source, "-m", told.motion, "--period", repr(told.period))
    told.run(*words, "-o", "printed.csv", "--report", "printed.pdf")
    pages = PdfReader(told.file("printed.pdf")).pages
    said = "".join("".join(page.extract_text() for page in pages).split()).replace("−", "-")
    for what in ("peak", "RMS"):
        for motor in told.robot.efforts.names:
            shown = number(told.facts[what, motor])
            assert "".join(shown.split()) in said, f"{what} of {motor}: {shown}"
    yield "told", "", True


def plot(told: Told) -> Iterator[Fact]:
    assert told.inverse
    yield "files", "plot.svg", told.file("plot.svg").stat().st_size > 0


def again(told: Told) -> Iterator[Fact]:
    """The motion that the file has, given to the command again; its spline is not the motion itself.

    Without friction, whose direction at rest rounding would decide.
    """
    words = ("inverse", told.source, "--no-friction", "--period", repr(told.period))
    told.run(*words, "-m", told.motion, "--state", "-o", "state.csv")
    before = told.columns("state.csv")
    told.run(*words, "-m", "state.csv", "-o", "again.csv")
    for name, values in told.columns("again.csv").items():
        scale = 1e-4 * np.abs(before[name]).max()
        np.testing.assert_allclose(values, before[name], atol=scale, err_msg=name)
        yield "time", "", before["time"]


def _peaks(told: Told, table: list[dict[str, str]]) -> Iterator[Fact]:
    for motor, row in zip(told.robot.efforts.names, table, strict=True):
        cells = {head.split(" [")[0]: value for head, value in row.items()}
        assert next(iter(cells.values())).split(" [")[0] == motor
        yield "peak", motor, float(next(v for head, v in cells.items() if head.startswith("peak ")))
        yield "peak time", motor, float(cells["at"])
        yield "RMS", motor, float(cells["RMS"])
        yield "power", motor, abs(float(cells["peak power"]))
        if cells.get("limit"):
            yield "limit", motor, float(cells["limit"])


def _margins(told: Told, table: list[dict[str, str]]) -> Iterator[Fact]:
    units = ("rad", "rad/s", "m", "m/s", "N", "N m", "")
    factors = {shown: factor for factor, shown in (shown_unit(u, told.robot.angle_unit) for u in units)}
    for row in table:
        quantity, channel = list(row.values())[:2]
        name, factor = f"{quantity.replace(chr(160), ' ')} {channel}", factors[row["unit"]]
        yield "margin", name, float(row["margin [%]"]) / 100
        printed = (float(row["least"]) / factor, float(row["greatest"]) / factor)
        if row["unit"] in (
            "rad",
            "deg",
        ):  # pages print what the rounding of a cosine leaves of an angle as 0
            exact = told.known("range")["range", name]
            printed = tuple(
                b if a == 0 and abs(b) < 5e-8 else a for a, b in zip(printed, exact, strict=True)
            )
        yield "range", name, printed


# studio


def studio(told: Told) -> Iterator[Fact]:
    """Its curves along the motion, and what it reads at the instant of the greatest effort."""
    from linkwork.studio.motion import compute_series
    from linkwork.studio.reading import MotionState, read

    robot = told.robot
    series = compute_series(robot, told.trajectory, robot.formulations[:1], lambda share: None)
    for motor, values in zip(robot.efforts.names, series.study.effort.values.T, strict=True):
        yield "effort", motor, values
    yield "condition", "", series.condition
    least = series.study.margin
    yield "least margin", "", np.inf if least is None else least.value
    at = told.worst
    state = [part[at] for part in told.samples[1]]
    reading = read(robot, MotionState(*state))
    for motor, value in zip(robot.efforts.names, reading.effort, strict=True):
        yield "effort at the worst instant", motor, value
    yield "condition at the worst instant", "", reading.singularity.condition
    broken = robot.check_limits(*state).breaks
    assert [one.text.split(":")[0] for one in reading.broken_limits] == [one.name for one in broken]
    shown = {one.name.removesuffix(" joint"): one for one in reading.reactions}
    for key, values in told.facts.items():
        joint, _, axis = key[1].rpartition("_")
        if key[0] == "reaction" and axis[0] == "f" and joint in shown and np.isfinite(values[at]):
            yield "reaction at the worst instant", key[1], shown[joint].force["xyz".index(axis[1])]


def scene(told: Told) -> Iterator[Fact]:
    """The scene of the studio shows bodies where they are."""
    from linkwork.studio.robot_file import RobotSource
    from linkwork.studio.scene import drawing_of
    from linkwork.studio.session import Session
    from tests.studio.nodes import Scene

    session, nodes = Session(RobotSource(told.source)), Scene()
    drawing_of(nodes, session).show(session.read(), np.ones(told.robot.n), frozenset())
    for k, body in enumerate(told.robot.bodies, 1):
        node, part = nodes.nodes[f"/bodies/{k}"], told.robot.mechanism.part(body)
        turned = rotation_of(np.append(np.zeros(3), node.wxyz)) @ part.frame.p
        wanted = told.robot.body_pose(session.state.position, body)[:3]
        np.testing.assert_allclose(turned + node.position, wanted, atol=EXACT * told.robot.size)
        yield "bodies", body, True


# Other commands along the same motion


def size(told: Told) -> Iterator[Fact]:
    """What actuators need: the JSON, the file and the page."""
    words = ("size", told.source, "-m", told.motion, "--period", repr(told.period), "-o", "size.csv")
    found = json.loads(told.run(*words, "--report", "size.html", "--json"))
    with told.file("size.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    keys = {
        "peak magnitude": "peak", "peak time": "peak_time", "RMS": "rms", "lowest": "lowest",
        "highest": "highest", "stroke": "stroke", "speed": "velocity", "power": "power",
    }  # fmt: skip
    for row, line in zip(found["actuators"], written, strict=True):
        values = {**row, "peak_time": row["at"][1]}
        for what, key in keys.items():
            yield what, row["name"], values[key]
            yield what, line["name"], float(line[key])
    yield "least margin", "", found["margin"]["value"] if found["margin"] else np.inf
    for motor, page in zip(told.robot.efforts.names, told.tables("size.html")[0], strict=True):
        yield "power", motor, float(page["peak power [W]"])


def sweep(told: Told) -> Iterator[Fact]:
    """Metrics of the robot as its file has it, first of two variants."""
    metrics = {
        "peak_effort": "peak magnitude", "rms_effort": "RMS", "stroke": "stroke", "speed": "speed",
        "power": "power", "margin": "least margin",
    }  # fmt: skip
    model = told.robot.model
    parts = {"links": "links[0]", "platform": "platform", "bodies": f"bodies.{told.robot.bodies[0]}"}
    kind = next(name.split(".")[0] for name in told.robot.field_names if name.endswith("mass"))
    name = f"{parts[kind]}.mass"
    (own,) = told.robot.field(name)
    study = {
        "robot": told.source,
        "variables": {name: {"values": [float(own), float(own) + 1]}},
        "motions": [told.motion],
        "metrics": [*metrics],
        "sampling": {"method": "grid"},
        "period": told.period,
    }
    told.file("study.yaml").write_text(yaml.safe_dump(study))
    if model.kind == "parallel-robot" or "tool" in told.source:  # numbers that are no fields of kernels
        told.run("sweep", "study.yaml", "-o", "rows", code=2)
        yield REFUSED
        return
    told.run("sweep", "study.yaml", "-o", "rows", "--json")
    rows = lw.read_sweep(told.file("rows"))
    for metric, what in metrics.items():
        of_legs = metric == "stroke" and model.kind == "stewart-platform"
        of = "of all" if of_legs else "" if metric == "margin" else "greatest"
        yield (what, "", float(rows[metric][0])) if not of else (of, what, float(rows[metric][0]))


# Simulation


def simulate(told: Told) -> Iterator[Fact]:
    """What follows the motion under control: the file, the JSON and the page."""
    words = ("simulate", told.source, "-m", told.motion, "--duration", repr(LONG_ENOUGH), "--json")
    found = json.loads(told.run(*words, "-o", "run.csv", "--report", "run.html"))
    for name, values in told.columns("run.csv").items():
        yield "simulated", name, values
    for row in found["efforts"]:
        yield "simulated peak", row["name"], row["peak"]
        yield "simulated RMS", row["name"], row["rms"]
    yield "simulated", "energy change", found["energy_change"]
    yield "simulated", "largest error", found["largest_error"]
    for table in told.tables("run.html"):
        if "RMS" in " ".join(table[0]) and "peak power" in " ".join(table[0]):
            for what, name, value in _peaks(told, table):
                if what in ("peak", "RMS"):
                    yield f"simulated {what}", name, value
        elif "margin [%]" in table[0]:
            for what, name, value in _margins(told, table):
                yield f"simulated {what}", name, value


def rollout(told: Told) -> Iterator[Fact]:
    """The same loop, compiled whole."""
    found = lw.rollout(told.robot, told.law, duration=LONG_ENOUGH, batch=1)
    for name, value in zip(told.robot.coordinates.names, found.final_position[0], strict=True):
        yield "simulated end", name, value


def loaded(told: Told) -> Iterator[Fact]:
    """A payload of the command beside a robot that has it in its model; both move freely."""
    words = ("simulate", told.source, "--payload", repr(PAYLOAD), "--duration", repr(LONG_ENOUGH))
    told.run(*words, "-o", "loaded.csv")
    for name, values in told.columns("loaded.csv").items():
        yield "loaded", name, values


# Commands about the robot itself


def check(told: Told) -> Iterator[Fact]:
    found = json.loads(told.run("check", told.source, "--states", "20", "--json"))
    yield "agrees", "", found["ok"]


def converted(told: Told) -> Iterator[Fact]:
    """The robot in normal form, as `convert` and `show --json` write it."""
    told.run("convert", told.source, "copy.yaml")
    document = json.loads(told.run("show", told.source, "--json"))
    for copy in (lw.load(told.file("copy.yaml")), lw.load(document)):
        effort = copy.inverse_dynamics(*told.samples[1])
        for motor, values in zip(copy.efforts.names, effort.T, strict=True):
            yield "effort", motor, values


def show(told: Told) -> Iterator[Fact]:
    """For people; the greatest holding effort is in it."""
    said = told.run("show", told.source)
    held = np.abs(told.robot.gravity_load(told.robot.home))
    words = said[said.index("greatest effort that holds it") :]
    assert with_unit(float(held.max()), told.robot.efforts.units[int(np.argmax(held))]) in words
    yield "told", "", True


def count(told: Told) -> Iterator[Fact]:
    found = json.loads(told.run("count", told.source, "--json"))
    for row in found["counts"]:
        yield "operations", row["formulation"], row["kernel"]["multiplications"]


def workspace(told: Told) -> Iterator[Fact]:
    """Ends of the excursions are as far as limits allow, and the page has them too."""
    words = ("workspace", told.source, "--tolerance", "0.1", "--json")
    robot = told.robot
    unbounded = robot.coordinates.is_pose and not np.isfinite(robot.limits.position).all()
    if unbounded:
        told.run(*words, code=2)
        yield REFUSED
        return
    found = json.loads(told.run(*words, "--report", "workspace.html", "-o", "boundary.csv"))
    yield "files", "boundary", told.file("boundary.csv").stat().st_size > 0
    if not found.get("excursions"):
        return
    home, names = robot.coordinates.by_angles, robot.coordinates.by_angles.names
    start = robot.coordinates.to_angles(robot.home)
    for row, page in zip(found["excursions"], told.tables("workspace.html")[0], strict=True):
        factor, unit = shown_unit(row["unit"], robot.angle_unit)
        assert page["lowest"] == f"{number(factor * row['lowest'])} {unit}"
        assert page["highest"] == f"+{number(factor * row['highest'])} {unit}"
        for way, sign in ((row["lowest"], -1), (row["highest"], 1)):
            ends = np.array([start, start])
            ends[:, names.index(row["axis"])] += [way, way + sign * 1e-6 * max(abs(way), 1e-3)]
            inside, outside = robot.margins(ends, errors="nan").least
            assert inside >= 0, row
            assert outside < 0 or abs(way) >= 3, row
    assert home is not None


def poses(told: Told) -> Iterator[Fact]:
    if told.robot.model.kind != "stewart-platform":
        told.run("poses", told.source, code=2)
        yield REFUSED
        return
    found = json.loads(told.run("poses", told.source, "--json"))["poses"]
    places = np.stack([found[name] for name in told.robot.coordinates.names], axis=1)
    own = int(np.argmin(np.abs(places[:, :3] - told.robot.home[:3]).max(axis=1)))
    yield "condition at home", "", found["condition"][own]


def exports(told: Told) -> Iterator[Fact]:
    """Every target that needs no compiler; states and results to check it by are those of the robot."""
    robot = told.robot
    for target in ("casadi", "wasm", "mjcf", "urdf"):
        words = ("export", told.source, "--to", target, "-o", f"{target}", "--name", "robot", "--json")
        if target == "urdf" and robot.model.kind != "arm":
            told.run(*words, code=2)
            continue
        files = json.loads(told.run(*words))["files"]
        assert "check.json" in files
        check = json.loads(told.file(target).joinpath("check.json").read_text())
        for name, samples in check.get("routines", {}).items():
            inputs = [np.array(values) for values in samples["inputs"].values()]
            (wanted,) = samples["outputs"].values()
            found = getattr(robot, name)(*inputs)
            np.testing.assert_allclose(found, wanted, rtol=EXACT, atol=EXACT * np.abs(found).max())
    worst = [part[told.worst] for part in told.samples[1]]
    function = casadi.Function.load(str(told.file("casadi") / "robot_inverse_dynamics.casadi"))
    effort = np.array(function(*worst)).ravel()
    for motor, value in zip(robot.efforts.names, effort, strict=True):
        yield "effort at the worst instant", motor, value


def identify(told: Told) -> Iterator[Fact]:
    """A log without noise: the robot's own parameters explain it, and so do those that are found."""
    told.run("inverse", told.source, "-m", "excitation", "--state", "-o", "log.csv")
    (log,) = json.loads(told.run("identify", told.source, "log.csv", "--json"))["logs"]
    efforts = told.columns("log.csv")
    for motor, *left in zip(told.robot.efforts.names, log["rms"], log["rms_file"], strict=True):
        assert max(left) < 0.02 * np.abs(efforts[f"effort_{motor}"]).max(), motor
    yield "told", "", True


CONSUMERS: dict[str, Callable[[Told], Iterator[Fact]]] = {
    "csv": csv_file, "json": json_facts, "report": report, "printed": printed, "plot": plot,
    "again": again,
    "studio": studio, "scene": scene, "size": size, "sweep": sweep, "simulate": simulate,
    "rollout": rollout, "loaded": loaded, "check": check, "converted": converted,
    "show": show, "count": count,
    "workspace": workspace, "poses": poses, "exports": exports, "identify": identify,
}  # fmt: skip
