"""Who may talk to the studio, and what it hands out: one page, kept in memory.

Whoever asks has to know the token, which is the first step of every path: other users of this machine
and their pages do not. A web page of somebody else can send requests to an address of this machine; the
browser then tells the truth about where that page came from (Origin), and by which name it found us
(Host).
"""

from __future__ import annotations

import contextvars
import gzip
import http
import ipaddress
import logging
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import viser
import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from linkwork.studio.camera import SHEET
from linkwork.studio.links import PREFIX

ANYWHERE = ("", "0.0.0.0", "::")
TITLE = "Linkwork studio"
SLOW = "linkwork_slow"  # a cookie: 1 where a browser draws without a graphics card
TOKEN_BYTES = 16  # of randomness
# Requests that are no HTTP end their connection; what they were is nobody's traceback.
QUIET = logging.getLogger("linkwork.studio.websockets")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False
# Arrow keys step through the motion, so they must not turn the camera too; and what was clicked must not
# keep the keys for itself. The address stays as it was opened: it is the link.
SCRIPT = """<script>
document.documentElement.addEventListener("keydown", (event) => {
  if (event.key.startsWith("Arrow")) event.stopPropagation();
});
const blur = () => {
  const focus = document.activeElement;
  const passing = "button, [role=slider], [role=tab], [type=checkbox], [aria-haspopup=listbox]";
  if (focus && focus.matches(passing)) focus.blur();
};
const letGo = () => { blur(); setTimeout(blur); };
document.addEventListener("pointerup", (event) => {
  // A list that has just been opened keeps the focus until one of its options is taken.
  const list = event.target instanceof Element && event.target.closest("[aria-haspopup=listbox]");
  if (!list) letGo();
}, true);
document.addEventListener("change", letGo, true);
history.replaceState = () => {};
// Without a graphics card shadows take most of a frame: the studio learns of it by a cookie.
const graphics = () => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return gl ? gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "software";
};
const isSlow = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(graphics());
document.cookie = `SLOW=${Number(isSlow)}; SameSite=Strict; path=/`;
// viser's own warning of it would cover a third of the scene.
if (isSlow) new MutationObserver(() => {
  for (const each of document.querySelectorAll(".mantine-Notification-root"))
    if (each.textContent.includes("Software WebGL")) each.style.display = "none";
}).observe(document.documentElement, { childList: true, subtree: true });
</script>
<style>
@media (max-width: 36em) {
  div[style*="position: fixed"][style*="width: 20em"] { max-height: SHEET !important; }
  div[style*="width: 20em"] { width: 100% !important; }
}
</style>""".replace("SHEET", f"{100 * SHEET:.0f}%").replace("SLOW", SLOW)


class Opening(NamedTuple):
    """How a page was opened: the path behind the token, host and port as the browser knows us, and
    whether it draws in software."""

    path: str
    host: str
    is_slow: bool = False


# Of the page whose messages are being answered.
opening: contextvars.ContextVar[Opening] = contextvars.ContextVar("opening")


def is_loopback(name: str) -> bool:
    """Whether a host name can only mean this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _split(header: str) -> tuple[str, int | None]:
    """Name and port of a Host header."""
    parts = urlsplit(f"//{header}")
    return (parts.hostname or "").rstrip("."), parts.port


@dataclass(frozen=True)
class Guard:
    """The rules for a studio that listens on `host`; `token` begins every path."""

    host: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))

    def inner_path(self, path: str) -> str | None:
        """What stands behind the token; None if a path does not begin with it."""
        given, slash, rest = path.removeprefix("/").partition("/")
        given, mark, query = given.partition("?") if not slash else (given, "", "")
        written = given.encode("utf-8", "replace")  # a request may hold any bytes
        if not path.startswith("/") or not secrets.compare_digest(written, self.token.encode()):
            return None
        return f"/{rest}{mark}{query}"

    def refusal(self, hosts: list[str], origins: list[str]) -> str | None:
        """Why a request with these Host and Origin headers is refused; None if it is welcome."""
        try:
            if len(hosts) != 1 or len(origins) > 1:
                return "a request has one Host and at most one Origin"
            name, port = _split(hosts[0])
            if not self._is_ours(name):
                return f"{name!r} is not a name of this studio"
            if not origins:
                return None
            origin = urlsplit(origins[0])
            sender = (origin.hostname or "").rstrip(".")
            default = 443 if origin.scheme == "https" else 80
            same = (sender, origin.port or default) == (name, port or default)
            # Behind a tunnel the port that the browser knows may be another one.
            if origin.scheme in ("http", "https") and (
                same or (is_loopback(sender) and is_loopback(name))
            ):
                return None
            return f"pages of {origins[0]!r} may not use this studio"
        except ValueError:
            return "a header is damaged"

    def _is_ours(self, name: str) -> bool:
        """A foreign name that leads here (DNS rebinding) is not ours."""
        if is_loopback(name):
            return True
        if is_loopback(self.host):
            return False
        own = {self.host, socket.gethostname(), socket.getfqdn()}
        return name in own or (_is_address(name) and self.host in (*ANYWHERE, name))


def page_content() -> bytes:
    """viser's page, which loads nothing else, with our title and keys."""
    file = Path(viser.__file__).parent / "client" / "build" / "index.html"
    text = file.read_text(encoding="utf-8")
    text = text.replace("<title>Viser</title>", f"<title>{TITLE}</title>", 1)
    return text.replace("<head>", f"<head>{SCRIPT}", 1).encode()


