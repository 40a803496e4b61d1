"""Files of `kind: mechanism`: what they mean, what is said of mistakes, and that they come back."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import linkwork as lw
from linkwork.files.yaml_lines import read_yaml
from linkwork.model.bundled import bundled_names
from linkwork.model.findings import lint
from linkwork.model.mechanism import MechanismModel, Spring
from linkwork.model.mechanism_copies import cosine_sine_of_turn, turned
from linkwork.model.robot_files import load_model, robot_document, write_robot
from tests.mutated import mutated

DATA = Path(__file__).parent.parent / "data"
SOUND = DATA / "mistakes" / "mechanism.yaml"
BUNDLED = bundled_names("mechanism")
OURS = ("palletizer", "excavator", "par4", "ankle", "gripper", "hexapod-with-arm", "two-arms")

with np.load(DATA / "mechanism_reference.npz") as _file:
    TEXTS = {name[:-5]: str(_file[name]) for name in _file.files if name.endswith("/yaml")}
    MOTORS = {name: tuple(_file[f"{name}/motors"].tolist()) for name in TEXTS}
    COORDINATES = {name: tuple(_file[f"{name}/coordinates"].tolist()) for name in TEXTS}


def model_of(text: str) -> MechanismModel:
    data: Any = read_yaml(text.encode()).data
    model = load_model(data)
    assert isinstance(model, MechanismModel)
    return model


def assert_same(one: Any, other: Any, tolerance: float = 0.0, where: str = "") -> None:
    """Every number of two models, which may differ in where their text breaks."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance, err_msg=where)
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            if field.name not in ("source", "angle_unit"):
                values = getattr(one, field.name), getattr(other, field.name)
                assert_same(*values, tolerance, f"{where}.{field.name}")
    elif isinstance(one, tuple):
        assert len(one) == len(other), where
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, tolerance, f"{where}[{k}]")
    elif isinstance(one, float):
        assert abs(one - other) <= tolerance, where
    else:
        assert one == other, where


@pytest.mark.parametrize("name", TEXTS)
def test_reference_files(name) -> None:
    model = model_of(TEXTS[name])
    assert model.effort_names == MOTORS[name]
    assert tuple(coordinate.name for coordinate in model.coordinates) == COORDINATES[name]


@pytest.mark.parametrize("name", [name for name in OURS if name in TEXTS])
def test_bundled_are_the_reference(name) -> None:
    """But for limits, the tool and the text, which the reference does not have."""
    bundled, reference = load_model(name), model_of(TEXTS[name])

    def plain(model: Any) -> Any:
        def bare(each: Any) -> Any:
            return dataclasses.replace(each, limits=type(each.limits)())

        joints, cylinders = tuple(map(bare, model.joints)), tuple(map(bare, model.cylinders))
        return dataclasses.replace(model, joints=joints, cylinders=cylinders, tool=None)

    assert_same(plain(bundled), plain(reference), 1e-18)


def test_ours_are_bundled_and_say_so() -> None:
    assert set(OURS) <= set(BUNDLED)
    for name in OURS:
        assert "our own" in load_model(name).source
        assert lint(name) == []


@pytest.mark.parametrize("source", [*OURS, *TEXTS, SOUND], ids=str)
def test_written_and_read_again(tmp_path, source) -> None:
    model = model_of(TEXTS[source]) if source in TEXTS else load_model(source)
    write_robot(model, tmp_path / "again.yaml")
    again = load_model(tmp_path / "again.yaml")
    assert_same(again, model)
    assert again.source == " ".join(model.source.split())
    assert robot_document(again) == robot_document(model)


def test_a_mechanism_with_loops_is_no_urdf(tmp_path) -> None:
    with pytest.raises(lw.InputError, match="is not one chain of driven joints"):
        write_robot(load_model("gripper"), tmp_path / "gripper.urdf")


