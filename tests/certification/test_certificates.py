"""Certificates are checked by other arithmetic, and refused where they are not what was proven."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.certification.boxes import Boxes
from linkwork.certification.certificate import CertificateError
from linkwork.certification.checker import check_certificate
from linkwork.certification.cover import uncovered
from tests.cli.process import run

SOME = {"x": [-0.03, 0.05], "z": [2.36, 2.42], "roll": ["-2 deg", "3 deg"]}


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a platform, in several boxes."""
    path = tmp_path_factory.mktemp("certificates") / "simona.json"
    simona = lw.load("simona")
    found = lw.certify(simona, SOME, condition=10, leg_diameter=0.12)
    assert found.verdict == "proven"
    found.save(path)
    content = json.loads(path.read_text())
    (box,) = content["boxes"]
    left, right, low, high = [*box], [*box], box[0], box[6]
    left[6] = right[0] = (low + high) / 2
    content["boxes"] = [left, right]
    path.write_text(json.dumps(content))
    return path


def changed(path: Path, tmp_path: Path, change: Callable[[dict], object]) -> Path:
    content = json.loads(path.read_text())
    change(content)
    (tmp_path / "changed.json").write_text(json.dumps(content))
    return tmp_path / "changed.json"


def test_holds(proven: Path) -> None:
    found = check_certificate(proven, lw.load("simona"))
    assert found.certificate.verdict == "proven"
    assert found.boxes == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c["boxes"].pop(), "open"),
        (lambda c: c["boxes"][0].__setitem__(6, c["boxes"][0][6] - 1e-9), "open"),
        (lambda c: c["region"].update(z=[2.36, 2.43]), "open"),
        (lambda c: c["robot"].update(gravity=[0, 0, -1]), "digest"),
        (lambda c: c.update(robot_digest="0" * 64), "digest"),
        (lambda c: c["conditions"].pop(), "conditions"),
        (lambda c: c.update(leg_diameter=0.0), "conditions"),
        (lambda c: c.update(condition=5), "conditions"),
        (lambda c: c.update(verdict="undecided"), "claims nothing"),
        (lambda c: c["boxes"][0].__setitem__(0, 1.0), "not in order"),
        (lambda c: c["boxes"][0].pop(), "malformed"),
        (lambda c: c.pop("linkwork certificate"), "not a certificate"),
        (lambda c: c.update({"linkwork certificate": 99}), "format 99"),
        (lambda c: c.update({"linkwork certificate": True}), "format True"),
        (lambda c: c.update(region=["x"]), "malformed"),
        (lambda c: c.update(condition="10"), "not numbers"),
        (lambda c: c.update(condition=10**400), "not numbers"),
        (lambda c: c.update(leg_diameter=float("nan")), "not finite"),
        (lambda c: c.update(acceleration=[[np.nan] * 6] * 2), "not finite"),
        (lambda c: c.update(wrench=[[1.0] * 6, [-1.0] * 6]), "not in order"),
        (lambda c: c.update(singularities="no"), "no bool"),
        (lambda c: c.update(broken=[1]), "malformed"),
    ],
)
def test_tampered_ones_are_refused(proven: Path, tmp_path: Path, change, told: str) -> None:
    with pytest.raises(CertificateError, match=told):
        check_certificate(changed(proven, tmp_path, change))


def test_what_is_nested_without_end_is_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(CertificateError, match="not a certificate"):
        check_certificate(tmp_path / "deep.json")


def test_what_does_not_hold_is_not_proven_by_saying_so(proven: Path, tmp_path: Path) -> None:
    """A region in order, covered by its box, whose robot does not keep its limits there."""

    def widened(content: dict) -> None:
        content["region"]["z"] = [2.36, 3.1]
        for box in content["boxes"]:
            box[8] = 3.1

    with pytest.raises(CertificateError, match="is not proven: leg"):
        check_certificate(changed(proven, tmp_path, widened))

    def tightened(content: dict) -> None:
        content["condition"] = 2.0
        content["conditions"] = [
            text.replace("number <= 10", "number <= 2") for text in content["conditions"]
        ]

    with pytest.raises(CertificateError, match="is not proven: condition number"):
        check_certificate(changed(proven, tmp_path, tightened))


def test_of_another_robot(proven: Path) -> None:
    with pytest.raises(CertificateError, match="another robot"):
        check_certificate(proven, lw.load("pi-h811"))


