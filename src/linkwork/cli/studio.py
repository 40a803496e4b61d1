"""linkwork studio: the mechanism in a page of the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.arguments import AsJson, RobotIfAny
from linkwork.cli.output import print_json, say
from linkwork.core.errors import LinkworkError

if TYPE_CHECKING:
    from linkwork.model.urdf.chain import ChainSelection

KEYS = (
    ("space", "play or pause the motion"),
    ("left, right", "step through it; with shift ten steps"),
    ("H", "home pose"),
    ("Ctrl+K", "list of commands, in the page"),
    ("Ctrl-C", "end the studio, here"),
)


def studio(
    robot: RobotIfAny = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other addresses expose it to the network.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(help="Port, or the next free one.")] = 8080,
    dark: Annotated[bool, typer.Option("--dark/--light", help="Colors of the page.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="No shadows, for computers without a graphics card.")
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    chain: ChainSelection | None = None,
    json: AsJson = False,
) -> None:
    """Interactive 3D view in the browser: forces, limits, singularities, motions, design, export.

    Without a robot it opens the gallery of all bundled ones.

    \b
    Examples:
      linkwork studio
      linkwork studio dasgupta1998
    """
    try:
        from linkwork.studio.server import Studio, open_page, wait_for_end
    except ImportError as error:
        raise LinkworkError(
            f"the studio needs {error.name}, which is not installed: pip install 'linkwork[studio]'"
        ) from None
    running = Studio(robot, host, port, dark, plain, chain)
    try:
        if running.moved:
            say(f"port {port} is in use; taking {running.port}")
        if running.is_public:
            say(
                f"warning: listening on {host}: everybody on the network who learns the address can use "
                "this studio, and what it sends is not encrypted. Without --host only this machine can; "
                "from elsewhere use a tunnel: "
                f"ssh -L {running.port}:localhost:{running.port} THIS-MACHINE"
            )
        if json:
            print_json({"robot": robot, "address": running.address, "port": running.port})
        else:
            print(f"Linkwork studio: {robot or 'gallery'} at {running.address}")
            for key, what in KEYS:
                print(f"  {key:12} {what}")
        print(end="", flush=True)
        if browser:
            open_page(running.address)
        wait_for_end()
    except KeyboardInterrupt:
        say("\nstudio ended")
    finally:
        running.stop()
