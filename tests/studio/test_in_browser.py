"""The studio in a real browser: everything on the screen is what the library computes."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser", reason="the studio needs viser")

import linkwork as lw
from linkwork.model.bundled import bundled_file
from linkwork.studio.camera import FIELD_OF_VIEW
from linkwork.studio.reading import PARALLEL, SERIAL
from linkwork.studio.scene import RobotScene
from tests.studio.nodes import Scene
from tests.studio.running import Studio, studio
from tests.studio.window import Window, window

STILL = np.zeros(6)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot file that tests may change and break."""
    path = tmp_path_factory.mktemp("robots") / "hexapod.yaml"
    path.write_bytes(bundled_file("pi-h811").read_bytes())
    return path


@pytest.fixture(scope="module")
def running(file: Path) -> Iterator[Studio]:
    with studio(file, "--plain") as started:
        assert started.address
        yield started
        assert started.end() == 0
        assert "Traceback" not in started.complained, started.complained


@pytest.fixture
def page(browser: Any, running: Studio) -> Iterator[Window]:
    with window(browser, running.address) as opened:
        yield opened


def _at_rest(robot: lw.Platform | lw.Arm, position: Any) -> np.ndarray:
    return np.asarray(robot.inverse_dynamics(np.asarray(position), STILL, STILL))


def test_the_page_loads_without_a_network(page: Window) -> None:
    assert page.page.title() == "Linkwork studio"
    assert page.visit.requests == []
    refused = [text for text in page.visit.complaints if "Content Security Policy" in text]
    assert refused == []
    page.wait_for_efforts(_at_rest(lw.load("pi-h811"), lw.load("pi-h811").home))
    canvas = page.page.locator("canvas").first.bounding_box()
    assert canvas["width"] > 300


def test_sliders_change_the_forces_to_those_of_the_library(page: Window) -> None:
    robot = lw.load("pi-h811")
    page.type("x [m]", "0.004")
    page.type("yaw [deg]", "5")
    page.wait_for_efforts(_at_rest(robot, [0.004, 0, 0, 0, 0, np.radians(5)]))
    page.type("y [m]", "0.02")
    page.page.get_by_text("Limits broken").wait_for()
    broken = robot.check_limits([0.004, 0.02, 0, 0, 0, np.radians(5)]).breaks
    shown = page.page.locator("[data-alarm='Limits broken']").inner_text()
    assert broken
    for found in broken:
        assert f"{found.name}: {found.limit}" in shown
    page.page.keyboard.press("h")
    page.wait_for_efforts(_at_rest(robot, robot.home))
    page.page.get_by_text("All limits kept").wait_for()


@pytest.mark.parametrize(
    ("robot", "position", "camera"),
    [
        ("simona", (0.1, -0.1, 2.4, 1, 0, 0, 0), (0.1, -9, 3, 0.1, 0, 2.8)),
        pytest.param("ur5", (0.4, -1.2, 1.3, -0.6, 0.9, 0.2), None, marks=pytest.mark.long),
    ],
)
def test_dragging_changes_the_forces_to_those_of_the_library(
    browser: Any,
    running: Studio,
    tmp_path: Path,
    robot: str,
    position: tuple[float, ...],
    camera: Any,
) -> None:
    subject = lw.load(robot)
    if isinstance(subject, lw.Arm):
        frame = subject.forward_kinematics(np.array(position))
        handle, length = frame[:3, 3], 0.2 * RobotScene(Scene(), subject).size
        camera = (*(handle + np.array([0.5, -2.6, 0.8])), *handle)
        grip = handle + 0.7 * length * frame[:3, 0]  # on the red arrow
    else:
        handle = np.array(position[:3])
        grip = handle + np.array([0.0, 0.0, 0.75])  # on the blue arrow
    numbers = [",".join(map(str, values)) for values in (position, camera)]
    path = f"/?robot={robot}&position={numbers[0]}&camera={numbers[1]}"
    with window(browser, running.address, path) as page:
        page.wait_for_efforts(_at_rest(subject, position))
        before = page.efforts
        page.wait_until_drawn(tmp_path)
        start = page.pixel(grip, camera, FIELD_OF_VIEW)
        away = page.pixel(grip + 0.3 * (grip - handle), camera, FIELD_OF_VIEW)
        page.drag(start, (away[0] - start[0], away[1] - start[1]))
        page.wait_for(lambda: not np.allclose(page.efforts, before), "forces of another pose")
        moved = page.view().position
        assert moved is not None
        assert not np.allclose(moved, position, atol=1e-3)
        page.wait_for_efforts(_at_rest(subject, moved))
        if isinstance(subject, lw.Arm):
            tip = subject.forward_kinematics(np.array(moved))
            np.testing.assert_allclose(tip[:3, :3], frame[:3, :3], atol=1e-3)  # moved, not turned


