"""Options of a platform's methods, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linkwork.errors import InputError
from linkwork.interface.options import RuntimeInputs, flag
from linkwork.mechanics.platform.methods import METHODS, Options
from linkwork.mechanics.published.formulation import FORMULATIONS
from linkwork.mechanics.published.pedrammehr2012 import FORMS, FRAMES
from linkwork.mechanics.published.stepwise import DEVIATIONS
from linkwork.names import one_of
from linkwork.robots.platform import PlatformModel

EXACT = "exact"


def platform_options(
    model: PlatformModel,
    method: str,
    inputs: RuntimeInputs,
    *,
    pose_size: int = 7,
    friction: bool = True,
    formulation: str | None = None,
    deviations: Sequence[str] | None = None,
    form: str = "closed",
    frames: str = "printed",
    parameters: tuple[str, ...] = (),
) -> Options:
    """Friction is on where a method cannot leave it out; published models always have it."""
    formulation = EXACT if formulation is None else one_of(formulation, FORMULATIONS, "formulation")
    one_of(form, FORMS, "form")
    one_of(frames, FRAMES, "frames")
    if pose_size not in (6, 7):
        raise InputError(f"pose_size = {pose_size!r}: allowed are 7 and 6.")
    options = Options(
        pose_size=pose_size,
        runtime=inputs.names,
        friction=flag(friction, "friction") or "friction" not in METHODS[method].options,
        formulation=formulation,
        deviations=None if deviations is None else deviation_names(deviations),
        form=form,
        frames=frames,
        gravity=inputs.gravity,
        parameters=parameters,
    )
    _check_published(model, options)
    return options


def deviation_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of deviations in a fixed order."""
    listed = isinstance(names, Iterable) and not isinstance(names, str)
    if not (listed and all(isinstance(name, str) for name in names)):
        raise InputError(f"deviations = {names!r}: allowed is a list of names.")
    return tuple(sorted(one_of(name, DEVIATIONS, "deviation") for name in names))


def _check_published(model: PlatformModel, options: Options) -> None:
    """What the papers' models cannot do."""
    formulation, own = options.formulation, options.deviations is not None
    if formulation == EXACT and not own:
        return
    if not options.friction:
        raise InputError("friction=False goes with the exact formulation only.")
    free = [leg.name for leg in model.legs if leg.joints == "SPS"]
    if free and (formulation != "dasgupta1998" or own):
        who = "a deviation" if own else formulation
        raise InputError(
            f"{who} needs universal joints, but {', '.join(free)} of {model.name} have spherical "
            'joints at both ends; use formulation="exact" or "dasgupta1998".'
        )
