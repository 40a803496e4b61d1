"""Files of reports: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from linkwork.tables import write_whole


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Put `content` into a file; a failure leaves what was there."""
    target = Path(path)

    def write(file: BinaryIO) -> None:
        file.write(content)

    write_whole(target, write)
    return target
