"""What the report shows and where it slips: the tables of words on its page."""

from __future__ import annotations

CONTENTS = [
    ["Fig. 1: link frames", "drawn from a model"],
    ["Fig. 2: vectors between origins", "drawn from a model"],
    ["Fig. 3: a mass element of a link", "drawn from a model"],
    ["Fig. 4: forces and moments on a link", "drawn with computed forces"],
    ["Table 1: complexity of the formulations", "printed beside traced"],
    ["Table 2: Lagrange terms", "rows checked, total corrected"],
    ["Tables 3, 4: Newton-Euler terms, and modified", "rows traced, totals corrected"],
    ["Table 5: simultaneous steps", "rows checked, beside our kernel's longest chain"],
    ["section 7: simulation", "repeated; the report shows no result of its own"],
]

OTHERS = [
    ["(2.1), (2.7)", "two signs of the potential energy", "wrong twice, so the result is right"],
    ["(2.6)", "the rates are missing", "times rate j and rate k"],
    ["(2.9), (2.11), sections 4, 7", "lost dots", "tau = M(q) qdd + C(q, qd) + G(q)"],
    ["(4.11)", "m_i missing", "as in the line before"],
    ["(4.17)", "m_i twice in the gravity term", "once"],
    ["(4.29), (4.32)", "a rotation missing", "R between frames i-1 and i"],
    ["(4.30)-(4.33)", "m_{i+1} missing", "times m_{i+1}"],
    ["section 3", "C_jk by strobing joints j and k", "gives C_jj + C_kk + 2 C_jk; see above"],
    ["Appendix", "'total additions', 'total multiplications'", "exchanged"],
]
