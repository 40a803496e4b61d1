"""What panels may ask of the page that holds them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class Host(ABC):
    """A page. Panels call it from its own thread; events of the browser are brought to that thread."""

    gui: Any
    scene: Any

    @abstractmethod
    def post(self, action: Callable[[], None]) -> None:
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

    def listen(self, register: Callable[[Any], Any], action: Callable[[Any], None]) -> None:
        """Bring events of the browser to the page's thread, in order; our own changes are no events."""

        async def hear(event: Any) -> None:
            if event.client_id is not None:
                self.post(lambda: action(event))

        register(hear)

    def on_update(self, node: Any, action: Callable[[], None]) -> None:
        """After a person has changed a value.

        What the page shows meanwhile, the state before, may overwrite the new value before its turn
        comes on the page's thread: it is kept when it arrives, and put back. Of several that wait only
        the last counts.
        """
        waiting: list[Any] = []

        async def hear(event: Any) -> None:
            if event.client_id is not None:
                waiting.append(node.value)
                self.post(take)

        def take() -> None:
            value = waiting.pop(0)
            if not waiting:
                node.value = value
                action()

        node.on_update(hear)

    def on_click(self, node: Any, action: Callable[[], None]) -> None:
        self.listen(node.on_click, lambda event: action())
