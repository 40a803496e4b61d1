"""Damaged motion files: a message of ours or a finite motion, and no NumPy warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.files.faults import RobotWarning
from linkwork.motion.bundled import motion_for
from linkwork.motion.plausibility import motion_findings
from tests.bounded import bounded

DATA = Path(__file__).parent.parent / "data" / "mistakes"
FEW, MANY = 250, 12_000
WORDS = [
    *b"- e9 e300 e-300 nan inf deg [mm] , \0 \xff 1e308 q1 home : [ ] kind 0 x t leg1 ' _ sine".split(),
    b"9" * 30,
    b"\n",
    b" ",
]
YAMLS = [
    b"kind: sine\namplitude: [0.1, 0.2, 0.1, 0.01]\nfrequency: 0.5\nduration: 4\nfade: 1\n",
    b"kind: circle\ncenter: [0,0,0,0.1]\namplitude: [1,0,0,0]\nacross: [0,1,0,0]\nduration: 4\n",
    b"kind: step\nrelative: home\namplitude: [0.1, 0.2, 0.1, 0.01]\nrise: 1\nduration: 2\n",
    b"kind: pick-and-place\npick: [0,0,0,0]\nplace: [1,1,1,0]\nlift: [0,0,1,0.1]\nduration: 2\n",
    b"kind: waypoints\npoints: [[0,0,0,0],[1,1,1,0.1],[0,0,1,0]]\ntimes: [0, 1, 2]\nends: natural\n",
    b"kind: trapezoid\nstart: [0,0,0,0]\nend: [1,1,1,0.1]\nvelocity: 1\nacceleration: 2\n",
    b"kind: excitation\ncenter: [0,0,0,0]\namplitude: 0.1\nbase_frequency: 0.2\nharmonics: 4\nseed: 1\n",
    b"kind: psd\nof: velocity\ndensity: {q1: [[1, 0.1], [9, 0.2]]}\nduration: 4\nseed: 1\nfade: 1\n",
    b"kind: recorded\nfile: q.npz\nresample: 0.1\nrelative: home\n",
]


def mutated(sound: bytes, random: np.random.Generator) -> bytes:
    data = bytearray(sound)
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(len(data) + 1))
        match random.integers(4):
            case 0:
                data[at : at + 1] = bytes([random.integers(256)])
            case 1:
                data[at:at] = WORDS[random.integers(len(WORDS))]
            case 2:
                del data[at : at + int(random.integers(1, 9))]
            case 3:
                data[at : at + 4] = WORDS[random.integers(len(WORDS))]
    return bytes(data)


def sources(folder: Path) -> list[tuple[str, bytes, str]]:
    """Robot, sound file, ending."""
    arm, platform = str(DATA / "arm.yaml"), str(DATA / "platform.yaml")
    time = np.linspace(0, 1, 12)
    np.savez(folder / "q.npz", time=time, q=np.outer(time**2, [0.1, 0.2, 0.3, 0.1]))
    np.savez_compressed(folder / "p.npz", time=time, pose=np.outer(np.ones(12), [0, 0, 1.2, 0, 0, 0]))
    return [
        (arm, (DATA / "motion.csv").read_bytes(), ".csv"),
        (platform, (DATA / "poses.csv").read_bytes(), ".csv"),
        (arm, (folder / "q.npz").read_bytes(), ".npz"),
        (platform, (folder / "p.npz").read_bytes(), ".npz"),
        *((arm, text, ".yaml") for text in YAMLS),
    ]


def attack(folder: Path, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    robots = {name: lw.load(DATA / name) for name in ("arm.yaml", "platform.yaml")}
    several = sources(folder)
    answered = refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RobotWarning)
        for k in range(count):
            robot, sound, ending = several[k % len(several)]
            file = folder / f"m{ending}"
            content = mutated(sound, random)
            file.write_bytes(content)
            machine = robots[Path(robot).name]
            try:
                with bounded():
                    motion = motion_for(machine, str(file))
                    motion_findings(machine, motion, str(file))
                    found = motion.at(np.linspace(0, motion.duration, 20))
            except lw.LinkworkError:
                refused += 1
                continue
            except BaseException:
                print(repr(content))
                raise
            answered += 1
            assert all(np.isfinite(part).all() for part in found), content
    assert answered
    assert refused


def test_damaged_motions(tmp_path) -> None:
    attack(tmp_path, FEW * 8, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 9))
def test_many_damaged_motions(tmp_path, seed) -> None:
    attack(tmp_path, MANY, seed)
