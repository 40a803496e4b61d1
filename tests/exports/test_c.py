"""Exported C under the strictest warnings and under sanitizers, here and on other processors."""

from __future__ import annotations

import ctypes
import re
import subprocess

import numpy as np
import pytest

import linkwork as lw
from linkwork.exports import c_files
from linkwork.exports.routines import routine_names, routines_of
from linkwork.exports.states import sampled
from linkwork.kernels.c_code import Style, sincos_source
from linkwork.kernels.graph import SINGLE_LIMITS
from linkwork.mechanics.mechanism.blocks import OPEN, TOLERANCE
from tests.compilers import need
from tests.kernels.plain_kernel import without_fma
from tests.random_parallel import random_parallel
from tools import cortex_m

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]
METHODS = {
    "puma560": (
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "gravity_load",
        "computed_torque",
    ),
    "stanford": ("inverse_dynamics", "forward_kinematics", "gravity_compensation"),
    "simona": ("inverse_dynamics", "leg_kinematics", "task_space_control"),
    "delta": ("inverse_dynamics", "forward_dynamics", "task_space_control"),
}


def compiled(folder, name, compiler, *options):
    program = folder.parent / f"{compiler}_check"
    sources = [str(folder / f"{name}.c"), str(folder / f"{name}_check.c")]
    command = [compiler, *STRICT, *options, *sources, "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=200)
    return program


def differences(text: str) -> dict[str, float]:
    return {
        key: float(value) for key, value in re.findall(r"(\w+): .* ([\d.e+-]+)$", text, re.MULTILINE)
    }


def checked(*command) -> dict[str, float]:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return differences(done.stdout)


@pytest.mark.parametrize(
    ("robot", "compiler"),
    [
        ("puma560", "gcc"),
        ("puma560", "clang"),
        ("stanford", "clang"),
        ("simona", "gcc"),
        ("delta", "clang"),
    ],
)
def test_the_same_as_the_kernel(robot, compiler, tmp_path) -> None:
    need(compiler)
    folder = tmp_path / "c"
    lw.export(lw.load(robot), "c", folder, METHODS[robot])
    found = checked(compiled(folder, robot, compiler, "-O1", *SANITIZED))
    assert tuple(found) == METHODS[robot]
    assert max(found.values()) <= 1e-14


@pytest.mark.parametrize("options", [{"single": True}, {"single": True, "libm": True}, {"libm": True}])
def test_precision_and_library_by_choice(options, tmp_path) -> None:
    need("gcc")
    for robot in ("puma560", "delta") if options == {"single": True} else ("puma560",):
        folder = tmp_path / robot / "c"
        folder.parent.mkdir()
        lw.export(lw.load(robot), "c", folder, METHODS[robot], **options)
        text = (folder / f"{robot}.c").read_text()
        assert ("_sincos(int count" in text) == (robot == "puma560" and "libm" not in options)
        assert not re.search(
            r"\b(malloc|free|printf)\b|^static (?!const|void)\w+ \w+;", text, re.MULTILINE
        )
        found = checked(compiled(folder, robot, "gcc", "-O2"))
        assert max(found.values()) <= (1e-5 if "single" in options else 1e-14)


def test_an_arm_needs_no_library_at_all(tmp_path) -> None:
    need("gcc")
    done = lw.export(lw.load("ur5"), "c", tmp_path / "c", ["inverse_dynamics", "computed_torque"])
    assert not done.remarks
    source = str(tmp_path / "c" / "ur5.c")
    subprocess.run(["gcc", *STRICT, "-O2", "-c", source, "-o", str(tmp_path / "ur5.o")], check=True)
    undefined = subprocess.run(
        ["nm", "-u", str(tmp_path / "ur5.o")], capture_output=True, text=True, check=True
    )
    assert undefined.stdout.strip() in ("", "_GLOBAL_OFFSET_TABLE_")


@pytest.mark.parametrize("robot", ["puma560", "dasgupta1998"])
def test_the_header_tells_the_operations_of_the_code(robot, tmp_path) -> None:
    lw.export(lw.load(robot), "c", tmp_path / "c", ["inverse_dynamics"])
    text = (tmp_path / "c" / f"{robot}.c").read_text()
    said = re.search(r"inverse_dynamics: (.*)", (tmp_path / "c" / f"{robot}.h").read_text())
    assert said
    counts = {kind: int(n) for n, kind in re.findall(r"(\d+) ([a-z ]+?)(?:,|$)", said[1])}
    lines = re.findall(r"const double v\d+ = (.*);", text)
    plain = [line for line in lines if "?" not in line]
    assert sum(" * " in line for line in plain) == counts["multiplications"]
    assert sum(" + " in line or " - " in line for line in plain) == counts["additions"]
    assert sum(" / " in line for line in plain) == counts.get("divisions", 0)
    assert sum("sqrt(" in line for line in plain) == counts.get("square roots", 0)
    angles = sum(int(size) for size in re.findall(r"const double angle\d+\[(\d+)\]", text))
    assert angles == counts.get("sines and cosines", 0)


def test_numbers_that_are_not_finite_are_reported(tmp_path) -> None:
    need("gcc")
    lw.export(lw.load("puma560"), "c", tmp_path / "c", ["inverse_dynamics"])
    library = tmp_path / "puma560.so"
    source = str(tmp_path / "c" / "puma560.c")
    subprocess.run(["gcc", *STRICT, "-O2", "-shared", "-fPIC", source, "-o", str(library)], check=True)
    call = ctypes.CDLL(str(library)).puma560_inverse_dynamics

    def status(q, qd, qdd) -> int:
        arrays = [np.array(x, dtype=float) for x in (q, qd, qdd, np.zeros(6))]
        return int(call(*[x.ctypes.data_as(ctypes.c_void_p) for x in arrays]))

    zero = np.zeros(6)
    assert status(zero, zero, zero) == 0
    for place in range(6):
        for bad in (np.nan, np.inf):
            wrong = np.where(np.arange(6) == place, bad, 0.0)
            assert [status(wrong, zero, zero), status(zero, wrong, zero), status(zero, zero, wrong)] == [
                1
            ] * 3
    assert status(np.full(6, 4.99e5), zero, zero) == 0  # the sum of two is an angle too
    assert status(np.full(6, 5.1e5), zero, zero) == 1  # beyond the own sine; libm=True has no limit


@pytest.mark.parametrize("single", [False, True])
def test_sine_and_cosine_within_units_in_the_last_place(single, tmp_path) -> None:
    need("gcc")
    kind, limit = (np.float32, 1e4) if single else (np.float64, 1e6)
    style = Style(single)
    text = sincos_source("pairs", style).replace("static void", "void")
    (tmp_path / "pairs.c").write_text(text)
    library = str(tmp_path / "pairs.so")
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", str(tmp_path / "pairs.c"), "-o", library], check=True
    )
    rng = np.random.default_rng(0)
    near = np.arange(-1000, 1000) * (np.pi / 2)
    x = np.concatenate([rng.uniform(-7, 7, 20000), rng.uniform(-limit, limit, 20000), near, near + 1e-5])
    x = np.ascontiguousarray(x, dtype=kind)
    sine, cosine = np.empty_like(x), np.empty_like(x)
    ctypes.CDLL(library).pairs(
        ctypes.c_int(len(x)), *[a.ctypes.data_as(ctypes.c_void_p) for a in (x, sine, cosine)]
    )
    wide = x.astype(np.longdouble)
    for found, exact in ((sine, np.sin(wide)), (cosine, np.cos(wide))):
        unit = np.spacing(np.abs(exact).astype(kind))
        assert (np.abs(found - exact) / unit).max() <= 2.5


