"""Trajectories: of joints, of leg lengths and of a platform's pose."""

from linkwork.motion.cartesian import CartesianLine, CartesianMotion, CartesianPath
from linkwork.motion.excitation import Excitation
from linkwork.motion.leg_path import LegPath
from linkwork.motion.lines import Blend, Cubic, JointLine, Quintic
from linkwork.motion.paper_paths import PAPER_PATHS, paper_path
from linkwork.motion.planned import PlannedMotion
from linkwork.motion.pose_lines import PoseLine, QuaternionLine, StraightLine
from linkwork.motion.profiles import (
    BlendProfile,
    CubicProfile,
    Profile,
    QuinticProfile,
    UniformProfile,
)
from linkwork.motion.reading import read_motion
from linkwork.motion.retimed import Retimed, RetimedPoses
from linkwork.motion.sampled import Sampled, SampledPoses
from linkwork.motion.timing import time_optimal
from linkwork.motion.tool_path import CircleThrough, ToolPath
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    PoseMotion,
    PoseTrajectory,
    Trajectory,
)
from linkwork.motion.trapezoid import Trapezoid
from linkwork.motion.waypoints import PoseWaypoints, Waypoints
from linkwork.motion.writing import write_motion

__all__ = [
    "PAPER_PATHS",
    "Blend",
    "BlendProfile",
    "CartesianLine",
    "CartesianMotion",
    "CartesianPath",
    "CircleThrough",
    "Cubic",
    "CubicProfile",
    "Excitation",
    "JointLine",
    "JointMotion",
    "JointTrajectory",
    "LegPath",
    "PlannedMotion",
    "PoseLine",
    "PoseMotion",
    "PoseTrajectory",
    "PoseWaypoints",
    "Profile",
    "QuaternionLine",
    "Quintic",
    "QuinticProfile",
    "Retimed",
    "RetimedPoses",
    "Sampled",
    "SampledPoses",
    "StraightLine",
    "ToolPath",
    "Trajectory",
    "Trapezoid",
    "UniformProfile",
    "Waypoints",
    "paper_path",
    "read_motion",
    "time_optimal",
    "write_motion",
]
