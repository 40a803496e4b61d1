"""Which equations a platform is computed by."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.mechanics.published import dasgupta1998, pedrammehr2012
from linkwork.mechanics.published.stepwise import Reading

FORMULATIONS = ("exact", "dasgupta1998", "pedrammehr2012")


@dataclass(frozen=True)
class Formulation:
    """Exact, or as published. `deviations` None: as the formulation has them."""

    name: str = "exact"
    deviations: tuple[str, ...] | None = None
    form: str = "closed"
    frames: str = "printed"

    @property
    def reading(self) -> Reading | None:
        """The deviations from the exact equations; None for the exact ones."""
        if self.deviations is not None:
            return Reading(frozenset(self.deviations), self.frames == "local")
        if self.name == "dasgupta1998":
            return dasgupta1998.READING
        if self.name == "pedrammehr2012":
            return pedrammehr2012.reading_of(self.form, self.frames)
        return None
