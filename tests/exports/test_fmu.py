"""FMUs of both versions, validated and simulated by FMPy."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.exports import fmu as fmu_target
from linkwork.exports.fmu_equations import equations
from linkwork.model.families.stewart import LegFriction
from linkwork.model.geometry import Body
from linkwork.model.joint import Friction
from tests.compilers import need

fmpy = pytest.importorskip("fmpy")
VERSIONS = ("2.0", "3.0")
DURATION, STEP = 5.0, 0.01
LISTENERS: list[object] = []


def exported(robot, folder, **options):
    need("gcc")
    done = lw.export(robot, "fmu", folder, **options)
    return str(folder / done.files[0]), done


def instance(file, kind="ModelExchange"):
    """An FMU in FMPy's hands, initialized, with functions to put and read by name."""
    from fmpy import fmi2, fmi3
    from fmpy.logging import addLoggerProxy

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
    model.messages = []

    def hear(*words):
        model.messages.append(words[-1].decode() if isinstance(words[-1], bytes) else str(words[-1]))

    if second:
        # FMPy formats messages by a function that keeps the last listener of all for ever; so do we.
        listening = fmi2.fmi2CallbackFunctions.from_buffer_copy(fmi2.defaultCallbacks)
        listening.logger = fmi2.fmi2CallbackLoggerTYPE(hear)
        LISTENERS.append(listening.logger)
        addLoggerProxy(ctypes.byref(listening))
        model.instantiate(callbacks=listening)
        model.setupExperiment()
    else:
        model.instantiate(logMessage=hear)
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
        ("planar-2r", "observer", "2.0"),
        ("delta", "observer", "3.0"),
        pytest.param("ur5", "inverse", "3.0", marks=pytest.mark.long),
        pytest.param("ur5", "forward", "2.0", marks=pytest.mark.long),
        ("ankle", "forward", "3.0"),
        pytest.param("delta", "forward", "3.0", marks=pytest.mark.long),
        pytest.param("hexapod-with-arm", "forward", "2.0", marks=pytest.mark.long),
        pytest.param("palletizer", "inverse", "3.0", marks=pytest.mark.long),
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


def damped(robot: lw.Robot) -> lw.Robot:
    """The robot with so much viscous friction that small differences do not grow with time."""
    model = robot.model
    if isinstance(robot, lw.Platform):
        legs = tuple(replace(leg, friction=LegFriction(prismatic=2e4)) for leg in robot.model.legs)
        return lw.Platform(replace(robot.model, legs=legs))
    if isinstance(robot, lw.ParallelRobot):
        legs = tuple(
            replace(leg, joints=(replace(leg.joints[0], friction=Friction(0.5)), *leg.joints[1:]))
            for leg in robot.model.legs
        )
        return lw.ParallelRobot(replace(robot.model, legs=legs))
    inertia = np.diag(robot.mass_matrix(robot.home))
    joints = tuple(
        replace(joint, friction=Friction(viscous=5.0 * own))
        for joint, own in zip(model.joints, inertia, strict=True)
    )
    return lw.Arm(replace(robot.model, joints=joints))


HANGING = lw.load("planar-2r"), np.array([-1.4, 0.2]), False  # swings without friction and chaos
REACHING = damped(lw.load("ur5")), np.array([0.3, -1.0, 1.2, -0.7, 0.5, 0.2]), True
CASES = {"planar-2r": HANGING, "ur5": REACHING}
CASES |= {name: (damped(lw.load(name)), lw.load(name).home, True) for name in ("simona", "delta")}
BOTH = ("ModelExchange", "CoSimulation")
FAST = [
    ("planar-2r", "ModelExchange", "2.0"),
    ("planar-2r", "CoSimulation", "3.0"),
    ("planar-2r", "CoSimulation", "2.0"),
]
ALL = [(name, kind, version) for name in CASES for kind in BOTH for version in VERSIONS]


@pytest.mark.parametrize(
    ("name", "kind", "version"),
    [case if case in FAST else pytest.param(*case, marks=pytest.mark.long) for case in ALL],
)
def test_simulations_agree(name, kind, version, tmp_path) -> None:
    """Five seconds under constant efforts, which differ from those that would hold the robot."""
    robot, start, friction = CASES[name]
    file, _ = exported(robot, tmp_path / "fmu", fmi=version, friction=friction)
    effort = 0.9 * robot.gravity_load(start) if friction else np.zeros(robot.n)
    reference = lw.simulate(
        robot, lambda t, s: effort, start=start, duration=DURATION, step=STEP, integrator="adaptive",
        friction=friction, tolerance=1e-12,
    )  # fmt: skip
    names = [f"position_{name}" for name in robot.coordinates.names]
    given = dict(zip(names, start, strict=True))
    given |= {f"effort_{name}": value for name, value in zip(robot.efforts.names, effort, strict=True)}
    result = fmpy.simulate_fmu(
        file,
        fmi_type=kind,
        stop_time=DURATION,
        output_interval=STEP,
        step_size=STEP if kind == "CoSimulation" else None,
        relative_tolerance=1e-12,
        start_values=given,
        output=names,
    )
    found = np.column_stack([result[name] for name in names])
    np.testing.assert_allclose(result["time"], reference.time, atol=1e-9)
    assert np.abs(found - reference.position).max() < 1e-8
    assert np.ptp(found, axis=0).max() > 0.1


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


