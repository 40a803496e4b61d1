"""The best machines of a study: a Pareto front by NSGA-II, each end refined by a local search.

NSGA-II (pymoo) because metrics are maxima over motions and legs, which are not smooth, and because a
front needs many solutions at once; its populations are evaluated by kernels whose parameters are inputs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError
from linkwork.core.table_files import Plain
from linkwork.design.metrics import LIMIT, METRICS, Evaluator, evaluator
from linkwork.design.study_file import Bound, SearchPlan, StudyFile, held_states, sampled_motions
from linkwork.model.robot_files import load_model, robot_document
from linkwork.robot.robot import Array, Robot

WORST = 1e30  # of a variant that fails
REFINEMENTS = 2
NAME = "machine-{:03d}"  # along the front, in the order of the first objective
MOST_CORNERS = 6  # tolerances whose corners are all tried


@dataclass(frozen=True, eq=False)
class DesignVariant:
    """A variant: values of the variables, its metrics, and which limit its margin is of.

    `name` is that of its robot file, "start" of the machine that the study began with.
    """

    name: str
    values: Array
    metrics: Mapping[str, float]
    limit: str = ""


@dataclass(frozen=True, eq=False)
class Design:
    """Pareto-optimal designs, and the one that the study began with."""

    study: StudyFile
    robot: Robot
    objectives: tuple[str, ...]
    bounds: tuple[Bound, ...]
    start: DesignVariant
    start_feasible: bool
    front: tuple[DesignVariant, ...]
    evaluations: int
    refused: tuple[str, ...] = ()  # why variants that would be on the front are no machines

    def best(self, objective: str) -> DesignVariant:
        """The machine of the front that is best in one objective."""
        sign = METRICS[objective][1]
        return max(self.front, key=lambda machine: sign * machine.metrics[objective])

    def gain(self, objective: str) -> float:
        """By which share the best machine is better than the start: 0.2 is 20 % less, or more."""
        sign = METRICS[objective][1]
        before, after = self.start.metrics[objective], self.best(objective).metrics[objective]
        return sign * (after - before) / abs(before)

    def machine(self, chosen: DesignVariant) -> Robot:
        """The robot of a machine, without the payload that is required."""
        return _machine_of(self.study, self.study.load_machine(), chosen.values)

    def document(self, chosen: DesignVariant) -> Plain:
        """Its robot file."""
        return _document(self.machine(chosen), chosen.name)


@dataclass(frozen=True, eq=False)
class _DesignProblem:
    """Objectives to make small and constraints to keep below zero, of variables between 0 and 1."""

    evaluate: Evaluator
    low: Array
    high: Array
    objectives: tuple[str, ...]
    bounds: tuple[Bound, ...]
    spread: Array  # tolerances, corner by corner (c, k)

    def metrics(self, values: Array) -> dict[str, Array]:
        """Of variants (V, k): the worst over all corners of the tolerances."""
        found: dict[str, Array] = {}
        for corner in self.spread:
            one, reasons = self.evaluate(values + corner)
            one.pop(LIMIT, None)
            for name, numbers in one.items():
                sign = METRICS[name][1]
                failed = np.array([bool(reason) for reason in reasons])
                numbers = np.where(failed, -sign * WORST, numbers)
                worse = np.minimum if sign > 0 else np.maximum
                found[name] = worse(found[name], numbers) if name in found else numbers
        return found

    def limit(self, values: Array) -> str:
        """Which limit the least margin of one variant is of, over all corners of the tolerances."""
        found, _ = self.evaluate(values + self.spread)
        return str(found[LIMIT][np.argmin(found["margin"])]) if LIMIT in found else ""

    def values(self, shares: Array) -> Array:
        return self.low + (self.high - self.low) * np.clip(shares, 0.0, 1.0)

    def judged(self, shares: Array) -> tuple[Array, Array]:
        """Objectives (V, m) and constraints (V, c) of variants."""
        found = self.metrics(self.values(shares))
        goals = [-METRICS[name][1] * found[name] for name in self.objectives]
        limits = []
        for bound in self.bounds:
            if bound.most is not None:
                limits.append((found[bound.metric] - bound.most) / max(abs(bound.most), 1e-9))
            if bound.least is not None:
                limits.append((bound.least - found[bound.metric]) / max(abs(bound.least), 1e-9))
        empty = np.zeros((len(shares), 0))
        return np.stack(goals, axis=1), np.stack(limits, axis=1) if limits else empty


@checked
def optimize_design(study: StudyFile, advance: Callable[[int], None] = lambda done: None) -> Design:
    """The Pareto front of a study's objectives under its constraints."""
    if not isinstance(study, StudyFile):
        raise InputError(
            f"optimize_design expects what lw.read_study returns, got {type(study).__name__}."
        )
    robot = study.load_robot()
    objectives, bounds = study.objectives, study.all_bounds
    if not objectives:
        allowed = f"allowed: a list of {', '.join(METRICS)}"
        raise study.fault((), f"objectives is missing; add objectives: [peak_effort, ...]; {allowed}")
    names = [each.name for each in study.variables]
    metrics = tuple(dict.fromkeys([*objectives, *(bound.metric for bound in bounds), *study.metrics]))
    motions, cover = sampled_motions(study, robot), held_states(study, robot)
    options = {"clearance": study.clearance, "leg_diameter": study.leg_diameter}
    evaluate = evaluator(robot, names, motions, metrics, cover, **options)
    low, high = (np.array([getattr(each, end) for each in study.variables]) for end in ("low", "high"))
    problem = _DesignProblem(evaluate, low, high, objectives, bounds, _corners(study, names))
    own = np.array([robot.field(name)[0] for name in names])
    start = _machine(problem, own, "start")
    shares = np.clip((own - low) / (high - low), 0.0, 1.0)
    _, broken = problem.judged(shares[None])
    found, evaluations = _front(problem, shares, study.search, advance)
    refined = [_refined(problem, found, k) for k in range(len(objectives))]
    front = _not_dominated(problem, np.concatenate([found, *refined]))
    if not len(front):
        raise LinkworkError(
            f"{study.source}: no variant keeps all constraints; widen the variables, loosen a "
            "constraint, or search longer (search: {population, generations})."
        )
    sign = METRICS[objectives[0]][1]
    order = np.argsort(-sign * problem.metrics(problem.values(front))[objectives[0]], kind="stable")
    machines: list[DesignVariant] = []
    refused: list[str] = []
    bare = study.load_machine()
    for row in front[order]:
        values = problem.values(row)
        try:
            load_model(_document(_machine_of(study, bare, values), NAME.format(len(machines) + 1)))
        except LinkworkError as error:
            refused.append("; ".join(line.strip() for line in str(error).splitlines()))
        else:
            machines.append(_machine(problem, values, NAME.format(len(machines) + 1)))
    if not machines:
        raise LinkworkError(f"{study.source}: no variant is a robot file that loads: {refused[0]}")
    feasible = bool((broken <= 0).all())
    return Design(
        study, robot, objectives, bounds, start, feasible, tuple(machines), evaluations, tuple(refused)
    )


