"""The documentation as a site: `make docs` builds it into docs/_build/html, without a network.

The pages are plain Markdown and read well without Sphinx. This file adds the reference of the public
names from their docstrings: the directive `public-names` documents all names of `linkwork` that a
package defines, so that a new name appears on its page by itself.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import linkwork as lw

project = "Linkwork"
copyright = "the Linkwork authors"
release = version = lw.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "myst_parser"]
exclude_patterns = ["_build", "README.md"]
html_theme = "furo"
html_title = "Linkwork"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # a browser does not fetch the found pages from files
pygments_style, pygments_dark_style = "friendly", "github-dark"

myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # `console` blocks show messages that no lexer knows
default_role = "literal"  # docstrings write code in single backticks, as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "NDArray")}
python_maximum_signature_line_length = 88
napoleon_use_ivar = True


KINDS = ("autoclass", "autofunction", "autodata", "autoexception")  # in the order of a page


def kind_of(value: Any) -> str:
    if isinstance(value, type):
        return "autoexception" if issubclass(value, BaseException) else "autoclass"
    return "autofunction" if inspect.isroutine(value) else "autodata"


def names_of(packages: list[str]) -> list[str]:
    """The public names that packages of Linkwork define, in the order of a page."""
    places = tuple(f"linkwork.{package}." for package in packages)
    found = [name for name in lw.__all__ if f"{getattr(lw, name).__module__}.".startswith(places)]
    return sorted(found, key=lambda name: (KINDS.index(kind_of(getattr(lw, name))), name.lower()))


class PublicNames(SphinxDirective):
    """All public names of the packages that the argument names."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        lines = ["```{eval-rst}"]
        for name in names_of(self.arguments[0].split()):
            kind = kind_of(getattr(lw, name))
            lines.append(f".. {kind}:: linkwork.{name}")
            if kind == "autoclass":
                lines += ["   :members:", "   :inherited-members: ABC, tuple, object"]
            lines.append("")
        return self.parse_text_to_nodes("\n".join([*lines, "```"]))


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
    """Links that leave the folder: the examples are not part of the site and become their name."""
    text = source[0].replace("(../CONTRIBUTING.md)", "(project/contributing.md)")
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./examples[^)]*\)", r"`\1`", text)


def setup(app: Sphinx) -> None:
    app.add_directive("public-names", PublicNames)
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon reads it, at 500
    app.connect("source-read", within)
    app.connect("autodoc-process-signature", named)
