"""Greatest velocities along a path that reach its end: the two passes of reachability analysis.

Between points i and i + 1 of a path, x is the square of the path velocity at i and u the constant path
acceleration, so that x[i + 1] = x + u / inverse[i], inverse = 1 / (2 step). Every limit is a pair of
lines, low + low_slope x <= u <= high + high_slope x. (H. Pham and Q.-C. Pham, A new approach to
time-optimal path parameterization based on reachability analysis, IEEE T-RO 34(3), 2018.)

What a pass asks for, the greatest x at which a u is left, is the root of a concave piecewise linear
function; Newton's method from the right finds it in as many steps as there are pieces in between.
"""

from __future__ import annotations

import ctypes
import struct
from functools import cache

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels.machine import host, machine_code

Array = NDArray[np.float64]
LANES = 8  # lines worked on at once; narrower processors take them in parts
# Where an effort hardly depends on u (zero inertia), an upper line is so steep that the greatest x
# leaves only the hardest braking; a little less leaves all: 1 - ASIDE at a time, TRIED times at most,
# while a loss of x is a gain STEEP - 1 times as large at the next point.
STEEP, ASIDE, TRIED = 4.0, 0.999, 20
NUMBERS = 4 * LANES  # of a group of lines: high, its slopes, low, its slopes


def _bounds() -> str:
    """The least upper and the greatest lower line at x, with their slopes."""
    v = f"<{LANES} x double>"
    lines = [
        "define internal {double, double, double, double} @bounds(ptr %lines, i64 %groups, double %x) {",
        "entry:",
        f"  %one = insertelement {v} poison, double %x, i32 0",
        f"  %xs = shufflevector {v} %one, {v} poison, <{LANES} x i32> zeroinitializer",
        "  br label %loop",
        "loop:",
        "  %k = phi i64 [0, %entry], [%next, %loop]",
    ]
    for name, start in (("u", "0x7FF0000000000000"), ("l", "0xFFF0000000000000")):
        first = ", ".join([f"double {start}"] * LANES)
        lines += [
            f"  %{name} = phi {v} [<{first}>, %entry], [%{name}1, %loop]",
            f"  %m{name} = phi {v} [zeroinitializer, %entry], [%m{name}1, %loop]",
        ]
    lines += [f"  %base = mul i64 %k, {NUMBERS}"]
    for name, place, closer in (("u", 0, "olt"), ("l", 2 * LANES, "ogt")):
        for part, offset in (("c", place), ("s", place + LANES)):
            lines += [
                f"  %{part}{name}i = add i64 %base, {offset}",
                f"  %{part}{name}p = getelementptr double, ptr %lines, i64 %{part}{name}i",
                f"  %{part}{name} = load {v}, ptr %{part}{name}p, align 8",
            ]
        lines += [
            f"  %p{name} = fmul {v} %s{name}, %xs",
            f"  %v{name} = fadd {v} %p{name}, %c{name}",
            f"  %q{name} = fcmp {closer} {v} %v{name}, %{name}",
            f"  %{name}1 = select <{LANES} x i1> %q{name}, {v} %v{name}, {v} %{name}",
            f"  %m{name}1 = select <{LANES} x i1> %q{name}, {v} %s{name}, {v} %m{name}",
        ]
    lines += [
        "  %next = add i64 %k, 1",
        "  %more = icmp slt i64 %next, %groups",
        "  br i1 %more, label %loop, label %fold",
        "fold:",
    ]
    for name, closer in (("u", "olt"), ("l", "ogt")):
        lines += _folded(f"{name}1", f"m{name}1", closer)
    value = "{double, double, double, double}"
    before = "poison"
    for k, part in enumerate(("u1f", "mu1f", "l1f", "ml1f")):
        lines.append(f"  %r{k} = insertvalue {value} {before}, double %{part}, {k}")
        before = f"%r{k}"
    return "\n".join([*lines, f"  ret {value} {before}", "}", ""])