def loaded(robot: lw.Robot, load: Body) -> lw.Robot:
    """The robot with a load that is part of its last link or its platform."""
    if isinstance(robot, lw.Arm):
        *first, last = robot.model.joints
        carried = replace(last, body=last.body.merged_with(load))
        return lw.Arm(replace(robot.model, joints=(*first, carried), operation_plan=""))
    platform = robot.model.platform.merged_with(load)
    return type(robot)(replace(robot.model, platform=platform))


@pytest.mark.parametrize(
    ("name", "forward"),
    [
        ("puma560", True),
        ("simona", False),
        pytest.param("delta", True, marks=pytest.mark.long),
        pytest.param("puma560", False, marks=pytest.mark.long),
        pytest.param("simona", True, marks=pytest.mark.long),
        pytest.param("delta", False, marks=pytest.mark.long),
    ],
)
def test_payload_and_gravity_are_those_of_the_api(name, forward) -> None:
    robot = lw.load(name)
    found = equations(robot, "forward" if forward else "inverse", friction=True, rotors=True)
    rng = np.random.default_rng(0)
    mass, center = 2.0, np.array([0.1, -0.2, 0.3])
    inertia = np.array([[0.3, 0.01, 0.02], [0.01, 0.25, -0.03], [0.02, -0.03, 0.2]])
    cross = np.cross(np.eye(3), center)
    about = inertia - mass * cross @ cross
    ten = [mass, *(mass * center), *np.diag(about), about[0, 1], about[0, 2], about[1, 2]]
    gravity = np.array([1.0, 2.0, -8.0])
    same = loaded(robot, Body.of(mass, center, inertia))
    velocity, last = rng.normal(size=(2, len(robot.velocities)))
    p = np.concatenate([ten, gravity])
    wanted = same.inverse_dynamics(robot.home, velocity, last, gravity=gravity)
    if forward:
        assert found.rate is not None
        rate = found.rate(np.concatenate([robot.home, velocity]), wanted, p)
        given = same.forward_dynamics(robot.home, velocity, wanted, gravity=gravity)
        np.testing.assert_allclose(rate[len(robot.coordinates) :], given, rtol=1e-11)
        np.testing.assert_allclose(given, last, rtol=1e-9)
    else:
        assert found.output is not None
        outputs = found.output(np.concatenate([robot.home, velocity, last]), p)
        np.testing.assert_allclose(outputs[: robot.n], wanted, rtol=1e-11)


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


@pytest.mark.parametrize("version", VERSIONS)
def test_steps_of_no_length_are_errors_and_leave_all_as_it_was(version, tmp_path) -> None:
    arm, start, _ = HANGING
    file, _ = exported(arm, tmp_path / "fmu", fmi=version)
    model, _, put, read = instance(file, "CoSimulation")
    names = [f"position_{name}" for name in arm.joint_names]
    put(dict(zip(names, start, strict=True)))
    for now, length in (
        (0.0, np.nan),
        (0.0, np.inf),
        (0.0, -1e-9),
        (np.nan, 0.1),
        (np.inf, 0.1),
        (0.5, 0.1),  # the last step ended at 0
        (-0.5, 0.1),
    ):
        with pytest.raises(Exception, match=r"status 3"):
            model.doStep(now, length)
        assert "step" in model.messages.pop()
        np.testing.assert_array_equal(read(*names), start)
    model.doStep(0.0, 0.0)
    np.testing.assert_array_equal(read(*names), start)
    model.doStep(0.0, 0.1)
    model.doStep(np.nextafter(0.1, 1.0), 0.1)  # importers round
    assert np.abs(read(*names) - start).max() > 1e-3


def test_a_long_step_at_regular_states_is_made(tmp_path) -> None:
    """Ten minutes of a double pendulum without friction at once: its energy stays."""
    arm, start, _ = HANGING
    file, _ = exported(arm, tmp_path / "fmu", fmi="2.0")
    model, _, put, read = instance(file, "CoSimulation")
    put({f"position_{name}": value for name, value in zip(arm.joint_names, start, strict=True)})
    model.doStep(0.0, 600.0)
    q, qd = (read(*(f"{kind}_{name}" for name in arm.joint_names)) for kind in ("position", "velocity"))
    before, after = arm.energy(start, np.zeros(2)), arm.energy(q, qd)
    assert abs(sum(after) - sum(before)) < 1e-7
    assert np.abs(qd).max() > 0.0


def test_friction_that_chatters_is_not_called_singular(tmp_path) -> None:
    model = lw.load("planar-2r").model
    dry = Friction(coulomb_forward=5.0, coulomb_backward=-5.0)
    joints = tuple(replace(joint, friction=dry) for joint in model.joints)
    arm = lw.Arm(replace(model, joints=joints))
    file, _ = exported(arm, tmp_path / "fmu", fmi="2.0")
    model, _, put, _ = instance(file, "CoSimulation")
    efforts = 0.9 * arm.gravity_load(arm.home)
    put({f"effort_{name}": value for name, value in zip(arm.joint_names, efforts, strict=True)})
    with pytest.raises(Exception, match=r"status 3"):
        model.doStep(0.0, 1.0)
    assert "Coulomb friction chatters at rest" in model.messages[-1]


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
