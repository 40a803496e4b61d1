"""Arguments that are what their annotations say, before a function sees them.

What a public function declares is what it refuses: a text for a number, a masked array, a fraction for a
count, somebody else's object. The rules are those of `arguments.py`, found once from the annotations;
what an annotation cannot say (a shape, a range) the function looks at itself. Annotations that no rule
knows, such as protocols, are passed over.
"""

from __future__ import annotations

import builtins
import inspect
import os
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from linkwork.core.arguments import path_of, real
from linkwork.core.earlier_names import ARGUMENTS
from linkwork.core.errors import InputError
from linkwork.core.text import nearest

F = TypeVar("F", bound=Callable[..., Any])
ARRAYS = frozenset(get_args(ArrayLike))
LARGEST = 2**63  # of integers: what NumPy counts with
SEED = "seed"  # no sequence of random numbers begins with a negative one


class Rule(NamedTuple):
    """What an argument may be, in words, and whether a value is that."""

    words: str
    holds: Callable[[Any], bool]


def checked(function: F) -> F:
    """The function, with an InputError that names the argument that is not what its annotation says.

    Of a class, its constructor is.
    """
    if inspect.isclass(function):
        setattr(function, "__init__", checked(function.__init__))  # noqa: B010
        return function
    rules: dict[str, Rule] = {}
    names: list[str] = []
    earlier = ARGUMENTS.get(function.__name__, {})

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not names:
            parameters = inspect.signature(function).parameters
            rules.update(_rules(function, parameters.values()))
            names.extend(parameters)
        for name, value in zip(names, arguments, strict=False):
            if name in rules and not rules[name].holds(value):
                raise _refused(name, value, rules[name])
        if earlier and named:
            named = {earlier.get(name, name): value for name, value in named.items()}
        for name, value in named.items():
            if name in rules and not rules[name].holds(value):
                raise _refused(name, value, rules[name])
        return function(*arguments, **named)

    return cast(F, call)


def _refused(name: str, value: object, rule: Rule) -> InputError:
    if rule.words.startswith(NUMBERS.words):
        try:
            real(cast(ArrayLike, value), name)
        except InputError as error:  # it says more
            return error
    close = nearest(value, re.findall(r"'(\w+)'", rule.words)) if isinstance(value, str) else None
    hint = f" Did you mean {close!r}?" if close else ""
    return InputError(f"{name} = {_shown(value)}: expected {rule.words}.{hint}")


def _shown(value: object) -> str:
    try:
        return reprlib.repr(value)
    except Exception:  # of an object of somebody else
        return f"a {type(value).__name__}"


class _Known(dict[str, Any]):
    """The names of a module; those that only a type checker imports are anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _rules(function: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> dict[str, Rule]:
    known = _Known(function.__globals__)
    found: dict[str, Rule] = {}
    for each in parameters:
        if each.annotation is each.empty or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        kind = eval(each.annotation, {}, known)
        rule = _expected(kind, function) if hasattr(kind, "expect") else _rule(kind)
        if rule is not None:
            found[each.name] = COUNT if each.name == SEED and rule == WHOLE else rule
    return found


def _expected(kind: Any, function: Callable[..., Any]) -> Rule:
    """Of a class that says itself what it is not, and where it is from."""
    return Rule(kind.__name__, lambda value: bool(kind.expect(value, function.__name__)) or True)


def _rule(kind: Any) -> Rule | None:
    origin, inside = get_origin(kind), get_args(kind)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if origin is Annotated:
        return _rule(inside[0])
    if origin in (Union, UnionType):
        rest = [each for each in inside if each not in ARRAYS] if {*inside} >= ARRAYS else list(inside)
        rules = [_rule(each) for each in rest]
        rules += [NUMBERS] if len(rest) < len(inside) else []
        return _either(rules)
    if origin is Literal:
        return Rule(
            " or ".join(map(repr, inside)), lambda value: isinstance(value, str) and value in inside
        )
    if origin is np.ndarray:
        return NUMBERS
    if origin in (Sequence, Iterable, Collection, list, tuple):
        alike = origin is not tuple or inside[1:] == (Ellipsis,)
        return _listed(Iterable if origin is Iterable else Sequence, inside[:1] if alike else ())
    if origin in (Mapping, dict):
        return Rule("a dict", lambda value: isinstance(value, Mapping))
    if origin is Callable:
        return Rule("a function", callable)
    if getattr(kind, "_is_protocol", False):
        names = [name for name in vars(kind) if not name.startswith("_")]
        return Rule(f"what has {', '.join(names)}", lambda value: all(hasattr(value, n) for n in names))
    if inspect.isclass(kind) and kind not in (object, Any):  # Any is a class since Python 3.11
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        return Rule(f"{article} {kind.__name__}", lambda value: isinstance(value, kind))
    return None


def _either(rules: Sequence[Rule | None]) -> Rule | None:
    """One of several; nothing is refused where one of them is unknown. A text beside a path is one."""
    known = [rule for rule in rules if rule is not None and not (rule is TEXT and PATH in rules)]
    if None in rules:
        return None
    ordered = sorted(known, key=lambda rule: rule is NOTHING)  # None is said last
    words = " or ".join(dict.fromkeys(rule.words for rule in ordered))
    return Rule(words, lambda value: any(rule.holds(value) for rule in ordered))


def _listed(kind: type, inside: tuple[Any, ...]) -> Rule:
    rule = FLAGS if inside == (bool,) else _rule(inside[0]) if inside else None

    def holds(value: Any) -> bool:
        if isinstance(value, np.ndarray):
            if value.ndim != 1 or value.dtype.kind not in "biuf" or np.ma.is_masked(value):
                return False
        elif isinstance(value, str | bytes | Mapping) or not isinstance(value, kind):
            return False
        again = isinstance(value, Collection)  # rather than what can be looked at only once
        return rule is None or not again or all(map(rule.holds, value))

    return Rule(f"a list{f', each {rule.words}' if rule else ''}", holds)


def _are_numbers(value: Any) -> bool:
    if type(value) is float or type(value) is int:
        return type(value) is float or abs(value) < LARGEST
    try:
        real(value, "it")
    except InputError:
        return False
    return True


def _is_number(value: Any) -> bool:
    if type(value) is not float and not (_are_numbers(value) and np.shape(value) == ()):
        return False
    return bool(value == value)  # which NaN is not


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and type(value) is not bool and abs(int(value)) < LARGEST


def _is_path(value: Any) -> bool:
    try:
        path_of(value)
    except InputError:
        return False
    return True


NUMBERS = Rule("numbers", _are_numbers)
FLAGS = Rule("True or False", lambda value: _is_number(value) and value in (0, 1))  # of a list
NOTHING = Rule("None", lambda value: value is None)
WHOLE = Rule("an integer", _is_whole)
COUNT = Rule("an integer >= 0", lambda value: bool(_is_whole(value) and value >= 0))
TEXT = Rule("a string", lambda value: isinstance(value, str))
PATH = Rule("a file name", _is_path)
SIMPLE: dict[Any, Rule] = {
    bool: Rule("True or False", lambda value: isinstance(value, bool | np.bool_)),
    int: WHOLE,
    float: Rule("one number", _is_number),
    str: TEXT,
    Path: PATH,
    os.PathLike[str]: PATH,
    ArrayLike: NUMBERS,
    None: NOTHING,
    NoneType: NOTHING,
}
