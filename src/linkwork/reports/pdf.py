"""Pages as PDF, printed by a browser that is there already: it knows the page best."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from linkwork.errors import LinkworkError

BROWSER_VARIABLE = "LINKWORK_BROWSER"
NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
    "microsoft-edge", "brave-browser",
)  # fmt: skip
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
PATIENCE = 120.0  # seconds


def browser() -> str:
    """The program that prints; an error that says what to do if there is none."""
    chosen = os.environ.get(BROWSER_VARIABLE)
    found = [shutil.which(name) for name in ((chosen,) if chosen else (*NAMES, *ELSEWHERE))]
    for path in found:
        if path is not None:
            return path
    missing = f"{BROWSER_VARIABLE}={chosen} is not a program" if chosen else "none is installed"
    raise LinkworkError(
        f"a PDF is printed by a browser (Chromium, Chrome or Edge), and {missing}. Install one, name it "
        f"in {BROWSER_VARIABLE}, or write .html and print that from any browser."
    )


def pdf_of(html: str) -> bytes:
    """A page as PDF."""
    program = browser()
    with tempfile.TemporaryDirectory() as folder:
        page, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, encoding="utf-8")
        # A browser refuses its sandbox to the superuser; the page is ours and runs one script of ours.
        rights = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [
            program, "--headless", "--disable-gpu", "--no-pdf-header-footer", *rights,
            f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}", page.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LinkworkError(f"{program} did not print the page: {error}.") from None
        if not target.is_file():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else f"exit status {done.returncode}"
            raise LinkworkError(f"{program} did not print the page: {reason}")
        return target.read_bytes()