def _policy(host: str) -> str:
    """The browser itself keeps the page from loading anything from elsewhere."""
    return (
        "default-src 'self' data: blob:; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; "
        "worker-src data: blob:; style-src 'unsafe-inline'; "
        f"connect-src 'self' data: blob: ws://{host} wss://{host}; "
        "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
    )


class GuardedServer:
    """Answers HTTP requests and lets websockets of our own page through."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.page = page_content()
        self.page_packed = gzip.compress(self.page)
        self.installed = False

    def answer(self, connection: Any, request: Request) -> Response | None:
        hosts, origins = (request.headers.get_all(name) for name in ("Host", "Origin"))
        refusal = self.guard.refusal(hosts, origins)
        inner = self.guard.inner_path(request.path)
        if refusal is None and inner is None:
            refusal = "open the address that `linkwork studio` has printed, with its token"
        if refusal is not None or inner is None:
            return _text(http.HTTPStatus.FORBIDDEN, f"Refused: {refusal}.")
        if "websocket" in (each.lower() for each in request.headers.get_all("Upgrade")):
            return None
        path, _, query = inner.partition("?")
        if path == "/" and query:
            return _text(http.HTTPStatus.FOUND, "", Location=f"/{self.guard.token}{PREFIX}{query}")
        if path == "/" or (path.startswith(PREFIX) and "/" not in path[len(PREFIX) :]):
            return self._page(request, hosts[0])
        return _text(http.HTTPStatus.NOT_FOUND, "There is nothing else here.")

    def _page(self, request: Request, host: str) -> Response:
        packed = any("gzip" in each for each in request.headers.get_all("Accept-Encoding"))
        body = self.page_packed if packed else self.page
        headers = Headers(
            {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Length": str(len(body)),
                "Content-Encoding": "gzip" if packed else "identity",
                "Content-Security-Policy": _policy(host),
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
            }
        )
        return Response(http.HTTPStatus.OK, "OK", headers, body)


def _text(status: http.HTTPStatus, text: str, **more: str) -> Response:
    body = f"{text}\n".encode()
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
        "X-Content-Type-Options": "nosniff",
    }
    return Response(status, status.phrase, Headers({**headers, **more}), body)


@contextmanager
def guarded(guard: Guard) -> Iterator[GuardedServer]:
    """A server that viser starts meanwhile passes every request through the guard first.

    viser has no option for it; it looks up the function `serve` when it starts. Should a version of it
    no longer do so, `installed` stays False, and the studio refuses to run.
    """
    module = websockets.asyncio.server
    original = module.serve
    server = GuardedServer(guard)

    def serve(handler: Callable[[Any], Awaitable[None]], *where: Any, **options: Any) -> Any:
        async def noting_path(connection: Any) -> None:
            path = guard.inner_path(connection.request.path) or "/"
            headers = connection.request.headers
            cookies = (word.strip() for each in headers.get_all("Cookie") for word in each.split(";"))
            opening.set(Opening(path, headers["Host"], f"{SLOW}=1" in cookies))
            await handler(connection)

        options["process_request"] = server.answer
        options["logger"] = QUIET
        server.installed = True
        return original(noting_path, *where, **options)

    module.serve = serve  # type: ignore[assignment, misc]
    try:
        yield server
    finally:
        module.serve = original  # type: ignore[misc]
