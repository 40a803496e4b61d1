"""What the chapter shows and where it slips: the tables of words on its page."""

from __future__ import annotations

CONTENTS = [
    ["Figs. 7.2, 7.3: a revolute and a prismatic joint", "drawn from a model"],
    ["Figs. 7.4, 7.5: free-body diagrams of a link and of the end-effector", "with computed forces"],
    ["Table 7.1: complexity of the kinematics", "rows traced"],
    ["Table 7.2: complexity of the dynamics", "rows traced"],
    ["Tables 7.3, 7.4: other algorithms", "checked against each other, ours added"],
    ["Algorithms 7.4.1, 7.4.2", "run as printed and put right"],
    ["(7.45)-(7.58): natural orthogonal complement", "every promise checked on three arms"],
    ["worked examples with numbers", "none in sections 7.4 and 7.5 as we have them, to (7.58)"],
]

OTHERS = [
    ["(7.24a)", r"\(v_2\) in the second column", r"\(v\), which (7.24b) defines"],
    ["Table 7.1", r"no row for \(c_i\)", r"\(8n\) and \(10n\), which the total contains"],
    ["Table 7.4", "Balafoutis and Patel: 420 additions", r"\(81\cdot 6 - 65 = 421\), from Table 7.3"],
    [
        "(7.38a, b)",
        r"\(n_n^P = \cdots - n + \rho_n\times f_n^P\): the tip force acts at the mass centre",
        r"at \(O_n\) it costs one more arm, 6 and 6 operations",
    ],
]
