"""Round regions, motions with tubes, tolerances, searches that go on: against direct calculations."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.certification.boxes import Boxes
from linkwork.certification.certificate import CertificateError
from linkwork.certification.checker import check_certificate
from linkwork.certification.checks import Efforts, Ranges, checks_of
from linkwork.certification.enclosed import Enclosed
from linkwork.certification.paths import tube_around
from linkwork.certification.tolerances import tolerances_of
from tests.certification.test_certify import TRIPOD, demands
from tests.cli.process import run

LOOSE = {"platform.mass": 50.0, "legs.base_point": 1e-3, "legs.platform_point": 2e-3}


def changed(path: Path, tmp_path: Path, change: Callable[[dict], object]) -> Path:
    content = json.loads(path.read_text())
    change(content)
    (tmp_path / "changed.json").write_text(json.dumps(content))
    return tmp_path / "changed.json"


def test_spheres_in_what_three_shells_have_in_common() -> None:
    """A ball keeps a shell about s if |c - s| -+ r does."""
    robot = lw.load(TRIPOD)
    starts = np.array([each.start for each in robot.mechanism.cylinders])
    lengths = np.array([each.length for each in robot.mechanism.cylinders])
    rng, verdicts = np.random.default_rng(7), []
    for _ in range(30):
        center, radius = np.array([0, 0, 1.0]) + rng.uniform(-0.2, 0.2, 3), rng.uniform(0.01, 0.2)
        away = np.linalg.norm(center - starts, axis=1)
        room = min((away - radius - lengths + 0.3).min(), (lengths + 0.25 - away - radius).min())
        if abs(room) < 1e-3:
            continue
        sphere = {"center": dict(zip("xyz", center, strict=True)), "radius": radius}
        found = lw.certify(robot, {"sphere": sphere}, singularities=False, smallest=1e-3)
        assert found.verdict == ("proven" if room > 0 else "refuted")
        verdicts.append(found.verdict)
        if found.witness is not None:
            at = np.array([found.witness[name] for name in "xyz"])
            assert np.linalg.norm(at - center) <= radius
            far = np.linalg.norm(at - starts, axis=1)
            assert ((far < lengths - 0.3) | (far > lengths + 0.25)).any()
    assert len({*verdicts}) == 2


def test_a_cylinder_may_hold_what_its_box_does_not(tmp_path: Path) -> None:
    robot = lw.load(TRIPOD)
    cylinder = {"cylinder": {"center": {"x": 0.0, "y": 0.0}, "radius": 0.3}, "z": [0.95, 0.96]}
    found = lw.certify(robot, cylinder, singularities=False, smallest=1e-3)
    box = lw.certify(robot, found.region, singularities=False)
    assert (found.verdict, box.verdict) == ("proven", "refuted")
    found.save(tmp_path / "c.json")
    assert check_certificate(tmp_path / "c.json").certificate.verdict == "proven"
    wider = changed(tmp_path / "c.json", tmp_path, lambda c: c["shape"].update(radius=0.6))
    with pytest.raises(CertificateError, match="is not proven"):
        check_certificate(wider)
    with pytest.raises(CertificateError, match="malformed"):
        check_certificate(
            changed(tmp_path / "c.json", tmp_path, lambda c: c["shape"].update(places=[0, 7]))
        )


def test_dasgupta_paths(tmp_path: Path) -> None:
    """Paths I and II meet no singularity; III is proven to cross one: it begins on home's side, and ends
    on the other."""
    robot = lw.load("dasgupta1998")
    for name in ("dasgupta-I", "dasgupta-II"):
        found = lw.certify(robot, {"path": name, "tube": 1e-4})
        assert found.verdict == "proven"
    found.save(tmp_path / "free.json")
    assert check_certificate(tmp_path / "free.json").certificate.verdict == "proven"
    third = lw.certify(robot, {"path": "dasgupta-III"})
    assert third.verdict == "refuted"
    assert third.broken == "no singularity between here and home"
    third.save(tmp_path / "crossing.json")
    check_certificate(tmp_path / "crossing.json")
    at_start = dict(zip(third.region, third.area.pieces[0, :, 0], strict=True))
    begins = lw.certify(robot, {name: [x, x] for name, x in at_start.items()})
    assert begins.verdict == "proven"


def test_tampered_paths_are_refused(tmp_path: Path) -> None:
    robot = lw.load("dasgupta1998")
    lw.certify(robot, {"path": "dasgupta-I"}).save(tmp_path / "c.json")

    def refused(change: Callable[[dict], object], told: str) -> None:
        with pytest.raises(CertificateError, match=told):
            check_certificate(changed(tmp_path / "c.json", tmp_path, change))

    refused(lambda c: c["region"].update(x=[-9.0, 9.0]), "ranges of coordinates")
    refused(lambda c: c["shape"]["pieces"].append(c["shape"]["pieces"][0]), "times of the path")
    refused(lambda c: c["shape"]["times"].sort(reverse=True), "times of the path")
    refused(lambda c: c["shape"]["around"].__setitem__(0, -1.0), "narrower")
    refused(lambda c: c["boxes"].pop(3), "open")
    refused(lambda c: c["boxes"][0].__setitem__(1, 1.5), "over a joint")


def test_motions_are_in_their_tubes() -> None:
    """Also where the acceleration jumps."""
    arm = lw.load("puma560")
    motion = lw.Trapezoid(np.asarray(arm.home), np.asarray(arm.home) + 0.5, duration=2.0, velocity=0.5)
    tube = tube_around(arm, motion, 1e-6, 1e-6)
    times = np.linspace(0.0, motion.duration, 3001)
    k = np.clip(np.searchsorted(tube.times, times, side="right") - 1, 0, len(tube.pieces) - 1)
    s, q = k + (times - tube.times[k]) / np.diff(tube.times)[k], motion.at(times).q
    assert (np.abs(q - tube.at(s)) <= tube.around).all()
    around = tube.positions(Boxes(k[:, None].astype(float), k[:, None] + 1.0))
    assert ((around.low <= q) & (q <= around.high)).all()


def test_efforts_along_a_motion_are_those_that_it_needs() -> None:
    """A platform that turns while it moves: enclosures hold inverse dynamics, and are sharp."""
    robot = lw.load("simona")
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    away = np.array([0.1, 0.05, 0.1, 0.1, -0.1, 0.2])
    motion = lw.PoseWaypoints([home - away / 2, home + away], [0.0, 1.0])
    tube = tube_around(robot, motion, 0.0, 0.0)
    asked = demands(robot, moving=True)
    (efforts,) = [each for each in checks_of(Enclosed(robot), asked) if isinstance(each, Efforts)]
    rng = np.random.default_rng(3)
    middle = rng.uniform(0.1, 0.9, 200) + rng.integers(0, len(tube.pieces), 200)
    width = 1e-3
    boxes = tube.positions(Boxes((middle - width)[:, None], (middle + width)[:, None]))
    k = middle.astype(int)
    times = tube.times[k] + (middle - k) * np.diff(tube.times)[k]
    force = robot.inverse_dynamics(*motion.at(times), friction=False)
    for sharper in (False, True):
        least, most = efforts.bounds(boxes, sharper)
        assert ((least <= force) & (force <= most)).all()
    assert (most - least).max() < 0.05 * np.abs(force).max()


def test_tolerances_enclose_robots_with_other_numbers() -> None:
    robot = lw.load("simona")
    known = tolerances_of(robot, LOOSE | {"payload": [0.0, 300.0]})
    enclosed, rng = Enclosed(robot, known), np.random.default_rng(5)
    checks = checks_of(enclosed, demands(robot))
    ranges, efforts = (
        next(each for each in checks if isinstance(each, kind)) for kind in (Ranges, Efforts)
    )
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    box = Boxes(
        *(
            np.concatenate([home + away, ends])[None]
            for away, ends in zip((-0.002, 0.002), known.ends, strict=True)
        )
    )
    least, most = efforts.bounds(box, True)
    low, high = ranges.vector.sharper(box)
    seen = []
    for _ in range(8):
        at = rng.uniform(box.low[0], box.high[0])
        if _ < 4:  # corners, where most of the range is used
            at = np.where(rng.uniform(size=at.shape) < 0.5, box.low[0], box.high[0])
        fields, start = {}, 6
        for each in known.fields:
            fields[each.name] = at[start : start + each.size]
            start += each.size
        other = robot.with_fields(fields).with_payload(mass=float(at[start]), center_of_mass=[0, 0, 0])
        load = other.gravity_load(at[:6])
        seen.append(load)
        assert ((least[0] <= load) & (load <= most[0])).all()
        value = (other.leg_lengths(at[:6]) - robot.limits.position[:, 0]) / np.ptp(
            robot.limits.position, axis=1
        )
        assert ((low[0, :12:2] <= value) & (value <= high[0, :12:2])).all()
    assert (most - least).max() < 12 * np.ptp(seen, axis=0).max()


def test_tolerances_refute_and_are_checked(tmp_path: Path) -> None:
    """How far simona may rise, with base points that are a millimeter off."""
    robot = lw.load("simona")
    home = robot.coordinates.to_angles(np.asarray(robot.home))
    inside, outside = home[2], home[2] + 2.0
    for _ in range(40):
        middle = (inside + outside) / 2
        kept = (robot.leg_lengths([*home[:2], middle, *home[3:]]) <= robot.limits.position[:, 1]).all()
        inside, outside = (middle, outside) if kept else (inside, middle)
    region = {"z": [inside - 1e-3, inside - 1e-4]}
    assert lw.certify(robot, region, singularities=False).verdict == "proven"
    found = lw.certify(robot, region, singularities=False, tolerances={"legs.base_point": 1e-3})
    assert found.verdict == "refuted"
    assert found.witness is not None
    points = np.array([found.witness[f"legs.base_point[{k}]"] for k in range(18)])
    other = robot.with_fields({"legs.base_point": points})
    assert (other.leg_lengths([found.witness[name] for name in found.region]) > 3.331).any()
    found.save(tmp_path / "refuted.json")
    check_certificate(tmp_path / "refuted.json")
    with pytest.raises(CertificateError, match="does not lie"):
        check_certificate(
            changed(
                tmp_path / "refuted.json",
                tmp_path,
                lambda c: (
                    c["tolerances"].update({"legs.base_point": [points.tolist()] * 2})
                    or c["at"].__setitem__(8, 9.0)
                ),
            )
        )


@pytest.mark.parametrize(
    ("tolerances", "told"),
    [
        ({"platform.mas": 1}, "platform.mass"),
        ({"platform.mass": -1}, "one number above 0"),
        ({"platform.mass": [3, 1]}, "lowest and highest"),
        ({"payload": 3}, r"\[39, 41\]\.$"),
        ({"platform.mass": "heavy"}, "lowest and highest"),
    ],
)
def test_wrong_tolerances(tolerances: object, told: str) -> None:
    with pytest.raises(lw.InputError, match=told):
        lw.certify(lw.load("simona"), {"x": [0, 0.1]}, tolerances=tolerances)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("region", "told"),
    [
        ({"sphere": {"center": {"x": 0}, "radius": 1}}, "center: {x: 0, y: 0, z: 0}"),
        ({"sphere": {"center": {"x": 0, "y": 0, "roll": 0}, "radius": 1}}, "not a length"),
        ({"cylinder": {"center": {"x": 0, "y": 0}, "radius": 0}}, "not positive"),
        ({"cylinder": {"center": {"x": 0, "y": 0}, "radius": 1}, "x": [0, 1]}, "range beside it"),
        ({"path": "nowhere.yaml"}, "nowhere.yaml"),
        ({"path": "step", "x": [0, 1]}, "not beside a path"),
        ({"path": "dasgupta-I", "tube": -1}, "negative"),
        ({"path": 3}, "is not a motion"),
    ],
)
def test_wrong_shapes(region: dict[str, object], told: str) -> None:
    with pytest.raises(lw.InputError, match=told):
        lw.certify(lw.load("simona"), region)


def test_a_search_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, state = lw.load("simona"), tmp_path / "state.npz"
    turns = {"roll": ["-3 deg", "3 deg"], "yaw": ["-3 deg", "3 deg"]}
    region = {"x": [-0.1, 0.1], "z": [2.3, 2.45], **turns}
    whole = lw.certify(robot, region, condition=8, leg_diameter=0.1)
    assert whole.verdict == "proven"
    from linkwork.certification import search

    real, rounds = search._next, []

    def interrupted(waiting):
        rounds.append(1)
        if len(rounds) in (2, 4):
            signal.raise_signal(signal.SIGINT)
        return real(waiting)

    monkeypatch.setattr(search, "_next", interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            lw.certify(robot, region, condition=8, leg_diameter=0.1, resume=state)
        assert state.exists()
    with pytest.raises(lw.InputError, match="of another robot, region or demand"):
        lw.certify(robot, region, condition=9, leg_diameter=0.1, resume=state)
    few = lw.certify(robot, region, condition=8, leg_diameter=0.1, resume=state, boxes=1)
    assert few.verdict == "undecided"
    found = lw.certify(robot, region, condition=8, leg_diameter=0.1, resume=state)
    assert found.verdict == "proven"
    assert found.evaluations == whole.evaluations
    assert not state.exists()
    found.save(tmp_path / "c.json")
    assert check_certificate(tmp_path / "c.json").boxes == len(whole.proven_boxes)
    state.write_bytes(b"no archive")
    with pytest.raises(lw.InputError, match="not what an earlier search left"):
        lw.certify(robot, region, resume=state)
    state.unlink()


def test_singularities_with_tolerances_take_several_boxes() -> None:
    robot = lw.load("simona")
    region = {"z": [2.3, 2.45], "roll": ["-3 deg", "3 deg"], "pitch": ["-3 deg", "3 deg"]}
    found = lw.certify(robot, region, tolerances={"legs.base_point": 1e-3})
    assert found.verdict == "proven"
    assert len(found.proven_boxes) > 1


TRAVEL = {"x": 0.017, "y": 0.016, "z": 0.0065, "roll": "10 deg", "pitch": "10 deg", "yaw": "21 deg"}


@pytest.mark.parametrize(
    "name", ["z", *(pytest.param(name, marks=pytest.mark.long) for name in TRAVEL if name != "z")]
)
def test_published_travel_of_a_hexapod(name: str) -> None:
    """Data sheet of the H-811.I2: one axis at a time; a little more than that breaks a limit."""
    robot, end = lw.load("pi-h811"), TRAVEL[name]
    low = f"-{end}" if isinstance(end, str) else -end
    assert lw.certify(robot, {name: [low, end]}).verdict == "proven"
    if name == "z":
        assert lw.certify(robot, {"z": [-0.0065, 0.0075]}).verdict == "refuted"


def test_commands(tmp_path: Path) -> None:
    (tmp_path / "region.yaml").write_text("path: dasgupta-III\ntube: 0.0001\n")
    found = run("certify", "dasgupta1998", "--region", "region.yaml", "--json", cwd=tmp_path, code=1)
    content = json.loads(found.stdout)
    assert content["verdict"] == "refuted"
    assert 0 < content["time"] <= 6
    (tmp_path / "region.yaml").write_text(
        "x: [-0.02, 0.02]\ntolerances: {platform.mass: 20, payload: [0, 50]}\n"
    )
    told = run("certify", "simona", "--region", "region.yaml", "-o", "c.json", cwd=tmp_path).stdout
    assert "platform.mass" in told
    assert "holds" in run("certify", "--check", "c.json", cwd=tmp_path).stdout
