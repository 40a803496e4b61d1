"""The running studio: a server on this machine, a page per browser window."""

from __future__ import annotations

import atexit
import contextlib
import html
import io
import shutil
import socket
import tempfile
import threading
import time
import warnings
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import viser
import viser._messages

from linkwork.core.errors import InputError, LinkworkError
from linkwork.model.urdf.chain import ChainSelection
from linkwork.studio.guard import Guard, guarded, is_loopback, opening
from linkwork.studio.host import Client
from linkwork.studio.links import LinkedView, view_of
from linkwork.studio.page import StudioPage
from linkwork.studio.panel_view import Looks
from linkwork.studio.robot_file import Shelf
from linkwork.studio.session import Session

PORT = 8080
TRIES = 50


def free_port(host: str, port: int) -> int:
    """The port, or the next one that is free; an InputError if the host is not ours to listen on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port <= 65535:
        raise InputError(f"port = {port}: expected 0 (any) to 65535.")
    for candidate in range(port, min(port + TRIES, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except PermissionError:
                raise InputError(
                    f"port {candidate} needs rights that you do not have; take one from 1024 on."
                ) from None
            except socket.gaierror:
                raise InputError(f"host {host!r} is not known; use 127.0.0.1 or 0.0.0.0.") from None
            except OSError as error:
                if error.errno not in (98, 48, 10048):  # in use, on Linux, macOS and Windows
                    raise InputError(f"cannot listen on {host!r}: {error.strerror}.") from None
                continue
            return int(probe.getsockname()[1])
    raise InputError(f"ports {port} to {port + TRIES - 1} are all in use; give another --port.")


class Studio:
    """Started when made; `stop` ends it."""

    def __init__(
        self,
        robot: str | None,
        host: str = "127.0.0.1",
        port: int = PORT,
        dark: bool = False,
        plain: bool = False,
        chain: ChainSelection | None = None,
    ) -> None:
        self.shelf = Shelf(robot, chain)
        Session(self.shelf.get(self.shelf.given)).read()  # compile before the first page waits for it
        # A page may still draw while its window closes; nobody needs to know.
        warnings.filterwarnings("ignore", message="Queued a .* on a closed connection")
        self.host, self.dark, self.plain = host, dark, plain
        self.pages: dict[int, StudioPage] = {}
        self._lock = threading.Lock()
        wanted = free_port(host, port)
        self.guard = Guard(host)
        with guarded(self.guard) as server_guard, _silence():
            self.server = viser.ViserServer(host=host, port=wanted, label="Linkwork", verbose=False)
            if not server_guard.installed:
                self.server.stop()
        if not server_guard.installed:
            raise LinkworkError(
                f"viser {viser.__version__} starts its server in a way that the studio cannot guard "
                "against foreign pages; install another version, such as 1.1.1."
            )
        self.port = self.server.get_port()
        self.moved = self.port != port and port != 0
        self.server.scene.world_axes.visible = False
        self._refuse_tunnels()
        self.server.on_client_connect(self._opened)
        self.server.on_client_disconnect(self._left)

    @property
    def address(self) -> str:
        name = "localhost" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/{self.guard.token}"

    @property
    def is_public(self) -> bool:
        """Whether other machines can reach it."""
        return not is_loopback(self.host)

    def _refuse_tunnels(self) -> None:
        """A page could ask viser to publish the server through a service on the internet: never."""
        for message in (viser._messages.ShareUrlRequest, viser._messages.ShareUrlDisconnect):
            self.server._websock_server.unregister_handler(message)

    async def _opened(self, client: Client) -> None:
        """In the task of the connection, where its path is known."""
        fault: str | None = None
        opened = opening.get()
        try:
            view = view_of(opened.path)
        except LinkworkError as error:
            view, fault = LinkedView(), str(error)
        page = StudioPage(
            client,
            self.shelf,
            view,
            Looks(self.dark, shadows=not (self.plain or opened.is_slow)),
            f"http://{opened.host}/{self.guard.token}",
        )
        with self._lock:
            self.pages[client.client_id] = page
        if fault is not None:
            message = fault
            page.post(lambda: page.tell("The link cannot be followed", message))
        page.thread.start()

    async def _left(self, client: Client) -> None:
        with self._lock:
            page = self.pages.pop(client.client_id, None)
        if page is not None:
            page.close()

    def stop(self) -> None:
        with self._lock:
            pages, self.pages = list(self.pages.values()), {}
        for page in pages:
            page.close()
        self.shelf.thumbnails.stopped.set()
        with _silence():
            self.server.stop()


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """viser announces itself; the studio does so in its own words."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def open_page(address: str) -> None:
    """In the browser; by way of a private file, as others see the command lines of this machine."""
    folder = Path(tempfile.mkdtemp(prefix="linkwork-studio-"))  # others cannot look into it
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / "studio.html"
    file.write_text(
        f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={html.escape(address)}">'
    )
    webbrowser.open(file.as_uri())


def wait_for_end() -> None:
    """Until somebody interrupts."""
    while True:
        time.sleep(3600)
