"""The public names and where they are defined; `linkwork` hands them out, each when it is asked for.

A new name stands in three places: imported for type checkers, in `PLACES`, and in `__all__`; a test
compares them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork.analysis.ablation import ablation
    from linkwork.analysis.agreement import check
    from linkwork.analysis.arm_workspace import ArmWorkspace, arm_workspace
    from linkwork.analysis.catalogue import Actuator, Catalogue, read_catalogue
    from linkwork.analysis.minimise import minimise
    from linkwork.analysis.operation_table import operation_table
    from linkwork.analysis.sizing import Sizing, size
    from linkwork.analysis.workspace import Workspace, workspace
    from linkwork.control import (
        AdaptiveComputedTorque,
        AdaptiveTaskSpaceControl,
        ComputedTorque,
        Controller,
        GravityCompensation,
        LawController,
        State,
        TaskSpaceControl,
        TaskSpacePD,
        gains,
        point_load,
    )
    from linkwork.design.optimise import Design, optimise
    from linkwork.design.study_file import StudyFile, read_study
    from linkwork.design.sweep import Sweep, open_sweep, read_rows
    from linkwork.errors import (
        InputError,
        KernelError,
        LinkworkError,
        MotionFileError,
        RobotFileError,
        WriteError,
    )
    from linkwork.exports import Exported, export
    from linkwork.identification import Identification, Log, excite, identify, read_log
    from linkwork.interface.all_solutions import AllSolutions
    from linkwork.interface.arm import Arm
    from linkwork.interface.arm_follow import ArmPath
    from linkwork.interface.arm_kinematics import LinkMotion, Manipulability
    from linkwork.interface.assembly_modes import AssemblyModes
    from linkwork.interface.base_parameters import BaseParameters
    from linkwork.interface.forward_kinematics import BranchWarning
    from linkwork.interface.inverse_kinematics_result import InverseKinematics
    from linkwork.interface.joint_angles import JointAngles
    from linkwork.interface.limits import LimitReport, Limits
    from linkwork.interface.loading import (
        load,
        load_arm,
        load_mechanism,
        load_parallel,
        load_platform,
    )
    from linkwork.interface.parallel import ParallelRobot
    from linkwork.interface.plan import Plan
    from linkwork.interface.platform import Platform
    from linkwork.interface.results import Energy, NaturalComplement
    from linkwork.interface.robot import Mechanism, Robot
    from linkwork.kernels import Counts, Kernel, set_threads
    from linkwork.motion import (
        Blend,
        CartesianLine,
        CartesianMotion,
        CartesianPath,
        CircleThrough,
        Cubic,
        Excitation,
        LegPath,
        PlannedMotion,
        PoseWaypoints,
        QuaternionLine,
        Quintic,
        Sampled,
        SampledPoses,
        StraightLine,
        ToolPath,
        Trapezoid,
        Waypoints,
        paper_path,
        read_motion,
        time_optimal,
        write_motion,
    )
    from linkwork.robots.bundled import bundled_names
    from linkwork.robots.findings import findings
    from linkwork.robots.robot_warnings import RobotWarning
    from linkwork.robots.robot_writer import write_robot
    from linkwork.simulation import (
        Contact,
        DigitalLoop,
        Rollouts,
        Simulation,
        SimulationError,
        SpringWall,
        WrenchTable,
        rollout,
        simulate,
    )

# Modules that define public names. They are loaded one by one: a program that asks for a torque does not
# wait for simulations and motions.
PLACES = {
    "linkwork.analysis.ablation": ("ablation",),
    "linkwork.analysis.agreement": ("check",),
    "linkwork.analysis.arm_workspace": ("ArmWorkspace", "arm_workspace"),
    "linkwork.analysis.catalogue": ("Actuator", "Catalogue", "read_catalogue"),
    "linkwork.analysis.minimise": ("minimise",),
    "linkwork.analysis.operation_table": ("operation_table",),
    "linkwork.analysis.sizing": ("Sizing", "size"),
    "linkwork.analysis.workspace": ("Workspace", "workspace"),
    "linkwork.control": (
        "AdaptiveComputedTorque",
        "AdaptiveTaskSpaceControl",
        "ComputedTorque",
        "Controller",
        "GravityCompensation",
        "LawController",
        "State",
        "TaskSpaceControl",
        "TaskSpacePD",
        "gains",
        "point_load",
    ),
    "linkwork.design.optimise": ("Design", "optimise"),
    "linkwork.design.study_file": ("StudyFile", "read_study"),
    "linkwork.design.sweep": ("Sweep", "open_sweep", "read_rows"),
    "linkwork.errors": (
        "InputError",
        "KernelError",
        "LinkworkError",
        "MotionFileError",
        "RobotFileError",
        "WriteError",
    ),
    "linkwork.exports": (
        "Exported",
        "export",
    ),
    "linkwork.identification": (
        "Identification",
        "Log",
        "excite",
        "identify",
        "read_log",
    ),
    "linkwork.interface.all_solutions": ("AllSolutions",),
    "linkwork.interface.arm": ("Arm",),
    "linkwork.interface.arm_follow": ("ArmPath",),
    "linkwork.interface.inverse_kinematics_result": ("InverseKinematics",),
    "linkwork.interface.arm_kinematics": (
        "LinkMotion",
        "Manipulability",
    ),
    "linkwork.interface.assembly_modes": ("AssemblyModes",),
    "linkwork.interface.base_parameters": ("BaseParameters",),
    "linkwork.interface.forward_kinematics": ("BranchWarning",),
    "linkwork.interface.joint_angles": ("JointAngles",),
    "linkwork.interface.limits": (
        "LimitReport",
        "Limits",
    ),
    "linkwork.interface.loading": (
        "load",
        "load_arm",
        "load_mechanism",
        "load_parallel",
        "load_platform",
    ),
    "linkwork.interface.parallel": ("ParallelRobot",),
    "linkwork.interface.plan": ("Plan",),
    "linkwork.interface.platform": ("Platform",),
    "linkwork.interface.results": ("Energy", "NaturalComplement"),
    "linkwork.interface.robot": ("Mechanism", "Robot"),
    "linkwork.kernels": (
        "Counts",
        "Kernel",
        "set_threads",
    ),
    "linkwork.motion": (
        "Blend",
        "CartesianLine",
        "CartesianMotion",
        "CartesianPath",
        "CircleThrough",
        "Cubic",
        "Excitation",
        "LegPath",
        "PlannedMotion",
        "PoseWaypoints",
        "QuaternionLine",
        "Quintic",
        "Sampled",
        "SampledPoses",
        "StraightLine",
        "ToolPath",
        "Trapezoid",
        "Waypoints",
        "paper_path",
        "read_motion",
        "time_optimal",
        "write_motion",
    ),
    "linkwork.robots.bundled": ("bundled_names",),
    "linkwork.robots.findings": ("findings",),
    "linkwork.robots.robot_warnings": ("RobotWarning",),
    "linkwork.robots.robot_writer": ("write_robot",),
    "linkwork.simulation": (
        "Contact",
        "DigitalLoop",
        "Rollouts",
        "Simulation",
        "SimulationError",
        "SpringWall",
        "WrenchTable",
        "rollout",
        "simulate",
    ),
}

_MODULE_OF = {name: module for module, names in PLACES.items() for name in names}

__all__ = [
    "Actuator",
    "AdaptiveComputedTorque",
    "AdaptiveTaskSpaceControl",
    "AllSolutions",
    "Arm",
    "ArmPath",
    "ArmWorkspace",
    "AssemblyModes",
    "BaseParameters",
    "Blend",
    "BranchWarning",
    "CartesianLine",
    "CartesianMotion",
    "CartesianPath",
    "Catalogue",
    "CircleThrough",
    "ComputedTorque",
    "Contact",
    "Controller",
    "Counts",
    "Cubic",
    "Design",
    "DigitalLoop",
    "Energy",
    "Excitation",
    "Exported",
    "GravityCompensation",
    "Identification",
    "InputError",
    "InverseKinematics",
    "JointAngles",
    "Kernel",
    "KernelError",
    "LawController",
    "LegPath",
    "LimitReport",
    "Limits",
    "LinkMotion",
    "LinkworkError",
    "Log",
    "Manipulability",
    "Mechanism",
    "MotionFileError",
    "NaturalComplement",
    "ParallelRobot",
    "Plan",
    "PlannedMotion",
    "Platform",
    "PoseWaypoints",
    "QuaternionLine",
    "Quintic",
    "Robot",
    "RobotFileError",
    "RobotWarning",
    "Rollouts",
    "Sampled",
    "SampledPoses",
    "Simulation",
    "SimulationError",
    "Sizing",
    "SpringWall",
    "State",
    "StraightLine",
    "StudyFile",
    "Sweep",
    "TaskSpaceControl",
    "TaskSpacePD",
    "ToolPath",
    "Trapezoid",
    "Waypoints",
    "Workspace",
    "WrenchTable",
    "WriteError",
    "ablation",
    "arm_workspace",
    "bundled_names",
    "check",
    "excite",
    "export",
    "findings",
    "gains",
    "identify",
    "load",
    "load_arm",
    "load_mechanism",
    "load_parallel",
    "load_platform",
    "minimise",
    "open_sweep",
    "operation_table",
    "optimise",
    "paper_path",
    "point_load",
    "read_catalogue",
    "read_log",
    "read_motion",
    "read_rows",
    "read_study",
    "rollout",
    "set_threads",
    "simulate",
    "size",
    "time_optimal",
    "workspace",
    "write_motion",
    "write_robot",
]


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it, or a module of the package."""
    if name in _MODULE_OF:
        return getattr(importlib.import_module(_MODULE_OF[name]), name)
    try:
        return importlib.import_module(f"linkwork.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"linkwork.{name}":  # something that it needs
            raise
    raise AttributeError(f"module 'linkwork' has no attribute {name!r}")
