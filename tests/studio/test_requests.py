"""Requests whose headers appear twice are answered or refused, as others are."""

from __future__ import annotations

import pytest

pytest.importorskip("viser", reason="the studio needs viser")

from linkwork.core.errors import InputError
from linkwork.studio.guard import Guard, GuardedServer
from tests.mutated import REQUEST, answered


@pytest.mark.parametrize("header", [b"Accept-Encoding: br\r\n", b"Upgrade: h2c\r\nUpgrade: h2c\r\n"])
def test_a_header_that_appears_twice(header) -> None:
    server = GuardedServer(Guard("127.0.0.1", token="token"))
    content = REQUEST.removesuffix(b"\r\n") + header + b"\r\n"
    assert answered(server, content) == answered(server, REQUEST)


def test_a_token_that_is_no_text_is_refused() -> None:
    server = GuardedServer(Guard("127.0.0.1", token="token"))
    with pytest.raises(InputError, match="refused"):
        answered(server, REQUEST.replace(b"/token/", b"/tok\xf0\x9fen/"))
