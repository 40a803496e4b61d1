"""Reports: self-contained pages with figures and tables."""

from linkwork.reports.page import Page
from linkwork.reports.style import COLOURS, new_figure, save_figure, style

__all__ = ["COLOURS", "Page", "new_figure", "save_figure", "style"]
