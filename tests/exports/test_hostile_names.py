"""Names that would be code, markup or a formula if a target took them for more than text."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.exports import fmu as fmu_target
from linkwork.exports.comments import harmless
from linkwork.model.robot_files import robot_document
from linkwork.reports.inverse import inverse_report
from tests.compilers import need
from tests.hostile_names import MARK, NAMES, file_of

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O0"]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@pytest.fixture(scope="module")
def robot() -> Any:
    return lw.load(file_of(*NAMES))


def exported(robot: Any, target: str, folder: Path, **options: Any) -> dict[str, str]:
    done = lw.export(robot, target, folder, name="robot", **options)
    texts = [name for name in done.files if not name.endswith((".wasm", ".casadi", ".fmu"))]
    return {name: (folder / name).read_text(encoding="utf-8") for name in texts}


def test_comments_stay_comments_of_c(robot: Any, tmp_path: Path) -> None:
    need("gcc")
    files = exported(robot, "c", tmp_path / "c", methods=["gravity_load", "gravity_compensation"])
    assert MARK in files["robot.h"]
    for text in files.values():
        code = COMMENT.sub("", text)
        assert MARK not in code
        assert "*/" not in code
    sources = [str(tmp_path / "c" / name) for name in files if name.endswith(".c")]
    program = str(tmp_path / "check")
    subprocess.run(["gcc", *STRICT, *sources, "-o", program, "-lm"], check=True, timeout=100)
    assert subprocess.run([program], cwd=tmp_path, capture_output=True, timeout=100).returncode == 0
    assert not list(tmp_path.rglob(MARK))
    arduino = exported(
        robot, "c", tmp_path / "sketch", methods=["gravity_load"], arduino=True, cmake=True
    )
    assert [name for name, text in arduino.items() if MARK in COMMENT.sub("", text)] == []


def test_comments_stay_comments_of_javascript_and_typescript(robot: Any, tmp_path: Path) -> None:
    files = exported(robot, "wasm", tmp_path / "wasm", methods=["gravity_load"])
    assert MARK in files["robot.js"]
    assert MARK in files["robot.d.ts"]
    for name in ("robot.js", "robot.d.ts"):
        code = COMMENT.sub("", files[name])
        assert MARK not in code
        assert "*/" not in code
    assert "export interface Robot {" in COMMENT.sub("", files["robot.d.ts"])
    if shutil.which("node"):
        words = ["node", "check.mjs"]
        done = subprocess.run(words, cwd=tmp_path / "wasm", capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


def test_the_docstring_of_a_script_stays_one(robot: Any, tmp_path: Path) -> None:
    script = exported(robot, "casadi", tmp_path / "casadi", methods=["gravity_load"])["check.py"]
    first, *rest = ast.parse(script).body
    assert isinstance(first, ast.Expr)
    assert isinstance(first.value, ast.Constant)
    assert MARK not in "".join(map(ast.dump, rest))
    assert subprocess.run([sys.executable, str(tmp_path / "casadi" / "check.py")]).returncode == 0


@pytest.fixture(scope="module")
def small_robot() -> Any:
    return lw.load(file_of(NAMES[6], NAMES[5]))


def test_names_arrive_in_xml_as_they_are(small_robot: Any, tmp_path: Path, monkeypatch: Any) -> None:
    robot, names = small_robot, set(small_robot.coordinates.names)
    for target, name in (("mjcf", "robot.xml"), ("urdf", "robot.urdf")):
        root = ElementTree.fromstring(exported(robot, target, tmp_path / target)[name])
        assert names <= {each.get("name") for each in root.iter("joint")}
        assert MARK not in "".join(each.tag for each in root.iter())
    again = lw.load(tmp_path / "urdf" / "robot.urdf")
    assert again.coordinates.names == robot.coordinates.names
    monkeypatch.setattr(fmu_target, "COMPILERS", ())
    monkeypatch.delenv("CC", raising=False)
    exported(robot, "fmu", tmp_path / "fmu")
    shutil.unpack_archive(tmp_path / "fmu" / "robot_forward_dynamics.fmu", tmp_path / "x", "zip")
    root = ElementTree.parse(tmp_path / "x" / "modelDescription.xml").getroot()
    assert {f"position_{name}" for name in names} <= {each.get("name") for each in root.iter()}
    for file in (tmp_path / "x" / "sources").glob("*.[ch]"):
        assert MARK not in COMMENT.sub("", file.read_text())
    need("gcc")
    sources = ["model.c", "core.c", "fmi3.c"]
    syntax = ["gcc", *STRICT, "-fsyntax-only", *sources]
    subprocess.run(syntax, cwd=tmp_path / "x" / "sources", check=True, timeout=100)


class Elements(HTMLParser):
    """What a browser would make of a page, as far as it could do harm."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.harm: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.inside.append(tag)
        self.harm += [name for name, value in attributes if name.startswith("on") and MARK in str(value)]
        if tag == MARK.lower() or any(value == "x" for name, value in attributes if name == "src"):
            self.harm.append(tag)

    def handle_data(self, data: str) -> None:
        if self.inside[-1:] == ["script"] and re.match(rf"\W*{MARK}\(\)", data):
            self.harm.append(data)
        self.text += data


