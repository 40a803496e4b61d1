"""Damaged files of every kind: a sound answer or a message of ours, in bounded time and memory."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("viser", reason="requests to the studio are among them")

from tests.mutated import attack, kinds, mutated

FEW, SHARDS, MANY = 700, 20, 5000


def test_sound_files_are_read(tmp_path) -> None:
    for kind in kinds(tmp_path):
        file = tmp_path / kind.name
        file.write_bytes(kind.content)
        kind.read(file)
        assert any(mutated(kind.content, np.random.default_rng(k)) != kind.content for k in range(3))


def test_damaged_files(tmp_path) -> None:
    read, refused = attack(kinds(tmp_path), tmp_path, FEW, 0)
    assert read.total() + refused.total() == FEW
    assert read
    assert refused


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, SHARDS + 1))
def test_100_000_damaged_files(tmp_path, seed) -> None:
    several = kinds(tmp_path)
    read, refused = attack(several, tmp_path, MANY, seed)
    assert {*refused} == {kind.name for kind in several}  # of every kind some
    assert read.total() > MANY / 10
