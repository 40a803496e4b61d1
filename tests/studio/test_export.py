"""Files of what one sees: they open, and hold what was computed."""

from __future__ import annotations

import io

import numpy as np
import pytest

from linkwork.core.errors import InputError
from linkwork.studio import panel_export as export
from linkwork.studio.motion import closed_loop, compute_series
from linkwork.studio.robot_file import RobotSource
from linkwork.studio.session import Session


@pytest.fixture(scope="module")
def session() -> Session:
    found = Session(RobotSource("planar-2r"))
    choice = next(choice for choice in found.choices if choice.name == "home-quintic")
    found.choose(choice.make(), choice.name)
    assert found.motion is not None
    found.series = compute_series(
        found.robot, found.motion, found.robot.formulations[:2], lambda share: None
    )
    return found


def _csv(content: bytes) -> dict[str, np.ndarray]:
    lines = content.decode().splitlines()
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    return dict(zip(lines[0].split(","), table.T, strict=True))


def test_tables_hold_the_series(session: Session) -> None:
    import pyarrow.parquet

    assert session.series is not None
    expected = session.series.columns()
    as_csv = _csv(export.series_table(session, ".csv"))
    as_parquet = pyarrow.parquet.read_table(io.BytesIO(export.series_table(session, ".parquet")))
    assert list(as_csv) == list(expected) == as_parquet.column_names
    for name, values in expected.items():
        np.testing.assert_array_equal(as_csv[name], values)
        np.testing.assert_array_equal(as_parquet[name].to_numpy(), values)


def test_without_a_motion_the_table_is_the_present_state() -> None:
    session = Session(RobotSource("ur5"))
    found = _csv(export.series_table(session, ".csv"))
    assert found["elbow effort [N m]"] == [session.read().effort[2]]
    assert found["elbow [deg]"] == pytest.approx([90.0])


def test_a_simulation_is_in_the_table_and_in_the_report(session: Session) -> None:
    assert session.motion is not None
    run = closed_loop(session.robot, session.motion, 2.0, 0.0, np.full(2, 0.1), lambda share: None)
    session.simulation = run
    try:
        found = _csv(export.series_table(session, ".csv"))
        assert found["simulated position_elbow"][-1] == run.position[-1, 1]
        assert b"</html>" in export.motion_report(session, lambda share: None)
    finally:
        session.simulation = None


def test_the_report_is_a_whole_page(session: Session) -> None:
    text = export.motion_report(session, lambda share: None).decode()
    assert text.startswith("<!doctype html>") or text.startswith("<!DOCTYPE html>")
    assert "Inverse dynamics of planar-2r: home-quintic" in text


def test_a_report_needs_a_motion() -> None:
    with pytest.raises(InputError, match="choose one"):
        export.motion_report(Session(RobotSource("ur5")), lambda share: None)


def test_pictures_stand_on_the_ground_of_the_page() -> None:
    from PIL import Image

    clear = np.zeros((4, 6, 4), dtype=np.uint8)
    for dark, ground in ((False, export.LIGHT), (True, export.DARK)):
        picture = Image.open(io.BytesIO(export.picture(clear, dark)))
        assert picture.size == (6, 4)
        assert picture.getpixel((0, 0)) == ground
