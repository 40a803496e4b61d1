"""From forces to motion over time: single runs and batches."""

from linkwork.mechanics.plant import Contact, SpringWall
from linkwork.simulation.digital_loop import DigitalLoop
from linkwork.simulation.loads import WrenchTable
from linkwork.simulation.results import Rollouts, Simulation, SimulationError
from linkwork.simulation.rollout import rollout
from linkwork.simulation.simulate import simulate

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
