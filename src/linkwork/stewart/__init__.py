"""The Stewart platform as users meet it, and what its methods return."""

from linkwork.stewart.limits import LimitBreak, LimitReport
from linkwork.stewart.platform import Platform
from linkwork.stewart.results import (
    ForceParts,
    JointReactions,
    LegKinematics,
    PlatformMotion,
    TaskSpace,
)

__all__ = [
    "ForceParts",
    "JointReactions",
    "LegKinematics",
    "LimitBreak",
    "LimitReport",
    "Platform",
    "PlatformMotion",
    "TaskSpace",
]
