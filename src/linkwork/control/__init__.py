"""Control laws for every robot, in its coordinates."""

from linkwork.control.adaptive import AdaptiveComputedTorque, AdaptiveTaskSpaceControl, point_load
from linkwork.control.base import CompiledController, Controller, State
from linkwork.control.controllers import (
    ComputedTorque,
    GravityCompensation,
    LawController,
    TaskSpaceControl,
    TaskSpacePD,
)
from linkwork.control.gains import Gains, gains
from linkwork.control.laws import Law, Signals

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
