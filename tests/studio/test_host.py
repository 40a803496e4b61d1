"""What a person types arrives, whatever the page shows meanwhile."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("viser", reason="the studio needs viser")

from linkwork.studio.host import Host


class Queue(Host):
    """A host whose actions wait until the test does them."""

    def __init__(self) -> None:
        self.actions: list[Callable[[], None]] = []

    def post(self, action: Callable[[], None]) -> None:
        self.actions.append(action)

    def work(self) -> None:
        while self.actions:
            self.actions.pop(0)()

    def show_again(self) -> None: ...

    def tell(self, title: str, text: str, good: bool = False) -> None: ...

    def send(self, name: str, content: bytes) -> None: ...


class Slider:
    value = 0.0

    def on_update(self, hear: Callable[[Any], Any]) -> None:
        self.hear = hear

    def moved_by_a_person(self, value: float) -> None:
        self.value = value
        # Run to its end by hand: other tests may have a loop of events in this thread.
        with contextlib.suppress(StopIteration):
            self.hear(SimpleNamespace(client_id=1)).send(None)


def test_a_value_that_the_page_has_overwritten_comes_back() -> None:
    host, slider, taken = Queue(), Slider(), []
    host.on_update(slider, lambda: taken.append(slider.value))
    slider.moved_by_a_person(0.6)
    slider.value = 0.1  # the page was just showing the state before
    host.work()
    assert taken == [0.6]
    assert slider.value == 0.6


def test_only_the_last_of_several_counts() -> None:
    host, slider, taken = Queue(), Slider(), []
    host.on_update(slider, lambda: taken.append(slider.value))
    for value in (0.1, 0.2, 0.3):
        slider.moved_by_a_person(value)
    host.work()
    assert taken == [0.3]
    slider.moved_by_a_person(0.4)
    host.work()
    assert taken == [0.3, 0.4]
