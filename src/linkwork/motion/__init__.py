"""Trajectories: of joints, of leg lengths and of a platform's pose."""

from linkwork.motion.excitation import Excitation
from linkwork.motion.point_to_point import (
    PAPER_PATHS,
    Cubic,
    JointLine,
    LinearParabolicBlend,
    PoseLine,
    Quintic,
    RpyLine,
    SlerpLine,
    Trapezoid,
    published_path,
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
    LegLengthTrajectory,
    PlannedMotion,
)
from linkwork.motion.splines import PoseWaypoints, SampledPoses, SampledTrajectory, Waypoints
from linkwork.motion.tables import read_motion, write_motion
from linkwork.motion.time_parameterization import time_optimal
from linkwork.motion.tool_path import CircularArc, ToolPath
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
    "BlendProfile",
    "CartesianLine",
    "CartesianMotion",
    "CartesianPath",
    "CircularArc",
    "Cubic",
    "CubicProfile",
    "Excitation",
    "JointLine",
    "JointMotion",
    "JointTrajectory",
    "LegLengthTrajectory",
    "LinearParabolicBlend",
    "PlannedMotion",
    "PoseLine",
    "PoseMotion",
    "PoseTrajectory",
    "PoseWaypoints",
    "Profile",
    "Quintic",
    "QuinticProfile",
    "Retimed",
    "RetimedPoses",
    "RpyLine",
    "SampledPoses",
    "SampledTrajectory",
    "SlerpLine",
    "ToolPath",
    "Trajectory",
    "Trapezoid",
    "UniformProfile",
    "Waypoints",
    "published_path",
    "read_motion",
    "time_optimal",
    "write_motion",
]