@pytest.mark.parametrize(
    ("name", "region", "asked", "broken"),
    [
        ("simona", {"z": [2.3, 3.1]}, {}, "leg"),
        ("simona", {"x": [0, 0]}, {"acceleration": [0, 0, 90, 0, 0, 0]}, "effort"),
        ("simona", {"x": [0, 0]}, {"leg_diameter": 0.7}, "apart"),
        ("simona", {"x": [-0.1, 0.1]}, {"condition": 2.0}, "condition"),
        ("delta", {"z": [-0.6, -0.5]}, {}, "loops"),
    ],
)
def test_witnesses_are_checked(name: str, region, asked, broken: str, tmp_path: Path) -> None:
    found = lw.certify(lw.load(name), region, **asked)
    assert found.verdict == "refuted"
    found.save(tmp_path / "refuted.json")
    assert broken in str(check_certificate(tmp_path / "refuted.json").certificate.broken)

    def harmless(content: dict) -> None:
        content["region"] = {key: [-9.0, 9.0] for key in content["region"]}
        content["broken"] = next(each for each in content["conditions"] if each != content["broken"])

    with pytest.raises(CertificateError, match="not shown to break"):
        check_certificate(changed(tmp_path / "refuted.json", tmp_path, harmless))
    with pytest.raises(CertificateError, match="does not lie"):
        check_certificate(
            changed(
                tmp_path / "refuted.json",
                tmp_path,
                lambda c: c.update(witness=[1e3] * len(c["witness"])),
            )
        )


@pytest.mark.parametrize("name", ["delta", "puma560"])
def test_other_robots(name: str, tmp_path: Path) -> None:
    robot = lw.load(name)
    home, names = robot.coordinates.to_angles(robot.home), robot.coordinates.by_angles.names
    region = {names[k]: [home[k] - 0.01, home[k] + 0.01] for k in range(3)}
    lw.certify(robot, region).save(tmp_path / "c.json")
    assert check_certificate(tmp_path / "c.json").certificate.verdict == "proven"


def test_arms_whose_home_is_singular(tmp_path: Path) -> None:
    """A straight ur5 has no side of its singularities that a region could be on."""
    robot = lw.Arm(replace(lw.load_arm("ur5").model, home=None))
    region = {"elbow": [1.0, 1.1], "wrist_2": [1.0, 1.1]}
    found = lw.certify(robot, region, condition=60)
    assert "no singularity" in found.conditions
    found.save(tmp_path / "c.json")
    assert check_certificate(tmp_path / "c.json").certificate.verdict == "proven"
    through = lw.certify(robot, region | {"wrist_2": [-0.1, 0.1]}, singularities=True, boxes=2000)
    assert through.verdict == "undecided"


def test_cover_of_random_bisections_and_of_those_with_a_hole() -> None:
    rng = np.random.default_rng(3)
    region = Boxes(np.array([[0.0, -1.0, 2.0, 5.0]]), np.array([[1.0, 1.0, 2.5, 5.0]]))
    boxes = region
    for _ in range(9):
        cut = rng.uniform(size=boxes.count) < 0.7
        halves = boxes.some(cut).halves(rng.uniform(0.1, 1, 4))
        boxes = Boxes(
            np.concatenate([boxes.low[~cut], halves.low]),
            np.concatenate([boxes.high[~cut], halves.high]),
        )
    order = rng.permutation(boxes.count)
    assert uncovered(region, boxes.some(order)) is None
    for k in rng.choice(boxes.count, 20):
        gap = uncovered(region, boxes.some(np.arange(boxes.count) != k))
        assert gap is not None
        assert (gap[0] >= boxes.low[k]).all()
        assert (gap[1] <= boxes.high[k]).all()


def test_checker_and_prover_share_no_arithmetic() -> None:
    """The checker's own modules take nothing from the interval kernels or the search."""
    for name in ("checker", "ball_functions", "cover"):
        source = Path(lw.__file__).with_name("certification") / f"{name}.py"
        imported = {
            node.module or ""
            for node in ast.walk(ast.parse(source.read_text()))
            if isinstance(node, ast.ImportFrom)
        }
        assert not any("kernels" in each or each.endswith("search") for each in imported)


def test_command(proven: Path, tmp_path: Path) -> None:
    told = run("certify", "--check", str(proven), cwd=tmp_path).stdout
    assert "the certificate holds" in told
    assert "SHA-256" in told
    assert (
        '"verdict": "proven"'
        in run("certify", "simona", "--check", str(proven), "--json", cwd=tmp_path).stdout
    )
    wrong = run("certify", "delta", "--check", str(proven), cwd=tmp_path, code=2)
    assert "another robot" in wrong.stderr
    assert "--region" in run("certify", "simona", cwd=tmp_path, code=2).stderr
    region = tmp_path / "region.yaml"
    region.write_text("x: [-0.02, 0.02]\n")
    run("certify", "simona", "--region", str(region), "-o", "c.json", cwd=tmp_path)
    assert "holds" in run("certify", "--check", "c.json", cwd=tmp_path).stdout
