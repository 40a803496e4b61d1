"""How many cores a large batch may use."""

from __future__ import annotations

import _thread
import ctypes
import os
import queue
import time

import numpy as np

from linkwork.core.errors import InputError
from linkwork.kernels.machine import MachineCode

THREADS_VARIABLE = "LINKWORK_THREADS"
# Threads are worth waking for this many arithmetic operations, some hundred microseconds.
WORTHWHILE_OPERATIONS = 4_000_000
# They take chunks of this many operations, some twenty microseconds.
CHUNK_OPERATIONS = 500_000
ROWS_AT_A_TIME = 8  # of the widest kernels: a chunk of whole blocks has no tail
MOST_THREADS = 256

_chosen: int | None = None


def set_threads(count: int | None) -> None:
    """Use `count` threads for large batches; None returns to LINKWORK_THREADS or all cores."""
    global _chosen
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
    if count is not None and not (whole and 1 <= count <= MOST_THREADS):
        raise InputError(f"threads = {count!r}: expected an integer from 1 to {MOST_THREADS}, or None.")
    _chosen = None if count is None else int(count)


def threads() -> int:
    """The number of threads in force."""
    if _chosen is not None:
        return _chosen
    text = os.environ.get(THREADS_VARIABLE)
    if not text:
        # Cores this process may run on, which in a container can be fewer than there are.
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_THREADS):
        raise InputError(
            f"{THREADS_VARIABLE} = {text!r}: expected an integer from 1 to {MOST_THREADS}. "
            "Unset it for all cores."
        )
    return int(text)


class SharedBatch:
    """Rows of one batch that several threads work on.

    Rows are handed out in chunks, so that a core that is busy otherwise costs at most one of them.
    Workers hold the job, and the job holds the arrays: their memory lives as long as anybody may write
    there, even if an exception drives the caller out in the middle.
    """

    def __init__(
        self,
        code: MachineCode,
        packet: ctypes.Array[ctypes.c_int64],
        keep: tuple[object, ...],
        rows: int,
        operations_per_row: int,
    ) -> None:
        self.code, self.packet, self.keep = code, packet, keep
        chunk = max(1, CHUNK_OPERATIONS // operations_per_row)
        self.rows, self.chunk = rows, chunk + -chunk % ROWS_AT_A_TIME
        self.control = (ctypes.c_int64 * 4)()  # next row, rows done, non-finite, threads at work
        self.ended: queue.SimpleQueue[None] = queue.SimpleQueue()

    def work(self) -> bool:
        """Take chunks until none are left; True if this thread finished the last one."""
        addresses = ctypes.addressof(self.packet), ctypes.addressof(self.control)
        return bool(self.code.share(*addresses, self.chunk, self.rows))

    def run(self, helpers: int) -> bool:
        """Work with `helpers` other threads until all rows are done; True for a non-finite number."""
        try:
            _invite(self, helpers)
            if not self.work():
                self.ended.get()
        except BaseException:  # Ctrl-C, or what a signal handler raises
            self._stop()
            raise
        self.keep = ()  # a worker that comes too late needs the code and the counter only
        return bool(self.control[2])

    def _stop(self) -> None:
        """Hand out no more rows and wait for those in hand, whatever else is raised meanwhile."""
        self.control[0] = self.rows
        interruption: BaseException | None = None
        while self.control[3]:
            try:
                time.sleep(1e-4)
            except BaseException as error:
                interruption = error
        if interruption is not None:
            raise interruption


# Queues of this kind may be used by a signal handler that interrupts another use; locks may not.
_jobs: queue.SimpleQueue[SharedBatch] = queue.SimpleQueue()
_workers = 0


def _invite(job: SharedBatch, helpers: int) -> None:
    """Offer a job to workers; they are made when needed and kept."""
    global _workers
    while _workers < helpers:
        _workers += 1
        # Not threading.Thread: its start takes locks that an interrupted start holds already.
        _thread.start_new_thread(_serve, (_jobs,))
    for _ in range(helpers):
        _jobs.put(job)


def _serve(jobs: queue.SimpleQueue[SharedBatch]) -> None:
    while True:
        job = jobs.get()
        if job.work():
            job.ended.put(None)
        del job  # the next one may be long in coming


def _forget_workers() -> None:
    global _jobs, _workers
    _jobs, _workers = queue.SimpleQueue(), 0


if hasattr(os, "register_at_fork"):
    # A forked child has the queue's memory but not the threads.
    os.register_at_fork(after_in_child=_forget_workers)


def helpers_for(rows: int, operations_per_row: int) -> int:
    """Threads that are worth waking besides the caller's."""
    work = rows * operations_per_row
    return 0 if work < WORTHWHILE_OPERATIONS else min(threads(), work // CHUNK_OPERATIONS) - 1
