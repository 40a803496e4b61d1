"""The object cache: used, never trusted, safe to share."""

from __future__ import annotations

import multiprocessing
import os
import stat
import time

import casadi as ca
import platformdirs
import pytest

from linkwork.core.errors import InputError
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


@pytest.mark.parametrize("setting", ["~no-such-user/x", None])
def test_without_a_home_kernels_are_made_anew(monkeypatch, compilations, setting) -> None:
    def homeless(name: str) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_cache_dir", homeless)
    if setting is None:
        monkeypatch.delenv(cache.CACHE_VARIABLE)
    else:
        monkeypatch.setenv(cache.CACHE_VARIABLE, setting)
    assert cache.cache_folder() is None
    make()([0.5])
    make()([0.5])
    assert len(compilations) == 2


def test_an_entry_that_others_could_write_is_not_executed(folder, compilations) -> None:
    make()([0.5])
    (entry,) = entries(folder)
    entry.chmod(0o666)
    make()([0.5])
    assert len(compilations) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX users")
def test_an_entry_of_another_user_is_not_executed(folder, compilations, monkeypatch) -> None:
    make()([0.5])
    (entry,) = entries(folder)
    other = os.stat(entry).st_uid + 1
    original = os.fstat

    def foreign(descriptor: int) -> os.stat_result:
        fields = list(original(descriptor))
        fields[4] = other  # st_uid
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", foreign)
    assert cache.read(entry.stem) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_in_the_place_of_an_entry_does_not_wait(folder, compilations) -> None:
    expected = make()([0.5])
    (entry,) = entries(folder)
    entry.unlink()
    os.mkfifo(entry)
    assert make()([0.5]) == expected
    assert len(compilations) == 2
    assert entry.is_file()


def test_the_least_recently_used_goes_first(folder, monkeypatch) -> None:
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "1")
    content = bytes(100_000)
    old = time.time() - 10 * cache.RECENT
    names = [f"{k:02}" for k in range(9)]
    for k, name in enumerate(names):
        cache.write(name, content)
        os.utime(folder / f"{name}.o", (old + k, old + k))
    cache.write("found", b"by a search", "plan")
    os.utime(folder / "found.plan", (0, 0))
    (folder / ".new-killed").write_bytes(content)
    os.utime(folder / ".new-killed", (0, 0))
    (folder / "somebody-elses.txt").write_text("not ours")
    assert cache.read("01") == content  # used again: no longer the oldest but one
    monkeypatch.setattr(cache, "_written_since_look", cache.LOOK_EVERY)
    cache.write("new", bytes(200_000))
    left = {path.name for path in folder.iterdir()}
    assert "01.o" in left
    assert "new.o" in left
    assert "found.plan" in left
    assert "somebody-elses.txt" in left
    assert not left & {"00.o", "02.o", "03.o", ".new-killed"}
    assert sum(file.size for file in cache.files(folder)) <= 3 << 18


def test_a_clock_that_was_wrong_keeps_nothing_for_ever(folder, monkeypatch) -> None:
    """Entries and unfinished files that are dated into the future."""
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "1")
    later = time.time() + 10 * 365 * 24 * 3600
    cache.write("used", b"in the future as well")
    for name in ("future.o", ".new-killed"):
        (folder / name).write_bytes(bytes(390_000))
        os.utime(folder / name, (later, later))
    os.utime(folder / "used.o", (later, later))
    assert cache.read("used") == b"in the future as well"
    cache.write("now", bytes(390_000))
    monkeypatch.setattr(cache, "_written_since_look", cache.LOOK_EVERY)
    cache.write("new", bytes(390_000))
    assert {path.name for path in folder.iterdir()} == {"used.o", "now.o", "new.o"}


def test_below_the_limit_nothing_goes(folder, monkeypatch) -> None:
    monkeypatch.setattr(cache, "_written_since_look", cache.LOOK_EVERY)
    cache.write("a", bytes(1000))
    cache.write("b", bytes(1000))
    assert {path.name for path in folder.iterdir()} == {"a.o", "b.o"}


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "\u00b2"])
def test_bad_limits(monkeypatch, text) -> None:
    monkeypatch.setenv(cache.LIMIT_VARIABLE, text)
    with pytest.raises(InputError, match="integer of MiB"):
        cache.limit()


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
