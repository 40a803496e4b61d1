"""Every numbered place of Angeles, sections 7.4 and 7.5 to (7.58), with its verdict."""

from __future__ import annotations

from linkwork.papers.entries import damaged, right, undecided, wrong

ROTATION, HERE = "mechanics/chain/chain.py", "mechanics/chain/angeles.py"
COMPLEMENT, FOUND = "mechanics/chain/natural_complement.py", "papers/angeles/findings.py"
SKETCH, COUNTS = "papers/arm_sketch.py", "analysis/printed_counts.py"
OUT, IN = f"{HERE}:outward", f"{HERE}:inward"

CLAIMS = (
    *right(
        "section_7.4.1,_rotation",
        "a change of frame takes 8 multiplications and 4 additions",
        f"{ROTATION}:FactoredRotation.to_child",
        "traced",
    ),
    *right(
        "section_7.4.1,_prismatic_counts",
        "16M 15A and 14M 11A for place and velocity of a center of mass at a prismatic joint",
        f"{FOUND}:outward_rows",
        "traced with the frames put right: vectors along e then have one component to add",
    ),
    *undecided(
        "section_7.4.1,_prismatic_acceleration",
        "20M 19A for its acceleration",
        "so it is if vectors along e have one component where its algorithm adds them, which they have "
        "not; with the frames put right 22M 20A",
        f"{FOUND}:outward_rows",
    ),
    *right("section_7.4,_totals", "82n, 66n and 55n - 22, 44n - 14", f"{FOUND}:inward_rows", "traced"),
    *right(
        "section_7.4.2,_six_joints",
        "800 multiplications and 646 additions for six joints",
        "analysis/general_arm.py:count_angeles",
        "by its own rows",
    ),
    *right(
        "section_7.4.2,_processors",
        "a few microseconds on a modern processor",
        "analysis/general_arm.py:count_angeles",
        "1446 operations are 1.4 microseconds at one operation a nanosecond",
    ),
    *right(
        "section_7.4.2,_Walker_and_Orin",
        "as many multiplications as Walker and Orin report, slightly more additions",
        f"{COUNTS}:ANGELES_7_3",
        "800 and 800, 646 and 595 for six joints, by its own table of other authors",
    ),
    *right(
        "section_7.4.1,_prismatic",
        "the figures become lower if some joints are prismatic",
        f"{FOUND}:outward_rows",
        "by its rows 82M 66A at a revolute joint, 70M 53A at a prismatic one",
    ),
    *undecided(
        "section_7.5,_recursion",
        "the Newton-Euler recursion does not set up the equations of state directly",
        "not directly, but by strobing: Turney, section 7",
        "mechanics/chain/strobing.py:mass_matrix",
    ),
    wrong(
        "section 7.4.2, note",
        "the frames of the inward recursion",
        "vectors left of the arrow stand in frame i, right of it in frame i+1",
        "holds only if all of link i is turned before, at a cost that the tables leave out",
        IN,
    ),
    wrong(
        "section 7.4.1, end",
        "prismatic joints in the inward recursion",
        "with a prismatic joint (7.38c,d) remain",
        "(7.38d) lacks the slide of the next joint",
        IN,
    ),
    *right(
        "section_7.5,_complement",
        r"\(K T = 0\), \(T^T w^C = 0\), \(T^T M T\) positive definite",
        f"{FOUND}:complement_check",
        "to rounding",
    ),
    *right(
        "section_7.5,_nullspace",
        "the nullspace of K has dimension n",
        f"{FOUND}:complement_check",
        "rank 5n of 6n rows",
    ),
)