def test_reports_show_names_and_run_nothing(small_robot: Any) -> None:
    time = np.linspace(0.0, 1.0, 5)
    still = np.zeros((5, small_robot.n))
    page = inverse_report(study(small_robot, small_robot.name, time, (still, still, still))).html()
    found = Elements(page)
    assert found.harm == []
    assert MARK in found.text


@pytest.mark.parametrize("character", ["\n", "\r", "\x00", "\x1b", "\u2028", "\u202e", "\ud800"])
def test_what_cannot_be_printed_is_no_name(character: str) -> None:
    with pytest.raises(lw.LinkworkError, match=r"links\[1\].*printable characters"):
        lw.load(file_of("arm", f"el{character}bow"))
    found = robot_document(lw.load("gripper").model)
    joint = next(iter(found["joints"]))
    found["joints"][f"{joint}{character}"] = found["joints"].pop(joint)
    with pytest.raises(lw.LinkworkError, match=r"joints.*printable characters"):
        lw.load(found)


def test_a_urdf_with_such_a_name_is_refused(tmp_path: Path) -> None:
    lw.export(lw.load("planar-2r"), "urdf", tmp_path / "urdf")
    file = tmp_path / "urdf" / "planar_2r.urdf"
    text = file.read_text()
    file.write_text(text.replace('"elbow"', '"el&#10;bow"'))
    with pytest.raises(lw.LinkworkError, match=r"joint name: .*printable characters"):
        lw.load(file)


def test_a_name_that_no_file_could_have_stays_in_its_comment(tmp_path: Path) -> None:
    """Models can be made by programs, too."""
    model = lw.load("planar-2r").model
    first, last = model.joints
    joints = (replace(first, name=f"a\n#error {MARK}\n"), last)
    arm = lw.Arm(replace(model, name=f"b\u2028{MARK}", joints=joints))
    for target in ("c", "wasm", "casadi"):
        files = exported(arm, target, tmp_path / target, methods=["gravity_load"])
        assert not [
            text for text in files.values() if re.search(rf"^\W*error {MARK}", text, re.MULTILINE)
        ]


def test_harmless_text_stays_so_and_plain_text_as_it_is() -> None:
    for name in NAMES:
        once = harmless(name)
        assert harmless(once) == once
        assert not re.search(r'\*/|/\*|--|\\|"|</|<!|\?\?', once)
    plain = "qdd[6]  acceleration: größe, leg-1 [rad/s^2] * 2 / 3 - 1 'x'?"
    assert harmless(plain) == plain
