"""Results as tables and labeled arrays: one description for CSV columns, pandas and xarray."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.table_files import Columns

if TYPE_CHECKING:
    import pandas
    import xarray

AXES = {
    "position": "coordinate", "reference": "coordinate", "velocity": "rate", "acceleration": "rate",
    "effort": "actuator", "error": "difference",
}  # fmt: skip
INSTALL = "needs {0}: pip install {0}, or linkwork[arrays]"


@dataclass(frozen=True, eq=False)
class Labeled:
    """An array whose axes are named; `labels` are those of the last one, if it has any.

    `units` is one for all numbers or one for each label. `headers` are names of columns where these are
    not NAME_LABEL.
    """

    values: Any
    dims: tuple[str, ...]
    labels: Sequence[str] = ()
    units: str | Sequence[str] = ""
    headers: Sequence[str] = ()

    @property
    def by_label(self) -> list[str]:
        """A unit for each label."""
        return [self.units] * len(self.labels) if isinstance(self.units, str) else [*self.units]

    @property
    def unit(self) -> str:
        """The unit of all numbers, or all of their units."""
        if isinstance(self.units, str):
            return self.units
        return " or ".join(dict.fromkeys(unit for unit in self.units if unit))


@dataclass(frozen=True, eq=False)
class LabeledTable:
    """Arrays by name. Those along `row` alone, or along it and labels, are the columns of a table."""

    row: str
    arrays: Mapping[str, Labeled]
    facts: Mapping[str, str] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """By the name that a CSV gives them."""
        return {name: values for name, values, _ in self._columns()}

    def units(self) -> dict[str, str]:
        """Of the columns that have one."""
        return {name: unit for name, _, unit in self._columns() if unit}

    def _columns(self) -> Iterator[tuple[str, Any, str]]:
        for name, each in self.arrays.items():
            if each.dims == (self.row,):
                yield name, each.values, each.unit
            elif each.dims[0] == self.row and len(each.dims) == 2:
                headers = each.headers or [f"{name}_{label}" for label in each.labels]
                for k, (header, unit) in enumerate(zip(headers, each.by_label, strict=True)):
                    yield header, each.values[:, k], unit


def axes_of(labels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A name for the labeled axis of each group of numbers: one for those with the same labels."""
    known: dict[tuple[str, ...], str] = {}
    return {
        group: known.setdefault(tuple(names), AXES.get(group, f"{group}_component"))
        for group, names in labels.items()
    }


class Tabular(ABC):
    """What leaves as a table with the columns of its CSV, or as labeled arrays."""

    @abstractmethod
    def table(self) -> LabeledTable:
        """All arrays with the names of their axes."""

    def columns(self) -> Columns:
        """Every column by name, for tables."""
        return self.table().columns()

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the columns of the CSV; `attrs["units"]` has their units by name."""
        try:
            import pandas
        except ImportError:
            raise LinkworkError(f"to_pandas {INSTALL.format('pandas')}") from None
        table = self.table()
        frame = pandas.DataFrame(table.columns())
        frame.attrs |= {"units": table.units(), **table.facts}
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """A Dataset of arrays with named dimensions; each has its unit in `attrs["units"]`.

        Where labels have units of their own, a coordinate NAME_unit beside them has these.
        """
        try:
            import xarray
        except ImportError:
            raise LinkworkError(f"to_xarray {INSTALL.format('xarray')}") from None
        table = self.table()
        found = xarray.Dataset(attrs=dict(table.facts))
        for name, each in table.arrays.items():
            if each.dims == (name,):
                found = found.assign_coords({name: (each.dims, each.values, {"units": each.unit})})
                continue
            found[name] = (each.dims, each.values, {"units": each.unit} if each.unit else {})
            if len(each.labels):
                last = each.dims[-1]
                found = found.assign_coords({last: np.array(each.labels, dtype=str)})
                if not isinstance(each.units, str) and len({*each.units}) > 1:
                    units = np.array(each.units, dtype=str)
                    found = found.assign_coords({f"{name}_unit": ((last,), units)})
        return found
