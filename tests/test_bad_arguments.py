"""Bad arguments to every public function, class and method: an answer or an error of ours.

Every call starts from sound arguments, of which one is replaced by something wrong, or two in the random
part. Neither an exception of Python or NumPy may come out, nor a NumPy warning, nor may a call hang.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.model.drive import DriveMotor, Gear
from tests.bounded import TooLongError, bounded_time

FEW, MANY = 1000, 8000
# Files and runs that are not there; arms without stiffness or six joints, a point that bears no load,
# motors of legs.
REFUSED = frozenset({
    "read_motion", "read_log", "read_sweep", "Rollouts.load", "optimize_design", "identify", "observe",
    "identify_payload", "ParallelRobot.with_motors of five-bar", "Rollouts.load of it",
    "Sweep.columns of it", "Sweep.table of it", "Sweep.to_pandas of it", "Sweep.to_xarray of it",
    "Arm.all_solutions of planar-2r", "Arm.vibration_modes of planar-2r", "Arm.stiffness of planar-2r",
    "ParallelRobot.with_payload of five-bar", "Platform.with_motors of small-hexapod",
})  # fmt: skip
# What they take is nothing that users have: expressions, documents, recipes.
OF_THE_PACKAGE = frozenset({
    "makes", "field_faults", "fault", "check_mobility", "described_by", "of", "from_recipe", "expect",
    "snapshot_recipe", "plant", "quantities", "random_states", "placed", "effort_applied", "refuse",
    "judge",
    "law_function", "SpringWall.energy", "SpringWall.wrench", "Sweep.store", "Sweep.run", "judged",
    "chosen_formulation", "StudyFile.beside", "missing", "Kernel.evaluate", "Workspace.named",
    "ArmWorkspace.named", "WrenchTable.over_steps", "RobotController.follow",
    "StudyFile.shown", "Requirements.beside",
})  # fmt: skip
# They answer in seconds, or open a page; each has tests of its own.
SLOW = frozenset(
    {
        "plan",
        "plan_path",
        "assembly_modes",
        "slice",
        "region",
        "plot",
        "load_robot",
        "load_machine",
        "show",
    }
)
# Classes that the package makes. Their methods are called, their constructors are not.
ANSWERS = frozenset({
    "Disturbance", "LoadEstimate", "Observation",
    "AllSolutions", "ArmPath", "ArmWorkspace", "AssemblyModes", "BaseParameters", "Certification",
    "DataSheet", "Design", "Energy",
    "Exported", "Identification", "InverseKinematics", "JointAngles", "Kernel", "LimitReport", "Log",
    "LinkMotion", "Manipulability", "NaturalComplement", "Plan", "Rollouts", "Simulation", "Sizing",
    "Requirements",
    "SingularityFreePath", "State", "StudyFile", "Sweep", "Workspace", "Counts", "Arm", "Platform",
    "ParallelRobot", "Robot", "Mechanism", "Contact", "Controller", "ActuatorLimits", "Limits",
    "Calibration", "CertifiedWorkspace", "Diagnostic", "DriveChoice", "DriveDemand", "DriveOption",
    "DriveParts", "DriveStudy", "FrequencyResponse", "Page", "StateSpace", "Tolerances",
})  # fmt: skip
# What is asked for so takes its time, rightly.
LONG_ANSWERS = (
    "operation_table(robots=None",
    "minimize_operations(evaluations=",
    "verify(robot=<",
    "verify(states=",
)
# Of robots with closed loops they take seconds to compile; arguments go the same way as those of arms.
LONG_ONLY = frozenset({
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor", "joint_reactions",
    "stiffness", "margins", "demand", "vibration_modes", "effort_breakdown",
})  # fmt: skip
FLAT = np.array([0.1, -0.2])
TOUCHED = frozenset({"set_threads", "Sweep.prepare"})  # they change what other calls use


class Call(NamedTuple):
    name: str
    function: Callable[..., Any]
    sound: dict[str, Any]


def robot_values(robot: lw.Robot) -> dict[str, Any]:
    """A sound argument of a robot's methods by its name."""
    random = np.random.default_rng(0)
    n, home = len(robot.velocities), robot.home
    still = np.zeros(n)
    actuators = robot.actuator_motion(home).position
    effort = random.normal(size=len(robot.efforts))
    first, second = robot.efforts.names[:2]
    pose = robot.body_pose(home) if isinstance(robot, lw.Arm) else home
    return {
        **dict.fromkeys(("q", "c", "position"), home),
        **dict.fromkeys(("start", "end"), home),
        **dict.fromkeys(("qd", "cd", "twist", "velocity", "qdd", "cdd", "acceleration"), still),
        **dict.fromkeys(("rates", "accelerations"), np.zeros(len(robot.efforts))),
        **dict.fromkeys(("tau", "force", "effort"), effort),
        **dict.fromkeys(("lengths", "actuators"), actuators),
        "pose": pose, "poses": pose[None], "guess": home, "posture": home,
        "gravity": np.array([0.0, 0.0, -9.81]), "base_motion": np.zeros(9),
        **dict.fromkeys(("wrench", "tip_wrench"), np.ones(6)),
        "friction": True, "rotors": True, "limits": True, "errors": "raise", "seed": 0, "out": None,
        "time": np.zeros(1), "frame": None, "body": None, "fixed": None, "mask": [True] * 6,
        "restarts": 1,
        "tolerance": 1e-10, "all": False, "length_scale": 1.0, "shared_legs": False,
        "mass": 1.0, "center_of_mass": [0, 0, 0.1], "inertia": np.eye(3), "formulation": None,
        "values": {}, "clearance": 0.0, "leg_diameter": 0.0, "form": "closed", "frames": "printed",
        "deviations": None, "method": "inverse_dynamics", "parameters": (), "options": None,
        "value": robot, "asked_by": "x", "name": "gravity", "turn": True,
        "drives": None, "motors": {"m1": {first: 1.0}, "m2": {first: 1.0, second: 1.0}},
    }  # fmt: skip


