"""Random motions of a given power spectral density."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import welch

import linkwork as lw
from linkwork.motion.bundled import motion_for
from linkwork.motion.vibration import Density

PLATFORM = "simona"
TEXT = """kind: psd
of: acceleration
density:
  heave: [[0.5, 0.02], [4, 0.05], [20, 0.001]]
  pitch: [[1, 0.01], [10, 0.01]]
duration: 60
seed: 3
fade: 2
"""


def made(tmp_path, text: str, robot: str = PLATFORM, **tables: str):
    for name, table in tables.items():
        (tmp_path / f"{name}.csv").write_text(table)
    (tmp_path / "m.yaml").write_text(text)
    return motion_for(lw.load(robot), str(tmp_path / "m.yaml"))


def test_the_motion_has_the_density(tmp_path) -> None:
    motion = made(tmp_path, TEXT)
    home = lw.load(PLATFORM).home
    t = np.arange(2.0, 58.0, 0.005)
    _, _, acceleration = motion.at(t)
    f, found = welch(acceleration[:, 2], 200.0, nperseg=2048)
    wanted = Density.of([[0.5, 0.02], [4, 0.05], [20, 0.001]])
    inside = (f > 1.0) & (f < 19.0)
    # Estimates of ten stretches scatter; their mean over bands does not.
    for band in np.array_split(np.flatnonzero(inside), 6):
        assert found[band].mean() == pytest.approx(wanted.at(f[band]).mean(), rel=0.35)
    power = np.trapezoid(wanted.at(np.linspace(0.5, 20, 4000)), np.linspace(0.5, 20, 4000))
    assert np.mean(acceleration[:, 2] ** 2) == pytest.approx(power, rel=0.05)
    assert np.abs(motion.at(t)[0][:, :2] - home[:2]).max() == 0.0  # nothing along x and y


def test_rest_at_both_ends_and_exact_derivatives(tmp_path) -> None:
    motion = made(tmp_path, TEXT)
    home = lw.load(PLATFORM).home
    for end in (0.0, motion.duration):
        pose, twist, acceleration = motion.at(end)
        np.testing.assert_allclose(pose, home, atol=1e-15)
        assert not twist.any()
        assert not acceleration.any()
    h, t = 1e-5, np.linspace(0.1, 59.9, 500)
    before, now, after = (motion.at(t + d) for d in (-h, 0.0, h))
    np.testing.assert_allclose((after[0] - before[0])[:, 2] / (2 * h), now[1][:, 2], atol=1e-6)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=1e-4)


def test_the_seed_decides(tmp_path) -> None:
    t = np.linspace(0, 60, 50)
    first, again = made(tmp_path, TEXT).at(t)[0], made(tmp_path, TEXT).at(t)[0]
    np.testing.assert_array_equal(first, again)
    assert np.abs(made(tmp_path, TEXT.replace("seed: 3", "seed: 4")).at(t)[0] - first).max() > 1e-4
    # A coordinate keeps its motion when others come or go.
    alone = made(tmp_path, TEXT.replace("  pitch: [[1, 0.01], [10, 0.01]]\n", ""))
    np.testing.assert_array_equal(alone.at(t)[0][:, 2], first[:, 2])


@pytest.mark.parametrize(("unit", "size"), [("g^2/Hz", 9.80665), ("(mm/s^2)^2/Hz", 1e-3), ("", 1.0)])
def test_tables_and_units(tmp_path, unit, size) -> None:
    header = f"z [{unit}]" if unit else "z"
    table = (
        f"frequency [Hz],{header}\n0.5,{0.02 / size**2!r}\n4,{0.05 / size**2!r}\n20,{1e-3 / size**2!r}\n"
    )
    text = "kind: psd\nfile: road.csv\nduration: 60\nseed: 3\nfade: 2\n"
    t = np.linspace(0, 60, 50)
    found = made(tmp_path, text, road=table).at(t)[0][:, 2]
    np.testing.assert_allclose(found, made(tmp_path, TEXT).at(t)[0][:, 2], rtol=1e-9, atol=1e-12)


def test_densities_of_position_and_of_joints(tmp_path) -> None:
    text = "kind: psd\nof: {of}\ndensity: {{q2: [[1, {d}], [1.0001, {d}], [9, {e}]]}}\nduration: 4\n"
    still = [made(tmp_path, text.format(of=of, d=1.0, e=(1 / 9) ** p), "planar-2r").at(2.0)[0]
             for of, p in (("position", 4), ("velocity", 2), ("acceleration", 0))]  # fmt: skip
    scale = [(2 * np.pi) ** k for k in range(3)]
    moved = [(q - lw.load("planar-2r").home)[1] * s for q, s in zip(still, scale, strict=True)]
    np.testing.assert_allclose(moved, moved[0], rtol=1e-3)
    assert all(q[0] == still[0][0] for q in still)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("heave", "heav"), "'heav' is not a coordinate of simona; allowed: x, y, z"),
        (TEXT.replace("0.02]", "-0.02]"), "nowhere negative"),
        (TEXT.replace("[0.5,", "[0,"), "above 0 Hz and increase"),
        (TEXT.replace("[4, 0.05]", "[0.4, 0.05]"), "above 0 Hz and increase"),
        (TEXT.replace("acceleration", "jerk"), "'jerk' is not known"),
        (
            TEXT.replace("duration: 60", "duration: 0.01").replace("fade: 2", ""),
            "too short for a density",
        ),
        (TEXT.replace("duration: 60", "duration: 1.0e+7"), "expected 100000"),
        (TEXT.replace("fade: 2", "fade: 31"), "do not fit into 60 s"),
        (TEXT + "file: x.csv\n", "either density: or file:"),
        ("kind: psd\nfile: none.csv\nduration: 1\n", "none.csv: cannot be read"),
        ("kind: psd\nfile: wrong.csv\nduration: 1\n", "line 1, column 2: 'm^2/Hz' is not a unit"),
        ("kind: psd\nfile: back.csv\nduration: 1\n", "1.0 Hz does not come after 2.0 Hz"),
        (TEXT.replace("[1, 0.01], [10, 0.01]", "[1, 2, 3], [2, 3, 4]"), "[frequency, density]"),
    ],
)
def test_mistakes_are_named(tmp_path, text, words) -> None:
    tables = {"wrong": "f,z [m^2/Hz]\n1,1\n2,1\n", "back": "f,z\n2,1\n1,1\n"}
    with pytest.raises(lw.LinkworkError) as caught:
        made(tmp_path, text, **tables)
    assert words in str(caught.value)
