"""One module per paper: its tables and figures, reproduced with one command."""

from linkwork.papers.reproduction import NAMES, build, build_all, reproduce

__all__ = ["NAMES", "build", "build_all", "reproduce"]
