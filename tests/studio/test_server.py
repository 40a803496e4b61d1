"""The studio as a process: what it says, whom it refuses, how it ends."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import types
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

pytest.importorskip("viser", reason="the studio needs viser")

import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from linkwork.core.errors import InputError, LinkworkError
from linkwork.studio import server
from linkwork.studio.server import free_port
from tests.studio.running import Studio, studio

TRAVERSALS = (
    "/../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc/passwd",
    "/view/../../etc/passwd",
    "//etc/passwd",
    "/\\..\\..\\etc\\passwd",
    "/index.html",
    "/client/build/index.html",
)


@pytest.fixture(scope="module")
def running() -> Iterator[Studio]:
    with studio("planar-2r") as started:
        assert started.address
        yield started


def _get(running: Studio, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    token = headers.pop("token", running.token)
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    connection.putrequest("GET", token + path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def _greet(
    running: Studio, origin: str | None, host: str | None = None, token: str | None = None
) -> None:
    start = running.token if token is None else token
    address = f"ws://{host or '127.0.0.1'}:{running.port}{start}/"
    protocol = f"viser-v{viser.__version__}"
    where = socket.create_connection(("127.0.0.1", running.port))
    with connect(address, sock=where, origin=origin, subprotocols=[protocol]) as page:  # type: ignore[arg-type, list-item]
        page.recv(timeout=30)


def test_it_says_where_it_is_and_what_to_press(running: Studio) -> None:
    assert f"Linkwork studio: planar-2r at http://127.0.0.1:{running.port}/" in running.said
    assert re.fullmatch(r"/[\w-]{22}", running.token)
    for key in ("space", "left, right", "Ctrl-C"):
        assert key in running.said
    assert "viser" not in running.said
    assert running.complained == ""


def test_the_page_and_nothing_else_is_served(running: Studio) -> None:
    status, headers, body = _get(running, "/")
    assert status == 200
    assert b"<title>Linkwork studio</title>" in body
    assert f"ws://127.0.0.1:{running.port}" in headers["Content-Security-Policy"]
    assert _get(running, "/view/robot=ur5&time=1")[0] == 200
    status, headers, _ = _get(running, "/?robot=ur5")
    assert (status, headers["Location"]) == (302, f"{running.token}/view/robot=ur5")
    for path in TRAVERSALS:
        status, _, body = _get(running, path)
        assert status in (400, 403, 404), path
        assert b"root:" not in body
        assert len(body) < 200


def test_our_own_page_may_talk_to_it(running: Studio) -> None:
    _greet(running, f"http://127.0.0.1:{running.port}")
    _greet(running, "http://localhost:9000")  # through a tunnel
    _greet(running, None)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example"])
def test_foreign_pages_are_refused(running: Studio, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        _greet(running, origin)
    assert refusal.value.response.status_code == 403
    assert _get(running, "/", Origin=origin)[0] == 403


@pytest.mark.parametrize("token", ["", "/", "/view", "/wrong", "//", "/\u00e9", "short", "twice"])
def test_without_the_token_there_is_neither_page_nor_websocket(running: Studio, token: str) -> None:
    """Others who use this machine, and pages that they serve from it, do not know it."""
    token = {"short": running.token[:-1], "twice": f"/{running.token}"}.get(token, token)
    token = quote(token)
    for path in ("/", "/view/robot=ur5", "/?robot=ur5"):
        status, headers, body = _get(running, path, token=token)
        assert status == 403
        assert running.token[1:].encode() not in body + repr(headers).encode()
    for origin in (None, f"http://127.0.0.1:{running.port}", "http://localhost:9000"):
        with pytest.raises(InvalidStatus) as refusal:
            _greet(running, origin, token=token)
        assert refusal.value.response.status_code == 403


def test_the_browser_gets_the_token_by_a_file_that_others_cannot_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    server.open_page("http://127.0.0.1:8080/secret")
    (address,) = opened
    assert "secret" not in address
    file = Path(urlsplit(address).path)
    assert "url=http://127.0.0.1:8080/secret" in file.read_text()
    assert file.parent.stat().st_mode & 0o077 == 0


def test_foreign_names_that_lead_here_are_refused(running: Studio) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        _greet(running, f"http://evil.example:{running.port}", host="evil.example")
    assert refusal.value.response.status_code == 403
    assert _get(running, "/", Host="evil.example")[0] == 403


def test_without_its_guard_it_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version of viser that starts its server in another way must not run unguarded."""
    import viser.infra._infra as infra
    import websockets.asyncio.server as plain

    kept = types.SimpleNamespace(serve=plain.serve, ServerConnection=plain.ServerConnection)
    copy = types.SimpleNamespace(
        asyncio=types.SimpleNamespace(server=kept),
        datastructures=infra.websockets.datastructures,  # type: ignore[attr-defined]
        exceptions=infra.websockets.exceptions,  # type: ignore[attr-defined]
    )
    monkeypatch.setattr(infra, "websockets", copy)
    with pytest.raises(LinkworkError, match="cannot guard"):
        server.Studio("planar-2r", port=0)


def test_ctrl_c_ends_it_cleanly() -> None:
    with studio("planar-2r") as started:
        assert started.address
        assert started.end() == 0
        assert started.complained.strip() == "studio ended"


def test_malformed_requests_print_no_traceback() -> None:
    with studio("planar-2r") as started:
        for raw in (
            b"\0\xff\r\n\r\n",
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            b"",
        ):
            with socket.create_connection(("127.0.0.1", started.port), timeout=30) as line:
                line.sendall(raw)
                line.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    line.recv(4096)
        assert _get(started, "/")[0] == 200
        assert started.end() == 0
        assert "Traceback" not in started.complained


def test_a_busy_port_leads_to_the_next_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with studio("planar-2r", "--port", str(port)) as started:
            assert started.port > port
            assert started.end() == 0
            assert f"port {port} is in use" in started.complained


def test_other_hosts_get_a_warning() -> None:
    with studio("planar-2r", "--host", "0.0.0.0") as started:
        assert started.address.startswith("http://localhost:")
        assert started.end() == 0
        assert "everybody on the network" in started.complained


@pytest.mark.parametrize(
    ("robot", "options", "words"),
    [
        ("pumma560", (), "did you mean 'puma560'"),
        ("planar-2r", ("--host", "no.such.host.invalid"), "no.such.host.invalid"),
        ("planar-2r", ("--port", "70000"), "70000"),
    ],
)
def test_what_cannot_start_says_why(robot: str, options: tuple[str, ...], words: str) -> None:
    with studio(robot, *options) as started:
        assert started.process.wait(90) == 2
        started.end()
        assert words in started.complained
        assert "Traceback" not in started.complained


def test_a_broken_file_at_the_start_says_why(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("kind: arm\nname: bad\n", encoding="utf-8")
    with studio(file) as started:
        assert started.process.wait(90) == 2
        started.end()
        assert "links: is missing" in started.complained or "links" in started.complained


def test_hosts_that_are_not_ours_are_refused() -> None:
    with pytest.raises(InputError, match="cannot listen"):
        free_port("203.0.113.7", 8080)


def test_scripts_can_ask_where_it_is() -> None:
    with studio("planar-2r", "--json") as started:
        told = json.loads(started.first_output)
        assert told["robot"] == "planar-2r"
        assert re.fullmatch(rf"http://127\.0\.0\.1:{told['port']}/[\w-]{{22}}", told["address"])
        assert started.end() == 0
