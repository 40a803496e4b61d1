"""Every numbered place of Lee, Chung, Mudge and Turney (1982) with its verdict."""

from __future__ import annotations

from linkwork.papers.entries import damaged, right, undecided, wrong

CHAIN, LAGRANGE = "mechanics/chain/chain.py", "mechanics/chain/lagrange.py"
NEWTON, LAWS = "mechanics/chain/newton_euler.py", "control/laws.py"
FOUND, FIGURES, TRIALS = (f"papers/lee1982/{name}.py" for name in ("findings", "figures", "trials"))
U, TORQUES = f"{LAGRANGE}:Derivatives", f"{LAGRANGE}:torques_from"
THEOREM, LAW = f"{FOUND}:theorem", f"{LAWS}:ModelLaw"
INDEX = "A, Q and the indices of (2.6)-(2.10) throughout"

CLAIMS = (
    *undecided(
        "section_5,_bound",
        "position errors are always within one bit of a 12-bit converter",
        "true of slow and smooth motions, see the page; profile and duration are not given",
        f"{TRIALS}:experiment",
    ),
    *undecided(
        "section_5,_Figs._3-8",
        "errors are slightly 'oscillatory' about the set points",
        "so they are with positions of 12 bits; the figures are not at hand",
        f"{FOUND}:zero_crossings",
    ),
    *undecided(
        "section_5,_one_bit",
        r"one bit is less than \(4.26\cdot 10^{-4}\) radian",
        "4096 steps of it span 100 degrees; the range of a joint is not given",
        f"{TRIALS}:CONVERTER",
    ),
    *right(
        "section_5,_operations",
        "Lagrange takes about 100 times the operations of Newton-Euler, n = 6",
        f"{FOUND}:printed_ratio",
        "149 and 126 times by its own tables; with shared products 8.5 times",
    ),
    *right(
        "section_4,_theorem",
        "(4.4) in the recursion gives the torques of (4.1)",
        THEOREM,
        "to rounding, on random states",
    ),
    *right(
        "section_4,_convergence",
        "the error of (4.3) decays under the conditions (a), (b) and (c)",
        THEOREM,
        r"(c) matters only if \(K_v\) leaves a direction undamped",
    ),
    *right(
        "sections_4_and_5,_gains",
        r"\(K_v = 2\sqrt{K_p} = 20\), critically damped",
        f"{FOUND}:sampled_poles",
        "a double pole at -10 rad/s; sampled at 10 ms still well damped",
    ),
    *undecided(
        "section_5,_frequency",
        r"the natural frequency of a PUMA is unlikely to be over ten hertz, so \(K_p = 100\)",
        r"\(K_p = 100\) is 10 rad/s, which is 1.59 Hz; if ten hertz were meant, it would be 3948",
        f"{FOUND}:sampled_poles",
    ),
    *right(
        "section_5,_computing_time",
        "approximately 3 ms for a set point",
        f"{FOUND}:pdp_time",
        "by its own counts and instruction times",
    ),
    *right(
        "section_1,_Lagrange",
        "control in real time is difficult with the complete Lagrange equations",
        f"{FOUND}:pdp_time",
        "460 ms for a set point by its Table 1 and instruction times, 46 of its periods",
    ),
    *right(
        "section_4,_inertia",
        "D is always nonsingular",
        THEOREM,
        "positive definite, as kinetic energy is; its least eigenvalue on random states stands on the page",
    ),
    *undecided(
        "section_4,_other_methods",
        "what other methods of control lack, such as the effect of unknown loads",
        "other papers, not at hand; computed torque lacks it too: 2.3 kg make an error of 86.1 mrad",
        f"{FOUND}:load_trials",
    ),
    *undecided(
        "section_5,_adaptive_gains",
        "loads that vary within a task call for adaptive control",
        "announced only; here an adaptive law ends worse than plain computed torque after a load is "
        "dropped, unless it is told of the drop; a robust law has the smallest errors untold",
        f"{FOUND}:changing_load_trials",
    ),
)

