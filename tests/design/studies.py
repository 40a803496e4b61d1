"""A small study for tests: a platform from radii, two motions."""

from __future__ import annotations

import json
from pathlib import Path

PART = {"mass": 50, "center_of_mass": [0.8, 0, 0], "inertia": [0.4, 12, 12]}
ROBOT = {
    "kind": "stewart-platform",
    "name": "simulator",
    "geometry": {
        "base_radius": 1.65,
        "platform_radius": 1.6,
        "base_spread": "21 deg",
        "platform_spread": "7.2 deg",
        "height": 2.39,
    },
    "platform": {"mass": 4000, "center_of_mass": [0, 0, 1], "inertia": [7000, 8300, 9400]},
    "leg_defaults": {
        "lower": PART,
        "upper": {**PART, "center_of_mass": [-0.8, 0, 0]},
        "limits": {"length": [1.5, 4.0]},
    },
}
STUDY = {
    "robot": "simulator.yaml",
    "variables": {
        "geometry.base_radius": [1.4, 2.2],
        "geometry.height": [2.0, 2.6],
        "platform.mass": {"low": 3000, "high": 5000},
    },
    "motions": ["heave"],
    "metrics": ["peak_effort", "rms_effort", "stroke", "speed", "power"],
    "sampling": {"method": "sobol", "count": 300},
    "period": 0.2,
}


def write_study(folder: Path, **changes: object) -> Path:
    """A study file and its robot in a folder."""
    (folder / "simulator.yaml").write_text(json.dumps(ROBOT, indent=1))
    path = folder / "study.yaml"
    path.write_text(json.dumps({**STUDY, **changes}, indent=1))
    return path
