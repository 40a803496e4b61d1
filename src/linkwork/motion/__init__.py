"""Trajectories: of joints, of leg lengths and of a platform's pose."""

from linkwork.motion.excitation import Excitation
from linkwork.motion.point_to_point import (
    PAPER_PATHS,
    Blend,
    Cubic,
    JointLine,
    PoseLine,
    QuaternionLine,
    Quintic,
    StraightLine,
    Trapezoid,
    paper_path,
)
from linkwork.motion.profiles import (
    BlendProfile,
    CubicProfile,
    Profile,
    QuinticProfile,
    UniformProfile,
)
from linkwork.motion.robot_paths import (
    CartesianLine,
    CartesianMotion,
    CartesianPath,
    LegPath,
    PlannedMotion,
)
from linkwork.motion.splines import PoseWaypoints, Sampled, SampledPoses, Waypoints
from linkwork.motion.tables import read_motion, write_motion
from linkwork.motion.time_parameterization import time_optimal
from linkwork.motion.tool_path import CircleThrough, ToolPath
from linkwork.motion.trajectory import (
    JointMotion,
    JointTrajectory,
    PoseMotion,
    PoseTrajectory,
    Retimed,
    RetimedPoses,
    Trajectory,
)

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