ENTRIES = (
    damaged(
        "section 2, operations",
        "step (b) from frame to frame",
        r"along \(z_i\)",
        r"along \(z_{i-1}\), as (2.1) has it: an index",
        "model/families/arm.py:dh_joint",
    ),
    *right(
        "(2.1) (2.2)",
        "transformation by Denavit and Hartenberg; rotation and position in it",
        "model/families/arm.py:dh_joint",
    ),
    *right("(2.3)", "inverse of a rotation", f"{CHAIN}:DenseRotation"),
    damaged("(2.4)", "product of rotations", r"\(\prod A_k^k\)", r"\(\prod A_{k-1}^k\)", U),
    *right("(2.5)", "rotation of a cross product", f"{CHAIN}:DenseRotation"),
    damaged(
        "(2.6)",
        "derivative of a rotation",
        r"\(A_0^{i-1}\,Q\,A_{j-1}^i\)",
        r"\(A_0^{j-1}\,Q\,A_{j-1}^i\)",
        U,
    ),
    damaged(
        "(2.7)",
        "the matrix Q",
        r"\(Q_j^i\)",
        r"\(Q_i^i\): with two different indices (2.8) makes it depend on the pose",
        f"{LAGRANGE}:differentiated",
    ),
    *right("(2.8)", "Q as a cross product", f"{LAGRANGE}:differentiated"),
    damaged(
        "(2.9)",
        "derivative by a cross product",
        r"\(A_0^{i-1}(z_j\times A_{j-1}^i)\)",
        r"\(A_0^{j-1}(z_{j-1}\times A_{j-1}^i)\)",
        U,
    ),
    damaged(
        "(2.10)",
        "second derivative of a rotation",
        r"\(A_0^{i-1}(\cdots)\)",
        r"\(A_0^{j-1}(\cdots)\), \(A_0^{k-1}(\cdots)\)",
        U,
    ),
    *right(
        "(2.11) (2.12)",
        "position of an origin from its neighbor; position of an origin from the base",
        "mechanics/chain/kinematics.py:far_frames",
    ),
    damaged(
        "(2.13)",
        "derivative of a position",
        r"\(\sum_{k=1}^{i}\cdots\)",
        r"\(\sum_{k=j}^{i}\cdots\), as Turney (1.18)",
        U,
    ),
    damaged(
        "(2.14)",
        "second derivative of a position",
        r"\(\sum_{m=1}^{i} A_0^{i-1}\cdots\)",
        r"\(\sum_{m=k}^{i} A_0^{j-1}\cdots\), for \(j \le k\), as Turney (1.19)",
        U,
    ),
    *right(
        "(2.15) (2.16) (2.17)",
        "double cross product by a trace; triple product by a trace; Jacobi's identity",
        f"{LAGRANGE}:trace_product",
    ),
    *right("(2.18) (2.19)", "inertia matrix J; elements of J", f"{LAGRANGE}:pieces_of"),
    wrong(
        "(2.20)",
        "J by moments about the center of mass",
        "no products of inertia",
        "they are there unless the axes are principal, which it does not say",
        f"{LAGRANGE}:pieces_of",
    ),
    wrong(
        "(2.21)",
        "I by J",
        r"\(I_i = \mathrm{tr}(J_i - \bar r_i\bar r_i^t)\,U - (J_i - \bar r_i\bar r_i^t)\)",
        r"\(I_i = \mathrm{tr}(J_i - m_i\bar r_i\bar r_i^t)\,U - (J_i - m_i\bar r_i\bar r_i^t)\), by "
        "dimension",
        f"{LAGRANGE}:pieces_of",
    ),
    *right("(2.22)", "augmented J", f"{LAGRANGE}:pieces_of"),
    *right("(3.1) (3.2)", "position of a mass element; velocity of a mass element", U),
    wrong(
        "(3.3)",
        "kinetic energy of a mass element",
        r"\(\left(\frac{\partial T_0^i}{\partial q_k}\,\dot q_k\right)^t\dot q_j\,\dot q_k\)",
        r"\(\left(\frac{\partial T_0^i}{\partial q_k}\right)^t\dot q_j\,\dot q_k\), as in (3.4)",
        "mechanics/chain/kinematics.py:energies",
    ),
    *right(
        "(3.4) (3.5)",
        "kinetic energy; potential energy",
        "mechanics/chain/kinematics.py:energies",
        r"with \(g = (0, 0, -|g|, 0)\)",
    ),
    damaged(
        "(3.6)",
        "Lagrange's equations",
        r"\(\dot q_j\); \(\frac{\partial^2 T_0^m}{\partial q_i\partial q_k}\,J_m\,"
        r"(\frac{\partial T_0^m}{\partial q_l})^t\)",
        r"\(\ddot q_j\) in the first sum: lost dot; \(\frac{\partial^2 T_0^m}{\partial q_j\partial q_k}\,J_m\,"
        r"(\frac{\partial T_0^m}{\partial q_i})^t\), as in (3.9): indices",
        TORQUES,
    ),
    *right("(3.7)", "D, H and G", f"{LAGRANGE}:mass_matrix"),
    wrong(
        "(3.8)",
        "inertia matrix D",
        r"\(\sum_{k=i}^{6}\sum_{j=1}^{k}\mathrm{tr}\{\cdots\}\)",
        r"\(D_{ij} = \sum_{k=\max(i,j)}^{6}\mathrm{tr}\{\cdots\}\): an element has no sum over j",
        f"{LAGRANGE}:mass_matrix",
    ),
    *right(
        "(3.9)",
        "Coriolis and centrifugal vector H",
        f"{LAGRANGE}:coriolis_matrices",
        "its terms below m = i are zero",
    ),
    damaged(
        "(3.10)",
        "gravity vector G",
        r"\(\sum_{j=1}^{6} m_j\,g\,\frac{\partial T_0^j}{\partial q_i}\,\bar r_j\)",
        r"\(-\sum\cdots\), by (3.5) and (3.6) with the same \(g\); a lost sign, or \(g\) as in (4.32)",
        f"{LAGRANGE}:gravity_loads",
    ),
    *right("(3.11) (3.12)", "angular velocity; angular acceleration", f"{CHAIN}:Link.moved"),
    damaged("(3.13)", "acceleration of the origin", r"\(e_i\)", r"\(a_i\)", f"{NEWTON}:wrenches"),
    damaged(
        "(3.14)",
        "acceleration of the center of mass",
        r"\(\bar e_i\)",
        r"\(\bar a_i\)",
        f"{NEWTON}:wrenches",
    ),
    *right(
        "(3.15) (3.16) (3.17) (3.18) (3.19)",
        "total force; total moment; force of the joint; moment of the joint; torque, all in the base frame",
        f"{NEWTON}:wrenches",
    ),
    damaged(
        "(3.20)",
        "moments in the link's frame",
        r"\(A_i^0 I_i A_i^1\)",
        r"\(A_i^0 I_i A_0^i\)",
        f"{NEWTON}:wrenches",
    ),
    *right("(3.21) (3.22)", "angular velocity; angular acceleration", f"{CHAIN}:Link.moved"),
    *right(
        "(3.23) (3.24) (3.25) (3.26)",
        "acceleration of the origin; acceleration of the center of mass; force of the joint; moment of the joint",
        f"{NEWTON}:wrenches",
    ),
    *right("(3.27)", "torque", f"{CHAIN}:Link.along_axis"),
    damaged(
        "after (3.27)",
        "how the recursion begins",
        r"\(\varepsilon_0 = g\,z_0\)",
        r"\(a_0 = g\,z_0\): a letter",
        f"{CHAIN}:chain_of",
    ),
    damaged(
        "after (4.1)",
        "names of what the controller computes, and of the error",
        r"\(D_2\), \(H_2\), \(G_2\); \(\lim c(t)\)",
        r"\(D_a\), \(H_a\), \(G_a\), as in Table 1; \(\lim e(t)\)",
        LAW,
    ),
    *right("(4.1) (4.2) (4.3)", "computed torque; with the arm's equations; equation of the error", LAW),
    *right("(4.4)", "the law through the recursion", LAW),
    damaged("(4.5)", "angular velocity as a sum", r"\(A_j^{j-1}\)", r"\(A_i^{j-1}\)", THEOREM),
    damaged("(4.6)", "angular acceleration as a sum", r"\(A_j^{k-1}\)", r"\(A_i^{k-1}\)", THEOREM),
    damaged(
        "(4.7)",
        r"\(\omega\times(\omega\times r)\) as a sum",
        r"\(Q_j^{i-1}\)",
        r"\(Q_i^{j-1}\)",
        THEOREM,
    ),
    damaged(
        "(4.8)",
        r"\(\alpha\times r\) as a sum",
        r"\(\alpha_j\times r_j\)",
        r"\(\alpha_i\times r_i\)",
        THEOREM,
    ),
    damaged("(4.9)", "acceleration of the origin", r"\(Q_j^{i-1}\)", r"\(Q_i^{j-1}\)", THEOREM),
    wrong(
        "(4.10)",
        "acceleration of the origin, factored",
        r"no \(A_i^0\,g\,z_0\)",
        r"with it, as in (4.9) and (4.11)",
        THEOREM,
    ),
    wrong(
        "(4.11)",
        "acceleration by derivatives",
        "the term of the acceleration within the double sum",
        "in a sum over j alone",
        THEOREM,
    ),
    damaged(
        "(4.12)",
        "acceleration of the center of mass",
        r"\(A_{j-1}^{j-1}\), \(A_j^i\,\dot\vartheta_j\dot\vartheta_k + \bar a_i\)",
        r"\(Q_{j-1}^{j-1}\), \(A_j^i\,\bar r_i\,\dot\vartheta_j\dot\vartheta_k + a_i\)",
        THEOREM,
    ),
    damaged(
        "(4.13)",
        "acceleration by derivatives",
        r"\(\frac{\partial p_0^i}{\partial\vartheta_j\partial\vartheta_k}\)",
        r"\(\frac{\partial^2 p_0^i}{\partial\vartheta_j\partial\vartheta_k}\)",
        THEOREM,
    ),
    *right("(4.14)", "torque without upper links", THEOREM),
    wrong(
        "(4.15)",
        "torque with J",
        r"\(-\bar r_i\times(\alpha_i\times\bar r_i)"
        r" - \bar r_i\times(\omega_i\times(\omega_i\times\bar r_i))\)",
        r"\(-m_i\,\bar r_i\times(\alpha_i\times\bar r_i)"
        r" - m_i\,\bar r_i\times(\omega_i\times(\omega_i\times\bar r_i))\), by dimension",
        THEOREM,
    ),
    *right("(4.16)", "J terms as integrals", THEOREM),
    damaged("(4.17)", "terms before as a trace", r"\(L_4^{i-1}\)", r"\(A_i^{i-1}\)", THEOREM),
    *(
        damaged(place, "J terms expanded", "letters L, c, v and indices", INDEX, THEOREM)
        for place in ("(4.18)", "(4.19)", "(4.20)")
    ),
    wrong(
        "(4.21)",
        "gravity term",
        r"\(m_i(\bar r_i + r_i)\times A_i^0\,m_i\,g\,z_0\)",
        r"\(m_i(\bar r_i + r_i)\times A_i^0\,g\,z_0\), by dimension",
        THEOREM,
    ),
    *(
        damaged(place, "terms as traces", "letter L for A", "A throughout", THEOREM)
        for place in ("(4.22)", "(4.23)", "(4.24)")
    ),
    wrong(
        "(4.25)",
        "first and third term",
        "the acceleration with its gains behind the whole bracket",
        "within the bracket, on the first sum alone; Turney (4.21) reads the same",
        THEOREM,
    ),
    damaged(
        "(4.26)", "fourth and fifth term", r"\(r_i\) at its end", r"\(\bar r_i\): a lost bar", THEOREM
    ),
    *right("(4.27)", "terms before as a trace", THEOREM),
    damaged(
        "(4.28)",
        r"\(z\times r\) by a derivative",
        r"\(A_{i-1}^i z_{i-1}\)",
        r"\(A_i^{i-1} z_{i-1}\)",
        THEOREM,
    ),
    wrong(
        "(4.29)",
        "fourth and fifth term by derivatives",
        r"\(\mathrm{Tr}\{m_i A_i^0[\cdots](\frac{\partial p_0^i}{\partial\vartheta_i})^t\}\)",
        r"without \(A_i^0\), as Turney (4.25)",
        THEOREM,
    ),
    wrong(
        "(4.30)", "gravity term as a trace", r"\(m_i\) at the place and at \(g\)", "one mass", THEOREM
    ),
    *right("(4.31)", "gravity term by derivatives", THEOREM, "numbered (4.31x) as read"),
    *right(
        "(4.32)",
        "gravity term by 4 x 4 matrices",
        f"{LAGRANGE}:gravity_loads",
        r"with \(g = (0, 0, |g|, 0)\), as it defines there; (3.5) has the other sign of \(g\)",
    ),
    damaged("(4.33)", "all terms", r"\(\tau_j\), \(r^t\)", r"\(\tau_i\), \(J^r\)", THEOREM),
    damaged("(4.34)", "torque by 4 x 4 matrices", r"\(\tau_j\)", r"\(\tau_i\)", TORQUES),
    damaged("(4.35)", "upper links", r"\(L_i^{i+1}\bar r_{i+1}\)", r"\(A_i^{i+1} f_{i+1}\)", THEOREM),
    wrong(
        "(4.36)",
        "their force as a trace",
        r"\(A_0^{i-1}\,Q\,r_i\)",
        r"\(A_0^{i-1}\,Q_{i-1}^{i-1} A_{i-1}^i\,r_i\): the frames do not fit, as in Turney (4.29)",
        THEOREM,
    ),
    damaged(
        "(4.36)",
        "their force, a letter",
        r"\(A_i^{i+1}\,r_{i+1}\)",
        r"\(A_i^{i+1}\,f_{i+1}\)",
        THEOREM,
    ),
    wrong(
        "(4.37)",
        "force of the upper link, expanded",
        r"\(\bar a_{i+1}\) beside \(m_{i+1}\,g\,z_0\)",
        r"\(m_{i+1}\,\bar a_{i+1}\), by dimension; Turney (4.30) reads the same",
        THEOREM,
    ),
    wrong(
        "(4.38)",
        "moment of the upper link",
        r"\(m_{i+1}\,g\,z_0\) added to matrices",
        "a term of its own, as Turney (4.31)",
        THEOREM,
    ),
    wrong("(4.39)", "derivative of a position", "a rotation missing", "as Turney (4.32)", THEOREM),
    wrong(
        "(4.40)",
        "force and moment of the upper link",
        r"\(\frac{\partial A_0^{i+1}}{\partial\vartheta_i} + \frac{\partial p_0^{i+1}}{\partial\vartheta_i}\)",
        r"\(\frac{\partial A_0^{i+1}}{\partial\vartheta_i}\,\bar r_{i+1} + \cdots\)",
        THEOREM,
    ),
    damaged(
        "(4.41)",
        "the law with upper links",
        r"\(\frac{\partial T_0^q}{\partial\vartheta_j}\,\bar r_q\,"
        r"(\frac{\partial T_0^q}{\partial\vartheta_j})^t\), \(\dot\vartheta_j^d\)",
        r"\(\frac{\partial T_0^q}{\partial\vartheta_j}\,J_q\,"
        r"(\frac{\partial T_0^q}{\partial\vartheta_i})^t\), \(\ddot\vartheta_j^d\), as (4.34)",
        TORQUES,
    ),
    *right(
        "Table_1",
        "operations, Lagrange",
        "analysis/printed_counts.py:LEE_1",
        "adds up; it counts more traces than differ, see below",
    ),
    wrong(
        "Table 2",
        "operations, Newton-Euler",
        "119n - 24, 107n - 21",
        "123n - 24, 105n - 24",
        "analysis/general_arm.py:count_newton_euler_lee",
    ),
    *undecided(
        "Fig._1",
        "parameters of a frame",
        "figure not at hand; drawn from a model",
        "papers/arm_sketch.py:parameters_figure",
    ),
    *undecided(
        "Fig._2",
        "flow chart",
        "figure not at hand; the loop that runs here is drawn",
        f"{FIGURES}:loop_figure",
    ),
    *undecided(
        "Fig._3 Fig._4 Fig._5 Fig._6 Fig._7 Fig._8",
        "; ".join(f"position error of joint {k}" for k in range(1, 7)),
        "figure not at hand; computed",
        f"{FIGURES}:error_figure",
    ),
    damaged("last caption", "number of the figure", "Figure 3: joint six", "Figure 8"),
    *undecided(
        "section_5,_motion",
        "profile and duration are not given",
        "studied for several",
        f"{TRIALS}:motion",
    ),
    *undecided(
        "section_5,_arm",
        "link data of the PUMA 600",
        "not given; the public PUMA 560 stands in",
        f"{TRIALS}:puma",
    ),
    *CLAIMS,
)

