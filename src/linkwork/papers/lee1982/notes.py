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
    [
        "(2.13)",
        r"\(\frac{\partial p_0^i}{\partial q_j} = \sum_{k=1}^{i}\cdots\)",
        r"\(\sum_{k=j}^{i}\cdots\)",
    ],
    [
        "(2.14)",
        r"\(\frac{\partial^2 p_0^i}{\partial q_j\,\partial q_k} = \sum_{m=1}^{i} A_0^{i-1}\cdots\)",
        r"\(\sum_{m=k}^{i} A_0^{j-1}\cdots\), for \(j \le k\)",
    ],
    [
        "(2.21)",
        r"\(I_i = \mathrm{tr}(J_i - \bar r_i\bar r_i^t)\,U - (J_i - \bar r_i\bar r_i^t)\)",
        r"\(I_i = \mathrm{tr}(J_i - m_i\bar r_i\bar r_i^t)\,U - (J_i - m_i\bar r_i\bar r_i^t)\)",
    ],
    [
        "(3.3)",
        r"\(\left(\frac{\partial T_0^i}{\partial q_k}\,\dot q_k\right)^t\dot q_j\,\dot q_k\)",
        r"\(\left(\frac{\partial T_0^i}{\partial q_k}\right)^t\dot q_j\,\dot q_k\)",
    ],
    [
        "(3.8)",
        r"\(\sum_{k=i}^{6}\sum_{j=1}^{k}\mathrm{tr}\{\cdots\}\)",
        r"\(D_{ij} = \sum_{k=\max(i,j)}^{6}\mathrm{tr}\{\cdots\}\)",
    ],
    [
        "(3.9)",
        r"\(\sum_{m=1}^{6}\sum_{j=1}^{m}\sum_{k=1}^{m}\)",
        r"\(\sum_{m=i}^{6}\sum_{j=1}^{m}\sum_{k=1}^{m}\)",
    ],
    [
        "(3.10)",
        r"\(\sum_{j=1}^{6} m_j\,g\,\frac{\partial T_0^j}{\partial q_i}\,\bar r_j\)",
        r"\(-\sum_{j=i}^{6} m_j\,g\,\frac{\partial T_0^j}{\partial q_i}\,\bar r_j\), as in (3.6)",
    ],
    [
        "(4.15)",
        r"\(-\bar r_i\times(\alpha_i\times\bar r_i)"
        r" - \bar r_i\times(\omega_i\times(\omega_i\times\bar r_i))\)",
        r"\(-m_i\,\bar r_i\times(\alpha_i\times\bar r_i)"
        r" - m_i\,\bar r_i\times(\omega_i\times(\omega_i\times\bar r_i))\)",
    ],
    [
        "(4.21)",
        r"\(m_i(\bar r_i + r_i)\times A_i^0\,m_i\,g\,z_0\)",
        r"\(m_i(\bar r_i + r_i)\times A_i^0\,g\,z_0\)",
    ],
    [
        "(4.32)",
        r"\(+\,m_i\,g\,\frac{\partial T_0^i}{\partial\vartheta_i}\,\bar r_i\)",
        r"\(-\,m_i\,g\,\frac{\partial T_0^i}{\partial\vartheta_i}\,\bar r_i\), the sign of (3.5)",
    ],
    [
        "section 5",
        "natural frequency 'not over ten hertz'",
        r"\(\sqrt{K_p} = 10\ \mathrm{rad/s}\), which is 1.6 Hz",
    ],
    ["last figure", "Figure 3: joint six", "Figure 8"],
]
