"""How long is a text for a language model? Counted by a real tokenizer that is on the machine.

The tokenizer is the byte-pair encoder of the Llama 2 vocabulary, whose file the `wordllama`
package carries. Another model counts a little differently: budgets are approximate between
models, and exact for this one.

>>> count("do NOT restart the arm")
5
>>> count("")
0

Left out: chat templates, and the few tokens a message costs around its text.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from teachmem.errors import TeachmemError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    found = importlib.util.find_spec("wordllama")
    folder = Path(found.origin).parent / "tokenizers" if found and found.origin else Path()
    files = sorted(folder.glob("*_tokenizer_config.json"))
    if not files:
        raise TeachmemError("no tokenizer found; install the package `wordllama`, which carries one")
    tokenizer = Tokenizer.from_file(str(files[0]))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def count(text: str) -> int:
    """Return the number of tokens of `text`."""
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)
