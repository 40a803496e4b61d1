"""What all targets share: names, folders, options, states, and errors that leave nothing behind."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import InputError, WriteError
from linkwork.core.whole_files import HIDDEN, write_together
from linkwork.exports.export_robot import TARGETS
from linkwork.exports.job import identifier
from linkwork.exports.routines import routine_names, routines_of
from linkwork.exports.states import sampled
from linkwork.model.robot_files import robot_digest
from tests.cli.process import run

MORE = [pytest.param(name, marks=pytest.mark.long) for name in ("delta", "palletizer")]


@pytest.mark.parametrize("robot", ["ur5", "dasgupta1998", *MORE])
def test_every_routine_has_samples_that_its_kernel_gives(robot) -> None:
    found = lw.load(robot)
    names = [name for name in routine_names(found) if "derivatives" not in name]
    for routine in routines_of(found, names[:4] + names[-2:], {}):
        samples = sampled(found, routine)
        again, nonfinite = routine.kernel.evaluate(tuple(samples.inputs.values()))
        assert not nonfinite
        for value, wanted in zip(
            again if isinstance(again, tuple) else (again,), samples.outputs.values(), strict=True
        ):
            np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-12)


def test_options_go_where_they_are_known() -> None:
    arm = lw.load("puma560")
    inverse, load = routines_of(
        arm, ["inverse_dynamics", "gravity_load"], {"gravity": "input", "friction": False}
    )
    assert list(inverse.kernel.inputs) == ["q", "qd", "qdd", "gravity"]
    assert list(load.kernel.inputs) == ["q", "gravity"]
    with pytest.raises(InputError, match="unknown option of gravity_load 'friction'"):
        routines_of(arm, ["gravity_load"], {"friction": False})


def test_a_method_that_a_robot_has_not(tmp_path) -> None:
    with pytest.raises(InputError, match=r"method of ur5 'leg_lengths'.*inverse_dynamics"):
        lw.export(lw.load("ur5"), "casadi", tmp_path / "x", ["leg_lengths"])
    with pytest.raises(InputError, match="unknown target 'matlab'"):
        lw.export(lw.load("ur5"), "matlab", tmp_path / "x")
    with pytest.raises(InputError, match="expected a list"):
        lw.export(lw.load("ur5"), "casadi", tmp_path / "x", "gravity_load")
    with pytest.raises(InputError, match="expected a robot"):
        lw.export("ur5", "casadi", tmp_path / "x")
    assert not any(tmp_path.iterdir())


def test_names_are_c_identifiers(tmp_path) -> None:
    assert identifier(None, "puma560-akb") == "puma560_akb"
    assert identifier("left_arm", "3-rps") == "left_arm"
    for name in ("3-rps", "größer", "double", "a/b", "", "x" * 64):
        with pytest.raises(InputError, match=r"gives no C identifier; .*--name robot"):
            identifier(None, name)
    for name in ("3rps", "a-b", "int", "x y"):
        with pytest.raises(InputError, match="not a C identifier; expected letters"):
            lw.export(lw.load("ur5"), "casadi", tmp_path / "x", name=name)
    assert not any(tmp_path.iterdir())


def test_a_folder_that_is_not_empty_is_refused_without_force(tmp_path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    arm = lw.load("planar-2r")
    lw.export(arm, "casadi", folder, ["gravity_load"])  # empty: taken
    (folder / "mine.txt").write_text("mine")
    (folder / "check.py").write_text("old")
    with pytest.raises(WriteError, match=r"is not empty.*--force"):
        lw.export(arm, "casadi", folder, ["gravity_load"])
    assert (folder / "check.py").read_text() == "old"
    written = lw.export(arm, "casadi", folder, ["gravity_load"], force=True)
    assert (folder / "mine.txt").read_text() == "mine"
    assert (folder / "check.py").read_text() != "old"
    assert sorted(p.name for p in folder.iterdir()) == sorted([*written.files, "mine.txt"])
    with pytest.raises(WriteError, match="it is a file"):
        lw.export(arm, "casadi", folder / "mine.txt")
    with pytest.raises(WriteError, match="there is no folder"):
        lw.export(arm, "casadi", tmp_path / "none" / "out")


@pytest.mark.parametrize(("target", "ending"), [("mjcf", ".xml"), ("urdf", ".URDF"), ("fmu", ".fmu")])
def test_a_path_with_the_ending_of_its_target_is_that_file(target, ending, tmp_path) -> None:
    arm = lw.load("planar-2r")
    file = tmp_path / f"arm.v2{ending}"
    written = lw.export(arm, target, file)
    assert (written.folder, written.files) == (tmp_path, (file.name,))
    assert list(tmp_path.iterdir()) == [file]
    whole = lw.export(arm, target, tmp_path / "arm.v2", name="arm")
    (name,) = (name for name in whole.files if name.endswith(ending.lower()))
    assert len(whole.files) == 3
    assert len((tmp_path / "arm.v2" / name).read_bytes()) == pytest.approx(file.stat().st_size, rel=0.1)
    file.write_bytes(b"mine")
    with pytest.raises(WriteError, match=r"exists.*--force"):
        lw.export(arm, target, file)
    assert file.read_bytes() == b"mine"
    lw.export(arm, target, file, force=True)
    assert file.read_bytes() != b"mine"
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    assert len(lw.export(arm, target, folder).files) == 3  # a folder stays one


def test_endings_of_other_files_are_refused(tmp_path) -> None:
    arm = lw.load("planar-2r")
    for target, name in (("c", "arm.c"), ("wasm", "arm.js"), ("casadi", "arm.xml"), ("c", "arm.zip")):
        with pytest.raises(InputError, match=r"writes a folder; give a name without \."):
            lw.export(arm, target, tmp_path / name)
    with pytest.raises(InputError, match=r"writes a folder, or one file with the ending \.xml"):
        lw.export(arm, "mjcf", tmp_path / "arm.urdf")
    with pytest.raises(WriteError, match="there is no folder"):
        lw.export(arm, "mjcf", tmp_path / "none" / "arm.xml")
    assert not any(tmp_path.iterdir())


def test_what_fails_half_way_leaves_all_as_it_was(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a").write_text("old a")
    replaced = os.replace

    def failing(source, target):
        if str(target) == str(folder / "c"):
            raise OSError(28, "No space left on device")
        replaced(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(WriteError, match="No space left"):
        write_together(folder, {"a": b"new a", "b": b"b", "c": b"c"})
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert {p.name: p.read_text() for p in folder.iterdir()} == {"a": "old a"}


KILLED = """
import os, signal, sys
from pathlib import Path
from linkwork.core.whole_files import write_together