def test_odd_names_come_back(tmp_path) -> None:
    data = yaml.safe_load(TEXTS["puma560"].replace("elbow", "'no: #1, [it]'").replace("flange", "'7'"))
    model = load_model(data)
    write_robot(model, tmp_path / "odd.yaml")
    again = load_model(tmp_path / "odd.yaml")
    assert_same(again, model)
    assert "no: #1, [it]" in again.effort_names


# ------------------------------------------------------------------ what a file means


def test_the_sound_file() -> None:
    model = load_model(SOUND)
    assert isinstance(model, MechanismModel)
    assert lint(SOUND) == []
    joints = {joint.name: joint for joint in model.joints}
    assert model.effort_names == ("swing", "reach", "ram", "fold-1", "fold-2", "m5", "m6")
    assert joints["balance"].spring == Spring(50.0, np.radians(20.0), 0.0)
    assert joints["lift"].friction.coulomb_backward == -2.0
    np.testing.assert_allclose(joints["reach"].axes[0], np.array([1.5, 0, 0.4]) / np.hypot(1.5, 0.4))
    np.testing.assert_array_equal(joints["reach"].at, model.part("jib").body.center_of_mass)
    assert model.couplings[0].terms == (("balance", 1.0), ("lift", 2.0))
    assert model.motors[1].terms == (("pitch", 1.0), ("roll", -1.0))
    assert [c.name for c in model.coordinates][-2:] == ["hook.roll", "hook.pitch"]
    assert model.coordinates[-1].relative_to == "hand"
    assert model.part("knob").point
    np.testing.assert_array_equal(model.part("knob").body.center_of_mass, [1.9, 0, 1.0])
    np.testing.assert_array_equal(model.part("cross").frame.p, [1.8, 0, 1.4])
    np.testing.assert_array_equal(model.part("hand").frame.p, [1.8, 0, 1.4])
    assert model.angle_unit == "deg"


def test_a_cylinder() -> None:
    (ram,) = load_model(SOUND).cylinders
    assert ram.hinge == "revolute"
    np.testing.assert_array_equal(ram.barrel.center_of_mass, [0.3, 0, 0])
    np.testing.assert_array_equal(ram.rod.center_of_mass, [-0.3, 0, 0])
    np.testing.assert_array_equal(np.diag(ram.rod.inertia), [0.005, 0.1, 0.1])
    np.testing.assert_allclose(ram.limits.position, np.array([0.7, 1.2]) - ram.length)


def test_a_thin_body_is_a_solid_rod() -> None:
    body = load_model(SOUND).part("foot-1").body
    np.testing.assert_allclose(body.center_of_mass, [0.7, 0, 0])
    across = 4 * (3 * 0.03**2 + 0.4**2) / 12
    np.testing.assert_allclose(np.diag(body.inertia), [4 * 0.03**2 / 2, across, across])


def test_the_second_axis_of_a_universal_joint() -> None:
    """Across the first and the way to the body's next joint; here both lie in the plane of x and z."""
    gimbal = next(joint for joint in load_model(SOUND).joints if joint.name == "gimbal")
    np.testing.assert_allclose(gimbal.axes[1], np.cross([1, 0, 0], [0, 0, -1]))


def test_a_cylinder_without_mass_needs_no_joint() -> None:
    text = SOUND.read_text().replace("    R: y\n    motor", "    motor")
    kept = "\n".join(
        line for line in text.splitlines() if "barrel:" not in line and "    rod:" not in line
    )
    (ram,) = model_of(kept).cylinders
    assert ram.hinge == "spherical"
    assert ram.axis is None


def test_six_coordinates_of_a_body_have_one_order() -> None:
    text = TEXTS["simona"].replace("[x, y, z, roll, pitch, yaw]", "[yaw, z, y, x, pitch, roll]")
    assert [c.pose for c in model_of(text).coordinates] == ["x", "y", "z", "roll", "pitch", "yaw"]


