"""The fault campaign: what is done to a store here that no classroom will do, and what is left of it.

`make torture` runs all of it and prints figures; `tests/test_torture.py` runs each part in short.
"""
