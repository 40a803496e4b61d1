"""Every numbered place of Dasgupta and Mruthyunjaya (1998) with its verdict."""

from __future__ import annotations

from linkwork.papers.entries import damaged, right, undecided, wrong

STEPS = "mechanics/published/stepwise.py"
ALL = "mechanics/published/dynamics.py"
PAGE, FIGURES = "papers/dasgupta1998/tables.py", "papers/dasgupta1998/figures.py"
SKETCH, FOUND = "papers/platform_sketch.py", "papers/dasgupta1998/findings.py"

CLAIMS = (
    *right(
        "section_4.5,_operations",
        "4889 operations, 3.36 times a serial arm",
        f"{PAGE}:branches",
        "the sums are right",
    ),
    *right(
        "sections_4.5_and_6,_parallel",
        "in parallel as fast as a serial arm, or faster",
        f"{PAGE}:branches",
        "1146 against 1454 by its counts",
    ),
    *right(
        "section_5.1,_magnitude",
        "forces on Path I are of the order of the platform's weight and vary smoothly",
        f"{PAGE}:statement_rows",
        "at most 3.7 times the weight",
    ),
    *right(
        "section_5.1,_20_%",
        "leg inertia commonly contributes around 20 % on Path I",
        f"{PAGE}:statement_rows",
        "median 18.8 % as published, 20.7 % exact",
    ),
    *right(
        "section_5.1,_40_%",
        "and up to 40 %, where no force passes through zero (legs 1 to 4)",
        f"{PAGE}:statement_rows",
        "leg 4",
    ),
    *right(
        "section_5.1,_jumps",
        "fractions of legs 5 and 6 jump where the total force crosses zero",
        f"{PAGE}:statement_rows",
    ),
    *right(
        "section_5.1,_light_platform",
        "with a platform as light as a leg (4 kg) the fraction is often above 60 %",
        f"{FOUND}:light_platform_fractions",
    ),
    *undecided(
        "section_5.1,_condition",
        "Path I is well conditioned",
        "34.7 to 47.2 with moments in meters; the paper gives no number",
        "kinematics/singularity.py:condition",
    ),
    *right(
        "section_5.1,_Path_II",
        "at ten times the speed the bounds of the forces rise significantly",
        f"{PAGE}:statement_rows",
        "from 1434 to 2133 N",
    ),
    *right(
        "section_5.1,_fractions_of_Path_II",
        "so do those of the dynamic fractions, and their distribution changes",
        f"{PAGE}:statement_rows",
        "median from 20.7 to 23.6 %",
    ),
    *right(
        "section_5.1,_steep_changes",
        "forces change steeply where the accelerations do",
        f"{FOUND}:steps_in_force",
        "at the four ends of blends only",
    ),
    *right(
        "section_6,_fraction",
        "legs contribute in general 20 to 50 % of the forces",
        f"{PAGE}:statement_rows",
        "about half of all samples of Paths I and II lie there, most others below",
    ),
    *right(
        "section_6,_growth",
        "more at high speed and with less payload",
        f"{PAGE}:statement_rows",
        "median from 20.7 to 23.6 % on Path II",
    ),
    *undecided(
        "section_5.2,_singularity",
        "forces at the singularity of Path III are of the order of 100 000 N",
        "no bound exists: the value depends on how near a sample is",
        f"{FOUND}:singularity",
    ),
    *right(
        "section_5.2,_location",
        "the condition number rises sharply at that place",
        f"{FOUND}:singularity",
    ),
    *undecided(
        "section_5.2,_near",
        "in cases not reported, condition numbers of 100 to 1000 went with forces of 10 000 N or more",
        "so they do on Path III; of random poses at rest with such a condition number only 13 % need as "
        "much, half of them less than 3000 N",
        f"{FOUND}:forces_of_ill_conditioned_poses",
    ),
    *undecided(
        "section_4.2,_measure",
        "the condition number of H, though of mixed units, is a reliable qualitative measure",
        "of the matrix by definition; of the forces only beside a singularity, see section 6",
        f"{FOUND}:force_and_condition",
    ),
    *undecided(
        "section_6,_path_planning",
        "the importance of paths of least condition number is apparent",
        "it follows from the claim before, which does not hold; on Path I the instant of the least "
        "condition number is not that of the least forces",
        f"{FOUND}:force_and_condition",
    ),
    *right(
        "section_2.1,_spherical_joints",
        "with spherical joints at both ends the legs' spin can be ignored",
        "model/families/stewart.py:LegJoints",
        "for legs symmetric about their axis, as the introduction asks for; others are refused here",
    ),
    wrong(
        "section 6, condition",
        "condition number and forces",
        "higher the condition number, higher are the actuator forces",
        "on Path I the condition number rises from 38.1 to 47.2 while the largest force falls from 1434 "
        "to 570 N; true beside a singularity only",
        f"{FOUND}:force_and_condition",
    ),
)

