"""Platforms on any legs: closures, dynamics, reactions."""
