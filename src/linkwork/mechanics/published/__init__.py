"""Equations of Stewart platforms as the papers print them."""
