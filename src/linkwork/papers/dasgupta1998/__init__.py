"""Dasgupta and Mruthyunjaya (1998): their figures and statements, and their platform in closed loop."""
