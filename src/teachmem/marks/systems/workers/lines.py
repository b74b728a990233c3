"""Run in another system's own environment: `python lines.py SERVED.py`, one JSON-RPC message a line.

SERVED.py gives `opened(folder, embed, **settings)`, whose methods are what can be asked, and `versions()`.
Nothing of teachmem is imported here, and what the other system prints goes to the error stream.

>>> here, there = embed("Gate four sticks."), embed("gate FOUR sticks")
>>> round(sum(a * b for a, b in zip(here, there, strict=True)), 2)
0.87

Left out: asking (`marks/systems/worker.py`), and meaning: the vectors know shared words only, which is
enough for probes, who ask in the words that they wrote.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import runpy
import sys
from typing import Any

DIMENSIONS = 4096  # so many that two words of one probe do not share one


def embed(text: str) -> list[float]:
    """Return a vector of length 1 in which every word and every sign counts once for each time it stands."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+|[^\w\s]", text.casefold()) or [text]:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        vector[int.from_bytes(digest, "big") % DIMENSIONS] += 1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector]


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    served = runpy.run_path(sys.argv[1])
    system: Any = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["method"] == "open":
                system = served["opened"](embed=embed, **asked["params"])
                result = served["versions"]()
            elif asked["method"] == "close":
                result, system = system.close(), None
            else:
                result = getattr(system, asked["method"])(**asked["params"])
            said = {"id": asked["id"], "result": result}
        except Exception as error:  # whatever it is, the asker is to hear of it
            said = {"id": asked["id"], "error": {"kind": type(error).__name__, "message": str(error)}}
        answers.write(json.dumps(said) + "\n")
        answers.flush()
    if system is not None:
        system.close()


if __name__ == "__main__":
    main()
