"""Mechanics of any mechanism: analysis of its loops, a plan that solves them, and dynamics along it."""