def _folded(value: str, slope: str, closer: str) -> list[str]:
    """The extreme of a vector and the slope beside it."""
    lines, width, before = [], LANES, (value, slope)
    while width > 1:
        width //= 2
        v, wide = f"<{width} x double>", f"<{2 * width} x double>"
        for half, first in (("a", 0), ("b", width)):
            places = ", ".join(f"i32 {first + k}" for k in range(width))
            for name, given in zip((value, slope), before, strict=True):
                lines.append(
                    f"  %{name}{half}{width} = shufflevector {wide} %{given}, {wide} poison, "
                    f"<{width} x i32> <{places}>"
                )
        lines.append(f"  %{value}q{width} = fcmp {closer} {v} %{value}a{width}, %{value}b{width}")
        for name in (value, slope):
            lines.append(
                f"  %{name}s{width} = select <{width} x i1> %{value}q{width}, {v} %{name}a{width}, "
                f"{v} %{name}b{width}"
            )
        before = (f"{value}s{width}", f"{slope}s{width}")
    for name, given in zip((value, slope), before, strict=True):
        lines.append(f"  %{name}f = extractelement <1 x double> %{given}, i32 0")
    return lines


PASSES = """
define i64 @backward(i64 %n, i64 %groups, ptr %lines, ptr %inverse, ptr %ceiling, ptr %greatest) {
entry:
  %size = mul i64 %groups, NUMBERS
  br label %point
point:
  %left = phi i64 [%n, %entry], [%i, %keep]
  %i = sub i64 %left, 1
  %any = icmp sge i64 %i, 0
  br i1 %any, label %begin, label %done
begin:
  %place = mul i64 %i, %size
  %own = getelementptr double, ptr %lines, i64 %place
  %inversep = getelementptr double, ptr %inverse, i64 %i
  %inv = load double, ptr %inversep
  %minus = fneg double %inv
  %nextp = getelementptr double, ptr %greatest, i64 %left
  %goal = load double, ptr %nextp
  %ceilingp = getelementptr double, ptr %ceiling, i64 %i
  %top = load double, ptr %ceilingp
  %steepest = fmul double %minus, STEEP
  br label %newton
newton:
  %x = phi double [%top, %begin], [%nearer, %again], [%lower, %aside]
  %tried = phi i64 [0, %begin], [%tried, %again], [%more, %aside]
  %b = call {double, double, double, double} @bounds(ptr %own, i64 %groups, double %x)
  %u0 = extractvalue {double, double, double, double} %b, 0
  %mu0 = extractvalue {double, double, double, double} %b, 1
  %l0 = extractvalue {double, double, double, double} %b, 2
  %ml0 = extractvalue {double, double, double, double} %b, 3
  %gap = fsub double %goal, %x
  %reach = fmul double %gap, %inv
  %rest = fmul double %x, %minus
  %tu = fcmp olt double %reach, %u0
  %u = select i1 %tu, double %reach, double %u0
  %mu = select i1 %tu, double %minus, double %mu0
  %tl = fcmp ogt double %rest, %l0
  %l = select i1 %tl, double %rest, double %l0
  %ml = select i1 %tl, double %minus, double %ml0
  %room = fsub double %u, %l
  %fits = fcmp oge double %room, 0.0
  br i1 %fits, label %found, label %step
step:
  %slope = fsub double %mu, %ml
  %falls = fcmp olt double %slope, 0.0
  br i1 %falls, label %move, label %fail
move:
  %way = fdiv double %room, %slope
  %nearer = fsub double %x, %way
  %positive = fcmp oge double %nearer, 0.0
  br i1 %positive, label %again, label %fail
again:
  %close = fmul double %x, 0x3FEFFFFFFFFFFFF0
  %moved = fcmp olt double %nearer, %close
  br i1 %moved, label %newton, label %found
found:
  %result = phi double [%x, %newton], [%nearer, %again]
  %steep = fcmp olt double %mu, %steepest
  %few = icmp slt i64 %tried, TRIED
  %corner = and i1 %steep, %few
  br i1 %corner, label %aside, label %keep
aside:
  %lower = fmul double %result, ASIDE
  %more = add i64 %tried, 1
  br label %newton
keep:
  %resultp = getelementptr double, ptr %greatest, i64 %i
  store double %result, ptr %resultp
  br label %point
fail:
  ret i64 %i
done:
  ret i64 -1
}

define i64 @forward(i64 %n, i64 %groups, ptr %lines, ptr %inverse, ptr %greatest, ptr %squares) {
entry:
  %size = mul i64 %groups, NUMBERS
  br label %point
point:
  %i = phi i64 [0, %entry], [%next, %point]
  %x = phi double [0.0, %entry], [%reached, %point]
  %xp = getelementptr double, ptr %squares, i64 %i
  store double %x, ptr %xp
  %place = mul i64 %i, %size
  %own = getelementptr double, ptr %lines, i64 %place
  %b = call {double, double, double, double} @bounds(ptr %own, i64 %groups, double %x)
  %u = extractvalue {double, double, double, double} %b, 0
  %inversep = getelementptr double, ptr %inverse, i64 %i
  %inv = load double, ptr %inversep
  %gain = fdiv double %u, %inv
  %free = fadd double %x, %gain
  %next = add i64 %i, 1
  %goalp = getelementptr double, ptr %greatest, i64 %next
  %goal = load double, ptr %goalp
  %over = fcmp olt double %free, %goal
  %least = select i1 %over, double %free, double %goal
  %above = fcmp ogt double %least, 0.0
  %reached = select i1 %above, double %least, double 0.0
  %more = icmp slt i64 %next, %n
  br i1 %more, label %point, label %done
done:
  %lastp = getelementptr double, ptr %squares, i64 %n
  store double %reached, ptr %lastp
  ret i64 -1
}
"""


