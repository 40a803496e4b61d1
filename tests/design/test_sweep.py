"""Sweeps: rows are those of the robots themselves, and no interruption loses or doubles one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import trapezoid

import linkwork as lw
from linkwork.core.table_files import write_table
from linkwork.design import sweep as sweeping
from linkwork.design.metrics import units_of
from linkwork.design.sampling import count_of, variants
from linkwork.design.study_file import SamplingPlan, StudyFileError, StudyVariable, read_study
from linkwork.design.sweep import SweepPart, chunk_of, open_sweep, part_of, read_sweep
from linkwork.motion.bundled import motion_for
from linkwork.reports.sweep import share_words, sweep_report
from tests.cli.process import environment, run
from tests.design.studies import write_study

VARIABLES = (
    StudyVariable("a", 0.0, 2.0),
    StudyVariable("b", 5.0, 6.0, (5.0, 5.5, 6.0)),
    StudyVariable("c", 1, 2, (), 3),
)


@pytest.mark.parametrize("method", ["grid", "sobol", "latin-hypercube", "monte-carlo", "saltelli"])
def test_parts_of_a_sample_are_parts_of_the_whole(method: str) -> None:
    sampling = SamplingPlan(method, 64, 3)
    count = count_of(sampling, VARIABLES)
    whole = variants(sampling, VARIABLES, 0, count)
    assert whole.shape == (count, 3)
    assert ((whole >= [0, 5, 1]) & (whole <= [2, 6, 2])).all()
    assert {*whole[:, 1]} == {5.0, 5.5, 6.0}
    pieces = [variants(sampling, VARIABLES, k, min(k + 7, count)) for k in range(0, count, 7)]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


def test_chunks_of_a_sobol_sequence_in_any_order_and_far_out() -> None:
    sampling = SamplingPlan("sobol", 300, 5)
    whole = variants(sampling, VARIABLES, 0, 300)
    for start in (200, 100, 0, 250):
        rows = variants(sampling, VARIABLES, start, start + 50)
        np.testing.assert_array_equal(rows, whole[start : start + 50])
    far = variants(SamplingPlan("sobol", 2**32, 5), VARIABLES, 10**6, 10**6 + 8)
    assert len(np.unique(far[:, 0])) == 8


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("latin-hypercube", "expected 5000000: take method: sobol"),
        ("saltelli", "expected 5000000: take method: sobol"),
        ("sobol", "at most 4294967296 variants"),
    ],
)
def test_plans_have_bounds(method: str, message: str) -> None:
    with pytest.raises(lw.InputError, match=message):
        count_of(SamplingPlan(method, 10**10, 5), VARIABLES)


def test_monte_carlo_across_blocks() -> None:
    sampling = SamplingPlan("monte-carlo", 10_000, 1)
    whole = variants(sampling, VARIABLES, 0, 10_000)
    np.testing.assert_array_equal(variants(sampling, VARIABLES, 4000, 8300), whole[4000:8300])


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sweep")
    open_sweep(write_study(folder), folder / "runs").run()
    return folder


def test_rows_are_those_of_the_robots_themselves(finished: Path) -> None:
    rows = read_sweep(finished / "runs")
    np.testing.assert_array_equal(rows["variant"], np.arange(300))
    robot = lw.load(finished / "simulator.yaml")
    motion = lw.size_actuators(robot, ["heave"], period=0.2).studies[0]
    for k in (0, 17, 299):
        fields = ("geometry.base_radius", "geometry.height", "platform.mass")
        variant = robot.with_fields({name: rows[name][k] for name in fields})
        position = motion.position.copy()
        position[:, 2] += rows["geometry.height"][k] - 2.39
        state = (position, motion.velocity, motion.acceleration)
        force = variant.inverse_dynamics(*state)
        legs = variant.leg_kinematics(*state)
        assert rows["peak_effort"][k] == pytest.approx(np.abs(force).max(), rel=1e-12)
        mean = np.sqrt(trapezoid(force**2, motion.time, axis=0) / motion.time[-1])
        assert rows["rms_effort"][k] == pytest.approx(mean.max(), rel=1e-12)
        assert rows["stroke"][k] == pytest.approx(np.ptp(legs.length), rel=1e-12)
        assert rows["speed"][k] == pytest.approx(np.abs(legs.rate).max(), rel=1e-12)
        assert rows["power"][k] == pytest.approx(np.abs(force * legs.rate).max(), rel=1e-12)
    page = sweep_report(finished / "runs").html()
    assert "First-order Sobol indices" in page
    assert ">peak effort<" in page
    assert ">peak_effort<" not in page
    assert "scatter-peak_effort" in page


def test_a_sweep_as_dataframe_and_dataset(finished: Path) -> None:
    sweep = open_sweep(finished / "study.yaml", finished / "runs")
    rows, frame, dataset = read_sweep(finished / "runs"), sweep.to_pandas(), sweep.to_xarray()
    assert [*frame.columns] == [*rows]
    for name, values in rows.items():
        assert dataset[name].dims == ("variant",)
        np.testing.assert_array_equal(dataset[name].values, values)
    assert frame.attrs["units"]["peak_effort"] == dataset["peak_effort"].attrs["units"] == "N"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("planar-2r", "links[0].mass"),
        ("excavator", "cylinders[0].barrel.mass"),
    ],
)
def test_rows_are_what_sizing_says(name: str, field: str, tmp_path) -> None:
    """Of any robot: efforts, strokes, speeds and powers of its motors."""
    changes = {"robot": name, "variables": {field: [1, 2]}, "motions": ["home-quintic"]}
    sampling = {"method": "grid"}
    study = write_study(tmp_path, **changes, sampling=sampling)
    open_sweep(study, tmp_path / "runs").run()
    rows = read_sweep(tmp_path / "runs")
    robot = lw.load(name)
    for k in (0, 4):
        variant = robot.with_fields({field: rows[field][k]})
        demands = lw.size_actuators(
            variant, {"quintic": motion_for(robot, "home-quintic")}, period=0.2
        ).demands
        for metric, numbers in {
            "peak_effort": [one.peak for one in demands],
            "rms_effort": [one.rms for one in demands],
            "stroke": [one.stroke for one in demands],
            "speed": [one.velocity for one in demands],
            "power": [one.power for one in demands],
        }.items():
            assert rows[metric][k] == pytest.approx(max(numbers), rel=1e-9), metric


def same(one: Path, other: Path) -> None:
    a, b = read_sweep(one), read_sweep(other)
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


def test_parts_make_the_whole(finished: Path, monkeypatch) -> None:
    monkeypatch.setattr(sweeping, "FEWEST", 16)
    monkeypatch.setattr(sweeping, "STATES", 1000)
    sweep = open_sweep(finished / "study.yaml", finished / "parts")
    assert sweep.chunks > 3
    for index in (3, 1, 2):
        sweep.run(SweepPart(index, 3))
    same(finished / "parts", finished / "runs")
    assert sweep.run() == 0


def test_great_sweeps_have_great_chunks() -> None:
    assert chunk_of(10**6, 267) == 7490
    assert chunk_of(10**7, 267) == 10_000
    assert chunk_of(10**10, 267) == 65_536
    assert chunk_of(10**10, 10**6) == 20


def test_a_variant_that_fails_is_a_row(tmp_path) -> None:
    variables = {"geometry.platform_radius": {"values": [1e-320, 1.6]}}
    study = write_study(tmp_path, variables=variables, sampling={"method": "grid"})
    open_sweep(study, tmp_path / "runs").run()
    rows = read_sweep(tmp_path / "runs")
    assert "no finite effort" in rows["error"][0]
    assert np.isnan(rows["peak_effort"][0])
    assert rows["error"][1] == ""
    assert rows["peak_effort"][1] > 0


def test_a_changed_study_is_refused(tmp_path) -> None:
    open_sweep(write_study(tmp_path), tmp_path / "runs").prepare()
    other = open_sweep(write_study(tmp_path, period=0.1), tmp_path / "runs")
    with pytest.raises(lw.InputError, match="study, motions, chunk changed since"):
        other.run()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").touch()
    with pytest.raises(lw.InputError, match="is not empty"):
        open_sweep(write_study(tmp_path), tmp_path / "full").run()
    (tmp_path / "runs" / "manifest.json").write_text("{")
    with pytest.raises(lw.InputError, match="is damaged"):
        read_sweep(tmp_path / "runs")


def test_damaged_rows_are_made_again(tmp_path, monkeypatch) -> None:
    """Cut off, with a bit turned over, empty, or those of another chunk."""
    monkeypatch.setattr(sweeping, "STATES", 1000)
    sweep = open_sweep(write_study(tmp_path), tmp_path / "runs")
    sweep.run()
    whole = {path.name: path.read_bytes() for path in sweep.folder.glob("part-*")}
    first, second = sweep.file(0), sweep.file(1)
    content = whole[first.name]
    middle = content.index(b"PAR1") + 40
    turned = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    for damaged in (content[: len(content) // 2], turned, b"", whole[second.name]):
        first.write_bytes(damaged)
        assert sweep.missing() == [0]
        assert sweep.run() > 0
        assert {path.name: path.read_bytes() for path in sweep.folder.glob("part-*")} == whole
    first.write_bytes(turned)
    with pytest.raises(lw.InputError, match="is damaged; run the sweep again"):
        read_sweep(sweep.folder)


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sweeping, "STATES", 1000)
    sweep = open_sweep(write_study(tmp_path), tmp_path / "runs")
    stored: list[Path] = []

    def until_full(path, columns) -> None:
        if len(stored) == 2:
            raise lw.WriteError(f"{path} cannot be written: no space left on device.")
        stored.append(path)
        write_table(path, columns)

    monkeypatch.setattr(sweeping, "write_table", until_full)
    with pytest.raises(lw.WriteError, match="no space left"):
        sweep.run()
    monkeypatch.setattr(sweeping, "write_table", write_table)
    assert sweep.run() == 300 - 2 * sweep.task.chunk
    assert len(read_sweep(tmp_path / "runs")["variant"]) == 300


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"robot": "nobody"}, "robot"),
        ({"sampling": {"method": "saltelli", "count": 100}}, "did you mean 128"),
        ({"variables": {"platform.mas": [1, 2]}}, "platform.mas"),
        ({"variables": {"platform.mass": [2, 1]}}, "not in order"),
        ({"variables": {"platform.mass": [-2, 1]}}, "numbers >= 0"),
        ({"variables": {"legs.base_point": [2, 3]}}, "18 numbers"),
        ({"metrics": ["peak_force"]}, "unknown metric"),
        ({"sampling": {"method": "random"}}, "sampling.method"),
        ({"sampling": {"count": -3}}, "integers"),
        ({"motions": []}, "is empty"),
        ({"period": 0}, "not positive"),
        ({"color": "red"}, "unknown field"),
    ],
)
def test_faults_of_a_study_file(changes: dict[str, object], message: str, tmp_path) -> None:
    with pytest.raises(StudyFileError, match=message) as error:
        read_study(write_study(tmp_path, **changes))
    assert "line " in str(error.value)


def test_loops_vary_loads_friction_and_gains(tmp_path) -> None:
    study = tmp_path / "loops.yaml"
    written = {
        "robot": "planar-2r",
        "variables": {"payload": [0.0, 2.0], "controller.kp": {"values": [50, 200]}},
        "motions": ["home-quintic"],
        "controller": {"kp": 100, "kv": 20, "period": 0.01},
        "metrics": ["tracking_error", "rms_error", "peak_effort"],
        "sampling": {"count": 8},
    }
    study.write_text(json.dumps(written))
    open_sweep(study, tmp_path / "runs").run()
    rows = read_sweep(tmp_path / "runs")
    robot = lw.load_arm("planar-2r")
    motion = motion_for(robot, "home-quintic")
    for k in (0, 5):
        controller = lw.ComputedTorque(robot, motion, rows["controller.kp"][k], 20, 0.01)
        run = lw.rollout(robot, controller, batch=1, variations={"payload": rows["payload"][[k]]})
        assert rows["tracking_error"][k] == pytest.approx(np.abs(run.largest_error).max(), rel=1e-12)
        assert rows["peak_effort"][k] == pytest.approx(np.abs(run.largest_effort).max(), rel=1e-12)
    for change, message in (
        ({"variables": {"links.mass": [1, 2]}}, "cannot vary under control"),
        ({"controller": {"kp": 1, "color": 2}}, "color"),
        ({"metrics": ["stroke"]}, "not a metric of loops"),
        ({"controller": None}, "unknown field"),
    ):
        study.write_text(json.dumps({**written, **change}))
        with pytest.raises(lw.LinkworkError, match=message):
            open_sweep(study, tmp_path / "other")


def test_constraints_that_are_left_empty(tmp_path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "robot: planar-2r\nvariables: {'links[0].mass': [1, 2]}\nmotions: [sine]\nconstraints:\n"
    )
    assert read_study(file).bounds == ()


def test_unreadable_studies(tmp_path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(lw.InputError, match="cannot be read"):
            read_study(path)
    for wrong in ("5/4", "0/3", "x"):
        with pytest.raises(lw.InputError, match="3/16"):
            part_of(wrong)


def test_an_address_without_a_scheduler(tmp_path) -> None:
    sweep = open_sweep(write_study(tmp_path), tmp_path / "runs")
    with pytest.raises(lw.LinkworkError, match="no scheduler answers there"):
        sweeping.run_on(sweep, "nowhere", SweepPart())


def test_a_motion_that_is_not_there_is_named_with_its_line(tmp_path) -> None:
    with pytest.raises(StudyFileError, match=r"line \d+, motions\[0\]: .*heav"):
        open_sweep(write_study(tmp_path, motions=["heav"]), tmp_path / "runs")


def test_a_worker_with_another_version_is_refused(tmp_path, monkeypatch) -> None:
    sweep = open_sweep(write_study(tmp_path), tmp_path / "runs")
    monkeypatch.setattr(lw, "__version__", "0.0.1")
    version, columns = sweeping.rows_of(sweep.task, 0)
    assert version == "0.0.1" != sweep.task.version
    assert len(columns["variant"]) == 300
    with pytest.raises(lw.LinkworkError, match=r"has Linkwork 0\.0\.1"):
        sweeping.check_version(version, sweep.task.version)


def kill_while_running(study: Path, runs: Path, delay: float) -> bool:
    """Start a sweep and kill it; whether it had already ended."""
    command = [sys.executable, "-m", "linkwork", "sweep", str(study), "-o", str(runs)]
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(delay)
    ended = process.poll() is not None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return ended


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("times", [2, pytest.param(100, marks=pytest.mark.long)])
def test_killed_at_random_moments(times: int, tmp_path) -> None:
    study = write_study(tmp_path, sampling={"count": 100 * times + 2000}, motions=["heave", "pitch"])
    rng = random.Random(times)
    for _ in range(times):
        if kill_while_running(study, tmp_path / "killed", rng.uniform(0.4, 4.0)):
            break
    words = ("sweep", str(study), "-o", "killed", "--json")
    facts = json.loads(run(*words, cwd=tmp_path).stdout)
    assert facts["chunks_left"] == 0
    assert len(read_sweep(tmp_path / "killed")["variant"]) == 100 * times + 2000
    names = {path.name for path in (tmp_path / "killed").iterdir()}
    assert all(name == "manifest.json" or name.startswith("part-") for name in names)
    if times > 50:
        run("sweep", str(study), "-o", "undisturbed", cwd=tmp_path)
        same(tmp_path / "killed", tmp_path / "undisturbed")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_two_workers_of_which_one_is_killed(finished: Path, tmp_path) -> None:
    study = write_study(tmp_path, sampling={"count": 20_000}, period=0.01)
    scheduler = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "distributed.cli.dask_scheduler",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(tmp_path / "scheduler.json"),
        ],
        env=environment(),
    )
    started = [scheduler]
    try:
        while not (tmp_path / "scheduler.json").exists():
            time.sleep(0.1)
        address = json.loads((tmp_path / "scheduler.json").read_text())["address"]
        for _ in range(2):
            started.append(
                subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "distributed.cli.dask_worker",
                        address,
                        "--nthreads",
                        "1",
                        "--no-nanny",
                        "--no-dashboard",
                    ],
                    env=environment(),
                )
            )
        command = [sys.executable, "-m", "linkwork", "sweep", str(study), "-o", str(tmp_path / "runs")]
        sweep = subprocess.Popen([*command, "--cluster", address], env=environment())
        while len(list((tmp_path / "runs").glob("part-*"))) < 1:
            time.sleep(0.05)
            assert sweep.poll() is None
        started[1].send_signal(signal.SIGKILL)
        assert sweep.wait(timeout=300) == 0
    finally:
        for process in started:
            process.kill()
    run("sweep", str(study), "-o", "alone", cwd=tmp_path)
    same(tmp_path / "runs", tmp_path / "alone")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system has no masks of signals")
def test_workers_on_this_machine_do_not_hear_control_c() -> None:
    """They would print tracebacks; the sweep ends them."""
    script = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    with sweeping._ctrl_c_waits():
        inside = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
    assert inside.stdout.strip() == "True"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("joints", [1, 2])
def test_arms_of_one_and_two_joints(tmp_path, joints) -> None:
    """Rows of a sweep are what the variants themselves need along the motion."""
    links = [
        {"name": f"j{k}", "joint": "revolute", "theta": 0, "d": 0, "a": 1, "alpha": 90 * k, "mass": 1.0,
         "center_of_mass": [-0.5, 0, 0], "inertia": [0, 0.1, 0.1]}
        for k in range(joints)
    ]  # fmt: skip
    arm = {"kind": "arm", "name": "short", "convention": "standard", "gravity": [0, -9.81, 0]}
    (tmp_path / "short.yaml").write_text(json.dumps({**arm, "links": links}))
    (tmp_path / "study.yaml").write_text(
        "robot: short.yaml\nvariables: {'links[0].mass': [1, 2]}\nmotions: [home-quintic]\n"
        "sampling: {method: sobol, count: 4}\nobjectives: [peak_effort]\n"
        "search: {population: 4, generations: 1}\n"
    )
    sweep = open_sweep(tmp_path / "study.yaml", tmp_path / "runs")
    sweep.run()
    rows = read_sweep(tmp_path / "runs")
    for mass, peak in zip(rows["links[0].mass"], rows["peak_effort"], strict=True):
        variant = lw.load(tmp_path / "short.yaml").with_fields({"links[0].mass": mass})
        motion = motion_for(variant, "home-quintic").sample(sweep.study.period)[1]
        assert peak == pytest.approx(np.abs(variant.inverse_dynamics(*motion)).max(), rel=1e-12)
    run("design", "study.yaml", "--report", "design.html", cwd=tmp_path)


def test_condition_is_that_of_the_robot(tmp_path) -> None:
    sampling = {"method": "sobol", "count": 2}
    study = write_study(
        tmp_path, variables={"platform.mass": [3000, 5000]}, metrics=["condition"], sampling=sampling
    )
    sweep = open_sweep(study, tmp_path / "runs")
    sweep.run()
    robot = lw.load(tmp_path / "simulator.yaml")
    poses = motion_for(robot, "heave").sample(sweep.study.period)[1][0]
    expected = np.full(2, robot.condition_number(poses).max())
    np.testing.assert_allclose(read_sweep(tmp_path / "runs")["condition"], expected, rtol=1e-9)


def test_metrics_have_the_units_of_the_motors() -> None:
    metrics = ("peak_effort", "stroke", "speed", "power")
    assert units_of(lw.load("puma560"), metrics) == dict(
        zip(metrics, ("N m", "rad", "rad/s", "W"), strict=True)
    )
    assert units_of(lw.load("simona"), metrics) == dict(
        zip(metrics, ("N", "m", "m/s", "W"), strict=True)
    )


def test_an_index_less_certain_than_the_whole_variance_is_a_dash() -> None:
    assert share_words(-0.01, 0.002) == "0.00 ± 0.01"
    assert share_words(16335.8, 400830.9) == "–"
