"""Reports: self-contained pages with figures and tables."""

from linkwork.drawing.style import COLORS, new_figure, save_figure, style
from linkwork.reports.page import Page

__all__ = ["COLORS", "Page", "new_figure", "save_figure", "style"]