def test_a_parallel_robot_with_its_singularities(browser: Any, running: Studio) -> None:
    delta, still = lw.load_parallel("delta"), np.zeros(3)
    with window(browser, running.address, "/?robot=delta") as page:
        page.wait_for_efforts(delta.inverse_dynamics(delta.home, still, still))
        page.type("x [m]", "0.1")
        page.type("z [m]", "-1.1")
        there = np.array([0.1, 0.0, -1.1])
        page.wait_for_efforts(delta.inverse_dynamics(there, still, still))
        shown = [
            page.page.get_by_text(title).locator("xpath=ancestor::div[@data-condition][1]")
            for title in (PARALLEL, SERIAL)
        ]
        near = delta.singularities(there)
        expected = [float(near.parallel), float(1 / near.serial.min())]
        conditions = [float(node.get_attribute("data-condition")) for node in shown]
        np.testing.assert_allclose(conditions, expected, rtol=1e-9)
        page.type("x [m]", "0.6")
        page.type("z [m]", "-1.9")
        page.page.get_by_text("No forces").wait_for()
        page.page.get_by_text("cannot reach the platform there").first.wait_for()


def test_motions_play_step_and_compare(browser: Any, running: Studio) -> None:
    robot = lw.load("dasgupta1998")
    motion = lw.published_path("dasgupta-II")
    with window(browser, running.address, "/?robot=dasgupta1998") as page:
        page.tab("Motion")
        page.pick("Motion", "dasgupta-II")
        page.page.get_by_role("tab", name="Conditioning").wait_for()
        page.wait_for_efforts(robot.inverse_dynamics(*motion.at(0.0)))
        for _ in range(3):
            page.page.keyboard.press("ArrowRight")
        page.wait_for_efforts(robot.inverse_dynamics(*motion.at(3 * 0.006)))
        page.page.keyboard.press("ArrowLeft")
        page.wait_for_efforts(robot.inverse_dynamics(*motion.at(2 * 0.006)))
        page.type("time [s]", "0.3")
        page.wait_for_efforts(robot.inverse_dynamics(*motion.at(0.3)))
        page.pick("against", "dasgupta1998")
        page.page.get_by_role("tab", name="Difference").wait_for()
        page.page.get_by_text("solid: exact; dashed ′: dasgupta1998").wait_for()
        page.page.keyboard.press("Space")
        page.page.get_by_role("button", name="Pause").wait_for()
        page.wait_for(lambda: float(page.value("time [s]")) not in (0.3, 0.0), "another time")
        page.page.keyboard.press("Space")
        page.page.get_by_role("button", name="Play", exact=True).wait_for()
        now = float(page.value("time [s]"))
        page.wait_for_efforts(robot.inverse_dynamics(*motion.at(now)), rtol=1e-2)


def test_a_closed_loop_can_be_canceled_and_run(browser: Any, running: Studio) -> None:
    with window(browser, running.address, "/?robot=planar-2r&motion=excitation") as page:
        page.page.get_by_role("tab", name="Conditioning").wait_for()
        page.tab("Motion")
        page.folder("Closed loop")
        buttons = [
            page.page.get_by_role("button", name=each, exact=True)
            for each in ("Cancel: simulation", "Simulate")
        ]
        canceled = page.page.get_by_text("Simulation: canceled")

        from playwright.sync_api import TimeoutError as Missed

        def cancel() -> bool:
            """One that has ended before the click is started again."""
            for button in buttons:
                if button.is_visible():
                    with suppress(Missed):
                        button.click(timeout=2000)
                    break
            return bool(canceled.is_visible())

        page.wait_for(cancel, "a canceled simulation")
        page.pick("Motion", "home-quintic")
        page.button("Simulate")
        page.page.get_by_role("tab", name="Tracking error").wait_for()


