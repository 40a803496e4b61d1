"""The formulation `minimal`: inverse dynamics and mass matrix with the fewest operations (README.md)."""
