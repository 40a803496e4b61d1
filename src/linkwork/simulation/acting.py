"""What acts on the plants of a batch: variations, loads that change and wrenches over time."""

from __future__ import annotations

import numpy as np

from linkwork.interface.robot import Array
from linkwork.mechanics.plant import Plant
from linkwork.simulation.payloads import Loads
from linkwork.simulation.plants import WRENCH
from linkwork.simulation.stick_slip import Indices
from linkwork.simulation.wrenches import WrenchTable


class Acting:
    """Rows of every variation, in the order of the kernels' inputs; one row serves all loops."""

    def __init__(
        self,
        plant: Plant,
        fixed: dict[str, Array],
        loads: Loads | None = None,
        table: WrenchTable | None = None,
    ) -> None:
        # In the order of the kernel's inputs, whatever the order of the user's dictionary.
        self._rows = {name: np.atleast_2d(fixed[name]) for name in plant.variations if name in fixed}
        self._loads, self._table = loads, table

    @property
    def changes(self) -> tuple[float, ...]:
        """Times at which a load or a wrench jumps."""
        loads = () if self._loads is None else self._loads.changes
        return (*loads, *(() if self._table is None else self._table.jumps))

    def change(self, time: float) -> None:
        """The load from a time on."""
        if self._loads is not None:
            self._rows["payload"] = self._loads.at(time)[None]

    def wrench(self, time: float) -> Array:
        """The wrench at a time, (1, 6) or one for every loop."""
        if self._table is not None:
            return self._table.at(time)[None]
        return self._rows.get(WRENCH, np.zeros((1, 6)))

    def over(self, begin: Array, length: Array, some: Indices | None = None) -> list[Array]:
        """Inputs of steps that begin at `begin` (k,), for all loops or for `some` of them."""
        found = []
        for name, rows in self._rows.items():
            values = rows[some] if some is not None and len(rows) > 1 else rows
            if name == WRENCH and self._table is not None:
                values = self._table.over_steps(begin, length)
            elif name == WRENCH:
                values = np.tile(values, 3)
            found.append(values)
        return found
