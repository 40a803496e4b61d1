"""A scene that remembers what is put into it."""

from __future__ import annotations

from typing import Any


class Node:
    """Remembers what a scene gives to it."""

    def __init__(self, **given: Any) -> None:
        self.visible, self.position, self.wxyz, self.color, self.text = True, None, None, None, ""
        self.__dict__.update(given)


class Scene:
    """Its nodes by path."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}

    def __getattr__(self, name: str) -> Any:
        def add(path: str, *_: Any, **given: Any) -> Node:
            self.nodes[path] = Node(**given)
            return self.nodes[path]

        return add