def test_exports_open(browser: Any, running: Studio, tmp_path: Path) -> None:
    import pyarrow.parquet
    from PIL import Image

    with window(browser, running.address, "/?robot=planar-2r&motion=home-quintic&time=0.5") as page:
        page.page.get_by_role("tab", name="Conditioning").wait_for()
        page.tab("Export")
        picture = Image.open(page.download("Picture of the view (.png)", tmp_path))
        assert picture.format == "PNG"
        assert len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0)) > 50  # something is drawn
        table = page.download("Series (.csv)", tmp_path)
        rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
        columns = pyarrow.parquet.read_table(page.download("Series (.parquet)", tmp_path))
        robot = lw.load(page.download("Robot file (.yaml)", tmp_path))
        motion = lw.load("planar-2r")
        assert columns.num_rows == len(rows) == 301
        assert robot.name == motion.name
        effort = [float(row["elbow newton-euler [N m]"]) for row in rows]
        assert effort == columns["elbow newton-euler [N m]"].to_pylist()
        report = page.download("Report of the motion (.html)", tmp_path)
        assert "Inverse dynamics of planar-2r" in report.read_text(encoding="utf-8")


def test_a_link_restores_robot_pose_time_and_camera(browser: Any, running: Studio) -> None:
    path = "/?robot=ur5&position=0.1,-0.7,0.9,0.2,0.3,0.4&camera=2,-2,1.5,0,0,0.2&dark=1"
    with window(browser, running.address, path) as page:
        efforts, first = page.efforts, page.view()
        link = page.link().removeprefix(running.address)
        with window(browser, running.address, link) as again:
            again.wait_for_efforts(efforts)
            second = again.view()
            assert second.robot == first.robot == "ur5"
            np.testing.assert_allclose(second.position, first.position, atol=1e-6)
            np.testing.assert_allclose(second.camera, [2, -2, 1.5, 0, 0, 0.2], atol=1e-3)
            assert second.dark
            scheme = again.page.locator("html").get_attribute("data-mantine-color-scheme")
            assert scheme == "dark"
    with window(browser, running.address, "/?robot=ur5&position=one,two") as page:
        page.page.get_by_text("The link cannot be followed").wait_for()


def test_designs_change_at_once_and_refuse_what_a_file_may_not_say(
    browser: Any, running: Studio, tmp_path: Path
) -> None:
    with window(browser, running.address, "/?robot=dasgupta1998") as page:
        before = page.efforts
        page.tab("Design")
        page.type("base point [m]", "0.7")
        page.wait_for(lambda: not np.allclose(page.efforts, before), "forces of another design")
        saved = lw.load(page.download("Save as robot file (.yaml)", tmp_path))
        np.testing.assert_allclose(saved.model.legs[0].base_point, [0.7, 0.2, 0])
        page.wait_for_efforts(_at_rest(saved, saved.home))
        page.type("lower part mass [kg]", "-1")
        page.page.get_by_text("Not possible").wait_for()
        assert page.value("lower part mass [kg]") == "3"
        page.button("Back to the file")
        page.wait_for_efforts(before)


@pytest.mark.long
def test_points_of_a_design_can_be_dragged(browser: Any, running: Studio, tmp_path: Path) -> None:
    camera = (0.6, -2.4, 0.4, 0.4, 0.2, 0.2)
    path = "/?robot=dasgupta1998&camera=" + ",".join(map(str, camera))
    with window(browser, running.address, path) as page:
        before = page.efforts
        page.tab("Design")
        page.tick("drag its points in the scene")
        page.wait_until_drawn(tmp_path)
        grip = np.array([0.6, 0.2, 0.1])  # on the blue arrow at the base point of leg1
        start = page.pixel(grip, camera, FIELD_OF_VIEW)
        away = page.pixel(grip + np.array([0, 0, 0.08]), camera, FIELD_OF_VIEW)
        page.drag(start, (away[0] - start[0], away[1] - start[1]))
        page.wait_for(lambda: not np.allclose(page.efforts, before), "forces of another design")
        saved = lw.load(page.download("Robot file (.yaml)", tmp_path))
        point = saved.model.legs[0].base_point
        np.testing.assert_allclose(point[:2], [0.6, 0.2], atol=1e-6)
        assert point[2] == pytest.approx(0.08, abs=0.03)
        page.wait_for_efforts(_at_rest(saved, saved.home))


