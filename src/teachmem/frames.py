"""Pandas tables whose cells a notebook shows as they were written.

JupyterLab sets what stands between two dollar signs of a table as a formula: "$5 or $6" would lose its signs,
and whoever writes a memory could choose how it looks. Pandas can tell it not to, for all its tables.

>>> made = frame([("it costs $5 or $6",)], ["content"])
>>> "mathjax_ignore" in made.to_html()
True

Left out: what is in a table, and pandas itself until a table is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Iterable[Any], columns: Iterable[str] | None = None) -> pd.DataFrame:
    """Return a table of `rows`, which are mappings or sequences."""
    import pandas as pd

    pd.set_option("display.html.use_mathjax", False)
    return pd.DataFrame(list(rows), columns=None if columns is None else list(columns))
