"""Reading the tables that the papers leave as CSV."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lists(folder: Path, name: str) -> list[list[str]]:
    """Without names, for tables whose columns share one."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def column(folder: Path, name: str, key: str) -> np.ndarray:
    return np.array([float(row[key]) for row in rows(folder, name)])
