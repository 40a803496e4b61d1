"""Live reports in Chromium: what a move of a slider costs, and how many pictures per second follow.

A slider of the mechanism (or of the payload, which also draws the curves of all figures again) is moved
once per picture, a hundred times. Script (JavaScript and WebAssembly) and main thread (with styles,
layout and painting) are processor time per move, which other work on the machine does not change; a
picture has 16.7 ms. "To picture" is the time on the clock from the event to the end of drawing, with
the wait for the screen. The browser draws without a graphics card.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.results import Result
from tests.browser import QUIET, missing, program

ROBOTS = ("ur5", "simona")
GOAL = 1000 / 60  # milliseconds
COUNT = 100
MOVES = """async (figure, [slider, count]) => {
    const view = figure.live, draw = view.show.bind(view);
    const {input} = slider === "payload" ? view.payload : view.sliders[0];
    const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const low = Number(input.min), span = Number(input.max) - low, waits = [];
    let drawn = 0;
    view.show = () => {
        draw();
        drawn = performance.now();
    };
    const start = await picture();
    for (let k = 0; k < count; k++) {
        const begun = performance.now();
        input.value = low + span * (0.5 + 0.1 * Math.sin(k / 5));
        input.dispatchEvent(new Event("input", {bubbles: true}));
        await picture();
        waits.push(drawn - begun);
    }
    const seconds = (await picture() - start) / 1000;
    view.show = draw;
    view.reset();
    return [waits.sort((a, b) => a - b)[count >> 1], count / seconds];
}"""


def written(folder: Path) -> dict[str, Path]:
    """The demonstration and a report for every robot."""
    run = [sys.executable, "-m", "linkwork"]
    pages = {"demo": folder / "demo.html"}
    subprocess.run([*run, "demo", "-o", str(pages["demo"])], check=True, capture_output=True)
    for name in ROBOTS:
        pages[name] = folder / f"{name}.html"
        command = ["inverse", name, "--motion", "home-quintic", "--report", str(pages[name])]
        subprocess.run([*run, *command], check=True, capture_output=True)
    return pages


@dataclass(frozen=True)
class Measured:
    """Of one move: milliseconds of the processor, and on the clock."""

    slider: str
    script: float
    thread: float
    to_picture: float
    pictures_per_second: float


def spent(session: Any) -> tuple[float, float]:
    """Processor time so far of scripts and of the main thread [ms]."""
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return 1e3 * found["ScriptDuration"], 1e3 * found["TaskDuration"]


def measured(browser: Any, page: Path) -> Iterator[Measured]:
    """For both sliders of every live view of a page."""
    tab = browser.new_page(viewport={"width": 1200, "height": 900})
    tab.goto(page.resolve().as_uri())
    tab.wait_for_function("document.documentElement.dataset.live === 'ready'")
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    for figure in tab.query_selector_all("figure.alive"):
        figure.scroll_into_view_if_needed()
        for slider in ("coordinate", "payload"):
            figure.evaluate(MOVES, [slider, 20])  # until the browser has compiled what is used often
            before = spent(session)
            waited, pictures = figure.evaluate(MOVES, [slider, COUNT])
            script, thread = (
                (after - start) / COUNT for start, after in zip(before, spent(session), strict=True)
            )
            yield Measured(slider, script, thread, waited, pictures)
    tab.close()


def results() -> Iterator[Result]:
    reason = missing()
    if reason is not None:
        raise SystemExit(f"there is no browser: {reason}")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = written(Path(folder))
        browser = playwright.chromium.launch(executable_path=program(), args=list(QUIET))
        for name, page in pages.items():
            yield Result(name, "size of the page", page.stat().st_size / 1e6, "MB")
            for k, found in enumerate(measured(browser, page)):
                what = f"figure {k // 2 + 1}, a move of {found.slider}"
                yield Result(name, f"{what}, main thread", found.thread, "ms", at_most=GOAL)
                yield Result(name, f"{what}, script", found.script, "ms")
                yield Result(name, f"{what}, to picture", found.to_picture, "ms on the clock")
                yield Result(name, f"{what}, pictures", found.pictures_per_second, "per second")
        browser.close()