ENTRIES = (
    *right("(1) (2) (3)", "leg vector; leg length; direction of the leg", f"{STEPS}:geometry"),
    *right("(4) (5)", "velocity of the platform point; sliding velocity", f"{STEPS}:leg_motion"),
    wrong(
        "(6)",
        "angular velocity of the leg",
        r"\(W = s\times\dot S/L\), with \(s\cdot W = 0\)",
        r"\(W = \omega_u k + \omega_v y\), with \(\omega_u = \frac{y\cdot\dot S}{L\,|k\times s|}\) and "
        r"\(\omega_v = -\frac{z\cdot\dot S}{L}\): its own frame T of (10) turns about the leg",
        f"{STEPS}:leg_motion",
    ),
    *right("(7) (8)", "acceleration of the platform point; sliding acceleration", f"{STEPS}:leg_motion"),
    wrong(
        "(9)",
        "angular acceleration of the leg, axial part",
        r"\(s\cdot A = 0\)",
        r"the axial part of P (25) put right; follows from (6)",
        f"{STEPS}:leg_motion",
    ),
    damaged(
        "(9)",
        "angular acceleration of the leg, normal part",
        r"\(A = (s\times S - 2L\,W)/L\)",
        r"\(A = (s\times\ddot S - 2\dot L\,W)/L\): lost dots",
        f"{STEPS}:leg_motion",
    ),
    *right("(10)", "frame T of the leg", f"{STEPS}:Geometry.T"),
    *right(
        "(11) (12)",
        "center of mass of the lower part; center of mass of the upper part",
        f"{STEPS}:leg_motion",
    ),
    *right(
        "(13) (14)",
        "acceleration of the lower center of mass; acceleration of the upper center of mass",
        f"{STEPS}:mass_center_accelerations",
    ),
    *right("(15)", "inertia of the lower part", f"{STEPS}:part_inertias"),
    wrong(
        "(16)",
        "inertia of the upper part",
        r"\(I_u = T\,[I_{u0} + m_u L^2\,\mathrm{diag}(0,1,1)]\,T^T\)",
        r"\(I_u = T\,I_{u0}\,T^T\): \(m_u r_u\times a_u\) of (18) holds the other part",
        f"{STEPS}:part_inertias",
    ),
    wrong(
        "(17)",
        "moments on the lower part",
        r"\(M_u\,s\), along the leg",
        r"\(M_u\,c\), along the normal \(c = k\times y\) of the joint's cross",
        f"{ALL}:leg_reactions",
    ),
    *right("(18)", "moments on the upper part, f in the spherical joint", f"{STEPS}:spherical_drag"),
    wrong("(19)", "moments on the whole leg", r"\(M_u\,s\)", r"\(M_u\,c\)", f"{STEPS}:leg_moment"),
    wrong(
        "(20)",
        "moment and force of the spherical joint",
        r"\(M_u\,s + S\times F_s = C\)",
        r"\(M_u\,c + S\times F_s = C\)",
        f"{STEPS}:leg_moment",
    ),
    wrong(
        "(21)",
        "force on the leg, K",
        r"\(K = \frac{C\times s}{L}\)",
        r"\(K = \frac{1}{L}\left[C\times s - \frac{C\cdot s}{c\cdot s}\,c\times s\right]\)",
        f"{STEPS}:transverse_force",
    ),
    *right(
        "(22) (23)",
        "component of the force along the leg; forces on the upper part",
        f"{STEPS}:leg_force",
    ),
    *right("(24)", r"actuator force, \(F = D - x\)", f"{STEPS}:actuator_forces"),
    damaged(
        "before (24)",
        "friction of the actuator",
        r"\(C_p L\)",
        r"\(C_p\dot L\): lost dot",
        f"{STEPS}:leg_force",
    ),
    damaged(
        "(25)",
        "force in the universal joint",
        r"\(C_p L\,s\)",
        r"\(C_p\dot L\,s\): lost dot",
        f"{ALL}:leg_reactions",
    ),
    *right(
        "(26) (27) (28)",
        "force in the prismatic joint; force in the universal joint; constraint force of the prismatic joint",
        f"{ALL}:leg_reactions",
    ),
    wrong(
        "(29)",
        "moment of the universal joint",
        r"\(M_u = s\cdot C\), along \(s\)",
        r"\(M_u = \frac{s\cdot C}{s\cdot c}\), along \(c\)",
        f"{ALL}:_universal_moment",
    ),
    *right("(30)", "center of mass of the platform", f"{STEPS}:platform_equations"),
    damaged(
        "(31)",
        "acceleration of the platform's center of mass",
        r"\(\hat t\)",
        r"\(\ddot t\): two dots read as a hat",
        f"{STEPS}:platform_equations",
    ),
    *right("(32)", "inertia of the platform", f"{STEPS}:platform_inertia"),
    damaged(
        "(33)",
        "forces on the platform",
        r"\(\sum x_i s_i = \Re F_{ext} + M(g-a) + \sum K_i\)",
        r"\(\sum x_i s_i = \Re F_{ext} + M(g-a) - \sum K_i\), as in (35): a confused sign",
        f"{STEPS}:platform_equations",
    ),
    *right("(34) (35)", "moments on the platform; all six equations", f"{STEPS}:platform_equations"),
    *right("(36)", r"\(H x = c\)", f"{STEPS}:PlatformState.H"),
    *right("(37)", r"all actuator forces, \(F = D - x\)", f"{STEPS}:actuator_forces"),
    *right("(38)", "roll, pitch and yaw", "mechanics/expressions.py:rotation_rpy"),
    *right("(39) (40)", "blend time; acceleration of a blend", "motion/profiles.py:blend_at_speed"),
    *right(
        "(41) (42)",
        "forces with massless legs; what the legs add",
        "mechanics/mechanism/methods.py:effort_breakdown",
    ),
    *undecided(
        "Fig._1 Fig._2",
        "the platform; details of a leg",
        "figure not at hand; drawn from the data",
        f"{SKETCH}:platform_figure",
    ),
    *undecided(
        "Fig._3",
        "a coordinate over time",
        "figure not at hand; computed",
        f"{FIGURES}:trajectory_figure",
    ),
    *undecided(
        "Fig._4 Fig._7 Fig._9",
        "leg forces, Path I; leg forces, Path II; leg forces, Path III",
        "figure not at hand; computed",
        f"{FIGURES}:force_figure",
    ),
    *undecided(
        "Fig._5 Fig._10",
        "condition number, Path I; condition number, Path III",
        "figure not at hand; computed",
        f"{FIGURES}:condition_figure",
    ),
    *undecided(
        "Fig._6 Fig._8",
        "fraction of dynamic forces, Path I; fraction of dynamic forces, Path II",
        "figure not at hand; computed",
        f"{FIGURES}:fraction_figure",
    ),
    *right("section_4.2", "condition number by singular values", "kinematics/singularity.py:condition"),
    *CLAIMS,
    damaged(
        "section 5.2, Path III",
        "duration and angular speed",
        r"\(\tau_c = 6\), \(Q = 0.08\)",
        r"\(\tau_f = 6\), \(\Omega = 0.08\)",
        "motion/point_to_point.py:published_path",
    ),
    *undecided("section_5", "gravity is not given", "9.81 m/s² taken here"),
    damaged(
        "Appendix, inertias",
        r"two matrices called \(I_{d0}\)",
        r"\(I_{d0}\) twice",
        r"the second is \(I_{u0}\)",
    ),
    *undecided(
        "Appendix,_k1",
        "the first fixed axis has norm 0.858",
        "normalized here; a lost third component of +0.513 or -0.513 fits as well",
        f"{FOUND}:first_axes",
    ),
    wrong(
        "Appendix, principal moments",
        "inertias of platform, lower and upper part",
        "three printed matrices",
        "no body has them, see the table of principal moments; kept, since the results come from them",
        f"{FOUND}:principal_moments",
    ),
)