def methods(
    subject: Any, values: dict[str, Any], left_out: frozenset[str] = frozenset()
) -> Iterator[Call]:
    """The public methods of an object, with sound arguments by their names."""
    kind = type(subject)
    for name in dir(kind):
        whole = f"{kind.__name__}.{name}"
        found = inspect.getattr_static(kind, name)
        is_method = inspect.isfunction(found) or isinstance(found, classmethod | staticmethod)
        if name.startswith("_") or not is_method:
            continue
        if {name, whole} & (left_out | OF_THE_PACKAGE | SLOW | TOUCHED):
            continue
        method = getattr(subject, name)
        wanted = [
            p for p in inspect.signature(method).parameters.values() if p.kind is not p.VAR_KEYWORD
        ]
        missing = [p.name for p in wanted if p.default is p.empty and p.name not in values]
        assert not missing, f"{whole}: no sound value of {missing}"
        taken = {p.name: values[p.name] for p in wanted if p.name in values}
        if "wrench" in taken and "tip_wrench" in taken:
            del taken["wrench"]
        if name == "with_parameters":
            taken["values"] = subject.parameters.values
        if name == "check_limits":
            taken = {"position": values["position"], "velocity": values["velocity"]}
        if whole == "Platform.follow":
            taken["lengths"] = values["lengths"][None]
        yield Call(f"{whole} of {getattr(subject, 'name', 'it')}", method, taken)


