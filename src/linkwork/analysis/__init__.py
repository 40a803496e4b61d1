"""Agreement of formulations, operation counts, studies of a motion, sizing and workspaces."""
