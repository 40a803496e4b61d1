"""Draws the pictures of this folder again: python docs/images/draw.py"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.kernels.graph import Graph
from linkwork.plotting.lines import look
from linkwork.plotting.style import COLOURS, INK, MUTED, PAPER
from linkwork.reports import figures, new_figure, style

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = {"population": 24, "generations": 16}
MODELS = ("exact", "dasgupta1998", "pedrammehr2012")
KINDS = {
    "input": "#E8EAEE",
    "sine, cosine": COLOURS[4],
    "multiplication": COLOURS[5],
    "addition": "#8FD0BC",
}
SIGNS = {"mul": "×", "add": "+", "sub": "−", "sin": "sin", "cos": "cos"}


def platform_figure() -> Any:
    """The papers' platform on its fast path, the forces of its legs and what published models miss."""
    platform, motion = lw.load("dasgupta1998"), lw.paper_path("dasgupta-II")
    time = np.linspace(0.0, motion.duration, 1201)
    found = study(platform, "dasgupta-II", time, motion.at(time), formulations=MODELS)
    figure = figures.mechanism_figure(platform, time, found.position)
    figure.set_size_inches(8.6, 4.4)
    _, forces, errors = figure.axes
    with style():
        for ax in (forces, errors):
            ax.clear()
            ax.set_aspect("auto")
            ax.set_xlim(0, motion.duration)
        for k in range(6):
            forces.plot(time, found.by_formulation["exact"][:, k] / 1e3, **look(k), label=str(k + 1))
        forces.axhline(0, color=MUTED, linewidth=0.7)
        forces.set(title="actuator force of each leg [kN]", xticklabels=[])
        for k, name in enumerate(MODELS[1:]):
            off = abs(found.by_formulation[name] - found.by_formulation["exact"]).max(axis=1)
            errors.plot(time, off, label=name, color=INK, linestyle=("-", (0, (4, 1.5)))[k])
        errors.set(title="largest error of two published models [N]", xlabel="time [s]", ylim=(0, 175))
        errors.legend(loc="upper right", ncols=2)
    return figure


def levels(graph: Graph) -> list[int]:
    """How many operations come before each value."""
    found: list[int] = []
    for node in graph.nodes:
        below = [found[k] for k in (node.a, node.b) if k >= 0]
        found.append(1 + max(below) if below else 0)
    return found


def kind(op: str) -> str:
    if op in ("sin", "cos"):
        return "sine, cosine"
    return {"mul": "multiplication", "add": "addition", "sub": "addition"}.get(op, "input")


def places(graph: Graph) -> dict[int, tuple[float, float]]:
    """Values from left to right in the order of computation; constants are written beside their use."""
    shown = [k for k, node in enumerate(graph.nodes) if node.op != "const"]
    level = levels(graph)
    columns = [[k for k in shown if level[k] == depth] for depth in range(max(level) + 1)]
    y = {k: float(i - len(column) / 2) for column in columns for i, k in enumerate(column)}
    users: dict[int, list[int]] = {k: [] for k in shown}
    for k in shown:
        for operand in (graph.nodes[k].a, graph.nodes[k].b):
            if operand in users:
                users[operand].append(k)
    for _ in range(40):  # towards the middle of the neighbours, then apart again
        for column in columns:
            near = {}
            for k in column:
                node = graph.nodes[k]
                others = [y[j] for j in (node.a, node.b, *users[k]) if j in y]
                near[k] = float(np.mean(others)) if others else y[k]
            column.sort(key=lambda k: (near[k], k))
            middle = float(np.mean(list(near.values()))) if near else 0.0
            for i, k in enumerate(column):
                y[k] = 0.6 * middle + i - (len(column) - 1) / 2
    return {k: (float(level[k]), y[k]) for k in shown}


