"""Equal values are one: the numbering that every graph of expressions here is built on."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


class Interned(dict[Key, int]):
    """Numbers of distinct keys, from 0 in the order in which they came (hash-consing).

    `interned[key]` is the number of a key, a new one if the key is new; `interned.keys_by_number[k]`
    is the key with number k.
    """

    def __init__(self) -> None:
        super().__init__()
        self.keys_by_number: list[Key] = []

    def __missing__(self, key: Key) -> int:
        number = self[key] = len(self.keys_by_number)
        self.keys_by_number.append(key)
        return number
