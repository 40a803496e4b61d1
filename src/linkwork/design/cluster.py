"""A sweep on Dask workers: chunks are tasks, rows come back and are written here."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from linkwork.design.sweep import NUMBER, Part, Sweep, Task
from linkwork.errors import LinkworkError

AHEAD = 4  # chunks under way per worker


class WorkerVersionError(LinkworkError):
    """A worker has another version of Linkwork than the sweep."""


def rows_of(task: Task, index: int) -> tuple[str, dict[str, Any]]:
    """What a worker does: its version, and the rows of a chunk."""
    from linkwork import __version__

    return __version__, task.rows(index)


def check_version(theirs: str, ours: str) -> None:
    """An error if a worker computes with another version than the sweep's."""
    if theirs != ours:
        raise WorkerVersionError(
            f"a worker has Linkwork {theirs}, this is {ours}; install the same version on all. Rows so "
            "far are kept."
        )


def run_on(
    sweep: Sweep,
    address: str,
    part: Part,
    advance: Callable[[int], None] = lambda done: None,
    workers: int | None = None,
) -> int:
    """Make all missing chunks on the workers of a scheduler; `local` starts one on this machine.

    Workers get the robot by its numbers and need no files. A worker that dies loses its tasks to others.
    """
    try:
        dask: Any = importlib.import_module("distributed")
    except ImportError:
        raise LinkworkError("--cluster needs Dask: pip install distributed") from None
    sweep.prepare()
    missing = sweep.missing(part)
    if not missing:
        return 0
    cluster = None
    if address == "local":
        cluster = dask.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        )
    try:
        client = dask.Client(cluster or address, timeout="10s")
    except (OSError, ValueError) as error:
        raise LinkworkError(
            f"--cluster {address}: no scheduler answers there ({error}). Allowed are local and "
            "addresses such as tcp://host:8786."
        ) from error
    done = 0
    try:
        task = client.scatter(sweep.task, broadcast=True)
        waiting = iter(missing)
        ahead = AHEAD * max(1, len(client.scheduler_info()["workers"]))
        running = dask.as_completed(with_results=False)
        places: dict[Any, int] = {}
        for _, index in zip(range(ahead), waiting, strict=False):
            _start(client, running, places, task, index)
        for future in running:
            index = places.pop(future)
            try:
                version, columns = future.result()
            except dask.scheduler.KilledWorker as error:
                raise LinkworkError(
                    f"chunk {index} ended several workers one after another; rows so far are kept."
                ) from error
            check_version(version, sweep.task.version)
            sweep.store(index, columns)
            done += len(columns[NUMBER])
            advance(1)
            future.release()
            if (following := next(waiting, None)) is not None:
                _start(client, running, places, task, following)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
    return done


def _start(client: Any, running: Any, places: dict[Any, int], task: Any, index: int) -> None:
    future = client.submit(rows_of, task, index, pure=False, retries=3)
    places[future] = index
    running.add(future)
