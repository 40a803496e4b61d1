"""A signal that comes while an expression is traced is not lost."""

from __future__ import annotations

import os
import signal

import casadi as ca
import pytest

from linkwork.kernels import Kernel, Recipe


class Interrupting:
    """CasADi asks an argument for its shape, and clears what that raises."""

    @property
    def shape(self) -> tuple[int, int]:
        os.kill(os.getpid(), signal.SIGINT)
        return (1, 1)


@pytest.mark.skipif(os.name == "nt", reason="there os.kill ends the process")
def test_an_interruption_within_casadi_comes_after_the_trace() -> None:
    finished = []

    def express():
        x = ca.SX.sym("x")
        with pytest.raises(NotImplementedError):  # no argument at all, and no KeyboardInterrupt either
            ca.mtimes(x, Interrupting())
        finished.append(True)
        return ca.Function("f", [x], [x * x], ["x"], ["y"]), ((),)

    with pytest.raises(KeyboardInterrupt):
        Kernel.from_recipe(Recipe(("interrupted",), express))
    assert finished
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
