"""One number, one definition: every consumer tells of every robot what the library computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.reports import svg
from tests.consumers.consumers import CONSUMERS
from tests.consumers.rare import AMPLITUDES, TEXTS
from tests.consumers.told import EXACT, Told

USUAL = ("planar-2r", "puma560", "dasgupta1998", "delta", "palletizer", *TEXTS)
# Consumers that cost a second or more of every robot: of these with `make test`.
FEW = {
    "simulate": ("planar-2r", "coulomb-only", "dasgupta1998", "redundant-motors", "moving-base"),
    "printed": ("planar-2r", "dasgupta1998"),
    "loaded": ("planar-2r", "dasgupta1998", "passive-limits", "moving-base"),
    "rollout": ("planar-2r", "redundant-motors", "moving-base"),
    "check": ("coulomb-only", "passive-limits", "coulomb-legs"),
    "count": ("planar-2r", "delta", "with-tool"),
    "workspace": ("planar-2r", "coulomb-legs", "passive-limits", "moving-base"),
    "exports": ("with-tool", "moving-base"),
    "identify": ("planar-2r", "five-bar"),
    "poses": ("planar-2r", "coulomb-legs"),
}
DRAWN = ("planar-2r", "palletizer")  # pictures of the others with the long tests
EMPTY = b'<svg viewBox="0 0 1 1"></svg>'


def cells() -> Iterator[object]:
    """All of the table; most of it with the long tests."""
    for robot in (*lw.bundled_names(), *TEXTS):
        for consumer in CONSUMERS:
            if consumer == "identify" and robot in TEXTS:
                continue  # their motions show few parameters
            long = robot not in FEW.get(consumer, USUAL)
            marks = [pytest.mark.xdist_group(robot), *([pytest.mark.long] if long else [])]
            yield pytest.param(robot, consumer, marks=marks)


@pytest.fixture(scope="module")
def known() -> dict[str, Told]:
    """What was told before: consumers share it."""
    return {}


@pytest.mark.parametrize(("robot", "consumer"), [*cells()])
def test_it_tells_what_the_library_computes(
    robot: str, consumer: str, known: dict[str, Told], tmp_path_factory, monkeypatch
) -> None:
    if robot in USUAL and robot not in DRAWN:
        monkeypatch.setattr(svg, "render", lambda figure, format: EMPTY)
    if robot not in known:
        known[robot] = _told(robot, tmp_path_factory.mktemp("consumers"))
    told = known[robot]
    facts = list(CONSUMERS[consumer](told))
    assert facts
    for what, name, value in facts:
        wanted = told.known(what)[what, name]
        if what == "broken limits":
            assert [each[0] for each in value] == [each[0] for each in wanted]
            value, wanted = ([each[1:] for each in both] for both in (value, wanted))
        tolerance = EXACT * told.scale(what)
        np.testing.assert_allclose(value, wanted, rtol=EXACT, atol=tolerance, err_msg=f"{what} {name}")


def _told(name: str, folder: Path) -> Told:
    if name not in TEXTS:
        return Told(name, "home-quintic", folder)
    robot, motion = folder / f"{name}.yaml", folder / "motion.yaml"
    robot.write_text(TEXTS[name])
    motion.write_text(f"kind: sine\namplitude: {AMPLITUDES[name]}\nfrequency: 1\nduration: 3\n")
    return Told(str(robot), str(motion), folder)
