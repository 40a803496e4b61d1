"""Linkwork: exact and fast dynamics of serial arms and Stewart platforms."""

from linkwork.analysis.agreement import check
from linkwork.analysis.operation_table import operation_table
from linkwork.arm import Arm, NaturalComplement
from linkwork.errors import InputError, KernelError, LinkworkError, RobotFileError
from linkwork.kernels import Counts, Kernel, set_threads
from linkwork.loading import load
from linkwork.robot import Energy
from linkwork.robots.files import bundled_names
from linkwork.robots.robot_warnings import RobotWarning
from linkwork.stewart import LimitReport, Platform

__version__ = "0.1.0"

__all__ = [
    "Arm",
    "Counts",
    "Energy",
    "InputError",
    "Kernel",
    "KernelError",
    "LimitReport",
    "LinkworkError",
    "NaturalComplement",
    "Platform",
    "RobotFileError",
    "RobotWarning",
    "bundled_names",
    "check",
    "load",
    "operation_table",
    "set_threads",
]