ENTRIES = (
    *right("(7.23b)", "from a frame to the next", f"{ROTATION}:FactoredRotation.to_child"),
    damaged(
        "(7.24a)",
        "from a frame to the one before",
        r"\(v_2\) in the second column",
        r"\(v\), which (7.24b) defines: an index too many",
        f"{ROTATION}:FactoredRotation.to_parent",
    ),
    *right("(7.24b)", "the scalar v of (7.24a)", f"{ROTATION}:FactoredRotation.to_parent"),
    *right(
        "(7.25a) (7.25b) (7.26a) (7.26b) (7.27)",
        "angular velocity; angular acceleration; angular velocity from frame to frame; angular acceleration from frame to frame; both of the base",
        OUT,
    ),
    *right(
        "(7.28) (7.29) (7.30) (7.31)",
        r"components of \(e\); components of \(\omega\); components of \(\omega\times\dot\theta e\); components of \(\ddot\theta e\)",
        OUT,
    ),
    *right(
        "(7.32a) (7.32b) (7.32c) (7.32d)",
        r"\(\delta\), revolute; center of mass, revolute; \(\delta\), prismatic; center of mass, prismatic",
        OUT,
    ),
    *right("(7.33a) (7.33b)", "velocity of the center of mass, revolute; acceleration, revolute", OUT),
    *right(
        "(7.34a) (7.34b) (7.34c) (7.34d) (7.34e) (7.34f) (7.35)",
        r"angular velocity, prismatic; angular acceleration, prismatic; vector \(u\); vector \(v\); velocity of "
        "the center of mass, prismatic; acceleration, prismatic; the base at rest",
        OUT,
    ),
    wrong(
        "Algorithm 7.4.1, P",
        "prismatic branch, frames",
        r"\(u_i = Q^T\delta_{i-1} + \rho_i + b_i e_i\), likewise \(\dot b_i e_i\), \(\ddot b_i e_i\)",
        r"\(u_i = Q^T(\delta_{i-1} + b_i e_i) + \rho_i\); \(Q^T\) on all three",
        OUT,
    ),
    *right("Algorithm_7.4.1,_R", "revolute branch", OUT),
    *right(
        "Table_7.1",
        "operations of the kinematics",
        f"{FOUND}:outward_rows",
        "its total has the row of c that it does not show",
    ),
    *right("(7.36) (7.37)", "wrench at a revolute joint; at a prismatic joint", f"{HERE}:JointWrench"),
    *right(
        "(7.38a) (7.38b)",
        "force on the last link; moment on the last link",
        IN,
        "with the force at the center of mass, as it says; here it acts at the tip",
    ),
    *right("(7.38c)", "forces on a link", IN),
    wrong(
        "(7.38d)",
        "moments on a link",
        r"\(\delta_i\times f_{i+1}^P\)",
        r"\((\delta_i + b_{i+1}e_{i+1})\times f_{i+1}^P\) if joint i+1 is prismatic, for (7.32d) takes "
        r"\(\rho\) from there; with \(\rho_i\) from \(O_i\), as its words have it, (7.32d) counts "
        r"\(b_i e_i\) twice",
        IN,
    ),
    *right("(7.39) (7.40)", "torque of a revolute joint; force of a prismatic joint", f"{HERE}:torques"),
    wrong(
        "Algorithm 7.4.2",
        "frames of the inward recursion",
        r"\(\phi_{i+1} = Q_i\,f_{i+1}^P,\ \tau_i = (n_i^P)_z\), link i as 7.4.1 leaves it",
        r"\(f_i^P = m_i\ddot c_i + \phi_{i+1}\) in \(F_{i+1}\), then \(\phi_i = Q_i f_i^P\), "
        r"\(\tau_i = (Q_i n_i^P)_z\); right as it stands if all of link i was turned before",
        IN,
    ),
    *right(
        "Table_7.2 (7.41) (7.42)",
        "operations of the dynamics; operations for n joints; operations for six joints",
        f"{FOUND}:inward_rows",
        "55n - 22, 44n - 14; 308 and 250",
    ),
    *right(
        "(7.43)", "operations together", "analysis/general_arm.py:count_angeles", "137n - 22, 110n - 14"
    ),
    *undecided(
        "Table_7.3",
        "other authors",
        "counts of papers not at hand; Table 7.4 has their values for six joints, but for one digit",
        f"{COUNTS}:ANGELES_7_3",
    ),
    damaged(
        "Table 7.4",
        "Balafoutis and Patel, additions",
        "420",
        r"\(81\cdot 6 - 65 = 421\), from Table 7.3: one digit",
        f"{COUNTS}:ANGELES_7_4",
    ),
    *right("(7.44)", "gravity as an acceleration of the base", f"{ROTATION}:chain_of"),
    *right("(7.45) (7.46)", "equations of state", "mechanics/chain/plant.py:ArmPlant"),
    *right("(7.47) (7.48)", "uncoupled Newton-Euler equations", f"{COMPLEMENT}:inertia_wrenches"),
    *right("(7.49)", "gravity wrench", f"{COMPLEMENT}:gravity_wrenches"),
    *right("(7.50)", "constraints K t = 0", f"{COMPLEMENT}:constraint_matrix"),
    *right("(7.51) (7.52) (7.53)", "constraint wrench", f"{COMPLEMENT}:complement"),
    *right("(7.54)", "twist-shaping matrix T", f"{COMPLEMENT}:twist_shaping"),
    *right("(7.55a) (7.55b)", r"\(K T\dot\theta = 0\); \(K T = 0\)", f"{FOUND}:complement_check"),
    *right("(7.56)", "rate of the twists", f"{COMPLEMENT}:twist_shaping_rate"),
    *right("(7.57)", "equations of motion", f"{COMPLEMENT}:torques"),
    *right("(7.58)", "generalized inertia", f"{COMPLEMENT}:generalized_inertia"),
    *undecided(
        "Fig._7.2 Fig._7.3",
        "a revolute joint; a prismatic joint",
        "figure not at hand; drawn from a model",
        f"{SKETCH}:joint_figure",
    ),
    *undecided(
        "Fig._7.4 Fig._7.5",
        "a link cut free; the last link cut free",
        "figure not at hand; drawn with computed forces",
        f"{SKETCH}:link_forces_figure",
    ),
    *CLAIMS,
    *undecided("edition", "which edition of the book", "the pages at hand do not say"),
)

