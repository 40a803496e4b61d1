"""Robots as WebAssembly: the same numbers in wasmtime, Node.js and a browser."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import linkwork as lw
from linkwork.exports.routines import Routine, routine_names, routines_of
from linkwork.exports.states import sampled
from linkwork.kernels import Kernel
from linkwork.kernels.wasm import wasm_module
from tests.browser import opened
from tests.kernels.plain_kernel import without_fma
from tests.kernels.wasm_engine import Engine


def rows_of(results: Any) -> Any:
    every = results if isinstance(results, tuple) else (results,)
    return np.concatenate([np.reshape(each, (len(each), -1)) for each in every], axis=1)


def compared(robot: Any, routines: tuple[Routine, ...], same_bits: bool) -> dict[str, float]:
    """Largest difference from the kernel, by what a check allows for rounding, by routine."""
    engine = Engine(wasm_module({each.name: each.kernel.graph for each in routines}))
    found = {}
    for routine in routines:
        samples = sampled(robot, routine)
        inputs = tuple(samples.inputs.values())
        kernel = without_fma(routine.kernel) if same_bits else routine.kernel
        native = rows_of(kernel.evaluate(inputs)[0])
        result, flag = engine.run(routine.name, np.concatenate(inputs, axis=1), native.shape[1])
        assert not flag
        size = np.abs(native).max(axis=1, keepdims=True)
        relative = np.abs(result - native) / np.where(size > 0, size, 1)
        found[routine.name] = float(relative.max()) / samples.tolerance
    return found


SOME = ("inverse_dynamics", "forward_dynamics", "joint_reactions", "energy")


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("planar-2r", ()),
        ("dasgupta1998", SOME),
        ("delta", SOME),
        ("excavator", SOME),
        *(pytest.param(name, (), marks=pytest.mark.long) for name in lw.bundled_names()),
    ],
)
def test_methods_agree_with_the_kernels(name: str, methods: tuple[str, ...]) -> None:
    """To 1e-14 of the largest, times the condition number where equations are solved."""
    robot = lw.load(name)
    found = compared(robot, routines_of(robot, methods or routine_names(robot), {}), same_bits=False)
    assert max(found.values()) <= 1.0, found


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("puma560", ("inverse_dynamics", "joint_wrenches", "computed_torque")),
        ("dasgupta1998", ("forward_dynamics",)),
        *(pytest.param(name, (), marks=pytest.mark.long) for name in lw.bundled_names()),
    ],
)
def test_without_fused_multiply_add_the_kernels_have_the_same_bits(name, methods) -> None:
    robot = lw.load(name)
    options = {"gravity": "input"} if methods else {}
    routines = routines_of(robot, methods or routine_names(robot), options)
    assert set(compared(robot, routines, same_bits=True).values()) == {0.0}


EXACT: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sqrt": mpmath.sqrt,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "sign": mpmath.sign,
    "abs": abs,
    "le": lambda a, b: mpmath.mpf(a <= b),
    "lt": lambda a, b: mpmath.mpf(a < b),
    "not": lambda a: mpmath.mpf(a == 0),
    "if_else_zero": lambda a, b: b if a else mpmath.mpf(0),
}


def exact(kernel: Kernel, inputs: tuple[Any, ...], row: int) -> list[mpmath.mpf]:
    """What the graph gives in numbers of 200 bits."""
    values: list[mpmath.mpf] = []
    for op, a, b, value in kernel.graph.nodes:
        if op == "const":
            values.append(mpmath.mpf(value[0]))
        elif op == "input":
            values.append(mpmath.mpf(float(inputs[value[0]][row, value[1]])))
        else:
            values.append(EXACT[op](*(values[k] for k in (a, b) if k >= 0)))
    return [values[index] for column in kernel.graph.outputs for index in column]


def test_with_and_without_fused_multiply_add_the_error_is_that_of_the_problem() -> None:
    """Neither is the better one: both are within rounding times the condition number of the truth.

    Put into the equations of motion, both leave forces behind that are lost in rounding.
    """
    robot = lw.load("dasgupta1998")
    (routine,) = routines_of(robot, ("forward_dynamics",), {})
    samples = sampled(robot, routine)
    inputs = tuple(samples.inputs.values())
    fused = rows_of(routine.kernel.evaluate(inputs)[0])
    plain = rows_of(without_fma(routine.kernel).evaluate(inputs)[0])
    pose, twist, force = inputs
    errors = []
    with mpmath.workprec(200):
        for row in range(len(force)):
            truth = exact(routine.kernel, inputs, row)
            size = max(abs(x) for x in truth)
            for found in (fused, plain):
                pairs = zip(found[row], truth, strict=True)
                errors.append(float(max(abs(mpmath.mpf(float(x)) - t) for x, t in pairs) / size))
    worst = np.reshape(errors, (-1, 2)).max(axis=0)
    assert worst.max() <= samples.tolerance
    assert worst.max() < 5 * worst.min()
    for found in (fused, plain):
        left = np.abs(robot.inverse_dynamics(pose, twist, found) - force).max(axis=1)
        assert (left <= 16 * np.finfo(float).eps * np.abs(force).max(axis=1)).all()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wasm") / "arm"
    methods = ["inverse_dynamics", "energy", "jacobian", "computed_torque"]
    found = lw.export(lw.load("puma560"), "wasm", folder, methods)
    names = ("puma560.wasm", "puma560.js", "puma560.d.ts", "check.json", "check.mjs", "package.json")
    assert found.files == names
    return folder


def test_the_files_say_what_they_are(exported: Path) -> None:
    wrapper, types = (exported / "puma560.js").read_text(), (exported / "puma560.d.ts").read_text()
    assert "@" not in wrapper.replace("@param", "").replace("@returns", "")
    counts = lw.load("puma560").kernel("inverse_dynamics").counts
    assert f"{counts.multiplications} multiplications, {counts.additions} additions" in wrapper
    assert (
        "inverse_dynamics(q: Float64Array, qd: Float64Array, qdd: Float64Array): Float64Array" in types
    )
    assert "energy(q: Float64Array, qd: Float64Array): { kinetic: Float64Array;" in types
    assert (exported / "puma560.wasm").stat().st_size < 10_000


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_its_own_check_passes_and_can_fail(exported: Path, tmp_path: Path) -> None:
    def checked(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["node", "check.mjs"], cwd=folder, capture_output=True, text=True, timeout=60
        )

    done = checked(exported)
    assert done.returncode == 0, done.stderr
    assert "largest relative difference" in done.stdout
    other = shutil.copytree(exported, tmp_path / "other")
    content = json.loads((other / "check.json").read_text())
    content["routines"]["energy"]["outputs"]["kinetic"][0][0] *= 1 + 1e-9
    (other / "check.json").write_text(json.dumps(content))
    assert checked(other).returncode == 1


IN_THE_BROWSER = """async ([wrapper, bytes, given]) => {
    const address = URL.createObjectURL(new Blob([wrapper], {type: "text/javascript"}));
    const {load} = await import(address);
    const robot = await load(Uint8Array.from(bytes));
    const floats = (numbers) => Float64Array.from(numbers);
    const outcome = (work) => { try { return work(); } catch (error) { return String(error); } };
    return {
        results: Object.fromEntries(Object.entries(given).map(([name, inputs]) => {
            const result = robot[name](...inputs.map((rows) => floats(rows.flat())));
            const parts = result instanceof Float64Array ? [result] : Object.values(result);
            return [name, parts.map((part) => Array.from(part))];
        })),
        one_for_all: Array.from(robot.inverse_dynamics(
            floats(given.inverse_dynamics[0].flat()), new Float64Array(6), new Float64Array(6))),
        few: outcome(() => robot.jacobian()),
        short: outcome(() => robot.jacobian(new Float64Array(5))),
        apart: outcome(() => robot.energy(new Float64Array(12), new Float64Array(18))),
        nan: outcome(() => robot.jacobian(new Float64Array(6).fill(NaN))),
        many: robot.jacobian(new Float64Array(6 * 20000)).length,
    };
}"""


def test_in_a_browser(browser: Any, exported: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html><title>empty</title>")
    arm, routines = lw.load("puma560"), json.loads((exported / "check.json").read_text())["routines"]
    given = {name: list(samples["inputs"].values()) for name, samples in routines.items()}
    wrapper = (exported / "puma560.js").read_text().replace("import.meta.url", '"file:///"')
    with opened(browser, page) as visit:
        module = list((exported / "puma560.wasm").read_bytes())
        found = visit.page.evaluate(IN_THE_BROWSER, [wrapper, module, given])
        assert visit.requests == visit.complaints == []
    for name, samples in routines.items():
        for values, wanted in zip(found["results"][name], samples["outputs"].values(), strict=True):
            expected = np.array(wanted)
            size = np.abs(expected).max(axis=1, keepdims=True)
            assert (np.abs(np.reshape(values, expected.shape) - expected) <= 1e-14 * size).all(), name
    still = arm.inverse_dynamics(np.array(given["inverse_dynamics"][0]), np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(np.reshape(found["one_for_all"], still.shape), still, rtol=0, atol=1e-12)
    assert found["few"] == "TypeError: jacobian takes 1 arrays (q), not 0"
    assert found["short"] == "TypeError: jacobian: q has 5 numbers; it takes 6 for every state"
    assert found["apart"] == "TypeError: energy: qd has 3 states, arrays before it have 2"
    assert found["nan"] == "RangeError: jacobian: an input or a result is not finite"
    assert found["many"] == 20000 * math.prod((6, 6))
