"""Kernels with and without the optimizer, fused multiply-add, each instruction set that this processor
has, and the direct entry: the same numbers, and the same bits where the arithmetic is the same.

CasADi's own evaluation of the expression says what the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError, KernelError
from linkwork.kernels import Kernel
from linkwork.kernels.abi import layout, memory
from linkwork.kernels.graph import graph_of
from linkwork.kernels.kernel import OPTIMIZER_VARIABLE
from linkwork.kernels.machine import (
    FMA_VARIABLE,
    INSTRUCTIONS_VARIABLE,
    Processor,
    host,
    instruction_sets,
    processor,
)
from tests.every_method import states

ROWS = 11  # a whole vector of any instruction set, and a rest
TOLERANCE = 1e-11  # relative to the largest number of a result
# What a processor has beyond the instruction sets that are known by name is one more.
SETS = (*instruction_sets(), "")


def assert_close(found: list[np.ndarray], expected: list[np.ndarray], what: object) -> None:
    for one, other in zip(found, expected, strict=True):
        assert np.isfinite(one).all(), what
        assert np.abs(one - other).max() <= TOLERANCE * np.abs(other).max(), what


def bits(result: list[np.ndarray]) -> list[bytes]:
    return [each.tobytes() for each in result]


class Variants:
    """One kernel in all its forms, on the same states."""

    def __init__(self, robot: lw.Robot, method: str) -> None:
        self.kernel = robot.kernel(method)
        drawn = states(robot, ROWS)
        self.inputs = tuple(drawn[name] for name in self.kernel.inputs)
        self.shapes = tuple(self.kernel.outputs.values())

    def by_casadi(self) -> list[np.ndarray]:
        rows = [self.kernel.casadi.call(list(row)) for row in zip(*self.inputs, strict=True)]
        return [
            np.array([row[k].full() for row in rows]).reshape(ROWS, *shape)
            for k, shape in enumerate(self.shapes)
        ]

    def run(self, target: Processor, optimize: bool = True) -> list[np.ndarray]:
        """By the direct entry, unless that is refused."""
        kernel = Kernel(self.kernel.casadi, self.shapes, target, optimize)
        direct = layout.layout_fits()
        result = kernel.fast(*self.inputs)
        assert (result is not None) is direct
        if result is None:
            result, nonfinite = kernel.evaluate(self.inputs)
            assert not nonfinite
        return list(result) if isinstance(result, tuple) else [result]


@pytest.fixture
def direct_entry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Chooses LINKWORK_ABI within a test: the guards are asked anew."""

    def choose(setting: str) -> None:
        monkeypatch.setenv(layout.ABI_VARIABLE, setting)
        layout.layout_fits.cache_clear()
        memory._pool.cache_clear()

    yield choose
    monkeypatch.undo()
    layout.layout_fits.cache_clear()
    memory._pool.cache_clear()


def in_every_combination(direct_entry: Callable[[str], None], name: str, *methods: str) -> None:
    robot = lw.load(name)
    for method in methods:
        variants = Variants(robot, method)
        expected = variants.by_casadi()
        for optimize, fma in product((True, False), (True, False)):
            first: dict[bool, list[bytes]] = {}  # by whether multiply-adds are fused
            for instructions, entry in product(SETS, ("on", "off")):
                direct_entry(entry)
                target = processor(instructions, fma)
                result = variants.run(target, optimize)
                what = (name, method, instructions, fma, optimize, entry)
                assert_close(result, expected, what)
                assert bits(result) == first.setdefault(target.fma, bits(result)), what


def test_in_every_combination(direct_entry) -> None:
    in_every_combination(direct_entry, "planar-2r", "inverse_dynamics")


@pytest.mark.long
@pytest.mark.parametrize("name", lw.bundled_names())
def test_dynamics_in_every_combination(direct_entry, name: str) -> None:
    in_every_combination(direct_entry, name, "inverse_dynamics", "forward_dynamics")


@pytest.mark.long
@pytest.mark.parametrize("name", lw.bundled_names())
def test_all_methods(name: str) -> None:
    """Each choice on its own: with all combinations this would take hours."""
    robot = lw.load(name)
    for method in robot.kernel_methods:
        if method == "stiffness":
            continue
        variants = Variants(robot, method)
        expected = variants.by_casadi()
        whole = variants.run(processor())
        assert_close(whole, expected, method)
        assert_close(variants.run(processor(), optimize=False), expected, (method, "as traced"))
        apart = variants.run(processor(fma=False))
        assert_close(apart, expected, (method, "multiply-adds apart"))
        for instructions in instruction_sets()[:-1]:
            target = processor(instructions)
            same = whole if target.fma == processor().fma else apart
            assert bits(variants.run(target)) == bits(same), (method, instructions)


def test_variables_choose_them(monkeypatch) -> None:
    arm = lw.load("planar-2r").model
    for name in instruction_sets():
        monkeypatch.setenv(INSTRUCTIONS_VARIABLE, name)
        assert host() == processor(name)
        lanes = {"sse2": 2, "avx2": 4, "avx512": 8}[name]
        assert f"<{lanes} x double>" in lw.Arm(arm).kernel("jacobian").llvm_ir()
    monkeypatch.delenv(INSTRUCTIONS_VARIABLE)
    monkeypatch.setenv(FMA_VARIABLE, "off")
    assert host() == processor(fma=False)
    text = lw.Arm(arm).kernel("bias").llvm_ir()
    assert "contract" not in text
    assert ".fma.v" not in text.partition("declare")[0]
    monkeypatch.setenv(OPTIMIZER_VARIABLE, "off")
    kernel = lw.Arm(arm).kernel("inverse_dynamics")
    assert kernel.graph == graph_of(kernel.casadi, tuple(kernel.outputs.values()))


def test_variables_say_what_is_allowed(monkeypatch) -> None:
    monkeypatch.setenv(INSTRUCTIONS_VARIABLE, "mmx")
    with pytest.raises(KernelError, match="LINKWORK_INSTRUCTIONS = 'mmx': allowed on this processor"):
        host()
    monkeypatch.delenv(INSTRUCTIONS_VARIABLE)
    asked = {
        FMA_VARIABLE: host,
        OPTIMIZER_VARIABLE: lambda: lw.Arm(lw.load("planar-2r").model).kernel("energy"),
        layout.ABI_VARIABLE: layout.layout_fits.__wrapped__,
    }
    for variable, ask in asked.items():
        with monkeypatch.context() as patch:
            patch.setenv(variable, "of")
            with pytest.raises(InputError, match=f"{variable} = 'of': expected on or off"):
                ask()
