"""Models of bundled robots from the cache: the same numbers, and nothing else passes for them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.package_digest import Sources
from linkwork.kernels import cache, recipes
from linkwork.model import robot_files
from linkwork.robot.compiled import recipe_of
from linkwork.robot.loading import bundled_model


def untraced() -> recipes.Expression:
    raise AssertionError("a name does not need the expression")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """Names of robots whose files were read."""
    names = []
    original = robot_files.read_robot

    def counted(source, *options):
        names.append(source)
        return original(source, *options)

    monkeypatch.setattr(robot_files, "read_robot", counted)
    return names


def key_of(model) -> str:
    """What a kernel's name in the index depends on: every bit of every number."""
    key = recipes.index_key(recipe_of((model,), untraced), "machine")
    assert key is not None
    return key


@pytest.mark.parametrize("name", lw.bundled_names())
def test_a_stored_model_is_the_same(read, name) -> None:
    first, second = bundled_model(name), bundled_model(name)
    assert read == [name]
    assert type(first) is type(second)
    assert key_of(first) == key_of(second)


def test_a_stored_model_is_read_only(read) -> None:
    bundled_model("planar-2r")
    body = bundled_model("planar-2r").joints[0].body
    assert read == ["planar-2r"]
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 1.0
    with pytest.raises(AttributeError):
        body.mass = 2.0


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x80\x04N."])
def test_a_damaged_entry_is_read_again(folder, read, content) -> None:
    expected = bundled_model("planar-2r")
    (entry,) = folder.glob("*.model")
    entry.write_bytes(content if content == b"" else cache.seal(entry.name, content))
    again = bundled_model("planar-2r")
    assert key_of(again) == key_of(expected)
    assert read == ["planar-2r"] * 2


def test_other_readers_read_again(monkeypatch, read) -> None:
    bundled_model("planar-2r")
    monkeypatch.setattr(Sources, "_digest_now", lambda files: "edited")
    bundled_model("planar-2r")
    monkeypatch.setattr(Sources, "_digest_now", lambda files: None)
    bundled_model("planar-2r")
    assert read == ["planar-2r"] * 3


def test_files_of_users_are_always_read(tmp_path, read) -> None:
    path = tmp_path / "mine.yaml"
    lw.write_robot(lw.load("planar-2r").model, path)
    for _ in range(2):
        np.testing.assert_array_equal(lw.load(path).model.gravity, [0, -9.81, 0])
    assert read.count(path) == 2
