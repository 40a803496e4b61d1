"""Agreement of formulations, operation counts, and later conditioning and workspace."""
