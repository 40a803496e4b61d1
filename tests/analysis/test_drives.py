"""What drives must do, against direct calculations, energy balances and examples that makers publish."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.drive_loads import actuator_loads
from linkwork.analysis.drives import DriveDemand, DriveStudy, drive_study
from linkwork.analysis.study import Study, study
from linkwork.analysis.winding import steady_cycle
from linkwork.model.drive import (
    Amplifier,
    Brake,
    Drive,
    DriveMotor,
    Gear,
    Pulley,
    Screw,
    ShaftFriction,
    Thermal,
)
from tests.cli.process import run

EXAMPLES = Path(__file__).parents[2] / "examples"
BODIES = Thermal(0.45, 0.7, 60, 1800, 130)
MOTOR = DriveMotor(
    inertia=1.6e-4, torque_constant=0.53, resistance=1.2, rated_torque=2.4, peak_torque=7.2,
    rated_speed=314.0, max_speed=628.0, torque_speed=((0, 7.2), (300, 7.0), (628, 3.0)),
    friction=ShaftFriction(4e-5, 0.03), brake=Brake(2.5, 2e-5), thermal=BODIES, mass=2.7, price=420.0,
)  # fmt: skip
GEAR = Gear(ratio=-12, efficiency=0.93, backdriving_efficiency=0.9, inertia=3e-5, rated_torque=30)
BELT = Gear(ratio=1.5, efficiency=0.96, inertia=1e-4, friction=ShaftFriction(1e-4, 0.01))
SCREW = Screw(lead=0.01, efficiency=0.9, inertia=2e-4, friction=ShaftFriction(0, 0.05), peak_force=9e3)
FEED = Amplifier(voltage=330, rated_current=6, peak_current=14)
TURNING = Drive(motor=MOTOR, gear=GEAR, amplifier=FEED)
SLIDING = Drive(motor=MOTOR, belt=BELT, screw=SCREW, amplifier=FEED)


def fitting(robot: lw.Robot) -> dict[str, Drive]:
    """A drive for every actuator."""
    units = zip(robot.efforts.names, robot.efforts.units, strict=True)
    return {name: SLIDING if unit == "N" else TURNING for name, unit in units}


def waves(robot: lw.Robot, time: np.ndarray) -> tuple[np.ndarray, ...]:
    """Smooth coordinates about home; of a pose with a quaternion its position."""
    count = len(robot.velocities)
    moved = count if count == len(robot.home) else 3
    rate, phase = 2 * np.pi * (1 + np.arange(moved) % 3), 0.3 * np.arange(moved)
    angle = rate * time[:, None] + phase
    size = 0.03 * min(robot.size, 1.0)
    position = np.tile(robot.home, (len(time), 1))
    position[:, :moved] += size * np.sin(angle)
    velocity, acceleration = np.zeros((2, len(time), count))
    velocity[:, :moved] = size * rate * np.cos(angle)
    acceleration[:, :moved] = -size * rate**2 * np.sin(angle)
    return position, velocity, acceleration


def by_hand(drive: Drive, load: float, v: float, a: float) -> tuple[float, float, float]:
    """Torque and speed of a motor and what its train loses, one sample, from the joint back."""
    torque, speed, acceleration, lost = load, v, a, 0.0
    for stage in reversed(drive.stages):
        out = torque * speed
        if out > 0:
            torque = torque / (stage.turns * stage.efficiency)
        elif out < 0:
            torque = torque * stage.backdriving / stage.turns
        else:
            torque = torque / stage.turns
        speed, acceleration = speed * stage.turns, acceleration * stage.turns
        lost += torque * speed - out
        drag = stage.friction.viscous * speed + stage.friction.coulomb * np.sign(speed)
        torque, lost = torque + stage.inertia * acceleration + drag, lost + drag * speed
    motor = drive.motor
    drag = motor.friction.viscous * speed + motor.friction.coulomb * np.sign(speed)
    return torque + motor.turning_inertia * acceleration + drag, speed, lost + drag * speed


SOME = ("planar-2r", "simona", "delta", "excavator", "five-bar", "stanford")


def check_demands(name: str) -> None:
    plain = lw.load(name)
    robot = plain.with_drives(fitting(plain))
    time = np.linspace(0.013, 1, 41)
    motion = waves(robot, time)
    effort = plain.inverse_dynamics(*motion)
    moved = plain.actuator_motion(*motion)
    found = drive_study(robot, [study(robot, "waves", time, motion)], lw.Duty(pause=0.5))
    assert len(found.demands) == robot.n
    hold = plain.inverse_dynamics(motion[0], *2 * [np.zeros(len(robot.velocities))])
    weights = np.append(np.gradient(time), 0.5)
    weights[[0, -2]] /= 2
    for k, demand in enumerate(found.demands):
        states = [*zip(effort[:, k], moved.velocity[:, k], moved.acceleration[:, k], strict=True)]
        rows = np.array([by_hand(demand.drive, *each) for each in [*states, (hold[-1, k], 0.0, 0.0)]])
        torque, speed, _ = rows.T
        scale = np.abs(torque).max()
        samples = found.samples(demand.name)
        np.testing.assert_allclose(samples.torque[0], torque, rtol=1e-9, atol=1e-9 * scale)
        rms = math.sqrt((torque**2 * weights).sum() / weights.sum())
        assert demand.peak_torque == pytest.approx(scale, rel=1e-9)
        assert demand.rms_torque == pytest.approx(rms, rel=1e-9)
        assert demand.peak_speed == pytest.approx(np.abs(speed).max(), rel=1e-9)
        assert demand.rms_current == pytest.approx(rms / 0.53, rel=1e-9)
        assert demand.margins["rated torque"][0] == pytest.approx(1 - rms / 2.4, rel=1e-8, abs=1e-9)
        assert demand.margins["peak torque"][0] == pytest.approx(1 - scale / 7.2, rel=1e-8, abs=1e-9)
        curve = np.interp(np.abs(speed), [0, 300, 628], [7.2, 7.0, 3.0], right=0)
        used = (np.abs(torque) / np.maximum(curve, 1e-300)).max()
        assert demand.margins["torque-speed curve"][0] == pytest.approx(1 - used, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("name", SOME)
def test_motors_against_a_loop_over_samples(name: str) -> None:
    check_demands(name)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({*lw.bundled_names()} - {*SOME}))
def test_motors_of_every_bundled_robot(name: str) -> None:
    check_demands(name)


@pytest.mark.parametrize("name", ["planar-2r", "simona", "delta", "excavator", "palletizer"])
def test_energy_balance(name: str) -> None:
    """Electrical energy is copper, friction and gearing, kinetic energy of drives, and what the robot
    takes; by Gauss's quadrature over part of a motion."""
    plain = lw.load(name)
    robot = plain.with_drives(fitting(plain))
    nodes, weights = np.polynomial.legendre.leggauss(120)
    time, weights = 0.37 * (1 + nodes) / 2, 0.37 * weights / 2
    motion = waves(robot, time)
    found = drive_study(robot, [study(robot, "waves", time, motion)])
    ends = waves(robot, np.array([0.0, 0.37]))
    speeds = robot.actuator_motion(*ends).velocity
    energy = plain.energy(*ends[:2])
    given, spent = 0.0, float(np.diff(energy.kinetic + energy.potential)[0])
    for k, demand in enumerate(found.demands):
        s = found.samples(demand.name)
        given += float(s.electrical[0] @ weights)
        spent += float((s.copper + s.lost)[0] @ weights)
        spent += demand.drive.inertia * float(speeds[1, k] ** 2 - speeds[0, k] ** 2) / 2
    rubs = plain.effort_breakdown(*motion).friction * plain.actuator_motion(*motion).velocity
    spent += float(rubs.sum(axis=1) @ weights)
    assert abs(given) > 0.1
    assert given == pytest.approx(spent, rel=1e-9)


