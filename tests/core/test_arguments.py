"""Checks of arguments that all packages share."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.core.arguments import whole
from linkwork.core.errors import InputError


def test_a_whole_number_is_one_number_within_its_bounds() -> None:
    assert whole(3, "samples", 2, 10) == whole(np.int64(3), "samples", 2, 10) == 3
    for wrong in (True, 3.0, 2.5, 1, 11, float("nan"), [3], "3"):
        with pytest.raises(InputError, match="samples"):
            whole(wrong, "samples", 2, 10)  # type: ignore[arg-type]
