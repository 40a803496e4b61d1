"""The former place of `random_coordinates`."""

from linkwork.analysis.mechanism_agreement import random_coordinates

__all__ = ["random_coordinates"]
