"""Pages that compute, as a reader uses them: what they say is what the robots say."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import Study, study
from linkwork.model.geometry import Body
from linkwork.motion import Quintic, published_path
from linkwork.motion.bundled import motion_for
from linkwork.reports import Page, figures, new_figure, style
from linkwork.reports.live import LiveMotion, of_simulation, of_study, scene, traces
from linkwork.reports.live.scene import MOST
from linkwork.robot.limits import quantity
from tests.browser import Visit, opened

ARM, PLATFORM = "#arm-mechanism", "#platform-mechanism"
PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def studies() -> dict[str, Study]:
    """An arm whose second joint leaves its limits, and a platform that carries a wrench."""
    arm = lw.load("puma560")
    motion = Quintic(np.zeros(6), np.array([0.5, -1.2, 0.9, 0.3, -0.4, 0.6]), 2.0)
    times = np.linspace(0.0, 2.0, 81)
    path = published_path("dasgupta-II")
    instants = np.linspace(0.0, path.duration, 61)
    wrench = np.array([30.0, -20.0, 10.0, 1.0, 2.0, -3.0])
    return {
        "arm": study(arm, "a motion", times, motion.at(times)),
        "platform": study(lw.load("dasgupta1998"), "path", instants, path.at(instants), wrench=wrench),
    }


@pytest.fixture(scope="module")
def report(studies: dict[str, Study], tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = Page("A live page")
    for name, found in studies.items():
        mechanism = figures.mechanism_figure(found.robot, found.time, found.position)
        page.figure(mechanism, "The robot.", f"{name}-mechanism")
        page.live(f"{name}-mechanism", found.robot, [of_study(found)])
        page.figure(figures.effort_figure(found), "Efforts.", f"{name}-effort", channels=found.robot.n)
    return page.save(tmp_path_factory.mktemp("live") / "live.html")


def ready(visit: Visit) -> Visit:
    visit.page.wait_for_function("document.documentElement.dataset.live === 'ready'")
    return visit


@pytest.fixture(scope="module")
def visit(browser: Any, report: Path) -> Iterator[Visit]:
    """One page for all tests that leave it as they found it."""
    with opened(browser, report, viewport={"width": 1100, "height": 900}) as found:
        yield ready(found)
        assert found.requests == found.complaints == []


@pytest.fixture(autouse=True)
def _as_in_the_motion(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "visit" in request.fixturenames:
        shared: Visit = request.getfixturevalue("visit")
        for figure in (ARM, PLATFORM):
            live(shared, figure, "view => { view.moveTo(0); view.reset(); view.drawing.reset(); }")


def live(visit: Visit, figure: str, script: str, argument: Any = None) -> Any:
    """Run a function of the view of a figure, then wait until the page has painted it."""
    return visit.page.evaluate(
        f"""async ([figure, argument]) => {{
            const view = document.querySelector(figure).live, result = ({script})(view, argument);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return result;
        }}""",
        [figure, argument],
    )


def values(visit: Visit, figure: str) -> dict[str, Any]:
    """What the page has computed of its state."""
    script = (
        "view => Object.fromEntries(Object.entries(view.values()).map(([k, v]) => [k, Array.from(v)]))"
    )
    return {name: np.array(found) for name, found in live(visit, figure, script).items()}


def drag(visit: Visit, what: Any, start: float, end: float, height: float = 0.5) -> None:
    """From one share of an element's width to another."""
    what.scroll_into_view_if_needed()
    box, mouse = what.bounding_box(), visit.page.mouse
    mouse.move(box["x"] + start * box["width"], box["y"] + height * box["height"])
    mouse.down()
    for share in np.linspace(start, end, 6)[1:]:
        mouse.move(box["x"] + share * box["width"], box["y"] + height * box["height"])
    mouse.up()


def slider(visit: Visit, figure: str, name: str) -> Any:
    return visit.page.locator(f"{figure} label.slider", has_text=name).locator("input")


@pytest.mark.parametrize("name", ["arm", "platform"])
def test_values_along_the_motion_are_the_study_s(
    visit: Visit, studies: dict[str, Study], name: str
) -> None:
    found, figure = studies[name], f"#{name}-mechanism"
    for row in (0, 17, len(found.time) - 1):
        live(visit, figure, "(view, row) => view.moveTo(row)", row)
        shown = values(visit, figure)
        wanted = {"effort": found.effort, "position": found.moving[0], "velocity": found.moving[1]}
        wanted |= {f"reaction_{what.name.replace(' ', '_')}": what for what in found.reactions}
        for key, what in wanted.items():
            size = np.abs(what.values).max()
            np.testing.assert_allclose(
                shown[key], what.values[row], rtol=0, atol=1e-12 * size, err_msg=key
            )