def _machine_of(study: StudyFile, robot: Robot, values: Array) -> Robot:
    names = [each.name for each in study.variables]
    return robot.with_fields(dict(zip(names, values, strict=True)))


def _document(robot: Robot, name: str) -> Plain:
    return {**robot_document(robot.model), "name": f"{robot.name}-{name}"}


def _machine(problem: _DesignProblem, values: Array, name: str) -> DesignVariant:
    found = {each: float(numbers[0]) for each, numbers in problem.metrics(values[None]).items()}
    return DesignVariant(name, values, found, problem.limit(values))


def _front(
    problem: _DesignProblem, start: Array, search: SearchPlan, advance: Callable[[int], None]
) -> tuple[Array, int]:
    """Variants (P, k) that none of the others beats, by NSGA-II from the start and random ones."""
    try:
        algorithms = importlib.import_module("pymoo.algorithms.moo.nsga2")
        problems = importlib.import_module("pymoo.core.problem")
        running = importlib.import_module("pymoo.optimize")
        callback = importlib.import_module("pymoo.core.callback")
    except ImportError:
        raise LinkworkError("design needs pymoo: pip install 'linkwork[design]'") from None
    k = len(start)
    _, limits = problem.judged(start[None])

    class ShareProblem(problems.Problem):  # type: ignore[misc, name-defined]
        def _evaluate(self, X: Array, out: dict[str, Array], *_: object, **__: object) -> None:
            out["F"], out["G"] = problem.judged(X)

    class Told(callback.Callback):  # type: ignore[misc, name-defined]
        def notify(self, _: object) -> None:
            advance(1)

    rng = np.random.default_rng(search.seed)
    first = rng.random((search.population, k))
    first[0] = start
    algorithm = algorithms.NSGA2(pop_size=search.population, sampling=first)
    sizes = {"n_var": k, "n_obj": len(problem.objectives), "n_ieq_constr": limits.shape[1]}
    result = running.minimize(
        ShareProblem(**sizes, xl=0.0, xu=1.0),
        algorithm,
        ("n_gen", search.generations),
        seed=search.seed,
        callback=Told(),
    )
    found = np.atleast_2d(result.X) if result.X is not None else np.empty((0, k))
    return found, search.population * search.generations


