"""Requirements files: all faults at once with their lines, units as in robot files, states by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.requirements import RequirementFileError, read_requirements

WRONG = """\
titel: Simulator
payload: {mass: -3}
excursions: {heave: 0.2, pitch: 20, rol: 5 deg, surge: [0.1, 0.3], sway: 3 deg, yaw: 12d}
velocities: {yaw: 30, heave: 20 deg/s}
accelerations: {roll: 200, heave: 1 deg/s}
combined:
  - {heave: 0.1, wobble: 2}
motions: [heave, no-such-motion]
frequency: 5
duty: {share: 60}
stop: {emergency: 0, hold: true}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "asked.yaml"
    path.write_text(text)
    return path


def test_every_fault_is_told_at_once_with_its_line(tmp_path) -> None:
    with pytest.raises(RequirementFileError) as caught:
        read_requirements(write(tmp_path, WRONG), lw.load("simona"))
    told = "\n".join(caught.value.faults)
    for line, words in (
        (1, "titel: unknown field (did you mean 'title'?)"),
        (2, "payload.mass: -3 is negative"),
        (3, "excursions.pitch: 20 rad is 1146 deg; did you mean 20 deg?"),
        (3, "excursions.rol: unknown axis (did you mean 'roll'?)"),
        (3, "excursions.surge: [0.1, 0.3] does not hold home"),
        (3, "excursions.sway: '3 deg' is an angle, and sway is a length"),
        (3, "excursions.yaw: '12d' is not allowed"),
        (4, "velocities.yaw: 30 is 1719 deg/s; write 30 deg/s"),
        (4, "velocities.heave: '20 deg/s' is an angle"),
        (5, "accelerations.roll: 200 is 11459 deg/s^2"),
        (5, "accelerations.heave: '1 deg/s' is an angle"),
        (7, "combined[0] wobble: unknown axis"),
        (10, "duty.share: 60.0 is more than all of the time"),
        (11, "stop.emergency: 0 is not positive"),
        (11, "stop.hold: unknown field (did you mean 'holds'?)"),
    ):
        assert f"line {line}, {words}" in told, told


def test_what_a_robot_cannot_answer_is_refused(tmp_path) -> None:
    text = "motions: [heave, no-such-motion]\nfrequency: 5\nleg_diameter: 0.1\n"
    with pytest.raises(RequirementFileError) as caught:
        read_requirements(write(tmp_path, text), lw.load("delta"))
    told = str(caught.value)
    assert "line 1, motions[1]: unknown motion 'no-such-motion'" in told
    assert "line 2, frequency: asks for stiffness" in told
    assert "line 3, leg_diameter: applies to Stewart platforms only; delta is not one" in told
    unloaded = "payload: {mass: 2, center_of_mass: [0, 0, 1]}\n"
    with pytest.raises(RequirementFileError, match=r"line 1, payload: .*is a point"):
        read_requirements(write(tmp_path, unloaded), lw.load("five-bar"))


def test_units_are_those_of_robot_files(tmp_path) -> None:
    written = (
        "excursions: {heave: [-0.2, 0.3], roll: 12 deg, yaw: 0.2}\n"
        "velocities: {roll: 30 deg/s, yaw: 0.5 rad/s, heave: 0.4}\n"
        "accelerations: {roll: 90 deg/s^2, heave: 3}\n"
    )
    found = read_requirements(write(tmp_path, written), lw.load("simona"))
    assert found.excursions == {
        "heave": (-0.2, 0.3),
        "roll": pytest.approx((-np.radians(12), np.radians(12))),
        "yaw": (-0.2, 0.2),
    }
    assert found.velocities == {"roll": pytest.approx(np.radians(30)), "yaw": 0.5, "heave": 0.4}
    assert found.accelerations == {"roll": pytest.approx(np.pi / 2), "heave": 3.0}
    assert found.angle_unit == "deg"


def test_states_are_the_ways_to_all_corners_and_the_rates_at_home(tmp_path) -> None:
    robot = lw.load_platform("simona")
    text = (
        "excursions: {heave: 0.2}\ncombined:\n  - {surge: 0.1, pitch: 3 deg}\n"
        "velocities: {yaw: 0.3}\naccelerations: {sway: 2}\n"
    )
    found = read_requirements(write(tmp_path, text), robot).states(robot)
    assert len(found.labels) == len(found.position) == 1 + 4 * (2 + 4) + 2 + 2
    np.testing.assert_allclose(
        found.position[found.labels.index("heave -0.2 m")][2], robot.home[2] - 0.2
    )
    corner = found.labels.index("surge 0.1 m, pitch 3 deg")
    pose = found.position[corner]
    np.testing.assert_allclose(pose[0] - robot.home[0], 0.1)
    np.testing.assert_allclose(pose[3:], [np.cos(np.pi / 120), 0, np.sin(np.pi / 120), 0])
    assert not found.velocity[: 1 + 4 * 6].any()
    np.testing.assert_array_equal(found.velocity[-4:, 5], [-0.3, 0.3, 0, 0])
    np.testing.assert_array_equal(found.acceleration[-2:, 1], [-2, 2])


def test_an_arm_is_asked_by_its_joints(tmp_path) -> None:
    arm = lw.load("ur5")
    text = "excursions: {elbow: 90 deg}\nvelocities: {elbow: 120 deg/s}\npayload: {mass: 3}\n"
    found = read_requirements(write(tmp_path, text), arm)
    states = found.states(arm)
    assert np.abs(states.position[:, 2] - arm.home[2]).max() == pytest.approx(np.pi / 2)
    loaded, q = found.loaded(arm), arm.home
    np.testing.assert_allclose(loaded.gravity_load(q), arm.with_payload(3.0).gravity_load(q))
