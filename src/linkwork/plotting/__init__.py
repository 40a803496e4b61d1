"""How figures look: style, curves over time, mechanisms in space."""
