"""The command, where the extra is missing."""

from __future__ import annotations

import sys

import pytest

from linkwork.cli.running import run


def test_without_viser_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in list(sys.modules):
        if module.startswith(("linkwork.studio.server", "linkwork.studio.guard")):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "viser", None)
    assert run(["studio", "planar-2r", "--no-browser"]) == 2
    assert "pip install 'linkwork[studio]'" in capsys.readouterr().err


def test_help_tells_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["studio", "--help"]) == 0
    told = capsys.readouterr().out
    for word in ("--host", "--port", "--dark", "--plain", "linkwork studio dasgupta1998"):
        assert word in told
