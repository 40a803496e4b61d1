"""From forces to motion over time: single runs and batches."""

from linkwork.simulation.digital_loop import DigitalLoop
from linkwork.simulation.result import Simulation, SimulationError
from linkwork.simulation.rollout import rollout
from linkwork.simulation.rollouts import Rollouts
from linkwork.simulation.simulate import simulate

__all__ = ["DigitalLoop", "Rollouts", "Simulation", "SimulationError", "rollout", "simulate"]