def functions(folder: Path) -> list[Call]:
    arm, platform = lw.load_arm("planar-2r"), lw.load_platform("small-hexapod")
    loops = lw.load("five-bar")
    line = lw.Quintic(np.zeros(2), FLAT, 0.05)
    law = lw.ComputedTorque(arm, line, 100.0, 20.0)
    pose = platform.home
    along = np.tile(pose, (3, 1))
    along[:, 2] += [0.0, 0.01, 0.02]
    path = lw.published_path("dasgupta-I")
    time = np.linspace(0, 1, 8)
    short = {"duration": 0.02, "step": 0.01, "progress": False}
    legs = lw.Quintic(*[platform.leg_lengths(pose)] * 2, 1.0)
    six, place = lw.load_arm("ur5"), np.array([0.0, -1.2, 1.5, 0.1, 1.0, 0.0])
    tool, near = six.body_pose(place), six.body_pose(place)
    near[:3] += 0.01
    line_of_tool = lw.RpyLine(tool, near, 2.0, 0.015, 0.1)
    lasting = {"duration": 1.0}
    control = {"robot": arm, "trajectory": line, "kp": 100.0, "kv": 20.0, "period": 0.01}
    observing = {"robot": arm, "period": 0.01, "bandwidth": 5.0, "friction": True, "rotors": True}
    placing = {"robot": platform, "trajectory": path, "kp": 9.0, "kv": 6.0, "period": 0.01}
    point_to_point = {"start": FLAT, "end": -FLAT}
    rows = {"time": time, "q": np.outer(time, FLAT), "qd": np.tile(FLAT, (8, 1)), "qdd": None}
    measured = np.outer(time, [1.0, 0.0]) + np.outer(time**2, [0.0, -1.0])
    studied = folder / "study.yaml"
    variables = "variables: {'links[0].mass': [1, 2]}\n"
    studied.write_text(f"robot: planar-2r\n{variables}motions: [home-quintic]\n")
    asked = folder / "asked.yaml"
    asked.write_text("excursions: {heave: 0.001}\n")
    (folder / "catalog.csv").write_text("name,stroke\na,1\n")
    (folder / "drives.csv").write_text("part,name,inertia\nmotor,a,1e-4\n")
    driven = arm.with_drives(lw.Drive(motor=DriveMotor(inertia=1e-4)))
    moved = study(driven, "line", time, (np.outer(time, FLAT), np.tile(FLAT, (8, 1)), np.zeros((8, 2))))
    table: list[tuple[Any, dict[str, Any]]] = [
        (lw.Actuator, {"name": "a", "stroke": 1.0, "peak_effort": 1.0, "velocity": 1.0, "power": 1.0}),
        (lw.Catalog, {"actuators": (lw.Actuator("a", 1.0),), "source": ""}),
        (lw.Quintic, point_to_point | lasting),
        (lw.Cubic, point_to_point | lasting),
        (lw.LinearParabolicBlend, point_to_point | lasting | {"blend": 0.2}),
        (lw.Trapezoid, point_to_point | {"duration": None, "velocity": 1.0, "acceleration": 2.0}),
        (
            lw.Waypoints,
            {"points": np.outer(time, FLAT), "times": time, "duration": None, "ends": "rest"},
        ),
        (lw.PoseWaypoints, {"poses": along, "times": None, "duration": 1.0, "ends": "rest"}),
        (lw.SampledTrajectory, rows),
        (lw.SampledPoses, {"time": time, "pose": np.tile(pose, (8, 1)), "twist": np.zeros((8, 6))}),
        (
            lw.Excitation,
            {"center": FLAT, "amplitude": 0.1, "base_frequency": 0.5, "harmonics": 4, "seed": 1}
            | {"periods": 1},
        ),
        (
            lw.Excitation.of_series,
            {"center": FLAT, "base_frequency": 0.5, "sines": np.zeros((4, 2))}
            | {"cosines": np.zeros((4, 2)), "periods": 1},
        ),
        *(
            (kind, {"start": pose, "end": along[2], "duration": 2.0, "speed": 0.015, "turn_rate": 0.1})
            for kind in (lw.RpyLine, lw.SlerpLine)
        ),
        (lw.ToolPath, {"poses": along, "duration": 1.0, "blend": 0.01}),
        (lw.CircularArc, {"via": pose[:3], "end": pose}),
        (lw.CartesianLine, {"arm": six, "start": tool, "end": near, "duration": 1.0, "joints": place}),
        (
            lw.CartesianPath,
            {"arm": six, "poses": [tool, near], "duration": 1.0, "blend": 0.0, "joints": place},
        ),
        (lw.CartesianMotion, {"arm": six, "poses": line_of_tool, "start": place, "samples": 11}),
        (lw.LegLengthTrajectory, {"platform": platform, "legs": legs, "start": pose, "samples": 11}),
        (lw.PlannedMotion, {"plan": platform.plan(pose, pose), "duration": 1.0}),
        (
            lw.ComputedTorque,
            control | {"form": "newton-euler", "lookahead": 0.0, "friction": True, "rotors": True}
            | {"formulation": None, "force_feedback": False, "ki": 0.0},
        ),
        (lw.GravityCompensation, control | {"gravity": True, "formulation": None, "ki": 0.0}),
        (
            lw.AdaptiveComputedTorque,
            control | {"learning_rate": 5.0, "friction": True, "formulation": None}
            | {"forgetting": 0.0, "resets": (1.0,)},
        ),
        (lw.RobustComputedTorque, control | {"bandwidth": 20.0, "friction": True, "rotors": True}),
        (
            lw.LawController,
            control | {"law": law.law, "lookahead": 0.0, "ki": 0.0, "accelerations": False},
        ),
        (
            lw.TaskSpaceControl,
            placing | {"measured": "legs", "formulation": None, "form": None, "frames": None, "ki": 0.0}
            | {"force_feedback": False},
        ),
        (lw.TaskSpacePD, placing | {"measured": "legs", "gravity": True, "ki": 0.0}),
        (
            lw.AdaptiveTaskSpaceControl,
            placing | {"learning_rate": 100.0, "forgetting": 0.0, "resets": (1.0,)},
        ),
        (lw.MomentumObserver, observing | {"order": 1, "moments": True}),
        (lw.PayloadObserver, observing | {"forgetting": 0.99, "gain_error": 0.1, "noise": 1.0}),
        (lw.SpringWall, {"point": (0.0, 0, 1), "normal": (0, 0, 1.0), "stiffness": 1e3, "damping": 0.0}),
        (lw.WrenchTable, {"time": time, "values": np.ones((8, 6))}),
        (lw.pd_gains, {"bandwidth": 2.0, "damping": 1.0}),
        (lw.point_payload, {"mass": 1.0, "place": [0, 0, 0.1]}),
        (
            lw.DigitalLoop,
            {each.name: each.default for each in inspect.signature(lw.DigitalLoop).parameters.values()},
        ),
        (lw.DigitalLoop.preset, {"name": "ideal"}),
        (
            lw.simulate,
            {"robot": arm, "controller": law, "start": np.zeros(2), "integrator": "rk4", "payload": 1.0}
            | {"wrench": np.ones(6), "friction": True, "rotors": True, "position_limits": "ignore"}
            | {"loop": None, "tolerance": 1e-8} | short,
        ),
        (
            lw.rollout,
            {"robot": arm, "controller": law, "start": np.zeros(2), "batch": 2, "record_every": 1}
            | {"variations": {"mass_scale": np.ones(2)}, "loop": None, "payload": 1.0}
            | {"wrench": np.ones(6)} | short,
        ),
        (
            lw.time_optimal,
            {"robot": arm, "path": line, "velocity": 1.0, "acceleration": 2.0, "effort": 500.0}
            | {"grid": 40},
        ),
        (lw.write_motion, {"trajectory": line, "path": folder / "m.csv", "period": 0.01}),
        (lw.write_robot, {"robot": arm, "path": folder / "r.yaml"}),
        (lw.load, {"source": "planar-2r", "tip": None, "base": None, "fix": None}),
        (lw.load_arm, {"source": "planar-2r"}),
        (lw.load_platform, {"source": "small-hexapod"}),
        (lw.load_parallel, {"source": "five-bar"}),
        (lw.load_mechanism, {"source": "five-bar"}),
        (lw.lint, {"source": "planar-2r", "chain": None}),
        (lw.read_motion, {"path": folder / "none.csv", "joint_names": ("a", "b"), "expected": None}),
        (lw.read_log, {"robot": arm, "path": folder / "none.csv"}),
        (lw.read_study, {"path": studied}),
        (lw.read_requirements, {"path": asked, "robot": platform}),
        (lw.datasheet, {"robot": platform, "requirements": asked}),
        (lw.read_sweep, {"folder": folder}),
        (lw.read_catalog, {"path": folder / "catalog.csv"}),
        (lw.open_sweep, {"source": studied, "folder": folder / "runs"}),
        (lw.optimize_design, {"study": None}),
        (lw.Rollouts.load, {"path": folder / "none.npz"}),
        (lw.published_path, {"name": "dasgupta-I"}),
        (lw.bundled_names, {"kind": "arm"}),
        (lw.set_threads, {"count": 1}),
        (lw.verify, {"robot": arm, "states": 2, "seed": 0, "progress": False}),
        (lw.operation_ablation, {"arm": arm}),
        (
            lw.minimize_operations,
            {"arm": arm, "seconds": 0.01, "seed": 0, "evaluations": 1, "store": False}
            | {"progress": False},
        ),
        (lw.operation_table, {"n": 2, "robots": []}),
        (
            lw.excite,
            {"robot": arm, "period": 1.0, "harmonics": 3, "periods": 1, "friction": False}
            | {"rotors": False, "shared_legs": False, "candidates": 2, "seed": 0, "progress": False},
        ),
        (
            lw.identify,
            {"robot": arm, "logs": "none.csv", "validate": (), "bandwidth": 5.0, "friction": True}
            | {"rotors": True, "shared_legs": False, "confidence": 0.95},
        ),
        (
            lw.observe,
            {"robot": arm, "logs": "none.csv", "free": (), "bandwidth": 5.0, "order": 1, "moments": True}
            | {"false_alarms": 1.0, "pushes": None, "seed": 0},
        ),
        (
            lw.export,
            {"robot": arm, "target": "casadi", "path": folder / "out", "methods": ["bias"], "name": None}
            | {"force": True},
        ),
        (
            lw.size_actuators,
            {"robot": arm, "motions": [line], "period": 0.01, "catalog": None, "wrench": None},
        ),
        (lw.workspace, {"robot": loops, "pose": loops.home, "clearance": 0.0, "leg_diameter": 0.0}),
        (
            lw.certify,
            {"robot": loops, "region": {loops.coordinates.names[0]: [0.0, 0.001]}, "condition": None}
            | {"singularities": None, "leg_diameter": 0.0, "wrench": np.zeros(6)}
            | {"acceleration": np.zeros(2), "boxes": 4, "smallest": 0.5, "progress": False},
        ),
        (
            lw.calibrate,
            {"robot": arm, "measured": {"readings": measured, "poses": arm.body_pose(measured)[:, :3]}}
            | {"frame": False, "columns": None, "confidence": 0.9},
        ),
        (
            lw.tolerances,
            {"robot": arm, "tolerances": {"position": 1e-5}, "poses": FLAT, "samples": 3, "seed": 0},
        ),
        (lw.Drive, {"motor": DriveMotor(inertia=1e-4), "gear": Gear(ratio=50.0)}),
        (
            lw.DriveSearch,
            {"parts": lw.read_drive_parts(folder / "drives.csv"), "rank": "price", "reserve": 0.1}
            | {"inertia_ratio": 5.0, "shared": False},
        ),
        (lw.Duty, {"pause": 0.0, "share": 0.5, "braked": False, "ambient": 40.0}),
        (lw.drive_study, {"robot": driven, "studies": [moved], "duty": lw.Duty()}),
        (lw.read_drive_parts, {"path": folder / "drives.csv"}),
        (lw.UserFrames, {"user": pose, "object": pose}),
        (lw.UserFrames.about, {"pivot": np.zeros(3), "robot": platform, "zero": pose}),
        (lw.axis_limits, {"robot": platform, "pose": pose, "frames": lw.UserFrames()}),
        (
            lw.certified_workspace,
            {"robot": loops, "axes": None, "pose": loops.home, "gap": 0.5, "condition": None}
            | {"singularities": None, "leg_diameter": 0.0, "boxes": 4, "progress": False},
        ),
        (
            lw.frequency_response,
            {"robot": arm, "controller": law, "poses": FLAT, "frequencies": np.array([1.0, 2.0])}
            | {"loop": None, "flexible": False, "stiffness": None, "damping_ratio": 0.02}
            | {"sensors": "motors", "feedforward": True},
        ),
        (
            lw.identify_payload,
            {"robot": arm, "logs": "none.csv", "unloaded": (), "bandwidth": 5.0, "gains": None}
            | {"gain_error": None, "file_error": None, "mass": None, "confidence": 0.95},
        ),
        (lw.report, {"result": arm, "robot": None}),
        (lw.arm_workspace, {"arm": arm, "orientation": None, "tolerance": None}),
        (line.at, {"t": time}),
        (line.sample, {"period": 0.1}),
    ]  # fmt: skip
    return [Call(function.__qualname__, function, sound) for function, sound in table]


