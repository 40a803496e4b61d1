"""All that depends on how CPython, NumPy and CasADi's wrapper are built inside.

Each trick has a guard that compares what it assumes with what this process says, and a plain way where
that does not fit. `LINKWORK_ABI=off` takes the plain way everywhere. Nothing outside this folder knows
the layout of an object. docs/kernel-abi.md explains all of it.
"""

from linkwork.kernels.abi.builtin import METH_FASTCALL, METH_NOARGS, Builtin, builtin_function
from linkwork.kernels.abi.entry import entry_points
from linkwork.kernels.abi.layout import layout_name
from linkwork.kernels.abi.memory import LARGE, empty
from linkwork.kernels.abi.signals import signals_wait

__all__ = [
    "LARGE",
    "METH_FASTCALL",
    "METH_NOARGS",
    "Builtin",
    "builtin_function",
    "empty",
    "entry_points",
    "layout_name",
    "signals_wait",
]
