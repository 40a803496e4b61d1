"""Families: robots by a few dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.robot_files import load_model
from tests.model.faults import faults

HEXAPOD = {
    "base_radius": 0.22,
    "platform_radius": 0.13,
    "base_angle": "90 deg",
    "platform_angle": "16 deg",
    "rod": 0.32,
    "height": 0.24,
}
LINKS = {"joints": [{"rotor": 1e-3, "link": {"mass": 0.5}}, {"link": {"mass": 0.2}}]}
FAMILIES: dict[str, dict[str, Any]] = {
    "delta": {"base_radius": 0.2, "platform_radius": 0.05, "arm": 0.25, "forearm": 0.6, "height": -0.6},
    "rotary-hexapod": {**HEXAPOD, "arm": 0.1},
    "linear-rail-hexapod": HEXAPOD,
    "five-bar": {"base": 0.2, "arm": 0.22, "forearm": 0.3, "height": 0.35},
    "3-rps": {"base_radius": 0.35, "platform_radius": 0.2, "height": 0.6},
}


def described(family: str, **changes: Any) -> dict[str, Any]:
    platform = {"mass": 1} if family == "five-bar" else {"mass": 1, "inertia": [0.01, 0.01, 0.01]}
    return {
        "kind": "parallel-robot",
        "name": family,
        "family": family,
        "dimensions": {**FAMILIES[family], **changes},
        "platform": platform,
        "leg_defaults": LINKS,
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_lengths_are_those_of_the_file(family: str) -> None:
    model = load_model(described(family))
    assert isinstance(model, ParallelModel)
    dimensions = FAMILIES[family]
    for leg in model.legs:
        first, last = leg.joints[0], leg.joints[-1]
        if "arm" in dimensions:
            assert np.linalg.norm(last.at - first.at) == pytest.approx(dimensions["arm"], abs=1e-12)
        rod = dimensions.get("forearm", dimensions.get("rod"))
        if rod is not None:
            assert np.linalg.norm(leg.end.at - last.at) == pytest.approx(rod, abs=1e-12)
    assert sum(joint.body.mass for joint in model.joints) == pytest.approx(0.7 * len(model.legs))


def test_what_does_not_fit_is_refused() -> None:
    assert "do not close at home, by 0.2685 m" in faults(described("delta", forearm=0.1))[0]
    assert "is missing; a delta has" in faults(described("delta") | {"dimensions": {}})[0]
    assert "unknown dimension (did you mean 'arm'?)" in faults(described("delta", arms=1))[0]
    assert "follows from the family" in faults(described("delta") | {"home": [0] * 6})[0]
    (fault,) = faults(described("delta") | {"family": "deltas"})
    assert "is not a family (did you mean 'delta'?)" in fault


def test_a_delta_that_stands_upside_down_is_a_finding() -> None:
    """But for one that says so, and one on a ceiling."""
    standing = described("delta", height=0.6)
    (found,) = (each for each in lw.lint(standing) if each.subject == "home")
    assert found.where == "dimensions.height"
    assert "did you mean -0.6?" in found.what
    for sound in (described("delta"), {**standing, "accept": ["home"]}):
        assert not [each for each in lw.lint(sound) if each.subject == "home"]
    ceiling = {**standing, "gravity": [0, 0, 9.81], "accept": ["gravity"]}
    assert not [each for each in lw.lint(ceiling) if each.subject == "home"]
