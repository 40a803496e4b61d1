"""Tables in every format, and files that appear whole or not at all."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.table_files import as_cell, plain, text_of_cell, write_table
from linkwork.core.whole_files import scratch_folder, write_whole
from linkwork.reports.cells import table_csv
from tests.hostile_names import NAMES

COLUMNS = {"time": np.array([0.0, 0.1]), "a,b": np.array([1 / 3, np.nan])}


def test_every_format_keeps_every_digit(tmp_path) -> None:
    for ending in ("csv", "npz", "json", "parquet"):
        write_table(tmp_path / f"t.{ending}", COLUMNS)
    assert (tmp_path / "t.csv").read_text() == 'time,"a,b"\n0.0,0.3333333333333333\n0.1,nan\n'
    assert json.loads((tmp_path / "t.json").read_text()) == {"time": [0.0, 0.1], "a,b": [1 / 3, None]}
    with np.load(tmp_path / "t.npz") as data:
        np.testing.assert_array_equal(data["a,b"], COLUMNS["a,b"])
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    np.testing.assert_array_equal(table["a,b"].to_numpy(), COLUMNS["a,b"])
    with pytest.raises(lw.InputError, match=r"allowed endings are \.csv, \.parquet, \.npz, \.json"):
        write_table(tmp_path / "t.xls", COLUMNS)


FORMULAS = (
    '=HYPERLINK("http://example.org";"click")',
    "+1+2",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1+1",
    "  =1+1",
    "leg;=1+1",  # where columns are separated by semicolons
    "leg\n@SUM(A1)",
    "\uff1d1+1",
    "'=1+1",
    "''@SUM(A1)",
    *NAMES,
)
RUN = re.compile(r"[\s;|]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def test_no_cell_of_a_table_is_calculated_by_a_spreadsheet(tmp_path) -> None:
    write_table(tmp_path / "t.csv", {text: [text, -1.5] for text in FORMULAS} | {"-1.5": ["-2", "-"]})
    pages = table_csv(FORMULAS, [FORMULAS])
    for content in ((tmp_path / "t.csv").read_text(), pages):
        for row in csv.reader(io.StringIO(content)):
            cells = [part for cell in row for part in re.split(r"[;|\t\n]", cell)]
            assert not [cell for cell in cells if RUN.match(cell) and cell not in ("-1.5", "-2", "-")]
    for text in FORMULAS:
        assert text_of_cell(str(as_cell(text))) == text


def test_a_motion_of_such_names_is_read_as_it_was_written(tmp_path) -> None:
    names = ("=A1*2", "+b", "'-c")
    time = np.linspace(0.0, 1.0, 6)
    positions = {name: k * time**3 for k, name in enumerate(names)}
    write_table(tmp_path / "m.csv", {"time": time, **positions})
    assert (tmp_path / "m.csv").read_text().splitlines()[0] == "time,'=A1*2,'+b,''-c"
    again = lw.read_motion(tmp_path / "m.csv", names)
    np.testing.assert_allclose(again.at(1.0).q, [0.0, 1.0, 2.0], atol=1e-12)


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path) -> None:
    file = tmp_path / "t.csv"
    write_table(file, COLUMNS)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~mask
    file.chmod(0o640)
    write_table(file, COLUMNS)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "folder" / "t.csv")
    write_table(tmp_path / "link.csv", COLUMNS)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "folder" / "t.csv").is_file()


def test_what_fails_leaves_the_old_file(tmp_path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("precious")

    def half(stream) -> None:
        stream.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(file, half)
    assert file.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    with pytest.raises(lw.WriteError, match="no such folder"):
        write_whole(tmp_path / "none" / "t.csv", half)
    with pytest.raises(lw.WriteError, match="is not a folder"):
        write_whole(file / "t.csv", half)
    with pytest.raises(lw.WriteError, match="it is a folder"):
        write_whole(tmp_path, half)


def test_json_holds_plain_values() -> None:
    assert plain({"a": np.float64(1.5), "b": (np.int64(2), np.inf), 3: None, "c": True}) == {
        "a": 1.5,
        "b": [2, None],
        "3": None,
        "c": True,
    }


def test_a_killed_process_leaves_nothing_behind(tmp_path) -> None:
    """Where files without names exist, half a file has none."""
    if not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no files without names")
    script = (
        "import os, signal, sys\n"
        "from linkwork.core.whole_files import write_whole\n"
        "def write(file):\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(sys.argv[1], write)\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path / "out.csv")], check=False)
    assert run.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_that_is_full_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(lw.WriteError, match=rf"the temporary folder {tmp_path}.*No space left.*TMPDIR"):  # noqa: SIM117
        with scratch_folder() as folder:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder / "page.html"))
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(lw.WriteError, match=r"no temporary folder can be made: .* set TMPDIR"):
        scratch_folder().__enter__()
