"""A report as one HTML file: nothing to fetch, alive where scripts run, light, dark and on paper.

A browser that is there already prints it as PDF."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import webbrowser
from collections.abc import Callable, Collection, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.table_files import Plain
from linkwork.core.whole_files import scratch_folder, write_bytes
from linkwork.reports.cells import inline, paragraphs, table_csv, table_html
from linkwork.reports.live import LiveMotion, scene, traces
from linkwork.reports.svg import inline_svg, standalone_svg
from linkwork.robot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCRIPTS = ("numbers", "rotation", "model", "drawing", "plots", "widgets", "readings", "view", "start")
FRAME = 720  # height of a page within a notebook [px]
LONG = 4  # sections from which on a page has a list of contents
LONG_TABLE = 12  # rows above which a table may break over sheets of paper


class Page:
    """A self-contained HTML document. Contents stand in the order in which they are added.

    Args:
        title: of the document, plain text.
        summary: what the reader should know first; markup as in `text`.
        command: what made the report, shown below the summary.
        running: what stands at the foot of every printed page; the title if left out.
        advance: told of every figure when it is drawn, for a progress bar.
    """

    def __init__(
        self,
        title: str,
        summary: str = "",
        command: str | None = None,
        advance: Callable[[int], None] = lambda done: None,
        running: str = "",
    ) -> None:
        self.advance = advance
        self.title = title
        self.running = running or title
        self.summary = summary
        self.command = command
        self._parts: list[str] = []
        self._sections: list[tuple[int, str, str]] = []  # level, id, title
        self._names: set[str] = set()
        self._figures = self._tables = 0
        self._scenes: list[str] = []
        self._live = self._followed = ""
        self._searched = False

    def section(self, title: str, level: int = 2) -> None:
        """A heading; level 2 is a section, 3 a part of one."""
        if level not in (2, 3, 4):
            raise InputError(f"level = {level!r}: expected 2, 3 and 4.")
        # A prefix that no name of a figure has to avoid.
        base = "section-" + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        name, count = base, 1
        while name in self._names:
            count += 1
            name = f"{base}-{count}"
        self._names.add(name)
        self._sections.append((level, name, title))
        self._parts.append(f'<h{level} id="{name}">{inline(title)}</h{level}>')

    def text(self, text: str) -> None:
        """Paragraphs: **bold**, *italic*, `code`, [text](address) and lists of lines with "- "."""
        self._parts.append(paragraphs(text))

    def code(self, text: str) -> None:
        """Text as it stands, in letters of one width."""
        self._parts.append(f"<pre><code>{html.escape(text)}</code></pre>")

    def live(
        self, name: str, robot: Robot, motions: Sequence[LiveMotion], friction: bool = True
    ) -> None:
        """Bring the figure of this name to life: the reader moves the robot along its motions or by
        hand, with or without friction. Figures over time that come after follow the first motion."""
        self._scenes.append(_data("scene", scene(robot, motions, name, friction)))
        self._live = name
        self.follow(motions[0])

    def follow(self, motion: LiveMotion) -> None:
        """Figures over time from here on are about this motion of the last live figure."""
        self._followed = f"{self._live} {motion.key}"

    def figure(self, figure: Figure, caption: str, name: str, channels: int = 0) -> str:
        """A figure with its number and caption; `name` is its id here and its name as a file.

        Returns the SVG file, for those who keep it beside the page.

        Args:
            channels: of the effort, if the figure shows it and nothing else: its curves follow what
                the reader changes.
        """
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
            raise InputError(f"name {name!r} of a figure: expected letters, digits, - and _.")
        if name in self._names or name.startswith("section-"):
            raise InputError(f"name {name!r} of a figure is taken; every name on a page must differ.")
        self._names.add(name)
        self._figures += 1
        drawing = standalone_svg(figure)
        self.advance(1)
        inside = inline_svg(drawing, name, html.escape(caption, quote=True))
        # Quotes and line ends would triple in an address; SVG does not mind which they are.
        compact = drawing.replace('"', "'").replace("\n", " ")
        link = _download(compact, "image/svg+xml", f"{name}.svg", "SVG")
        label = f"<b>Figure {self._figures}.</b> {inline(caption)} {link}"
        found = traces(figure, channels)
        data = "" if found is None else _data("traces", {**found, "follows": self._followed})
        self._parts.append(
            f'<figure id="{name}">\n<div class="wide">{inside}</div>\n'
            f"<figcaption>{label}</figcaption>\n{data}</figure>"
        )
        return drawing

    def search(self) -> None:
        """A field that finds rows of the tables with anchors, by the words and numbers typed into it."""
        self._searched = True
        self._parts.append(_asset("search.html"))

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[object]],
        caption: str = "",
        marks: Collection[tuple[int, int]] = (),
        anchors: Sequence[str] = (),
        stacked: bool = False,
    ) -> None:
        """A table with its number and caption.

        Args:
            rows: texts (with markup), numbers, or None for an empty cell. Floats get four digits.
            marks: cells (row, column), counted from 0, that are shown as violations.
            anchors: a name for the address of every row, which `search` then finds.
            stacked: on narrow screens the cells of a row stand below each other, for columns of words.
        """
        self._tables += 1
        link = _download(table_csv(header, rows), "text/csv", f"table-{self._tables}.csv", "CSV")
        kind = "table long" if len(rows) > LONG_TABLE else "table"
        label = f"<b>Table {self._tables}.</b> {inline(caption)} {link}"
        self._parts.append(
            f'<figure class="{kind}">\n<figcaption>{label}</figcaption>\n'
            f'<div class="wide">{table_html(header, rows, marks, anchors, stacked)}</div>\n</figure>'
        )

    def html(self) -> str:
        """The whole document."""
        from linkwork import __version__

        css, script = _asset("page.css") + _page_foot(self.running), _asset("page.js")
        if self._searched:
            script += _asset("search.js")
        compiling = ""
        if self._scenes or any("<script" in part for part in self._parts):
            css += _asset("live/live.css")
            modules = "\n".join(_asset(f"live/{name}.js") for name in SCRIPTS)
            script += f"(function () {{\n{modules}}})();\n"
            compiling = " 'wasm-unsafe-eval'"
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = (
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
            f"script-src 'sha256-{digest}'{compiling}; base-uri 'none'; form-action 'none'"
        )
        head = [f"<h1>{inline(self.title)}</h1>"]
        if self.summary:
            head.append(f'<div class="summary">{paragraphs(self.summary)}</div>')
        if self.command:
            head.append(f'<pre class="command"><code>{html.escape(self.command)}</code></pre>')
        body = "\n".join(self._parts)
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Linkwork {__version__}">
<title>{html.escape(self.title)}</title>
<style>{css}</style>
</head>
<body>
<button id="theme" type="button" title="Switch between light and dark" hidden>light / dark</button>
<main>
<header>
{chr(10).join(head)}
</header>
{self._contents()}
{body}
</main>
<footer>Made by Linkwork {__version__}.</footer>
{chr(10).join(self._scenes)}
<script>{script}</script>
</body>
</html>
"""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the document as .pdf, else as HTML, whole or not at all."""
        if Path(path).suffix.lower() == ".pdf":
            return write_bytes(path, pdf_of(self.html()))
        return write_bytes(path, self.html().encode())

    def _repr_html_(self) -> str:
        """The page within a notebook: a frame that holds it, without a server."""
        held = html.escape(self.html(), quote=True)
        look = f"width: 100%; height: {FRAME}px; border: 0"
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" style="{look}" srcdoc="{held}"></iframe>'
        )

    def show(self) -> Path:
        """Open the page in a browser, from a temporary file."""
        folder = Path(tempfile.mkdtemp(prefix="linkwork-"))
        path = self.save(folder / "report.html")
        webbrowser.open(path.as_uri())
        return path

    def _contents(self) -> str:
        top = [entry for entry in self._sections if entry[0] == 2]
        if len(top) < LONG:
            return ""
        entries = [
            f'<li class="level{level}"><a href="#{name}">{inline(title)}</a></li>'
            for level, name, title in self._sections
            if level < 4
        ]
        return f'<nav aria-label="Contents"><ul>{"".join(entries)}</ul></nav>'


def _asset(name: str) -> str:
    return files("linkwork.reports").joinpath(name).read_text(encoding="utf-8")


def _data(kind: str, content: Plain) -> str:
    """Data for the script; `<` could end the element."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" class="{kind}">{text}</script>\n'


def _download(content: str, kind: str, name: str, label: str) -> str:
    """A link that holds the file itself."""
    address = quote(content, safe=" /:;,=?@()!*+'")
    return (
        f'<a class="download" download="{name}" href="data:{kind};charset=utf-8,{address}">{label}</a>'
    )


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


def _page_foot(running: str) -> str:
    """Style of printed pages: a text and the page's number at the foot."""
    text = "".join(
        each if each.isalnum() or each in " .,:-()" else f"\\{ord(each):x} " for each in running
    )
    style = "font: 8pt sans-serif; color: #555;"
    left = f'@bottom-left {{ content: "{text}"; {style} }}'
    right = f'@bottom-right {{ content: counter(page) " / " counter(pages); {style} }}'
    return f"@page {{ {left} {right} }}\n"


def pdf_of(html: str) -> bytes:
    """A page as PDF."""
    program = browser()
    with scratch_folder() as folder:
        page, target = folder / "page.html", folder / "page.pdf"
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
