"""Robots as OpenCL C and CUDA C++: the same numbers as the kernels.

Both are also compiled for the host, every work-item in turn, so that they are checked where there is no
OpenCL device and no GPU.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from tests.compilers import need, opencl_works

OPENCL_HOST = """#include <math.h>
#include <stddef.h>
#define __kernel
#define __global
static size_t item;
static size_t get_global_id(unsigned axis) { return axis ? 0 : item; }
void at(size_t i) { item = i; }
"""
CUDA_HOST = """#include <math.h>
#define __device__
#define __global__
struct Index { unsigned x; };
static Index blockIdx, blockDim{32}, threadIdx;
extern "C" void at(unsigned long i) { blockIdx.x = unsigned(i / 32); threadIdx.x = unsigned(i % 32); }
"""
# What clang declares only with the toolkit.
CUDA_DEVICE = """#define INFINITY __builtin_inf()
#define NAN __builtin_nan("")
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
struct Index { unsigned x, y, z; };
extern const __device__ __attribute__((weak)) Index threadIdx, blockIdx, blockDim;
"""
for function in ("sqrt", "fabs", "atan", "asin", "acos", "exp", "log", "floor", "ceil"):
    CUDA_DEVICE += f'extern "C" __device__ double {function}(double);\n'
for function in ("atan2", "pow", "copysign", "fmin", "fmax"):
    CUDA_DEVICE += f'extern "C" __device__ double {function}(double, double);\n'
ENDINGS = {"opencl": "cl", "cuda": "cu"}
SOME = ("ur5", "dasgupta1998", "excavator")
ROBOTS = [*SOME, *(pytest.param(n, marks=pytest.mark.long) for n in lw.bundled_names() if n not in SOME)]


def exported(folder: Path, name: str, target: str, single: bool = False) -> tuple[Path, dict]:
    identifier = f"robot_{name.replace('-', '_')}" if name[0].isdigit() else None
    found = lw.export(lw.load(name), target, folder, single=single, name=identifier)
    (source,) = (folder / file for file in found.files if file.endswith(f".{ENDINGS[target]}"))
    return source, json.loads((folder / "check.json").read_text())


def on_the_host(source: Path, target: str, single: bool) -> ctypes.CDLL:
    need("g++", "gcc")
    plain = source.read_text().replace("#pragma OPENCL", "// #pragma OPENCL")
    file = source.with_suffix(".c" if target == "opencl" else ".cpp")
    shim = OPENCL_HOST if target == "opencl" else CUDA_HOST
    # OpenCL C has one name for both precisions.
    shim += "#include <tgmath.h>\n" if target == "opencl" and single else ""
    file.write_text(shim + plain.replace("__restrict__", ""))
    library = source.with_suffix(".so")
    compiler = ["gcc", "-std=c99"] if target == "opencl" else ["g++"]
    subprocess.run([*compiler, "-O0", "-shared", "-fPIC", file, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("target", ["opencl", "cuda"])
@pytest.mark.parametrize("name", ROBOTS)
def test_the_numbers_are_those_of_the_kernel(tmp_path, name, target, single) -> None:
    source, check = exported(tmp_path, name, target, single)
    library = on_the_host(source, target, single)
    real = np.float32 if single else np.float64
    for method, states in check["routines"].items():
        kernel = getattr(library, f"{check['name']}_{method}_batch")
        given = [np.ascontiguousarray(np.array(x, dtype=real).T) for x in states["inputs"].values()]
        wanted = [np.array(x) for x in states["outputs"].values()]
        found = [np.full(x.T.shape, np.nan, dtype=real) for x in wanted]
        count = len(wanted[0])
        status = np.full(count, 7, dtype=np.int32)
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (*given, *found, status)]
        for item in range(count + 3):  # work-groups are larger than what is left of a batch
            library.at(item)
            kernel(count, *pointers)
        assert not status.any()
        ours, theirs = (np.concatenate(parts, axis=1) for parts in ([x.T for x in found], wanted))
        apart = np.abs(ours - theirs).max(axis=1) / np.maximum(np.abs(theirs).max(axis=1), 1e-300)
        assert apart.max() <= states["tolerance"], method
        given[0][0, 1] = np.nan
        library.at(1)
        kernel(count, *pointers)
        assert status[1] == 1


@pytest.mark.parametrize("name", ROBOTS)
def test_on_a_device(tmp_path, name) -> None:
    if not opencl_works():
        pytest.skip("no OpenCL device that compiles: pip install pyopencl pocl-binary-distribution")
    exported(tmp_path, name, "opencl")
    (script,) = tmp_path.glob("*_opencl.py")
    place = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    assert max(module.check().values()) <= 1
    robot = module.Batch()
    method, states = next(iter(json.loads((tmp_path / "check.json").read_text())["routines"].items()))
    inputs = {key: np.array(values) for key, values in states["inputs"].items()}
    first = next(iter(inputs))
    inputs[first][1, 0] = np.nan
    (result, *_) = robot(method, **inputs).values()
    assert np.isnan(result[1]).all()
    assert np.isfinite(result[0]).all()
    with pytest.raises(ValueError, match=f"{first} has shape"):
        robot(method, **{**inputs, first: inputs[first][0]})
    with pytest.raises(ValueError, match="expected one of"):
        robot("nothing")


@pytest.mark.parametrize("name", ROBOTS)
def test_cuda_compiles_for_a_gpu(tmp_path, name) -> None:
    """By clang, which needs no toolkit for this; by ptxas too if it is there."""
    need("clang")
    source, _ = exported(tmp_path, name, "cuda")
    shim, assembly = tmp_path / "device.h", tmp_path / "robot.ptx"
    shim.write_text(CUDA_DEVICE)
    clang = ["clang", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-nocudainc"]
    options = ["-nocudalib", "-O1", "-include", shim, "-S", "-o", assembly]
    done = subprocess.run([*clang, *options, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "inverse_dynamics_batch" in assembly.read_text()
    if shutil.which("ptxas"):
        command = ["ptxas", "-arch=sm_75", "-c", assembly, "-o", tmp_path / "robot.cubin"]
        subprocess.run(command, check=True, capture_output=True)
