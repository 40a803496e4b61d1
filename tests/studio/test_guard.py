"""Who may use the studio."""

from __future__ import annotations

import pytest

pytest.importorskip("viser", reason="the studio needs viser")

from linkwork.studio.guard import SCRIPT, Guard, is_loopback, page_content

LOCAL, ANY, ONE = Guard("127.0.0.1"), Guard("0.0.0.0"), Guard("192.168.1.7")


@pytest.mark.parametrize(
    ("guard", "host", "origin"),
    [
        (LOCAL, "127.0.0.1:8080", "http://127.0.0.1:8080"),
        (LOCAL, "localhost:8080", "http://localhost:8080"),
        (LOCAL, "[::1]:8080", "http://[::1]:8080"),
        (LOCAL, "127.0.0.1:8080", None),  # not a browser
        (LOCAL, "localhost:9000", "http://localhost:9000"),  # through a tunnel
        (LOCAL, "localhost:8080", "http://localhost:9000"),
        (LOCAL, "studio.localhost:8080", "https://studio.localhost:8080"),
        (ANY, "192.168.1.7:8080", "http://192.168.1.7:8080"),
        (ONE, "192.168.1.7:8080", "http://192.168.1.7:8080"),
    ],
)
def test_our_own_page_is_welcome(guard: Guard, host: str, origin: str | None) -> None:
    assert guard.refusal([host], [] if origin is None else [origin]) is None


@pytest.mark.parametrize(
    ("guard", "hosts", "origins"),
    [
        (LOCAL, ["127.0.0.1:8080"], ["http://evil.example"]),
        (LOCAL, ["127.0.0.1:8080"], ["https://evil.example:8080"]),
        (LOCAL, ["127.0.0.1:8080"], ["null"]),
        (LOCAL, ["127.0.0.1:8080"], ["file://"]),
        (LOCAL, ["127.0.0.1:8080"], ["http://127.0.0.1.evil.example:8080"]),
        (LOCAL, ["127.0.0.1:8080"], ["http://localhost@evil.example"]),
        (LOCAL, ["127.0.0.1:8080"], ["chrome-extension://127.0.0.1"]),
        (LOCAL, ["evil.example:8080"], ["http://evil.example:8080"]),  # a foreign name that leads here
        (LOCAL, ["evil.example"], []),
        (LOCAL, ["192.168.1.7:8080"], ["http://192.168.1.7:8080"]),
        (LOCAL, [], []),
        (LOCAL, ["localhost:8080", "evil.example"], []),
        (LOCAL, ["localhost:8080"], ["http://localhost:8080", "http://evil.example"]),
        (LOCAL, ["localhost:port"], ["http://localhost:8080"]),
        (LOCAL, ["localhost:8080"], ["http://[oops"]),
        (ANY, ["192.168.1.7:8080"], ["http://evil.example"]),
        (ANY, ["192.168.1.7:8080"], ["http://192.168.1.7:9999"]),
        (ANY, ["evil.example:8080"], ["http://evil.example:8080"]),
        (ONE, ["192.168.1.8:8080"], ["http://192.168.1.8:8080"]),
    ],
)
def test_others_are_refused(guard: Guard, hosts: list[str], origins: list[str]) -> None:
    assert guard.refusal(hosts, origins)


def test_names_of_this_machine() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.8.9.1", "::1", "a.localhost")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "::", "localhost.evil.example", "10.0.0.1")))


def test_the_page_is_ours() -> None:
    page = page_content().decode()
    assert "<title>Linkwork studio</title>" in page
    assert SCRIPT in page
    assert 'src="http' not in page