def test_payload_and_gravity_are_those_of_the_robot(visit: Visit, studies: dict[str, Study]) -> None:
    found, mass, factor = studies["arm"], 2.5, 0.4
    live(
        visit,
        ARM,
        "(view, [mass, factor]) => { view.moveTo(30); view.load(mass, factor); }",
        [mass, factor],
    )
    model = found.robot.model
    *others, last = model.joints
    load = last.body.merged_with(Body.of(mass, np.zeros(3), np.zeros((3, 3))))
    joints = (*others, replace(last, body=load))
    loaded = lw.Arm(replace(model, joints=joints, gravity=factor * model.gravity))
    wanted = loaded.inverse_dynamics(found.position[30], found.velocity[30], found.acceleration[30])
    np.testing.assert_allclose(
        values(visit, ARM)["effort"], wanted, rtol=0, atol=1e-12 * np.abs(wanted).max()
    )
    # The curves of the figure follow, beside the printed ones.
    assert visit.page.locator("#arm-effort polyline").count() == 6
    visit.page.click(f"{ARM} button:text('Reset to motion')")
    assert visit.page.locator("#arm-effort polyline").count() == 0


def test_time_is_dragged_and_figures_mark_it(visit: Visit, studies: dict[str, Study]) -> None:
    drag(visit, slider(visit, ARM, "time"), 0.02, 0.5)
    index = live(visit, ARM, "view => view.index")
    assert abs(index - 40) <= 2
    found = studies["arm"]
    np.testing.assert_allclose(
        values(visit, ARM)["effort"], found.effort.values[index], rtol=0, atol=1e-10
    )
    axes = live(visit, ARM, "view => view.plots[0].plot.axes[0]")
    wanted = axes["box"][0] + axes["box"][2] * found.time[index] / 2.0
    visit.page.locator("#arm-effort").scroll_into_view_if_needed()
    script = """wanted => {
        const marks = [...document.querySelectorAll("#arm-effort line.mark")];
        return marks.length === 6 && marks.every((line) => line.getAttribute("visibility") === "visible")
            && Math.abs(Number(marks[0].getAttribute("x1")) - wanted) < 0.011;
    }"""
    visit.page.wait_for_function(script, arg=wanted, timeout=5000)  # marked when it comes into sight


def test_a_joint_is_dragged(visit: Visit, studies: dict[str, Study]) -> None:
    live(visit, ARM, "view => view.moveTo(20)")
    found = studies["arm"]
    handle = slider(visit, ARM, "elbow")
    low, high = (float(handle.get_attribute(bound)) for bound in ("min", "max"))
    drag(visit, handle, (found.position[20, 2] - low) / (high - low), 0.3)
    q = np.array(live(visit, ARM, "view => Array.from(view.state.position)"))
    assert q[2] == pytest.approx(low + 0.3 * (high - low), abs=0.05 * (high - low))
    np.testing.assert_array_equal(np.delete(q, 2), np.delete(found.position[20], 2))
    arm: Any = found.robot
    wanted = arm.inverse_dynamics(q, found.velocity[20], found.acceleration[20])
    np.testing.assert_allclose(
        values(visit, ARM)["effort"], wanted, rtol=0, atol=1e-12 * np.abs(wanted).max()
    )
    visit.page.check(f"{ARM} .still input")
    held = arm.gravity_load(q)
    np.testing.assert_allclose(
        values(visit, ARM)["effort"], held, rtol=0, atol=1e-12 * np.abs(held).max()
    )


