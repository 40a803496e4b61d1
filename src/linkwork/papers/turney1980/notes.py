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
    ["section 6: cost of strobing, in words", "counted"],
    ["Table 5: simultaneous steps", "rows checked, beside a schedule on p processors"],
    ["section 7: simulation", "repeated; the report shows no result of its own"],
]

OTHERS = [
    ["(2.1), (2.7)", "two signs of the potential energy", "wrong twice, so the result is right"],
    [
        "(2.6)",
        r"\(\mathrm{tr}\left\{\sum_j\sum_k U_{qj}\,J_q\,U_{qk}^t\right\}\)",
        r"\(\mathrm{tr}\left\{\sum_j\sum_k U_{qj}\,J_q\,U_{qk}^t\,\dot q_j\,\dot q_k\right\}\)",
    ],
    [
        "(2.9), (2.11), sections 4, 7",
        r"\(\tau = M(\dot\vartheta)\,\ddot\vartheta + C(\dot\vartheta,\vartheta)\,\dot\vartheta"
        r" + G(\vartheta)\), and other lost dots",
        r"\(\tau = M(\vartheta)\,\ddot\vartheta + C(\vartheta,\dot\vartheta) + G(\vartheta)\)",
    ],
    [
        "(4.11)",
        r"\(\bar r_i\times(\alpha_i\times\bar r_i)\)",
        r"\(m_i\,\bar r_i\times(\alpha_i\times\bar r_i)\)",
    ],
    ["(4.17)", r"\(m_i\,m_i\,g\)", r"\(m_i\,g\)"],
    ["(4.29), (4.32)", "a rotation missing", r"\(R_{i-1}^{i}\) between the frames"],
    ["(4.30)-(4.33)", r"\(\bar a_{i+1}\)", r"\(m_{i+1}\,\bar a_{i+1}\)"],
    [
        "section 3",
        r"\(C_{jk}^i = \tau_i(\dot q = e_j + e_k)\)",
        r"\(C_{jk}^i = \frac{1}{2}\left[\tau_i(e_j+e_k) - C_{jj}^i - C_{kk}^i\right]\); see above",
    ],
    [
        "Appendix, second derivatives",
        r"\(16\,n(n^2-1)\) additions",
        r"\(8\,n(n^2-1)\), as in Table 2: 48 additions beside 64 multiplications of two 4 × 4 matrices",
    ],
    ["Appendix, totals", "'total additions', 'total multiplications'", "exchanged"],
]
