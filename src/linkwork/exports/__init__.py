"""Robots outside Python: C, FMU, MuJoCo, URDF, CasADi and WebAssembly, each with its own check."""

from linkwork.exports.export_robot import Exported, export

__all__ = ["Exported", "export"]
