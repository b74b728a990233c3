"""The first check: is this a memory at all? It says which field is wrong, and nothing is written.

>>> from teachmem.record import Draft
>>> fault(Draft(tier="working", kind="note", content="  "))
'content: must not be blank'
>>> fault(Draft(tier="episodic", kind="observation", content="gate is open", session="s1", importance=1.1))
'importance: must be a number from 0 to 1, not 1.1'

Left out: whether it is allowed, new or true. Later checks ask that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from teachmem.clock import Moment, to_micros
from teachmem.errors import InvalidInput
from teachmem.normal import is_blank
from teachmem.principal import name_fault, text_fault
from teachmem.record import Draft
from teachmem.vocabulary import (
    KINDS,
    MAX_CONTENT,
    MAX_DEPTH,
    MAX_INTEGER,
    PREDICATES,
    Source,
    Tier,
    Visibility,
)


def fault(draft: Draft) -> str | None:
    """Return "field: what is wrong", or None for a draft in good shape."""
    try:
        _texts(draft)
        _words(draft)
        for field in ("importance", "confidence"):
            check_share(field, getattr(draft, field))
        check_flag("is_inferred", draft.is_inferred)
        _times(draft)
        for field in ("qualifiers", "detail"):
            _object(field, getattr(draft, field))
        _rewrites(draft.detail.get("rewrites", {}))
        _evidence(draft.evidence)
    except InvalidInput as error:
        return str(error)
    return None


def check_share(field: str, value: Any) -> None:
    """Refuse what is no number from 0 to 1; None means "not said"."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:  # NaN is not
        raise InvalidInput(field, f"must be a number from 0 to 1, not {_shown(value)}")


def check_flag(field: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise InvalidInput(field, f"must be True or False, not {_shown(value)}")


def check_name(field: str, value: Any, empty: bool = True) -> None:
    """Refuse what cannot be a name: no string, over 200 characters, U+0000, half a surrogate pair."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be a string, not {_shown(value)}")
    if wrong := name_fault(value):
        raise InvalidInput(field, wrong)
    if not empty and is_blank(value):
        raise InvalidInput(field, "must not be blank")


def check_text(field: str, value: Any) -> None:
    """Refuse what cannot be a content: no string, blank, over 100,000 characters, U+0000, half a pair."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be a string, not {_shown(value)}")
    if len(value) > MAX_CONTENT:
        raise InvalidInput(field, f"is {len(value):,} characters long; at most {MAX_CONTENT:,} are kept")
    if wrong := text_fault(value):
        raise InvalidInput(field, wrong)
    if is_blank(value):
        raise InvalidInput(field, "must not be blank")


def check_member(field: str, value: Any, words: Any) -> None:
    """Refuse a word outside its vocabulary, and name the vocabulary."""
    if not isinstance(value, str) or value not in tuple(words):
        known = ", ".join(str(word) for word in words) or "none here"
        raise InvalidInput(field, f"{_shown(value)} is not in the vocabulary: {known}")


def _words(draft: Draft) -> None:
    check_member("tier", draft.tier, Tier)
    tier = Tier(draft.tier)
    check_member("kind", draft.kind, KINDS[tier])
    check_member("visibility", draft.visibility, Visibility)
    if draft.source is not None:
        check_member("source", draft.source, Source)
    if draft.predicate:
        check_member("predicate", draft.predicate, PREDICATES[tier])
    elif tier is Tier.WORKING:
        raise InvalidInput("predicate", f"a note needs one of: {', '.join(PREDICATES[tier])}")
    missing = [part for part in ("subject", "predicate", "object") if not getattr(draft, part)]
    if missing and draft.predicate:
        raise InvalidInput(missing[0], "is missing; give subject, predicate and object, or no predicate")


def _texts(draft: Draft) -> None:
    check_text("content", draft.content)
    check_name("session", draft.session, empty=draft.tier != Tier.WORKING and draft.tier != Tier.EPISODIC)
    for field in ("subject", "predicate", "object"):
        if (value := getattr(draft, field)) is not None:
            check_name(field, value, empty=False)


def _times(draft: Draft) -> None:
    moments: dict[str, Moment | None] = {
        field: getattr(draft, field) for field in ("valid_from", "valid_to", "expires_at")
    }
    micros = {field: to_micros(moment, field) for field, moment in moments.items() if moment is not None}
    if "valid_from" in micros and "valid_to" in micros and micros["valid_to"] <= micros["valid_from"]:
        raise InvalidInput(
            "valid_to", "must be after valid_from; an interval holds at its start, not at its end"
        )


def _object(field: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a mapping of names to values, not {_shown(value)}")
    _json(value, field, 0)


def _json(value: Any, place: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InvalidInput(place, f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, str):
        if wrong := text_fault(value):
            raise InvalidInput(place, wrong)
        if len(value) > MAX_CONTENT:
            raise InvalidInput(place, f"is {len(value):,} characters long; at most {MAX_CONTENT:,} are kept")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(place, f"holds {value}, which is no finite number")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidInput(place, f"has the key {_shown(key)}; keys are strings")
            check_name(f"{place} key", key)
            _json(inner, f"{place}.{key}", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _json(inner, f"{place}[{index}]", depth + 1)
    elif isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise InvalidInput(place, f"holds an integer beyond the {MAX_INTEGER} that JSON carries exactly")
    elif value is not None:
        raise InvalidInput(place, f"holds a {type(value).__name__}, which JSON does not carry")


def _rewrites(value: Any) -> None:
    _object("rewrites", value)
    for name, rewrite in value.items():
        check_text(f"rewrites {name}", rewrite)


def _evidence(value: Any) -> None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidInput("evidence", f"must be a sequence of memory ids, not {_shown(value)}")
    for memory_id in value:
        check_name("evidence", memory_id, empty=False)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes out
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= 40 else f"{text[:37]}..."
