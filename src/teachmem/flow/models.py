"""A language model without a language model: scripted, so that lessons and tests are the same everywhere.

`ScriptedModel()` proposes facts by a stated rule: what was said several times, numbers apart, comes
first; then what speaks of danger or failure. `ScriptedModel("...", ...)` gives the answers it was
handed, one a call, and an answer that is an exception is raised: a model can be empty, hostile or late.

>>> told = '[note-0001 | a] "arm 1 drifts"\\n[note-0002 | a] "arm 2 drifts"'
>>> print(ScriptedModel().complete("State at most 5 facts.", told))
{"facts": [{"content": "arm 1, 2 drifts", "confidence": 0.67, "evidence": ["note-0001", "note-0002"]}]}

Left out: understanding. Two wordings of one thing are two things to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from teachmem.errors import ModelUnavailable
from teachmem.recall import importance

LINE = re.compile(r'^\[([^\s|\]]+) \|[^\]]*\] (".*")$', re.MULTILINE)  # as `recall/label.py` writes one
LIMIT = re.compile(r"at most (\d+)")
MOST_TOGETHER = 20  # memories that one proposal sums up at most
NUMBERED = re.compile(
    r"(?<![\w-])[\w-]*\d(?:[\w.-]*\w)?"
)  # a word with a digit in it: a number, a part, a robot


class ScriptedModel:
    """Answers by a script, or by rule where it has none. `calls` keeps what it was asked."""

    def __init__(self, *answers: str | Exception, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[tuple[str, str]] = []
        self._answers = iter(answers)
        self._by_rule = not answers

    def complete(self, instructions: str, text: str, *, most_tokens: int = 1024) -> str:
        """Return the next answer of the script, or raise it if it is an exception."""
        self.calls.append((instructions, text))
        if self._by_rule:
            return propose(instructions, text)
        answer = next(self._answers, None)
        if answer is None:
            raise ModelUnavailable(f"{self.name}: the script has no answer for call {len(self.calls)}")
        if isinstance(answer, Exception):
            raise answer
        return answer


def propose(instructions: str, text: str) -> str:
    """Return JSON with the facts that the lines of `text` support by rule, as many as are asked for.

    Lines that differ in their numbers alone are one fact that names all of them, with confidence
    n / (n + 1) for n lines. A question is no fact.
    """
    limit = LIMIT.search(instructions)
    groups: dict[str, list[tuple[str, str]]] = {}
    for memory_id, quoted in LINE.findall(text):
        content = json.loads(quoted)
        if not content.rstrip().endswith("?"):
            groups.setdefault(NUMBERED.sub("#", content).casefold(), []).append((memory_id, content))
    ranked = sorted(groups.values(), key=lambda group: (-len(group), -_weight(group[0][1])))
    return json.dumps({"facts": [_fact(group) for group in ranked[: int(limit[1]) if limit else 5]]})


def _weight(content: str) -> float:
    return importance.importance_of("observation", content)[0]


def _fact(group: Sequence[tuple[str, str]]) -> dict[str, object]:
    group = group[:MOST_TOGETHER]
    columns = zip(*(NUMBERED.findall(content) for _, content in group), strict=True)
    numbers = iter([", ".join(dict.fromkeys(column)) for column in columns])
    return {
        "content": NUMBERED.sub(lambda found: next(numbers), group[0][1]),
        "confidence": round(len(group) / (len(group) + 1), 2),
        "evidence": [memory_id for memory_id, _ in group],
    }
