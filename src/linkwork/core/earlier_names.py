"""Earlier names that keep working, each with what it is called now; documentation shows the new ones.

Names of the package itself are the assignments in `linkwork/__init__.pyi`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T", bound=type)

# Attributes and methods, by the class that has them.
ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "ArmModel": {"plan": "operation_plan"},
    "Described": {
        "effort_parts": "effort_breakdown",
        "force_parts": "effort_breakdown",
        "freedoms": "dof",
        "jacobian_rate": "jacobian_dot",
        "natural_frequencies": "vibration_modes",
        "noun": "actuated_element",
        "plan": "plan_path",
        "random_motion": "random_states",
    },
    "InverseKinematics": {"held": "at_limit"},
    "ParallelJacobians": {"Jx": "direct_jacobian", "Jq": "inverse_jacobian"},
    "Rollouts": {"lost": "diverged"},
    "Sizing": {"catalogue": "catalog"},
}
# Arguments, by the function that takes them.
ARGUMENTS: Mapping[str, Mapping[str, str]] = {"size_actuators": {"catalogue": "catalog"}}

# Keys of a drive in robot files.
DRIVE_KEYS: Mapping[str, str] = {"catalogue": "catalog"}


def present_name(kind: type, name: str) -> str | None:
    """What an earlier name of a class is called now."""
    for each in kind.__mro__:
        now = ATTRIBUTES.get(each.__name__, {}).get(name)
        if now is not None and (now in getattr(kind, "__annotations__", ()) or hasattr(kind, now)):
            return now
    return None


def with_earlier_names(kind: T) -> T:
    """The class, whose instances also know their earlier names."""

    def find(self: object, name: str) -> Any:
        now = present_name(type(self), name)
        if now is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
            )
        return getattr(self, now)

    setattr(kind, "__getattr__", find)  # noqa: B010
    return kind
