"""The documentation as a site: `make docs` builds it into docs/_build/html, without a network.

The pages are plain Markdown and read well without Sphinx. This file adds what a site can do better:
a page for every public name from its docstring, one for every example, and one for every bundled robot
as a live figure. They are written to docs/_generated when the build begins.
"""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import linkwork as lw
from linkwork.drawing.shape import placed
from linkwork.reports import figures
from linkwork.reports.robot import robot_report
from linkwork.reports.svg import standalone_svg

project = "Linkwork"
copyright = "the Linkwork authors"
release = version = lw.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "README.md"]
html_theme = "furo"
html_title = "Linkwork"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # a browser does not fetch the found pages from files
html_math_renderer = "mathml"
pygments_style, pygments_dark_style = "friendly", "github-dark"
copybutton_prompt_text = "$ "

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]
suppress_warnings = ["misc.highlighting_failure"]  # `console` blocks show messages that no lexer knows
default_role = "literal"  # docstrings write code in single backticks, as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "NDArray")}
python_maximum_signature_line_length = 88
napoleon_use_ivar = True

DOCS = Path(__file__).parent
GENERATED = DOCS / "_generated"
KINDS = ("autofunction", "autoclass", "autodata", "autoexception")  # in the order of a page


def kind_of(value: Any) -> str:
    if isinstance(value, type):
        return "autoexception" if issubclass(value, BaseException) else "autoclass"
    return "autofunction" if inspect.isroutine(value) else "autodata"


def current_names() -> list[str]:
    """Public names but the earlier ones, which lead to the same objects."""
    return [name for name in lw.__all__ if getattr(getattr(lw, name), "__name__", name) == name]


def names_of(packages: list[str]) -> list[str]:
    """The public names that packages of Linkwork define, in the order of a page."""
    places = tuple(f"linkwork.{package}." for package in packages)
    found = [name for name in current_names() if f"{getattr(lw, name).__module__}.".startswith(places)]
    return sorted(found, key=lambda name: (KINDS.index(kind_of(getattr(lw, name))), name.lower()))


def first_sentence(value: Any) -> str:
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", text)[0].rstrip(":").replace("|", "\\|").replace("*", "\\*")


def hidden_pages(folder: str, names: Sequence[str]) -> list[str]:
    """A list of generated pages that shows in the navigation alone."""
    return ["```{toctree}", ":hidden:", "", *(f"/_generated/{folder}/{name}" for name in names), "```"]


class PublicNames(SphinxDirective):
    """All public names of the packages that the argument names, each with a page of its own."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        names = names_of(self.arguments[0].split())
        rows = (
            f"| [`{name}`](../_generated/api/{name}.md) | {first_sentence(getattr(lw, name))} |"
            for name in names
        )
        table = ("| name | what it is |", "|---|---|", *rows, "")
        return self.parse_text_to_nodes("\n".join([*table, *hidden_pages("api", names)]))


def plain(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with code in backticks: nothing else in them is markup."""
    for k, line in enumerate(lines):
        parts = re.split(r"(`[^`]*`)", line)
        parts[::2] = [re.sub(r"([*|_\\](?!_)|\B_)", r"\\\1", part) for part in parts[::2]]
        lines[k] = "".join(parts)


def named(app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, result: str) -> Any:
    """Aliases in a union by their name; Sphinx shows how it refers to them."""
    reference = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
    return tuple(text and reference.sub(r"\1", text) for text in (signature, result))


def within(app: Sphinx, docname: str, source: list[str]) -> None:
    """What GitHub and the site write in different ways: links to examples, displayed equations."""
    text = source[0].replace("(../CONTRIBUTING.md)", "(project/contributing.md)")
    text = re.sub(r"\[([^\]]+)\]\((\.\./examples/[\w.-]+\.ipynb)\)", r"{download}`\1 <\2>`", text)
    text = re.sub(r"\(\.\./examples/([\w.-]+)\)", r"(_generated/examples/\1.md)", text)
    text = re.sub(r"\[([^\]]+)\]\(\.\./examples/?\)", r"[\1](_generated/examples/index.md)", text)
    source[0] = re.sub(r"^```math$", "```{math}", text, flags=re.M)


