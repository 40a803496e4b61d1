"""FMUs of both versions, validated and simulated by FMPy."""

from __future__ import annotations

import shutil
import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.exports import fmu as fmu_target
from linkwork.exports.fmu_equations import equations
from tests.compilers import need

fmpy = pytest.importorskip("fmpy")
VERSIONS = ("2.0", "3.0")
DURATION, STEP = 5.0, 0.01


def exported(robot, folder, **options):
    need("gcc")
    done = lw.export(robot, "fmu", folder, **options)
    return str(folder / done.files[0]), done


def instance(file, kind="ModelExchange"):
    """An FMU in FMPy's hands, initialised, with functions to put and read by name."""
    from fmpy import fmi2, fmi3

    description = fmpy.read_model_description(file)
    second = description.fmiVersion == "2.0"
    name = {"ModelExchange": "Model", "CoSimulation": "Slave"}[kind]
    classes = {True: fmi2, False: fmi3}[second]
    make = getattr(classes, f"FMU{description.fmiVersion[0]}{name}")
    model = make(
        guid=description.guid,
        unzipDirectory=fmpy.extract(file),
        modelIdentifier=description.modelExchange.modelIdentifier,
        instanceName="robot",
    )
    model.instantiate()
    if second:
        model.setupExperiment()
    model.enterInitializationMode()
    model.exitInitializationMode()
    references = {variable.name: variable.valueReference for variable in description.modelVariables}

    def put(values):
        function = model.setReal if second else model.setFloat64
        function([references[key] for key in values], list(values.values()))

    def read(*names):
        return np.array((model.getReal if second else model.getFloat64)([references[n] for n in names]))

    return model, references, put, read


@pytest.mark.parametrize(
    ("robot", "model", "version"),
    [
        ("planar-2r", "forward", "2.0"),
        ("planar-2r", "forward", "3.0"),
        ("planar-2r", "inverse", "2.0"),
        ("ur5", "inverse", "3.0"),
        pytest.param("ur5", "forward", "2.0", marks=pytest.mark.long),
        pytest.param("delta", "forward", "3.0", marks=pytest.mark.long),
        pytest.param("dasgupta1998", "forward", "3.0", marks=pytest.mark.long),
        pytest.param("dasgupta1998", "inverse", "2.0", marks=pytest.mark.long),
    ],
)
def test_valid_and_equal_to_the_kernels_by_its_own_check(robot, model, version, tmp_path) -> None:
    _, done = exported(lw.load(robot), tmp_path / "fmu", fmi=version, model=model)
    assert not [remark for remark in done.remarks if "binary" in remark]
    said = subprocess.run(
        [sys.executable, str(tmp_path / "fmu" / "check.py")], capture_output=True, text=True, timeout=200
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert "0 problems" in said.stdout


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_simulations_agree(kind, version, tmp_path) -> None:
    arm = lw.load("planar-2r")
    file, _ = exported(arm, tmp_path / "fmu", fmi=version, friction=False)
    position = np.array([-1.4, 0.2])  # hangs, and swings without chaos
    reference = lw.simulate(
        arm, start=position, duration=DURATION, step=STEP, integrator="adaptive", friction=False,
        tolerance=1e-12,
    )  # fmt: skip
    names = [f"position_{name}" for name in arm.joint_names]
    result = fmpy.simulate_fmu(
        file,
        fmi_type=kind,
        stop_time=DURATION,
        output_interval=STEP,
        step_size=STEP if kind == "CoSimulation" else None,
        relative_tolerance=1e-12,
        start_values=dict(zip(names, position, strict=True)),
        output=names,
    )
    found = np.column_stack([result[name] for name in names])
    np.testing.assert_allclose(result["time"], reference.time, atol=1e-9)
    assert np.abs(found - reference.position).max() < 1e-8
    assert np.ptp(found, axis=0).min() > 0.1


@pytest.mark.long
def test_a_platform_under_forces(tmp_path) -> None:
    platform = lw.load("simona")
    file, _ = exported(platform, tmp_path / "fmu", fmi="2.0")
    force = 1.001 * platform.gravity_load(platform.home)
    duration = 0.5
    reference = lw.simulate(
        platform,
        lambda t, s: force,
        duration=duration,
        step=STEP,
        integrator="adaptive",
        tolerance=1e-12,
    )
    start = {f"effort_{name}": value for name, value in zip(platform.leg_names, force, strict=True)}
    names = [f"position_{name}" for name in platform.coordinates.names]
    result = fmpy.simulate_fmu(
        file,
        fmi_type="CoSimulation",
        stop_time=duration,
        output_interval=STEP,
        start_values=start,
        output=names,
    )
    found = np.column_stack([result[name] for name in names])
    assert np.abs(found - reference.position).max() < 1e-8
    assert np.ptp(found[:, 2]) > 1e-4


@pytest.mark.parametrize("version", VERSIONS)
def test_states_are_kept_and_derivatives_exact(version, tmp_path) -> None:
    arm = lw.load("planar-2r")
    file, _ = exported(arm, tmp_path / "fmu", fmi=version)
    model, references, put, read = instance(file)
    a, b = arm.joint_names
    put({f"position_{a}": 0.3, f"velocity_{b}": -0.7, f"effort_{a}": 2.0, "payload_mass": 1.5})
    rates = read(f"acceleration_{a}", f"acceleration_{b}")
    kept = (model.getFMUstate if version == "2.0" else model.getFMUState)()
    put({f"position_{a}": -1.0})
    assert np.abs(read(f"acceleration_{a}", f"acceleration_{b}") - rates).max() > 1e-3
    (model.setFMUstate if version == "2.0" else model.setFMUState)(kept)
    np.testing.assert_array_equal(read(f"acceleration_{a}", f"acceleration_{b}"), rates)
    unknowns = [references[f"acceleration_{name}"] for name in (a, b)]
    for known in (f"position_{a}", f"velocity_{b}", f"effort_{a}"):
        place = references[known]
        function = (
            model.getDirectionalDerivative
            if version == "3.0"
            else lambda u, k, s: model.getDirectionalDerivative(u, k, s)
        )
        exact = np.array(function(unknowns, [place], [1.0]))
        value, h = float(read(known)[0]), 1e-6
        put({known: value + h})
        up = read(f"acceleration_{a}", f"acceleration_{b}")
        put({known: value - h})
        slope = (up - read(f"acceleration_{a}", f"acceleration_{b}")) / (2 * h)
        put({known: value})
        np.testing.assert_allclose(exact, slope, rtol=1e-6, atol=1e-7)


def test_payload_and_gravity_are_those_of_the_api(tmp_path) -> None:
    arm = lw.load("ur5")
    found = equations(arm, True, True, True)
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, arm.n))
    load, gravity = lw.point_load(2.0), np.array([1.0, 2.0, -8.0])
    assert found.rate is not None
    rate = found.rate(np.concatenate([q, qd]), tau, np.concatenate([np.zeros(10), gravity]))
    np.testing.assert_allclose(
        rate[arm.n :], arm.forward_dynamics(q, qd, tau, gravity=gravity), rtol=1e-11
    )
    loaded = found.rate(np.concatenate([q, qd]), tau, np.concatenate([load, arm.model.gravity]))
    run = lw.simulate(arm, lambda t, s: tau, start=(q, qd), duration=1e-4, step=1e-4, payload=2.0)
    slope = (run.velocity[-1] - run.velocity[0]) / 1e-4
    np.testing.assert_allclose(loaded[arm.n :], slope, rtol=1e-2)


