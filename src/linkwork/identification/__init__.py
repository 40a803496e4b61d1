"""From logs of a robot's motion to its parameters, and motions that show them."""

from linkwork.identification.excite import Excited, excite
from linkwork.identification.identify import Identification, identify
from linkwork.identification.logs import Log, read_log
from linkwork.identification.observe import Observation, observe
from linkwork.identification.payload import Payload, identify_payload
from linkwork.identification.predictions import Prediction

__all__ = [
    "Excited",
    "Identification",
    "Log",
    "Observation",
    "Payload",
    "Prediction",
    "excite",
    "identify",
    "identify_payload",
    "observe",
    "read_log",
]
