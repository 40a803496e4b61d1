"""The order in which a mechanism is solved, found greedily: what is known first, closed forms next."""

from __future__ import annotations

from linkwork.mechanics.mechanism.analysis import Analysis
from linkwork.mechanics.mechanism.closures import closures_of
from linkwork.mechanics.mechanism.plan import Plan
from linkwork.mechanics.mechanism.planning import patterns
from linkwork.mechanics.mechanism.planning.progress import Progress
from linkwork.mechanics.mechanism.planning.remainder import newton
from linkwork.mechanics.mechanism.points import with_points_held
from linkwork.robots.mechanism import MechanismModel

PATTERNS = (
    patterns.welded,
    patterns.coordinate,
    patterns.pose,
    patterns.related,
    patterns.rod,
    patterns.dyad,
    patterns.spherical,
    newton,
)


def plan_of(model: MechanismModel) -> Plan:
    """The order in which a mechanism is solved; MobilityError where its coordinates are not right."""
    model = with_points_held(model)
    progress = Progress(model, Analysis.of(model))
    bodies = {part.name for part in model.parts}
    while bodies - progress.placed.keys():
        progress.add(next(block for block in (find(progress) for find in PATTERNS) if block is not None))
    closed = {closure.key for block in progress.blocks for closure in block.closures}
    left = tuple(c for c in closures_of(model, progress.used) if c.key not in closed)
    watched = left if progress.doubtful else ()
    return Plan(model, tuple(progress.groups), tuple(progress.blocks), left, watched)
