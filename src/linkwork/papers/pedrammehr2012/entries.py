"""Every numbered place of Pedrammehr, Mahboubkhah and Khani (2012) with its verdict."""

from __future__ import annotations

from linkwork.papers.entries import damaged, right, undecided, wrong

STEPS = "mechanics/published/stepwise.py"
CLOSED = "mechanics/published/pedrammehr2012.py"
ALL, METHODS = "mechanics/published/dynamics.py", "mechanics/platform/methods.py"
SKETCH, PAGE = "papers/pedrammehr2012/sketches.py", "papers/pedrammehr2012/page.py"
FOUND = "papers/pedrammehr2012/findings.py"
PARALLEL_AXES = (
    r"\(I = T\,[I_o + m\,(r^2 E - r r^T)]\,T^T\)",
    r"\(I = T\,I_o\,T^T\): \(m\,r\times\ddot r\) of (31) and (49) holds the other part",
)

CLAIMS = (
    *right(
        "section_9,_spin",
        "angular velocities and accelerations need the pods' spin",
        f"{FOUND}:rotations",
        "the true motion is that of (12)-(24)",
    ),
    *right(
        "section_9,_identical",
        "both models give the same motion of a pod that does not turn about its axis",
        f"{FOUND}:rotations",
        "pod 4 on Path 1",
    ),
    *right(
        "Abstract,_accuracy",
        "the improved formulation is more accurate",
        "papers/platform_paths.py:deviation",
        "by far on the slow path, hardly on the fast one",
    ),
    *right(
        "section_9,_trends",
        "both models 'exhibit similar trends of change, but difference in amplitudes'",
        f"{FOUND}:trend",
        "correlations of the forces of a pod stand on the page",
    ),
    wrong(
        "section 9, improvement",
        "why the two models differ",
        "their difference is 'attributed to improvement effect'",
        "on Path 3 the improved forces are as far from the exact ones as the old",
        "papers/platform_paths.py:deviation",
    ),
    *undecided(
        "section_9,_necessity",
        "the differences in Figs. 9 and 10 show that the improvements are necessary",
        "a difference of two models does not say which is right",
        f"{FOUND}:largest_difference",
    ),
    *undecided(
        "section_9,_alike",
        "pods 1, 2 and 6 (velocity) and 3 (acceleration) are alike on Path 1",
        "true of the lengths of the vectors with the axes taken here; its own axes are not printed",
        f"{FOUND}:rotations",
    ),
    wrong(
        "section 9, paths",
        "the paths of Figs. 9 and 10",
        "'for path 1 and path 2'",
        "Paths 2 and 3, as their captions and the sentence before say",
        f"{PAGE}:_forces",
    ),
    wrong(
        "section 9, reference",
        "the reference model of Figs. 9 and 10",
        "'reference model [20]'",
        "[19], as the text before it says; [20] is another paper of the same authors",
    ),
    wrong(
        "section 7, joint",
        "the direction of the universal joint's moment",
        "the joint 'cannot impose any constraint moments in the n, u and v directions', M along c",
        r"none along u and v; along \(c\), whose part along \(n\) is \(c\cdot n\ne 0\), as (37) needs",
        f"{ALL}:_universal_moment",
    ),
    wrong(
        "section 7, parallel axes",
        "what earlier models contain",
        "'the theorem of parallel axes has not been considered' in earlier models",
        "D (16) uses it, and says so; both count the term twice",
        f"{STEPS}:part_inertias",
    ),
    wrong(
        "(32), (33), (50), frames",
        "components of r in the parallel-axis terms",
        r"components in the base frame between \(T\) and \(T^T\)",
        "components in the body's own frame; as read the forces depend on how the base frame is drawn",
        f"{FOUND}:frame_dependence",
    ),
    *undecided(
        "Appendix_2,_data",
        "the data of the other paper",
        "z = -0.08 m of the upper part where the other has +0.08; `pedrammehr2012` has it",
        f"{FOUND}:other_mass_center",
    ),
    *right(
        "section_5,_rank",
        r"(10) and (11) alone do not give \(\omega_l\) and \(\alpha_l\)",
        f"{STEPS}:leg_motion",
        r"the matrix of \(\times\,l\,n\) has rank 2",
    ),
    *right(
        "section_1,_moment",
        "earlier models put the universal joint's moment along the pod",
        f"{STEPS}:transverse_force",
        "D (17) to (21)",
    ),
    *right(
        "section_1,_spin",
        "earlier models neglect the pods' rotation about their axes",
        f"{STEPS}:leg_motion",
        "D (6) and (9)",
    ),
    *undecided(
        "section_9,_time",
        "1.58 s for the simulations",
        "the sampling is not told",
        "papers/pedrammehr2012/error_sections.py:times",
    ),
)

