"""What a search has found, kept in a file, so that it can go on after it was stopped."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.certification.boxes import Boxes, joined
from linkwork.certification.search import Found
from linkwork.core.arguments import path_of
from linkwork.core.errors import FileError, InputError
from linkwork.core.input_files import read_bytes
from linkwork.core.whole_files import write_bytes

EVERY = 30.0  # seconds between two writings
LARGEST = 1 << 34  # bytes
UNFIT = "remove it, or name another file, to begin anew."


class StateError(FileError, InputError):
    """A file of what was found is of another question, or none."""


def saved(path: str | os.PathLike[str], question: str, width: int) -> Found | None:
    """What the file has of this question; None if there is no file yet."""
    source = str(path_of(path, "resume"))
    if not Path(source).exists():
        return None
    try:
        with np.load(io.BytesIO(read_bytes(source, LARGEST)), allow_pickle=False) as stored:
            parts = {name: stored[name] for name in stored.files}
        if str(parts["question"]) != question:
            raise StateError(source, [f"it is of another robot, region or demand; {UNFIT}"])
        kinds, boxes = parts["kinds"].astype(int), np.asarray(parts["boxes"], dtype=np.float64)
        if boxes.shape != (len(kinds), 2, width) or not (boxes[:, 0] <= boxes[:, 1]).all():
            raise ValueError
        evaluations = int(parts["evaluations"])
    except StateError:
        raise
    except (ValueError, KeyError, OSError, EOFError):
        raise StateError(source, [f"it is not what an earlier search left; {UNFIT}"]) from None
    found = Found(evaluations=evaluations)
    for kind in np.unique(kinds):
        part = Boxes(*np.swapaxes(boxes[kinds == kind], 0, 1))
        if kind >= 0:
            found.waiting.append((part, int(kind)))
        else:
            (found.proven if kind == -1 else found.undecided).append(part)
    return found


def write(path: str | os.PathLike[str], question: str, found: Found) -> None:
    """All boxes with their kinds: -1 proven, -2 undecided, else how many checks are proven of them."""
    every = [(-1, each) for each in found.proven] + [(-2, each) for each in found.undecided]
    every += [(known, each) for each, known in found.waiting]
    kinds = np.concatenate([np.full(each.count, kind) for kind, each in every])
    boxes = joined([each for _, each in every])
    content: dict[str, Any] = {"question": question, "evaluations": found.evaluations, "kinds": kinds}
    stream = io.BytesIO()
    np.savez(stream, boxes=np.stack([boxes.low, boxes.high], axis=1), **content)
    write_bytes(path, stream.getvalue())


@contextmanager
def keeping(
    path: str | os.PathLike[str] | None, question: str, found: Found
) -> Iterator[Callable[[], None]]:
    """Yields what is called between rounds: it writes the file now and then. Ctrl-C waits for it, so
    that nothing is lost; asked twice, it does not wait."""
    if path is None:
        yield lambda: None
        return
    stopping, written = False, time.monotonic()

    def stop(*_: object) -> None:
        nonlocal stopping
        if stopping:
            raise KeyboardInterrupt
        stopping = True

    def between() -> None:
        nonlocal written
        if stopping or time.monotonic() - written > EVERY:
            write(path, question, found)
            written = time.monotonic()
        if stopping:
            raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, stop) if main else None
    try:
        yield between
    finally:
        if main:
            signal.signal(signal.SIGINT, before)
    if found.open:
        write(path, question, found)
    else:
        Path(path).unlink(missing_ok=True)
