"""What an export consists of, and whether it may go into a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from linkwork.core.errors import WriteError

CHECK = "check.json"


@dataclass(frozen=True)
class Package:
    """Files by their path within the folder, and remarks: what the target cannot say or was left out."""

    files: Mapping[str, bytes]
    remarks: tuple[str, ...] = field(default=())


def filled(file: str, **values: str) -> str:
    """A text that comes with the exports, with values for its @NAMES@; in values these mean nothing."""
    text = resources.files("linkwork.exports").joinpath(file).read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], text)


def with_check(name: str, content: bytes, check: object, script: str) -> dict[str, bytes]:
    """A file, states with results, and a Python script that compares."""
    return {name: content, CHECK: json_bytes(check), "check.py": script.encode()}


def json_bytes(content: object) -> bytes:
    """As a file."""
    return (json.dumps(content, indent=1) + "\n").encode()


def check_file(path: Path, force: bool) -> None:
    """Refuse, before any work is done, a file that cannot be written or is there."""
    if not path.parent.is_dir():
        raise WriteError(f"{path} cannot be written: there is no folder {path.parent}.")
    if path.exists() and not force:
        raise WriteError(
            f"{path} exists. Choose another name, or force=True (--force), which replaces it."
        )


def check_folder(path: Path, force: bool) -> None:
    """Refuse, before any work is done, a folder that cannot be written to or holds something."""
    if not path.parent.is_dir():
        raise WriteError(f"{path} cannot be written: there is no folder {path.parent}.")
    try:
        path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror}.") from error
    if path.exists() and not path.is_dir():
        raise WriteError(f"{path} cannot be written: it is a file, and an export is a folder.")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise WriteError(
            f"{path} is not empty. Choose another folder, or force=True (--force), which replaces files "
            "of the same names and leaves the others."
        )
