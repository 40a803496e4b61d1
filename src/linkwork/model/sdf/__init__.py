"""Robots from SDFormat files."""
