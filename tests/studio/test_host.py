"""What a person types arrives, whatever the page shows meanwhile; no job that was asked for is lost."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("viser", reason="the studio needs viser")

from linkwork.studio.host import Host, WorkPanel


class Gui:
    """Nodes that can be shown and clicked."""

    def add_progress_bar(self, value: float, visible: bool) -> Any:
        return SimpleNamespace(value=value, visible=visible)

    def add_button(self, label: str, **how: Any) -> Any:
        button = SimpleNamespace(label=label, **how)
        button.on_click = lambda hear: setattr(button, "hear", hear)
        return button


class Queue(Host):
    """A host whose actions wait until the test does them."""

    def __init__(self) -> None:
        self.actions: list[Callable[[], None]] = []
        self.told: list[str] = []
        self.gui = Gui()

    def post(self, action: Callable[[], object]) -> None:
        self.actions.append(action)

    def work(self) -> None:
        while self.actions:
            self.actions.pop(0)()

    def show_again(self) -> None: ...

    def tell(self, title: str, text: str, good: bool = False) -> None:
        self.told.append(text)

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


class Slow:
    """Work that ends when it is let go, and reports while it waits."""

    def __init__(self, result: str) -> None:
        self.result, self.go, self.begun = result, threading.Event(), threading.Event()

    def __call__(self, report: Callable[[float], None]) -> str:
        self.begun.set()
        while not self.go.wait(0.001):
            report(0.5)
        return self.result


def finish(host: Queue, panel: WorkPanel) -> None:
    assert panel.job is not None
    panel.job.wait(10.0)
    host.work()


def test_jobs_wait_for_each_other_and_none_is_lost() -> None:
    host = Queue()
    kept: list[str] = []
    panel = WorkPanel(host)
    series, simulation = Slow("series"), Slow("simulation")
    panel.start("Series", series, kept.append)
    panel.start("Simulation", simulation, kept.append)
    assert panel.cancel.label == "Cancel: series"
    series.go.set()
    finish(host, panel)
    assert panel.cancel.label == "Cancel: simulation"
    simulation.go.set()
    finish(host, panel)
    assert kept == ["series", "simulation"]
    assert not panel.bar.visible


def test_a_job_takes_the_place_of_one_of_its_title() -> None:
    host = Queue()
    kept: list[str] = []
    panel = WorkPanel(host)
    old, new, waiting = Slow("old"), Slow("new"), Slow("waiting")
    panel.start("Series", old, kept.append)
    panel.start("Series", new, kept.append)
    panel.start("Simulation", old, kept.append)
    panel.start("Simulation", waiting, kept.append)
    for job in (new, waiting):
        job.go.set()
        finish(host, panel)
    assert kept == ["new", "waiting"]
    assert not host.told


def test_cancelling_ends_the_job_that_runs_and_stopping_ends_all() -> None:
    host = Queue()
    kept: list[str] = []
    panel = WorkPanel(host)
    series, simulation = Slow("series"), Slow("simulation")
    panel.start("Series", series, kept.append)
    panel.start("Simulation", simulation, kept.append)
    with contextlib.suppress(StopIteration):
        panel.cancel.hear(SimpleNamespace(client_id=1)).send(None)
    host.work()
    finish(host, panel)
    assert host.told == ["Series: canceled"]
    assert simulation.begun.wait(10.0)
    panel.start("Workspace", series, kept.append)
    panel.stop()
    host.work()
    assert panel.job is None
    assert kept == []
