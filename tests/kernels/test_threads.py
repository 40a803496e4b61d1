"""Several threads: the same numbers, whoever calls, is forked or is interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from linkwork.core.errors import InputError
from linkwork.kernels import kernel as kernel_module
from linkwork.kernels import set_threads
from linkwork.kernels import threads as threads_module
from tests.cli.process import environment
from tests.kernels.samples import reference, sample

RNG = np.random.default_rng(0)


def share_early(monkeypatch) -> None:
    """Let threads share even small batches, in small chunks."""
    monkeypatch.setattr(threads_module, "WORTHWHILE_OPERATIONS", 100)
    monkeypatch.setattr(kernel_module, "WORTHWHILE_OPERATIONS", 100)
    monkeypatch.setattr(threads_module, "CHUNK_OPERATIONS", 1000)


def test_threads_give_the_same_numbers(monkeypatch) -> None:
    share_early(monkeypatch)
    kernel = sample()
    x, y = RNG.normal(size=(2, 1001, 3))
    try:
        set_threads(1)
        alone = kernel(x, y)[0]
        set_threads(3)
        np.testing.assert_array_equal(kernel(x, y)[0], alone)
        x[777, 1] = np.nan
        with pytest.raises(InputError):
            kernel(x, y)
    finally:
        set_threads(None)


def test_callers_in_several_threads() -> None:
    kernel = sample()
    data = RNG.normal(size=(4, 200, 2, 3))
    expected = [reference(kernel, block[:, 0], block[:, 1]) for block in data]
    results: list[np.ndarray] = [np.empty(0)] * 4

    def work(k: int) -> None:
        results[k] = np.array([kernel(x, y)[0] for x, y in data[k]])

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "a", [1], float("nan"), 1j, 10**6])
def test_bad_thread_counts(value) -> None:
    with pytest.raises(InputError, match="integer from 1"):
        set_threads(value)


def test_thread_variable(monkeypatch) -> None:
    monkeypatch.setenv("LINKWORK_THREADS", "3")
    assert threads_module.threads() == 3
    for text in ("many", "0", "\u00b2"):
        monkeypatch.setenv("LINKWORK_THREADS", text)
        with pytest.raises(InputError, match="LINKWORK_THREADS"):
            threads_module.threads()
    monkeypatch.setenv("LINKWORK_THREADS", "")  # empty is unset
    assert threads_module.threads() >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_computes_too(monkeypatch) -> None:
    share_early(monkeypatch)
    kernel = sample()
    x, y = RNG.normal(size=(2, 1000, 3))
    try:
        set_threads(2)
        expected = kernel(x, y)[1]
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(kernel(x, y)[1], expected) else 1)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.02)
        else:
            os.kill(child, 9)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        assert status == 0
    finally:
        set_threads(None)


def test_workers_take_part(monkeypatch) -> None:
    """The last chunk is often another thread's; its rows count before the call returns."""
    share_early(monkeypatch)
    helped = []
    original = threads_module.SharedBatch.work

    def work(job) -> bool:
        helped.append(threading.get_ident())
        return original(job)

    monkeypatch.setattr(threads_module.SharedBatch, "work", work)
    kernel = sample()
    x, y = RNG.normal(size=(2, 5000, 3))
    try:
        set_threads(3)
        for _ in range(50):
            np.testing.assert_array_equal(kernel(x, y)[1], x)
    finally:
        set_threads(None)
    assert len(set(helped)) > 1


def test_an_interruption_stops_the_workers(monkeypatch) -> None:
    """They hold what they write into, hand out no more rows, and those in hand are waited for."""
    share_early(monkeypatch)
    stopped = []
    original = threads_module.SharedBatch._stop

    def stop(job) -> None:
        original(job)
        stopped.append((job.control[3], job.keep))

    def interrupted(job, helpers: int) -> None:
        invite(job, helpers)
        raise KeyboardInterrupt

    invite = threads_module._invite
    monkeypatch.setattr(threads_module.SharedBatch, "_stop", stop)
    monkeypatch.setattr(threads_module, "_invite", interrupted)
    kernel = sample()
    x, y = RNG.normal(size=(2, 100_000, 3))
    try:
        set_threads(3)
        with pytest.raises(KeyboardInterrupt):
            kernel(x, y)
    finally:
        set_threads(None)
    ((working, keep),) = stopped
    assert working == 0
    assert keep


INTERRUPTED = """
import signal
import numpy as np
import linkwork as lw

arm = lw.load("planar-2r")
lw.set_threads(2)
state = np.random.default_rng(0).normal(size=(3, 300_000, 2))
out = np.empty((300_000, 2))
arm.inverse_dynamics(*state)
kernel = arm.kernel("inverse_dynamics")

class Alarm(Exception):
    pass

def ring(number, frame):
    raise Alarm

signal.signal(signal.SIGALRM, ring)
rung = 0
for k in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 + 3e-3 * (k % 50) / 50)
        while True:
            kernel(*state, out=out) if k % 2 else arm.inverse_dynamics(*state)
    except Alarm:
        rung += 1
print("survived", rung)
"""

NESTED = """
import signal
import numpy as np
import linkwork as lw

arm = lw.load("planar-2r")
lw.set_threads(2)
a, b = np.random.default_rng(0).normal(size=(2, 3, 2))
A, B = np.random.default_rng(0).normal(size=(2, 3, {rows}, 2))
expected = [arm.inverse_dynamics(*each) for each in (a, b, A, B)]
calls = 0

def call_too(number, frame):
    global calls
    calls += 1
    assert np.array_equal(arm.inverse_dynamics(*b), expected[1])
    assert np.array_equal(arm.inverse_dynamics(*B), expected[3])

signal.signal(signal.SIGALRM, call_too)
begun = 0
while calls < 200:
    if begun == calls:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-5 * (calls % 50))
        begun += 1
    assert np.array_equal(arm.inverse_dynamics(*a), expected[0])
    assert np.array_equal(arm.inverse_dynamics(*A), expected[2])
print("survived", calls)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs timers that signal")
@pytest.mark.parametrize(
    "script",
    [INTERRUPTED, NESTED.format(rows=50), NESTED.format(rows=100_000)],
    ids=["raise", "few", "many"],
)
def test_signal_handlers(tmp_path, script) -> None:
    """A handler that raises must not free memory in use; one that computes must not spoil a result."""
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "survived" in result.stdout
