"""Reading YAML with line numbers, and refusing what a robot file never needs."""

from __future__ import annotations

import math

import pytest

from linkwork.files import yaml_lines
from linkwork.files.faults import FaultyError
from linkwork.files.yaml_lines import DEEPEST, LARGEST_FILE, read_yaml


def faults(raw: bytes) -> list[str]:
    with pytest.raises(FaultyError) as caught:
        read_yaml(raw)
    return [str(fault) for fault in caught.value.faults]


def test_lines_of_fields() -> None:
    document = read_yaml(b"# a comment\na: 1\nb:\n  - c: 2\n    d: [3,\n        4]\n")
    assert document.data == {"a": 1, "b": [{"c": 2, "d": [3, 4]}]}
    assert document.lines == {
        (): 2, ("a",): 2, ("b",): 3, ("b", 0): 4, ("b", 0, "c"): 4,
        ("b", 0, "d"): 5, ("b", 0, "d", 0): 5, ("b", 0, "d", 1): 6,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1", 1), ("-1.5", -1.5), ("1e-3", 1e-3), ("+2E6", 2e6), (".5", 0.5), ("3.", 3.0),
        (".inf", math.inf), ("-.Inf", -math.inf), ("inf", "inf"), ("9" * 5000, math.inf),
        ("yes", "yes"), ("off", "off"), ("true", True), ("False", False), ("~", None), ("", None),
        ("'1'", "1"), ('"true"', "true"), ("90 deg", "90 deg"), ("0x10", "0x10"), ("1_0", "1_0"),
        ("1:30", "1:30"), ("2020-01-01", "2020-01-01"), ("007", 7), ("\u0661", "\u0661"),
    ],
)  # fmt: skip
def test_scalars(written: str, meant: object) -> None:
    assert read_yaml(f"a: {written}".encode()).data == {"a": meant}


def test_not_a_number_is_read_as_such() -> None:
    data = read_yaml(b"a: .nan").data
    assert isinstance(data, dict)
    assert math.isnan(data["a"])


def test_field_names_are_always_text() -> None:
    assert read_yaml(b"1: a\nyes: b\n~: c").data == {"1": "a", "yes": "b", "~": "c"}


def test_a_byte_order_mark_is_ignored() -> None:
    assert read_yaml(b"\xef\xbb\xbfa: 1").data == {"a": 1}


def test_a_repeated_field_keeps_its_first_value() -> None:
    document = read_yaml(b"a: 1\nb: {c: 1, c: {d: 2}}\na: [5, 6]\n")
    assert document.data == {"a": 1, "b": {"c": 1}}
    assert [str(fault) for fault in document.faults] == [
        "line 2, b.c: is given twice, at lines 2 and 2; keep one",
        "line 3, a: is given twice, at lines 1 and 3; keep one",
    ]
    assert ("a", 0) not in document.lines


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (b"# nothing\n", "the file is empty or holds only comments"),
        (b"a: 1\nb: \xff\n", "line 2: byte 0xff is not UTF-8; save the file as UTF-8"),
        (b"a: 1\nb: \x07\n", "line 2: character 0x7 is not allowed in YAML"),
        (b"a: 1\nb: [1, 2\nc: 3\n", "line 3: not valid YAML: "),
        (b"a: b: c", "line 1: not valid YAML: mapping values are not allowed here"),
        (b"a: 1\n---\nb: 2", "line 2: a second document begins"),
        (b"a: &x 1", "line 1, a: an anchor (&) is not allowed; remove it"),
        (b"a: 1\nb: *x", "line 2, b: an alias (*) is not allowed; write the value out"),
        (b"a: !!float 1", "line 1, a: tag tag:yaml.org,2002:float is not allowed"),
        (b"a: !!python/object/apply:os.system [ls]", "line 1, a: tag tag:yaml.org,2002:python"),
        (b"? [a]\n: 1", "line 1: a field name should be a word"),
        (b"*x : 1", "line 1: a field name should be a word"),
        (b'a: "\\UFFFFFFFF"', "not valid YAML"),
        (b"%YAML 1." + b"1" * 5000 + b"\n---\na: 1", "not valid YAML"),
        (b"x" * (LARGEST_FILE + 1), f"the file has more than {LARGEST_FILE} bytes"),
        (b"[" * 100_000, f"line 1: nested deeper than {DEEPEST} levels"),
        (b"- " * 100_000, f"line 1: nested deeper than {DEEPEST} levels"),
    ],
)
def test_what_is_refused(raw: bytes, expected: str) -> None:
    (fault,) = faults(raw)
    assert fault.startswith(expected)


def test_the_number_of_values_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_lines, "MOST_NODES", 100)
    assert read_yaml(b"[" + b"1," * 99 + b"]").data == [1] * 99
    assert faults(b"[" + b"1," * 100 + b"]")[0].startswith("line 1: more than 100 values")


def test_everything_refused_is_reported() -> None:
    assert len(faults(b"a: &x 1\na: 2\nb: *x\nc: !t 3")) == 4