ENTRIES = (
    *right(
        "(1) (2) (3) (4) (5) (6) (7)",
        "length vector of a pod; platform point; platform point in the base frame's directions; length of a pod; direction of a pod; "
        "length vector by length and direction; length vector by the pose",
        f"{STEPS}:geometry",
    ),
    *right("(8)", "velocity along the pod", f"{STEPS}:leg_motion"),
    damaged(
        "(9)",
        "extensional acceleration",
        r"\(\tilde l\), \(\tilde X\) three times",
        r"\(\ddot l\), \(\ddot X\), \(\dot X\): dots read as a tilde",
        f"{STEPS}:leg_motion",
    ),
    damaged(
        "(10)",
        "velocity of the connection point",
        r"\(\omega_{ii}\times l\,n\)",
        r"\(\omega_{li}\times l\,n\): l read as i",
        f"{STEPS}:leg_motion",
    ),
    *right("(11)", "acceleration of the connection point", f"{STEPS}:leg_motion"),
    *right(
        "(12) (13) (14)",
        "angular velocity by the universal joint's axes; angular velocity about u; angular velocity about v",
        f"{STEPS}:leg_motion",
    ),
    damaged(
        "(15)",
        "normal and axial part of the angular velocity",
        r"\(\omega_l = \omega_n + \omega_l\,n\)",
        r"\(\omega_l = \omega_n + \omega_t\,n\)",
        f"{STEPS}:leg_motion",
    ),
    *right("(16)", "normal part of the angular velocity", f"{STEPS}:leg_motion"),
    damaged(
        "(17)",
        "axial part of the angular velocity",
        r"\(\omega_{ii}\)",
        r"\(\omega_{ti} = -\omega_n\cdot c / (n\cdot c)\): t read as i",
        f"{STEPS}:leg_motion",
    ),
    *right(
        "(18) (19) (20)",
        "angular acceleration by the joint's axes; angular acceleration about u; angular acceleration about v",
        f"{STEPS}:leg_motion",
    ),
    damaged(
        "(21)",
        "what (19) and (20) take",
        r"\(\ddot L - \omega_u\omega_v\times l\,n - \cdots\)",
        r"\(\ddot L - \omega_u\omega_v\,c\times l\,n - \cdots\): a lost letter",
        f"{STEPS}:leg_motion",
    ),
    *right(
        "(22) (23) (24)",
        "parts of the angular acceleration; normal part of it; axial part of it",
        f"{STEPS}:leg_motion",
    ),
    wrong(
        "(25)",
        "axial part of the angular acceleration",
        r"\(\alpha_t = \frac{(\alpha_n\cdot u)(u\cdot n)}{1-(u\cdot n)^2} - \omega_u\omega_v\)",
        r"\(\alpha_t = \frac{(\alpha_n\cdot u)(u\cdot n) + \omega_u\omega_v\,(c\cdot n)}"
        r"{1-(u\cdot n)^2}\), from its own (18), (22) and (24)",
        f"{STEPS}:leg_motion",
    ),
    *right(
        "(26) (27)",
        "center of mass of the lower part; center of mass of the upper part",
        f"{STEPS}:leg_motion",
    ),
    *right("(28)", "frame T of the pod", f"{STEPS}:Geometry.T"),
    *right("(29)", "acceleration of the lower center of mass", f"{STEPS}:mass_center_accelerations"),
    damaged(
        "(30)",
        "acceleration of the upper center of mass",
        r"\(\hat l\,n\)",
        r"\(\ddot l\,n\): two dots read as a hat",
        f"{STEPS}:mass_center_accelerations",
    ),
    *right("(31)", "moments on a pod", f"{STEPS}:leg_moment"),
    wrong("(32)", "inertia of the lower part", *PARALLEL_AXES, f"{STEPS}:part_inertias"),
    wrong("(33)", "inertia of the upper part", *PARALLEL_AXES, f"{STEPS}:part_inertias"),
    *right("(34)", "the universal joint's moment along c", f"{ALL}:_universal_moment"),
    *right("(35)", "moments with the joint's moment and N", f"{STEPS}:leg_moment"),
    damaged(
        "(36)",
        "N, the moment that the pod needs",
        r"\(\hat L_u\), \(\hat L_d\)",
        r"\(\ddot L_u\), \(\ddot L_d\), as in (31): two dots read as a hat",
        f"{STEPS}:leg_moment",
    ),
    *right("(37)", "magnitude of the joint's moment", f"{ALL}:_universal_moment"),
    *right("(38)", "force on the pod", f"{STEPS}:transverse_force"),
    *right("(39)", "actuator force", f"{STEPS}:leg_force"),
    damaged(
        "(40)",
        "force on the pod without unknowns",
        r"\(n\cdot(\dot L_u - G)\)",
        r"\(n\cdot(\ddot L_u - G)\), as in (39): lost dot",
        f"{STEPS}:leg_force",
    ),
    wrong("before (40)", "what it follows from", "substituted into (36)", "into (38)"),
    *right("(41)", "the pod's force by Q and V", f"{CLOSED}:closed_leg_force"),
    wrong(
        "(42)",
        "Q",
        "terms of its own (31)-(40) dropped",
        "the mass matrix that follows is not symmetric, that of (31)-(40) is",
        f"{CLOSED}:_closed_leg",
    ),
    damaged(
        "(42)",
        "Q, a letter",
        r"\(\tilde n\,(L_{u} + I_{d})\,\tilde n / l^2\)",
        r"\(\tilde n\,(I_{u} + I_{d})\,\tilde n / l^2\)",
        f"{CLOSED}:_closed_leg",
    ),
    wrong("(43)", "V", "terms of its own (31)-(40) dropped", "see (42)", f"{CLOSED}:_closed_leg"),
    damaged(
        "(43)",
        "V, a letter",
        r"\(m_d\,\{L_d\times[\omega\times(\omega\times L_u)]\}\times n\)",
        r"\(m_d\,\{L_d\times[\omega\times(\omega\times L_d)]\}\times n\)",
        f"{CLOSED}:_closed_leg",
    ),
    *right("(44)", "products as matrices", "mechanics/expressions.py:skew"),
    *right("(45)", "forces on the platform", f"{STEPS}:platform_equations"),
    damaged(
        "(46)",
        "acceleration of the platform's center of mass",
        r"\(X_g = X + \cdots\)",
        r"\(\ddot X_g = \ddot X + \cdots\): lost dots",
        f"{STEPS}:platform_equations",
    ),
    *right("(47)", "center of mass of the platform", f"{STEPS}:platform_equations"),
    *right("(48)", "forces with Q and V", f"{CLOSED}:closed_form_forces"),
    damaged(
        "(49)",
        "moments on the platform",
        r"\(C_s(\omega_{ii} - \omega)\)",
        r"\(C_s(\omega_{li} - \omega)\), as in (51): l read as i",
        f"{STEPS}:platform_equations",
    ),
    wrong("(50)", "inertia of the platform", *PARALLEL_AXES, f"{STEPS}:platform_inertia"),
    *right("(51)", "moments with Q and V", f"{CLOSED}:closed_form_forces"),
    *right("Appendix_1,_R", "rotation matrix", "mechanics/expressions.py:rotation_rpy"),
    damaged(
        "Appendix 1, S",
        "S of (43)",
        r"\(S_i = \cdots - 2\,\omega\times l\,n\)",
        r"\(S_i = \cdots - 2\,\omega\times\dot l\,n\): lost dot",
        f"{CLOSED}:_closed_leg",
    ),
    *undecided(
        "Appendix_2,_u", "fixed axes are not tabulated", "those of Dasgupta and Mruthyunjaya taken here"
    ),
    *undecided(
        "Appendix_2,_L_uo",
        "z = -0.08 m, where the other paper has +0.08",
        "both robots are bundled; figures are drawn with +0.08, and the change is told",
        f"{FOUND}:other_mass_center",
    ),
    *right(
        "Appendix_2,_Path_1",
        "0.5 m in 6 s at 0.08 m/s",
        "motion/point_to_point.py:published_path",
        "0.0833 m/s, rounded",
    ),
    *right(
        "Appendix_2,_Paths_2_and_3",
        "the paths of the other paper",
        "motion/point_to_point.py:published_path",
    ),
    *undecided(
        "Fig._1",
        "the platform",
        "figure not at hand; drawn from the data",
        f"{SKETCH}:manipulator_figure",
    ),
    *undecided(
        "Fig._2",
        "the universal joint",
        "figure not at hand; drawn from the data",
        f"{SKETCH}:universal_joint_figure",
    ),
    *undecided("Fig._3", "a pod cut free", "figure not at hand; drawn", f"{SKETCH}:pod_figure"),
    *undecided(
        "Fig._4", "the platform cut free", "figure not at hand; drawn", f"{SKETCH}:platform_free_figure"
    ),
    *undecided(
        "Fig._5 Fig._6 Fig._7 Fig._8",
        "angular velocities, Path 1; angular accelerations, Path 1; angular velocities, Path 2; "
        "angular accelerations, Path 2",
        "figure not at hand; computed",
        f"{PAGE}:_rotation_figure",
    ),
    *undecided(
        "Fig._9 Fig._10",
        "pod forces, Path 2; pod forces, Path 3",
        "figure not at hand; computed",
        f"{PAGE}:_forces",
    ),
    *CLAIMS,
)

