"""What a part of the campaign hands back: a count, and whatever was wrong afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Figure:
    """One fault done to one thing: how often it was tried, how often it struck, and what was wrong after."""

    fault: str
    what: str
    tried: int
    struck: int = 0
    wrong: list[str] = field(default_factory=list)


def together(figures: list[Figure]) -> str:
    """Return a table with a row for each fault: its figures added up.

    >>> print(together([Figure("kill", "write", 3, 2), Figure("kill", "read", 1, 1)]))
    | fault | done to | tried | struck | wrong |
    |---|---|--:|--:|--:|
    | kill | 2 kinds of call | 4 | 3 | 0 |
    """
    rows: dict[str, list[Figure]] = {}
    for one in figures:
        rows.setdefault(one.fault, []).append(one)
    lines = ["| fault | done to | tried | struck | wrong |", "|---|---|--:|--:|--:|"]
    for fault, own in rows.items():
        what = own[0].what if len(own) == 1 else f"{len(own)} kinds of call"
        tried, struck = sum(one.tried for one in own), sum(one.struck for one in own)
        lines.append(f"| {fault} | {what} | {tried:,} | {struck:,} | {sum(len(one.wrong) for one in own)} |")
    return "\n".join(lines)
