"""Memory of large results: reused when nobody holds it any more, and never before."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels.abi import memory

pytestmark = pytest.mark.skipif(memory._pool() is None, reason="NumPy's own memory is used here")

ROWS = 4000  # of 6 x 6 doubles: 1.15 MB


def test_results_are_arrays_like_any_others() -> None:
    arm = lw.load_arm("ur5")
    q = np.random.default_rng(0).uniform(-1, 1, (ROWS, 6))
    for M in (arm.mass_matrix(q), arm.inverse_dynamics_derivatives(q, q, q).dq):
        assert M.nbytes >= memory.LARGE
        assert M.base is None
        assert M.flags.owndata
        assert M.flags.writeable
        assert M.ctypes.data % 64 == 0
    np.testing.assert_array_equal(M[::7], arm.inverse_dynamics_derivatives(q[::7], q[::7], q[::7]).dq)


def test_memory_comes_back_only_when_no_view_is_left() -> None:
    first = memory.empty((1000, 300))
    place = first.ctypes.data
    view = first[10:20].T
    view[:] = 7.0
    del first
    others = [memory.empty((1000, 300)) for _ in range(5)]
    for other in others:
        assert not np.shares_memory(other, view)
        other[:] = 0.0
    assert (view == 7.0).all()
    del view
    again = [memory.empty((1000, 300)) for _ in range(memory.SLOTS)]  # others may be kept besides
    assert place in [each.ctypes.data for each in again]


def test_sizes_of_the_past_make_room() -> None:
    """More sizes than there are slots: what was freed last is kept all the same."""
    for k in range(3 * memory.SLOTS):
        size = memory.LARGE // 8 + k * memory.FINE // 8
        first = memory.empty((size,))
        place = first.ctypes.data
        del first
        assert memory.empty((size,)).ctypes.data == place


def test_many_arrays_of_many_sizes_never_share_memory() -> None:
    """Random births, deaths and changes of size; every array keeps what was written to it."""
    rng = np.random.default_rng(0)
    alive: list[tuple[np.ndarray, float]] = []
    for step in range(600):
        if alive and rng.random() < 0.5:
            array, value = alive.pop(int(rng.integers(len(alive))))
            assert array[0] == array[-1] == value
            assert (array[:: max(1, len(array) // 97)] == value).all()
            if rng.random() < 0.2:
                array.resize(int(rng.integers(1, 400_000)), refcheck=False)
                assert array[0] == value
                array[:] = value
                alive.append((array, value))
        elif len(alive) < 12:
            array = memory.empty((int(rng.choice([131_072, 140_000, 200_000, 600_000, 900_000])),))
            array[:] = step
            alive.append((array, float(step)))
    assert memory.kept_bytes() <= memory.MOST_KEPT


def test_what_is_kept_is_bounded_and_the_newest() -> None:
    size = 3_000_000  # 24 MB
    held = [memory.empty((size,)) for _ in range(8)]
    del held
    assert 0 < memory.kept_bytes() <= memory.MOST_KEPT
    huge = memory.empty((memory.MOST_KEPT // 8 + 1,))
    kept = memory.kept_bytes()
    del huge  # too large to keep
    assert memory.kept_bytes() <= kept
    other = memory.empty((5_000_000,))
    place = other.ctypes.data
    del other  # makes room for itself
    assert memory.kept_bytes() <= memory.MOST_KEPT
    assert memory.empty((5_000_000,)).ctypes.data == place


def test_threads_allocate_and_free_at_once() -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        held: list[np.ndarray] = []
        for _ in range(150):
            array = memory.empty((int(rng.choice([131_072, 150_000, 600_000])),))
            array[:] = seed
            held.append(array)
            if len(held) > 3:
                oldest = held.pop(0)
                if not (oldest == seed).all():
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert memory.kept_bytes() <= memory.MOST_KEPT


def test_arrays_that_live_until_the_interpreter_ends(tmp_path) -> None:
    """In a module, in a cycle, and in another thread: the allocator outlives them all."""
    script = tmp_path / "late.py"
    script.write_text(
        "import sys, threading, numpy as np\n"
        "from linkwork.kernels.abi import memory\n"
        "kept = memory.empty((400_000,)); kept[:] = 1\n"
        "sys.kept = kept[5:]\n"
        "cycle = [memory.empty((400_000,))]; cycle.append(cycle)\n"
        "class Late:\n"
        "    def __init__(self): self.a = memory.empty((900_000,))\n"
        "    def __del__(self): self.b = self.a.copy(); self.a = None\n"
        "np.late = Late()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], env=dict(os.environ), capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX only")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_its_own() -> None:
    array = memory.empty((400_000,))
    array[:] = 3.0
    child = os.fork()
    if child == 0:
        fresh = memory.empty((400_000,))
        fresh[:] = 4.0
        os._exit(0 if (array == 3.0).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (array == 3.0).all()


def test_numpys_own_arrays_are_left_alone() -> None:
    before = np.empty(1_000_000)
    memory.empty((1_000_000,))
    after = np.empty(1_000_000)
    core = "numpy._core" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy.core"
    name_of = importlib.import_module(f"{core}.multiarray").get_handler_name
    assert name_of(before) == name_of(after) == "default_allocator"
    assert name_of(memory.empty((1_000_000,))) == "linkwork"


def test_without_the_allocator_results_are_the_same(monkeypatch) -> None:
    arm = lw.load_arm("ur5")
    q = np.random.default_rng(0).uniform(-1, 1, (ROWS, 6))
    ours = arm.mass_matrix(q)
    monkeypatch.setattr(memory, "_pool", lambda: None)
    np.testing.assert_array_equal(arm.mass_matrix(q), ours)
    assert memory.kept_bytes() == 0
