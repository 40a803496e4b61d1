"""Methods whose bodies follow from their signatures: how a call reaches its kernel, written once.

Of a method that a table of `mechanics` has, parameters without defaults are its inputs; those that the
table has under `runtime` are optional inputs (a `wrench` beside a `tip_wrench` is its opposite);
`errors` and `out` are those of all methods; the others are options. A NamedTuple that it returns takes
the outputs. The function is made from source, as those of dataclasses are: a call of plain arrays costs
no more than the checks that it needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Final, TypeVar, cast

from numpy.typing import ArrayLike

from linkwork.core.arguments import real
from linkwork.core.errors import InputError
from linkwork.mechanics.methods import Methods

F = TypeVar("F", bound=Callable[..., object])
# Compared by identity where it is the default: an equal text of another make takes the checked way.
RAISE: Final = "raise"
CHECKED = ("frame",)  # options that may be numbers: 1 equals True, which is none

# The commonest call goes straight to machine code, which refuses whatever is unusual.
SOURCE = """
def {name}({parameters}):
    if {plain}:
        try:
            result = self._plain[{key}]({inputs})
        except (KeyError, TypeError):  # not called yet, or an option that cannot be one
            result = None
        if result is not None:
            return {result}
    result = self._run({name!r}, ({inputs}), ({runtime}), errors, {out}{options})
    return {result}
"""


def computed(methods: Methods, **converted: Callable[..., object]) -> Callable[[F], F]:
    """Give a declared method its body.

    Args:
        methods: the table that has the method under its name.
        converted: by parameter, functions of the robot and a value that make what the kernel takes.
    """

    def complete(declared: F) -> F:
        name, signature = declared.__name__, inspect.signature(declared)
        names = [each for each in signature.parameters if each != "self"]
        defaults = {each: signature.parameters[each].default for each in names}
        known = methods[name].runtime
        inputs = [each for each in names if defaults[each] is inspect.Parameter.empty]
        absent = [each for each in names if each in (*known, "wrench", "out", *CHECKED, *converted)]
        options = [each for each in names if each not in {*inputs, *known, "wrench", "errors", "out"}]
        flags = [each for each in options if defaults[each].__class__ is bool]
        given = {each: f"{each}_of(self, {each})" if each in converted else each for each in names}
        if "wrench" in names and "wrench" not in known:
            given["tip_wrench"] = "exerted(tip_wrench, wrench)"
        tests = ["errors is RAISE", *(f"{each} is None" for each in absent if each not in inputs)]
        tests += [f"{each}.__class__ is bool" for each in flags]
        answer = declared.__globals__.get(str(declared.__annotations__["return"]))
        source = SOURCE.format(
            name=name,
            parameters=_bare(signature),
            plain=" and ".join(tests),
            key="".join(f"{each}, " for each in [repr(name), *options]),
            inputs="".join(f"{given[each]}, " for each in inputs),
            runtime="".join(f"{given.get(each)}, " for each in known),
            out="out" if "out" in names else None,
            options="".join(f", {each}={given[each]}" for each in options),
            result="answer(*result)" if hasattr(answer, "_fields") else "result",
        )
        space: dict[str, Any] = {f"{each}_of": convert for each, convert in converted.items()}
        space |= {"RAISE": RAISE, "answer": answer, "exerted": exerted}
        code = declared.__code__  # a debugger shows the declaration
        exec(compile("\n" * (code.co_firstlineno - 2) + source, code.co_filename, "exec"), space)
        made = space[name]
        made.__defaults__, made.__kwdefaults__ = declared.__defaults__, declared.__kwdefaults__
        return cast(F, update_wrapper(made, declared))

    return complete


def _bare(signature: inspect.Signature) -> str:
    """Parameters without annotations, their defaults left to be filled in."""
    bare = [
        each.replace(annotation=each.empty, default=each.empty if each.default is each.empty else None)
        for each in signature.parameters.values()
    ]
    return str(inspect.Signature(bare))[1:-1]


def exerted(tip_wrench: ArrayLike | None, wrench: ArrayLike | None) -> ArrayLike | None:
    """What the last link does to its surroundings, from one or the other way to say it."""
    if wrench is None:
        return tip_wrench
    if tip_wrench is not None:
        raise InputError("give tip_wrench, exerted by the arm, or wrench, acting on it, not both.")
    return -real(wrench, "wrench")