EQUATIONS = (
    (
        "(7.23)",
        r"\([r]_{i+1} = \left(r_1\cos\theta_i + r_2\sin\theta_i,\ -\lambda_i r + \mu_i r_3,\ \mu_i r + \lambda_i r_3\right)\), \(r = r_1\sin\theta_i - r_2\cos\theta_i\)",
        f"{ROTATION}:FactoredRotation.to_child",
    ),
    (
        "(7.24)",
        r"\([v]_i = \left(v_1\cos\theta_i - v\sin\theta_i,\ v_1\sin\theta_i + v\cos\theta_i,\ v_2\mu_i + v_3\lambda_i\right)\), \(v = v_2\lambda_i - v_3\mu_i\)",
        f"{ROTATION}:FactoredRotation.to_parent",
    ),
    (
        "7.4.1, R",
        r"\(\omega_i = Q_i^T(\omega_{i-1} + \dot\theta_i e_i)\), \(\dot\omega_i = Q_i^T(\dot\omega_{i-1} + \omega_{i-1}\times\dot\theta_i e_i + \ddot\theta_i e_i)\)",
        OUT,
    ),
    (
        "7.4.1, R",
        r"\(c_i = Q_i^T(c_{i-1} + \delta_{i-1}) + \rho_i\), \(\dot c_i = Q_i^T(\dot c_{i-1} + u_{i-1}) + v_i\), \(u = \omega\times\delta\), \(v = \omega\times\rho\)",
        OUT,
    ),
    (
        "7.4.1, R",
        r"\(\ddot c_i = Q_i^T(\ddot c_{i-1} + \dot\omega_{i-1}\times\delta_{i-1} + \omega_{i-1}\times u_{i-1}) + \dot\omega_i\times\rho_i + \omega_i\times v_i\)",
        OUT,
    ),
    (
        "7.4.1, P",
        r"\(u_i = Q_i^T(\delta_{i-1} + b_i e_i) + \rho_i\), \(\omega_i = Q_i^T\omega_{i-1}\), \(\dot\omega_i = Q_i^T\dot\omega_{i-1}\), \(v_i = \omega_i\times u_i\)",
        OUT,
    ),
    (
        "7.4.1, P",
        r"\(c_i = Q_i^T c_{i-1} + u_i\), \(\dot c_i = Q_i^T(\dot c_{i-1} + \dot b_i e_i) + v_i\)",
        OUT,
    ),
    (
        "7.4.1, P",
        r"\(\ddot c_i = Q_i^T(\ddot c_{i-1} + \ddot b_i e_i + 2\dot b_i\,\omega_{i-1}\times e_i) + \dot\omega_i\times u_i + \omega_i\times v_i\)",
        OUT,
    ),
    (
        "7.4.2",
        r"\(f_i^P = m_i\ddot c_i + \phi_{i+1}\), \(n_i^P = I_i\dot\omega_i + \omega_i\times I_i\omega_i + \rho_i\times f_i^P + \nu_{i+1} + \hat\delta_i\times\phi_{i+1}\), in \(F_{i+1}\)",
        IN,
    ),
    (
        "7.4.2",
        r"\(\phi_i = Q_i f_i^P\), \(\nu_i = Q_i n_i^P\); \(\hat\delta_i = \delta_i + b_{i+1} e_{i+1}\) if joint i+1 is prismatic, else \(\delta_i\)",
        IN,
    ),
    ("(7.39), (7.40)", r"\(\tau_i = (\nu_i)_z\) or \((\phi_i)_z\)", f"{HERE}:torques"),
    ("(7.44)", r"\(\ddot c_0 = -g\)", f"{ROTATION}:chain_of"),
    ("(7.49)", r"\(w_i^G = \left[0;\ m_i\,g\right]\)", f"{COMPLEMENT}:gravity_wrenches"),
    ("(7.48)", r"\(M\dot t = -W M t + w^A + w^G + w^D + w^C\)", f"{COMPLEMENT}:complement"),
    (
        "(7.50), (7.54)",
        r"\(K t = 0\), \(t = T\dot\theta\), \(K T = 0\)",
        f"{COMPLEMENT}:constraint_matrix",
    ),
    (
        "(7.50), R",
        r"\(E_i(\omega_i - \omega_{i-1}) = 0\), \(\dot c_i - \dot c_{i-1} + \rho_i\times\omega_i + \delta_{i-1}\times\omega_{i-1} = 0\), \(E\) the cross-product matrix of \(e\)",
        f"{COMPLEMENT}:constraint_matrix",
    ),
    (
        "(7.50), P",
        r"\(\omega_i - \omega_{i-1} = 0\), \(E_i(\dot c_i - \dot c_{i-1} + (c_i - c_{i-1})\times\omega_{i-1}) = 0\)",
        f"{COMPLEMENT}:constraint_matrix",
    ),
    (
        "(7.54)",
        r"\(T_{ij} = \left[e_j;\ e_j\times r_{ij}\right]\) (R) or \(\left[0;\ e_j\right]\) (P), \(j\le i\), \(r_{ij}\) from \(O_j\) to \(C_i\)",
        f"{COMPLEMENT}:twist_shaping",
    ),
    (
        "(7.56)",
        r"\(\dot t = T\ddot\theta + \dot T\dot\theta\), \(\dot T_{ij} = \left[\dot e_j;\ \dot e_j\times r_{ij} + e_j\times\dot r_{ij}\right]\) or \(\left[0;\ \dot e_j\right]\), \(\dot e_j = \omega_{j-1}\times e_j\)",
        f"{COMPLEMENT}:twist_shaping_rate",
    ),
    (
        "(7.51), (7.53)",
        r"\(T^T w^C = 0\), \(w^C = K^T\lambda\)",
        f"{COMPLEMENT}:complement",
    ),
    (
        "(7.57)",
        r"\(I\ddot\theta = -T^T(M\dot T + W M T)\,\dot\theta + T^T(w^A + w^D + w^G)\)",
        f"{COMPLEMENT}:torques",
    ),
    ("(7.58)", r"\(I = T^T M T\)", f"{COMPLEMENT}:generalized_inertia"),
)
