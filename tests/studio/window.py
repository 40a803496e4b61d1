"""A window of the studio in a browser: what it shows, and the hands to use it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from linkwork.studio.links import LinkedView, view_of
from tests.browser import opened

SIZE = {"width": 1120, "height": 720}
PATIENCE = 60_000  # milliseconds, for a slow machine that draws in software
EFFORTS = "() => [...document.querySelectorAll('[data-effort]')].map(e => +e.dataset.value)"


class Window:
    """One page of the studio."""

    def __init__(self, visit: Any, address: str) -> None:
        self.page, self.visit, self.address = visit.page, visit, address
        self.page.set_default_timeout(PATIENCE)
        self.page.wait_for_function(f"{EFFORTS[6:]}.length > 0")

    @property
    def efforts(self) -> np.ndarray:
        return np.array(self.page.evaluate(EFFORTS))

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Until something is so; the page goes on meanwhile."""
        for _ in range(PATIENCE // 50):
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never: {what}")

    def wait_for_efforts(self, expected: np.ndarray, rtol: float = 1e-6) -> None:
        scale = float(np.abs(expected).max())

        def same() -> bool:
            found = self.efforts
            return found.shape == expected.shape and bool(np.abs(found - expected).max() < rtol * scale)

        self.wait_for(same, f"efforts {expected}, but {self.efforts}")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def row(self, label: str) -> Any:
        """The row of an input, by its label."""
        return self.page.locator(
            f'xpath=//label[.="{label}"]/ancestor::div[contains(@class,"mantine-Flex-root")][1]'
        )

    def type(self, label: str, text: str, nth: int = 0) -> None:
        """Into the field of a number or of a slider."""
        field = self.row(label).locator("input:not([type=hidden])").nth(nth)
        field.fill(text)
        field.press("Enter")
        field.blur()

    def value(self, label: str) -> str:
        return str(self.row(label).locator("input:not([type=hidden])").first.input_value())

    def tick(self, label: str) -> None:
        """Change a box; a click misses it where the page moves meanwhile."""
        box = self.row(label).locator("input")
        before = box.is_checked()

        def changed() -> bool:
            if box.is_checked() == before:
                box.click()
            return bool(box.is_checked() != before)

        self.wait_for(changed, f"{label} changed")

    def pick(self, label: str, option: str) -> None:
        self.row(label).locator("input").first.click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def folder(self, title: str) -> None:
        self.page.get_by_text(title, exact=True).click()

    def download(self, button: str, folder: Path) -> Path:
        with self.page.expect_download() as waiting:
            self.button(button)
        target = folder / waiting.value.suggested_filename
        waiting.value.save_as(target)
        return target

    def wait_until_drawn(self, folder: Path) -> None:
        """A picture is taken only when everything asked for before it is in the scene."""
        self.tab("Export")
        self.download("Picture of the view (.png)", folder)

    def link(self) -> str:
        """Make the link of what is seen, in the tab of exports."""
        self.tab("Export")
        self.type("address", "")
        self.button("Make the link")
        self.wait_for(lambda: self.value("address") != "", "a link")
        return self.value("address")

    def view(self) -> LinkedView:
        return view_of("/view/" + unquote_path(self.link()))

    def drag(self, start: tuple[float, float], way: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for share in np.linspace(0, 1, 8)[1:]:
            mouse.move(start[0] + share * way[0], start[1] + share * way[1])
        mouse.up()

    def pixel(self, point: np.ndarray, camera: tuple[float, ...], field_of_view: float) -> Any:
        """Where a point of the scene is on the screen."""
        box = self.page.locator("canvas").first.bounding_box()
        eye, target = np.array(camera[:3]), np.array(camera[3:])
        ahead = (target - eye) / np.linalg.norm(target - eye)
        right = np.cross(ahead, [0, 0, 1])
        right /= np.linalg.norm(right)
        away = point - eye
        scale = box["height"] / 2 / np.tan(field_of_view / 2) / (away @ ahead)
        x = box["x"] + box["width"] / 2 + scale * (away @ right)
        y = box["y"] + box["height"] / 2 - scale * (away @ np.cross(right, ahead))
        return float(x), float(y)


def unquote_path(address: str) -> str:
    """What stands behind /view/ in an address; names stay quoted, as the browser sends them."""
    found = re.search(r"/view/(.*)$", address)
    assert found, address
    return found[1] if "%" in found[1] else unquote(found[1])


@contextmanager
def window(browser: Any, address: str, path: str = "/") -> Iterator[Window]:
    where = address + path
    with opened(browser, where, allowed=(address,), viewport=SIZE, accept_downloads=True) as visit:
        yield Window(visit, address)
