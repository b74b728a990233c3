"""Rebuild mode: a student's own module in the place of one of the package's, and what must then still hold.

Its laws first (`laws_of_*.py`), then every notebook, then the marks. All of that happens in other
processes, so there is nothing to undo in this one.
"""