def graph_figure() -> Any:
    """The optimised graph of inverse dynamics of planar-2r by Newton and Euler."""
    kernel = lw.load("planar-2r").kernel("inverse_dynamics", formulation="newton-euler")
    graph, at = kernel.graph, places(kernel.graph)
    names = [f"{name}{k + 1}" for name, size in kernel.inputs.items() for k in range(size)]
    figure = new_figure(5.0, 9.2)
    with style():
        ax = figure.subplots()
        ax.set_axis_off()
        for k in at:
            node = graph.nodes[k]
            operands = [graph.nodes[j] for j in (node.a, node.b) if j >= 0]
            constants = [operand.value[0] for operand in operands if operand.op == "const"]
            for j in (node.a, node.b):
                if j in at:
                    ax.annotate(
                        "",
                        at[k],
                        xytext=at[j],
                        zorder=1,
                        arrowprops={
                            "arrowstyle": "-|>",
                            "color": MUTED,
                            "lw": 0.8,
                            "shrinkA": 9,
                            "shrinkB": 14 if constants else 9,
                        },
                    )
            text = names[2 * node.value[0] + node.value[1]] if node.op == "input" else SIGNS[node.op]
            if constants:
                text += f"\n{constants[0]:.3g}"
            ax.text(
                *at[k],
                text,
                ha="center",
                va="center",
                fontsize=7.5,
                linespacing=0.95,
                color=INK,
                zorder=3,
                bbox={"boxstyle": "circle,pad=0.28" if len(text) < 4 else "round,pad=0.28",
                      "facecolor": KINDS[kind(node.op)], "edgecolor": MUTED, "linewidth": 0.6},
            )  # fmt: skip
        for name, k in zip(("torque 1", "torque 2"), graph.outputs[0], strict=True):
            x, y = at[k]
            ax.annotate(name, (x, y), xytext=(5, 11), textcoords="offset points", fontsize=9)
        for label, colour in KINDS.items():
            ax.plot([], [], "o", color=colour, markeredgecolor=MUTED, label=label, markersize=9)
        xs, ys = zip(*at.values(), strict=True)
        ax.set(xlim=(min(xs) - 0.5, max(xs) + 0.6), ylim=(max(ys) + 0.7, min(ys) - 0.7))
        ax.legend(loc="lower right", facecolor=PAPER)
    return figure


def least_torque_figure() -> Any:
    """Torques of the three joints near the base: quintic, and the motion of least torque."""
    example = Path(__file__).parents[2] / "examples" / "20_derivatives.py"
    found = runpy.run_path(str(example))
    arm, time = found["arm"], np.linspace(0.0, found["duration"], found["n"] + 1)
    before = arm.inverse_dynamics(*found["quintic"], friction=False)
    after = found["solution"].value(found["effort"]).T * arm.limits.effort
    figure = new_figure(2.6, 8.6)
    with style():
        axes = figure.subplots(1, 3)
        for k, ax in enumerate(axes):
            ax.plot(time, before[:, k], color=MUTED, linestyle=(0, (4, 1.5)), label="quintic")
            ax.plot(time, after[:, k], color=COLOURS[k], label="least torque")
            ax.axhline(0, color=MUTED, linewidth=0.7)
            ax.set(title=f"{arm.joint_names[k]} [N m]", xlabel="time [s]", xlim=(0, time[-1]))
        axes[0].legend(loc="best")
    return figure


def workspace_figure() -> Any:
    """A slice of the flight simulator's workspace, and what ends it."""
    from linkwork.reports.workspace import slice_figure

    return slice_figure(
        lw.workspace(lw.load_platform(EXAMPLES / "flight-simulator.yaml")).slice("x", "z")
    )


def designs_figure() -> Any:
    """Machines along the front of the flight simulator's study; a short search finds their kind."""
    from dataclasses import replace

    from linkwork.design.optimise import optimise
    from linkwork.design.study_file import read_study
    from linkwork.reports.design import chosen_machines, machines_figure

    study = read_study(EXAMPLES / "flight-simulator-study.yaml")
    quick = replace(study, design={**study.design, "search": SHORT}, period=0.2)
    design = optimise(quick)
    return machines_figure(design, chosen_machines(design))


def draw(folder: Path) -> list[Path]:
    """Write all pictures into a folder."""
    written = []
    drawn = {
        "platform": platform_figure(),
        "graph": graph_figure(),
        "least-torque": least_torque_figure(),
        "workspace": workspace_figure(),
        "designs": designs_figure(),
    }
    for name, figure in drawn.items():
        target = folder / f"{name}.png"
        with style():
            figure.savefig(target, dpi=160, metadata={"Software": None})
        written.append(target)
    return written


if __name__ == "__main__":
    print(*draw(Path(__file__).parent), sep="\n")
