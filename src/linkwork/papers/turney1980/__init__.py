"""Turney, Mudge and Lee (1980): formulations that agree, their counts, and the equations as printed."""
