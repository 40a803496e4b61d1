"""From expression to machine code. Data flows graph -> lowering -> machine -> kernel."""

from linkwork.kernels.graph import Counts
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.recipes import Recipe
from linkwork.kernels.threads import set_threads

__all__ = ["Counts", "Kernel", "Recipe", "set_threads"]