def test_a_pose_is_dragged(visit: Visit, studies: dict[str, Study]) -> None:
    live(visit, PLATFORM, "view => view.moveTo(10)")
    for name in ("z", "roll"):
        drag(visit, slider(visit, PLATFORM, name), 0.5, 0.6)
    found = studies["platform"]
    pose = np.array(live(visit, PLATFORM, "view => Array.from(view.state.position)"))
    assert np.abs(pose - found.position[10]).max() > 0.01
    assert np.linalg.norm(pose[3:]) == pytest.approx(1, abs=1e-14)
    state = (found.velocity[10], found.acceleration[10])
    wanted = found.robot.inverse_dynamics(pose, *state, wrench=found.wrench)
    shown = values(visit, PLATFORM)
    np.testing.assert_allclose(shown["effort"], wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_limits_are_marked_as_they_are_broken(visit: Visit, studies: dict[str, Study]) -> None:
    limits = studies["arm"].robot.limits.position
    beyond = float(limits[1, 1]) + 0.1
    live(visit, ARM, "(view, beyond) => view.setCoordinate(1, beyond)", beyond)
    marked = visit.page.locator(f"{ARM} td.violation")
    assert marked.count() == 1
    assert marked.inner_text().startswith(f"{np.degrees(beyond):.4g}")
    live(visit, ARM, "view => view.setCoordinate(1, 0)")
    assert marked.count() == 0


def picture(visit: Visit, figure: str = ARM) -> str:
    return str(live(visit, figure, "view => { view.show(); return view.canvas.toDataURL(); }"))


def test_the_mechanism_is_turned_and_zoomed(visit: Visit) -> None:
    canvas, first = visit.page.locator(f"{ARM} canvas"), picture(visit)
    drag(visit, canvas, 0.3, 0.6)
    turned = picture(visit)
    assert turned != first
    view = live(visit, ARM, "view => view.drawing.view")
    assert view["azimuth"] != -58
    assert view["elevation"] == 20
    visit.page.mouse.wheel(0, -300)  # the canvas has the focus
    live(visit, ARM, "view => null")
    assert live(visit, ARM, "view => view.drawing.view.zoom") > 1.2
    visit.page.click(f"{ARM} button[title='The view as printed']")
    assert picture(visit) == first


def test_by_keyboard_alone(visit: Visit) -> None:
    keys = visit.page.keyboard
    visit.page.locator(f"{ARM} canvas").focus()
    for key in ("ArrowLeft", "ArrowUp", "+"):
        keys.press(key)
    assert live(visit, ARM, "view => view.drawing.view") == pytest.approx(
        {"azimuth": -53, "elevation": 25, "zoom": 1.15}
    )
    keys.press("Home")
    names = []
    for _ in range(14):
        keys.press("Tab")
        names.append(visit.page.evaluate("document.activeElement.closest('label')?.innerText || ''"))
        if names[-1].startswith("time"):
            for _ in range(5):
                keys.press("ArrowRight")
    assert live(visit, ARM, "view => view.index") == 5
    for wanted in ("waist", "flange", "payload", "gravity", "at rest"):
        assert any(wanted in name for name in names), wanted


def test_values_under_the_pointer(visit: Visit, studies: dict[str, Study]) -> None:
    found = studies["platform"]
    plot = visit.page.locator("#platform-effort .plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    axes = live(visit, PLATFORM, "view => view.plots[0].plot.axes[0]")
    size = live(visit, PLATFORM, "view => view.plots[0].plot.size")
    time = float(found.time[20])
    left, top, width, height = axes["box"]
    x = left + width * (time - axes["x"][0]) / (axes["x"][1] - axes["x"][0])
    scale = box["width"] / size[0]
    # Waits until the page stands still: figures out of sight get their true heights as they are seen.
    plot.hover(position={"x": x * scale, "y": (top + height / 2) * scale})
    values = visit.page.locator("#platform-effort .values")
    values.wait_for()  # they are drawn with the next picture
    said = values.inner_text().replace("−", "-").split("\n")
    assert len(said) == 7
    for row, wanted in zip(said[1:], found.effort.values[20], strict=True):
        # A pixel of time, and sixteen bits of the curve.
        assert float(row.split()[-1]) == pytest.approx(
            wanted, abs=0.02 * np.abs(found.effort.values).max()
        )
    visit.page.mouse.down()  # a click goes there
    visit.page.mouse.up()
    assert abs(live(visit, PLATFORM, "view => view.index") - 20) <= 1
    visit.page.mouse.move(5, 5)
    values.wait_for(state="hidden")


def test_dark_pages_draw_in_their_colors(visit: Visit) -> None:
    light = picture(visit)
    visit.page.click("#theme")
    assert picture(visit) != light
    visit.page.click("#theme")
    assert picture(visit) == light


def test_paper_shows_the_printed_figure(visit: Visit) -> None:
    visit.page.emulate_media(media="print")
    assert visit.page.is_visible(f"{ARM} > .wide svg")
    assert not visit.page.is_visible(f"{ARM} canvas")
    visit.page.emulate_media(media="screen")
    assert not visit.page.is_visible(f"{ARM} > .wide svg")
    assert visit.page.is_visible(f"{ARM} canvas")


@pytest.mark.parametrize(("calm", "moved"), [("no-preference", True), ("reduce", False)])
def test_playing_is_calm_if_the_reader_wants_it(
    browser: Any, report: Path, calm: str, moved: bool
) -> None:
    with opened(browser, report, viewport=PHONE, reduced_motion=calm) as visit:
        ready(visit)
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        visit.page.clock.install()
        visit.page.click(f"{ARM} .play button")
        visit.page.clock.run_for(600)
        index = "document.querySelector('#arm-mechanism').live.index"
        assert (visit.page.evaluate(index) > 0) is moved
        visit.page.clock.run_for(600)
        assert visit.page.evaluate(index) > 0
        visit.page.clock.run_for(4000)
        assert visit.page.evaluate(index) == 80
        assert visit.page.inner_text(f"{ARM} .play button") == "▶ play"
        assert visit.requests == visit.complaints == []


def test_without_scripts_the_figure_is_there(browser: Any, report: Path) -> None:
    with opened(browser, report, java_script_enabled=False) as visit:
        assert visit.page.is_visible(f"{ARM} svg")
        assert visit.page.locator("canvas").count() == 0


def test_curves_are_kept_to_sixteen_bits() -> None:
    figure = new_figure()
    x, bent = np.linspace(0.0, 3.0, 301), np.sqrt(np.linspace(0.0, 9.0, 301))
    with style():
        left, right, sketch = figure.subplots(1, 3)
        left.plot(x, np.sin(x), label="sine")
        left.plot(bent, np.where(bent < 2, bent, np.nan), label="gap")
        left.axhline(0.5)
        left.set(xlabel="time [s]", title="both")
        right.semilogy(x, np.exp(5 * x))
        right.set(xlabel="angle [deg]", title="grows")
        sketch.plot(x, x)
        sketch.set_axis_off()
    found = traces(figure)
    assert found is not None
    assert [axes["time"] for axes in found["axes"]] == [True, False]
    assert [axes["unit"] for axes in found["axes"]] == ["s", "deg"]
    sine, gap = found["axes"][0]["lines"]
    assert [sine["label"], gap["label"]] == ["sine", "gap"]

    def unpacked(curve: dict[str, Any]) -> Any:
        levels = np.frombuffer(base64.b64decode(curve["y"]), "<u2")
        low, high = curve["range"]
        values = np.where(levels == 65535, np.nan, low + levels / 65534 * (high - low))
        return 10**values if curve["logarithmic"] else values

    np.testing.assert_allclose(unpacked(sine), np.sin(x), rtol=0, atol=2e-5)
    assert sine["x"] is None
    np.testing.assert_allclose(unpacked(gap), np.where(bent < 2, bent, np.nan), rtol=0, atol=4e-5)
    places = np.frombuffer(base64.b64decode(gap["x"]), "<u2") / 65535 * 3.0
    np.testing.assert_allclose(places, bent, rtol=0, atol=4e-5)
    (growth,) = found["axes"][1]["lines"]
    assert growth["label"] == "grows"
    np.testing.assert_allclose(unpacked(growth), np.exp(5 * x), rtol=2e-4)


def test_long_motions_are_thinned_with_their_ends() -> None:
    time = np.linspace(0.0, 1.0, 5001)
    column = time[:, None]
    motion = LiveMotion("m", "m", time, column, 2 * column, 3 * column, np.tile(column, 6)).thinned()
    assert len(motion.time) == MOST
    assert motion.time[[0, -1]].tolist() == [0.0, 1.0]
    np.testing.assert_array_equal(motion.acceleration[:, 0], 3 * motion.time)
    assert motion.wrench is not None
    assert motion.wrench.shape == (MOST, 6)


@pytest.mark.parametrize("name", ["five-bar", "planar-2r"])
def test_other_kinds_have_scenes(name: str) -> None:
    robot: Any = lw.load(name)
    m = len(robot.velocities)
    still = np.zeros((3, m))
    motion = LiveMotion("m", "m", np.arange(3.0), np.repeat(robot.home[None], 3, axis=0), still, still)
    found = scene(robot, [motion], "figure")
    outputs = dict(found["outputs"])
    assert outputs["effort"] == robot.n
    bodies = 1 + max(point[0] for point in found["shape"]["points"])
    assert outputs["frames"] >= 12 * (bodies - 1)
    assert {"position", "velocity", "effort"} <= {each["output"] for each in found["quantities"]}
    for coordinate, value in zip(found["coordinates"], robot.home, strict=True):
        assert coordinate["low"] <= value <= coordinate["high"]


def test_an_orientation_among_joints_is_turned(browser: Any, tmp_path: Path) -> None:
    """A hexapod that carries an arm: sliders of a pose beside those of joints."""
    robot = lw.load("hexapod-with-arm")
    motion = motion_for(robot, "home-quintic")
    times = np.linspace(0.0, motion.duration, 5)
    found = study(robot, "a motion", times, motion.at(times))
    names = [one["name"] for one in scene(robot, [of_study(found)], "x")["coordinates"]]
    assert names == list(robot.coordinates.by_angles.names)
    page = Page("A live page")
    page.figure(figures.mechanism_figure(robot, times, found.position), "It.", "m")
    page.live("m", robot, [of_study(found)])
    with opened(browser, page.save(tmp_path / "m.html")) as visit:
        ready(visit)
        script = """view => {
            view.moveTo(2);
            view.setCoordinate(4, 0.2);
            view.setCoordinate(7, -0.3);
            return Array.from(view.state.position);
        }"""
        c = np.array(live(visit, "#m", script))
        angles = robot.coordinates.to_angles(c)
        assert angles[[4, 7]] == pytest.approx([0.2, -0.3])
        others = [k for k in range(12) if k not in (4, 7)]
        assert angles[others] == pytest.approx(robot.coordinates.to_angles(found.position[2])[others])
        wanted = robot.inverse_dynamics(c, found.velocity[2], found.acceleration[2])
        np.testing.assert_allclose(values(visit, "#m")["effort"], wanted, rtol=0, atol=1e-10)
        assert visit.complaints == []


def test_a_simulated_payload_is_that_of_the_page(browser: Any, tmp_path: Path) -> None:
    """Efforts and reactions with it, the slider at it; curves that leave their axes say how far."""
    arm = lw.load("planar-2r")
    run = lw.simulate(arm, lambda time, state: np.array([30.0, 8.0]), duration=0.2, payload=2.0)
    page = Page("A live page")
    page.figure(figures.mechanism_figure(arm, run.time, run.position), "It.", "m")
    page.live("m", arm, [of_simulation(arm, run)])
    effort = quantity("effort", arm.efforts.names, arm.efforts.units, run.effort)
    page.figure(figures.quantity_figure(run.time, effort), "Efforts.", "e", channels=arm.n)
    loaded = arm.with_payload(2.0)
    with opened(browser, page.save(tmp_path / "m.html")) as visit:
        ready(visit)
        shown = """(view, k) => {
            view.moveTo(k);
            const found = view.values(), names = Object.keys(found);
            return Object.fromEntries(names.map((name) => [name, [...found[name]]]));
        }"""
        for k in (0, 77, len(run.time) - 1):
            values = live(visit, "#m", shown, k)
            np.testing.assert_allclose(values["effort"], run.effort[k], rtol=1e-9)
            state = (run.position[k], run.velocity[k])
            qdd = loaded.forward_dynamics(*state, run.effort[k])
            force = np.linalg.norm(loaded.reactions(*state, qdd).force, axis=-1)
            np.testing.assert_allclose(values["reaction_force"], force, rtol=1e-9)
        script = "view => [view.state.payload[0], view.payload.row.textContent]"
        mass, text = live(visit, "#m", script)
        assert mass == 2
        assert "2 kg" in text
        assert (
            live(
                visit,
                "#m",
                "view => { view.load(0.5, null); view.reset(); return view.state.payload[0]; }",
            )
            == 2
        )
        assert visit.page.locator("text.beyond").count() == 0
        live(visit, "#m", "view => view.load(40, null)")
        assert visit.page.locator("text.beyond").first.text_content().startswith(("↑ to", "↓ to"))
