"""The command `linkwork studio ROBOT`: the mechanism in a browser page."""

from __future__ import annotations

import webbrowser

from rich.console import Console
from rich.markup import escape

from linkwork.errors import LinkworkError

KEYS = (
    ("space", "play or pause the motion"),
    ("← →", "step (with shift: ten steps)"),
    ("H", "home pose"),
    ("Ctrl+K", "list of commands, in the page"),
    ("Ctrl-C", "end the studio, here"),
)


def run(robot: str, host: str, port: int, dark: bool, browser: bool) -> None:
    """Open a robot in a page of the browser: move it, see its forces, play motions, edit, export."""
    try:
        from linkwork.studio.server import Studio, wait_for_end
    except ImportError as error:
        raise LinkworkError(
            f"the studio needs viser ({error.name} is missing): pip install 'linkwork[studio]'"
        ) from None
    console = Console(highlight=False)
    studio = Studio(robot, host, port, dark)
    try:
        if studio.moved:
            console.print(f"Port {port} is in use; taking {studio.port}.")
        if studio.is_public:
            console.print(
                f"[bold red]Warning:[/] the studio listens on {escape(host)}, so everybody on the "
                "network can use it. Without --host it listens on this machine only; from elsewhere, "
                f"use a tunnel: ssh -L {studio.port}:localhost:{studio.port} THIS-MACHINE"
            )
        console.print(f"Linkwork studio: {escape(robot)} at [bold]{studio.address}[/]", soft_wrap=True)
        for key, what in KEYS:
            console.print(f"  [bold]{key:7}[/] {what}")
        if browser:
            webbrowser.open(studio.address)
        wait_for_end()
        console.print("Studio ended.")
    finally:
        studio.stop()
