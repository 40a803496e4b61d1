"""Options of an arm's methods, checked."""

from __future__ import annotations

from linkwork.interface.options import RuntimeInputs, flag
from linkwork.mechanics.arm.methods import METHODS, Options
from linkwork.names import one_of


def arm_options(
    method: str,
    inputs: RuntimeInputs,
    *,
    friction: bool = True,
    rotors: bool = True,
    formulation: str | None = None,
    frame: int | None = None,
) -> Options:
    """Options that a method does not take are off."""
    spec = METHODS[method]
    if formulation is not None:
        one_of(formulation, spec.formulations, "formulation")
    return Options(
        friction=flag(friction, "friction") and "friction" in spec.options,
        rotors=flag(rotors, "rotors") and "rotors" in spec.options,
        formulation=formulation,
        gravity=inputs.gravity,
        runtime=inputs.names,
        frame=frame,
    )
