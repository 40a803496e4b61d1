"""The paths of the papers by name."""

from __future__ import annotations

from linkwork.motion.pose_lines import PoseLine, StraightLine
from linkwork.motion.profiles import UniformProfile
from linkwork.names import one_of

_FROM, _TO = (0.1, 0.0, 0.4, 0.0, 0.0, -0.2), (0.3, 0.0, 0.6, 0.0, 0.0, 0.2)
_SLOW = (_FROM, _TO, 6.0, 0.08, 0.08)
_FAST = (_FROM, _TO, 0.6, 0.8, 0.8)

# Start, end, duration, speed, turn rate: Dasgupta and Mruthyunjaya 1998, 5; Pedrammehr et al. 2012,
# Appendix 2, whose Paths 2 and 3 are Paths I and II.
_LINES = {
    "dasgupta-I": _SLOW,
    "dasgupta-II": _FAST,
    "dasgupta-III": ((0.4, 1.4, 1.2, 0.1, 0.2, 0.0), (0.8, 1.8, 1.8, 0.3, 0.4, 0.0), 6.0, 0.2, 0.08),
    "pedrammehr-2": _SLOW,
    "pedrammehr-3": _FAST,
}

PAPER_PATHS = (
    "dasgupta-I",
    "dasgupta-II",
    "dasgupta-III",
    "pedrammehr-1",
    "pedrammehr-2",
    "pedrammehr-3",
)


def paper_path(name: str) -> PoseLine:
    """A path of the papers; `PAPER_PATHS` lists the names.

    "pedrammehr-1" has constant velocity. It is printed as 0.08 m/s, but 0.5 m in 6 s is 0.0833 m/s, and
    that is taken.
    """
    if one_of(name, PAPER_PATHS, "path of the papers") == "pedrammehr-1":
        return PoseLine((0.1, 0, 0.5, 0, 0, 0), (0.6, 0, 0.5, 0, 0, 0), UniformProfile(6.0))
    return StraightLine(*_LINES[name])
