"""From forces to motion over time: single runs and batches."""

from linkwork.mechanics.contact import Contact, SpringWall
from linkwork.simulation.digital_loop import DigitalLoop
from linkwork.simulation.result import Simulation, SimulationError
from linkwork.simulation.rollout import rollout
from linkwork.simulation.rollouts import Rollouts
from linkwork.simulation.simulate import simulate
from linkwork.simulation.wrenches import WrenchTable

__all__ = [
    "Contact",
    "DigitalLoop",
    "Rollouts",
    "Simulation",
    "SimulationError",
    "SpringWall",
    "WrenchTable",
    "rollout",
    "simulate",
]
