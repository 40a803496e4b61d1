"""Results do not depend on threads, batch size, position in the batch or how the inputs lie in memory.

Every public method of every bundled robot, bit for bit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import kernel, threads
from tests.every_method import arrays, methods, states

ROWS = 61  # whole vectors and a rest, some chunks of rows
ONE_BY_ONE = (0, 7, 30, ROWS - 1)
FEW = ("inverse_dynamics", "forward_dynamics", "reactions", "margins", "condition_number")


def bits(result: Any, rows: int) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in arrays(result, rows).items()}


def misaligned(array: np.ndarray) -> np.ndarray:
    memory = np.zeros(array.nbytes + 8, np.uint8)
    shifted = memory[3 : 3 + array.nbytes].view(np.float64).reshape(array.shape)
    shifted[...] = array
    return shifted


def between_others(array: np.ndarray) -> np.ndarray:
    """Every third number of every second row."""
    wide = np.full((2 * array.shape[0], 3 * array.shape[1]), 7.0)
    wide[::2, 1::3] = array
    return wide[::2, 1::3]


def in_memory(inputs: list[np.ndarray]) -> Iterator[tuple[str, list[np.ndarray]]]:
    yield "columns", [np.asfortranarray(each) for each in inputs]
    yield "gaps", [between_others(each) for each in inputs]
    yield "misaligned", [misaligned(each) for each in inputs]
    yield "backward in memory", [each[::-1].copy()[::-1] for each in inputs]
    yield "long rows", [np.hstack([each, each])[:, : each.shape[1]] for each in inputs]
    yield "read only", [np.frombuffer(each.tobytes()).reshape(each.shape) for each in inputs]
    yield "big-endian", [each.astype(">f8") for each in inputs]


def each_method(
    robot: lw.Robot, only: tuple[str, ...] | None
) -> Iterator[tuple[Callable[..., Any], list[np.ndarray]]]:
    """Methods with a batch of inputs."""
    drawn = states(robot, ROWS)
    for method, needed in methods(robot):
        if only is None or method.__name__ in only:
            yield method, [drawn[each] for each in needed]


def check(robot: lw.Robot, only: tuple[str, ...] | None) -> None:
    for method, inputs in each_method(robot, only):
        check_batches(method, inputs)
        if "errors" in inspect.signature(method).parameters:
            check_neighbors(method, inputs)
        if "out" in inspect.signature(method).parameters:
            expected = method(*inputs)
            place = np.full(expected.shape, 7.0)
            method(*inputs, out=place)
            assert place.tobytes() == expected.tobytes(), method


def check_batches(method: Callable[..., Any], inputs: list[np.ndarray]) -> None:
    whole = arrays(method(*inputs), ROWS)
    assert whole, method
    expected = {key: value.tobytes() for key, value in whole.items()}
    for place in ONE_BY_ONE:
        alone = bits(method(*[each[place : place + 1] for each in inputs]), 1)
        assert alone == {key: value[place].tobytes() for key, value in whole.items()}, (method, place)
    for part in (slice(3, 13), slice(0, ROWS - 1), slice(None, None, -1)):
        few = bits(method(*[each[part] for each in inputs]), len(inputs[0][part]))
        assert few == {key: value[part].tobytes() for key, value in whole.items()}, (method, part)
    for layout, arranged in in_memory(inputs):
        assert bits(method(*arranged), ROWS) == expected, (method, layout)


def check_neighbors(method: Callable[..., Any], inputs: list[np.ndarray]) -> None:
    """A state that is not finite, and one far out of reach, leave the others alone."""
    whole = arrays(method(*inputs), ROWS)
    for bad in (np.nan, 3e7):
        for place in (2, 33):
            changed = [inputs[0].copy(), *inputs[1:]]
            changed[0][place, 0] = bad
            found = arrays(method(*changed, errors="nan"), ROWS)
            for key, value in whole.items():
                for rows in (slice(0, place), slice(place + 1, None)):
                    assert found[key][rows].tobytes() == value[rows].tobytes(), (method, key, bad, place)


@pytest.mark.parametrize("name", ["ur5", "delta"])
def test_some_methods(name: str) -> None:
    check(lw.load(name), FEW)


@pytest.mark.long
@pytest.mark.parametrize("name", lw.bundled_names())
def test_all_methods(name: str) -> None:
    check(lw.load(name), None)


def check_threads(monkeypatch: pytest.MonkeyPatch, name: str, only: tuple[str, ...] | None) -> None:
    """Threads take chunks of eight rows, however few operations those are."""
    robot = lw.load(name)
    expected = [bits(method(*inputs), ROWS) for method, inputs in each_method(robot, only)]
    for module in (kernel, threads):
        monkeypatch.setattr(module, "WORTHWHILE_OPERATIONS", 1)
    monkeypatch.setattr(threads, "CHUNK_OPERATIONS", 1)
    shared = []
    run = threads.SharedBatch.run

    def noted(job: threads.SharedBatch, helpers: int) -> bool:
        shared.append(helpers)
        return run(job, helpers)

    monkeypatch.setattr(threads.SharedBatch, "run", noted)
    robot = type(robot)(robot.model)  # its kernels are called anew
    try:
        for count in (1, 2, 5):
            lw.set_threads(count)
            for (method, inputs), wanted in zip(each_method(robot, only), expected, strict=True):
                assert bits(method(*inputs), ROWS) == wanted, (method, count)
    finally:
        lw.set_threads(None)
    assert {1, 4} <= set(shared)


def test_some_methods_in_threads(monkeypatch) -> None:
    check_threads(monkeypatch, "ur5", FEW)


@pytest.mark.long
@pytest.mark.parametrize("name", lw.bundled_names())
def test_all_methods_in_threads(monkeypatch, name: str) -> None:
    check_threads(monkeypatch, name, None)


def random_targets(arm: lw.Arm) -> np.ndarray:
    """Some that the arm reaches from home, some that need other starts, some out of reach."""
    drawn = np.random.default_rng(3).uniform(-1.5, 1.5, (12, arm.n))
    targets = arm.forward_kinematics(drawn)
    targets[-2:, :3, 3] += 3.0
    return targets


@pytest.mark.parametrize(
    ("name", "options"),
    [("puma560", {}), ("stanford", {"restarts": 40}), ("panda", {"posture": np.full(7, 0.2)})],
)
def test_inverse_kinematics_of_one_pose_does_not_depend_on_others(name: str, options: dict) -> None:
    arm = lw.load_arm(name)
    targets = random_targets(arm)
    whole = arm.inverse_kinematics(targets, **options)
    assert not whole.converged[-2:].any()
    for part in (slice(0, 1), slice(5, 6), slice(11, 12), slice(2, 9), slice(None, None, -1)):
        few = arm.inverse_kinematics(targets[part], **options)
        assert few.q.tobytes() == whole.q[part].tobytes(), (name, part)
        assert few.error.tobytes() == whole.error[part].tobytes(), (name, part)


@pytest.mark.parametrize("name", ["simona", "delta", "palletizer"])
def test_forward_kinematics_of_one_position_does_not_depend_on_others(name: str) -> None:
    robot = lw.load(name)
    actuators = robot.actuator_motion(states(robot, 12)["c"]).position
    actuators[4] *= 1.3  # far, or out of reach
    whole = robot.forward_kinematics(actuators, errors="nan")
    for part in (slice(0, 1), slice(4, 5), slice(11, 12), slice(2, 9), slice(None, None, -1)):
        few = robot.forward_kinematics(actuators[part], errors="nan")
        assert few.tobytes() == whole[part].tobytes(), (name, part)
