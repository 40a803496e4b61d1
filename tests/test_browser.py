"""Tests in a browser on a machine that has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The same run as a user's, except that no browser is found.
WITHOUT = """
import sys, pytest, tests.browser
tests.browser.program = lambda: None
sys.exit(pytest.main(sys.argv[1:]))
"""


def run_without_browser(required: str) -> subprocess.CompletedProcess[str]:
    test = "tests/reports/test_in_browser.py::test_a_request_would_be_seen"
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={**os.environ, "LINKWORK_BROWSER_REQUIRED": required},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_they_are_left_out_and_the_run_says_so() -> None:
    done = run_without_browser("")
    assert done.returncode == 0, done.stdout
    assert "browser tests left out: install chromium (Debian: apt install chromium)" in done.stdout
    assert "1 skipped" in done.stdout


def test_they_fail_where_a_browser_is_required() -> None:
    done = run_without_browser("1")
    assert done.returncode == 1
    assert "there is no browser: install chromium" in done.stdout