def answers(folder: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What the package answers with, and sound arguments of its methods."""
    arm, platform = lw.load_arm("planar-2r"), lw.load_platform("small-hexapod")
    line = lw.Quintic(np.zeros(2), FLAT, 0.05)
    law = lw.ComputedTorque(arm, line, 100.0, 20.0)
    state = lw.State(np.zeros(2), np.zeros(2))
    acting = {"time": 0.0, "state": state, "robot": arm, "trajectory": line, "period": 0.01}
    yield law, acting
    yield lw.AdaptiveComputedTorque(arm, line), acting
    for kind in (lw.MomentumObserver, lw.PayloadObserver):
        swing = np.outer(np.arange(3.0), FLAT)
        yield kind(arm), {
            "memory": kind(arm).start(), "position": swing, "velocity": swing, "effort": swing,
        }  # fmt: skip
    yield lw.simulate(arm, law, duration=0.02), {"path": folder / "s.csv"}
    yield lw.rollout(arm, law, batch=2, duration=0.02), {"path": folder / "r.npz"}
    yield arm.kernel("mass_matrix"), {
        "name": None, "single": False, "libm": False, "arrays": (FLAT,), "out": None,
    }  # fmt: skip
    yield arm.inverse_kinematics(arm.body_pose(FLAT)), {"row": ()}
    yield platform.plan(platform.home, platform.home), {"s": np.linspace(0, 1, 3)}
    yield lw.size_actuators(arm, [line]), {"k": 0}
    yield lw.tolerances(arm, {"position": 1e-5}, samples=3), {"share": 0.5, "machine": 0, "pose": 0}
    yield lw.WrenchTable(np.arange(3.0), np.ones((3, 6))), {
        "time": 0.0, "before": False, "begin": np.zeros(2), "length": np.ones(2),
    }  # fmt: skip
    yield lw.DigitalLoop(), {"name": "ideal"}
    yield lw.Quintic(np.zeros(2), FLAT, 0.05), {"t": 0.0, "period": 0.01}
    reach = {"axis": "x", "first": "x", "second": "y", "at": None, "points": np.zeros((2, 3))}
    yield lw.arm_workspace(lw.load_arm("ur5")), reach
    yield lw.workspace(platform), reach | {"poses": platform.home[None]}
    studied = folder / "study.yaml"
    yield lw.read_study(studied), {"name": "x"}
    yield lw.open_sweep(studied, folder / "runs"), {"index": 0}
    yield arm.limits, {"k": 0}


def calls(folder: Path, of_arms: frozenset[str] = frozenset()) -> list[Call]:
    """Methods in `of_arms` are left out for other robots than the first."""
    found = functions(folder)
    for subject, values in answers(folder):
        found += methods(subject, values)
    for k, robot in enumerate(robots()):
        found += methods(robot, robot_values(robot), of_arms if k else frozenset())
    return [call for call in found if call.name not in TOUCHED]


@cache
def robots() -> tuple[lw.Robot, ...]:
    return tuple(map(lw.load, ("planar-2r", "small-hexapod", "five-bar")))


@cache
def bad_values() -> tuple[Any, ...]:
    """What is wrong for most arguments, each in its own way."""
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    arm, platform, loops = robots()
    return (
        None, "text", "", b"bytes", object(), {}, [], (), {"a": 1}, {1: 2}, True, False, -1, 0, 1, 2,
        1.5, 1e308, -1e-300, 1e-9, 10**9, 10**400, -(2**63), float("nan"), float("inf"), -float("inf"),
        1 + 2j,
        np.float32(2), np.int64(3), np.bool_(True), np.array([]), np.zeros((0, 2)), np.zeros((2, 3, 4)),
        np.array(1.0), np.array(["a", "b"]), np.array([None, 1.0]), np.array([1 + 1j, 0]),
        np.ones(2, bool),
        np.array([0.1, np.nan]), np.array([np.inf, 0.1]), np.array(["2020-01-01"], "datetime64[D]"),
        np.zeros(2, dtype=[("a", float)]), masked, np.ma.masked, [masked[0], 1.0], np.zeros((10**4, 1)),
        [[1, 2], [3]], ["a", None], [1.0, "2"], [object()], [[[[]]]], {1, 2}, range(3), iter([1, 2]),
        lambda *rest: 0, int, Ellipsis, NotImplemented, "\0", "a\ud800b", Path("x"), Path("\0"), Path(),
        "/dev/null/x", "x" * 10_000, np.random.default_rng(0), arm, platform, loops, arm.model, arm.home,
        platform.home, lw.Quintic([0.0], [1.0], 1.0), lw.published_path("dasgupta-I"), lw.Quintic,
        lw.GravityCompensation(arm, lw.Quintic(FLAT, FLAT, 1.0), 1.0, 1.0), lw.DigitalLoop(), lw,
    )  # fmt: skip


def altered(sound: np.ndarray, random: np.random.Generator) -> Any:
    """An array that is nearly right."""
    row = np.array(sound, dtype=np.float64)
    match random.integers(11):
        case 0:
            bad = [np.nan, np.inf, -np.inf, 1e308, 1e-320]
            row.flat[random.integers(row.size)] = bad[random.integers(5)]
            return row
        case 1:
            return row[..., :-1]
        case 2:
            return np.concatenate([row, row], axis=-1)
        case 3:
            return np.tile(row, (int(random.integers(1, 4)), *[1] * row.ndim))  # unequal batches
        case 4:
            return row.tolist()
        case 5:
            kinds: list[Any] = [np.complex128, np.float32, np.int64, np.bool_, object, str, "M8[s]"]
            with np.errstate(all="ignore"):
                return row.astype(kinds[random.integers(len(kinds))])
        case 6:
            return row[..., None]
        case 7:
            return np.asfortranarray(np.tile(row, (2, *[1] * row.ndim)))[::-1]
        case 8:
            mask = np.zeros(row.shape, dtype=bool)
            mask.flat[random.integers(row.size)] = True
            return np.ma.masked_array(row, mask)
        case 9:
            return np.full(row.shape, 10**400, dtype=object)
        case _:
            return row * 10.0 ** random.integers(-200, 200)


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Arguments without names where names are not allowed."""
    wanted = inspect.signature(function).parameters
    unnamed = [n for n, p in wanted.items() if p.kind is p.POSITIONAL_ONLY and n in arguments]
    named = {name: value for name, value in arguments.items() if name not in unnamed}
    function(*(arguments[name] for name in unnamed), **named)


def refusal(call: Call, arguments: dict[str, Any]) -> str | None:
    """What is wrong with how the call ends; None if nothing is."""
    try:
        with warnings.catch_warnings(), bounded_time():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", lw.RobotWarning)
            warnings.simplefilter("ignore", lw.BranchWarning)
            # NumPy's own of lists; the NaN is refused.
            warnings.filterwarnings("ignore", "Warning: converting a masked element to nan")
            called(call.function, arguments)
    except lw.LinkworkError:
        return None
    except (Exception, TooLongError) as error:
        changed = {k: v for k, v in arguments.items() if v is not call.sound.get(k)}
        said = ", ".join(f"{name}={repr(value)[:80]}" for name, value in changed.items())
        what = f"{call.name}({said}): {type(error).__name__}: {error}"[:400]
        return None if isinstance(error, TooLongError) and what.startswith(LONG_ANSWERS) else what
    masked = [name for name, value in arguments.items() if holds_a_mask(value)]
    return f"{call.name}: takes masked numbers for {masked}" if masked else None


def holds_a_mask(value: Any) -> bool:
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))


