"""Tests in a browser on a machine that has none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The same run as a user's, except that no browser is found; then one where a browser is required.
WITHOUT = """
import os, pytest, tests.browser
tests.browser.program = lambda: None
for required in ("", "1"):
    os.environ["LINKWORK_BROWSER_REQUIRED"] = required
    test = "tests/reports/test_in_browser.py::test_a_request_would_be_seen"
    print("ended with", int(pytest.main(["-p", "no:cacheprovider", test])), flush=True)
"""


def test_they_are_left_out_and_the_run_says_so_or_fails_where_a_browser_is_required() -> None:
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, timeout=120
    ).stdout
    left_out, required = said.split("ended with 0", 1)
    assert "browser tests left out: install chromium (Debian: apt install chromium)" in left_out
    assert "1 skipped" in left_out
    assert "there is no browser: install chromium" in required
    assert required.rstrip().endswith("ended with 1")
