"""How important is an event when nobody said? A stated rule, small enough to argue with.

    importance = base of its kind + 0.3 if it speaks of danger or failure + 0.1 if it asks or decides

at most 1. The words are English; an event in another language gets the base of its kind, and the
receipt says which rule was used.

>>> importance_of("observation", "The gripper dropped a crate: alarm on station four")
(0.7, 'importance 0.7 by rule: observation 0.4, speaks of danger or failure 0.3')

Left out: a model's opinion. It may be handed in as the caller's own number.
"""

from __future__ import annotations

from teachmem.recall import text

BASE = {
    "observation": 0.4,
    "user_turn": 0.3,
    "agent_response": 0.3,
    "tool_call": 0.2,
    "consolidation": 0.3,
    "review": 0.5,
    "outcome": 0.5,
}
DANGER = frozenset(
    text.terms(
        "alarm broke broken burn crash danger drop dropped emergency error fail failure fault fire hazard "
        "injury leak lost overheat overheating safety slip slipped smoke stop stopped stuck unsafe warning"
    )
)
WEIGHTY = frozenset(
    text.terms("agreed approve approved ask decide decided decision limit must never order question")
)


def importance_of(kind: object, content: object) -> tuple[float, str]:
    """Return the importance, 0 to 1, and the sentence that says how it came about.

    A kind or content that the gate will refuse gets 0 here; it is the gate that says what is wrong.
    """
    if not isinstance(kind, str) or kind not in BASE or not isinstance(content, str):
        return 0.0, ""
    found = set(text.terms(content))
    reasons = [(str(kind), BASE[kind])]
    if found & DANGER:
        reasons.append(("speaks of danger or failure", 0.3))
    if found & WEIGHTY or "?" in content:
        reasons.append(("asks or decides", 0.1))
    value = round(min(1.0, sum(amount for _, amount in reasons)), 2)
    return value, f"importance {value} by rule: " + ", ".join(f"{why} {amount}" for why, amount in reasons)
