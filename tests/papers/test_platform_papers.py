"""Numbers on the pages of Dasgupta 1998 and Pedrammehr 2012 against what is known of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import cross

import linkwork as lw
from linkwork.core.rotations import rotation_of, skew
from linkwork.papers.dasgupta1998 import figures, findings, tables
from linkwork.papers.pedrammehr2012 import findings as improved
from linkwork.papers.platform_paths import papers_platform, peak, run_path
from tests.papers.tables import column, lists, rows


def test_dasgupta_deviates_as_known(folder) -> None:
    found = {row["path"]: row for row in rows(folder, "dasgupta1998-deviation")}
    for path, largest, rms in (("Path I", 27.7, 1.92), ("Path II", 103.9, 5.77)):
        assert float(found[path]["largest error [N]"]) == pytest.approx(largest, abs=0.05)
        assert float(found[path]["RMS error [%]"]) == pytest.approx(rms, abs=0.005)
    assert float(found["Path II"]["worst instant [%]"]) == pytest.approx(12.3, abs=0.05)


KNOWN = {
    "left out": (0.16, 16.1),
    "put along the leg": (28.3, 43.1),
    "m_u L^2": (1.04, 103.7),
    "P (32)": (1.09, 109),
    "P (25)": (0.0034, 0.34),
    "P (42)-(43)": (0.157, 15.7),
}


@pytest.mark.parametrize(("paper", "count"), [("dasgupta1998", 3), ("pedrammehr2012", 8)])
def test_one_deviation_at_a_time(folder, paper, count) -> None:
    found = lists(folder, f"{paper}-one-at-a-time")
    assert len(found) == count
    compared = 0
    for words, slow, fast, _ in found:
        for key, (known_slow, known_fast) in KNOWN.items():
            if key in words:
                assert float(slow) == pytest.approx(known_slow, rel=0.02)
                assert float(fast) == pytest.approx(known_fast, rel=0.02)
                compared += 1
    assert compared >= min(count, len(KNOWN))


@pytest.mark.parametrize(
    ("path", "forces"),
    [
        ("i", [411.529329, -1146.668146, 1434.067588, -616.937155, -68.992835, 370.536408]),
        ("ii", [304.887015, -1580.076393, 2133.406514, -901.693623, -354.577719, 899.371229]),
    ],
)
def test_exact_forces_at_the_start(folder, path, forces) -> None:
    name = f"dasgupta1998-path-{path}"
    found = [column(folder, name, f"exact leg {k} [N]")[0] for k in range(1, 7)]
    np.testing.assert_allclose(found, forces, atol=1e-6)


def test_peaks_and_conditioning(folder) -> None:
    for path, exact, published, low, high in (
        ("i", 1434, 1419, 34.7, 47.2),
        ("ii", 2133, 2211, 34.7, 47.2),
        ("iii", 9.73e5, 9.60e5, 289, 21048),
    ):
        name = f"dasgupta1998-path-{path}"
        for label, known in (("exact", exact), ("published", published)):
            forces = [column(folder, name, f"{label} leg {k} [N]") for k in range(1, 7)]
            assert np.abs(forces).max() == pytest.approx(known, rel=5e-4)
        condition = column(folder, name, "condition number")
        assert condition.min() == pytest.approx(low, rel=2e-3)
        assert condition.max() == pytest.approx(high, rel=2e-3)


def test_singularity_of_path_three() -> None:
    found = findings.singularity()
    assert found.time == pytest.approx(3.670504, abs=5e-7)
    assert found.growth == pytest.approx(2.85e4, rel=5e-3)


def test_what_dasgupta_says_of_path_one() -> None:
    assert findings.zero_crossings("dasgupta-I", 5, "dasgupta1998") == [pytest.approx(3.01, abs=0.005)]
    assert findings.zero_crossings("dasgupta-I", 6, "dasgupta1998") == [pytest.approx(4.36, abs=0.005)]
    slow = findings.path_forces("dasgupta-I")
    assert np.median(np.abs(slow.published_fraction)) == pytest.approx(0.188, abs=5e-4)
    assert np.median(np.abs(slow.exact_fraction)) == pytest.approx(0.207, abs=5e-4)
    assert np.abs(slow.published_fraction[:, 3]).max() == pytest.approx(0.405, abs=5e-4)
    top = peak(slow.run.time, slow.exact)
    assert (top.leg, top.time) == (3, 0.0)


def test_operations_of_dasgupta(folder) -> None:
    found = {row["what"]: row for row in rows(folder, "dasgupta1998-operations")}
    assert int(found["the paper, MATLAB (quoted)"]["all"]) == 4889
    assert int(found["serial arm, Fu et al. (quoted)"]["all"]) == 1454
    for name in ("exact, kernel", "dasgupta1998, kernel"):
        assert int(found[name]["all"]) < 4889


def test_pedrammehr_deviates_as_known(folder) -> None:
    found = {
        row[0]: [float(cell) for cell in row[1:]] for row in lists(folder, "pedrammehr2012-deviation")
    }
    known = {
        "closed form (41)-(43), frames as printed": (1.31, 0.077, 131.0, 5.75, 11.1),
        "closed form (41)-(43), local frames": (2.23, 0.144, 223.3, 10.8, 20.8),
        "D as published": (27.7, 1.92, 103.9, 5.77, 12.3),
    }
    for name, values in known.items():
        np.testing.assert_allclose(found[name], values, rtol=6e-3)


def test_pedrammehr_is_exact_at_rest_and_depends_on_the_base_frame() -> None:
    run = run_path("pedrammehr-2")
    rest = np.zeros_like(run.motion[1])
    still = [
        run.platform.inverse_dynamics(run.pose, rest, rest, formulation=name)
        for name in ("exact", "pedrammehr2012")
    ]
    np.testing.assert_allclose(still[1], still[0], atol=1e-9)
    angle = np.pi / 6
    assert improved.frame_dependence("pedrammehr-3", angle) < 1e-9
    assert improved.frame_dependence("pedrammehr-3", angle, formulation="dasgupta1998") < 1e-9
    assert improved.frame_dependence("pedrammehr-3", angle, formulation="pedrammehr2012") > 1.0


def test_pedrammehrs_closed_form_has_no_symmetric_mass_matrix() -> None:
    home = papers_platform().home
    assert improved.asymmetry(improved.published_mass_matrix(home, "step")) < 1e-12
    assert improved.asymmetry(improved.published_mass_matrix(home, "closed")) > 1e-3


def closed_form_put_right(platform: lw.Platform, pose, twist):
    """M(X) and h by P (42), (43), (48), (51) as the page has them put right; written for this test."""
    model, w, td = platform.model, twist[3:], twist[:3]
    g, R, E = np.asarray(model.gravity), rotation_of(pose), np.eye(3)
    body, c = model.platform, R @ model.platform.center_of_mass
    inertia, centripetal = R @ body.inertia @ R.T, cross(w, cross(w, c))
    C = skew(c)
    M = np.block([[body.mass * E, -body.mass * C], [body.mass * C, inertia - body.mass * C @ C]])
    moment = body.mass * cross(c, centripetal - g) + cross(w, inertia @ w)
    h = np.concatenate([body.mass * (centripetal - g), moment])
    for leg in model.legs:
        q, k = R @ leg.platform_point, leg.fixed_axis
        S = q + pose[:3] - leg.base_point
        L = np.linalg.norm(S)
        s, Sd, S0 = S / L, td + cross(w, q), cross(w, cross(w, q))
        y = cross(k, s)
        sine = np.linalg.norm(y)
        y = y / sine
        z, normal = cross(s, y), cross(k, y)
        T = np.column_stack([s, y, z])
        J = (np.outer(k, y) / sine - np.outer(y, z)) / L
        W, Ld = J @ Sd, s @ Sd
        spins = (y @ Sd / (L * sine)) * (-z @ Sd / L)
        A = cross(s, S0 - cross(W, cross(W, S)) - 2 * Ld * cross(W, s)) / L
        A = A + ((A @ k) * (k @ s) + spins * (normal @ s)) / (1 - (k @ s) ** 2) * s
        Ldd = s @ S0 + np.sum(cross(s, Sd) ** 2) / L
        rd, ru = T @ leg.lower.center_of_mass, S + T @ leg.upper.center_of_mass
        ad = cross(A, rd) + cross(W, cross(W, rd))
        au = Ldd * s + cross(A, ru) + cross(W, cross(W, ru)) + 2 * Ld * cross(W, s)
        Bd, Bu = -skew(rd) @ J, np.outer(s, s) - skew(ru) @ J
        own = T @ (leg.lower.inertia + leg.upper.inertia) @ T.T
        md, mu = leg.lower.mass, leg.upper.mass
        friction = leg.friction
        drag = friction.spherical * (W - w)
        Q = md * Bd.T @ Bd + mu * Bu.T @ Bu + J.T @ own @ J
        turning = own @ A + cross(W, own @ W) + friction.universal * W + drag
        V = md * Bd.T @ (ad - g) + mu * Bu.T @ (au - g) + J.T @ turning
        V = V + friction.prismatic * Ld * s
        G = np.hstack([E, -skew(q)])
        M, h = M + G.T @ Q @ G, h + G.T @ V - np.concatenate([np.zeros(3), drag])
    return M, h


def test_the_closed_form_put_right_is_exact() -> None:
    """The page's (42), (43), (48) and (51) against the mechanism."""
    platform = papers_platform()
    rng = np.random.default_rng(3)
    for _ in range(3):
        pose = platform.home + 0.05 * rng.normal(size=7)
        pose[3:] /= np.linalg.norm(pose[3:])
        twist = rng.normal(size=6)
        M, h = closed_form_put_right(platform, pose, twist)
        found = platform.task_space(pose, twist)
        np.testing.assert_allclose(found.mass_matrix, M, atol=1e-12 * np.abs(M).max())
        np.testing.assert_allclose(found.bias, h, atol=1e-12 * np.abs(h).max())


