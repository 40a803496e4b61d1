"""Solutions that meet: leg lengths of a singular pose, where Newton's method fails.

Two solutions that meet at the end of their paths, t = 1, go there as the root of 1 - t. In
s = sqrt(1 - t) they are smooth: samples at some s, where they are still apart and regular, are
extrapolated to s = 0 by a polynomial (Neville; Morgan, Sommese and Wampler 1992).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.interface.assembly_paths import ComplexArray, Solved, distances, parts, track
from linkwork.interface.assembly_proof import prove
from linkwork.interface.compiled import Array

FIRST_SAMPLES = (0.02, 0.005)  # of s; the others are halves of halves
SAMPLES = 6
SAME = 1e-6  # distance of ends that have met
AT_INFINITY = 1e-6  # |N| / |e|^2 of an end that belongs to no pose
LARGEST_IMAGINARY = 1e-6


@dataclass(frozen=True, eq=False)
class Meeting:
    """A point (8,) where solutions meet, how many, and whether it is real."""

    point: Array
    multiplicity: int
    real: bool


def meetings(start: Solved, target: ComplexArray) -> list[Meeting]:
    """Where paths from `start` meet at `target`."""
    found: list[Meeting] = []
    for first in FIRST_SAMPLES:
        ends = _ends(start, target, np.ldexp(first, -np.arange(SAMPLES)))
        found = _clusters(ends)
        if found:
            break
    return found


def _ends(start: Solved, target: ComplexArray, s: Array) -> ComplexArray:
    """Ends of those paths that reach all samples, extrapolated, (k, 8) of norm one."""
    way = target - start.parameters
    samples: list[ComplexArray] = []
    here, whole = start, np.ones(len(start.solutions), dtype=bool)
    for value in s:
        at = start.parameters + (1 - value * value) * way
        points, arrived, _ = track(here, at).in_order()
        whole &= arrived
        points = prove(parts(points), at).points
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        if samples:  # a solution is a direction: its phase is that of the sample before
            overlap = (samples[-1].conj() * points).sum(axis=1, keepdims=True)
            points *= overlap.conj() / np.abs(overlap)
        samples.append(points)
        here = Solved(at, points)
    for k in range(1, len(s)):
        samples = [
            (s[i + k] * samples[i] - s[i] * samples[i + 1]) / (s[i + k] - s[i])
            for i in range(len(s) - k)
        ]
    ends = samples[0][whole]
    return np.asarray(ends / np.linalg.norm(ends, axis=1, keepdims=True))


def _clusters(ends: ComplexArray) -> list[Meeting]:
    near = distances(ends) < SAME
    found, left = [], np.ones(len(ends), dtype=bool)
    for k in range(len(ends)):
        members = np.flatnonzero(near[k] & left)
        if not left[k] or len(members) < 2:
            continue
        left[members] = False
        e = ends[k, :4]
        if abs((e * e).sum()) < AT_INFINITY * (np.abs(e) ** 2).sum():
            continue
        turned = ends[members] * np.exp(-0.5j * np.angle((ends[members] ** 2).sum(axis=1)))[:, None]
        turned *= np.where((turned.conj() @ turned[0]).real < 0, -1, 1)[:, None]
        middle = turned.mean(axis=0)
        real = bool(np.abs(middle.imag).max() < LARGEST_IMAGINARY)
        found.append(Meeting(middle.real, len(members), real))
    return found