# Worked examples of makers.


def table(mass: float, drag: float) -> lw.Robot:
    """A table that slides on a level guide with dry friction [N]."""
    link = {"joint": "prismatic", "mass": mass, "inertia": [1, 1, 1], "friction": {"coulomb": drag}}
    data = {"kind": "arm", "name": "table", "convention": "standard", "links": [link]}
    return lw.load({**data, "gravity": [9.8, 0, 0]})


def trapezoid(robot: lw.Robot, speed: float, ramp: float, whole: float) -> Study:
    """Ramps up, on, and down; a sample on either side of each corner."""
    corners = np.array([0, ramp, whole - ramp, whole])
    eps = 1e-9
    time = np.sort(
        np.concatenate([np.linspace(0, whole, 4001)[1:-1] + 1e-6, corners + eps, corners[1:-1] - eps])
    )
    time = time[(time > 0) & (time < whole)]
    v = speed * np.minimum(1, np.minimum(time, whole - time) / ramp)
    a = speed / ramp * ((time < ramp) * 1.0 - (time > whole - ramp))
    x = np.concatenate([[0], np.cumsum(np.diff(time) * (v[1:] + v[:-1]) / 2)])
    return study(robot, "feed", time, tuple(each[:, None] for each in (x, v, a)))


def test_a_table_on_a_ball_screw_behind_a_gear() -> None:
    """Yaskawa, E-V-MD series manual, 2.2.2: 250 kg at 15 m/min, lead 10 mm, gear 1:2, friction 0.2,
    efficiency 0.9: 3000 rpm, load torque 0.43 N m, load inertia 2.29e-4 kg m^2, 135 W."""
    screw_inertia = math.pi / 32 * 7.87e3 * 1.0 * 0.02**4
    drive = Drive(
        motor=DriveMotor(inertia=0.259e-4),
        gear=Gear(ratio=2, inertia=0.40e-4),
        screw=Screw(lead=0.01, efficiency=0.9, inertia=screw_inertia),
    )
    robot = table(250, 0.2 * 250 * 9.8).with_drives(drive)
    found = drive_study(robot, [trapezoid(robot, 0.25, 0.1, 1.2)], lw.Duty(pause=0.3))
    (demand,) = found.demands
    samples = found.samples(demand.name)
    even = samples.torque[0, len(samples.time) // 2]
    assert round(even, 2) == 0.43
    assert demand.peak_speed == pytest.approx(3000 * math.pi / 30, rel=1e-9)
    assert demand.inertia_ratio is not None
    assert round(demand.inertia_ratio * 0.259e-4, 6) == 2.29e-4
    # Their power is that of the rounded torque.
    assert round(0.43 * demand.peak_speed) == 135
    assert even * demand.peak_speed == pytest.approx(135, rel=0.01)


def test_a_table_on_a_ball_screw_coupled_directly() -> None:
    """Yaskawa, Sigma-II SGMVH manual, 11.1.1: 500 kg, lead 10 mm, screw 40 mm by 1.4 m, coupling 1 kg of
    60 mm: 1500 rpm, load torque 1.73 N m, load inertia 44.9e-4 kg m^2."""
    inertia = math.pi / 32 * 7.87e3 * 1.4 * 0.04**4 + 1 * 0.06**2 / 8
    screw = Screw(lead=0.01, efficiency=0.9, inertia=inertia)
    drive = Drive(motor=DriveMotor(inertia=13.9e-4), screw=screw)
    robot = table(500, 0.2 * 500 * 9.8).with_drives(drive)
    found = drive_study(robot, [trapezoid(robot, 0.25, 0.1, 1.2)])
    (demand,) = found.demands
    samples = found.samples(demand.name)
    assert round(samples.torque[0, len(samples.time) // 2], 2) == 1.73
    assert round(demand.peak_speed * 30 / math.pi) == 1500
    assert demand.inertia_ratio is not None
    assert round(demand.inertia_ratio * 13.9e-4, 5) == 44.9e-4


def test_a_motor_accelerates_itself_and_its_load() -> None:
    """Yaskawa, E-S series product manual, 2.4.1: 0.474e-4 kg m^2 and 0.035 N m, motor 0.00629e-4 kg m^2,
    0 to 3000 rpm in 0.1 s: 0.186 N m, even power 11.0 W."""
    link = {"joint": "revolute", "mass": 0, "inertia": [0, 0, 0.474e-4], "friction": {"coulomb": 0.035}}
    data = {"kind": "arm", "name": "load", "convention": "standard", "links": [link]}
    robot = lw.load({**data, "inertia_as_published": True})
    robot = robot.with_drives(Drive(motor=DriveMotor(inertia=0.00629e-4)))
    speed = 3000 * math.pi / 30
    found = drive_study(robot, [trapezoid(robot, speed, 0.1, 1.2)])
    (demand,) = found.demands
    assert round(demand.peak_torque, 3) == 0.186
    samples = found.samples(demand.name)
    assert round(samples.torque[0, len(samples.time) // 2] * speed, 1) == 11.0
    # Half-way through a ramp the torque is that of all of it: J speed / ramp.
    up = 2 * math.pi * 3000 * (0.00629e-4 + 0.474e-4) / (60 * 0.1)
    share = ((up + 0.035) ** 2 + (up - 0.035) ** 2) * 0.1 + 0.035**2 * 1.0
    assert demand.rms_torque == pytest.approx(math.sqrt(share / 1.2), rel=1e-3)


def test_a_hoist_up_and_down() -> None:
    """Mitsubishi, MDS-D-SVJ3 specifications, 7-1-3: rising U, lowering -U efficiency^2, with U = m g
    lead / (2 pi efficiency); 7-1-2: inertia of the load through the efficiency, the motor's own not."""
    mass, lead, efficiency, own = 60.0, 0.01, 0.85, 4e-4
    screw = Screw(lead=lead, efficiency=efficiency, backdriving_efficiency=efficiency)
    link = {"joint": "prismatic", "mass": mass, "inertia": [1, 1, 1]}
    data = {"kind": "arm", "name": "hoist", "convention": "standard", "links": [link]}
    robot = lw.load({**data, "gravity": [0, 0, -9.8]})
    robot = robot.with_drives(Drive(motor=DriveMotor(inertia=own), screw=screw))
    time = np.array([0.0, 1.0])
    U = mass * 9.8 * lead / (2 * math.pi * efficiency)
    for v, a, expected in (
        (0.2, 0.0, U),
        (-0.2, 0.0, -U * efficiency**2),
        (0.2, 3.0, U + (mass * (lead / 2 / math.pi) ** 2 / efficiency + own) * 3.0 * 2 * math.pi / lead),
        (0.0, 0.0, U * efficiency),
    ):
        motion = (time[:, None] * v, np.full((2, 1), v), np.full((2, 1), a))
        samples = drive_study(robot, [study(robot, "lift", time, motion)]).samples("joint1")
        assert abs(samples.torque[0, 0]) == pytest.approx(abs(expected), rel=1e-12)


# Windings.


def test_a_constant_load_warms_as_makers_say() -> None:
    """maxon, motor data and operating ranges: rise = (R1 + R2) R I^2 / (1 - a (R1 + R2) R I^2), with the
    resistance at the temperature of the surroundings."""
    for heat in (5.0, 60.0):
        at_ambient = heat * (1 + 0.00393 * (40 - 25))
        found = steady_cycle(
            [BODIES], np.full((1, 3), heat), np.zeros((1, 3)), np.array([1, 9, 40.0]), 40.0
        )
        all_of_it = (0.45 + 0.7) * at_ambient
        rise = all_of_it / (1 - 0.00393 * (0.45 + 0.7) * heat)
        assert found.winding[0] == pytest.approx(40 + rise, rel=1e-12)
        assert found.mean[0] == pytest.approx(40 + rise, rel=1e-12)
        assert found.housing[0] == pytest.approx(40 + rise * 0.7 / 1.15, rel=1e-12)


def test_an_intermittent_load_against_small_steps() -> None:
    """From the steady cycle found, once around by Runge-Kutta: it ends where it began."""
    heat, friction, steps = (
        np.array([[300.0, 20.0, 0.0]]),
        np.array([[4.0, 2.0, 0.0]]),
        np.array([20.0, 5, 60]),
    )
    found = steady_cycle([BODIES], heat, friction, steps, 30.0)

    def rate(state: np.ndarray, k: int) -> np.ndarray:
        winding, housing = state
        through = (winding - housing) / BODIES.winding_to_housing
        joule = heat[0, k] * (1 + 0.00393 * (winding - 25))
        out = (housing - 30.0) / BODIES.housing_to_ambient
        return np.array([
            (joule - through) / BODIES.winding_capacity,
            (friction[0, k] + through - out) / BODIES.housing_capacity,
        ])  # fmt: skip

    def around(state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        most, area = state.copy(), np.zeros(2)
        for k, span in enumerate(steps):
            h = span / 2000
            for _ in range(2000):
                a = rate(state, k)
                b = rate(state + h / 2 * a, k)
                c = rate(state + h / 2 * b, k)
                d = rate(state + h * c, k)
                after = state + h / 6 * (a + 2 * b + 2 * c + d)
                area, state = area + h * (state + after) / 2, after
            most = np.maximum(most, state)
        return state, most, area / steps.sum()

    start = np.array([30.0, 30.0])
    columns = [around(start + each)[0] - around(start)[0] for each in np.eye(2)]
    fixed = np.linalg.solve(np.eye(2) - np.array(columns).T, around(start)[0] - start) + start
    end, most, mean = around(fixed)
    np.testing.assert_allclose(end, fixed, rtol=1e-9)
    np.testing.assert_allclose([found.winding[0], found.housing[0]], most, rtol=1e-7)
    assert found.mean[0] == pytest.approx(mean[0], rel=1e-6)


def test_a_winding_that_warms_without_end() -> None:
    endless = 1 / (0.00393 * 1.15)
    found = steady_cycle(
        [BODIES] * 3,
        np.array([[0.99], [1.01], [1e6]]) * endless,
        np.zeros((3, 1)),
        np.array([5.0]),
        40.0,
    )
    assert np.isfinite(found.winding).tolist() == [True, False, False]


# What is told.


@pytest.fixture(scope="module")
def lift() -> DriveStudy:
    robot = lw.load("planar-2r").with_drives({"shoulder": TURNING})
    time = np.linspace(0, 2, 201)
    return drive_study(robot, [study(robot, "waves", time, waves(robot, time))], lw.Duty(share=0.4))


def test_some_actuators_may_have_no_drive(lift: DriveStudy) -> None:
    (demand,) = lift.demands
    assert demand.name == "shoulder"
    assert demand.margin == demand.margins[demand.limited_by][0]
    assert demand.winding is not None
    assert demand.margins["winding temperature"][0] == pytest.approx(1 - (demand.winding - 40) / 90)


def test_the_supply_gives_and_takes(lift: DriveStudy) -> None:
    (supply,), samples = lift.supplies, lift.samples("shoulder")
    power = samples.electrical[0]
    assert supply.period == pytest.approx(5.0)
    assert supply.mean_power == pytest.approx(power @ samples.weights / 5.0)
    assert supply.peak_power == power.max()
    back = np.maximum(-power, 0)
    assert supply.drawn_power == pytest.approx(np.maximum(power, 0) @ samples.weights / 5.0)
    assert supply.resistor_power == pytest.approx(back @ samples.weights / 5.0)


def test_brakes_spare_the_motors_in_pauses() -> None:
    robot = lw.load("planar-2r")
    time = np.linspace(0, 2, 101)
    one = [waves(robot, time)]
    rms = {}
    for drive in (TURNING, Drive(motor=DriveMotor(inertia=1e-4), gear=GEAR)):
        moved = robot.with_drives(drive)
        studies = [study(moved, "waves", time, *one)]
        for braked in (False, True):
            found = drive_study(moved, studies, lw.Duty(pause=8, braked=braked))
            rms[drive, braked] = found.demands[0].rms_torque
        held = found.loads[0].holding[:, 0]
        assert found.demands[0].holding_torque == pytest.approx(np.abs(held).max() / 12)
    assert rms[TURNING, True] < 0.9 * rms[TURNING, False]
    without_brake = next(each for each, _ in rms if each is not TURNING)
    assert rms[without_brake, True] == rms[without_brake, False]


def test_what_holds_without_power() -> None:
    robot = lw.load("planar-2r")
    time = np.linspace(0, 1, 11)
    locking = Gear(ratio=50, efficiency=0.4, backdriving_efficiency=0.0)
    weak = DriveMotor(inertia=1e-4, brake=Brake(0.001))
    for drive, holds in (
        (TURNING, False),  # 12 x 2.5 N m for two arms of a meter
        (Drive(motor=MOTOR, gear=Gear(ratio=100)), True),
        (Drive(motor=weak, gear=GEAR), False),
        (Drive(motor=DriveMotor(inertia=1e-4), gear=locking), True),
        (Drive(motor=DriveMotor(inertia=1e-4), gear=GEAR), False),
    ):
        moved = robot.with_drives(drive)
        found: DriveDemand = drive_study(moved, [study(moved, "w", time, waves(moved, time))]).demands[0]
        least = abs(found.holding_torque) <= (drive.motor.brake_torque or 0) or drive.locks
        assert found.holds is least
        if drive is not TURNING:
            assert found.holds is holds


def test_a_payload_and_a_wrench_are_carried() -> None:
    plain = lw.load("planar-2r")
    robot = plain.with_drives(TURNING)
    time = np.linspace(0, 1, 21)
    motion, mass = waves(robot, time), np.where(time < 0.5, 3.0, 0.0)
    wrench = np.array([5.0, -20, 0, 0, 0, 1])
    one = study(robot, "carry", time, motion, wrench=wrench, payload=mass)
    (loads,) = actuator_loads([one])
    option: Any = {plain.wrench_option: wrench}
    empty = plain.inverse_dynamics(*motion, **option)
    full = plain.with_payload(3.0).inverse_dynamics(*motion, **option)
    expected = np.where(mass[:, None] > 0, full, empty)
    np.testing.assert_allclose(loads.effort, expected, rtol=1e-12, atol=1e-12)
    carried = plain.with_payload(3.0).mass_matrix(motion[0][0])
    np.testing.assert_allclose(loads.inertia[0], np.diag(carried), rtol=1e-9)
    np.testing.assert_allclose(loads.inertia[-1], np.diag(plain.mass_matrix(motion[0][-1])), rtol=1e-9)


def test_inertia_that_an_actuator_feels_with_the_others_held() -> None:
    """Of a Delta: the kinetic energy when one arm turns at 1 rad/s and the others stand."""
    robot = lw.load("delta")
    time = np.linspace(0.01, 1, 5)
    motion = waves(robot, time)
    (loads,) = actuator_loads([study(robot, "waves", time, motion)])
    for row, c in enumerate(motion[0]):
        found = robot.jacobians(c)
        for k in range(3):
            turn = np.zeros(3)
            turn[k] = 1.0
            cd = np.linalg.solve(found.direct_jacobian, found.inverse_jacobian * turn)
            assert loads.inertia[row, k] == pytest.approx(2 * robot.energy(c, cd).kinetic, rel=1e-9)


def test_other_drives_in_a_robot() -> None:
    robot = lw.load("stanford")
    again = robot.with_drives(fitting(robot)).with_drives(None)
    for one, other in zip(robot.model.joints, again.model.joints, strict=True):
        assert one.rotor.reflected == pytest.approx(other.rotor.reflected, rel=1e-12)
        assert one.friction.viscous == pytest.approx(other.friction.viscous, rel=1e-12, abs=1e-12)
    with pytest.raises(lw.InputError, match="is for a joint that slides"):
        robot.with_drives(SLIDING)
    with pytest.raises(lw.InputError, match="expected a Drive"):
        robot.with_drives({robot.efforts.names[0]: 3})
    with pytest.raises(lw.InputError, match="joint or leg with a motor"):
        robot.with_drives({"nothing": None})
    rack = Drive(motor=MOTOR, pulley=Pulley(diameter=0.05))
    assert rack.inertia == pytest.approx(1.8e-4 * 40**2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 60}, "Did you mean 0.6"),
        ({"share": 0.5, "pause": 1.0}, "give one of them"),
        ({"pause": -1.0}, "pause"),
        ({"ambient": 900.0}, "below 200"),
    ],
)
def test_faults_of_duties(given: dict[str, float], message: str) -> None:
    with pytest.raises(lw.InputError, match=message):
        lw.Duty(**given)


def test_command_and_table_tell_the_same(tmp_path) -> None:
    robot = str(EXAMPLES / "driven-simulator.yaml")
    words = ("size", robot, "-m", "heave", "--period", "0.1", "--pause", "2")
    facts = json.loads(run(*words, "--json", cwd=tmp_path).stdout)
    drives = facts["drives"]
    assert len(drives) == 6
    assert facts["duty"]["pause"] == 2
    assert facts["supply"][0]["resistor_power"] > 0
    result = run(*words, "-o", "x.csv", cwd=tmp_path)
    assert "at the motors" in result.stderr
    assert "braking resistor" in result.stderr
    lines = (tmp_path / "x.csv").read_text().splitlines()
    row = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    for name in ("peak_torque", "rms_current", "winding", "inertia_ratio", "margin"):
        assert float(row[f"drive_{name}"]) == drives[0][name]
    assert float(row["margin_rated_torque"]) == drives[0]["margins"]["rated torque"]["margin"]
