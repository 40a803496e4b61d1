"""The papers' manipulator and eight random platforms, as three independent engines computed them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.rotations import quaternion_of
from linkwork.model.families.stewart import Leg, LegFriction, PlatformModel
from linkwork.model.geometry import Body, frozen
from linkwork.robot.platform import Platform

DATA = np.load(Path(__file__).parents[1] / "data" / "stewart_reference.npz")
# Paths I and II and the random platforms to 1e-12; Path III passes a singularity.
FORCE_TOLERANCE = {"I": 1e-12, "II": 1e-12, "III": 1e-10, "rand": 1e-12}
MOMENT_TOLERANCE = {"I": 1e-12, "II": 1e-12, "III": 1e-9, "rand": 1e-12}


def platform_of(prefix: str, index: int | None = None) -> tuple[Platform, np.ndarray]:
    def get(name: str) -> np.ndarray:
        value = DATA[f"{prefix}_{name}"]
        return value if index is None else value[index]

    legs = []
    for k in range(6):
        axis = get("k")[k]
        legs.append(
            Leg(
                f"leg{k + 1}",
                "UPS",
                frozen(get("b")[k]),
                frozen(get("p")[k]),
                frozen(axis / np.linalg.norm(axis)),
                Body.of(get("md")[k], get("rd0")[k], get("Id")[k]),
                Body.of(get("mu")[k], get("ru0")[k], get("Iu")[k]),
                LegFriction(*(float(get(name)[k]) for name in ("Cu", "Cp", "Cs"))),
            )
        )
    body = Body.of(get("M"), get("R0"), get("Ip"))
    model = PlatformModel(prefix, tuple(legs), body, frozen(get("g")))
    return Platform(model), np.concatenate([get("Fext"), get("Mext")])


def motion(prefix: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    turned = np.array([quaternion_of(R) for R in DATA[f"{prefix}_R"]])
    pose = np.concatenate([DATA[f"{prefix}_t"], turned], axis=1)
    twist = np.concatenate([DATA[f"{prefix}_td"], DATA[f"{prefix}_w"]], axis=1)
    return pose, twist, np.concatenate([DATA[f"{prefix}_tdd"], DATA[f"{prefix}_al"]], axis=1)


def assert_close(ours, name: str, tolerance: float) -> None:
    """Relative to the largest element of each sample."""
    theirs = DATA[name].reshape(ours.shape)
    axes = tuple(range(1, theirs.ndim))
    scale = np.abs(theirs).max(axis=axes, keepdims=True)
    assert (np.abs(ours - theirs) <= tolerance * np.maximum(scale, 1e-12)).all()


@pytest.fixture(scope="module")
def hexapod() -> Platform:
    return lw.load_platform("dasgupta1998")


def test_bundled_robot_is_the_papers_manipulator(hexapod) -> None:
    other, _ = platform_of("paper")
    for ours, theirs in zip(hexapod.model.legs, other.model.legs, strict=True):
        np.testing.assert_allclose(ours.fixed_axis, theirs.fixed_axis, atol=1e-15)
        np.testing.assert_array_equal(ours.base_point, theirs.base_point)
        np.testing.assert_array_equal(ours.platform_point, theirs.platform_point)
        np.testing.assert_array_equal(ours.lower.inertia, theirs.lower.inertia)
        np.testing.assert_array_equal(ours.upper.center_of_mass, theirs.upper.center_of_mass)


@pytest.mark.parametrize("path", ["I", "II", "III"])
def test_exact_model(hexapod, path) -> None:
    force, moment = FORCE_TOLERANCE[path], MOMENT_TOLERANCE[path]
    pose, twist, acceleration = motion(path)
    assert_close(hexapod.inverse_dynamics(pose, twist, acceleration), f"{path}_F_exact", force)
    rpy = np.concatenate([DATA[f"{path}_t"], DATA[f"{path}_th"]], axis=1)
    assert_close(hexapod.inverse_dynamics(rpy, twist, acceleration), f"{path}_F_exact", force)
    assert_close(hexapod.effort_breakdown(pose, twist, acceleration).massless, f"{path}_F0", force)

    reactions = hexapod.joint_reactions(pose, twist, acceleration)
    for field, name in (
        ("spherical_force", "Fs"),
        ("universal_force", "Fu"),
        ("prismatic_force", "Fp"),
        ("universal_moment", "Mu"),
        ("prismatic_moment", "MpB"),
        ("prismatic_moment_at_platform", "MpU"),
    ):
        tolerance = force if "force" in field else moment
        assert_close(getattr(reactions, field), f"{path}_{name}", tolerance)

    legs = hexapod.leg_kinematics(pose, twist, acceleration)
    for field, name in (("length", "L"), ("direction", "s"), ("angular_velocity", "W")):
        assert_close(getattr(legs, field), f"{path}_{name}", 1e-12)
    M, h = hexapod.task_space(pose, twist)
    assert_close(M, f"{path}_Mx", 1e-12)
    assert_close(h, f"{path}_h", 1e-12)
    assert_close(np.swapaxes(hexapod.jacobian(pose), -1, -2), f"{path}_H", 1e-12)
    assert_close(hexapod.condition_number(pose, length_scale=1.0), f"{path}_cond", 1e-9)


def test_leg_rates_and_accelerations(hexapod) -> None:
    for path in ("I", "II", "III"):
        legs = hexapod.leg_kinematics(*motion(path))
        for field, name in (("rate", "Ld"), ("acceleration", "Ldd"), ("angular_acceleration", "A")):
            theirs = DATA[f"{path}_{name}"]
            scale = np.abs(theirs).max()
            np.testing.assert_allclose(getattr(legs, field), theirs, atol=1e-13 * max(scale, 1.0))


@pytest.mark.parametrize("path", ["I", "II", "III"])
def test_forward_dynamics(hexapod, path) -> None:
    pose, twist, acceleration = motion(path)
    found = hexapod.forward_dynamics(pose, twist, DATA[f"{path}_F_exact"])
    conditions = DATA[f"{path}_cond"][:, None]
    assert (np.abs(found - acceleration) <= 1e-12 * conditions * 10).all()


@pytest.mark.parametrize("index", range(8))
def test_random_platforms(index) -> None:
    platform, wrench = platform_of("rand_par", index)
    pose, twist, acceleration = (part[index] for part in motion("rand"))

    def agrees(ours, name: str) -> None:
        theirs = DATA[f"rand_{name}"][index].reshape(np.shape(ours))
        assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max()

    agrees(platform.inverse_dynamics(pose, twist, acceleration, wrench), "F_exact")
    M, h = platform.task_space(pose, twist, wrench)
    agrees(M, "Mx")
    agrees(h, "h")
    reactions = platform.joint_reactions(pose, twist, acceleration, wrench)
    agrees(reactions.spherical_force, "Fs")
    agrees(reactions.universal_moment, "Mu")
    back = platform.forward_dynamics(pose, twist, DATA["rand_F_exact"][index], wrench)
    np.testing.assert_allclose(back, acceleration, rtol=0, atol=1e-11 * np.abs(acceleration).max())


PUBLISHED = [
    ({"formulation": "dasgupta1998"}, "F_dasg"),
    ({"deviations": ["no-spin", "moment-along-leg"]}, "F_dasg_noL2"),
    ({"formulation": "pedrammehr2012"}, "F_pedr_closed_lit"),
    ({"formulation": "pedrammehr2012", "frames": "local"}, "F_pedr_closed_loc"),
    ({"formulation": "pedrammehr2012", "form": "step"}, "F_pedr_step_lit"),
    ({"formulation": "pedrammehr2012", "form": "step", "frames": "local"}, "F_pedr_step_loc"),
    ({"formulation": "pedrammehr2012", "form": "step-25"}, "F_pedr_step25_lit"),
    ({"deviations": []}, "F_exact"),
]


@pytest.mark.parametrize(("options", "name"), PUBLISHED, ids=[name for _, name in PUBLISHED])
@pytest.mark.parametrize("path", ["I", "II", "III"])
def test_published_models(hexapod, path, options, name) -> None:
    force = hexapod.inverse_dynamics(*motion(path), **options)
    assert_close(force, f"{path}_{name}", FORCE_TOLERANCE[path])


@pytest.mark.parametrize("path", ["I", "II"])
def test_the_other_sign_of_the_upper_mass_center(path) -> None:
    """Pedrammehr's appendix has z = -0.08 where Dasgupta has +0.08."""
    platform, _ = platform_of("paper_zm")
    force = platform.inverse_dynamics(*motion(f"{path}_zm"))
    assert_close(force, f"{path}_zm_F_exact", FORCE_TOLERANCE[path])