# In the symbols of the other paper.
SYMBOLS = (
    r"in the symbols of D, so that both papers can be compared: \(t\), \(S\), \(L\), \(s\) are \(X\), \(L\), "
    r"\(l\), \(n\) of this paper; \(k\), \(y\), \(z\) are \(u\), \(v\), \(c'\); \(W\), \(A\) are \(\omega_l\), "
    r"\(\alpha_l\); \(r_d\), \(r_u\), \(R\) are \(L_d\), \(L_u\), \(r\); \(C\), \(F_s\), \(F\) are \(N\), \(F_i\), "
    r"\(F_{act}\); \(f = C_s(W - \omega)\)"
)
EQUATIONS = (
    (
        "(1)-(7)",
        r"\(S = q + t - b\), \(q = \Re p\), \(L = \|S\|\), \(s = S/L\)",
        f"{STEPS}:geometry",
    ),
    (
        "(8), (10)",
        r"\(\dot L = s\cdot\dot S\), \(\dot S = \dot t + \omega\times q = W\times S + \dot L\,s\)",
        f"{STEPS}:leg_motion",
    ),
    ("(9)", r"\(\ddot L = s\cdot\ddot S + \frac{|s\times\dot S|^2}{L}\)", f"{STEPS}:leg_motion"),
    (
        "(11)",
        r"\(\ddot S = \ddot t + \alpha\times q + \omega\times(\omega\times q) = A\times S + W\times(W\times S) + 2\dot L\,W\times s + \ddot L\,s\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(12)-(14)",
        r"\(W = \omega_u k + \omega_v y\), \(\omega_u = \frac{y\cdot\dot S}{L\,|k\times s|}\), \(\omega_v = -\frac{z\cdot\dot S}{L}\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(15)-(17)",
        r"\(W = W_n + \omega_t\,s\), \(W_n = \frac{s\times\dot S}{L}\), \(\omega_t = -\frac{W_n\cdot c}{s\cdot c}\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(18)-(20)",
        r"\(A = \alpha_u k + \alpha_v y + \omega_u\omega_v\,c\), \(\alpha_u = -\frac{S^*\cdot y}{L\,s\cdot c}\), \(\alpha_v = \frac{S^*\cdot k}{L\,s\cdot c}\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(21)",
        r"\(S^* = \ddot S - \omega_u\omega_v\,c\times S - W\times(W\times S) - 2\dot L\,W\times s - \ddot L\,s\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(22), (25)",
        r"\(A = A_n + \frac{(A_n\cdot k)(k\cdot s) + \omega_u\omega_v\,(c\cdot s)}{1-(k\cdot s)^2}\,s\), \(c = k\times y\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(23)",
        r"\(A_n = \frac{1}{L}\,s\times[\ddot S - W\times(W\times S) - 2\dot L\,W\times s]\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(26)-(28)",
        r"\(r_d = T r_{d0}\), \(r_u = S + T r_{u0}\), \(T = [s\ y\ z]\), \(y = \frac{k\times s}{\|k\times s\|}\), \(z = s\times y\)",
        f"{STEPS}:Geometry.T",
    ),
    (
        "(29), (30)",
        r"\(a_d = A\times r_d + W\times(W\times r_d)\), \(a_u = \ddot L s + A\times r_u + W\times(W\times r_u) + 2\dot L\,W\times s\)",
        f"{STEPS}:mass_center_accelerations",
    ),
    (
        "(32), (33)",
        r"\(I_d = T I_{d0} T^T\), \(I_u = T I_{u0} T^T\), about each part's own center of mass",
        f"{STEPS}:part_inertias",
    ),
    (
        "(36)",
        r"\(C = m_d r_d\times(a_d - g) + m_u r_u\times(a_u - g) + (I_d + I_u)A + W\times(I_d + I_u)W + C_u W + f\), \(f = C_s(W - \omega)\)",
        f"{STEPS}:leg_moment",
    ),
    (
        "(37), (38)",
        r"\(F_s = x\,s + K\), \(K = \frac{1}{L}\left[C\times s - \frac{C\cdot s}{c\cdot s}\,c\times s\right]\), \(M_u = \frac{C\cdot s}{c\cdot s}\,c\)",
        f"{STEPS}:transverse_force",
    ),
    ("(39)", r"\(F = D - x\), \(D = m_u\,s\cdot(a_u - g) + C_p\dot L\)", f"{STEPS}:leg_force"),
    (
        "(41)",
        r"\(F_s = -F\,s + Q(\ddot t + \alpha\times q) + V\)",
        f"{CLOSED}:closed_leg_force",
    ),
    (
        "(42)",
        r"\(Q = m_d B_d^T B_d + m_u B_u^T B_u + J_w^T(I_d + I_u)J_w\), \(B_d = -\tilde r_d J_w\), \(B_u = s s^T - \tilde r_u J_w\)",
        f"{METHODS}:_mass_matrix",
    ),
    (
        "(42)",
        r"\(J_w = \frac{1}{L}\left[\frac{k\,y^T}{\|k\times s\|} - y\,z^T\right]\), so that \(W = J_w\dot S\)",
        f"{METHODS}:_mass_matrix",
    ),
    (
        "(43)",
        r"\(V = m_d B_d^T(a_d^0 - g) + m_u B_u^T(a_u^0 - g) + J_w^T[(I_d + I_u)A^0 + W\times(I_d + I_u)W + C_u W + f] + C_p\dot L\,s\), \({}^0\): with \(\ddot t = \alpha = 0\)",
        f"{METHODS}:_bias",
    ),
    ("(45)", r"\(\sum x_i s_i = \Re F_{ext} + M(g - a) - \sum K_i\)", f"{STEPS}:platform_equations"),
    (
        "(46), (50)",
        r"\(a = \ddot t + \alpha\times R + \omega\times(\omega\times R)\), \(I = \Re I_p \Re^T\)",
        f"{STEPS}:platform_equations",
    ),
    (
        "(48)",
        r"\((M E + \sum Q)\ddot t - (M\tilde R + \sum Q\tilde q)\alpha + M[\omega\times(\omega\times R) - g] + \sum V = \Re F_{ext} + \sum F\,s\)",
        f"{CLOSED}:closed_form_forces",
    ),
    (
        "(49)",
        r"\(\sum x_i\,q_i\times s_i = \Re M_{ext} + M R\times(g - a) - I\alpha - \omega\times I\omega - \sum(q_i\times K_i - f_i)\)",
        f"{STEPS}:platform_equations",
    ),
    (
        "(51)",
        r"\((M\tilde R + \sum\tilde q Q)\ddot t + [I - M\tilde R^2 - \sum\tilde q Q\tilde q]\alpha + M R\times[\omega\times(\omega\times R) - g] + \sum q\times V + \omega\times I\omega - \sum f = \Re M_{ext} + \sum q\times F\,s\)",
        f"{CLOSED}:closed_form_forces",
    ),
)