def inline_mathml(self: Any, node: nodes.math) -> None:
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block_mathml(self: Any, node: nodes.math_block) -> None:
    """Browsers set MathML themselves: no script, no font, nothing to fetch."""
    text = re.sub(r"(\\\\|&)", r"\1 ", node.astext().strip())
    if "\\\\" in text or "&" in text:
        text = f"\\begin{{aligned}}{text}\\end{{aligned}}"
    self.body.append(f'<div class="equation">{convert(text, display="block")}</div>')
    raise nodes.SkipNode


def write_api() -> None:
    (GENERATED / "api").mkdir()
    for name in current_names():
        kind = kind_of(getattr(lw, name))
        lines = [f"# {name}", "", "```{eval-rst}", f".. {kind}:: linkwork.{name}"]
        if kind == "autoclass":
            lines += ["   :members:", "   :inherited-members: ABC, tuple, object"]
        (GENERATED / "api" / f"{name}.md").write_text("\n".join([*lines, "```", ""]), "utf-8")


def write_examples() -> None:
    folder = GENERATED / "examples"
    folder.mkdir()
    files = sorted(path for path in (DOCS.parent / "examples").iterdir() if path.is_file())
    files = [path for path in files if path.suffix != ".ipynb"]
    for path in files:
        language = {".py": "python", ".yaml": "yaml", ".c": "c"}.get(path.suffix, "text")
        include = f"```{{literalinclude}} ../../../examples/{path.name}\n:language: {language}\n```"
        (folder / f"{path.name}.md").write_text(f"# {path.name}\n\n{include}\n", "utf-8")
    listed = "\n".join(path.name for path in files)
    index = f"# Examples\n\nThe files that the pages show.\n\n```{{toctree}}\n{listed}\n```\n"
    (folder / "index.md").write_text(index, "utf-8")


def write_gallery(outdir: Path) -> None:
    """A live page of every bundled robot, and a page of the site that shows it."""
    folder, live = GENERATED / "gallery", outdir / "live"
    folder.mkdir()
    live.mkdir(parents=True, exist_ok=True)
    for name in lw.bundled_names():
        robot = lw.load(name)
        robot_report(robot, f"linkwork show {name} --report {name}.html").save(live / f"{name}.html")
        drawing, _ = figures.gallery([placed(robot, robot.home[None])], 1, 2.4, width=3.2)
        (folder / f"{name}.svg").write_text(standalone_svg(drawing), "utf-8")
        frame = f'<iframe class="live" src="../../live/{name}.html" title="{name}"></iframe>'
        text = f"# {name}\n\n{robot.model.in_brief}\n\n```{{raw}} html\n{frame}\n```\n"
        (folder / f"{name}.md").write_text(text, "utf-8")


class Gallery(SphinxDirective):
    """Drawings of all bundled robots, each leading to its live page."""

    def run(self) -> list[nodes.Node]:
        folder, names = "_generated/gallery", lw.bundled_names()
        cards = (f"[![{name}]({folder}/{name}.svg) {name}]({folder}/{name}.md)" for name in names)
        lines = [":::{container} gallery", "", *cards, ":::", "", *hidden_pages("gallery", names)]
        return self.parse_text_to_nodes("\n".join(lines))


def generate(app: Sphinx) -> None:
    shutil.rmtree(GENERATED, ignore_errors=True)
    GENERATED.mkdir()
    write_api()
    write_examples()
    write_gallery(Path(app.outdir))


def setup(app: Sphinx) -> None:
    app.add_directive("public-names", PublicNames)
    app.add_directive("robot-gallery", Gallery)
    app.add_html_math_renderer("mathml", (inline_mathml, None), (block_mathml, None))
    app.connect("builder-inited", generate, priority=100)
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon reads it, at 500
    app.connect("source-read", within)
    app.connect("autodoc-process-signature", named)
