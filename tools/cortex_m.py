"""Exported C on a Cortex-M4F, emulated by QEMU: the check, size in flash, instructions per call.

    python -m tools.cortex_m                # the table of docs/how-to-export.md

Instructions are counted by QEMU's virtual clock (-icount), on which each takes a fixed time, read from
the processor's SysTick timer. Cycles are more: the emulator knows no pipeline and no wait states.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import linkwork as lw

BOARD = Path(__file__).parent / "mps2_an386"
COMPILER, EMULATOR = "arm-none-eabi-gcc", "qemu-system-arm"
PROCESSOR = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion")
ROUTINES = ("inverse_dynamics", "gravity_load", "forward_dynamics", "computed_torque")
CLOCK = 40  # ns of a tick of the board's timer
SHIFT = 10  # an instruction takes 2^SHIFT ns of virtual time
TIMER = """#include "{name}_check.h"

#include <stdio.h>

static volatile unsigned *const timer = (volatile unsigned *)0xE000E010u;

int main(void) {{
    {real} out[{size}];
    timer[1] = 0xFFFFFFu;
    timer[2] = 0;
    timer[0] = 5;
    for (int i = 0; i < {count}; i++) {{
        const unsigned before = timer[2];
        {name}_{routine}({arguments}, out);
        const unsigned after = timer[2];
        printf("%u\\n", (before - after) & 0xFFFFFFu);
    }}
    return 0;
}}
"""


def missing() -> str | None:
    """What the machine lacks, and how to get it."""
    if shutil.which(COMPILER) is None or shutil.which(EMULATOR) is None:
        return "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm"
    return None


def build(sources: list[Path], program: Path, *options: str) -> None:
    """Compile and link for the board; sources are held to the strictest warnings."""
    objects = []
    for source in sources:
        objects.append(program.with_name(f"{source.stem}.o"))
        command = [COMPILER, *PROCESSOR, *STRICT, *options, "-c", str(source), "-o", str(objects[-1])]
        subprocess.run(command, check=True)
    link = [COMPILER, *PROCESSOR, str(BOARD / "start.c"), *map(str, objects), "--specs=rdimon.specs"]
    link += ["-T", str(BOARD / "board.ld"), "-o", str(program), "-lm"]
    subprocess.run(link, check=True)


def run(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program on the emulated board."""
    command = [EMULATOR, "-M", "mps2-an386", "-nographic", "-semihosting-config"]
    command += ["enable=on,target=native", *options, "-kernel", str(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def flash(program: Path, source: str) -> int:
    """Bytes of code and constants of one compiled source."""
    said = subprocess.run(
        ["arm-none-eabi-size", str(program.with_name(f"{source}.o"))],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    text, data, *_ = said.splitlines()[1].split()
    return int(text) + int(data)


def measure(robot: str, routine: str, single: bool, level: str = "-O2") -> tuple[int, int]:
    """Bytes in flash and instructions per call, the largest of several states."""
    found = lw.load(robot)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "export")
        lw.export(found, "c", folder, [routine], name="robot", single=single)
        tables = re.findall(
            rf"robot_{routine}_(in|out)_(\w+)\[(\d+)\]\[(\d+)\]", (folder / "robot_check.h").read_text()
        )
        arguments = {key: f"robot_{routine}_in_{key}[i]" for kind, key, *_ in tables if kind == "in"}
        size = next(size for kind, _, _, size in tables if kind == "out")
        text = TIMER.format(
            name="robot",
            real="float" if single else "double",
            routine=routine,
            arguments=", ".join(arguments.values()),
            size=size,
            count=tables[0][2],
        )
        (folder / "timer.c").write_text(text)
        program = Path(name, "timer.elf")
        build([folder / "robot.c", folder / "timer.c"], program, level, "-Wno-unused")
        said = run(program, "-icount", f"shift={SHIFT}")
        ticks = max(int(line) for line in said.stdout.split())
        return flash(program, "robot"), round(ticks * CLOCK / 2**SHIFT)


def main() -> None:
    print("| puma560 | flash, float | instructions | flash, double | instructions |")
    print("|---|---|---|---|---|")
    for routine in ROUTINES:
        cells = [
            f"{number:,}".replace(",", " ")
            for single in (True, False)
            for number in measure("puma560", routine, single)
        ]
        print(f"| `{routine}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
