"""What is said of a description that is at fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linkwork.core.errors import RobotFileError
from linkwork.robot.loading import load


def faults(source: Any) -> tuple[str, ...]:
    with pytest.raises(RobotFileError) as caught:
        load(source)
    return caught.value.faults


def faults_of_text(folder: Path, text: str | bytes) -> tuple[str, ...]:
    path = folder / "robot.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RobotFileError) as caught:
        load(path)
    assert caught.value.source == str(path)
    return caught.value.faults


def assert_beginnings(found: tuple[str, ...], expected: list[str]) -> None:
    assert len(found) == len(expected), "\n".join(found)
    for fault, beginning in zip(found, expected, strict=True):
        assert fault.startswith(beginning)