def test_forces_of_ill_conditioned_poses_and_steep_changes() -> None:
    """Half of the poses that the paper calls ill conditioned need less than a third of what it says."""
    found = findings.forces_of_ill_conditioned_poses(4000)
    assert len(found.forces) > 2000
    assert np.median(found.forces) < 3500
    assert 0.05 < found.share_from(1e4) < 0.25
    steep = findings.steps_in_force(instant=1e-4)
    assert steep.blends == 4
    assert steep.at_blends > 100 * steep.elsewhere


def test_pods_that_look_alike(folder) -> None:
    """Pods 1, 2, 6 in angular velocity and 3 in angular acceleration; 4 does not spin at all."""
    found = rows(folder, "pedrammehr2012-spin")
    velocity = [float(row["velocity: difference of lengths [%]"]) for row in found]
    acceleration = [float(row["acceleration: difference of lengths [%]"]) for row in found]
    assert set(np.argsort(velocity)[:4] + 1) == {1, 2, 4, 6}
    assert set(np.argsort(acceleration)[:2] + 1) == {3, 4}


def test_simplified_rotations_are_the_true_ones_across_the_pod() -> None:
    run = run_path("pedrammehr-2")
    direction = run.legs().direction
    for found in improved.rotations(run)[:1]:
        axial = (found.true * direction).sum(axis=-1, keepdims=True) * direction
        np.testing.assert_allclose(found.true - axial, found.simplified, atol=1e-12)


