"""Methods of robots by their expressions, not compiled: cheaper for a robot that is asked once."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw


def expression(robot: lw.Robot, method: str, **options: Any) -> ca.Function:
    """The CasADi function of a method with these options of its kernel."""
    as_it_is: Any = lambda recipe: recipe  # noqa: E731
    recipe: Any = type(robot)(robot.model, as_it_is).kernel(method, **options)
    return recipe.express()[0]


def traced(robot: lw.Robot, method: str, *arrays: Any, **options: Any) -> np.ndarray:
    """One output of a method for rows of states (or one state), evaluated by CasADi."""
    function = expression(robot, method, **options)
    value = np.asarray(function(*(np.atleast_2d(array).T for array in arrays))).T
    return value if np.ndim(arrays[0]) > 1 else value[0]