@pytest.mark.parametrize(("method", "taken"), [(0, True), (2, False), (16, True), (32, True)])
def test_arithmetic_that_is_not_plain_is_refused(method, taken, tmp_path) -> None:
    """2 is an x87, whose numbers are wider; 16 a processor that has half precision too."""
    need("gcc")
    (tmp_path / "angles.c").write_text(sincos_source("angles", Style()))
    evaluation = ["-U__FLT_EVAL_METHOD__", f"-D__FLT_EVAL_METHOD__={method}"]
    command = ["gcc", *evaluation, "-fsyntax-only", str(tmp_path / "angles.c")]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.returncode == 0) is taken, found.stderr
    assert taken or "plain arithmetic" in found.stderr


def test_cmake_builds_and_tests_it(tmp_path) -> None:
    need("cmake", "gcc")
    lw.export(lw.load("planar-2r"), "c", tmp_path / "c", cmake=True, name="arm")
    for command in (
        ["cmake", "-S", "c", "-B", "build"],
        ["cmake", "--build", "build"],
        ["ctest", "--test-dir", "build"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_arduino_library_with_its_sketch(tmp_path) -> None:
    need("g++")
    done = lw.export(lw.load("planar-2r"), "c", tmp_path / "arm", name="arm", arduino=True, single=True)
    assert {"library.properties", "src/arm.h", "src/arm.c", "examples/arm_check/arm_check.ino"} <= set(
        done.files
    )
    sketch = tmp_path / "sketch.cpp"
    board = (
        "#include <cstdio>\nstruct Port { void begin(long) {} operator bool() const { return true; }\n"
        'void print(const char *s) { std::printf("%s", s); }\n'
        "void println(const char *s) { std::puts(s); }\n"
        'void print(double x, int) { std::printf("%.1f", x); } } Serial;\n'
    )
    sketch.write_text(
        board
        + (tmp_path / "arm/examples/arm_check/arm_check.ino").read_text()
        + "int main() { setup(); loop(); }\n"
    )
    folders = ["-I", str(tmp_path / "arm/src"), "-I", str(tmp_path / "arm/examples/arm_check")]
    subprocess.run(
        ["gcc", "-c", str(tmp_path / "arm/src/arm.c"), "-o", str(tmp_path / "arm.o")], check=True
    )
    subprocess.run(
        ["g++", *folders, str(sketch), str(tmp_path / "arm.o"), "-o", str(tmp_path / "sketch")],
        check=True,
    )
    said = subprocess.run([str(tmp_path / "sketch")], capture_output=True, text=True, check=True).stdout
    assert max(float(x) for x in re.findall(r"([\d.]+)e-15", said)) * 1e-15 < 1e-5


@pytest.mark.parametrize("robot", ["puma560", pytest.param("simona", marks=pytest.mark.long)])
def test_on_a_64_bit_arm_processor(robot, tmp_path) -> None:
    need("aarch64-linux-gnu-gcc", "qemu-aarch64")
    folder = tmp_path / "c"
    lw.export(lw.load(robot), "c", folder, METHODS[robot])
    program = compiled(folder, robot, "aarch64-linux-gnu-gcc", "-O2", "-static")
    assert max(checked("qemu-aarch64", program).values()) <= 1e-14


@pytest.mark.parametrize(("single", "tolerance"), [(True, 1e-5), (False, 1e-14)])
def test_on_a_microcontroller(single, tolerance, tmp_path) -> None:
    need("arm-none-eabi-gcc", "qemu-system-arm")
    folder = tmp_path / "c"
    lw.export(lw.load("puma560"), "c", folder, METHODS["puma560"], single=single)
    program = tmp_path / "check.elf"
    cortex_m.build([folder / "puma560.c", folder / "puma560_check.c"], program, "-O2")
    done = cortex_m.run(program)
    assert done.returncode == 0, done.stdout + done.stderr
    found = differences(done.stdout)
    assert tuple(found) == METHODS["puma560"]
    assert max(found.values()) <= tolerance


def test_flash_and_instructions_are_those_of_the_page() -> None:
    need("arm-none-eabi-gcc", "qemu-system-arm")
    flash, instructions = cortex_m.measure("puma560", "inverse_dynamics", single=True)
    assert 1000 < flash < 4000
    assert 500 < instructions < 1500


@pytest.mark.long
@pytest.mark.parametrize("robot", lw.bundled_names())
def test_every_routine_of_every_robot_under_sanitizers(robot, tmp_path) -> None:
    need("gcc", "clang")
    folder = tmp_path / "c"
    found = lw.load(robot)
    lw.export(found, "c", folder, routine_names(found), name="robot")
    for compiler in ("gcc", "clang"):
        checked(compiled(folder, "robot", compiler, "-O0", *SANITIZED))


@pytest.mark.long
@pytest.mark.parametrize("robot", lw.bundled_names())
def test_single_precision_of_every_robot(robot, tmp_path) -> None:
    need("gcc")
    lw.export(lw.load(robot), "c", tmp_path / "c", name="robot", single=True)
    checked(compiled(tmp_path / "c", "robot", "gcc", "-O1"))


def test_loops_that_newton_closes_are_closed_in_single_precision(tmp_path) -> None:
    """What is left of them is compared with what single precision can reach."""
    need("gcc")
    assert {TOLERANCE**2, OPEN**2} == set(SINGLE_LIMITS)
    lw.export(lw.load("3-rps"), "c", tmp_path / "c", ["inverse_dynamics"], name="robot", single=True)
    assert max(checked(compiled(tmp_path / "c", "robot", "gcc", "-O1")).values()) < 1e-5


def test_results_with_few_digits_in_single_precision_are_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(c_files, "FEW_DIGITS", 1e-9)  # single precision has seven
    arm = lw.load("planar-2r")
    done = lw.export(arm, "c", tmp_path / "c", ["gravity_load"], name="robot", single=True)
    assert any("gravity_load: single precision changes results by" in each for each in done.remarks)
    assert not lw.export(arm, "c", tmp_path / "double", ["gravity_load"]).remarks


@pytest.mark.long
@pytest.mark.parametrize("seed", range(22))
def test_checks_of_random_parallel_robots_pass(seed, tmp_path) -> None:
    """By tolerances that follow from the rounding of their own operations, fused or not."""
    need("gcc")
    robot = lw.ParallelRobot(random_parallel(seed))
    lw.export(robot, "c", tmp_path / "c", ["inverse_dynamics", "forward_dynamics"], name="robot")
    for options in (["-O1"], ["-O2", "-march=native", "-ffp-contract=fast"]):
        found = checked(compiled(tmp_path / "c", "robot", "gcc", *options))
        assert max(found.values()) < 1e-8


@pytest.mark.parametrize(
    ("robot", "compiler"),
    [
        ("puma560", "clang"),
        ("dasgupta1998", "gcc"),
        pytest.param("puma560", "gcc", marks=pytest.mark.long),
        pytest.param("dasgupta1998", "clang", marks=pytest.mark.long),
    ],
)
def test_the_bits_of_a_kernel_without_fused_multiply_add(robot, compiler, tmp_path) -> None:
    need(compiler)
    found = lw.load(robot)
    (routine,) = routines_of(found, ("forward_dynamics",), {})
    (tmp_path / "f.c").write_text(routine.kernel.c_source("f"))
    library = str(tmp_path / "f.so")
    command = [compiler, "-std=c99", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([*command, str(tmp_path / "f.c"), "-o", library, "-lm"], check=True)
    inputs = tuple(sampled(found, routine).inputs.values())
    wanted = without_fma(routine.kernel).evaluate(inputs)[0]
    results = np.empty_like(wanted)
    call = ctypes.CDLL(library).f
    for row in range(len(wanted)):
        arrays = [np.ascontiguousarray(values[row]) for values in inputs] + [results[row]]
        assert call(*[array.ctypes.data_as(ctypes.c_void_p) for array in arrays]) == 0
    np.testing.assert_array_equal(results, wanted)
