"""What the paper shows and where it slips: the tables of words on its page."""

from __future__ import annotations

CONTENTS = [
    ["Fig. 1: platform and vectors of a pod", "drawn from the data"],
    ["Fig. 2: kinematic model of the universal joint", "drawn from the data"],
    ["Figs. 3, 4: free body diagrams of a pod and of the platform", "drawn with computed forces"],
    ["Figs. 5, 6: Path 1, angular velocities and accelerations", "computed"],
    ["Figs. 7, 8: Path 2, angular velocities and accelerations", "computed"],
    ["Figs. 9, 10: Paths 2 and 3, pod forces", "computed"],
    ["Appendix 2: data of the manipulator and the paths", "those of `dasgupta1998`; see Misprints"],
    ["section 9: 1.58 s of a MATLAB program", "quoted beside times of this machine"],
]

MISPRINTS = [
    [
        "(15)",
        r"\(\omega_l = \omega_n + \omega_l\,n\)",
        r"\(\omega_l = \omega_n + \omega_t\,n\)",
    ],
    [
        "(21)",
        r"\(\ddot L - \omega_u\omega_v\times l\,n - \cdots\)",
        r"\(\ddot L - \omega_u\omega_v\,c\times l\,n - \cdots\)",
    ],
    [
        "(25)",
        r"\(\alpha_t = \frac{(\alpha_n\cdot u)(u\cdot n)}{1-(u\cdot n)^2} - \omega_u\omega_v\)",
        r"\(\alpha_t = \frac{(\alpha_n\cdot u)(u\cdot n) + \omega_u\omega_v\,(c\cdot n)}"
        r"{1-(u\cdot n)^2}\)",
    ],
    [
        "(32), (33), (50), deviation",
        r"\(I = T\,[I_o + m\,(r^2 E - r r^T)]\,T^T\)",
        r"\(I = T\,I_o\,T^T\): \(m\,r\times\ddot r\) of (31) and (49) holds the other part",
    ],
    ["(40)", "obtained from (36)", "obtained from (38)"],
    [
        "(42)",
        r"\(\tilde n\,(L_{u} + I_{d})\,\tilde n / l^2\)",
        r"\(\tilde n\,(I_{u} + I_{d})\,\tilde n / l^2\)",
    ],
    [
        "(43)",
        r"\(m_d\,\{L_d\times[\omega\times(\omega\times L_u)]\}\times n\)",
        r"\(m_d\,\{L_d\times[\omega\times(\omega\times L_d)]\}\times n\)",
    ],
    [
        "Appendix 1",
        r"\(S_i = \cdots - 2\,\omega\times l\,n\)",
        r"\(S_i = \cdots - 2\,\omega\times\dot l\,n\)",
    ],
    [
        "Appendix 2",
        r"\(u_i\) is not tabulated",
        r"\(k_i\) of Dasgupta and Mruthyunjaya taken here; theirs may differ, see above",
    ],
    [
        "Appendix 2",
        r"\(L_{uo}\) has z = -0.08",
        "Dasgupta has +0.08, which fits his text; taken here",
    ],
    [
        "Appendix 2, Path 1",
        "0.08 m/s for 6 s",
        "0.5 m in 6 s is 0.0833 m/s; taken here",
    ],
    [
        "section 9",
        "Figs. 9, 10 'for path 1 and path 2'",
        "Paths 2 and 3, as the captions say",
    ],
]
