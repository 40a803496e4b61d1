"""How near to a singular pose is too near."""

from __future__ import annotations

# Condition number of a platform, lengths in its radius, from which its leg forces are those of a
# singular pose rather than of its motion; bundled platforms stand at 10 to 30.
NEAR_SINGULAR = 1e3
