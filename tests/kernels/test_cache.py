"""The object cache: used, never trusted, safe to share."""

from __future__ import annotations

import multiprocessing
import os
import stat

import casadi as ca
import pytest

from linkwork.kernels import Kernel, cache, machine


def make(factor: float = 3.0) -> Kernel:
    x = ca.SX.sym("x", 1)
    return Kernel(ca.Function("f", [x], [factor * ca.sin(x)], ["x"], ["y"]), ((1,),))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(path))
    return path


@pytest.fixture
def compilations(monkeypatch):
    calls = []
    original = machine.compile_object

    def counted(text, target):
        calls.append(text)
        return original(text, target)

    monkeypatch.setattr(machine, "compile_object", counted)
    return calls


def entries(folder) -> list:
    return sorted(folder.glob("*.o"))


def test_second_kernel_comes_from_the_cache(folder, compilations) -> None:
    assert make()([0.5]) == make()([0.5])
    assert len(compilations) == 1
    assert len(entries(folder)) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    make(4.0)([0.5])
    assert len(compilations) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:100],
        lambda content: content[:-1],
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        lambda content: b"not an object file",
        lambda content: b"SEALED",
    ],
)
def test_damaged_entry_is_made_again(folder, compilations, damage) -> None:
    expected = make()([0.5])
    (entry,) = entries(folder)
    sound = entry.read_bytes()
    content = damage(sound)
    if content == b"SEALED":  # by our own seal, yet no object code
        content = cache.seal(entry.name, b"nonsense")
    entry.write_bytes(content)
    assert make()([0.5]) == expected
    assert len(compilations) == 2
    assert entry.read_bytes() == sound


def test_foreign_object_without_entry_points(folder, compilations) -> None:
    target = make().target
    foreign = machine.compile_object(
        f'target triple = "{target.triple}"\ndefine void @other() {{\n ret void\n}}\n', target
    )
    expected = make()([0.5])
    (entry,) = entries(folder)
    entry.write_bytes(cache.seal(entry.name, foreign))
    assert make()([0.5]) == expected


def test_entry_of_another_kernel_is_not_trusted(folder) -> None:
    make(3.0)([0.5])
    (three,) = entries(folder)
    content = three.read_bytes()
    expected = make(4.0)([0.5])
    (four,) = set(entries(folder)) - {three}
    four.write_bytes(content)
    assert make(4.0)([0.5]) == expected


def test_cache_can_be_switched_off(monkeypatch, compilations) -> None:
    monkeypatch.setenv(cache.CACHE_VARIABLE, "off")
    make()([0.5])
    make()([0.5])
    assert len(compilations) == 2


def test_folder_that_others_may_write_is_not_used(folder, compilations) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    make()([0.5])
    assert entries(folder) == []


def test_folder_that_cannot_be_made(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    assert make()([0.5]).shape == (1,)


def _race(folder: str, start, results) -> None:
    os.environ[cache.CACHE_VARIABLE] = folder
    start.wait()
    results.put(float(make()([0.5])[0]))


def test_processes_may_race(folder) -> None:
    context = multiprocessing.get_context("spawn")
    start, results = context.Event(), context.Queue()
    workers = [context.Process(target=_race, args=(str(folder), start, results)) for _ in range(3)]
    for worker in workers:
        worker.start()
    start.set()
    values = {results.get(timeout=60) for _ in workers}
    for worker in workers:
        worker.join()
    assert values == {float(make()([0.5])[0])}
    assert len(entries(folder)) == 1
    assert list(folder.glob(".new-*")) == []
