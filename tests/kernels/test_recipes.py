"""Recipes: a known kernel loads without being traced, and nothing else passes for it."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.core.package_digest import Sources
from linkwork.kernels import Kernel, Recipe, cache, recipes
from linkwork.model.geometry import Body

SOURCES = Sources("kernels")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(path))
    return path


def untraced() -> recipes.Expression:
    raise AssertionError("a name does not need the expression")


class Counted:
    """An expression that counts how often it is traced."""

    def __init__(self, factor: float = 3.0, sources: Sources | None = SOURCES) -> None:
        self.factor, self.sources = factor, sources
        self.traced = 0

    def express(self):
        self.traced += 1
        x = ca.SX.sym("x", 2)
        return ca.Function("f", [x], [self.factor * x], ["x"], ["y"]), ((2,),)

    def kernel(self) -> Kernel:
        return Kernel.from_recipe(Recipe((self.factor,), self.express, self.sources))


def edited_sources(digest: str | None) -> Sources:
    """As in a process that was started with other source files."""
    sources = copy(SOURCES)
    sources.digest = digest
    return sources


def key(*ingredients: object) -> str | None:
    return recipes.index_key(Recipe(ingredients, untraced, SOURCES), "machine")


def test_known_kernel_is_not_traced() -> None:
    first, second = Counted(), Counted()
    np.testing.assert_array_equal(first.kernel()([1.0, 2.0]), [3.0, 6.0])
    kernel = second.kernel()
    np.testing.assert_array_equal(kernel([1.0, 2.0]), [3.0, 6.0])
    assert (first.traced, second.traced) == (1, 0)
    assert kernel.counts.multiplications == 2  # asked for, the expression is there
    assert second.traced == 1


def test_other_ingredients_are_another_kernel() -> None:
    Counted(3.0).kernel()([1.0, 2.0])
    np.testing.assert_array_equal(Counted(4.0).kernel()([1.0, 2.0]), [4.0, 8.0])


@pytest.mark.parametrize("kind", ["index", "o"])
@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x")])
def test_damaged_cache(folder, kind, damage) -> None:
    Counted().kernel()([1.0, 2.0])
    (path,) = folder.glob(f"*.{kind}")
    damage(path)
    again = Counted()
    np.testing.assert_array_equal(again.kernel()([1.0, 2.0]), [3.0, 6.0])
    assert again.traced == 1


def test_entry_of_another_form(folder) -> None:
    Counted().kernel()([1.0, 2.0])
    (path,) = folder.glob("*.index")
    for content in (b"[]", b"{}", b"not json", b'{"outputs": 3}'):
        path.write_bytes(cache.seal(path.name, content))
        np.testing.assert_array_equal(Counted().kernel()([1.0, 2.0]), [3.0, 6.0])


def test_changed_source_forgets() -> None:
    Counted().kernel()([1.0, 2.0])
    again = Counted(sources=edited_sources("edited"))
    again.kernel()([1.0, 2.0])
    assert again.traced == 1


def test_code_that_is_edited_while_it_runs_is_not_kept(folder) -> None:
    Counted(sources=edited_sources("of files before they were edited")).kernel()([1.0, 2.0])
    assert list(folder.glob("*.index")) == []


def test_smallest_change_of_a_robot_is_another_kernel() -> None:
    model = lw.load("planar-2r").model
    joint = model.joints[1]
    body = Body.of(np.nextafter(joint.body.mass, 2), joint.body.center_of_mass, joint.body.inertia)
    changed = replace(model, joints=(model.joints[0], replace(joint, body=body)))
    assert key(model) != key(changed)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("ab", "c"), ("a", "bc")),
        ((1,), (1.0,)),
        ((True,), (1,)),
        (((1,), 2), ((1, 2),)),
        ((None,), ("None",)),
    ],
)
def test_ingredients_are_not_mixed_up(a, b) -> None:
    assert key(*a) != key(*b)


def test_unknown_ingredient() -> None:
    with pytest.raises(TypeError, match="no ingredient"):
        key([1])


@pytest.mark.parametrize("sources", [None, edited_sources(None)])
def test_without_source_files_nothing_is_indexed(folder, sources) -> None:
    first, second = Counted(sources=sources), Counted(sources=sources)
    first.kernel()([1.0, 2.0])
    second.kernel()([1.0, 2.0])
    assert second.traced == 1
    assert list(folder.glob("*.index")) == []
