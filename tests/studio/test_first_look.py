"""What a stranger sees first: gallery, homes, handles, units, undo, messages beside their controls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser", reason="the studio needs viser")

import linkwork as lw
from linkwork.core.errors import InputError
from linkwork.drawing.shape import placed
from linkwork.model.bundled import bundled_names
from linkwork.studio.controls import handle_freedoms, home_of
from linkwork.studio.design import interpreted
from linkwork.studio.gallery import families, thumbnail
from linkwork.studio.motion import default_motion
from linkwork.studio.robot_file import RobotSource, Shelf
from linkwork.studio.session import Session
from linkwork.studio.units import Units
from tests.studio.test_host import Queue

ALL, NONE = (True,) * 3, (False,) * 3


def test_the_gallery_has_every_bundled_robot() -> None:
    assert sorted(name for _, names in families() for name in names) == sorted(bundled_names())
    assert Shelf(None).is_gallery
    assert "<polygon" in thumbnail(interpreted(lw.load("simona").model))


@pytest.mark.parametrize("name", ["ur5", "ur10", "panda", "iiwa14", "stanford", "planar-2r"])
def test_arms_stand_at_home_on_their_base_and_can_be_moved(name: str) -> None:
    robot = interpreted(lw.load(name).model)
    home = home_of(robot)
    assert float(robot.condition_number(home)) < 20
    assert robot.check_limits(home).ok
    assert placed(robot, home[None]).corners[0][:, 2].min() > -1e-3


@pytest.mark.parametrize(
    ("name", "moves", "turns"),
    [
        ("ur5", ALL, ALL),
        ("simona", ALL, ALL),
        ("delta", ALL, NONE),
        ("3-rps", (False, False, True), (True, True, False)),
        ("planar-2r", (True, True, False), NONE),
    ],
)
def test_handles_have_the_freedoms_there_are(name: str, moves: Any, turns: Any) -> None:
    assert handle_freedoms(interpreted(lw.load(name).model)) == (moves, turns)


def test_units_change_sliders_and_numbers_but_not_the_robot() -> None:
    session = Session(RobotSource("simona"))
    before, position = session.values, session.state.position
    session.measure_in(Units("rad", "mm"))
    scale = [1e3, 1e3, 1e3, *np.radians([1, 1, 1])]
    np.testing.assert_allclose(session.values, before * scale, atol=1e-12)
    session.move(session.values)
    np.testing.assert_allclose(session.state.position, position, atol=1e-12)
    assert session.controls[0].unit == "mm"
    assert Units("deg", "mm").shown(0.25, "m") == "250 mm"


def test_moves_and_edits_are_undone_in_their_order() -> None:
    session = Session(RobotSource("simona"))
    home, robot = session.state.position, session.robot
    session.move([0.1, 0, 2.4, 0, 0, 0])
    moved = session.state.position
    session.remember("design")
    mass = session.design.fields("platform")[0]
    session.design.edit("platform", {mass: 500.0})
    assert session.undo()
    assert session.robot is robot
    np.testing.assert_array_equal(session.state.position, moved)
    assert not session.undo()
    np.testing.assert_array_equal(session.state.position, home)
    with pytest.raises(InputError, match="nothing to undo"):
        session.undo()


def test_a_message_stands_in_its_corner_until_something_works() -> None:
    host = Queue()
    host.scene = None
    host.gui.add_html = lambda content, visible: SimpleNamespace(content=content, visible=visible)
    one, other = host.corner(), host.corner()

    def refuse() -> None:
        raise InputError("too far.")

    one.act(refuse)
    assert one.notice.visible
    assert "too far." in one.notice.content
    assert host.told == []
    other.act(lambda: None)
    assert not one.notice.visible


def test_there_is_always_something_to_play() -> None:
    for name in ("dasgupta1998", "ur5"):
        session = Session(RobotSource(name))
        assert default_motion(session.choices).make().duration > 0