EQUATIONS = (
    ("(1)-(3)", r"\(S = q + t - b\), \(q = \Re p\), \(L = \|S\|\), \(s = S/L\)", f"{STEPS}:geometry"),
    (
        "(4), (5)",
        r"\(\dot S = \omega\times q + \dot t\), \(\dot L = s\cdot\dot S\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(6)",
        r"\(W = \omega_u k + \omega_v y\), \(\omega_u = \frac{y\cdot\dot S}{L\,|k\times s|}\), \(\omega_v = -\frac{z\cdot\dot S}{L}\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(7)",
        r"\(\ddot S = \alpha\times q + \omega\times(\omega\times q) + \ddot t\)",
        f"{STEPS}:leg_motion",
    ),
    ("(8)", r"\(\ddot L = s\cdot\ddot S + \frac{|s\times\dot S|^2}{L}\)", f"{STEPS}:leg_motion"),
    (
        "(9)",
        r"\(A_n = \frac{1}{L}\,s\times[\ddot S - W\times(W\times S) - 2\dot L\,W\times s]\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(9)",
        r"\(A = A_n + \frac{(A_n\cdot k)(k\cdot s) + \omega_u\omega_v\,(c\cdot s)}{1-(k\cdot s)^2}\,s\), \(c = k\times y\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(10)",
        r"\(T = [x\ y\ z]\), \(x = s\), \(y = \frac{k\times s}{\|k\times s\|}\), \(z = x\times y\)",
        f"{STEPS}:Geometry.T",
    ),
    (
        "(11), (12)",
        r"\(r_d = T r_{d0}\), \(r_u = T(v + r_{u0})\), \(v = (L, 0, 0)^T\)",
        f"{STEPS}:leg_motion",
    ),
    (
        "(13), (14)",
        r"\(a_d = A\times r_d + W\times(W\times r_d)\), \(a_u = \ddot L s + A\times r_u + W\times(W\times r_u) + 2\dot L\,W\times s\)",
        f"{STEPS}:mass_center_accelerations",
    ),
    (
        "(15), (16)",
        r"\(I_d = T I_{d0} T^T\), \(I_u = T I_{u0} T^T\), about each part's own center of mass",
        f"{STEPS}:part_inertias",
    ),
    (
        "(20)",
        r"\(C = m_d r_d\times(a_d - g) + m_u r_u\times(a_u - g) + (I_d + I_u)A + W\times(I_d + I_u)W + C_u W + f\), \(f = C_s(W - \omega)\)",
        f"{STEPS}:leg_moment",
    ),
    (
        "(21), (29)",
        r"\(F_s = x\,s + K\), \(K = \frac{1}{L}\left[C\times s - \frac{C\cdot s}{c\cdot s}\,c\times s\right]\), \(M_u = \frac{C\cdot s}{c\cdot s}\,c\)",
        f"{STEPS}:transverse_force",
    ),
    (
        "(22), (23)",
        r"\(x = s\cdot F_s\), \(-m_u a_u + m_u g + F_p + F_s - C_p\dot L\,s = 0\)",
        f"{STEPS}:leg_force",
    ),
    ("(24)", r"\(F = D - x\), \(D = m_u\,s\cdot(a_u - g) + C_p\dot L\)", f"{STEPS}:leg_force"),
    (
        "(31), (32)",
        r"\(a = \ddot t + \alpha\times R + \omega\times(\omega\times R)\), \(I = \Re I_p \Re^T\)",
        f"{STEPS}:platform_equations",
    ),
    ("(33)", r"\(\sum x_i s_i = \Re F_{ext} + M(g - a) - \sum K_i\)", f"{STEPS}:platform_equations"),
    (
        "(34)",
        r"\(\sum x_i\,q_i\times s_i = \Re M_{ext} + M R\times(g - a) - I\alpha - \omega\times I\omega - \sum(q_i\times K_i - f_i)\)",
        f"{STEPS}:platform_equations",
    ),
    (
        "(35)-(37)",
        r"\(H x = c\), \(H = \left[s_1 \cdots s_6;\ q_1\times s_1 \cdots q_6\times s_6\right]\), \(F = D - x\)",
        f"{STEPS}:PlatformState.H",
    ),
    (
        "(26)-(28)",
        r"\(F_p = m_u(a_u - g) - F_s + C_p\dot L\,s\), \(F_u = m_d(a_d - g) + m_u(a_u - g) - F_s\), \(F_c = F_p - s F\)",
        f"{ALL}:leg_reactions",
    ),
    (
        "(38)",
        r"\(\Re = \mathrm{Rot}(Z,\theta_z)\,\mathrm{Rot}(Y,\theta_y)\,\mathrm{Rot}(X,\theta_x)\)",
        "mechanics/expressions.py:rotation_rpy",
    ),
    (
        "(39), (40)",
        r"\(\tau_t = \tau_f - \frac{\|t_1 - t_0\|}{V}\), \(a_t = \frac{V}{\tau_t}\,\frac{t_1 - t_0}{\|t_1 - t_0\|}\), \(\tau_t\le\frac{\tau_f}{2}\)",
        "motion/profiles.py:blend_at_speed",
    ),
    (
        "(41), (42)",
        r"\(H F_0 = -c_0\), \(F_d = F - F_0\), \(c_0\) with \(K_i = f_i = 0\)",
        "mechanics/mechanism/methods.py:effort_breakdown",
    ),
)
