"""The studio: a mechanism in a browser page, with its forces, limits and singularities live.

`session` and what it stands on know nothing of the page; the views over it use viser.
"""
