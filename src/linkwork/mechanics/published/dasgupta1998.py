"""Dasgupta and Mruthyunjaya, Mech. Mach. Theory 33 (1998) 1135, as published.

Deviates from the exact model in three places: (6), (9) leave out the legs' spin, (17)-(21) put the
universal joint's moment along the leg, (16) counts m_u L^2 twice. Lost dots in (9), (24), (25) restored.
"""

from __future__ import annotations

from linkwork.mechanics.published.stepwise import Reading

AS_PUBLISHED = ("no-spin", "moment-along-leg", "upper-inertia-at-base")
READING = Reading(frozenset(AS_PUBLISHED))
