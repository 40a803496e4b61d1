"""The minimal recursion: every frame, parameter set and variant means the same motion."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.mechanics.chain.cheapest import operation_plan, own_gravity
from linkwork.mechanics.chain.minimal.operation_plan import Situation, realized
from linkwork.mechanics.chain.minimal.regrouping import Condition, Regrouping
from linkwork.mechanics.chain.minimal.search import Candidates, quick_plan
from tests.mechanics.chain.minimal_by_numbers import evaluated, realized_by_chance
from tests.oracles.pinocchio_arm import PinocchioArm
from tests.random_arms import CONVENTIONS, random_arm, special_arm

TOLERANCE = 1e-12  # of the largest torque of a joint
ROUNDING = 1e-14  # of the largest torque of all: a joint that moves nothing feels only rounding
STATES = 6
CHUNK, CHUNKS = 50, 20
SHORT = 8  # chunks of the short run; make test-all takes all thousand


def some_arm(seed: int):
    if seed % 2:
        return special_arm(seed, 1 + seed % 7)
    return random_arm(seed, 1 + seed % 7, CONVENTIONS[seed % 3])


def assert_same(ours, reference) -> None:
    scale = np.abs(reference).max(axis=0)
    assert (np.abs(ours - reference) <= TOLERANCE * scale + ROUNDING * scale.max()).all()


@pytest.mark.parametrize(
    "chunk",
    [pytest.param(k, marks=pytest.mark.long if k >= SHORT else ()) for k in range(CHUNKS)],
)
def test_a_thousand_arms_against_pinocchio(chunk) -> None:
    rng = np.random.default_rng(chunk)
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        model = some_arm(seed)
        q, qd, qdd = rng.uniform(-2, 2, (3, STATES, model.n))
        oracle = PinocchioArm(model)
        expected = np.array([oracle.torque(*row) for row in zip(q, qd, qdd, strict=True)])
        robot = realized_by_chance(model, seed)
        assert_same(evaluated(robot, own_gravity(model), q, qd, qdd), expected)


def regressor(robot, gravity, n: int) -> np.ndarray:
    """Torques of random states per parameter."""
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-2, 2, (3, 40, n))
    links = len(robot.steps)
    columns = []
    for k in range(10 * links):
        unit = np.zeros(10 * links)
        unit[k] = 1.0
        parameters = unit.reshape(links, 10).tolist()
        columns.append(evaluated(robot, gravity, q, qd, qdd, parameters).ravel())
    return np.array(columns).T


def rank_and_changes(model) -> tuple[int, int, np.ndarray]:
    """Rank of the torques' dependence on the parameters, their number, the changes in closed form."""
    gravity = own_gravity(model)
    candidates = Candidates(model, gravity)
    frames = candidates.frames()
    robot = realized(model, candidates.textbook(frames).plan(), Situation(gravity))
    Y = regressor(robot, gravity, model.n)
    scale = np.linalg.norm(Y, axis=0)
    scale = np.where(scale > 1e-6 * scale.max(), scale, scale.max())
    singular = np.linalg.svd(Y / scale, compute_uv=False)
    null_space = frames.regrouping.null_space
    assert np.abs(Y @ null_space).max() <= 1e-12 * np.abs(Y).max() * np.abs(null_space).max()
    return int((singular > 1e-12 * singular[0]).sum()), Y.shape[1], null_space


@pytest.mark.parametrize("seed", range(24))
def test_unseen_changes_are_the_whole_null_space(seed) -> None:
    """The closed form finds as many changes as the numerical rank leaves."""
    model = random_arm(seed, 1 + seed % 7, CONVENTIONS[seed % 3], prismatic=0.0)
    rank, parameters, null_space = rank_and_changes(model)
    assert null_space.shape[1] == parameters - rank


@pytest.mark.parametrize("seed", range(40))
def test_unseen_changes_are_unseen(seed) -> None:
    """Several prismatic joints or special bodies may hide more than the rules foresee, never less."""
    rank, parameters, null_space = rank_and_changes(some_arm(seed))
    assert null_space.shape[1] <= parameters - rank


def test_conditions_hold_exactly_and_have_names() -> None:
    model = random_arm(4, 6, "standard", prismatic=0.0)
    frames = Candidates(model, own_gravity(model)).frames()
    chosen = Candidates(model, own_gravity(model)).start(frames).conditions
    parameters = frames.regrouping.exactly(chosen)
    for condition in chosen:
        assert condition.of(parameters) == 0.0
        assert Condition.parse(str(condition)) == condition
    rough = frames.regrouping.roughly(chosen)
    np.testing.assert_allclose(parameters, rough, atol=1e-9 * np.abs(rough).max())
    with pytest.raises(ValueError, match="as many conditions"):
        frames.regrouping.exactly(chosen[:-1])


def test_gravity_that_may_change_leaves_fewer_changes() -> None:
    model = random_arm(1, 6, "standard", prismatic=0.0)
    upright = Regrouping(Candidates(model, (0.0, 0.0, -9.81)).frames().skeleton.steps, (0.0, 0.0, -9.81))
    free = Regrouping(upright.steps, None)
    moving = Regrouping(upright.steps, None, standing=False)
    sizes = [group.null_space.shape[1] for group in (upright, free, moving)]
    assert sizes[0] == sizes[1] + 2  # first moments of link 1
    assert sizes[1] > sizes[2] == 3 * model.n


def test_quick_plan_is_the_same_every_time() -> None:
    model = random_arm(9, 4, "modified")
    assert quick_plan(model, own_gravity(model)) == quick_plan(model, own_gravity(model))
    assert operation_plan(model, own_gravity(model)) is operation_plan(model, own_gravity(model))
