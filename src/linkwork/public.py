"""The public names; `linkwork` itself hands them out."""

from linkwork.analysis.ablation import ablation
from linkwork.analysis.agreement import check
from linkwork.analysis.minimise import minimise
from linkwork.analysis.operation_table import operation_table
from linkwork.control import (
    AdaptiveComputedTorque,
    ComputedTorque,
    GravityCompensation,
    TaskSpaceControl,
    gains,
    point_load,
)
from linkwork.errors import (
    InputError,
    KernelError,
    LinkworkError,
    MotionFileError,
    RobotFileError,
    WriteError,
)
from linkwork.interface.arm import Arm
from linkwork.interface.arm_follow import ArmPath
from linkwork.interface.arm_inverse_kinematics import InverseKinematics
from linkwork.interface.arm_kinematics import LinkMotion, Manipulability
from linkwork.interface.assembly_modes import AssemblyModes
from linkwork.interface.limits import LimitReport, Limits
from linkwork.interface.loading import load, load_arm, load_platform
from linkwork.interface.platform import Platform
from linkwork.interface.results import NaturalComplement
from linkwork.interface.robot import Energy, Robot
from linkwork.kernels import Counts, Kernel, set_threads
from linkwork.motion import (
    Blend,
    Cubic,
    Excitation,
    LegPath,
    PoseWaypoints,
    QuaternionLine,
    Quintic,
    Sampled,
    SampledPoses,
    StraightLine,
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
from linkwork.simulation import Rollouts, Simulation, SimulationError, rollout, simulate

__all__ = [
    "AdaptiveComputedTorque",
    "Arm",
    "ArmPath",
    "AssemblyModes",
    "Blend",
    "ComputedTorque",
    "Counts",
    "Cubic",
    "Energy",
    "Excitation",
    "GravityCompensation",
    "InputError",
    "InverseKinematics",
    "Kernel",
    "KernelError",
    "LegPath",
    "LimitReport",
    "Limits",
    "LinkMotion",
    "LinkworkError",
    "Manipulability",
    "MotionFileError",
    "NaturalComplement",
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
    "StraightLine",
    "TaskSpaceControl",
    "Trapezoid",
    "Waypoints",
    "WriteError",
    "ablation",
    "bundled_names",
    "check",
    "findings",
    "gains",
    "load",
    "load_arm",
    "load_platform",
    "minimise",
    "operation_table",
    "paper_path",
    "point_load",
    "read_motion",
    "rollout",
    "set_threads",
    "simulate",
    "time_optimal",
    "write_motion",
    "write_robot",
]
