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
    ["processor time of a MATLAB program", "not repeated: it belongs to a machine, not to the method"],
]

MISPRINTS = [
    ["(15)", "subscript of the axial part is l", "it is t"],
    ["(21)", "w_u w_v × l n", "w_u w_v c × l n"],
    ["(25)", "... - w_u w_v", "[(alpha_n.u)(u.n) + w_u w_v (c.n)] / (1 - (u.n)²)"],
    ["(40)", "obtained from (36)", "obtained from (38)"],
    ["(42)", "L_ui + I_di", "I_ui + I_di"],
    ["(43)", "L_ui in the term with m_d", "L_di"],
    ["Appendix 1, S_i", "2 w × l n", "2 w × (rate of l) n"],
    ["Appendix 2", "u_i is not tabulated", "k_i of Dasgupta and Mruthyunjaya taken here"],
    ["Appendix 2", "L_uo has z = -0.08", "Dasgupta has +0.08, which fits his text; taken here"],
    ["Appendix 2, Path 1", "0.08 m/s for 6 s", "0.5 m in 6 s is 0.0833 m/s; taken here"],
    [
        "section 9",
        "Figs. 9, 10 'for path 1 and path 2'",
        "Paths 2 and 3, as the captions say",
    ],
]