def by_hand(model: str) -> dict[str, Any]:
    """The reference Delta with its three copies written out, turned by plain trigonometry."""
    data: dict[str, Any] = yaml.safe_load(model)
    (repeat,) = data.pop("repeat")
    turns = [(1.0, 0.0), (-0.5, -np.sqrt(3) / 2), (-0.5, np.sqrt(3) / 2)]  # clockwise, seen from above

    def place(point: list[float], c: float, s: float) -> list[float]:
        x, y, z = point
        return [c * x - s * y, s * x + c * y, float(z)]

    for k, (c, s) in enumerate(turns, start=1):
        for section in ("bodies", "joints", "rods"):
            for name, part in repeat[section].items():
                copy = {**part}
                for field in copy.keys() & {"from", "to", "at"}:
                    copy[field] = place(part[field], c, s)
                if "R" in copy:
                    copy["R"] = place([0, 1, 0], c, s)
                if "joins" in copy:
                    copy["joins"] = [f"{b}-{k}" if b in repeat["bodies"] else b for b in copy["joins"]]
                data.setdefault(section, {})[f"{name}-{k}"] = copy
    return data


def test_a_repeat_is_its_copies_written_out() -> None:
    text = TEXTS["delta"]
    assert_same(model_of(text), load_model(by_hand(text)), 1e-15)


def test_copies_keep_parallelograms() -> None:
    """Both rods of a pair are the same vector to the last digit of the machine's size."""
    for name, pairs in (("delta", ("left", "right")), ("par4", ("left-a", "right-a"))):
        model = model_of(TEXTS[name])
        rods = {rod.name: rod.end - rod.start for rod in model.rods}
        for rod, way in rods.items():
            stem, copy = rod.rsplit("-", 1)
            if stem == pairs[0]:
                np.testing.assert_allclose(way, rods[f"{pairs[1]}-{copy}"], rtol=0, atol=1.2e-16)


def test_the_first_copy_is_as_written() -> None:
    model = model_of(TEXTS["par4"])
    np.testing.assert_array_equal(model.rods[0].start, [0.38, 0.46, -0.14])
    np.testing.assert_array_equal(model.part("arm-a-1").frame.p, [0.3, 0.3, -0.07])
    assert model.rods[0].joins == ("arm-a-1", "front")
    assert model.rods[4].joins == ("arm-a-2", "back")