# Largest orientation error [mrad] with each model in the controller, on the slow and the fast path:
# known from a controller written by hand.
TRACKED = {"exact": (0.25, 0.39), "dasgupta1998": (7.4, 9.3), "pedrammehr2012": (0.23, 5.9)}


@pytest.mark.parametrize("paper", ["dasgupta1998", "pedrammehr2012"])
def test_what_the_models_cost_in_tracking(folder, paper) -> None:
    found = {row[0]: row[1:] for row in lists(folder, f"{paper}-tracking")}
    for name, (slow, fast) in TRACKED.items():
        assert (float(found[name][1]), float(found[name][4])) == (slow, fast)
    lost = {name: float(row[2]) for name, row in found.items()}
    assert lost["dasgupta1998"] < lost["pedrammehr2012"] < lost["exact"]
    assert found["exact"][5] == "not lost"


def test_branches_of_dasgupta_run_at_the_same_time(folder) -> None:
    assert tables.PRINTED.total == 4889
    assert tables.PRINTED.parallel == 694 + 452 < tables.SERIAL == 1454
    found = tables.branches()
    assert found.parallel == found.leg + found.system
    rows_of = {row["branch"]: row for row in rows(folder, "dasgupta1998-branches")}
    assert int(rows_of["one leg"]["its equations, as written here"]) == found.leg < 694


def test_fractions_are_broken_where_the_force_changes_sign() -> None:
    figure = figures.fraction_figure(findings.path_forces("dasgupta-I"))
    gaps = [int(np.isnan(ax.lines[0].get_ydata()).sum()) for ax in figure.axes[:6]]
    assert gaps == [0, 0, 0, 0, 1, 1]  # legs 5 and 6, as the paper says


def test_no_printed_inertia_is_that_of_a_body() -> None:
    faults = {one.name.partition(", ")[2]: one.fault for one in findings.principal_moments()}
    assert faults == {
        r"\(I_p\)": "largest above the sum of the others",
        r"\(I_{d0}\)": "negative moment",
        r"\(I_{u0}\)": "largest above the sum of the others",
    }
