"""LINKWORK_ABI=off: the plain way everywhere, with the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from linkwork.kernels.abi import layout
from tests.kernels.abi import main_calls


def test_the_main_calls_have_the_same_bits_without_it(tmp_path) -> None:
    path = tmp_path / "plain.npz"
    env = {**os.environ, layout.ABI_VARIABLE: "off"}
    words = [sys.executable, "-m", main_calls.__name__, str(path)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with np.load(path) as plain:
        expected = main_calls.main_calls()
        assert set(plain.files) == expected.keys()
        for name, value in expected.items():
            assert plain[name].tobytes() == value.tobytes(), name


def test_off_leaves_layouts_and_allocator_alone(tmp_path) -> None:
    script = (
        "import numpy as np, linkwork as lw\n"
        "from linkwork.kernels.abi import layout, memory\n"
        "assert not layout.layout_fits() and layout.layout_name() == 'no entry'\n"
        "assert memory._pool() is None\n"
        "kernel = lw.load('planar-2r').kernel('inverse_dynamics')\n"
        "assert 'define ptr' not in kernel.llvm_ir()\n"
        "assert kernel.fast(*[np.zeros(2)] * 3) is None\n"
        "assert kernel.bind()() is False\n"
    )
    env = {**os.environ, layout.ABI_VARIABLE: "off"}
    subprocess.run([sys.executable, "-c", script], env=env, check=True, timeout=120)