@pytest.mark.parametrize("version", VERSIONS)
def test_out_of_the_workspace_there_is_a_status_and_a_message(version, tmp_path) -> None:
    robot = lw.load("five-bar")
    file, _ = exported(robot, tmp_path / "fmu", fmi=version)
    _, _, put, read = instance(file)
    put({f"position_{robot.coordinates.names[0]}": 50.0})
    acceleration = f"acceleration_{robot.velocities.names[0]}"
    with pytest.raises(Exception, match=r"(?i)discard|failed with status 2"):
        read(acceleration)
    names = [f"effort_{name}" for name in robot.efforts.names]
    messages: list[str] = []
    with pytest.raises(Exception, match=r"(?i)discard|failed|status"):
        fmpy.simulate_fmu(
            file,
            fmi_type="CoSimulation",
            stop_time=5.0,
            output_interval=0.1,
            start_values=dict.fromkeys(names, 200.0),
            logger=lambda *words: messages.append(str(words)),
            fmi_call_logger=None,
        )
    assert any("workspace" in message for message in messages)


def test_without_a_compiler_there_are_sources_and_a_remark(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(fmu_target, "COMPILERS", ("no-such-compiler",))
    monkeypatch.delenv("CC", raising=False)
    done = lw.export(lw.load("planar-2r"), "fmu", tmp_path / "fmu")
    assert any("no C compiler was found" in remark for remark in done.remarks)
    with pytest.raises(lw.LinkworkError, match=r"unknown FMI version '1\.0'"):
        lw.export(lw.load("planar-2r"), "fmu", tmp_path / "other", fmi="1.0")
    assert not (tmp_path / "other").exists()


def test_coulomb_friction_is_told(tmp_path) -> None:
    done = lw.export(lw.load("puma560"), "fmu", tmp_path / "fmu", model="inverse")
    assert any("Coulomb" in remark for remark in done.remarks)


def test_sources_compile_under_strict_warnings(tmp_path) -> None:
    need("gcc")
    for version in VERSIONS:
        file, _ = exported(lw.load("planar-2r"), tmp_path / version, fmi=version)
        shutil.unpack_archive(file, tmp_path / f"x{version}", "zip")
        sources = ["model.c", "core.c", f"fmi{version[0]}.c"]
        strict = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
        subprocess.run(
            ["gcc", *strict, "-c", *sources], cwd=tmp_path / f"x{version}" / "sources", check=True
        )
