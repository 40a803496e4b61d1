"""What the paper shows and where it slips: the tables of words on its page."""

from __future__ import annotations

CONTENTS = [
    ["Fig. 1: parameters of a coordinate system", "drawn from a model"],
    ["Fig. 2: flow chart of the simulation", "drawn as the loop that runs here; no numbers in it"],
    ["Figs. 3 to 8: position errors of joints 1 to 6", "computed, one panel each"],
    ["Table 1: operations, Lagrange-Euler controller", "rows and total checked"],
    ["Table 2: operations, Newton-Euler controller", "rows traced, total corrected"],
]

MISPRINTS = [
    ["(2.13), (2.14)", "sums start at k = 1 and m = 1", "they start at j, and at the larger index"],
    ["(2.21)", "rbar rbar'", "m rbar rbar'"],
    ["(3.3)", "an extra rate inside the bracket", "none"],
    ["(3.8)-(3.10)", "sums over i and the sign of G", "sum over k only; minus, as in (3.6)"],
    ["(3.5) and (4.32)", "gravity with opposite signs", "one sign throughout"],
    ["(4.15), (4.21)", "m_i missing, m_i twice", "m_i once"],
    ["section 5", "natural frequency 'not over ten hertz'", "Kp = 100 is 10 rad/s, 1.6 Hz"],
    ["last figure", "Figure 3: joint six", "Figure 8"],
]
