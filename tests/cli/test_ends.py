"""How commands end when something is in the way: never with a traceback, never with half a file."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from linkwork.cli.running import _raise_again
from tests.cli.process import COMMAND, PATIENCE, environment, run, run_process, start

FORCES = ("inverse", "dasgupta1998", "--motion", "dasgupta-I")


def stopped_on_the_way(number: int, cwd) -> tuple[int, str]:
    """Send a signal to a long simulation once its progress is shown; its exit code and what it said."""
    ours, its = pty.openpty()
    words = ("simulate", "planar-2r", "--duration", "10000", "-o", "run.csv")
    process = start(*words, cwd=cwd, stderr=its)
    os.close(its)
    said = b""
    try:
        while b"simulation" not in said:
            said += os.read(ours, 4096)
        process.send_signal(number)
        with contextlib.suppress(OSError):  # the terminal closes with the process
            while piece := os.read(ours, 4096):
                said += piece
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(ours)
    return process.returncode, said.decode()


def test_an_interrupted_simulation_leaves_nothing(tmp_path) -> None:
    """Control-C: 130, no half file, no traceback, and the old file as it was."""
    (tmp_path / "run.csv").write_text("precious")
    code, said = stopped_on_the_way(signal.SIGINT, tmp_path)
    assert code == 130, said
    assert "Traceback" not in said
    assert said.strip().endswith("linkwork: interrupted")  # the bar is gone, the cursor is back
    assert said.count("\x1b[?25l") == said.count("\x1b[?25h")
    assert (tmp_path / "run.csv").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["run.csv"]


def test_a_terminated_simulation_leaves_nothing(tmp_path) -> None:
    code, said = stopped_on_the_way(signal.SIGTERM, tmp_path)
    assert code == 143, said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output(tmp_path) -> None:
    with open("/dev/full", "w") as full:
        for words in (("robots",), FORCES):
            said = run_process(*words, cwd=tmp_path, code=3, stdout=full).stderr
            assert "error: standard output: No space left on device." in said


@pytest.mark.parametrize("name", ["forces.csv", "forces.npz", "forces.json", "forces.parquet"])
def test_a_full_disk_leaves_the_old_file(tmp_path, name) -> None:
    """A limit on the size of files does what a full disk does: some bytes fit, the rest does not."""
    (tmp_path / name).write_text("precious")

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    # Python itself would leave half a file of bytecode behind.
    own = environment(PYTHONDONTWRITEBYTECODE="1")
    words = (*FORCES, "-o", name)
    said = run_process(*words, cwd=tmp_path, code=3, preexec_fn=small_disk, env=own).stderr
    assert f"error: {name} cannot be written" in said
    assert (tmp_path / name).read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/proc/forces.csv", "cannot be written"),  # where not even root may write
        ("none/forces.csv", "there is no folder none"),
        ("file.txt/forces.csv", "there is no folder file.txt"),
        ("folder.csv", "it is a folder"),
    ],
)
def test_a_place_that_takes_no_file(tmp_path, target, reason) -> None:
    (tmp_path / "file.txt").write_text("precious")
    (tmp_path / "folder.csv").mkdir()
    assert reason in run(*FORCES, "-o", target, cwd=tmp_path, code=3).stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.txt", "folder.csv"]


def test_a_pipe_closed_early(tmp_path) -> None:
    process = start(*FORCES, "--period", "0.0005", cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("time,effort_leg1")
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    assert process.wait(timeout=PATIENCE) == 141, said
    assert "Traceback" not in said
    assert "Exception ignored" not in said


@pytest.mark.parametrize("words", ["--help", "inverse --help"])
def test_a_help_that_nobody_reads(words, tmp_path) -> None:
    command = f'"{COMMAND[0]}" -m linkwork {words} | true; exit "${{PIPESTATUS[0]}}"'
    said = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), check=False)
    assert said.returncode == 141


def test_head_gets_its_line(tmp_path) -> None:
    command = f'"{COMMAND[0]}" -m linkwork {" ".join(FORCES)} --period 0.001 | head -1'
    said = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("time,")
    assert said.stdout.count("\n") == 1


def test_closed_streams(tmp_path) -> None:
    """Started by something that keeps no standard output or error, a command still does its work."""
    command = f'"{COMMAND[0]}" -m linkwork {" ".join(FORCES)} -o f.csv >&- 2>&-'
    subprocess.run(command, shell=True, cwd=tmp_path, env=environment(), check=True, timeout=PATIENCE)
    assert (tmp_path / "f.csv").stat().st_size > 10_000


def test_output_to_a_device_goes_there(tmp_path) -> None:
    (tmp_path / "out.csv").symlink_to("/dev/stdout")
    assert run_process(*FORCES, "-o", "out.csv", cwd=tmp_path).stdout.startswith("time,")
    assert (tmp_path / "out.csv").is_symlink()


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (("invers",), ["No such command 'invers'"]),
        (("inverse", "dasgupta1998", "--motin", "x"), ["No such option: --motin", "--motion"]),
        (("inverse", "dasgupta1988", "-m", "dasgupta-I"), ["did you mean 'dasgupta1998'?"]),
        (("inverse", "dasgupta1998", "-m", "dasgupta-1"), ["Did you mean 'dasgupta-I'?"]),
        (("inverse", "ur5", "-m", "dasgupta-I"), ["a motion of platforms; ur5 is a serial arm"]),
        (("inverse", "panda", "-m", "lee1982"), ["six joints; panda has 7"]),
        (("inverse", "simona", "-m", "lee1982"), ["simona is a Stewart platform"]),
        (("inverse", "ur5", "-m", "motion.txt"), ["or a file that ends in .csv"]),
        (("inverse", "ur5", "-m", "home-quintic", "--gravity", "0,0,1e999"), ["'1e999' is not finite"]),
        (("inverse", "ur5", "-m", "home-quintic", "--gravity", "0,0,9deg"), ["'9deg' is not a number"]),
        (("inverse", "ur5", "-m", "home-quintic", "-f", "angles"), ["Did you mean 'angeles'?"]),
        (("inverse", "ur5", "-m", "home-quintic", "-o", "x.xls"), [".csv, .parquet, .npz, .json"]),
        (("inverse", "ur5", "-m", "home-quintic", "--period", "-1"), ["period", "above 0"]),
        (("inverse", "ur5", "-m", "home-quintic", "--wrench", "1,2"), ["take --tip-wrench"]),
        (("inverse", "ur5", "-m", "home-quintic", "--tip-wrench", "1,b"), ["'b' is not a number"]),
        (("inverse", "ur5", "-m", "none.csv"), ["none.csv: cannot be read"]),
        (("simulate", "ur5", "--controller", "computed-torqu"), ["Did you mean 'computed-torque'?"]),
        (("simulate", "ur5", "--controller", "task-space"), ["controller of ur5"]),
        (("simulate", "ur5", "--controller", "computed-torque"), ["give --motion"]),
        (("simulate", "ur5", "--start", "1,2"), ["there are 2", "6 numbers"]),
        (("simulate", "ur5", "-m", "home-quintic", "--kp", ""), ["--kp '': there are 0"]),
        (("simulate", "ur5", "--payload", "-1"), ["--payload", "greater than or equal to 0"]),
        (("simulate", "planar-2r", "--step", "5"), ["5 s is longer than the duration 1 s"]),
        (("count", "ur5", "--method", "mas_matrix"), ["Did you mean 'mass_matrix'?"]),
        (("count",), ["either a robot or -n"]),
        (("convert", "ur5", "ur5.xml"), [".yaml, .yml, .urdf"]),
        (("show",), ["Missing argument"]),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_wrong_words_get_a_hint(tmp_path, words, messages) -> None:
    said = run(*words, cwd=tmp_path, code=2)
    assert said.stdout == ""
    assert said.stderr.startswith("error: ")
    for message in messages:
        assert message in said.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("invers",), 2, "No such command"),
        (("show", "nobody"), 2, "no bundled robot"),
        (("show", "bad.yaml"), 2, "bad.yaml: 2 faults"),
        (("convert", "planar-2r", "none/a.yaml"), 3, "cannot be written"),
        (("inverse", "planar-2r", "-m", "home-quintic", "-o", "/proc/f.csv"), 3, "cannot be written"),
        (("simulate", "planar-2r", "--duration", "20", "--step", "0.5"), 1, "the energy explodes"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else str(value),
)
def test_a_program_gets_errors_as_json(tmp_path, words, code, message) -> None:
    """With --json standard output is one JSON value, also when something is wrong."""
    (tmp_path / "bad.yaml").write_text("kind: arm\nname: r\nlinks: []\n")
    said = run(*words, "--json", cwd=tmp_path, code=code)
    facts = json.loads(said.stdout)
    assert facts["exit_code"] == code
    assert message in facts["error"]
    assert len(facts["faults"]) == (2 if "bad.yaml" in words else 0)
    assert message in said.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("invers",), "No such command 'invers'. Did you mean 'inverse'"),
        (("show", "dasgupta1988"), "did you mean 'dasgupta1998'?"),
        (("inverse", "ur5", "-m", "lee1892"), "Did you mean 'lee1982'?"),
        (("paper", "turny1980"), "Did you mean 'turney1980'?"),
    ],
)
def test_wrong_names_get_a_suggestion(tmp_path, words, message) -> None:
    assert message in run(*words, cwd=tmp_path, code=2).stderr


def test_faults_of_files_all_at_once(tmp_path) -> None:
    (tmp_path / "m.csv").write_text("t,q1,q2\n0,0,0\n0.1,fast,nan\n0.1,0\n0.3,1,1\n0.2,1,1\n")
    said = run("inverse", "planar-2r", "-m", "m.csv", cwd=tmp_path, code=2).stderr
    assert "m.csv: 4 faults" in said
    for place in ("line 3, column 2 (q1): 'fast'", "line 3, column 3 (q2): 'nan'", "line 4: 2 columns"):
        assert place in said
    assert "line 6, column 1 (t): 0.2 s does not come after 0.3 s" in said
    (tmp_path / "m.yaml").write_text(
        "kind: quintic\nstart: [0, 1 grad]\nend: 5\nduration: -1\nspeed: 2\n"
    )
    said = run("inverse", "planar-2r", "-m", "m.yaml", cwd=tmp_path, code=2).stderr
    assert "m.yaml: 4 faults" in said
    assert "line 4, duration: -1 is not positive; allowed: a number > 0 [s]" in said
    (tmp_path / "r.yaml").write_text("kind: arm\nname: r\nlinks: []\n")
    said = run("inverse", "r.yaml", "-m", "home-quintic", cwd=tmp_path, code=2).stderr
    assert "r.yaml: 2 faults" in said


def test_a_fault_of_ours_is_one_line(tmp_path) -> None:
    """A bug ends with 70 and says how to report it; the traceback only on request."""
    (tmp_path / "sitecustomize.py").write_text(
        "import linkwork.model.bundled as b\n"
        "def broken(*_): raise RuntimeError('a bug')\n"
        "b.bundled_names = broken\n"
    )
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    said = run_process("robots", cwd=tmp_path, code=70, env=environment(PYTHONPATH=path))
    assert said.stderr.count("\n") == 1
    assert "please report" in said.stderr
    traced = subprocess.run(
        [*COMMAND, "--debug", "robots"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert traced.returncode == 70
    assert "Traceback" in traced.stderr


def test_options_that_look_wrong_are_named(tmp_path) -> None:
    words = ("simulate", "planar-2r", "--duration", "0.002", "-o", "run.csv")
    told = run(*words, "--start", "90,0", "--gravity", "0,-981,0", cwd=tmp_path).stderr
    assert "--start: 90 rad is 5157 deg; did you mean 90 deg?" in told
    assert (
        "--gravity: 981 m/s^2 is outside the plausible range; did you mean 9.81 m/s^2 (981 cm/s^2)?"
        in told
    )
    assert "did you mean" not in run(*words, "--start", "90deg,0", cwd=tmp_path).stderr
    run(*words, "--start", "90,0", "--strict", cwd=tmp_path, code=1)
    (tmp_path / "m.csv").write_text("t;q1;q2\n0;0;0\n")
    told = run("inverse", "planar-2r", "-m", "m.csv", cwd=tmp_path, code=2).stderr
    assert "columns are separated by semicolons; separate them by commas" in told


def test_an_interrupt_in_a_callback_is_not_lost() -> None:
    """Python prints what a callback raises, as one of its imports, and goes on."""
    event = SimpleNamespace(exc_value=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        _raise_again(event)
        time.sleep(5)


def test_an_interrupt_before_the_command_line_is_read_is_an_exit_status() -> None:
    script = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == sys.argv[1]:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from linkwork.cli import main\n"
        "main()\n"
    )
    for module in ("linkwork.cli.running", "typer", "linkwork.cli.app"):
        words = [sys.executable, "-c", script, module]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=environment())
        assert done.returncode == 130, (module, done)
        assert "Traceback" not in done.stderr, module


@pytest.mark.parametrize("limit", [60, 260, 400, pytest.param(500, marks=pytest.mark.long), 900])
def test_too_little_memory_is_said(tmp_path, limit: int) -> None:
    """Libraries that do not load, allocations that fail: a message, or the right result."""
    words = [*COMMAND, "inverse", "planar-2r", "--motion", "home-quintic", "-o", "a.csv"]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env=environment(OPENBLAS_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20)),
    )
    assert "Traceback" not in done.stderr
    assert "standard output" not in done.stderr
    if done.returncode == 0:
        assert len((tmp_path / "a.csv").read_text().splitlines()) == 202
    else:
        assert "emory" in done.stderr, done
        assert done.returncode > 0
        assert list(tmp_path.iterdir()) == []