def test_a_file_that_changes_or_breaks(page: Window, file: Path) -> None:
    good = file.read_text(encoding="utf-8")
    before = page.efforts

    def write(text: str) -> None:
        file.write_text(text, encoding="utf-8")
        now = os.stat(file).st_mtime_ns
        os.utime(file, ns=(now + 10**9, now + 10**9))

    try:
        write(good.replace("mass: 0.4\n", "mass: heavy\n", 1))
        alarm = page.page.locator("[data-alarm='Robot file at fault']")
        alarm.get_by_text("platform.mass").wait_for()  # it may see a file that is not written yet
        assert "line " in alarm.inner_text()
        np.testing.assert_array_equal(page.efforts, before)
        write(good.replace("mass: 0.4\n", "mass: 0.8\n", 1))
        page.wait_for_efforts(_at_rest(lw.load(file), lw.load(file).home))
        alarm.wait_for(state="hidden")
    finally:
        write(good)
    page.wait_for_efforts(before)


@pytest.mark.long
def test_two_browsers_at_once_have_a_robot_each(browser: Any, running: Studio) -> None:
    robot = lw.load("pi-h811")
    with window(browser, running.address) as one, window(browser, running.address) as two:
        home = _at_rest(robot, robot.home)
        one.type("x [m]", "0.004")
        one.wait_for_efforts(_at_rest(robot, [0.004, 0, 0, 0, 0, 0]))
        two.type("z [m]", "0.002")
        two.wait_for_efforts(_at_rest(robot, [0, 0, 0.002, 0, 0, 0]))
        one.wait_for_efforts(_at_rest(robot, [0.004, 0, 0, 0, 0, 0]))
        two.pick("Robot", "ur5")
        two.wait_for(lambda: len(two.efforts) == 6 and not np.allclose(two.efforts, home), "the arm")
        one.button("Home pose")
        one.wait_for_efforts(home)


def test_reactions_can_be_switched_on(page: Window) -> None:
    page.folder("Reactions: cylinder starts")
    page.tick("all cylinder starts")
    boxes = [page.row(f"leg{k}").first.locator("input") for k in range(1, 7)]
    page.wait_for(lambda: all(box.is_checked() for box in boxes), "all switched on")


def test_poses_with_the_same_lengths_are_shown_side_by_side(page: Window) -> None:
    page.folder("Assembly modes")
    page.button("Show side by side")
    drawing = page.page.locator("[role=dialog] svg[viewBox]").first
    drawing.wait_for()
    box = drawing.bounding_box()
    assert box is not None
    assert box["width"] > 300
    page.button("Close")
    page.wait_for(lambda: page.page.locator("[role=dialog]").count() == 0, "the window closed")


def test_the_workspace_is_shown_and_hidden(page: Window, tmp_path: Path) -> None:
    page.tab("Analysis")
    page.button("Show workspace")
    legend = page.page.get_by_text("limited by", exact=False)
    legend.wait_for()
    page.page.get_by_text("leg length, 100 %").wait_for()
    page.wait_until_drawn(tmp_path)
    page.tab("Analysis")
    page.button("Hide workspace")
    legend.wait_for(state="hidden")


def test_without_leg_limits_the_page_says_why_there_is_no_workspace(
    browser: Any, running: Studio
) -> None:
    with window(browser, running.address, "/?robot=small-hexapod") as page:
        page.tab("Analysis")
        page.button("Show workspace")
        alarm = page.page.locator("[data-alarm='Workspace']")
        alarm.wait_for()
        assert "slides without limits" in alarm.inner_text()


def test_a_chosen_mode_moves_until_it_is_stopped(page: Window) -> None:
    robot = lw.load("pi-h811")
    page.tab("Analysis")
    page.type("stiffness of a leg [N/m]", "20000000")
    page.button("Natural frequencies")
    listed = "() => [...document.querySelectorAll('[data-frequency]')].map(e => +e.dataset.frequency)"
    expected = robot.with_fields({"legs.stiffness": 2e7}).vibration_modes(robot.home).frequencies

    def same() -> bool:
        found = page.page.evaluate(listed)
        return len(found) == 6 and bool(np.allclose(found, expected, rtol=1e-6))

    page.wait_for(same, "the frequencies of the library")
    before = page.efforts
    page.pick("in motion", "mode 3")
    canvas = page.page.locator("canvas").first
    first = canvas.screenshot()
    page.wait_for(lambda: canvas.screenshot() != first, "the platform moving")
    np.testing.assert_array_equal(page.efforts, before)
    page.button("Stop vibration")
    page.page.get_by_role("button", name="Stop vibration").wait_for(state="hidden")
    page.wait_for(lambda: page.value("in motion") == "none", "no mode in motion")
