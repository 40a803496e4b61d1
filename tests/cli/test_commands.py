"""Every command as a new user would run it."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

import linkwork as lw
from tests.cli.process import run, run_process


def columns_of(path) -> dict[str, np.ndarray]:
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, np.array(rows, dtype=float).T, strict=True))


def test_version_names_what_kernels_depend_on(tmp_path) -> None:
    text = run("--version", cwd=tmp_path).stdout
    lines = dict(line.split(None, 1) for line in text.splitlines())
    assert lines["linkwork"] == lw.__version__
    assert {"python", "casadi", "llvm", "cpu", "lanes", "features", "cache"} <= lines.keys()
    facts = json.loads(run("--version", "--json", cwd=tmp_path).stdout)
    assert facts["lanes"] in (1, 2, 4, 8)
    assert facts["features"]


def test_cache_is_shown_and_cleared(tmp_path) -> None:
    env = {"LINKWORK_CACHE": str(tmp_path / "kernels"), "LINKWORK_CACHE_LIMIT": "7"}
    run("inverse", "planar-2r", "--motion", "home-quintic", "-o", "x.csv", cwd=tmp_path, **env)
    facts = json.loads(run("cache", "--json", cwd=tmp_path, **env).stdout)
    assert facts["folder"] == str(tmp_path / "kernels")
    assert facts["kernels"] >= 1
    assert facts["index"] >= 1
    assert facts["size"] > 1000
    assert facts["limit"] == 7 * 2**20
    text = run("cache", cwd=tmp_path, **env).stdout
    assert f"kernels  {facts['kernels']}" in text
    assert "7.0 MiB" in text
    cleared = json.loads(run("cache", "--clear", "--json", cwd=tmp_path, **env).stdout)
    assert cleared["deleted"] == sum(facts[kind] for kind in ("kernels", "index", "models", "plans"))
    assert cleared["size"] == 0
    assert not any((tmp_path / "kernels").iterdir())
    nowhere = "~no-such-user/x"
    assert "folder   off" in run("cache", "--clear", cwd=tmp_path, LINKWORK_CACHE=nowhere).stdout
    assert "mass" in run("show", "planar-2r", cwd=tmp_path, LINKWORK_CACHE=nowhere).stdout


def test_without_a_command_there_is_help(tmp_path) -> None:
    for words in ((), ("--help",), ("-h",)):
        assert "inverse" in run(*words, cwd=tmp_path).stdout


def test_robots_lists_all_in_eighty_columns(tmp_path) -> None:
    lines = run("robots", cwd=tmp_path).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert tuple(line.split()[0] for line in lines[2:] if line) == lw.bundled_names()
    assert "RRPRRR" in next(line for line in lines if line.startswith("stanford"))
    robots = json.loads(run("robots", "--json", cwd=tmp_path).stdout)
    assert {robot["kind"] for robot in robots} == {
        "arm",
        "stewart-platform",
        "parallel-robot",
        "mechanism",
    }


def test_motions_lists_all(tmp_path) -> None:
    motions = json.loads(run("motions", "--json", cwd=tmp_path).stdout)
    names = {motion["name"] for motion in motions}
    assert {"dasgupta-I", "dasgupta-II", "dasgupta-III", "lee1982", "excitation"} <= names
    text = run("motions", cwd=tmp_path).stdout
    assert all(name in text for name in names)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (
            "stanford",
            [
                "P",
                "theta [deg]",
                "wrist",
                "inertia",
                "home configuration",
                "12.83 N m (shoulder) and 0 N (boom)",
            ],
        ),
        ("iiwa14", ["roll pitch yaw", "axis", "a7"]),
        ("delta", ["leg-3", "-60 .. 60", "home configuration: x 0 m", "6 N m (leg-"]),
        ("dasgupta1998", ["leg6", "fixed axis", "lower parts", "home pose: 0.2 0 0.5", "condition"]),
    ],
)
def test_show(tmp_path, robot, words) -> None:
    text = run("show", robot, cwd=tmp_path).stdout
    for word in words:
        assert word in text


def test_show_warns_of_an_impossible_inertia(tmp_path) -> None:
    (tmp_path / "odd.yaml").write_text(
        "kind: arm\nname: odd\nconvention: standard\nlinks:\n"
        "  - {joint: revolute, a: 1, mass: 1, inertia: [-0.1, 1, 1]}\n"
    )
    shown = run("show", "odd.yaml", cwd=tmp_path)
    assert "warning: link 'joint1': the inertia about the center of mass" in shown.stderr
    document = json.loads(run("show", "odd.yaml", "--json", cwd=tmp_path).stdout)
    assert document["links"][0]["inertia"] == [-0.1, 1.0, 1.0]


def test_inverse_of_a_platform_to_a_file(tmp_path) -> None:
    words = ("inverse", "dasgupta1998", "--motion", "dasgupta-I", "-o", "forces.csv")
    said = run_process(*words, cwd=tmp_path)  # the README's command, as it stands there
    assert said.stdout == ""
    assert "leg3" in said.stderr
    assert "wrote forces.csv" in said.stderr
    columns = columns_of(tmp_path / "forces.csv")
    platform, motion = lw.load("dasgupta1998"), lw.published_path("dasgupta-I")
    forces = platform.inverse_dynamics(*motion.at(columns["time"]))
    assert columns["time"][-1] == motion.duration
    np.testing.assert_array_equal(np.stack([columns[f"effort_leg{k}"] for k in range(1, 7)], 1), forces)


def test_inverse_of_an_arm_compares_formulations(tmp_path) -> None:
    words = ("inverse", "ur5", "-m", "home-quintic", "-f", "all", "--period", "0.1", "--json")
    facts = json.loads(run(*words, "--tip-wrench", "0,0,-50,0,0,0", cwd=tmp_path).stdout)
    assert facts["formulation"] == "newton-euler"
    assert len(facts["differences"]) == len(lw.load("ur5").formulations) - 1
    assert max(row["relative"] for row in facts["differences"].values()) < 1e-12
    assert len(facts["data"]["lagrange_elbow"]) == facts["samples"] == 21


def test_inverse_with_everything(tmp_path) -> None:
    words = ("inverse", "puma560", "-m", "lee1982", "--state", "--parts", "--reactions")
    said = run(*words, "--gravity", "0,0,-1.62", "--no-friction", "-o", "moon.npz", cwd=tmp_path)
    assert "shoulder" in said.stderr
    with np.load(tmp_path / "moon.npz") as data:
        arm = lw.load("puma560")
        q, qd, qdd = (
            np.stack([data[f"{name}{k}"] for k in range(1, 7)], 1) for name in ("q", "qd", "qdd")
        )
        wanted = arm.inverse_dynamics(q, qd, qdd, gravity=[0, 0, -1.62], friction=False)
        np.testing.assert_allclose(data["effort_waist"], wanted[:, 0], atol=1e-12)
        parts = ("gravity", "inertia", "Coriolis-and-centrifugal", "rotors")
        total = sum(data[f"{part}_elbow"] for part in parts)
        np.testing.assert_allclose(total, data["effort_elbow"], atol=1e-9)
        assert "friction_elbow" not in data.files
        assert "reaction_flange_mz" in data.files


def test_inverse_from_files_gives_the_same(tmp_path) -> None:
    """A motion by name, the same in YAML and the same sampled in CSV, with a robot file.

    Without friction: at the ends of a sampled motion rounding decides its direction.
    """
    (tmp_path / "lee.yaml").write_text(
        "kind: quintic\nstart: [90 deg, 0, 90 deg, 0, 0, 0]\n"
        "end: [45 deg, 30 deg, 0, 45 deg, 60 deg, 90 deg]\nduration: 3\n"
    )
    motion = lw.Quintic(np.radians([90, 0, 90, 0, 0, 0]), np.radians([45, 30, 0, 45, 60, 90]), 3.0)
    lw.write_motion(motion, tmp_path / "lee.csv", 0.01)
    run("convert", "puma560-lee", "puma.yaml", cwd=tmp_path)
    efforts = []
    for robot, source in (
        ("puma560-lee", "lee1982"),
        ("puma560-lee", "lee.yaml"),
        ("puma.yaml", "lee.csv"),
    ):
        words = ("inverse", robot, "-m", source, "--no-friction", "-o", "tau.json")
        run(*words, cwd=tmp_path)
        efforts.append(json.loads((tmp_path / "tau.json").read_text())["effort_shoulder"])
    np.testing.assert_allclose(efforts[1], efforts[0], atol=1e-12)
    np.testing.assert_allclose(efforts[2], efforts[0], atol=1e-3)


@pytest.mark.parametrize("robot", ["puma560", "puma560-lee"])
def test_lees_motion_keeps_the_limits_of_his_arm(tmp_path, robot) -> None:
    said = run("inverse", robot, "-m", "lee1982", "--check-limits", cwd=tmp_path)
    assert "beyond its limit" not in said.stderr


def test_limits_are_warned_of_and_checked(tmp_path) -> None:
    words = ("inverse", "pi-h811", "-m", "dasgupta-II", "-o", "f.parquet")
    said = run(*words, cwd=tmp_path)
    assert "warning: leg1: length" in said.stderr
    assert "is beyond its limit" in said.stderr
    run(*words, "--check-limits", cwd=tmp_path, code=1)
    assert (tmp_path / "f.parquet").stat().st_size


def test_simulate_follows_a_motion(tmp_path) -> None:
    words = ("simulate", "puma560", "-m", "lee1982", "--no-friction", "-o", "run.npz", "--json")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert facts["largest_error"] < 1e-3
    assert "data" not in facts
    with np.load(tmp_path / "run.npz") as data:
        assert data["position"].shape == (facts["samples"], 6)


@pytest.mark.parametrize(
    "words",
    [
        ("planar-2r", "--duration", "0.1", "--start", "30deg,0", "--no-friction"),
        ("planar-2r", "--duration", "0.1", "--effort", "20,5", "--integrator", "adaptive"),
        (
            "puma560",
            "-m",
            "lee1982",
            "--controller",
            "gravity-compensation",
            "--kp",
            "200",
            "--kv",
            "20",
        ),
        ("puma560", "-m", "lee1982", "--controller", "adaptive", "--payload", "2", "--duration", "0.5"),
        (
            "simona",
            "-m",
            "home-quintic",
            "--duration",
            "0.1",
            "--loop",
            "effort_limits",
            "--stop-at-limits",
        ),
    ],
)
def test_simulate_in_other_ways(tmp_path, words) -> None:
    facts = json.loads(run("simulate", *words, "--json", cwd=tmp_path).stdout)
    assert len(facts["data"]["time"]) == facts["samples"]
    assert np.isfinite(facts["energy_change"])


def test_a_simulation_that_is_lost_ends_with_one(tmp_path) -> None:
    words = ("simulate", "planar-2r", "--duration", "20", "--step", "0.5", "-o", "run.csv")
    said = run(*words, cwd=tmp_path, code=1)
    assert "error: t = " in said.stderr
    assert "try 0.05 s" in said.stderr
    assert not (tmp_path / "run.csv").exists()


def test_check_agrees(tmp_path) -> None:
    facts = json.loads(run("check", "simona", "--states", "20", "--json", cwd=tmp_path).stdout)
    assert facts["ok"]
    assert facts["power_balance"] < 1e-12


def test_check_lists_all_faults_of_a_file(tmp_path) -> None:
    (tmp_path / "bad.yaml").write_text(
        "kind: arm\nname: bad\nconvention: standard\nlinks:\n"
        "  - {joint: revolut, mass: -1}\n  - {joint: revolute, lenght: 2}\n"
    )
    said = run("check", "bad.yaml", cwd=tmp_path, code=1)
    assert "bad.yaml: 3 faults" in said.stderr
    assert "line 5, links[0] joint: 'revolut' is not known (did you mean 'revolute'?)" in said.stderr
    assert "-1 is negative; allowed: a number >= 0 [kg]" in said.stderr
    faults = json.loads(run("check", "bad.yaml", "--json", cwd=tmp_path, code=1).stdout)["faults"]
    assert len(faults) == 3


def test_count(tmp_path) -> None:
    facts = json.loads(run("count", "dasgupta1998", "--json", cwd=tmp_path).stdout)
    assert [row["formulation"] for row in facts["counts"]] == ["exact", "dasgupta1998", "pedrammehr2012"]
    words = ("count", "planar-2r", "--method", "mass_matrix", "--json")
    assert json.loads(run(*words, cwd=tmp_path).stdout)["counts"][0]["kernel"]["multiplications"] > 0
    papers = json.loads(run("count", "-n", "2", "--json", cwd=tmp_path).stdout)
    assert papers["papers"][1]["table"] == "Turney 3"


def test_convert_says_what_a_urdf_leaves_out(tmp_path) -> None:
    said = run("convert", "puma560", "puma.urdf", cwd=tmp_path)
    assert "warning: a URDF has no rotors: those of waist" in said.stderr
    facts = json.loads(run("convert", "puma.urdf", "again.yaml", "--json", cwd=tmp_path).stdout)
    assert facts["left_out"] == []
    said = run("convert", "simona", "simona.urdf", cwd=tmp_path, code=2)
    assert "a URDF cannot hold" in said.stderr


def test_bench_tells_the_latency_of_single_calls(tmp_path) -> None:
    words = ("bench", "planar-2r", "--latency", "--seconds", "0.05")
    facts = json.loads(run(*words, "--json", cwd=tmp_path).stdout)
    assert facts["robot"] == "planar-2r"
    rows = {row["call"]: row for row in facts["latency_ns"]}
    assert rows.keys() == {"inverse_dynamics", "forward_dynamics", "loop()", "loop(), inputs written"}
    for row in rows.values():
        assert row["calls"] >= 500
        assert 0 <= row["p50"] <= row["p99"] <= row["max"]
    text = run(*words, cwd=tmp_path).stdout
    assert "p99 [us]" in text
    assert "loop()" in text


def test_bench_runs_without_the_repository(tmp_path) -> None:
    words = ("bench", "planar-2r", "--seconds", "0.05", "--states", "100", "--json")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    ours = [row for row in facts["times"] if row["engine"] == "linkwork"]
    assert [row["ratio"] for row in ours] == [1.0, 1.0]
    assert "note: no engine" in run(*words[:1], "simona", *words[2:], cwd=tmp_path).stderr


def test_a_published_model_is_drawn_beside_the_exact_one(tmp_path) -> None:
    words = ("inverse", "dasgupta1998", "-m", "dasgupta-II", "-f", "pedrammehr2012", "--period", "0.05")
    run(*words, "--plot", "forces.svg", "-o", "forces.csv", cwd=tmp_path)
    drawing = (tmp_path / "forces.svg").read_text()
    assert "exact" in drawing
    assert "pedrammehr2012" in drawing


def test_a_motion_past_a_singular_pose_is_warned_of(tmp_path) -> None:
    words = ("inverse", "dasgupta1998", "-o", "forces.csv", "-m")
    said = run(*words, "dasgupta-III", cwd=tmp_path).stderr
    assert "warning: close to a singular pose at t = 3.67 s" in said
    assert "singular" not in run(*words, "dasgupta-I", cwd=tmp_path).stderr


def test_reports_tell_all_settings_of_their_run(tmp_path) -> None:
    """Those that were given, those worked out (gains, gravity) and those left at their defaults."""
    words = ("simulate", "planar-2r", "--motion", "home-quintic", "--payload", "2", "--kp", "64")
    run(*words, "--report", "page.html", "-o", "run.csv", cwd=tmp_path)
    text = (tmp_path / "page.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
    text = text[text.index(">Settings</h2>") :]
    rows = dict(re.findall(r"<tr><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td></tr>", text))
    expected = {"controller": "computed-torque", "kp": "64", "kv": "20", "payload [kg]": "2"}
    expected |= {"controller period [s]": "0.01", "integrator": "rk4", "friction": "yes"}
    assert expected.items() <= rows.items()
    assert "report" not in rows
