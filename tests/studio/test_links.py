"""Links bring back what one saw, and damaged ones are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.core.errors import InputError
from linkwork.model.bundled import bundled_file
from linkwork.studio.links import LONGEST, LinkedView, path_of, view_of
from linkwork.studio.robot_file import RobotSource, Shelf
from linkwork.studio.session import Session

NUMBER = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.9g}"))


@settings(max_examples=40)
@given(
    st.builds(
        LinkedView,
        robot=st.none() | st.text(min_size=1, max_size=40),
        position=st.none() | st.lists(NUMBER, min_size=1, max_size=12).map(tuple),
        motion=st.none() | st.text(min_size=1, max_size=20),
        time=st.none() | NUMBER,
        camera=st.none() | st.tuples(*[NUMBER] * 6),
        dark=st.none() | st.booleans(),
    )
)
def test_what_a_link_holds_comes_back(view: LinkedView) -> None:
    path = path_of(view)
    assert "/" not in path.removeprefix("/view/")
    assert view_of(path) == view


@pytest.mark.parametrize(
    "path",
    [
        "/view/position=1,two,3",
        "/view/position=nan",
        "/view/time=1,2",
        "/view/camera=1,2,3",
        "/view/time=inf",
        "/view/" + "x" * (LONGEST + 1),
    ],
)
def test_damaged_links_are_refused(path: str) -> None:
    with pytest.raises(InputError, match="link"):
        view_of(path)


def test_other_paths_hold_nothing() -> None:
    assert view_of("/") == LinkedView()
    assert view_of("/view/") == LinkedView()


@pytest.mark.parametrize("name", ["simona", "ur5"])
def test_a_session_comes_back_from_its_link(name: str) -> None:
    first = Session(RobotSource(name))
    first.move(first.values + 0.05)
    second = Session(RobotSource(name))
    second.restore(view_of(path_of(first.view(None, False))))
    np.testing.assert_allclose(second.read().effort, first.read().effort, rtol=1e-6, atol=1e-9)
    motion = first.choices[-1]
    first.choose(motion.make(), motion.name)
    first.playback.seek(1.234)
    first.follow()
    second.restore(view_of(path_of(first.view(None, False))))
    assert second.playback.time == pytest.approx(1.234)
    np.testing.assert_allclose(second.read().effort, first.read().effort, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("position", "words"), [((0.1, 0.2), "2 numbers"), ((0, 0, 2, 0.5, 0, 0, 0), "orientation")]
)
def test_positions_of_other_robots_are_refused(position: tuple[float, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Session(RobotSource("simona")).restore(LinkedView(position=position))


def test_a_link_opens_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(bundled_file("simona").read_bytes())
    shelf = Shelf(str(file))
    assert shelf.get("mine.yaml") is shelf.get(shelf.given)
    assert shelf.names[0] == "mine.yaml"  # a link does not tell where the file lies
    assert shelf.get("ur5").robot.name == "ur5"
    for name in ("/etc/passwd", "../secret.yaml", str(file)):
        with pytest.raises(InputError, match="unknown robot"):
            shelf.get(name)
