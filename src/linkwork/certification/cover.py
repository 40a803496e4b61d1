"""Whether boxes cover a region, exactly: only ends are compared, nothing is computed."""

from __future__ import annotations

import numpy as np

from linkwork.certification.boxes import Array, Boxes


def uncovered(region: Boxes, boxes: Boxes) -> Array | None:
    """Ends (2, d) of a part of a region that no box holds, or None.

    A part is cut at a face of a box that lies within it, where the fewest boxes are cut too, until one
    box holds it whole. Faces of bisected boxes cut nothing, so that this takes as many steps as boxes.
    """
    waiting = [(region.low[0], region.high[0], boxes.low, boxes.high)]
    while waiting:
        low, high, lows, highs = waiting.pop()
        flat = low == high
        meets = ((lows < high) & (highs > low) | flat & (lows <= high) & (highs >= low)).all(axis=1)
        lows, highs = lows[meets], highs[meets]
        if ((lows <= low) & (highs >= high)).all(axis=1).any():
            continue
        cut = _cut(low, high, lows, highs)
        if cut is None:
            return np.stack([low, high])
        k, at = cut
        left, right = high.copy(), low.copy()
        left[k] = right[k] = at
        waiting += [(low, left, lows, highs), (right, high, lows, highs)]
    return None


def _cut(low: Array, high: Array, lows: Array, highs: Array) -> tuple[int, float] | None:
    """Direction and place of a face within, which cuts few boxes and parts them evenly."""
    best, found = np.inf, None
    for k in np.flatnonzero(low < high):
        starts, ends = np.sort(lows[:, k]), np.sort(highs[:, k])
        faces = np.unique(np.concatenate([starts, ends]))
        faces = faces[(faces > low[k]) & (faces < high[k])]
        if not len(faces):
            continue
        left = np.searchsorted(starts, faces, side="left")
        right = len(ends) - np.searchsorted(ends, faces, side="right")
        cost = left + right + np.maximum(left, right)
        if cost.min() < best:
            best, found = cost.min(), (int(k), float(faces[np.argmin(cost)]))
    return found
