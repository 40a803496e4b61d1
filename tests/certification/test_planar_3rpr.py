"""A planar 3-RPR against closed forms: Merlet's with just two assembly modes, and singular curves.

Its geometry follows from both poses, (5, 5, 0) and (3.369707, 6.216516, -0.806783), and round numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.certification.boxes import Array

FEET = np.array([[0.0, 0.0], [10.0, 0.0], [3.0, 10.0]])
ENDS = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 2.0]])  # of the plate
MODES = np.array([[5.0, 5.0, 0.0], [3.369707, 6.216516, -0.806783]])


def joints_of(pose: Array) -> Array:
    """Of the plate, (..., 3, 2)."""
    c, s = np.cos(pose[..., 2, None]), np.sin(pose[..., 2, None])
    turned = np.stack([c * ENDS[:, 0] - s * ENDS[:, 1], s * ENDS[:, 0] + c * ENDS[:, 1]], axis=-1)
    return np.asarray(pose[..., None, :2] + turned)


def drawn_at(mode: Array, width: float | None = None) -> lw.Robot:
    """Home is the mode, from where yaw counts; lengths may differ by a width."""
    limits = {} if width is None else {"limits": {"position": [-width, width]}}
    ends = joints_of(mode)
    cylinders = {
        f"leg{k + 1}": {"joins": ["base", "plate"], "from": [*foot, 0], "to": [*end, 0], "R": [0, 0, 1]}
        | {"motor": True, **limits}
        for k, (foot, end) in enumerate(zip(FEET.tolist(), ends.tolist(), strict=True))
    }
    return lw.load(
        {
            "kind": "mechanism",
            "name": "planar 3-RPR",
            "gravity": [0, 0, 0],
            "bodies": {
                "plate": {"mass": 1, "center_of_mass": [*mode[:2].tolist(), 0], "inertia": [1, 1, 2]}
            },
            "cylinders": cylinders,
            "coordinates": [{"plate": ["x", "y", "yaw"]}],
        }
    )


def test_these_lengths_have_two_assembly_modes_and_no_others() -> None:
    """All poses with lengths within 0.01 of these lie in small boxes about the two."""
    lengths = np.linalg.norm(joints_of(MODES) - FEET, axis=-1)
    np.testing.assert_allclose(lengths[1], lengths[0], atol=2e-6)  # of six digits
    axes = ("x", "y", "yaw")
    found = lw.certified_workspace(drawn_at(MODES[0], 0.01), axes, singularities=False, gap=0.5)
    left = np.concatenate([found.inside, found.undecided])
    # An enclosure knows no length of a leg that may vanish: such a leg is not one of 5.1 m.
    reach = np.linalg.norm(joints_of(left.mean(axis=1)) - FEET, axis=-1)
    own = (left[:, 1] - left[:, 0]).sum(axis=1)[:, None] * (1 + np.linalg.norm(ENDS, axis=1))
    left = left[(reach + own >= lengths[0] - 0.01).all(axis=1)]
    near = [np.abs(left - mode).max(axis=(1, 2)) < 0.06 for mode in MODES]
    assert (near[0] | near[1]).all()
    for mode, here in zip(MODES, near, strict=True):
        assert (np.abs(found.inside - mode).max(axis=(1, 2)) < 0.06).any()
        # Where no Jacobian of a box is singular, lengths tell its poses apart: there is one mode in it.
        robot = drawn_at(mode)
        away = np.array(robot.home) - mode
        ends = np.stack([left[here][:, 0].min(axis=0), left[here][:, 1].max(axis=0)]) + away
        region = dict(zip(found.axes, ends.T.tolist(), strict=True))
        assert lw.certify(robot, region).verdict == "proven"


def determinant(x: Array, y: float, yaw: float) -> Array:
    """Of directions of the legs and their moments: zero where their lines meet in one point."""
    pose = np.stack([x, np.full_like(x, y), np.full_like(x, yaw)], axis=-1)
    ends = joints_of(pose)
    along = ends - FEET
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    arm = ends - pose[:, None, :2]
    moment = arm[..., 0] * along[..., 1] - arm[..., 1] * along[..., 0]
    return np.asarray(np.linalg.det(np.concatenate([along, moment[..., None]], axis=-1)))


@pytest.mark.parametrize("yaw", [0.3, 0.45, 0.6])
def test_singular_curves_are_met_to_a_millionth(yaw: float) -> None:
    """Along y = 5: from home to the first zero of the determinant, and a little farther."""
    robot = drawn_at(MODES[0])
    x = np.linspace(5.0, 15.0, 10_001)
    values = determinant(x, 5.0, yaw)
    assert values[0] * determinant(x[:1], 5.0, 0.0)[0] > 0
    k = int(np.argmax(values * values[0] < 0))
    low, high = x[k - 1], x[k]
    for _ in range(60):
        middle = (low + high) / 2
        same = determinant(np.array([middle]), 5.0, yaw)[0] * values[0] > 0
        low, high = (middle, high) if same else (low, middle)

    def asked(end: float) -> str:
        region = {"x": [5.0, end], "y": [5.0, 5.0], "yaw": [yaw, yaw]}
        return lw.certify(robot, region, smallest=1e-9).verdict

    assert asked(low - 1e-6) == "proven"
    assert asked(low + 1e-6) == "refuted"
