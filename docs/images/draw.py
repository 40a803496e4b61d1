"""Draws the pictures of this folder again: python docs/images/draw.py"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analysis.study import study
from linkwork.drawing.style import COLORS, INK, MUTED, PAPER
from linkwork.drawing.time_plots import look
from linkwork.kernels.graph import Graph
from linkwork.reports import figures, new_figure, style

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = {"population": 24, "generations": 16}
MODELS = ("exact", "dasgupta1998", "pedrammehr2012")
KINDS = {
    "input": "#E8EAEE",
    "sine, cosine": COLORS[4],
    "multiplication": COLORS[5],
    "addition": "#8FD0BC",
}
SIGNS = {"mul": "×", "add": "+", "sub": "−", "sin": "sin", "cos": "cos"}


# Of the palletizer's sketch: where names of bodies stand, and how far names of points are moved.
LABELS = {
    "carousel": (0.12, 0.42), "lower-arm": (0.47, 1.42), "upper-arm": (1.12, 1.74),
    "lever": (0.16, 0.68), "link": (0.02, 1.36), "knee": (0.49, 2.23),
    "level-1": (0.2, 1.62), "level-2": (1.28, 2.05),
    "bracket": (2.02, 1.66), "tool": (1.98, 1.2),
}  # fmt: skip
OFFSETS = {
    "O2": (9, -8), "O3": (9, -12), "O4": (-16, -14), "E": (-15, -3), "D": (-16, 2), "G": (9, 2),
    "H": (-16, 2), "K": (2, 8), "B1": (-8, -15), "B2": (9, -4),
}  # fmt: skip


def platform_figure() -> Any:
    """The papers' platform on its fast path, the forces of its legs and what published models miss."""
    platform, motion = lw.load("dasgupta1998"), lw.published_path("dasgupta-II")
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
    for _ in range(40):  # toward the middle of the neighbors, then apart again
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
    """The optimized graph of inverse dynamics of planar-2r by Newton and Euler."""
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
        for label, color in KINDS.items():
            ax.plot([], [], "o", color=color, markeredgecolor=MUTED, label=label, markersize=9)
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
            ax.plot(time, after[:, k], color=COLORS[k], label="least torque")
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

    from linkwork.design.optimize import optimize_design
    from linkwork.design.study_file import SearchPlan, read_study
    from linkwork.reports.design import chosen_machines, machines_figure

    study = read_study(EXAMPLES / "flight-simulator-study.yaml")
    quick = replace(study, search=SearchPlan(**SHORT), period=0.2)
    design = optimize_design(quick)
    return machines_figure(design, chosen_machines(design))


