"""Robots whose motors act on several joints: wrists with coupled drives, differentials."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwork.core.errors import InputError
from linkwork.files.faults import listed
from linkwork.model.geometry import Array, Transform
from linkwork.model.mechanism import MechanismModel, Motor, motor_terms


def _is_ratio(value: float) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and bool(
        0 < abs(value) <= sys.float_info.max
    )


def with_motors(model: MechanismModel, motors: Mapping[str, Mapping[str, float]]) -> MechanismModel:
    """The mechanism with these motors, by the ratios with which they act, instead of those of the
    joints, which keep their rotors and friction."""
    known = [each.name for each in model.elements]
    taken = {*known, *(motor.name for motor in model.motors)}
    for name, ratios in motors.items():
        if name in taken:
            raise InputError(f"motor {name}: has the name of a joint or motor; choose another.")
        if not (isinstance(ratios, Mapping) and ratios and all(map(_is_ratio, ratios.values()))):
            raise InputError(f"motor {name}: needs joints with ratios other than 0.")
        if unknown := [joint for joint in ratios if joint not in known]:
            raise InputError(f"motor {name}: {unknown[0]} is not a joint; allowed: {listed(known)}.")
    driven = {joint for ratios in motors.values() for joint in ratios}
    joints = tuple(
        replace(joint, motor=False, drive=None) if joint.name in driven else joint
        for joint in model.joints
    )
    added = tuple(
        Motor(name, tuple((joint, float(ratio)) for joint, ratio in ratios.items()))
        for name, ratios in motors.items()
    )
    # In base axes at home, as files of mechanisms have bodies.
    parts = tuple(replace(part, frame=Transform.of(None, part.frame.p)) for part in model.parts)
    changed = replace(model, parts=parts, joints=joints, motors=(*model.motors, *added), arm=None)
    count, freedoms = len(changed.effort_names), len(changed.coordinates)
    if count != freedoms:
        raise InputError(
            f"{model.name} would have {count} motors for {freedoms} coordinates: name one motor for "
            f"each of {listed(sorted(driven))}, such as m5 on joint5, and m6 on joint5 and joint6."
        )
    return changed


def efforts_of_motors(model: MechanismModel, efforts: Array) -> Array:
    """Efforts (N, n) of the motors, from those that they have together at the coordinates."""
    names = [each.name for each in model.coordinates]
    ratios = np.zeros((len(model.effort_names), len(names)))
    for k, terms in enumerate(motor_terms(model).values()):
        for joint, ratio in terms:
            if joint not in names:
                raise InputError(
                    f"{model.name}: {joint} is not a coordinate, so efforts of joints are not those of "
                    "the motors by ratios alone; log the efforts of the motors."
                )
            ratios[k, names.index(joint)] = ratio
    return np.asarray(np.linalg.solve(ratios.T, efforts.T).T)