@pytest.mark.parametrize("times", [1, 2, 3, 4, 5, 6, 7, 8, 12, 99])
def test_turns_are_exact(times) -> None:
    for copy in range(times):
        c, s = cosine_sine_of_turn(copy, times)
        np.testing.assert_allclose(
            [c, s], [np.cos(t := 2 * np.pi * copy / times), np.sin(t)], atol=1e-15
        )
        assert abs(c * c + s * s - 1) < 3e-16
    R = turned((0.6, 0.0, 0.8), 1, times)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert cosine_sine_of_turn(0, times) == (1.0, 0.0)
    if times % 4 == 0:
        assert cosine_sine_of_turn(times // 4, times) == (0.0, 1.0)
    if times % 3 == 0:
        assert cosine_sine_of_turn(times // 3, times)[0] == -0.5


# ------------------------------------------------------------------ mistakes


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


MISTAKES = [
    # what stands there | what is written instead | what is said
    ("kind: mechanism", "kind: mechanismus", "did you mean 'mechanism'?"),
    ("  tip: [1.6, 0, 1.4]", "  tip: [1.6, 0]", "has 2 items; allowed: three numbers [m]"),
    ("from: O, to: tip", "from: O, to: top", "'top' is not the name of a point (did you mean 'tip'?)"),
    (
        "{R: y, joins: [column, boom], at: O,",
        "{R: y, joins: [column, boom], at: o,",
        "not the name of a point",
    ),
    ("  column: {mass: 80", "  base: {mass: 80", "is the name of the ground"),
    ("{mass: 80, center", "{mass: -80, center", "-80 is negative; allowed: a number >= 0 [kg]"),
    (
        "mass: 80, center_of_mass: [0, 0, 0.5], ",
        "mass: 80, ",
        "has a mass and no place; add center_of_mass",
    ),
    ("mass: 80, center_of_mass", "mass: 80, com", "did you mean 'center_of_mass'?"),
    ("to: tip, radius: 0.05", "to: O, radius: 0.05", "is a rod of length zero"),
    ("to: tip, radius: 0.05", "radius: 0.05", "a rod needs both from: and to:"),
    ("to: tip, radius: 0.05", "to: tip, inertia: [1, 1, 1]", "[axial, across], two numbers"),
    (
        "{point: true, mass: 0.1}",
        "{point: true, mass: 0.1, inertia: [1, 1, 1]}",
        "is a point, which has no",
    ),
    ("{R: z, joins: [base, column]", "{joins: [base, column]", "has no kind; allowed: one of R: axis"),
    ("{R: z, joins: [base, column]", "{R: z, P: z, joins: [base, column]", "has R, P; allowed: one of"),
    (
        "{R: z, joins: [base, column]",
        "{R: w, joins: [base, column]",
        "'w' is not an axis; allowed: x, y, z",
    ),
    ("{R: z, joins: [base, column]", "{R: [0, 0, 0], joins: [base, column]", "has no direction"),
    (
        "joins: [base, column], at",
        "joins: [base, colum], at",
        "'colum' is not a body (did you mean 'column'?)",
    ),
    ("joins: [base, column], at", "joins: [column, column], at", "joins 'column' with itself"),
    ("joins: [base, column], at", "joins: [base], at", "allowed: two bodies, such as [base, arm]"),
    (
        "joins: [base, column], at",
        "joins: [base, [column, boom]], at",
        "picks by copy, which is for parts in",
    ),
    ("[base, column], at: [0, 0, 0],", "[base, column],", "at is missing; add at:"),
    ("motor: true, rotor: 2", "actuated: true, rotor: 2", "a joint that is driven says motor: true"),
    ("motor: true, rotor: 2", "motor: yes, rotor: 2", "is neither true nor false"),
    ("position: [-90 deg, 90 deg]", "position: [90 deg, -90 deg]", "is not in order"),
    ("position: [-90 deg, 90 deg]", "position: [-90, 90]", "did you mean 90 deg?"),
    ("position: [-90 deg, 90 deg]", "position: [10 deg, 90 deg]", "leaves out home"),
    ("position: [-90 deg, 90 deg]", "length: [-90, 90]", "unknown field; allowed: position"),
    ("[-0.1, 0.5], velocity: 1}", "[-0.1, 0.5], velocity: 1000}", "did you mean 1 m/s (1000 mm/s)?"),
    ("free_angle: 20 deg", "free_length: 20 deg", "did you mean 'free_angle'?"),
    ("free_angle: 20 deg", "free_angle: 20 deg, free: 0", "has free, free_angle; give one"),
    ("gimbal: {U: x,", "gimbal: {U: x, motor: true,", "is for joints R and P; this one is U"),
    ("gimbal: {U: x,", "gimbal: {U: -z,", "is not determined; write both"),
    ("gimbal: {U: x,", "gimbal: {U: [x, -x],", "has two parallel axes"),
    ("pivot: {S: ,", "pivot: {S: x,", "it has no axis: leave the field empty"),
    ("pivot: {S: ,", "pivot: {S: , coulomb: 1,", "is for joints R and P; this one is S"),
    (
        "pivot: {S: , joins: [hook, knob]",
        "pivot: {S: , joins: [hook, hand]",
        "nothing joins it; add a joint",
    ),
    ("  balance: {R", "  ram: {R", "'ram' is also a name in joints"),
    ("    R: y\n", "", "has no kind; allowed: one of R: axis (a pin)"),
    ("    R: y\n", "    R: [0.7, 0, 0.7]\n", "has the axis of its joint along the cylinder"),
    ("    to: high", "    to: low", "is a cylinder of length zero"),
    ("    to: high", "    to: hihg", "did you mean 'high'?"),
    ("    to: high\n", "", "is missing; add to: ..."),
    ("center: 0.3, inertia: [0.01", "center: 300, inertia: [0.01", "did you mean 0.3 m (300 mm)?"),
    ("length: [0.7, 1.2]", "length: [0.3, 0.7]", "leaves out home"),
    ("length: [0.7, 1.2]", "length: [700, 1200]", "did you mean 1.2 m (1200 mm)?"),
    ("length: [0.7, 1.2]", "length: [0.7, 1.2], position: [0, 1]", "has position and length; give one"),
    ("stiffness: 200, ", "", "is missing; add stiffness: ..."),
    ("joint: balance, follows", "joint: balanc, follows", "did you mean 'balance'?"),
    ("joint: balance, follows", "joint: tie-1, follows", "is a rod, whose length stays"),
    ("follows: lift", "follows: balance", "couples 'balance' with itself"),
    ("ratio: -2", "ratio: 0", "allowed: a number other than 0"),
    ("follows: lift, ratio: -2", "ratio: -2", "allowed: joint:, follows: and ratio:, or terms:"),
    ("{pitch: 1, roll: 1}", "{ptich: 1, roll: 1}", "did you mean 'pitch'?"),
    ("{pitch: 1, roll: 1}", "{pitch: 1, roll: one}", "'one' is not a number"),
    ("{pitch: 1, roll: 1}", "{}", "is empty; allowed: the joints it acts on"),
    ("  m5: {", "  swing: {", "is also a joint or cylinder with a motor of its own"),
    ("times: 2", "times: 0", "an integer, 1 to 99"),
    ("around: z", "round: z", "did you mean 'around'?"),
    ("tie: {joins: [foot, shoe]", "tie: {joins: [foot, [shoe]]", "names 1 bodies for 2 copies"),
    ("press: {P: z,", "press: {P: z, limits: {velocty: 1},", "did you mean 'velocity'?"),
    ("tie: {joins: [foot, shoe]", "fold: {joins: [foot, shoe]", "is also a name in repeat[0] joints"),
    (
        "tie: {joins: [foot, shoe]",
        "tie: {joins: [foot, sho]",
        "'sho' is not a body (did you mean 'shoe'?)",
    ),
    ("to: [0.9, 0, -0.4], mass", "to: [0.9, 0, 0], mass", "is a rod of length zero"),
    ("to: [0.9, 0, -0.4], mass", "to: [0.9, 0, -400], mass", "did you mean -0.4 m (-400 mm)?"),
    ("to: [0.9, 0, -0.4], mass", "to: [0.9, 0, -0.4], viscous: 1, mass", "add U: axis"),
    (
        "to: [0.9, 0, -0.4], mass",
        "to: [0.9, 0, -0.4], length: 0.4, mass",
        "the distance of from: and to:",
    ),
    ("[swing, lift,", "[swing, lfit,", "'lfit' is not a joint or cylinder (did you mean 'lift'?)"),
    ("[swing, lift,", "[swing, lift, lift,", "'lift' is given twice; keep one"),
    ("[swing, lift,", "[swing, gimbal,", "is a joint U, which has no single coordinate"),
    ("[swing, lift,", "[swing, fold,", "is repeated; its copies are called fold-1, fold-2"),
    ("[swing, lift,", "[swing, hook.x,", "did you mean {hook: [x]}?"),
    ("[swing, lift,", "[swing, hook,", "is a body; say which of its pose"),
    ("{hook: [roll, pitch]", "{hook: [rol, pitch]", "did you mean 'roll'?"),
    ("{hook: [roll, pitch]", "{hook: [roll, roll]", "names a coordinate twice"),
    ("{hook: [roll, pitch]", "{hok: [roll, pitch]", "'hok' is not a body (did you mean 'hook'?)"),
    ("relative_to: hand", "relative_to: hook", "is the same body"),
    ("tool: {body: hook", "tool: {body: hok", "did you mean 'hook'?"),
    ("mass: 30, from", "mass: 30000, from", "did you mean 30 kg (30000 g)?"),
    ("radius: 0.05}", "radius: 50}", "did you mean 0.05 m (50 mm)?"),
    ("gravity: [0, 0, -9.81]", "gravity: [0, 0, 9.81]", "points up"),
]


def told(file: Path) -> list[str]:
    try:
        return [str(finding) for finding in lint(file)]
    except lw.LinkworkError as error:
        return str(error).splitlines()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake[1].strip()[:50])
def test_every_mistake_is_named(tmp_path, mistake) -> None:
    sound, wrong, said = mistake
    text = SOUND.read_text()
    assert text.count(sound) >= 1
    file = tmp_path / "crane.yaml"
    file.write_text(text.replace(sound, wrong, 1))
    found = told(file)
    assert any("line " in words and said in words for words in found), found


def test_faults_stand_on_their_lines(tmp_path) -> None:
    text = SOUND.read_text().replace("follows: lift", "follows: lfit").replace("body: hook", "body: hok")
    file = tmp_path / "crane.yaml"
    file.write_text(text)
    said = told(file)
    for part in ("follows: lfit", "body: hok"):
        assert any(f"line {line_of(text, part)}, " in words for words in said), said


def test_all_faults_at_once_and_those_of_copies_once(tmp_path) -> None:
    text = SOUND.read_text()
    for sound, wrong in (
        ("joins: [foot, shoe]", "joins: [foot, sho]"),
        ("[swing, lift,", "[swng, lift,"),
    ):
        text = text.replace(sound, wrong, 1)
    file = tmp_path / "crane.yaml"
    file.write_text(text)
    with pytest.raises(lw.RobotFileError) as caught:
        load_model(file)
    said = str(caught.value)
    assert said.count("'sho' is not a body (did you mean 'shoe'?)") == 1
    assert "'swng' is not a joint" in said


def test_no_coordinates() -> None:
    text = SOUND.read_text()
    head = text[: text.index("coordinates:")]
    with pytest.raises(lw.RobotFileError, match="coordinates: is missing"):
        model_of(head)
    with pytest.raises(lw.RobotFileError, match="coordinates: is empty"):
        model_of(head + "coordinates: []\n")


def test_bodies_that_float() -> None:
    """Without a joint to the base, unless the pose of one is a coordinate."""
    joint = "{R: x, joins: [a, b], at: [0, 0, 0]}"
    text = f"kind: mechanism\nname: pair\nbodies: {{a: {{}}, b: {{}}}}\njoints: {{j: {joint}}}\n"
    with pytest.raises(lw.RobotFileError, match="is not joined to the base, nor are a, b"):
        model_of(text + "coordinates: [j]\n")
    model = model_of(text + "coordinates: [{a: [x, y, z, roll, pitch, yaw]}, j]\n")
    assert len(model.coordinates) == 7


@pytest.mark.parametrize(
    "section", ["points", "bodies", "joints", "rods", "cylinders", "springs", "motors"]
)
@pytest.mark.parametrize(
    "value", ["3", "[1, 2]", "text", "{a: 3}", "{a: {b: 3}}", "{a: [1]}", "{'': {}}"]
)
def test_sections_of_the_wrong_form(section, value) -> None:
    with pytest.raises(lw.RobotFileError, match=section):
        model_of(f"kind: mechanism\nname: odd\n{section}: {value}\ncoordinates: [a]\n")


@pytest.mark.parametrize("field", ["couplings", "repeat", "coordinates", "order", "tool"])
@pytest.mark.parametrize("value", ["3", "[1, 2]", "text", "{a: 3}", "[{}]", "[{a: {}}]"])
def test_lists_of_the_wrong_form(field, value) -> None:
    text = "\n".join(line for line in TEXTS["puma560"].splitlines() if not line.startswith(f"{field}:"))
    with pytest.raises(lw.RobotFileError, match=field):
        model_of(f"{text}\n{field}: {value}\n")


def test_damaged_files(tmp_path) -> None:
    """Findings or a message of ours, and no NumPy warning."""
    random = np.random.default_rng(0)
    content, file = SOUND.read_bytes(), tmp_path / "crane.yaml"
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(300):
            file.write_bytes(mutated(content, random))
            try:
                lint(file)
            except lw.LinkworkError:
                refused += 1
    assert 0 < refused < 300


PALLETIZER = Path(lw.__file__).parent / "model" / "library" / "palletizer.yaml"


def four_bar_with(tmp_path: Path, sound: str, wrong: str) -> list[str]:
    text = PALLETIZER.read_text()
    assert sound in text
    file = tmp_path / "palletizer.yaml"
    file.write_text(text.replace(sound, wrong))
    return told(file)


def test_what_is_nearly_a_parallelogram(tmp_path) -> None:
    """Named by its pins; far from one, or one to the last digit, nothing is said."""
    sound = "E: [0.05, 0, 0.80]"
    (said,) = four_bar_with(tmp_path, sound, "E: [0.0502, 0, 0.80]")
    assert "are nearly a parallelogram: opposite sides differ by 0.0002 m" in said
    for name in ("drive", "lever-end", "link-end", "elbow"):
        assert name in said
    assert "`repeat`" in said
    (said,) = four_bar_with(tmp_path, sound, "E: [0.05000000001, 0, 0.80]")
    assert "are a parallelogram but for" in said
    assert not four_bar_with(tmp_path, sound, "E: [0.0600, 0, 0.80]")
    accepted = "accept: [parallelogram]\nkind: mechanism"
    text = PALLETIZER.read_text().replace(sound, "E: [0.0502, 0, 0.80]")
    file = tmp_path / "accepted.yaml"
    file.write_text(text.replace("kind: mechanism", accepted, 1))
    assert told(file) == []


def test_rods_that_are_nearly_parallel(tmp_path) -> None:
    text = (PALLETIZER.parent / "par4.yaml").read_text()
    sound = "to: [0.02, 0.13, -0.70]"
    assert sound in text
    file = tmp_path / "par4.yaml"
    file.write_text(text.replace(sound, "to: [0.0201, 0.13, -0.70]"))
    said = told(file)
    assert any("left-a-1 and right-a-1 are nearly a parallelogram" in words for words in said), said


def test_no_bundled_mechanism_is_nearly_a_parallelogram() -> None:
    for name in BUNDLED:
        assert not [each for each in lint(name) if each.subject == "parallelogram"]


def test_a_joint_without_a_kind_and_a_delta_without_height_are_told() -> None:
    column = {"column": {"mass": 8, "center_of_mass": [0, 0, 0.5], "inertia": [6, 6, 2]}}
    swing = {"swing": {"R": None, "joins": ["base", "column"], "at": [0, 0, 0], "motor": True}}
    crane = {"kind": "mechanism", "name": "crane", "bodies": column, "joints": swing}
    with pytest.raises(lw.RobotFileError, match="swing"):
        lw.load({**crane, "coordinates": ["swing"]})
    sizes = {
        "base_radius": 0.164,
        "platform_radius": 0.044,
        "arm": 0.524,
        "forearm": 0.6,
        "height": 1e-300,
    }
    flat = {"kind": "parallel-robot", "name": "flat", "family": "delta", "dimensions": sizes}
    with pytest.raises(lw.RobotFileError, match="lie in one line"):
        lw.load({**flat, "platform": {"mass": 0.5}})
