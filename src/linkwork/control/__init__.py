"""Control laws and observers for every robot, in its coordinates."""

from linkwork.control.adaptive import AdaptiveComputedTorque, AdaptiveTaskSpaceControl, point_payload
from linkwork.control.base import Controller, State
from linkwork.control.controllers import (
    ComputedTorque,
    GravityCompensation,
    LawController,
    TaskSpaceControl,
    TaskSpacePD,
)
from linkwork.control.feedback import Gains, pd_gains
from linkwork.control.laws import Law, Signals
from linkwork.control.observers import Disturbance, MomentumObserver
from linkwork.control.payload_observer import LoadEstimate, PayloadObserver
from linkwork.control.robust import RobustComputedTorque

__all__ = [
    "AdaptiveComputedTorque",
    "AdaptiveTaskSpaceControl",
    "ComputedTorque",
    "Controller",
    "Disturbance",
    "Gains",
    "GravityCompensation",
    "Law",
    "LawController",
    "LoadEstimate",
    "MomentumObserver",
    "PayloadObserver",
    "RobustComputedTorque",
    "Signals",
    "State",
    "TaskSpaceControl",
    "TaskSpacePD",
    "pd_gains",
    "point_payload",
]