@cache
def _passes() -> tuple[object, object, object]:
    target = host()
    head = f'target triple = "{target.triple}"\n'
    passes = PASSES
    for name in ("NUMBERS", "STEEP", "ASIDE", "TRIED"):
        number = globals()[name]
        text = str(number) if isinstance(number, int) else f"0x{struct.pack('>d', number).hex().upper()}"
        passes = passes.replace(name, text)
    code = machine_code(head + _bounds() + passes, target, ("backward", "forward"))
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 4)
    return code, kind(code.address("backward")), kind(code.address("forward"))


def grouped(high: Array, high_slope: Array, low: Array, low_slope: Array) -> Array:
    """Lines (N, k) each, as the passes read them; infinite bounds are none."""
    steps, count = high.shape
    groups = max(1, -(-count // LANES))
    lines = np.zeros((steps, groups * LANES, 4))
    lines[:, :, 0], lines[:, :, 2] = np.inf, -np.inf
    for place, values in enumerate((high, high_slope, low, low_slope)):
        lines[:, :count, place] = values
    return np.ascontiguousarray(lines.reshape(steps, groups, LANES, 4).transpose(0, 1, 3, 2))


def greatest_squares(lines: Array, inverse: Array, ceiling: Array) -> tuple[Array, int]:
    """The greatest x from rest to rest (N + 1,), and the step at which there is none, or -1.

    Args:
        lines: of every step, as `grouped` arranges them.
        inverse: 1 / (2 step), (N,).
        ceiling: of x, (N + 1,), finite.
    """
    _, backward, forward = _passes()
    steps, groups = lines.shape[:2]
    greatest, squares = np.zeros(steps + 1), np.zeros(steps + 1)
    for values in (inverse, ceiling):
        assert values.flags.c_contiguous
    pointers = [each.ctypes.data for each in (lines, inverse, ceiling, greatest, squares)]
    stopped = backward(steps, groups, *pointers[:4])  # type: ignore[operator]
    if stopped >= 0:
        return squares, int(stopped)
    forward(steps, groups, *pointers[:2], *pointers[3:])  # type: ignore[operator]
    return squares, -1