def _refined(problem: _DesignProblem, found: Array, objective: int) -> Array:
    """The end of the front for one objective, improved by a local search (Nelder and Mead)."""
    from scipy.optimize import minimize

    if not len(found):
        return found
    goals, _ = problem.judged(found)
    begin = found[int(np.argmin(goals[:, objective]))]
    scale = float(np.abs(goals[:, objective]).min()) or 1.0

    def penalized(shares: Array) -> float:
        goal, limits = problem.judged(shares[None])
        outside = np.maximum(np.abs(shares - 0.5) - 0.5, 0.0).sum()
        return float(goal[0, objective] / scale + 100 * np.maximum(limits[0], 0.0).sum() + 100 * outside)

    options = {"maxfev": 200 * len(begin), "adaptive": True}
    for _ in range(REFINEMENTS):  # a fresh simplex leaves the edges on which an old one got stuck
        begin = minimize(penalized, begin, method="Nelder-Mead", options=options).x
    return np.clip(begin, 0.0, 1.0)[None]


def _not_dominated(problem: _DesignProblem, shares: Array) -> Array:
    """Those that keep all constraints and that no other beats in every objective."""
    if not len(shares):
        return shares
    goals, limits = problem.judged(shares)
    kept = (limits <= 1e-9).all(axis=1)
    shares, goals = shares[kept], goals[kept]
    _, unique = np.unique(goals.round(12), axis=0, return_index=True)
    shares, goals = shares[unique], goals[unique]
    beaten = [bool(((goals <= goal).all(axis=1) & (goals < goal).any(axis=1)).any()) for goal in goals]
    return np.asarray(shares[~np.array(beaten, dtype=bool)])


def _corners(study: StudyFile, names: list[str]) -> Array:
    """Deviations (c, k) of the variables within their tolerances: none, and every corner."""
    wide = np.array([study.tolerances.get(name, 0.0) for name in names])
    loose = np.flatnonzero(wide)
    if len(loose) > MOST_CORNERS:
        what = f"there are {len(loose)} tolerances; expected {MOST_CORNERS}"
        raise study.fault(("tolerances",), what)
    rows = [np.zeros(len(names))]
    for signs in product((-1, 1), repeat=len(loose)) if len(loose) else ():
        row = np.zeros(len(names))
        row[loose] = wide[loose] * signs
        rows.append(row)
    return np.array(rows)