def attack(found: list[Call], count: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    foreign: list[str] = []
    for k in range(count):
        call = found[k % len(found)]
        arguments = dict(call.sound)
        for _ in range(random.integers(1, 3)):
            if not arguments:
                break
            key = list(arguments)[random.integers(len(arguments))]
            sound = call.sound[key]
            if isinstance(sound, np.ndarray) and sound.size and random.random() < 0.6:
                arguments[key] = altered(sound, random)
            else:
                arguments[key] = bad_values()[random.integers(len(bad_values()))]
        if said := refusal(call, arguments):
            foreign.append(said)
    return foreign


def one_after_the_other(found: list[Call]) -> Iterator[tuple[Call, dict[str, Any]]]:
    """Every call with every bad value in every argument."""
    for call in found:
        for key in call.sound:
            for value in bad_values():
                yield call, {**call.sound, key: value}


def told(foreign: list[str], count: int) -> str:
    return f"{len(foreign)} of {count}:\n" + "\n".join(foreign)


@pytest.mark.long
def test_sound_arguments_are_taken(tmp_path, monkeypatch) -> None:
    """What is attacked is a call that works."""
    monkeypatch.chdir(tmp_path)
    refused = []
    for call in calls(tmp_path, LONG_ONLY):
        try:
            called(call.function, call.sound)
        except lw.LinkworkError:
            refused.append(call.name)
    assert {*refused} == REFUSED


def test_every_public_name_is_attacked(tmp_path) -> None:
    names = {call.name.split(".")[0].split(" ")[0] for call in functions(tmp_path)} | TOUCHED | ANSWERS
    for name in lw.__all__:
        public = getattr(lw, name)
        if inspect.isclass(public) and issubclass(public, Exception | Warning):
            continue
        assert getattr(public, "__name__", name) in names or name in names, name


def test_bad_arguments(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    foreign = attack(calls(tmp_path, LONG_ONLY), FEW, 0)
    assert not foreign, told(foreign, FEW)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 4))
def test_many_bad_arguments(tmp_path, monkeypatch, seed) -> None:
    monkeypatch.chdir(tmp_path)
    foreign = attack(calls(tmp_path), MANY, seed)
    assert not foreign, told(foreign, MANY)


@pytest.mark.long
def test_every_bad_value_in_every_argument(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    foreign, count = [], 0
    for call, arguments in one_after_the_other(calls(tmp_path)):
        count += 1
        if said := refusal(call, arguments):
            foreign.append(said)
    assert count > 30_000
    assert not foreign, told(foreign, count)