def sketch_figure() -> Any:
    """The palletizer of the how-to from the side, drawn from its file: what the file's names mean."""
    import yaml
    from scipy.spatial import ConvexHull

    file = yaml.safe_load((EXAMPLES / "my-palletizer.yaml").read_text("utf-8"))
    named = {name: (x, z) for name, (x, _, z) in file["points"].items()}

    def place(at: Any) -> tuple[float, float]:
        return named[at] if isinstance(at, str) else (at[0], at[2])

    corners: dict[str, list[tuple[float, float]]] = {name: [] for name in file["bodies"]}
    for part in (*file["joints"].values(), *file["cylinders"].values()):
        ends = [part["at"]] * 2 if "at" in part else [part["from"], part["to"]]
        for body, at in zip(part["joins"], ends, strict=True):
            if body in corners:
                corners[body].append(place(at))
    corners["tool"].append(place(file["tool"]["at"]))
    figure = new_figure(5.5, 6.8)
    with style():
        ax = figure.subplots()
        ax.set_axis_off()
        ax.set_aspect("equal")
        for k, (name, found) in enumerate(corners.items()):
            points = np.unique(np.array(found), axis=0)
            color = COLORS[k % 6]
            flat = np.linalg.matrix_rank(points - points[0], tol=1e-3) < 2
            if not flat:
                hull = points[ConvexHull(points).vertices]
                ax.fill(*hull.T, facecolor=color, alpha=0.16)
                ax.plot(*np.vstack([hull, hull[:1]]).T, color=color, linewidth=2.8, alpha=0.75, zorder=2)
            else:
                ax.plot(*points.T, color=color, linewidth=5, alpha=0.75, zorder=2)
            ax.annotate(
                name,
                LABELS[name],
                color=color,
                weight="bold",
                ha="center",
                va="center",
                zorder=6,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.0, "alpha": 0.85},
            )
        for name, cylinder in file["cylinders"].items():
            (x0, z0), (x1, z1) = place(cylinder["from"]), place(cylinder["to"])
            middle = (0.55 * x1 + 0.45 * x0, 0.55 * z1 + 0.45 * z0)
            ax.plot((x0, middle[0]), (z0, middle[1]), color=MUTED, linewidth=9, solid_capstyle="butt")
            ax.plot((x0, x1), (z0, z1), color=MUTED, linewidth=3)
            ax.annotate(
                name, middle, xytext=(-44, 6), textcoords="offset points", color=MUTED, weight="bold"
            )
        for joint in file["joints"].values():
            x, z = place(joint["at"])
            if joint["R"] == "y":
                face = INK if joint.get("motor") else PAPER
                ax.plot(x, z, "o", color=INK, markerfacecolor=face, markersize=8, zorder=5)
            else:  # seen from the side
                ax.plot(
                    (x, x),
                    (z - 0.09, z + 0.09),
                    color=INK,
                    linewidth=1.2,
                    linestyle=(0, (6, 2, 1, 2)),
                    zorder=5,
                )
        for name, at in named.items():
            ax.annotate(
                name,
                at,
                xytext=OFFSETS.get(name, (7, 6)),
                textcoords="offset points",
                fontsize=9,
                zorder=7,
            )
        ax.plot((-0.35, 0.75), (0, 0), color=INK, linewidth=1.4)
        for x in np.arange(-0.3, 0.76, 0.1):
            ax.plot((x, x - 0.06), (0, -0.06), color=INK, linewidth=0.8)
        ax.annotate("base", (0.6, -0.11), color=INK, fontsize=9, weight="bold", va="center")
        for tip, name in (((0.3, 0), "x"), ((0, 0.3), "z")):
            start = (1.15, 0.15)
            ax.annotate("", (start[0] + tip[0], start[1] + tip[1]), xytext=start,
                        arrowprops={"arrowstyle": "-|>", "color": INK})  # fmt: skip
            ax.annotate(
                name, (start[0] + 1.15 * tip[0], start[1] + 1.15 * tip[1]), ha="center", va="center"
            )
        ax.plot([], [], "o", color=INK, markersize=8, label="pin with a motor")
        ax.plot([], [], "o", color=INK, markerfacecolor=PAPER, markersize=8, label="pin")
        ax.plot(
            [],
            [],
            color=INK,
            linewidth=1.2,
            linestyle=(0, (6, 2, 1, 2)),
            label="vertical axis with a motor",
        )
        ax.legend(loc="lower right", facecolor=PAPER)
        ax.set(xlim=(-0.45, 2.2), ylim=(-0.18, 2.35))
    return figure


def draw(folder: Path) -> list[Path]:
    """Write all pictures into a folder."""
    written = []
    drawn = {
        "platform": platform_figure(),
        "graph": graph_figure(),
        "least-torque": least_torque_figure(),
        "workspace": workspace_figure(),
        "designs": designs_figure(),
        "palletizer": sketch_figure(),
    }
    for name, figure in drawn.items():
        target = folder / f"{name}.png"
        with style():
            figure.savefig(target, dpi=160, metadata={"Software": None})
        written.append(target)
    return written


if __name__ == "__main__":
    print(*draw(Path(__file__).parent), sep="\n")