EQUATIONS = (
    (
        "(2.1)",
        r"\(T_{i-1}^i = \mathrm{Rot}(z,\vartheta_i)\,\mathrm{Trans}(0, 0, d_i)\,\mathrm{Trans}(a_i, 0, 0)\,\mathrm{Rot}(x,\alpha_i)\)",
        "model/families/arm.py:dh_joint",
    ),
    (
        "(2.6)",
        r"\(\frac{\partial A_0^i}{\partial q_j} = A_0^{j-1} Q_{j-1}^{j-1} A_{j-1}^i\), \(j\le i\)",
        U,
    ),
    (
        "(2.10)",
        r"\(\frac{\partial^2 A_0^i}{\partial q_j\partial q_k} = A_0^{j-1}(z_{j-1}\times A_{j-1}^{k-1}(z_{k-1}\times A_{k-1}^i))\), \(j\le k\le i\)",
        U,
    ),
    (
        "(2.12), (2.13)",
        r"\(p_0^i = \sum_{k=1}^{i} A_0^k r_k\), \(\frac{\partial p_0^i}{\partial q_j} = \sum_{k=j}^{i} A_0^{j-1}(z_{j-1}\times A_{j-1}^k r_k)\)",
        "mechanics/chain/kinematics.py:far_frames",
    ),
    (
        "(2.20), (2.22)",
        r"\(J_i^r = \frac{1}{2}\mathrm{tr}(I_i)U - I_i + m_i\bar r_i\bar r_i^t\), \(J_i = \left[J_i^r,\ m_i\bar r_i;\ m_i\bar r_i^t,\ m_i\right]\)",
        f"{LAGRANGE}:pieces_of",
    ),
    (
        "(3.4)",
        r"\(K = \frac{1}{2}\sum_i\sum_{j,k\le i}\mathrm{tr}\{\frac{\partial T_0^i}{\partial q_j} J_i (\frac{\partial T_0^i}{\partial q_k})^t\}\,\dot q_j\dot q_k\)",
        "mechanics/chain/kinematics.py:energies",
    ),
    (
        "(3.5)",
        r"\(P = -\sum_i m_i\,g^t\,T_0^i\,\bar r_i\), \(g = (0,0,-|g|,0)^t\)",
        "mechanics/chain/kinematics.py:energies",
    ),
    (
        "(3.8)",
        r"\(D_{ij} = \sum_{k\ge\max(i,j)}\mathrm{tr}\{\frac{\partial T_0^k}{\partial q_j} J_k (\frac{\partial T_0^k}{\partial q_i})^t\}\)",
        f"{LAGRANGE}:mass_matrix",
    ),
    (
        "(3.9)",
        r"\(H_i = \sum_m\sum_{j,k\le m}\mathrm{tr}\{\frac{\partial^2 T_0^m}{\partial q_j\partial q_k} J_m (\frac{\partial T_0^m}{\partial q_i})^t\}\,\dot q_j\dot q_k\)",
        f"{LAGRANGE}:coriolis_matrices",
    ),
    (
        "(3.10)",
        r"\(G_i = -\sum_{j\ge i} m_j\,g^t\,\frac{\partial T_0^j}{\partial q_i}\,\bar r_j\)",
        f"{LAGRANGE}:gravity_loads",
    ),
    (
        "(3.21)",
        r"\(\omega_i = A_i^{i-1}(\omega_{i-1} + \dot\vartheta_i z_{i-1})\)",
        f"{CHAIN}:Link.moved",
    ),
    (
        "(3.22)",
        r"\(\alpha_i = A_i^{i-1}(\alpha_{i-1} + \omega_{i-1}\times\dot\vartheta_i z_{i-1} + \ddot\vartheta_i z_{i-1})\)",
        f"{CHAIN}:Link.moved",
    ),
    (
        "(3.23)",
        r"\(a_i = \omega_i\times(\omega_i\times r_i) + \alpha_i\times r_i + A_i^{i-1} a_{i-1}\), \(a_0 = |g|\,z_0\)",
        f"{NEWTON}:wrenches",
    ),
    (
        "(3.24)",
        r"\(\bar a_i = \omega_i\times(\omega_i\times\bar r_i) + \alpha_i\times\bar r_i + a_i\)",
        f"{NEWTON}:wrenches",
    ),
    ("(3.25)", r"\(f_i = m_i\bar a_i + A_i^{i+1} f_{i+1}\)", f"{NEWTON}:wrenches"),
    (
        "(3.26)",
        r"\(n_i = I_i\alpha_i + \omega_i\times(I_i\omega_i) + m_i(\bar r_i + r_i)\times\bar a_i + r_i\times A_i^{i+1} f_{i+1} + A_i^{i+1} n_{i+1}\)",
        f"{NEWTON}:wrenches",
    ),
    ("(3.27)", r"\(\tau_i = (A_i^{i-1} z_{i-1})^t\,n_i\)", f"{CHAIN}:Link.along_axis"),
    (
        "(3.6), (3.7)",
        r"\(\tau = D(\vartheta)\,\ddot\vartheta + H(\vartheta,\dot\vartheta) + G(\vartheta)\)",
        TORQUES,
    ),
    ("(4.1)", r"\(\tau = D\,[\ddot\vartheta^d + K_v\dot e + K_p e] + H + G\)", LAW),
    (
        "(4.4)",
        r"\(\ddot\vartheta_i \to \ddot\vartheta_i^d + \sum_s K_v^{is}\dot e_s + \sum_s K_p^{is} e_s\) in (3.22)",
        LAW,
    ),
    ("(4.3)", r"\(D(\vartheta)\,[\ddot e + K_v\dot e + K_p e] = 0\)", LAW),
)