replaced, calls = os.replace, []

def killing(source, target):
    calls.append(target)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    replaced(source, target)

os.replace = killing
write_together(Path(sys.argv[1]), {"a": b"new a", "b": b"b"})
"""


@pytest.mark.skipif(os.name == "nt", reason="processes are not asked there")
def test_what_a_killed_export_leaves_is_removed_by_the_next(tmp_path) -> None:
    def killed(folder, call) -> None:
        words = [sys.executable, "-c", KILLED, str(folder), str(call)]
        assert subprocess.run(words, timeout=60).returncode < 0

    folder = tmp_path / "out"
    killed(folder, 1)
    assert not folder.exists()
    assert len(list(tmp_path.iterdir())) == 1
    others = tmp_path / f"{HIDDEN}{os.getpid()}-x"  # of a process that lives
    others.mkdir()
    assert write_together(folder, {"a": b"a"}) == []
    assert {path.name for path in tmp_path.iterdir()} == {"out", others.name}
    killed(folder, 2)  # between the two files
    assert {path.name: path.read_text() for path in folder.glob("?")} == {"a": "new a"}
    (remark,) = write_together(folder, {"b": b"b"})
    assert "holds files that a command replaced when it was killed" in remark
    (kept,) = folder.glob(f"{HIDDEN}*/old/a")
    assert kept.read_text() == "a"


def test_a_singular_robot_is_refused(tmp_path) -> None:
    arm = lw.load("ur5")
    *joints, last = arm.model.joints
    empty = replace(last, body=type(last.body).of(0.0, np.zeros(3), np.zeros((3, 3))))
    singular = lw.Arm(replace(arm.model, joints=(*joints, empty)))
    with pytest.raises(InputError, match="forward_dynamics of ur5 has finite results in 0 of"):
        lw.export(singular, "casadi", tmp_path / "x", ["forward_dynamics"], rotors=False)
    assert not any(tmp_path.iterdir())


def test_the_digest_is_that_of_the_converted_file(tmp_path) -> None:
    arm = lw.load("puma560")
    lw.write_robot(arm, tmp_path / "out.yaml")
    assert robot_digest(arm.model) == hashlib.sha256((tmp_path / "out.yaml").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("robot", "law"),
    [("ur5", "computed_torque"), ("simona", "task_space_control"), ("par4", "task_space_control")],
)
def test_casadi_functions_agree_by_their_own_check(robot, law, tmp_path) -> None:
    folder = tmp_path / "out"
    lw.export(lw.load(robot), "casadi", folder, ["inverse_dynamics", law])
    done = subprocess.run(
        [sys.executable, str(folder / "check.py")], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert "largest relative difference" in done.stdout
    samples = json.loads((folder / "check.json").read_text())
    next(iter(samples["routines"]["inverse_dynamics"]["outputs"].values()))[0][0] += 1.0
    (folder / "check.json").write_text(json.dumps(samples))
    assert subprocess.run([sys.executable, str(folder / "check.py")], timeout=100).returncode == 1


def test_the_command(tmp_path) -> None:
    listed = run("export", "--list", cwd=tmp_path).stdout
    assert all(name in listed for name in TARGETS)
    words = ("export", "planar-2r", "--to", "casadi", "-o", "out", "--method", "gravity_load")
    done = json.loads(run(*words, "--option", "gravity=input", "--json", cwd=tmp_path).stdout)
    assert sorted(done["files"]) == sorted(p.name for p in (tmp_path / "out").iterdir())
    assert "'gravity': 'input'" not in (tmp_path / "out" / "check.py").read_text()
    assert "Options: gravity='input'" in (tmp_path / "out" / "check.py").read_text()
