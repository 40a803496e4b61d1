"""All commands. A new one is a file with a function of its name, and a line here."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from linkwork.cli.arguments import AsJson, with_chain
from linkwork.cli.assembly_modes import assembly_modes
from linkwork.cli.bandwidth import bandwidth
from linkwork.cli.bench import bench
from linkwork.cli.bundled import motions, robots
from linkwork.cli.cache import cache
from linkwork.cli.calibrate import calibrate
from linkwork.cli.certify import certify
from linkwork.cli.check import check
from linkwork.cli.convert import convert
from linkwork.cli.datasheet import datasheet
from linkwork.cli.demo import demo
from linkwork.cli.design import design
from linkwork.cli.earlier import EARLIER_COMMANDS, Command
from linkwork.cli.export import export
from linkwork.cli.hints import with_hint
from linkwork.cli.identify import excite, identify
from linkwork.cli.inverse import inverse
from linkwork.cli.observe import observe
from linkwork.cli.operations import operations
from linkwork.cli.paper import paper
from linkwork.cli.payload import payload
from linkwork.cli.running import DEBUG_VARIABLE, guarded
from linkwork.cli.show import show
from linkwork.cli.simulate import simulate
from linkwork.cli.size import size
from linkwork.cli.studio import studio
from linkwork.cli.sweep import sweep
from linkwork.cli.time import time
from linkwork.cli.tolerances import tolerances
from linkwork.cli.workspace import workspace

COMMANDS = (
    robots,
    motions,
    show,
    inverse,
    time,
    simulate,
    excite,
    identify,
    payload,
    observe,
    calibrate,
    size,
    workspace,
    bandwidth,
    certify,
    tolerances,
    sweep,
    design,
    datasheet,
    studio,
    check,
    assembly_modes,
    operations,
    paper,
    bench,
    convert,
    export,
    cache,
    demo,
)

app = typer.Typer(
    name="linkwork",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Try: linkwork inverse dasgupta1998 --motion dasgupta-I -o forces.csv",
)


@app.callback(invoke_without_command=True)
@guarded
def linkwork(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show versions, processor and cache.")
    ] = False,
    json: AsJson = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks (or set LINKWORK_DEBUG=1).")
    ] = False,
) -> None:
    """Inverse and forward dynamics of robot arms, parallel robots and mechanisms with loops.

    Which forces and torques a motion requires, how a robot moves under given forces, and what follows:
    workspace, actuator sizing, control, identification, design and export.
    """
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    if version:
        from linkwork.cli.cache import show_version

        show_version(json)
    elif context.invoked_subcommand is None:
        print(context.get_help())


for command in COMMANDS:
    name = command.__name__.replace("_", "-")
    run = guarded(with_hint(with_chain(command)))
    app.command(name, cls=Command)(run)
    for earlier in (old for old, now in EARLIER_COMMANDS.items() if now == name):
        app.command(earlier, cls=Command, hidden=True)(run)
