"""What panels may ask of the page that holds them, and long work beside it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from linkwork.core.errors import LinkworkError
from linkwork.studio.readouts import said

# Of viser, whose own types know icons only by constants and no value that is set.
Client = Any
Gui = Any
Scene = Any
Node = Any  # in a panel or in the scene: each kind has properties of its own
Event = Any  # a click, a drag, a value that was changed
Found = TypeVar("Found")
Work = Callable[[Callable[[float], None]], Found]  # told where to report the share done, from 0 to 1


class Host(ABC):
    """A page. Panels call it from its own thread; events of the browser are brought to that thread."""

    gui: Gui
    scene: Scene
    complaint: Corner | None = None  # who shows the last message

    @abstractmethod
    def post(self, action: Callable[[], object]) -> None:
        """Do something soon on the page's thread; errors are shown to the person."""

    @abstractmethod
    def show_again(self) -> None:
        """Something has changed: compute and draw anew."""

    @abstractmethod
    def tell(self, title: str, text: str, good: bool = False) -> None:
        """A notice that goes away by itself if it is good news."""

    @abstractmethod
    def send(self, name: str, content: bytes) -> None:
        """Hand a file to the browser."""

    def act(self, action: Callable[[], object]) -> None:
        """Do what a person asked for; when it works, what was said before no longer holds."""
        action()
        self.mended()

    def mended(self) -> None:
        if self.complaint is not None:
            self.complaint.clear()
            self.complaint = None

    def corner(self) -> Corner:
        """A place for messages here, beside the controls that follow."""
        return Corner(self)

    def listen(self, register: Callable[..., object], action: Callable[[Event], object]) -> None:
        """Bring events of the browser to the page's thread, in order; our own changes are no events."""

        async def hear(event: Event) -> None:
            if event.client_id is not None:
                self.post(lambda: self.act(lambda: action(event)))

        register(hear)

    def on_update(self, node: Node, action: Callable[[], object]) -> None:
        """After a person has changed a value.

        What the page shows meanwhile, the state before, may overwrite the new value before its turn
        comes on the page's thread: it is kept when it arrives, and put back. Of several that wait only
        the last counts.
        """
        waiting: list[object] = []

        async def hear(event: Event) -> None:
            if event.client_id is not None:
                waiting.append(node.value)
                self.post(take)

        def take() -> None:
            value = waiting.pop(0)
            if not waiting:
                node.value = value
                self.act(action)

        node.on_update(hear)

    def on_click(self, node: Node, action: Callable[[], object]) -> None:
        self.listen(node.on_click, lambda event: action())

    def button(self, label: str, icon: str, action: Callable[[], object], **looks: object) -> Node:
        """A button, and what a click does."""
        node = self.gui.add_button(label, icon=icon, **looks)
        self.on_click(node, action)
        return node

    def on_trigger(self, command: Node, action: Callable[[], object]) -> None:
        self.listen(command.on_trigger, lambda event: action())


class Corner(Host):
    """A part of a panel: what its controls cannot do is said there, until something works again."""

    def __init__(self, host: Host) -> None:
        self.host, self.gui, self.scene = host, host.gui, host.scene
        self.notice = host.gui.add_html("", visible=False)
        self._has_told = False  # an action that works may have something to say

    def act(self, action: Callable[[], object]) -> None:
        self._has_told = False
        try:
            action()
        except LinkworkError as error:
            self.tell("Not possible", str(error))
        if not self._has_told:
            self.host.mended()

    def tell(self, title: str, text: str, good: bool = False) -> None:
        self.host.mended()
        self.host.complaint, self._has_told = self, True
        self.notice.content = said(title, text, good)
        self.notice.visible = True

    def clear(self) -> None:
        self.notice.visible = False

    def post(self, action: Callable[[], object]) -> None:
        self.host.post(action)

    def show_again(self) -> None:
        self.host.show_again()

    def send(self, name: str, content: bytes) -> None:
        self.host.send(name, content)


class Canceled(BaseException):
    """The user has asked to stop. Not an Exception: a simulation turns those into its own."""


class LongWork:
    """One piece of work on a thread of its own.

    Args:
        work: told a function to call now and then with the share done, from 0 to 1; the call ends the
            work if it was canceled.
        done: called on that thread at the end, whichever way.
    """

    def __init__(self, title: str, work: Work[object], done: Callable[[LongWork], None]) -> None:
        self.title = title
        self.progress = 0.0
        self.result: object = None
        self.message: str | None = None
        self.canceled = False
        self._stop = threading.Event()
        self._work, self._done = work, done
        self._thread = threading.Thread(target=self._run, name=f"studio: {title}", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        self._stop.set()

    def wait(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    def _report(self, share: float) -> None:
        if self._stop.is_set():
            raise Canceled
        self.progress = min(max(share, 0.0), 1.0)

    def _run(self) -> None:
        try:
            self._report(0.0)
            self.result = self._work(self._report)
            self.progress = 1.0
        except Canceled:
            self.canceled = True
            self.message = f"{self.title}: canceled"
        except LinkworkError as error:
            self.message = str(error)
        except Exception as error:  # a fault of ours must not hang the page
            self.message = f"{self.title}: {type(error).__name__}: {error}"
        self._done(self)


class WorkPanel:
    """One job at a time; others wait for their turn. A new one takes the place of one of its title."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.job: LongWork | None = None
        self._keep: Callable[[Any], None] = lambda result: None
        self._teller: Host = host
        self._waiting: dict[str, tuple[Work[Any], Callable[[Any], None], Host]] = {}
        self.bar = host.gui.add_progress_bar(0.0, visible=False)
        self.cancel = host.button("Cancel", "x", self._canceled, color="red", visible=False)

    def start(
        self, title: str, work: Work[Found], keep: Callable[[Found], None], teller: Host | None = None
    ) -> None:
        """Do `work` beside the page; `keep` gets its result on the page's thread, `teller` says why
        there is none."""
        if self.job is not None and self.job.title == title:
            self._abandon()
        self._waiting[title] = (work, keep, teller or self.host)
        self._next()

    def stop(self) -> None:
        """Forget all jobs, those that wait too."""
        self._waiting.clear()
        self._abandon()
        self.show()

    def _canceled(self) -> None:
        if self.job is not None:
            self.job.cancel()

    def _abandon(self) -> None:
        if self.job is not None:
            self.job.cancel()
            self.job = None

    def _next(self) -> None:
        if self.job is None and self._waiting:
            title = next(iter(self._waiting))
            work, self._keep, self._teller = self._waiting.pop(title)
            self.job = LongWork(title, work, lambda job: self.host.post(lambda: self._ended(job)))
        self.show()

    def _ended(self, job: LongWork) -> None:
        if job is not self.job:
            return
        self.job = None
        try:
            if job.message is not None:
                self._teller.tell(job.title, job.message)
            else:
                self._keep(job.result)
        finally:
            self._next()

    def show(self) -> None:
        self.bar.visible = self.cancel.visible = self.job is not None
        if self.job is not None:
            self.bar.value = 100 * self.job.progress
            self.cancel.label = f"Cancel: {self.job.title.lower()}"
