"""Boxes per second for all limits of a platform, beside a loop of python-flint over the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.results import Result, faster
from benchmarks.timing import side_by_side
from linkwork.certification.ball_functions import ball, ball_function
from linkwork.certification.boxes import Array, Boxes
from linkwork.certification.checks import Efforts, Ranges, Singularities, checks_of
from linkwork.certification.enclosed import Demands, Enclosed, Vector

BOXES, FEW = 16_384, 4  # ours, and of a peer that takes one box per call
AWAY, WIDTH = 0.1, 1e-3  # m and rad: where boxes are, and how wide
REGION: dict[str, Any] = {
    "x": [-0.1, 0.1],
    "y": [-0.1, 0.1],
    "z": [2.3, 2.45],
    "roll": ["-3 deg", "3 deg"],
    "pitch": ["-3 deg", "3 deg"],
}


def results() -> Iterator[Result]:
    robot = lw.load("simona")
    demands = Demands(np.inf, 0.0, np.zeros((2, 6)), np.zeros((2, robot.dof)))
    rng = np.random.default_rng(0)
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    middle = home + AWAY * rng.uniform(-1, 1, (BOXES, robot.dof))
    boxes = Boxes(middle - WIDTH / 2, middle + WIDTH / 2)
    ours, theirs = 0.0, 0.0
    for check in checks_of(Enclosed(robot), demands):
        vector, loads, what = _asked(check, demands)
        if vector is None:
            continue
        call = _flint(vector, boxes, loads)
        times = side_by_side(
            {"linkwork": lambda v=vector, x=loads: v.natural(boxes, *x), "flint": call}  # type: ignore[misc]
        )
        own, their = times["linkwork"] / BOXES, times["flint"] / FEW
        ours, theirs = ours + own, theirs + their
        yield faster("simona", f"boxes: {what}", own, their, "python-flint")
    yield faster("simona", "boxes: all limits", ours, theirs, "python-flint", at_least=50)
    what = "boxes: lengths, angles, singularities and forces"
    yield Result("simona", what, 1e-6 / ours, "million per second", at_least=2)
    found = lw.certify(robot, REGION, condition=10, leg_diameter=0.12)
    assert found.verdict == "proven"
    yield Result("simona", f"a region proven in {found.evaluations} boxes", found.seconds, "s")


def _asked(check: object, demands: Demands) -> tuple[Vector | None, list[Array], str]:
    """The first and fastest enclosure of a check, what it takes besides positions, and its name."""
    if isinstance(check, Ranges):
        return check.vector, [], "lengths and joint angles"
    if isinstance(check, Singularities):
        return check.rough, [], "no singularity"
    if isinstance(check, Efforts):
        given = [demands.acceleration, demands.wrench, np.array([[-1.0], [1.0]])]
        return check.rough, [np.tile(each.reshape(-1), (BOXES, 1)) for each in given], "forces"
    return None, [], ""


def _flint(vector: Vector, boxes: Boxes, loads: list[Array]) -> Any:
    """The same expression in a loop over boxes, in balls of 53 bits."""
    function = vector.expression
    evaluate, count = ball_function(function), function.n_in()
    given = [boxes.ends, *loads]
    rows = []
    for k in range(FEW):
        inputs = [[ball(a, b) for a, b in each[k].reshape(2, -1).T.tolist()] for each in given]
        if len(inputs) < count:
            inputs.append([ball(x, x) for x in boxes.middle[k].tolist()])
        rows.append(inputs)

    def run() -> None:
        for inputs in rows:
            evaluate(inputs)

    return run
