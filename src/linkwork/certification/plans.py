"""Plans whose limits are proven, not looked at in samples."""

from __future__ import annotations

from linkwork.certification.certify import Certification, certify
from linkwork.core.errors import LinkworkError
from linkwork.kinematics.path_planning import SingularityFreePath
from linkwork.motion.robot_paths import PlannedMotion


def prove_plan(plan: SingularityFreePath, duration: float) -> Certification:
    """That all of a plan keeps the limits of its platform, in a duration [s]; else a LinkworkError."""
    found = certify(plan.platform, PlannedMotion(plan, duration))
    if found.verdict == "refuted":
        raise LinkworkError(
            f"plan: the best path is free of singularities, but does not keep {found.broken}: after "
            f"{found.time:.4g} of {duration:g} s. Go through a pose between, try another seed, or take "
            "a longer duration if it is a force."
        )
    if found.verdict == "undecided":
        raise LinkworkError(
            f"plan: {100 * found.undecided_share:.3g} % of the best path comes so near to a limit that "
            "nothing is proven there. Go through a pose between, or try another seed."
        )
    return found
