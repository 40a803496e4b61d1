"""Robots as users meet them: arrays in, arrays out."""
