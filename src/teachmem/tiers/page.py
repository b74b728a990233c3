"""Where a page ends, as text: the number of an audit entry and an id, to be handed back for the next page.

A cursor only says where to go on. Whoever turns the page still sees what the clause lets them see.

>>> place(cursor(7, "fact-0003"))
(7, 'fact-0003')

Left out: keeping pages still. What is written meanwhile stands at the front.
"""

from __future__ import annotations

import base64
import json
import sys

from teachmem.errors import InvalidInput
from teachmem.rules import shape


def cursor(seq: int, memory_id: str) -> str:
    """Return where a page ends, as text to be handed back."""
    return base64.urlsafe_b64encode(json.dumps([seq, memory_id]).encode()).decode()


def place(given: str | None) -> tuple[int, str] | None:
    """Return the place that a cursor names, None for none; refuse what no page gave."""
    if given is None:
        return None
    try:
        seq, memory_id = json.loads(base64.b64decode(given.encode(), altchars=b"-_", validate=True))
        if isinstance(seq, bool) or not isinstance(seq, int) or not 0 <= seq <= sys.maxsize:
            raise ValueError("no place")
        shape.check_name("cursor", memory_id, empty=False)
    except (InvalidInput, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            "cursor", "is none that a page gave; leave it out to start at the front"
        ) from error
    return seq, memory_id
