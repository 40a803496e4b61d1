"""Control laws for arms and platforms."""

from linkwork.control.adaptive import AdaptiveComputedTorque, point_load
from linkwork.control.adaptive_platform import AdaptiveTaskSpaceControl
from linkwork.control.arms import ComputedTorque, GravityCompensation, LawController
from linkwork.control.base import CompiledController, Controller, State
from linkwork.control.gains import Gains, gains
from linkwork.control.laws import Law, Signals
from linkwork.control.platforms import TaskSpaceControl, TaskSpacePD

__all__ = [
    "AdaptiveComputedTorque",
    "AdaptiveTaskSpaceControl",
    "CompiledController",
    "ComputedTorque",
    "Controller",
    "Gains",
    "GravityCompensation",
    "Law",
    "LawController",
    "Signals",
    "State",
    "TaskSpaceControl",
    "TaskSpacePD",
    "gains",
    "point_load",
]
