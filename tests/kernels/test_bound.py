"""Loops with fixed buffers: any array-like in, nothing allocated, one per thread."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

from linkwork.core.errors import InputError
from linkwork.kernels.abi import builtin
from tests.kernels.samples import reference, sample

RNG = np.random.default_rng(0)


def test_bound_kernel() -> None:
    kernel = sample()
    loop = kernel.bind()
    x, y = RNG.normal(size=(2, 3))
    loop.x[:] = x
    loop.y = y  # assignment copies into the buffer as well
    assert loop() is False
    np.testing.assert_allclose(
        loop.parts, reference(kernel, x[None], y[None])[0], rtol=1e-14, atol=1e-15
    )
    loop.x[0] = np.inf
    assert loop() is True
    with pytest.raises(InputError, match="x takes"):
        loop.x = np.zeros(4)
    for bad in ("abc", None, np.zeros(3, dtype=complex), 1.0, [[1.0, 2.0, 3.0]]):
        with pytest.raises(InputError, match="x takes"):
            loop.x = bad
    with pytest.raises(AttributeError, match="no buffer 'xd'; there are x, y, parts, same"):
        loop.xd = x  # a typing error must not pass in silence
    with pytest.raises(AttributeError):
        del loop.x


@pytest.mark.parametrize("kind", [list, tuple, np.float32, np.int64, np.asfortranarray])
def test_any_array_like(kind) -> None:
    loop = sample().bind()
    x = [1, 2, 3]
    loop.x = (
        np.array(x, dtype=kind) if isinstance(kind, type) and issubclass(kind, np.generic) else kind(x)
    )
    np.testing.assert_array_equal(loop.x, x)
    assert loop(np.array(x, dtype=np.float32), (4, 5, 6)) is False
    np.testing.assert_array_equal(loop.same, x)
    np.testing.assert_array_equal(loop.y, [4, 5, 6])
    with pytest.raises(InputError, match="takes none or 2: x, y"):
        loop(x)


def test_a_strided_array() -> None:
    loop = sample().bind()
    wide = RNG.normal(size=(3, 4))
    loop(wide[:, 1], wide[::-1, 2])
    np.testing.assert_array_equal(loop.same, wide[:, 1])
    np.testing.assert_array_equal(loop.y, wide[::-1, 2])


def test_one_loop_per_thread() -> None:
    kernel = sample()
    data = RNG.normal(size=(4, 300, 2, 3))
    wrong = []

    def work(block) -> None:
        loop = kernel.bind()
        for x, y in block:
            loop(x, y)
            if not np.array_equal(loop.same, x):
                wrong.append(x)

    workers = [threading.Thread(target=work, args=(block,)) for block in data]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_bind_again(again) -> None:
    loop = sample().bind()
    loop(*RNG.normal(size=(2, 3)))
    other = again(loop)
    np.testing.assert_array_equal(other.parts, loop.parts)
    other.x[:] = 7.0
    assert loop.x[0] != 7.0
    assert other() is False
    np.testing.assert_array_equal(other.same, 7.0)


def test_without_builtin_functions(monkeypatch) -> None:
    monkeypatch.setattr(builtin, "layout_fits", lambda: False)
    loop = sample().bind()
    x, y = RNG.normal(size=(2, 3))
    assert loop(x, y) is False
    np.testing.assert_array_equal(loop.same, x)
    loop.x[1] = np.nan
    assert loop() is True
