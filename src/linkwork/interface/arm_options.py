"""Options of an arm's methods, checked."""

from __future__ import annotations

from linkwork.errors import InputError
from linkwork.interface.options import RuntimeInputs, flag
from linkwork.mechanics.arm.formulations import MINIMAL
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
    parameters: tuple[str, ...] = (),
) -> Options:
    """Options that a method does not take are off."""
    spec = METHODS[method]
    if formulation is not None:
        one_of(formulation, spec.formulations, "formulation")
        if parameters and formulation == MINIMAL:
            others = [name for name in spec.formulations if name != MINIMAL]
            raise InputError(
                f"formulation {MINIMAL!r} is made from the robot's numbers; with parameters use "
                f"{', '.join(others)}."
            )
    return Options(
        friction=flag(friction, "friction") and "friction" in spec.options,
        rotors=flag(rotors, "rotors") and "rotors" in spec.options,
        formulation=formulation,
        gravity=inputs.gravity,
        runtime=inputs.names,
        frame=frame,
        parameters=parameters,
    )
