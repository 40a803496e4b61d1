"""Pages that compute: a robot's snapshot as WebAssembly, its drawing, and figures that follow."""

from linkwork.reports.live.scene import LiveMotion, of_simulation, of_study, scene
from linkwork.reports.live.traces import traces

__all__ = ["LiveMotion", "of_simulation", "of_study", "scene", "traces"]
